"""Texts as editors hold them: lines, places counted in the units of the protocol, and changes of a text as edits.

An editor counts lines from 0, and within a line the code units of an encoding, UTF-16 unless both sides agree on
another; momlint counts lines and characters from 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from momlint.findings import Position, Span
from momlint.source.decoding import LINE_BREAK

_MARK = "\ufeff"


class Spot(NamedTuple):
    """A place between characters as an editor counts: line and code unit, both from 0."""

    line: int
    unit: int


class Stretch(NamedTuple):
    """From `start` up to, not including, `end`."""

    start: Spot
    end: Spot


class Edit(NamedTuple):
    """What stands at `stretch` becomes `text`."""

    stretch: Stretch
    text: str


class Text:
    """A text and its lines; `encoding`: ``utf-8``, ``utf-16`` or ``utf-32``."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        #: Lines without their ends; the last one is what follows the last line break, perhaps nothing.
        self.lines = LINE_BREAK.split(text) if "\r" in text else text.split("\n")
        # The reader takes a byte order mark off, and an editor counts it.
        self._skipped = 1 if text.startswith(_MARK) else 0

    @property
    def data(self) -> bytes:
        """The text as a file would hold it; a lone surrogate, which no file can hold, as bytes that are no UTF-8."""
        return self.text.encode("utf-8", "surrogatepass")

    def spot(self, place: Position) -> Spot:
        """Where an editor sees a place; behind the end of the line or the text: there."""
        line = place.line - 1
        if line >= len(self.lines):
            return self.spot_of_end()
        column = place.column - 1 + (self._skipped if line == 0 else 0)
        return Spot(line, self._units(self.lines[line][:column]))

    def stretch(self, span: Span) -> Stretch:
        """Where an editor sees what stands at `span`."""
        return Stretch(self.spot(span.start), self.spot(span.end))

    def place(self, spot: Spot) -> Position:
        """The place that an editor names; behind the end of the line or the text: there."""
        if spot.line >= len(self.lines):
            return Position(len(self.lines), len(self.lines[-1]) + 1)
        column = units = 0
        for character in self.lines[spot.line]:
            if units >= spot.unit:
                break
            units += self._units(character)
            column += 1
        return Position(spot.line + 1, max(column - (self._skipped if spot.line == 0 else 0), 0) + 1)

    def spot_of_end(self) -> Spot:
        """Where the text ends."""
        return Spot(len(self.lines) - 1, self._units(self.lines[-1]))

    def before(self, spot: Spot) -> str:
        """The text up to there, without a byte order mark."""
        place = self.place(spot)
        starts = [0, *(match.end() for match in LINE_BREAK.finditer(self.text))]
        skipped = self._skipped if place.line == 1 else 0
        return self.text[self._skipped : starts[place.line - 1] + place.column - 1 + skipped]

    def edits(self, new: str) -> list[Edit]:
        """What makes `new` of the text: whole lines, as few as difflib finds, in order."""
        old_lines, new_lines = _with_ends(self.text), _with_ends(new)
        edits = []
        for tag, first, last, new_first, new_last in difflib.SequenceMatcher(
            None, old_lines, new_lines, autojunk=False
        ).get_opcodes():
            if tag != "equal":
                stretch = Stretch(self._line_start(first), self._line_start(last))
                edits.append(Edit(stretch, "".join(new_lines[new_first:new_last])))
        return edits

    def _line_start(self, line: int) -> Spot:
        if line < len(self.lines):
            return Spot(line, 0)
        return self.spot_of_end()

    def _units(self, text: str) -> int:
        if self.encoding == "utf-32" or text.isascii():
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(character > "\uffff" for character in text)


def _with_ends(text: str) -> Sequence[str]:
    lines, start = [], 0
    for match in LINE_BREAK.finditer(text):
        lines.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        lines.append(text[start:])
    return lines
