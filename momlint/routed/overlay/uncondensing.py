"""From rows back to next hops: base + deltas with a row for each entry, and what the rows leave open or say twice."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.colour_sets import complement, gather, starts_of
from momlint.routed.overlay.form import NO_HOP, NO_ROW
from momlint.routed.overlay.keys import Keys, Packing
from momlint.routed.overlay.ragged import among, distinct, ramp
from momlint.routed.overlay.super_tables import RecoveryTable


@dataclass(frozen=True, slots=True)
class Clashes:
    """Pairs of rows that claim the same broker, destination and colour (MOM404); int32 arrays, sorted by them.

    `used` is the row that counts, the first of all that claim the entry; `unused` the other. `colour`: the first
    colour in which they clash so; `count`: in how many they do.
    """

    used: NDArray[np.int32]
    unused: NDArray[np.int32]
    colour: NDArray[np.int32]
    count: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Entries:
    """What a `RecoveryTable` says, in the form of `momlint.routed.overlay.Overlay`, and what is wrong with it.

    `base`, `base_row`, `delta_key`, `delta_next`, `delta_row`: as in the overlay; rows are those of the table.
    `missing`: the entries that no row gives (MOM405 where the destination is reachable), as rows with `NO_HOP` for
    next hop, one a (broker, destination), sorted. `clashes`: see there. `idle`: int32, the rows that say nothing:
    their destination is their own broker, or they hold in no colour.
    """

    base: NDArray[np.int32]
    base_row: NDArray[np.int32]
    delta_key: NDArray[np.int64]
    delta_next: NDArray[np.int32]
    delta_row: NDArray[np.int32]
    missing: RecoveryTable
    clashes: Clashes
    idle: NDArray[np.int32]


#: So many entries are written out, at most, to make the base that of one colour.
MOST_EXPANDED = 1 << 22
#: Cells, rows and listed colours of a block of destinations.
_BLOCK = 1 << 20


def uncondense(table: RecoveryTable, n: int, home: int) -> Entries:
    """The next hops that `table` gives among `n` brokers; of several rows for one entry the first counts.

    The base is what the rows say in colour `home` (the first in which nothing has failed, else the first). An entry
    with the base's next hop from another row is a delta, since it leads back to another line.

    Nothing is expanded to colours × n²: an entry is first kept as what holds in most colours, a row or no row, and
    what differs, which takes no more than twice what the rows list (or leave out, if inverted). Where home differs
    from most colours that is turned round, unless it would take more than `MOST_EXPANDED` entries in all: a table
    that leaves out the normal colour everywhere keeps what holds in most colours for its base, and home has deltas
    like any other colour.

    A large table is taken by blocks of destinations, so that little more is held at a time than the result.
    """
    blocks = max(1, -(-(Keys(n).cells + table.rows + table.listed.size) // _BLOCK))
    step = max(1, -(-n // blocks))
    if step >= n:
        return _together(table, n, [_Uncondense(table, n, home, 0, n).run()])
    order, bounds = _by_block(table, n, step)
    parts = []
    for first, (begin, end) in zip(range(0, n, step), pairwise(bounds), strict=True):
        rows = np.sort(order[begin:end])
        part = _Uncondense(_only(table, rows), n, home, first, min(step, n - first)).run()
        parts.append(part.of_rows(rows))
    del order
    return _together(table, n, parts)


def _by_block(table: RecoveryTable, n: int, step: int) -> tuple[NDArray[np.intp], list[int]]:
    """The rows by blocks of so many destinations, and where each block begins; then where the last ends."""
    blocks = -(-n // step)
    # Numbers of 16 bits are sorted by their digits, ten times as quickly as larger ones.
    block = (table.to // step).astype(np.uint16 if blocks < 1 << 16 else np.int32)
    return np.argsort(block, kind="stable"), [0, *np.cumsum(np.bincount(block, minlength=blocks)).tolist()]


def _only(table: RecoveryTable, rows: NDArray[np.intp]) -> RecoveryTable:
    start, listed = gather(table.start, table.listed, rows)
    return RecoveryTable(
        table.colours,
        table.broker[rows],
        table.to[rows],
        table.via[rows],
        table.inverted[rows],
        start,
        listed,
        table.position[rows],
    )


class _Part(NamedTuple):
    """What the rows of some destinations that follow each other say: as in `Entries`, before it is put together.

    `base` and `base_row`: int32[destinations, N]. `clashes`: used, unused, colour, count; `missing`: pairs, inverted,
    lengths, flat list; int64 but for `inverted`.
    """

    base: NDArray[np.int32]
    base_row: NDArray[np.int32]
    key: NDArray[np.int64]
    hop: NDArray[np.int32]
    row: NDArray[np.int32]
    clashes: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    missing: tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]
    idle: NDArray[np.int32]

    def of_rows(self, rows: NDArray[np.intp]) -> _Part:
        """With row r called ``rows[r]``."""
        # The last is for `NO_ROW`.
        name = np.append(rows, NO_ROW).astype(np.int32)
        used, unused, colour, count = self.clashes
        return self._replace(
            base_row=name[self.base_row],
            row=name[self.row],
            clashes=(rows[used], rows[unused], colour, count),
            idle=name[self.idle],
        )


def _together(table: RecoveryTable, n: int, parts: list[_Part]) -> Entries:
    """The parts, in the order of their destinations, as one; `parts` is used up."""
    base, base_row = (np.concatenate([part[column] for part in parts]) for column in (0, 1))
    clashes = _clashes(*(np.concatenate([part.clashes[column] for part in parts]) for column in range(4)))
    missing = _missing_table(
        table.colours, n, *(np.concatenate([part.missing[column] for part in parts]) for column in range(4))
    )
    idle = np.sort(np.concatenate([part.idle for part in parts]))
    key, hop, row = _merged(n, table.colours, parts)
    return Entries(base, base_row, key, hop, row, missing, clashes, idle)


def _merged(n: int, colours: int, parts: list[_Part]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """The deltas of all parts, sorted: colour by colour, and in each colour one part after the other."""
    if len(parts) == 1:
        return parts[0].key, parts[0].hop, parts[0].row
    bounds = Keys(n).in_colour(np.arange(colours + 1), 0)
    times = np.stack([np.diff(np.searchsorted(part.key, bounds)) for part in parts], axis=1)
    first = (np.cumsum(times) - times.ravel()).reshape(times.shape)
    size = int(times.sum())
    key, hop, row = np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.int32)
    for number in reversed(range(len(parts))):
        part = parts.pop()
        place = np.repeat(first[:, number], times[:, number]) + ramp(times[:, number])
        key[place], hop[place], row[place] = part.key, part.hop, part.row
    return key, hop, row


class _Uncondense:
    """The rows for `width` destinations from `first` on, all of whose rows are in `table`."""

    def __init__(self, table: RecoveryTable, n: int, home: int, first: int, width: int) -> None:
        self.table, self.n, self.home = table, n, home
        self.first, self.width = first, width
        self.colours = table.colours
        self.place = Packing(width)  # of a broker and a destination, counted from the first: a cell
        self.entry = Packing(table.colours)  # of a cell and a colour
        self.cell = self.place.pack(table.broker, table.to - np.int32(first))
        self.lengths = np.diff(table.start)
        self.says = (table.broker != table.to) & (table.inverted | (self.lengths > 0))
        # Clashes as they are found: (used, unused, colour) of every single one, or counted already.
        self.clash_used: list[NDArray[np.int64]] = []
        self.clash_unused: list[NDArray[np.int64]] = []
        self.clash_colour: list[NDArray[np.int64]] = []
        self.clash_count: list[NDArray[np.int64]] = []
        # Deltas: cell, colour, row (NO_ROW for none).
        self.delta: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        # Missing entries: cells, inverted, lengths, flat list.
        self.missing: list[tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]] = []

    def run(self) -> _Part:
        table = self.table
        cells = self.n * self.width
        self.base_row = np.full(cells, NO_ROW, np.int64)
        wide = np.flatnonzero(self.says & table.inverted)
        # Two rows that each hold in more than half of the colours clash; such cells are gone through one by one.
        self.contested = np.bincount(self.cell[wide], minlength=cells) > 1
        wide = wide[~self.contested[self.cell[wide]]]
        self.wide_row = np.full(cells, NO_ROW, np.int64)
        self.wide_row[self.cell[wide]] = wide
        narrow = np.flatnonzero(self.says & ~table.inverted & ~self.contested[self.cell])
        entry, winner, beats_wide = self._first_claims(narrow)
        self._with_wide_row(wide, entry, winner, beats_wide)
        bare = self.wide_row[self.entry.first(entry)] == NO_ROW
        self._without_wide_row(entry[bare], winner[bare])
        if self.contested.any():
            self._contested(np.flatnonzero(self.says & self.contested[self.cell]))
        self.cells, self.colour, self.row = (np.concatenate(column) for column in zip(*self.delta, strict=True))
        self._turn_home()
        return self._part()

    # -- cells with at most one wide row, which is one that holds in all colours but those it leaves out -------------
    #
    # Colours 0 to 3, the cell of broker 1 and destination 2:
    #
    #     row 0: to 2, via 3, except [1]       wide: the base is row 0
    #     row 1: to 2, via 4, colours [1]      narrow: a delta in colour 1
    #     row 2: to 2, via 5, colours [3]      claims what row 0 has: a clash in colour 3, and row 0, the first, counts
    #
    # Without row 1 the entry of colour 1 is missing: a delta to no row.

    def _first_claims(self, narrow: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The entries that narrow rows list, sorted and each once; the first row that does; whether that one counts.

        It does not where a wide row holds in the same colour and comes before it. Rows that lose clash.
        """
        start, listed = gather(self.table.start, self.table.listed, narrow)
        row = np.repeat(narrow.astype(np.int64), np.diff(start))
        claim = self.entry.pack(self.cell[row], listed)
        order = np.argsort(claim, kind="stable")  # rows ascend, so the first row of equal claims comes first
        claim, row = claim[order], row[order]
        lead = np.flatnonzero(np.diff(claim, prepend=-1))
        entry, winner = claim[lead], row[lead]

        wide = self.wide_row[self.entry.first(entry)]
        overlaps = (wide != NO_ROW) & ~among(entry, self._left_out)
        owner = np.where(overlaps & (wide < winner), wide, winner)
        run = np.cumsum(np.bincount(lead, minlength=claim.size)) - 1
        loses = row != owner[run]
        self._clash(owner[run][loses], row[loses], self.entry.second(claim[loses]))
        beats_wide = owner == winner
        beaten = overlaps & beats_wide
        self._clash(winner[beaten], wide[beaten], self.entry.second(entry[beaten]))
        return entry, winner, beats_wide

    @cached_property
    def _left_out(self) -> NDArray[np.int64]:
        """The entries that wide rows leave out, sorted."""
        rows = np.sort(self.wide_row[self.wide_row != NO_ROW])
        start, listed = gather(self.table.start, self.table.listed, rows)
        return np.sort(self.entry.pack(np.repeat(self.cell[rows], np.diff(start)), listed))

    def _with_wide_row(
        self,
        wide: NDArray[np.intp],
        entry: NDArray[np.int64],
        winner: NDArray[np.int64],
        beats_wide: NDArray[np.bool_],
    ) -> None:
        """The wide row is the base; narrow rows that count beside it are deltas; what none gives is missing."""
        self.base_row[self.cell[wide]] = wide
        kept = beats_wide & (self.wide_row[self.entry.first(entry)] != NO_ROW)
        self._deltas(entry[kept], winner[kept])
        gone = self._left_out[~among(self._left_out, entry)]
        self._deltas(gone, np.full(gone.size, NO_ROW, np.int64))
        cells, lengths = np.unique(self.entry.first(gone), return_counts=True)
        self._missing(cells, np.zeros(cells.size, bool), lengths, self.entry.second(gone))

    def _without_wide_row(self, entry: NDArray[np.int64], winner: NDArray[np.int64]) -> None:
        """Where most colours have no row, the base is none and every row a delta; else the base is that of home."""
        colours, cell = self.colours, self.entry.first(entry)
        covered = np.bincount(cell, minlength=self.wide_row.size)
        bare = (self.wide_row == NO_ROW) & ~self.contested
        own = np.arange(self.width)
        bare[self.place.pack(own + self.first, own)] = False  # a broker needs no row for itself
        mostly_bare = bare & (2 * (colours - covered) > colours)
        at = np.flatnonzero(mostly_bare)
        inside = mostly_bare[cell]
        self._deltas(entry[inside], winner[inside])
        self._missing(at, np.ones(at.size, bool), covered[at], self.entry.second(entry[inside]))
        self._well_covered(np.flatnonzero(bare & ~mostly_bare), covered, entry[~inside], winner[~inside])

    def _well_covered(
        self,
        at: NDArray[np.intp],
        covered: NDArray[np.intp],
        entry: NDArray[np.int64],
        winner: NDArray[np.int64],
    ) -> None:
        """Cells `at`, without a wide row, whose narrow ones cover so many colours, at least half of all."""
        cell = self.entry.first(entry)
        homely = self.entry.second(entry) == self.home
        self.base_row[cell[homely]] = winner[homely]
        other = winner != self.base_row[cell]
        self._deltas(entry[other], winner[other])
        lengths = self.colours - covered[at]
        gaps = complement(starts_of(covered[at]), self.entry.second(entry).astype(np.int32), self.colours)
        short = np.flatnonzero(lengths)
        self._missing(at[short], np.zeros(short.size, bool), lengths[short], gaps.astype(np.int64))
        gone = self.entry.pack(np.repeat(at, lengths), gaps)
        based = np.repeat(self.base_row[at] != NO_ROW, lengths)
        self._deltas(gone[based], np.full(int(based.sum()), NO_ROW, np.int64))

    # -- cells in which two rows hold in most colours --------------------------------------------------------------

    def _contested(self, rows: NDArray[np.intp]) -> None:
        order = np.argsort(self.cell[rows], kind="stable")
        rows = rows[order]
        cells = self.cell[rows]
        bounds = np.append(np.flatnonzero(np.diff(cells, prepend=-1)), rows.size).tolist()
        for first, last in pairwise(bounds):
            self._contested_cell(int(cells[first]), rows[first:last].tolist())

    def _contested_cell(self, cell: int, rows: list[int]) -> None:
        owner = np.full(self.colours, NO_ROW, np.int64)
        for row in rows:
            claimed = self.table.colours_of(row)
            before = owner[claimed]
            free = before == NO_ROW
            owner[claimed[free]] = row
            if not free.all():
                taken, colour = before[~free], claimed[~free]
                used, first, count = np.unique(taken, return_index=True, return_counts=True)
                self.clash_used.append(used)
                self.clash_unused.append(np.full(used.size, row, np.int64))
                self.clash_colour.append(colour[first].astype(np.int64))
                self.clash_count.append(count.astype(np.int64))
        held, count = np.unique(owner, return_counts=True)
        major = int(held[count.argmax()])
        self.base_row[cell] = major
        other = np.flatnonzero(owner != major)
        self._deltas(self.entry.pack(cell, other), owner[other])
        gone = np.flatnonzero(owner == NO_ROW)
        if gone.size:
            one = np.ones(1, np.int64)
            self._missing(cell * one, np.zeros(1, bool), gone.size * one, gone.astype(np.int64))

    # -- what is found --------------------------------------------------------------------------------------------

    def _clash(self, used: NDArray[np.int64], unused: NDArray[np.int64], colour: NDArray[np.int64]) -> None:
        self.clash_used.append(used)
        self.clash_unused.append(unused)
        self.clash_colour.append(colour)
        self.clash_count.append(np.ones(used.size, np.int64))

    def _deltas(self, entry: NDArray[np.int64], row: NDArray[np.int64]) -> None:
        cell, colour = self.entry.split(entry)
        self.delta.append((cell, colour, row))

    def _missing(
        self,
        cells: NDArray[np.int64],
        inverted: NDArray[np.bool_],
        lengths: NDArray[np.int64],
        listed: NDArray[np.int64],
    ) -> None:
        self.missing.append((cells, inverted, lengths, listed))

    def _turn_home(self) -> None:
        """Make home's entries the base where they are not."""
        turned = distinct(self.cells[self.colour == self.home])
        if not turned.size or turned.size * self.colours > MOST_EXPANDED:
            return
        rank = np.full(self.base_row.size, -1, np.int64)
        rank[turned] = np.arange(turned.size)
        inside = rank[self.cells] >= 0
        full = np.repeat(self.base_row[turned][:, None], self.colours, axis=1)
        full[rank[self.cells[inside]], self.colour[inside]] = self.row[inside]
        self.base_row[turned] = full[:, self.home]
        at, colour = np.nonzero(full != full[:, self.home : self.home + 1])
        self.cells = np.concatenate((self.cells[~inside], turned[at]))
        self.colour = np.concatenate((self.colour[~inside], colour))
        self.row = np.concatenate((self.row[~inside], full[at, colour]))

    def _part(self) -> _Part:
        table, shape = self.table, (self.n, self.width)
        base = np.where(self.base_row == NO_ROW, NO_HOP, _via(table, self.base_row)).reshape(shape)
        loc, dest = self.place.split(self.cells)
        key = Keys(self.n).pack(self.colour, dest + self.first, loc)
        order = np.argsort(key, kind="stable")
        row = self.row[order]
        cells, inverted, lengths, listed = (np.concatenate(column) for column in zip(*self.missing, strict=True))
        broker, to = self.place.split(cells)
        return _Part(
            np.ascontiguousarray(base.T.astype(np.int32)),
            np.ascontiguousarray(self.base_row.reshape(shape).T.astype(np.int32)),
            key[order],
            np.where(row == NO_ROW, NO_HOP, _via(table, row)).astype(np.int32),
            row.astype(np.int32),
            (
                np.concatenate(self.clash_used),
                np.concatenate(self.clash_unused),
                np.concatenate(self.clash_colour),
                np.concatenate(self.clash_count),
            ),
            (Keys(self.n).pair(broker, to + self.first), inverted, lengths, listed),
            np.flatnonzero(~self.says).astype(np.int32),
        )


