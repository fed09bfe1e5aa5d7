"""What is wrong with super routing tables as tables: rows that clash, entries that are missing or use what has failed.

All of it is read off the condensed form; nothing is expanded to colours × brokers². The rules MOM403 to MOM406 and
MOM408 speak of rows, whether or not a topic needs them; what a topic loses by them is in `Affected`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from momlint.findings import Affected
from momlint.records import dataclass
from momlint.routed.diagnosis.subjects import broker as broker_subject
from momlint.routed.diagnosis.subjects import colour as colour_subject
from momlint.routed.diagnosis.subjects import hop, missing
from momlint.routed.overlay.arcs import separated
from momlint.routed.overlay.detours import walks_through
from momlint.routed.overlay.following import entry
from momlint.routed.overlay.form import NO_ROW
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.ragged import among, distinct
from momlint.routed.overlay.towards import Towards

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.findings import Subject
    from momlint.routed.diagnosis.blame import Blamed, TableEntry
    from momlint.routed.diagnosis.causes import Causes
    from momlint.routed.diagnosis.evidence import Evidence
    from momlint.routed.overlay.super_tables import RecoveryTable
    from momlint.routed.overlay.uncondensing import Entries

#: In how many of its colours a row is judged to tell which of two rows is wrong.
COLOURS_JUDGED = 64


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A row that claims entries of others (MOM404): `others`, ascending; `colour`: the first in which it does."""

    row: int
    others: tuple[int, ...]
    colour: int


