"""What can stand where somebody types: keys and words from the JSON Schema, and names of what there is.

While somebody types, the text is mostly no YAML. So what stands before the cursor is read, with a word of ours at the
cursor and the open brackets closed; where that word ends up says what belongs there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from momlint.lsp.names import BROKER_ROUTES, COLOUR_ROUTES, FAILING_ROUTES, TOPIC_ROUTES, Route, scalars
from momlint.lsp.renaming import written
from momlint.source import Node, ScalarNode, SequenceNode, read_source

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate

#: Stands at the cursor; no word of anybody's.
_MARK = "momlint-cursor-7f3a"
#: What is being typed.
_WORD = re.compile(r"[^\s,\[\]{}\"'#&*!|>%@`]*\Z")
#: Before this nothing is offered: a comment.
_COMMENT = re.compile(r"(?:^|\s)#")


class Offer(NamedTuple):
    """`insert`: what is put in the place of the word that is being typed; `detail`: a few words on it."""

    label: str
    insert: str
    kind: Literal["key", "value", "broker", "topic", "link", "colour", "group"]
    detail: str = ""
    documentation: str = ""


class Names(NamedTuple):
    """What there is, of each in the order of the file."""

    brokers: Sequence[str] = ()
    topics: Sequence[str] = ()
    links: Sequence[str] = ()
    colours: Sequence[str] = ()
    groups: Sequence[str] = ()

    def and_those_of(self, root: Node) -> Names:
        """With what a text declares that is being typed; links have names there only if they are given."""
        routes = (
            ("brokers", "@"),
            ("topics", "@"),
            ("links", "*", "id"),
            ("failures", "colours", "@"),
            ("groups", "@"),
        )
        return Names(
            *(
                [one for one in dict.fromkeys([*known, *(node.text for node in scalars(root, route))]) if one != _MARK]
                for known, route in zip(self, routes, strict=True)
            )
        )


class Cursor(NamedTuple):
    """Where a word stands: keys and indices down to it; whether it is a key; the keys that are there beside it."""

    path: tuple[str | int, ...]
    is_key: bool
    beside: frozenset[str] = frozenset()


def word_before(before: str) -> str:
    """The word that is being typed at the end of `before`."""
    found = _WORD.search(before)
    word = found[0] if found is not None else ""
    # A key's colon ends it.
    return word[word.rfind(":") + 1 :] if word.endswith(":") else word


def offers(before: str, names: Names) -> list[Offer]:
    """What can stand at the end of the text `before`."""
    word = word_before(before)
    found: dict[str, Offer] = {}
    for cursor, root in cursors(before[: len(before) - len(word)]):
        known = names.and_those_of(root)
        for offer in (*_keys(cursor), *_values(cursor, known)):
            found.setdefault(offer.label, offer)
    return list(found.values())


def cursors(before: str) -> Iterator[tuple[Cursor, Node]]:
    """Where a word at the end of `before` would stand, as a key and as a value, as far as it could; and all of that."""
    line = before[before.rfind("\n") + 1 :]
    if _COMMENT.search(_without_quoted(line)):
        return
    closing = _closing(before)
    seen = set()
    for text in (f"{before}{_MARK}: x{closing}", f"{before}{_MARK}{closing}"):
        source = read_source(text.encode("utf-8", "surrogatepass"))
        root = source.documents[-1].root if source.documents else None
        cursor = None if root is None or any(one.code == "MOM101" for one in source.problems) else _find(root, ())
        if cursor is not None and cursor not in seen:
            assert root is not None
            seen.add(cursor)
            yield cursor, root


def names_in(loaded: LoadedEstate) -> Names:
    """The names of an estate, as far as it could be read."""
    roots = [document.root for _, document in loaded.documents if document.root is not None]

    def all_of(*route: str) -> list[str]:
        return list(dict.fromkeys(node.text for root in roots for node in scalars(root, route)))

    links = [one.id for one in loaded.estate.links] if loaded.estate is not None else []
    return Names(
        all_of("brokers", "@"), all_of("topics", "@"), links, all_of("failures", "colours", "@"), all_of("groups", "@")
    )


# -- where -----------------------------------------------------------------------------------------------------------


def _find(node: Node, path: tuple[str | int, ...]) -> Cursor | None:
    if isinstance(node, ScalarNode):
        return Cursor(path, False) if node.text == _MARK else None
    if isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            if found := _find(item, (*path, index)):
                return found
        return None
    for entry in node.entries:
        if entry.key.text == _MARK:
            beside = frozenset(one.key.text for one in node.entries) - {_MARK}
            return Cursor(path, True, beside)
        if found := _find(entry.value, (*path, entry.key.text)):
            return found
    return None


def _closing(text: str) -> str:
    """The brackets that are still open at the end of a text, closed."""
    open_ones: list[str] = []
    for line in map(_without_quoted, text.splitlines()):
        comment = _COMMENT.search(line)
        for character in line[: comment.start()] if comment else line:
            if character in "[{":
                # In the middle of a word a bracket is a letter, outside of brackets.
                open_ones.append("]" if character == "[" else "}")
            elif open_ones and character == open_ones[-1]:
                open_ones.pop()
    return "".join(reversed(open_ones))


def _without_quoted(line: str) -> str:
    """The line with what stands in quotes left out; an open quote goes on to the end."""
    return re.sub(r"""(?<![\w])"(?:[^"\\]|\\.)*(?:"|\Z)|(?<![\w])'(?:[^']|'')*(?:'|\Z)""", "", line)


