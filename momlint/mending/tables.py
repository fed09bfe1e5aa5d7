"""The fewest rows for one destination that have to change, so that its messages arrive, and on shortest paths.

Destinations do not touch each other: a row is for one. For each, ``mend.smt2.j2`` says which tables are right, with a
Boolean for each next hop that an entry may have, and z3's optimiser finds the right ones for which the fewest rows
change, and proves that fewer will not do. A row that is taken away and one that is added to the same table are one
changed row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import NamedTuple

from momlint.records import dataclass
from momlint.rendering import template
from momlint.routed.overlay.form import NO_HOP
from momlint.routed.overlay.towards import Column
from momlint.solving.limits import SolverLimits


class Row(NamedTuple):
    """A row for the destination as it stands: at `location`, in each of `colours` (dense, ascending), to `via`.

    `number`: its name for the caller. `fixed`: it is to stay as it is. `is_blamed`: a finding says that it is wrong
    where nothing else does.
    """

    number: int
    location: int
    via: int
    colours: tuple[int, ...]
    fixed: bool = False
    is_blamed: bool = False


class Change(NamedTuple):
    """What becomes of a row: it is made `via` and `colours`; without `number` it is new, without `via` it goes."""

    location: int
    number: int | None
    via: int | None
    colours: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables as far as they are for `dest`, and what is asked of them.

    `columns`: the way there, by colour; colours that are not in it are not judged. `sources`: the brokers whose
    messages have to arrive. `only_shortest`: next hops have to be on shortest paths, not only to arrive.

    `computed`: an entry without a row has a right next hop all the same, and a row is in force in whatever fails: its
    next hop has to be right in all of `besides` too. `withdrawn`: but for those in which its link is down.
    """

    dest: int
    rows: Sequence[Row]
    columns: dict[int, Column]
    down: dict[int, frozenset[int]]
    sources: frozenset[int]
    only_shortest: bool = True
    computed: bool = False
    besides: Sequence[Column] = ()
    withdrawn: bool = False


@dataclass(slots=True)
class _Hop:
    """``h_colour_broker_via``; see the template."""

    symbol: str
    onward: list[str] | None = None
    falls: tuple[str, str] | None = None
    givers: list[str] = field(default_factory=list)
    stands: bool = False
    extra: int = 0


@dataclass(slots=True)
class _Entry:
    """The next hops that an entry may have. `stands`: there is one today, and none of them."""

    hops: list[_Hop]
    needed: bool
    stands: bool = False


@dataclass(slots=True)
class _Given:
    """A row as it stands."""

    symbol: str
    row: Row
    may_stay: bool = True
    fixed: bool = False
    says: list[str] = field(default_factory=list)
    clashes: list[str] = field(default_factory=list)


class _New(NamedTuple):
    symbol: str
    via: int


@dataclass(slots=True)
class _Table:
    rows: list[_Given]
    new: list[_New]
    slots: list[str]


@dataclass(slots=True)
class _Problem:
    """What the template loops over."""

    entries: list[_Entry]
    tables: list[_Table]
    levels: list[str]


