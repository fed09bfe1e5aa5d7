"""A file of rows (CSV, Parquet) as a document: the one segment of a route is the line, or the number of the row."""

from __future__ import annotations

from collections.abc import Sequence

from momlint.findings import Part, Place, Position, Span
from momlint.source.nodes import Located, Node

_TOP = Span(Position(1, 1), Position(1, 1))


def row_place(document: int, position: int) -> Place:
    """The place of a row: `position` is its line of CSV or its number in Parquet, from 1."""
    return Place(document, (position,))


class RowsDocument:
    """A `momlint.source.Document` without nodes; `lines` is the text where it is known, else empty."""

    root = None
    index = 0
    span = _TOP

    __slots__ = ("lines",)

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    def find(self, path: Sequence[str | int]) -> Node | None:
        """None: there are no nodes."""
        del path
        return None

    def locate(self, path: Sequence[str | int], part: Part = "entry") -> Located:
        """The whole line where the text is known, else its beginning; the top of the file for an empty route."""
        del part
        if not path:
            return Located(_TOP)
        line = int(path[0])
        length = len(self.lines[line - 1]) if line <= len(self.lines) else 0
        return Located(Span(Position(line, 1), Position(line, 1 + length)))
