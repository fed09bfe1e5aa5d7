"""Fault location: from pairs that do not arrive to the entry, hop or broker that is to blame.

The source papers cut the walks of the broken pairs into hops and re-test each hop; the hop that all share is named,
and when every hop at a broker is broken, the broker is (thesis 5.2.7, paper 001 section VI). This module does the
same on the intermediate form, and adds which *entry* is wrong where the hop itself is sound: a message that does not
arrive has, at some broker, been handed to one that is not nearer to the destination, or to nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.arcs import live_arcs
from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.overlay.paths import ShortestPaths, solve, towards
from momlint.routed.overlay.ragged import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How the walk of a broken pair ends.
End = Literal["loop", "stop"]
#: What is wrong with an entry: it hands the message to a broker that is no neighbour; over a link or to a broker that
#: has failed in the colour; to a neighbour that is not nearer; or there is none.
Fault = Literal["not-neighbour", "failed-hop", "wrong-hop", "missing"]


@dataclass(frozen=True, slots=True)
class TableEntry:
    """The entry to blame for some broken keys: at `location`, for `dest`, in `colour`.

    One that is missing is the same in several colours where the same hop would be right; `colour` is the first then.
    `hop` is the next hop it names; for a missing entry the one a shortest path would take (`NO_HOP` without a path).
    `row` is the given row it came from, `NO_ROW` for a computed or missing entry. `stop` is where the message stops,
    for a loop the first broker of the cycle in dense order. `rivals` are other entries of the same cycle that do not
    bring the message nearer either (location, row).
    """

    colour: int
    dest: int
    location: int
    hop: int
    row: int
    fault: Fault
    end: End
    stop: int
    stop_row: int
    rivals: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Blamed:
    """One entry to blame, and the broken keys it explains (int64, as in `Refuted.failing`)."""

    entry: TableEntry
    keys: list[int] = field(default_factory=list)


class Columns:
    """Columns of one overlay on demand: given next hops, which of them are live, and distances, per colour.

    Holds one colour's live matrix (bool[N, N]) and paths at a time: callers go colour by colour. Memory is O(N²),
    whatever the number of colours. All columns of a colour at once cost less than each alone; where few are looked at
    in many colours, `momlint.routed.overlay.towards` solves those.
    """

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        n = overlay.n
        self.adjacent: NDArray[np.bool_] = np.zeros((n, n), dtype=np.bool_)
        self.adjacent[overlay.arc_tail, overlay.arc_head] = True
        self._colour = -1
        self._live = self.adjacent
        self._paths: ShortestPaths | None = None
        self._some: tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int32]] | None = None

    def enter(self, colour: int) -> None:
        """Make `colour` the current one."""
        if colour == self._colour:
            return
        o = self.overlay
        self._colour = colour
        self._paths = self._some = None
        if not (o.failed_link[colour].any() or o.failed_broker[colour].any()):
            self._live = self.adjacent
            return
        keep = live_arcs(o, colour)
        self._live = np.zeros_like(self.adjacent)
        self._live[o.arc_tail[keep], o.arc_head[keep]] = True

    @property
    def paths(self) -> ShortestPaths:
        """The shortest paths of the current colour."""
        if self._paths is None:
            o = self.overlay
            keep = live_arcs(o, self._colour)
            self._paths = solve(o.n, o.arc_tail[keep], o.arc_head[keep], o.arc_cost[keep], o.transit)
        return self._paths

    def towards(self, dests: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Of the current colour the shortest paths to `dests` (ascending), as `ShortestPaths.whole` and
        `ShortestPaths.next`, [D, N]. Those of the first call are kept: whoever wants all asks for all first.
        """
        if self._some is None:
            o = self.overlay
            keep = live_arcs(o, self._colour)
            solved = towards(o.n, o.arc_tail[keep], o.arc_head[keep], o.arc_cost[keep], o.transit, dests)
            self._some = dests, *solved
        known, whole, hop = self._some
        place = np.searchsorted(known, dests)
        return whole[place], hop[place]

    def of(self, dests: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """Given next hops int32[D, N] for `dests` (ascending), their rows int32[D, N], and bool[D, N]: the hop is live
        (or stays where it is)."""
        o = self.overlay
        given, rows = o.base[dests], o.base_row[dests]
        low = o.keys.pack(self._colour, 0, 0)
        first, last = np.searchsorted(o.delta_key, (low, low + o.keys.cells))
        dest, loc = o.keys.split_cell(o.delta_key[first:last] - low)
        place = np.full(o.n, -1)
        place[dests] = np.arange(dests.size)
        wanted = np.flatnonzero(place[dest] >= 0)
        where = place[dest[wanted]], loc[wanted]
        given[where] = o.delta_next[first:last][wanted]
        rows[where] = o.delta_row[first:last][wanted]
        at = np.arange(o.n)
        live = (given != NO_HOP) & ((given == at) | self._live[at, given])
        return given, rows, live


def blame(overlay: Overlay, failing: NDArray[np.int64]) -> list[Blamed]:
    """The entries to blame for `failing`, sorted by (colour, destination, location), each with the keys it explains.

    `failing`: int64, sorted keys ``(colour * n + dest) * n + source`` of pairs whose walk does not arrive. For each
    key, the entry to blame is

    * where the message stops at an entry that cannot be used (no neighbour, or failed): that entry;
    * where it stops for want of an entry: the last entry on the walk that did not bring it nearer to the
      destination (by shortest distance over live links), or the missing entry if all did;
    * where it loops: the entry of the cycle that does not bring it nearer (a cycle has at least one; of several the
      first in the order of brokers, the others are its rivals).
    """
    keys = overlay.keys
    columns = Columns(overlay)
    result: list[Blamed] = []
    lacking: list[_Lacking] = []
    for colour in distinct(keys.colour_of(failing)).tolist():
        columns.enter(colour)
        first, last = np.searchsorted(failing, (keys.pack(colour, 0, 0), keys.pack(colour + 1, 0, 0)))
        in_colour = failing[first:last]
        at_missing, missing = _at_missing(columns, in_colour)
        lacking.append(missing)
        rest = in_colour[~at_missing]
        groups, starts = np.unique(keys.column_of(rest), return_index=True)
        for group, (start, end) in zip(groups.tolist(), pairwise([*starts.tolist(), rest.size]), strict=True):
            found = _blame_column(columns, colour, keys.split_column(group)[1], keys.loc_of(rest[start:end]).tolist())
            for blamed in found:
                blamed.keys = [keys.in_column(group, source) for source in blamed.keys]
            result.extend(found)
    result += _missing(overlay, lacking)
    return sorted(result, key=lambda one: (one.entry.colour, one.entry.dest, one.entry.location))


class _Lacking(NamedTuple):
    """Keys (int64) of messages that stop for want of an entry, each of which was nearer at every step; the broker where
    it stops, and the hop that would be right there (int32)."""

    key: NDArray[np.int64]
    location: NDArray[np.int32]
    hop: NDArray[np.int32]


def _at_missing(columns: Columns, failing: NDArray[np.int64]) -> tuple[NDArray[np.bool_], _Lacking]:
    """Which of `failing`, keys of the current colour, end at an entry that is missing, and is to blame: where to.

    Most of them do where rows are missing by the thousand; so all are followed at once, in ever longer steps.
    """
    overlay, keys = columns.overlay, columns.overlay.keys
    n = overlay.n
    _, dest, source = keys.split(failing)
    dests = distinct(dest)
    given, rows, live = columns.of(dests)
    at = np.broadcast_to(np.arange(n), given.shape)
    distance, shortest = columns.towards(dests)
    line = np.arange(dests.size)[:, None]
    to = np.where(live, given, at)
    #: Whether some entry on the way so far does not bring the message nearer; those of a loop do not all.
    astray = live & ~(distance[line, to] < distance)
    span = 1
    while span < n:
        astray = astray | astray[line, to]
        to = to[line, to]
        span *= 2
    place = np.searchsorted(dests, dest)
    end = to[place, source]
    lacks = (given[place, end] == NO_HOP) & (rows[place, end] == NO_ROW) & ~astray[place, source]
    place, end = place[lacks], end[lacks]
    return lacks, _Lacking(failing[lacks], end.astype(np.int32), shortest[place, end])


def _missing(overlay: Overlay, lacking: list[_Lacking]) -> list[Blamed]:
    """One for each missing entry, in all colours in which the same hop would be right."""
    if not lacking:
        return []
    key, location, hop = (np.concatenate(part) for part in zip(*lacking, strict=True))
    dest = overlay.keys.split(key)[1]
    order = np.lexsort((key, hop, dest, location))
    key, location, hop, dest = key[order], location[order], hop[order], dest[order]
    starts = np.flatnonzero(np.any([part[1:] != part[:-1] for part in (location, dest, hop)], axis=0)) + 1
    bounds = [0, *starts.tolist(), key.size] if key.size else [0]
    return [
        Blamed(
            TableEntry(
                colour=int(overlay.keys.colour_of(key[first])),
                dest=int(dest[first]),
                location=int(location[first]),
                hop=int(hop[first]),
                row=NO_ROW,
                fault="missing",
                end="stop",
                stop=int(location[first]),
                stop_row=NO_ROW,
            ),
            key[first:last].tolist(),
        )
        for first, last in pairwise(bounds)
    ]


def _blame_column(columns: Columns, colour: int, dest: int, sources: Iterable[int]) -> list[Blamed]:
    dests = np.array([dest], np.int64)
    given_array, rows_array, live_array = columns.of(dests)
    given, rows, live = given_array[0].tolist(), rows_array[0].tolist(), live_array[0].tolist()
    distance, shortest = (part[0].tolist() for part in columns.towards(dests))

    def wrong_way(at: int) -> bool:
        return not distance[given[at]] < distance[at]

    def entry(location: int, fault: Fault, end: End, stop: int, rivals: Iterable[int] = ()) -> TableEntry:
        missing = fault == "missing"
        return TableEntry(
            colour=colour,
            dest=dest,
            location=location,
            hop=shortest[location] if missing else given[location],
            row=NO_ROW if missing else int(rows[location]),
            fault=fault,
            end=end,
            stop=stop,
            stop_row=int(rows[stop]),
            rivals=tuple((other, int(rows[other])) for other in rivals),
        )

    # To blame for a broker's walk is a function of the broker alone, so each part of the column is followed once.
    known: dict[int, TableEntry] = {}
    blamed: dict[int, Blamed] = {}
    for source in sources:
        order: list[int] = []
        at = source
        place: dict[int, int] = {}
        while at not in known and at not in place and live[at]:
            place[at] = len(order)
            order.append(at)
            at = given[at]
        if at in place:
            cycle = order[place[at] :]
            # Costs are positive, so some hop of a cycle does not bring the message nearer.
            culprits = sorted(filter(wrong_way, cycle))
            found = entry(culprits[0], "wrong-hop", "loop", min(cycle), culprits[1:])
            known.update(dict.fromkeys(cycle, found))
            del order[place[at] :]
        elif at not in known:
            if given[at] == NO_HOP and rows[at] != NO_ROW:
                known[at] = entry(at, "not-neighbour", "stop", at)
            elif given[at] == NO_HOP:
                known[at] = entry(at, "missing", "stop", at)
            else:
                usable_without_failure = columns.adjacent[at, given[at]]
                known[at] = entry(at, "failed-hop" if usable_without_failure else "not-neighbour", "stop", at)
        found = known[at]
        for at in reversed(order):
            if found.fault == "missing" and wrong_way(at):
                found = entry(at, "wrong-hop", "stop", found.stop)
            known[at] = found
        found = known[source]
        blamed.setdefault(found.location, Blamed(found)).keys.append(source)
    return [blamed[at] for at in sorted(blamed)]