class Mender:
    """The question for one destination."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._hops: dict[tuple[int, int], dict[int, _Hop]] = {}
        self._stuck: set[tuple[int, int, int]] = set()
        self._by_location: defaultdict[int, list[Row]] = defaultdict(list)
        for row in tables.rows:
            self._by_location[row.location].append(row)
        for colour in tables.columns:
            self._enter(colour)
        self._sound = self._sound_locations() if tables.only_shortest else frozenset()
        for colour, location in [entry for entry in self._hops if entry[1] in self._sound]:
            del self._hops[colour, location]
        for (colour, location), hops in self._hops.items():
            self._lead_on(colour, location, hops)

    def script(self) -> str:
        """The question as SMT-LIB text, for z3's optimiser."""
        tables = [self._table(location) for location in sorted(self._locations())]
        entries = [
            _Entry(list(hops.values()), self._is_needed(colour, location), self._is_wrong(colour, location))
            for (colour, location), hops in self._hops.items()
        ]
        levels = sorted({level for entry in entries for hop in entry.hops if hop.falls for level in hop.falls})
        text: str = template("mend.smt2.j2").render(
            p=_Problem(entries, tables, levels), title="which rows have to change?"
        )
        return text

    def changes(self, limits: SolverLimits) -> list[Change] | None:
        """The fewest changes; None where no change of rows will do. Raises `momlint.solving.limits.GaveUp`."""
        from momlint.solving.optimising import optimum

        text = self.script()
        names = [hop.symbol for hops in self._hops.values() for hop in hops.values()]
        names += [f"k{row.number}" for row in self.tables.rows]
        found = optimum(text, names, limits)
        if found is None:
            return None
        true = frozenset(found)
        return [change for location in sorted(self._locations()) for change in self._changes(location, true)]

    # -- what is right ------------------------------------------------------------------------------------------------

    def _locations(self) -> set[int]:
        return ({location for _, location in self._hops} | set(self._by_location)) - self._sound

    def _sound_locations(self) -> frozenset[int]:
        """Brokers whose rows need not be asked about: as they are they are right, whatever becomes of the others.

        All that they say is right, and said once; they have an entry wherever there is a way; and where they lead,
        there is an entry in any case, since messages need it or since that broker is one of these. In whatever else is
        right, their rows can be put back as they are, and that is no change.
        """
        tables = self.tables
        hops: dict[int, set[tuple[int, int]]] = {}
        for location in range(len(next(iter(tables.columns.values())).distance)):
            given = [(colour, row.via) for row in self._by_location[location] for colour in row.colours]
            held = {colour for colour, _ in given}
            right = len(held) == len(given) and all(
                via in self._hops.get((colour, location), {}) for colour, via in given
            )
            complete = tables.computed or all(
                colour in held or column.distance[location] is None or location in tables.down[colour]
                for colour, column in tables.columns.items()
            )
            if location != tables.dest and right and complete:
                hops[location] = {
                    (colour, via)
                    for colour, via in given
                    if not tables.computed
                    and via != tables.dest
                    and (colour, location, via) not in self._stuck
                    and not self._is_needed(colour, via)
                }
        while True:
            unsound = {location for location, onward in hops.items() if any(via not in hops for _, via in onward)}
            if not unsound:
                return frozenset(hops)
            for location in unsound:
                del hops[location]

    def _is_needed(self, colour: int, location: int) -> bool:
        tables = self.tables
        if tables.computed or location not in tables.sources or location in tables.down[colour]:
            return False
        return tables.columns[colour].distance[location] is not None

    def _is_wrong(self, colour: int, location: int) -> bool:
        """Whether the entry stands in some row, and in none with a right next hop."""
        is_given = any(colour in row.colours for row in self._by_location[location])
        return is_given and not any(hop.stands for hop in self._hops[colour, location].values())

    def _enter(self, colour: int) -> None:
        """The next hops of all brokers in a colour."""
        tables, column = self.tables, self.tables.columns[colour]
        down = tables.down[colour]
        for location in range(len(column.distance)):
            if location == tables.dest:
                continue
            standing = {row.via: row for row in self._by_location[location] if colour in row.colours}
            is_down = location in down or tables.dest in down
            joined = not is_down and column.distance[location] is not None
            hops: dict[int, _Hop] = {}
            for via in column.cost[location] if joined else ():
                if self._is_right(column, location, via):
                    hops[via] = self._hop(colour, location, via, column)
            for via, row in standing.items():
                if via in hops:
                    hops[via].stands, hops[via].extra = True, 0
                elif row.fixed or (not joined and not row.is_blamed and (is_down or via in column.cost[location])):
                    # Of no use, which is no fault; or not ours to judge.
                    hops[via] = _Hop(self._name(colour, location, via), stands=True)
                    self._stuck.add((colour, location, via))
            if hops or self._is_needed(colour, location):
                self._hops[colour, location] = hops

    def _is_right(self, column: Column, location: int, via: int) -> bool:
        if not self.tables.only_shortest:
            return column.distance[via] is not None
        return column.is_shortest(location, via) and all(
            other.distance[location] is None
            or other.is_shortest(location, via)
            or (self.tables.withdrawn and via not in other.cost[location])
            for other in self.tables.besides
        )

    def _hop(self, colour: int, location: int, via: int, column: Column) -> _Hop:
        # One that nobody needs and that does not stand there costs most; ties go as `plan` breaks them.
        is_given = any(colour in row.colours for row in self._by_location[location])
        extra = 0 if is_given or self._is_needed(colour, location) else 4
        if not column.is_shortest(location, via):
            extra += 2
        elif column.nearest[location] not in (via, NO_HOP):
            extra += 1
        return _Hop(self._name(colour, location, via), extra=extra)

    @staticmethod
    def _name(colour: int, location: int, via: int) -> str:
        return f"h{colour}_{location}_{via}"

    def _lead_on(self, colour: int, location: int, hops: dict[int, _Hop]) -> None:
        tables = self.tables
        for via, hop in hops.items():
            if via == tables.dest or via in self._sound or tables.computed or (colour, location, via) in self._stuck:
                continue
            hop.onward = [one.symbol for one in self._hops.get((colour, via), {}).values()]
            if not tables.only_shortest:
                hop.falls = f"d{colour}_{location}", f"d{colour}_{via}"

    # -- what stands --------------------------------------------------------------------------------------------------

    def _table(self, location: int) -> _Table:
        given = [_Given(f"k{row.number}", row, fixed=row.fixed) for row in self._by_location[location]]
        new: dict[int, _New] = {}
        for one in given:
            row = one.row
            for colour in row.colours:
                if colour not in self.tables.columns:
                    continue
                hop = self._hops.get((colour, location), {}).get(row.via)
                if hop is None:
                    one.may_stay = False
                else:
                    one.says.append(hop.symbol)
                    hop.givers.append(one.symbol)
            # Between two rows that are to stay as they are nobody chooses.
            one.clashes = [
                other.symbol
                for other in given
                if other.row.number < row.number
                and not (other.fixed and one.fixed)
                and not set(other.row.colours).isdisjoint(row.colours)
            ]
        for (colour, at), hops in self._hops.items():
            if at != location:
                continue
            for via, hop in hops.items():
                if (colour, at, via) not in self._stuck:
                    one_new = new.setdefault(via, _New(f"n{location}_{via}", via))
                    hop.givers.append(one_new.symbol)
        most = max(len(given), len(new))
        return _Table(given, list(new.values()), [f"s{location}_{i}" for i in range(1, most + 1)])

    # -- what becomes of it -------------------------------------------------------------------------------------------

    def _changes(self, location: int, true: frozenset[str]) -> list[Change]:
        rows = self._by_location[location]
        kept = [row for row in rows if f"k{row.number}" in true]
        gone = [row for row in rows if f"k{row.number}" not in true]
        new: defaultdict[int, list[int]] = defaultdict(list)
        for colour in self.tables.columns:
            for via, hop in self._hops.get((colour, location), {}).items():
                if hop.symbol in true and not any(colour in row.colours and row.via == via for row in kept):
                    new[via].append(colour)
        return list(_matched(location, kept, gone, new))


def _matched(location: int, kept: list[Row], gone: list[Row], new: dict[int, list[int]]) -> Iterable[Change]:
    """Which row becomes which: the one with the same next hop, else the one with the most colours in common."""
    left = dict(new)
    spare = list(gone)

    def likeness(row: Row, via: int) -> tuple[bool, int]:
        return row.via == via, len(set(row.colours).intersection(left[via]))

    while left and spare:
        row, via = max(
            ((row, via) for row in spare for via in left),
            key=lambda pair: (*likeness(*pair), -pair[0].number, -pair[1]),
        )
        spare.remove(row)
        yield Change(location, row.number, via, tuple(left.pop(via)))
    for row in spare:
        yield Change(location, row.number, None)
    for via, colours in left.items():
        # A row more for a next hop that has one would be read, but nobody would write it.
        same = next((row for row in kept if row.via == via and not row.fixed), None)
        if same is None:
            yield Change(location, None, via, tuple(colours))
        else:
            yield Change(location, same.number, via, tuple(sorted({*same.colours, *colours})))


__all__ = ["Change", "Mender", "Row", "Tables"]