@dataclass(slots=True)
class Gap:
    """Entries that needed pairs lack, since no row gives them though the destination can be reached (MOM405).

    `row`: the row of the same broker and destination that should give them, `NO_ROW` where there is none. `broker`:
    -1 where a colour is missing from every row. `cells`: (broker, destination, first colour, number of colours).
    `entries`: those that are missing; `lost`: the keys of needed pairs that stop there (int64).
    """

    row: int
    broker: int
    colour: int
    cells: list[tuple[int, int, int, int]] = field(default_factory=list)
    entries: list[TableEntry] = field(default_factory=list)
    lost: list[NDArray[np.int64]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Misuse:
    """A row, the keys at which it errs (sorted int64), and a colour of them: for MOM403, 406 and 408."""

    row: int
    keys: NDArray[np.int64]


class RecoveryFacts:
    """The facts of one estate's recovery rows, each worked out when a check first asks."""

    def __init__(self, context: Evidence, entries: Entries, causes: Causes) -> None:
        self.context = context
        self.entries = entries
        self.causes = causes
        self.overlay = context.overlay
        self.towards = Towards(context.overlay)

    @cached_property
    def table(self) -> RecoveryTable:
        """The rows as arrays."""
        table = self.context.recovery_table
        assert table is not None
        return table

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """bool[C]: it is known what has failed in the colour."""
        known = np.zeros(self.overlay.colours, np.bool_)
        known[self.context.all_colours] = True
        return known

    @cached_property
    def _rows_of(self) -> dict[int, list[int]]:
        """broker * n + destination → its rows, ascending; made when a fault has to be placed."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        pairs = self.overlay.keys.pair(self.table.broker, self.table.to)
        for row, pair in enumerate(pairs.tolist()):
            found[pair].append(row)
        return found

    # -- MOM404 -------------------------------------------------------------------------------------------------

    @cached_property
    def ambiguities(self) -> list[Ambiguity]:
        """Rows that claim what another row gives, by row.

        Of two that clash, the wrong one is named: the one whose next hop is not on a shortest path in the colour;
        else the one that is not the tie-break's; else the one whose next hop is not on a shortest path in another of
        its own colours (the first `COLOURS_JUDGED` are looked at); else the one all of whose entries other rows give;
        else the later.
        """
        clashes = self.entries.clashes
        others: defaultdict[int, set[int]] = defaultdict(set)
        first: dict[int, int] = {}
        for used, unused, colour in zip(
            clashes.used.tolist(), clashes.unused.tolist(), clashes.colour.tolist(), strict=True
        ):
            wrong = self._wrong_of(used, unused, colour)
            others[wrong].add(used + unused - wrong)
            first[wrong] = min(colour, first.get(wrong, colour))
        return [Ambiguity(row, tuple(sorted(others[row])), first[row]) for row in sorted(others)]

    def _wrong_of(self, used: int, unused: int, colour: int) -> int:
        table = self.table
        broker, to = int(table.broker[used]), int(table.to[used])
        column = self.towards.column(colour, to)
        hops = {row: int(table.via[row]) for row in (used, unused)}
        judged = (
            [row for row, hop in hops.items() if column.is_shortest(broker, hop)],
            [row for row, hop in hops.items() if hop == column.nearest[broker]],
        )
        for right in judged:
            if len(right) == 1:
                return used + unused - right[0]
        if not np.array_equal(table.colours_of(used), table.colours_of(unused)):
            sound = [row for row in hops if self._is_sound(row)]
            alone = [row for row in hops if not self._is_covered(row)]
            for right in (sound, alone):
                if len(right) == 1:
                    return used + unused - right[0]
        return max(used, unused)

    def _is_sound(self, row: int) -> bool:
        """Whether the row's next hop is on a shortest path in each of its colours (the first of them, if many)."""
        table = self.table
        broker, to, via = int(table.broker[row]), int(table.to[row]), int(table.via[row])
        colours = table.colours_of(row)[:COLOURS_JUDGED].tolist()
        return all(self.towards.column(colour, to).is_shortest(broker, via) for colour in colours)

    def _is_covered(self, row: int) -> bool:
        """Whether other rows of the same broker and destination give every entry of this one."""
        table = self.table
        pair = self.overlay.keys.pair(int(table.broker[row]), int(table.to[row]))
        given = np.zeros(table.colours, np.bool_)
        for other in self._rows_of[pair]:
            if other != row:
                given[table.colours_of(other)] = True
        return bool(given[table.colours_of(row)].all())

    # -- MOM405 -------------------------------------------------------------------------------------------------

    @cached_property
    def _named(self) -> NDArray[np.bool_]:
        """bool[C]: some row holds in the colour."""
        table = self.table
        owner = np.repeat(table.inverted, np.diff(table.start))
        said = np.bincount(table.listed[~owner], minlength=table.colours) > 0
        left_out = np.bincount(table.listed[owner], minlength=table.colours)
        named: NDArray[np.bool_] = said | (left_out < int(np.count_nonzero(table.inverted)))
        return named

    def is_named(self, colour: int) -> bool:
        """Whether some row holds in the colour."""
        return bool(self._named[colour])

    @cached_property
    def gaps(self) -> list[Gap]:
        """What needed pairs lack and no row gives: at a row, at a broker's table, or at a colour no row names."""
        nameless: dict[int, Gap] = {}
        lost_of: defaultdict[tuple[int, int], list[tuple[TableEntry, NDArray[np.int64]]]] = defaultdict(list)
        for blamed in self.causes.missing.values():
            for colour, keys in self.parts(blamed):
                if colour is None:
                    lost_of[blamed.entry.location, blamed.entry.dest].append((blamed.entry, keys))
                else:
                    gap = nameless.setdefault(colour, Gap(NO_ROW, -1, colour))
                    gap.entries.append(blamed.entry)
                    gap.lost.append(keys)
        gaps = [nameless[colour] for colour in sorted(nameless)]
        by_place: dict[tuple[int, int], Gap] = {}
        for (broker, to), parts in sorted(lost_of.items()):
            colours = distinct(np.concatenate([self.overlay.keys.colour_of(keys) for _, keys in parts]))
            first = int(colours[0])
            row = self._row_for(broker, to, first)
            gap = by_place.setdefault((row, broker), Gap(row, broker, first))
            gap.colour = min(gap.colour, first)
            gap.cells.append((broker, to, first, colours.size))
            gap.entries += [entry for entry, _ in parts]
            gap.lost += [keys for _, keys in parts]
        return gaps + [by_place[key] for key in sorted(by_place)]

    def parts(self, blamed: Blamed) -> Iterator[tuple[int | None, NDArray[np.int64]]]:
        """The keys lost by a missing entry: those in colours that rows name (None), and in each that no row names."""
        keys = np.array(blamed.keys, np.int64)
        colours = self.overlay.keys.colour_of(keys)
        is_named = self._named[colours]
        if is_named.any():
            yield None, keys[is_named]
        for colour in distinct(colours[~is_named]).tolist():
            yield colour, keys[colours == colour]

    def _row_for(self, broker: int, to: int, colour: int) -> int:
        """The row that should hold in the colour: the one with the right next hop, else the first; or `NO_ROW`."""
        rows = self._rows_of.get(self.overlay.keys.pair(broker, to), [])
        if len(rows) > 1:
            nearest = self.towards.column(colour, to).nearest[broker]
            rows = [row for row in rows if self.table.via[row] == nearest] or rows
        return rows[0] if rows else NO_ROW

    def affected_by_gap(self, gap: Gap) -> NDArray[np.int64]:
        """The keys of needed pairs that stop at a gap (sorted int64)."""
        return np.sort(np.concatenate(gap.lost))

    def subjects_of_gap(self, gap: Gap) -> frozenset[Subject]:
        """The missing entries of a gap at which needed pairs stop, by all their names."""
        found: set[Subject] = set()
        for one in gap.entries:
            names = missing(one)
            if gap.broker < 0:
                names = {colour_subject(gap.colour), hop(one.location, one.hop)}
            found |= names
            if (broker := self._broker_to_blame.get((one.location, one.dest, one.hop))) is not None:
                found.add(broker_subject(broker))
        return frozenset(found)

    @cached_property
    def _broker_to_blame(self) -> dict[tuple[int, int, int], int]:
        """(broker, destination, hop) of missing entries → the broker that all of its hops being broken explains."""
        return {
            (entry.location, entry.dest, entry.hop): cause.subject[0]
            for cause in self.causes.needed
            if cause.kind == "missing" and cause.scope == "broker"
            for entry in cause.entries
        }

    # -- MOM403 -------------------------------------------------------------------------------------------------

    @cached_property
    def dead(self) -> list[Misuse]:
        """Rows that send a message over a link or to a broker that has failed in their own colour."""
        o = self.overlay
        parts = self.context.swept("dead", o, "whether MOM403 applies")
        keys, rows = np.concatenate([part.key for part in parts]), np.concatenate([part.row for part in parts])
        # An entry at a failed broker, or for one, is never read: that is MOM408.
        colour, dest, loc = o.keys.split(keys)
        down = o.failed_broker[colour, loc] | o.failed_broker[colour, dest]
        keep = ~down & self.known[colour] & (rows != NO_ROW)
        return _by_row(rows[keep], keys[keep])

    # -- MOM406 -------------------------------------------------------------------------------------------------

    @cached_property
    def longer(self) -> list[Misuse]:
        """Rows by which a message arrives after a failure, on a way longer than the shortest that is left."""
        o, packing = self.overlay, self.overlay.keys
        parts = self.context.swept("longer", o, "whether MOM406 applies")
        suspects = np.sort(np.concatenate([part.key for part in parts]))
        colour = packing.colour_of(suspects)
        suspects = suspects[~self.context.without_failure[colour] & self.known[colour]]
        keys: list[int] = []
        for key in suspects.tolist():
            colour_, dest, loc = packing.split(key)
            if not self.towards.column(colour_, dest).is_shortest(loc, self._entry(key)[0]):
                keys.append(key)
        rows = np.array([self._entry(key)[1] for key in keys], np.int64)
        given = rows != NO_ROW
        return _by_row(rows[given], np.array(keys, np.int64)[given])

    def _entry(self, key: int) -> tuple[int, int]:
        return entry(self.overlay, *self.overlay.keys.split(key))

    def affected_through(self, misuse: Misuse) -> tuple[Affected, NDArray[np.int64]]:
        """The needed pairs whose walks read these entries, and their keys."""
        o, n = self.overlay, self.overlay.n
        found = [np.zeros(0, np.int64)]
        for colour in distinct(o.keys.colour_of(misuse.keys)).tolist():
            marked = np.zeros((n, n), np.bool_)
            in_colour = misuse.keys[o.keys.colour_of(misuse.keys) == colour]
            marked.reshape(-1)[o.keys.cell_of(in_colour)] = True
            pair, _ = walks_through(o, colour, marked, o.pair_source, o.pair_dest)
            pair = distinct(pair)
            found.append(o.keys.pack(colour, o.pair_dest[pair], o.pair_source[pair]))
        keys = np.concatenate(found)
        return self.context.affected(keys), keys

    # -- MOM408 -------------------------------------------------------------------------------------------------

    @cached_property
    def idle(self) -> list[Misuse]:
        """Rows with entries that lead nowhere, since no live link is left from their broker to their destination."""
        table = self.table
        in_row = Packing(table.colours)  # of a row and a colour
        claims = in_row.pack(np.repeat(np.arange(table.rows), np.diff(table.start)), table.listed)
        rows, colours = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for colour, apart in separated(self.overlay, self.context.all_colours, table.broker, table.to):
            row = np.flatnonzero(apart)
            row = row[among(in_row.pack(row, colour), claims) != table.inverted[row]]
            rows.append(row)
            colours.append(np.full(row.size, colour, np.int64))
        row = np.concatenate(rows)
        return _by_row(row, self.overlay.keys.pack(np.concatenate(colours), table.to[row], table.broker[row]))


def _by_row(rows: NDArray[np.int64], keys: NDArray[np.int64]) -> list[Misuse]:
    order = np.lexsort((keys, rows))
    rows, keys = rows[order], keys[order]
    distinct, starts = np.unique(rows, return_index=True)
    bounds = [*starts.tolist(), rows.size]
    return [Misuse(row, keys[bounds[i] : bounds[i + 1]]) for i, row in enumerate(distinct.tolist())]