def _missing_table(
    colours: int,
    n: int,
    pairs: NDArray[np.int64],
    inverted: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    listed: NDArray[np.int64],
) -> RecoveryTable:
    order = np.argsort(pairs, kind="stable")
    start, flat = gather(starts_of(lengths), listed.astype(np.int32), order)
    broker, to = Keys(n).split_pair(pairs[order])
    return RecoveryTable(
        colours,
        broker.astype(np.int32),
        to.astype(np.int32),
        np.full(order.size, NO_HOP, np.int32),
        inverted[order],
        start,
        flat,
        np.arange(order.size, dtype=np.int32),
    )


def _clashes(
    used: NDArray[np.int64], unused: NDArray[np.int64], colour: NDArray[np.int64], count: NDArray[np.int64]
) -> Clashes:
    order = np.lexsort((colour, unused, used))
    used, unused, colour, count = used[order], unused[order], colour[order], count[order]
    lead = np.flatnonzero((np.diff(used, prepend=-1) != 0) | (np.diff(unused, prepend=-1) != 0))
    total = np.add.reduceat(count, lead) if lead.size else count
    return Clashes(
        used[lead].astype(np.int32),
        unused[lead].astype(np.int32),
        colour[lead].astype(np.int32),
        total.astype(np.int32),
    )


def _via(table: RecoveryTable, row: NDArray[np.int64]) -> NDArray[np.int32]:
    """The next hop of each row; anything for `NO_ROW`."""
    if not table.rows:
        return np.full(row.size, NO_HOP, np.int32)
    return table.via[row]
