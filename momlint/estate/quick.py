"""From positioned nodes to the plain dictionaries, lists and texts that pydantic reads in bulk.

Positions are left behind here and looked up again only for what turns out to be wrong. A scalar becomes its
text as written; a null becomes None. That is all the models need: an id *is* its text, and a number is read
from it.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final

from momlint.source import MappingNode, Node, ScalarNode, SequenceNode


class Quoted(str):
    """A quoted text that looks like a number: ``cost: "3"`` is a text, ``cost: 3`` a number."""

    __slots__ = ()


class NullKey:
    """The key of ``null: …`` or ``? : …``: no text, so no model takes it; its repr is what pydantic shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        return NULL_SEGMENT


#: What a null key looks like in the location of a pydantic error.
NULL_SEGMENT: Final = "\0null"
NULL_KEY: Final = NullKey()
#: How YAML 1.2 core writes null without quotes.
NULL_TEXTS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_NUMBER_STARTS: Final = frozenset("+-.0123456789")


def is_null(node: Node) -> bool:
    """Whether the node is a scalar that YAML reads as null."""
    return isinstance(node, ScalarNode) and node.value is None


def to_plain(node: Node, known: Container[int] = ()) -> Any:
    """Dictionaries (in order, keys as text), lists, texts, None; None too for collections whose identity is `known`.

    The tree is new and may be changed: two aliases of one node become two trees. The reader of the source
    bounds the depth and the expanded size.
    """
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if known and id(node) in known:
        return None
    if isinstance(node, SequenceNode):
        # The one inner loop that large estates spend their time in, so the common case is spelt out.
        return [
            item.text
            if isinstance(item, ScalarNode) and item.style == "" and item.text not in NULL_TEXTS
            else to_plain(item, known)
            for item in node.items
        ]
    plain: dict[Any, Any] = {}
    for key, value in node.pairs():
        plain[NULL_KEY if key.text in NULL_TEXTS and is_null(key) else key.text] = to_plain(value, known)
    return plain


def _scalar(node: ScalarNode) -> str | None:
    text = node.text
    if node.style == "":
        return None if text in NULL_TEXTS else text
    value = node.value
    if isinstance(value, str):
        return Quoted(text) if text[:1] in _NUMBER_STARTS else text
    return None if value is None else text


def shape(node: Node) -> str:
    """What stands there, in the words of a message: “the text `abc`”, “a list”, “nothing”."""
    if isinstance(node, MappingNode):
        return "a mapping" if node.entries else "an empty mapping"
    if isinstance(node, SequenceNode):
        return "a list" if node.items else "an empty list"
    value = node.value
    text = node.text if len(node.text) <= 40 else node.text[:39] + "…"
    text = " ".join(text.split())
    if value is None:
        return "nothing" if node.text == "" else f"`{text}` (nothing)"
    if isinstance(value, str):
        return f"the string `{text}`" if text else "an empty string"
    return f"`{text}`"
