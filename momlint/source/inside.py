"""Where a part of a scalar's text stands in the file: behind quotes, escapes, folded lines and indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from momlint.findings import Position, Span
from momlint.source.nodes import ScalarNode

_HEXADECIMAL = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
#: Escapes that stand for themselves, and those that stand for white space (with a line's end: it is folded away).
_THEMSELVES = '"\\/'
_SPACES = "nrtvfNLP_ \t"


class _Letter(NamedTuple):
    """A character of the text that is no white space, and where it is written; 0-based."""

    character: str
    line: int
    start: int
    end: int


def inside(node: ScalarNode, lines: Sequence[str], start: int, end: int) -> Span | None:
    """The place of ``node.text[start:end]`` in a file of `lines`; None where it cannot be told.

    Reading a scalar adds and takes away white space only, escapes apart: so the other characters are counted. A part
    without any has no width, and stands behind the character before it.
    """
    letters = list(_letters(node, lines))
    if not letters or [letter.character for letter in letters] != [c for c in node.text if not c.isspace()]:
        return None
    first = sum(not c.isspace() for c in node.text[:start])
    count = sum(not c.isspace() for c in node.text[start:end])
    if count:
        opening, closing = letters[first], letters[first + count - 1]
        return Span(Position(opening.line + 1, opening.start + 1), Position(closing.line + 1, closing.end + 1))
    before = letters[first - 1] if first else letters[0]
    place = Position(before.line + 1, (before.end if first else before.start) + 1)
    return Span(place, place)


def _letters(node: ScalarNode, lines: Sequence[str]) -> Iterator[_Letter]:
    opener = lines[node.start_line][node.start_column : node.start_column + 1]
    quote = opener if opener in ("'", '"') else ""
    # A block's first line is its header: `|` or `>`, and perhaps a comment. No plain scalar begins with these.
    for number in range(node.start_line + (opener in ("|", ">")), node.end_line + 1):
        line = lines[number]
        at = node.start_column + len(quote) if number == node.start_line else 0
        stop = node.end_column - len(quote) if number == node.end_line else len(line)
        while at < stop:
            character, width = _character(line, at, quote)
            if not character.isspace():
                yield _Letter(character, number, at, at + width)
            at += width


def _character(line: str, at: int, quote: str) -> tuple[str, int]:
    """The character that is written at `at`, and how many it is written with."""
    character, following = line[at], line[at + 1 : at + 2]
    if quote == "'" and character == following == "'":
        return "'", 2
    if quote == '"' and character == "\\":
        if following in _THEMSELVES and following:
            return following, 2
        if following in _SPACES:
            return " ", 2
        if found := _HEXADECIMAL.match(line, at):
            code = int(found[found.lastindex or 0], 16)
            return (chr(code) if code <= 0x10FFFF else "\\"), len(found[0])
    return character, 1
