"""Java's properties files, with places: a key and a value a line, which a backslash at its end continues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from momlint.native.form import At, Token
from momlint.source.decoding import Text

_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_HEX: Final = re.compile(r"[0-9A-Fa-f]{4}")
_BLANK: Final = " \t\f"


class _Letter(NamedTuple):
    """A character as it is meant, and where it is written; `plain`: not behind a backslash."""

    text: str
    line: int
    column: int
    width: int
    plain: bool


class Value(NamedTuple):
    """A value with the place of each of its characters."""

    text: str
    at: At
    letters: tuple[_Letter, ...]

    def items(self) -> Iterator[Token]:
        """The parts of a list, which commas divide, without blank space around them."""
        start = 0
        for place in (*(number for number, letter in enumerate(self.letters) if letter.text == ","), len(self.letters)):
            part = self.letters[start:place]
            start = place + 1
            while part and part[0].text.isspace():
                part = part[1:]
            while part and part[-1].text.isspace():
                part = part[:-1]
            if part:
                yield Token("".join(letter.text for letter in part), _place(part))


class Setting(NamedTuple):
    """A key and its value."""

    key: Token
    value: Value


def read_properties(text: Text) -> Iterator[Setting]:
    """The settings of a file, in their order."""
    lines = text.lines
    row = 0
    while row < len(lines):
        bare = lines[row].lstrip(_BLANK)
        if not bare or bare[0] in "#!":
            row += 1
            continue
        letters: list[_Letter] = []
        while True:
            line = lines[row] if row < len(lines) else ""
            goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
            letters += _letters(line[:-1] if goes_on else line, row)
            row += 1
            if not goes_on or row >= len(lines):
                break
        setting = _setting(letters)
        if setting is not None:
            yield setting


def _letters(line: str, row: int) -> Iterator[_Letter]:
    column = len(line) - len(line.lstrip(_BLANK))
    while column < len(line):
        letter = line[column]
        if letter != "\\" or column + 1 >= len(line):
            yield _Letter(letter, row, column, 1, True)
            column += 1
            continue
        following = line[column + 1]
        code = _HEX.match(line, column + 2) if following == "u" else None
        if code is not None:
            yield _Letter(chr(int(code[0], 16)), row, column, 6, False)
            column += 6
        else:
            yield _Letter(_ESCAPES.get(following, following), row, column, 2, False)
            column += 2


def _setting(letters: list[_Letter]) -> Setting | None:
    end = 0
    while end < len(letters) and not (letters[end].plain and letters[end].text in f"=:{_BLANK}"):
        end += 1
    start = end
    while start < len(letters) and letters[start].plain and letters[start].text in _BLANK:
        start += 1
    if start < len(letters) and letters[start].plain and letters[start].text in "=:":
        start += 1
        while start < len(letters) and letters[start].plain and letters[start].text in _BLANK:
            start += 1
    key, value = letters[:end], letters[start:]
    if not key:
        return None
    key_at = _place(key)
    # A value that is not there stands behind its key.
    nowhere = At(key_at.end_line, key_at.end_column, key_at.end_line, key_at.end_column)
    written = "".join(letter.text for letter in value)
    return Setting(
        Token("".join(letter.text for letter in key), key_at),
        Value(written, _place(value) if value else nowhere, tuple(value)),
    )


def _place(letters: list[_Letter] | tuple[_Letter, ...]) -> At:
    first, last = letters[0], letters[-1]
    return At(first.line, first.column, last.line, last.column + last.width)
