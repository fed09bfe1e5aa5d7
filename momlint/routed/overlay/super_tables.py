"""The condensed super routing tables of all brokers, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from momlint.estate.resolved import RecoveryRow
from momlint.records import dataclass
from momlint.routed.overlay.colour_sets import compact, starts_of
from momlint.source.rows import row_place


@dataclass(frozen=True, slots=True)
class RecoveryTable:
    """Rows (destination, next hop, set of colours) of every broker's super routing table (thesis Table 6-4).

    With R rows, C colours and K listed ids:

    ============  =========  ============================================================================
    field         shape      meaning
    ============  =========  ============================================================================
    ``broker``    int32[R]   whose table the row stands in
    ``to``        int32[R]   the destination
    ``via``       int32[R]   the next hop
    ``inverted``  bool[R]    the row's run lists the colours in which it does *not* hold
    ``start``     int64[R+1] run r is ``listed[start[r]:start[r + 1]]``
    ``listed``    int32[K]   dense colour ids, strictly ascending in each run
    ``position``  int32[R]   where the row was read: a line of CSV, a row of Parquet (both from 1), an index of
                             ``Estate.recovery_rows``; 0, 1, 2 … where the table was computed
    ============  =========  ============================================================================

    A row is inverted exactly when it holds in more than half of the colours: most rows hold in all colours but
    a few, and so the arrays stay as short as the differences between colours.
    """

    colours: int
    broker: NDArray[np.int32]
    to: NDArray[np.int32]
    via: NDArray[np.int32]
    inverted: NDArray[np.bool_]
    start: NDArray[np.int64]
    listed: NDArray[np.int32]
    position: NDArray[np.int32]

    @property
    def rows(self) -> int:
        """R."""
        return int(self.broker.size)

    @property
    def set_sizes(self) -> NDArray[np.int64]:
        """int64[R]: in how many colours each row holds."""
        lengths = np.diff(self.start)
        return np.where(self.inverted, self.colours - lengths, lengths)

    def colours_of(self, row: int) -> NDArray[np.int32]:
        """The colours in which the row holds, ascending: int32[set_sizes[row]]."""
        run = self.listed[self.start[row] : self.start[row + 1]]
        if not self.inverted[row]:
            return run
        inside = np.ones(self.colours, bool)
        inside[run] = False
        return np.flatnonzero(inside).astype(np.int32)


class FileRows(Sequence[RecoveryRow]):
    """The rows of a file as `RecoveryRow`, each made when it is asked for; `table` has them as arrays."""

    def __init__(self, table: RecoveryTable, document: int) -> None:
        self.table = table
        self.document = document

    def __len__(self) -> int:
        return self.table.rows

    @overload
    def __getitem__(self, index: int) -> RecoveryRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RecoveryRow]: ...
    def __getitem__(self, index: int | slice) -> RecoveryRow | Sequence[RecoveryRow]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        table = self.table
        return RecoveryRow(
            row_place(self.document, int(table.position[row])),
            int(table.broker[row]),
            int(table.to[row]),
            int(table.via[row]),
            tuple(table.listed[table.start[row] : table.start[row + 1]].tolist()),
            bool(table.inverted[row]),
        )

    def first_of(self) -> dict[int, int]:
        """The first row of each broker that has one."""
        brokers, rows = np.unique(self.table.broker, return_index=True)
        return dict(zip(brokers.tolist(), rows.tolist(), strict=True))


class Rows(NamedTuple):
    """Some rows, as in `RecoveryTable`; `repeated`: bool, the row names a colour twice."""

    broker: NDArray[np.int32]
    to: NDArray[np.int32]
    via: NDArray[np.int32]
    inverted: NDArray[np.bool_]
    start: NDArray[np.int64]
    listed: NDArray[np.int32]
    position: NDArray[np.int32]
    repeated: NDArray[np.bool_]


def table_of_rows(rows: Sequence[RecoveryRow], colours: int) -> RecoveryTable:
    """The rows of an estate as arrays; the position of each is its index in `rows`, if they stand in the estate."""
    if isinstance(rows, FileRows):
        return rows.table
    lengths = np.fromiter((len(row.colours) for row in rows), np.int64, len(rows))
    listed = np.fromiter(chain.from_iterable(row.colours for row in rows), np.int32, int(lengths.sum()))
    part = tidy(
        colours,
        np.array([row.location for row in rows], np.int32),
        np.array([row.destination for row in rows], np.int32),
        np.array([row.via for row in rows], np.int32),
        np.array([row.inverted for row in rows], bool),
        lengths,
        listed,
        np.arange(len(rows), dtype=np.int32),
    )
    return join([part], colours)[0]


def tidy(
    colours: int,
    broker: NDArray[np.int32],
    to: NDArray[np.int32],
    via: NDArray[np.int32],
    inverted: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    listed: NDArray[np.int32],
    position: NDArray[np.int32],
) -> Rows:
    """Leave out rows and colours that are not known (negative), sort each row's colours, and keep the short form."""
    keep = (broker >= 0) & (to >= 0) & (via >= 0)
    row = np.repeat(np.arange(lengths.size), lengths)
    named = listed >= 0
    if not (keep.all() and named.all()):
        # A row of which no colour is known says nothing, though it meant to.
        known = np.bincount(row[named], minlength=lengths.size)
        keep &= (known > 0) | (lengths == 0) | inverted
        inside = named & keep[row]
        row, listed = (np.cumsum(keep) - 1)[row[inside]], listed[inside]
        broker, to, via, position = (column[keep] for column in (broker, to, via, position))
        inverted = inverted[keep]
        lengths = np.bincount(row, minlength=broker.size)
    repeated = np.zeros(broker.size, bool)
    if listed.size:
        same_row = row[1:] == row[:-1]
        if (same_row & (listed[1:] <= listed[:-1])).any():
            order = np.lexsort((listed, row))
            row, listed = row[order], listed[order]
            fresh = np.append(True, (row[1:] != row[:-1]) | (listed[1:] != listed[:-1]))
            repeated[row[~fresh]] = True
            row, listed = row[fresh], listed[fresh]
            lengths = np.bincount(row, minlength=broker.size)
    start, listed, inverted = compact(starts_of(lengths), listed, inverted, colours)
    return Rows(broker, to, via, inverted, start, listed, position, repeated)


def join(parts: Sequence[Rows], colours: int) -> tuple[RecoveryTable, NDArray[np.int32]]:
    none = np.zeros(0, np.int32)
    if not parts:
        empty = RecoveryTable(colours, none, none, none, none.astype(bool), np.zeros(1, np.int64), none, none)
        return empty, none
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    table = RecoveryTable(
        colours,
        np.concatenate([part.broker for part in parts]),
        np.concatenate([part.to for part in parts]),
        np.concatenate([part.via for part in parts]),
        np.concatenate([part.inverted for part in parts]),
        starts_of(lengths),
        np.concatenate([part.listed for part in parts]),
        np.concatenate([part.position for part in parts]),
    )
    repeated = np.flatnonzero(np.concatenate([part.repeated for part in parts]))
    return table, repeated.astype(np.int32)
