"""Text to positioned nodes: YAML with the place of every key and value, and nothing of brokers."""

from momlint.source.composing import ReadingLimits
from momlint.source.inside import inside
from momlint.source.nodes import Document, Located, MappingEntry, MappingNode, Node, ScalarNode, SequenceNode, Tree
from momlint.source.reader import Source, read_source
from momlint.source.scalars import ScalarValue
from momlint.source.suppressions import Suppression

__all__ = [
    "Document",
    "Located",
    "MappingEntry",
    "MappingNode",
    "Node",
    "ReadingLimits",
    "ScalarNode",
    "ScalarValue",
    "SequenceNode",
    "Source",
    "Suppression",
    "Tree",
    "inside",
    "read_source",
]
