"""Lines of an estate: a row, a link or a colour, where it stands and what is written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from momlint.findings import Place, Position, Span
from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate, RecoveryRow, TableRow

#: A row, a link, a colour; and what is to be added: a row to a table, a link to the links.
LineKind: TypeAlias = Literal["row", "link", "colour", "new-row", "new-link"]


@dataclass(frozen=True, slots=True)
class Line:
    """`name`: ``row of 1 for 3``, ``link 1--2``, ``colour 2``; `change`: what would mend, for a failure.

    `text`: the line without the blanks around it, empty where the file shows none. `span`: of what is meant on it.
    """

    kind: LineKind
    name: str
    file: str
    span: Span
    text: str
    change: str = ""

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        start, end = self.span
        return {
            "kind": self.kind,
            "name": self.name,
            "file": self.file,
            "span": {
                "start": {"line": start.line, "column": start.column},
                "end": {"line": end.line, "column": end.column},
            },
            "text": self.text,
            **({"change": self.change} if self.change else {}),
        }

    @property
    def order(self) -> tuple[str, Position, str, str]:
        """By place."""
        return self.file, self.span.start, self.kind, self.name


class Lines:
    """The lines of one estate."""

    def __init__(self, loaded: LoadedEstate, estate: Estate) -> None:
        self._loaded = loaded
        self._estate = estate
        self._texts = {source.file: source.lines for source in loaded.sources}

    def row(self, number: int, dest: int, change: str = "") -> Line:
        """The row with this index (of recovery rows, or of given ones), and of a given one the entry for `dest`."""
        ids = self._estate.brokers
        if self._estate.recovery_rows is not None:
            one: RecoveryRow | TableRow = self._estate.recovery_rows[number]
            place = one.place
        else:
            given = self._estate.table_rows[number]
            one, place = given, given.destination_place(dest)
        return self._line("row", f"row of {ids[one.location].id} for {ids[dest].id}", place, change)

    def link(self, number: int, change: str = "") -> Line:
        """A link (dense id)."""
        one = self._estate.links[number]
        return self._line("link", f"link {one.id}", one.place, change)

    def colour(self, number: int, change: str = "") -> Line | None:
        """A colour; None where none is declared."""
        if not self._estate.colours_declared or number >= len(self._estate.colours):
            return None
        one = self._estate.colours[number]
        return self._line("colour", f"colour {one.name}", one.place, change)

    def new_row(self, location: int, dest: int, change: str) -> Line:
        """A row that is missing: where the table stands, or would."""
        ids = self._estate.brokers
        rows: list[RecoveryRow] | list[TableRow] = list(self._estate.table_rows)
        section = "routing.tables"
        if self._estate.recovery_rows is not None:
            rows, section = list(self._estate.recovery_rows), "failures.recovery"
        place = next((one.table_place for one in rows if one.location == location), None)
        if place is None:
            places = self._estate.section_places
            place = places.get(section) or places.get("routing.protocol") or self._estate.place
        return self._line("new-row", f"new row of {ids[location].id} for {ids[dest].id}", place, change)

    def new_link(self, tail: int, head: int, change: str) -> Line:
        """A link that is missing: the section of links."""
        ids = self._estate.brokers
        place = self._estate.section_places.get("links") or self._estate.place
        return self._line("new-link", f"new link {ids[tail].id}--{ids[head].id}", place, change)

    def _line(self, kind: LineKind, name: str, place: Place, change: str) -> Line:
        file, span, _ = self._loaded.locate(place)
        lines = self._texts.get(file, ())
        text = lines[span.start.line - 1].strip() if span.start.line <= len(lines) else ""
        return Line(kind, name, file, span, text, change)


__all__ = ["Line", "LineKind", "Lines"]
