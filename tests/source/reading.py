"""Short ways to read a text in a test and to write down places."""

from __future__ import annotations

from momlint.findings import Problem, Span
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode, Source, read_source


def read(text: str | bytes) -> Source:
    return read_source(text if isinstance(text, bytes) else text.encode(), "a.yaml")


def root_of(text: str | bytes) -> Node:
    """The root of the only document of a text without problems."""
    source = read(text)
    assert source.problems == []
    (document,) = source.documents
    assert document.root is not None
    return document.root


def only_problem(text: str | bytes) -> Problem:
    source = read(text)
    (problem,) = source.problems
    return problem


def at(span: Span) -> str:
    """A span as ``line:column-line:column``."""
    return f"{span.start.line}:{span.start.column}-{span.end.line}:{span.end.column}"


def keys(node: Node) -> list[str]:
    assert isinstance(node, MappingNode)
    return [entry.key.text for entry in node.entries]


def child(node: Node, *path: str | int) -> Node:
    for segment in path:
        if isinstance(segment, int):
            assert isinstance(node, SequenceNode)
            node = node.items[segment]
        else:
            assert isinstance(node, MappingNode)
            entry = node.get(segment)
            assert entry is not None
            node = entry.value
    return node


def plain(node: Node) -> object:
    """Values only: mappings as lists of pairs, so that their order counts."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, SequenceNode):
        return [plain(item) for item in node.items]
    return [(entry.key.text, plain(entry.value)) for entry in node.entries]