# -- what ------------------------------------------------------------------------------------------------------------


def _keys(cursor: Cursor) -> Iterator[Offer]:
    """Keys of the schema: where one is typed, or where a mapping could begin."""
    for schema in _schemas(cursor.path) if cursor.is_key else ():
        taken = cursor.beside | _instead(schema, cursor.beside)
        for key, one in schema.get("properties", {}).items():
            if key not in taken:
                yield Offer(key, f"{key}: ", "key", documentation=one.get("description", ""))


def _instead(schema: dict[str, Any], beside: frozenset[str]) -> frozenset[str]:
    """The keys in whose place stand those that are there: `from` and `to` where `between` is."""
    forms = [frozenset(one["required"]) for one in schema.get("oneOf", ()) if "required" in one]
    chosen = [form for form in forms if form & beside]
    return frozenset().union(*forms).difference(*chosen) if chosen else frozenset()


def _values(cursor: Cursor, names: Names) -> Iterator[Offer]:
    route = cursor.path if not cursor.is_key else (*cursor.path, "@")
    if _fits(route, BROKER_ROUTES) and route != ("brokers", "@"):
        yield from (_name(one, "broker", cursor) for one in names.brokers if one not in cursor.beside)
    if _fits(route, TOPIC_ROUTES) and route != ("topics", "@"):
        yield from (_name(one, "topic", cursor) for one in names.topics)
    if _fits(route, FAILING_ROUTES):
        yield from (_name(one, "link", cursor) for one in names.links)
        yield from (_name(one, "broker", cursor) for one in names.brokers)
        if route[0] == "failures":
            yield from (_name(one, "group", cursor) for one in names.groups)
    if _fits(route, COLOUR_ROUTES):
        yield from (_name(one, "colour", cursor) for one in names.colours)
    if cursor.is_key:
        return
    for schema in _schemas(cursor.path):
        words = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
        if schema.get("type") == "boolean" and not words and "string" not in str(schema.get("anyOf", "")):
            words = ["true", "false"]
        for word in words:
            yield Offer(str(word), str(word), "value", documentation=schema.get("description", ""))


def _name(name: str, kind: Literal["broker", "topic", "link", "colour", "group"], cursor: Cursor) -> Offer:
    return Offer(name, written(name, "") + (": " if cursor.is_key else ""), kind, detail=kind)


def _fits(route: Sequence[str | int], routes: Sequence[Route]) -> bool:
    return any(
        len(one) == len(route)
        and all(step == part or (step == "*" and part != "@") for step, part in zip(one, route, strict=True))
        for one in routes
    )


@functools.cache
def _schema() -> dict[str, Any]:
    from momlint.estate import json_schema

    return json_schema()


def _schemas(path: Sequence[str | int]) -> list[dict[str, Any]]:
    """The schemas of what stands at a path."""
    found = _unfolded(_schema())
    for step in path:
        below: list[dict[str, Any]] = []
        for schema in found:
            if isinstance(step, int):
                below += _unfolded(schema.get("items"))
            elif step in schema.get("properties", {}):
                below += _unfolded(schema["properties"][step])
            else:
                below += _unfolded(schema.get("additionalProperties"))
        found = below
    return found


def _unfolded(schema: Any) -> list[dict[str, Any]]:
    """A schema with its references followed, and each of its alternatives."""
    if not isinstance(schema, dict):
        return []
    if "$ref" in schema:
        return _unfolded(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
    found = [schema]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        found += _unfolded(one)
    return found


__all__ = ["Cursor", "Names", "Offer", "cursors", "names_in", "offers", "word_before"]
