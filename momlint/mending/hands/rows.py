"""Recovery rows in a CSV file: a line a row, cells that stay as they are but for what changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from momlint.estate.rewriting import NewRow
from momlint.routed.recovery.quoting import cell_name, split_names
from momlint.source.patching import Patches, Unpatchable

_COLUMNS = ("broker", "to", "via", "colours")
#: What stands between two names of a cell.
_BETWEEN = re.compile(r"[\s;,|]+")


class _Cell(NamedTuple):
    """The characters of a cell in its line, quotes and all, and what it says."""

    start: int
    end: int
    text: str


class CsvRows:
    """Changes of the rows of one file. Methods raise `Unpatchable`; lines count from 1."""

    def __init__(self, patches: Patches) -> None:
        self.patches = patches
        header = patches.text.line(0)
        self.delimiter = next((mark for mark in ",;\t" if mark in header), ",")
        self.columns = [cell.text.strip() for cell in self._cells(header)]
        if not set(_COLUMNS[:3]) <= set(self.columns):
            raise Unpatchable("the first line does not name the columns")

    def change(self, line: int, via: str | None, colours: Mapping[str, bool], order: Sequence[str]) -> None:
        """Give a row another next hop (None for its own) and other colours.

        `colours`: those in which it begins to hold (True) or no longer does. `order`: all colours in order.
        """
        cells = self._row(line)
        if via is not None:
            self._put(line, cells[self.columns.index("via")], cell_name(via))
        if not colours:
            return
        inverted = "except" in self.columns and bool(cells[self.columns.index("except")].text.strip())
        cell = cells[self.columns.index("except" if inverted else "colours")]
        added = [name for name, holds in colours.items() if holds != inverted]
        taken = {name for name, holds in colours.items() if holds == inverted}
        rank = {name: number for number, name in enumerate(order)}
        names = [name for name in split_names(cell.text) if name not in taken]
        for name in sorted(added, key=rank.__getitem__):
            before = [index for index, other in enumerate(names) if rank.get(other, -1) < rank[name]]
            names.insert(max(before, default=-1) + 1, name)
        between = _BETWEEN.search(cell.text.strip(" []"))
        text = (between[0] if between and '"' not in cell.text else " ").join(map(cell_name, names))
        self._put(line, cell, f"[{text}]" if cell.text.strip().startswith("[") else text)

    def remove(self, line: int) -> None:
        """Take out a row."""
        self._row(line)
        self.patches.put(self.patches.index(line - 1, 0), self.patches.index(line, 0), "")

    def add(self, row: NewRow, after: int) -> None:
        """Put a row behind another one."""
        said = {"broker": row.location, "to": row.to, "via": row.via}
        cells = {name: cell_name(text) for name, text in said.items()}
        cells["colours"] = " ".join(map(cell_name, row.colours))
        if "colours" not in self.columns:
            raise Unpatchable("rows of this file name the colours in which they do not hold")
        text = self.delimiter.join(self._quoted(cells.get(name, "")) for name in self.columns)
        self.patches.insert_line(after - 1, text)

    def _put(self, line: int, cell: _Cell, text: str) -> None:
        self.patches.put(
            self.patches.index(line - 1, cell.start), self.patches.index(line - 1, cell.end), self._quoted(text)
        )

    def _quoted(self, text: str) -> str:
        if self.delimiter in text or '"' in text:
            doubled = text.replace('"', '""')
            return f'"{doubled}"'
        return text

    def _row(self, line: int) -> list[_Cell]:
        cells = self._cells(self.patches.text.line(line - 1))
        if len(cells) != len(self.columns):
            raise Unpatchable("the row does not stand on one line")
        return cells

    def _cells(self, line: str) -> list[_Cell]:
        cells, at = [], 0
        while True:
            start = at
            if line[at : at + 1] == '"':
                found = re.compile(r'"((?:[^"]|"")*)"').match(line, at)
                if found is None:
                    raise Unpatchable("the row does not stand on one line")
                text, at = found[1].replace('""', '"'), found.end()
            else:
                at = line.find(self.delimiter, at)
                at = len(line) if at < 0 else at
                text = line[start:at]
            cells.append(_Cell(start, at, text))
            if line[at : at + 1] != self.delimiter:
                break
            at += 1
        return cells


__all__ = ["CsvRows"]
