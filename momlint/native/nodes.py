"""Nodes of momlint's language that stand where a native file says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from momlint.native.form import At
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode


def text_node(text: str, at: At) -> ScalarNode:
    """A text, whatever it looks like."""
    return ScalarNode(text, '"', at.line, at.column, at.end_line, at.end_column)


def number_node(number: int, at: At) -> ScalarNode:
    """A whole number."""
    return ScalarNode(str(number), "", at.line, at.column, at.end_line, at.end_column)


def plain_node(text: str, at: At) -> ScalarNode:
    """What is written without quotes: true, false, or nothing."""
    return ScalarNode(text, "", at.line, at.column, at.end_line, at.end_column)


def mapping_node(entries: Mapping[str, Node], at: At) -> MappingNode:
    """A mapping; its keys stand where their values do."""
    node = MappingNode(at.line, at.column)
    for key, value in entries.items():
        name = ScalarNode(key, '"', value.start_line, value.start_column, value.end_line, value.end_column)
        node.children += [name, value]
    node.end_line, node.end_column = at.end_line, at.end_column
    return node


def sequence_node(items: Iterable[Node], at: At) -> SequenceNode:
    """A list."""
    node = SequenceNode(at.line, at.column)
    node.children += items
    node.end_line, node.end_column = at.end_line, at.end_column
    return node


def value_node(value: object, at: At) -> Node:
    """Plain mappings, lists, texts, whole numbers and truth values as nodes that all stand at one place."""
    if isinstance(value, bool):
        return plain_node("true" if value else "false", at)
    if value is None:
        return plain_node("", at)
    if isinstance(value, int):
        return number_node(value, at)
    if isinstance(value, Mapping):
        return mapping_node({str(key): value_node(one, at) for key, one in value.items()}, at)
    if isinstance(value, list | tuple):
        return sequence_node((value_node(one, at) for one in value), at)
    return text_node(str(value), at)
