"""Shortest paths after failures, from those before: only what lies below a failed element is computed anew.

For a destination the next hops are a tree. A failure changes neither distance nor next hop of a broker whose
path avoids it (a route can only get dearer, so the chosen neighbour stays the smallest tight one). What must
be redone in a colour is the part of the tree *below* a failed hop: its brokers start from the neighbours
outside that part, whose distances stand, and settle the rest among themselves (Bellman-Ford rounds from the
changed ones only). All colours and destinations are done together in numpy arrays, in blocks, so that nothing
is ever expanded to colours × brokers².
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.form import NO_HOP
from momlint.routed.overlay.keys import Keys, Packing
from momlint.routed.overlay.paths import ShortestPaths
from momlint.routed.overlay.ragged import distinct, ramp, segment_starts

#: Colours done together.
_COLOURS = 1024
#: Entries of the look-up table from (colour, destination, broker) to what is recomputed there.
_TABLE = 1 << 22


@dataclass(frozen=True, slots=True)
class Healed:
    """The entries below a failed element, colour by colour, as they are after the failure.

    `key`: int64[E], sorted, unique, ``(colour * n + dest) * n + loc``. `next`: int32[E], `NO_HOP` where the
    failure cuts the broker off. `whole`: the distance in units of ``costs.unit``, ``costs.infinite`` if cut
    off. `changed`: bool[E], the next hop differs from the one before the failure. Every entry not listed is
    unchanged.
    """

    key: NDArray[np.int64]
    next: NDArray[np.int32]
    whole: NDArray[Any]
    changed: NDArray[np.bool_]


def healed_deltas(
    before: ShortestPaths,
    arc_link: NDArray[np.int32],
    failed_link: NDArray[np.bool_],
    failed_broker: NDArray[np.bool_],
    dests: range | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The next hops that differ from ``before.next``: sorted keys int64[D] and next hops int32[D].

    `dests`: of these destinations only (consecutive ones); of all by default, which is the parts put together.
    With them the next hops of a colour are exactly the shortest paths (and ties) of what has not failed in
    it; a failed broker has no next hop and is none's destination. `arc_link`: int32[A], the link of each arc
    as given to `solve`. `failed_link`: bool[C, L]; `failed_broker`: bool[C, N].
    """
    healed = heal(before, arc_link, failed_link, failed_broker, dests)
    return healed.key[healed.changed], healed.next[healed.changed]


def heal(
    before: ShortestPaths,
    arc_link: NDArray[np.int32],
    failed_link: NDArray[np.bool_],
    failed_broker: NDArray[np.bool_],
    dests: range | None = None,
) -> Healed:
    """`healed_deltas` with the distances, and with entries whose distance alone changed."""
    parts = []
    if before.tail.size:
        network = _Network(before, arc_link[before.order])
        colours = np.flatnonzero(failed_link.any(axis=1) | failed_broker.any(axis=1))
        for first in range(0, colours.size, _COLOURS):
            parts += network.heal(
                colours[first : first + _COLOURS], failed_link, failed_broker, dests or range(before.n)
            )
    if not parts:
        none = np.zeros(0, np.int64)
        return Healed(none, none.astype(np.int32), before.whole.ravel()[:0], none.astype(bool))
    key = np.concatenate([part.key for part in parts])
    order = np.argsort(key, kind="stable")
    return Healed(
        key[order],
        np.concatenate([part.next for part in parts])[order],
        np.concatenate([part.whole for part in parts])[order],
        np.concatenate([part.changed for part in parts])[order],
    )


class _Network:
    """The unfailed network, and the tables that every block of colours needs."""

    def __init__(self, before: ShortestPaths, arc_link: NDArray[np.int32]) -> None:
        n = self.n = before.n
        self.before = before
        self.link = arc_link
        self.tail, self.head, self.cost = before.tail, before.head, before.costs.whole
        self.out_start = np.searchsorted(self.tail, np.arange(n + 1))
        self.into = np.argsort(self.head, kind="stable")
        self.in_start = np.searchsorted(self.head[self.into], np.arange(n + 1))
        # A hop is a pair of neighbours; it costs what the cheapest of its parallel arcs costs.
        self.keys = Keys(n)
        pair = self.keys.pair(self.tail, self.head)
        starts = segment_starts(pair)
        hop_of_arc = np.cumsum(np.bincount(starts, minlength=pair.size)) - 1
        cheapest = np.minimum.reduceat(self.cost, starts)
        self.is_cheap = self.cost == cheapest[hop_of_arc]
        self.hop_of_arc = hop_of_arc
        self.hops = starts.size
        self.cheap_arcs = np.bincount(hop_of_arc[self.is_cheap], minlength=self.hops)
        self.by_link = np.argsort(self.link, kind="stable")
        index = np.full(self.keys.cells, -1, np.int32)
        index[pair[starts]] = np.arange(starts.size, dtype=np.int32)
        # used[dest, loc]: the hop that the tree of dest uses at loc, -1 where it has none.
        hop = before.next
        self.used = np.where(
            hop == NO_HOP, np.int32(-1), index[self.keys.pair(np.arange(n)[None, :], np.maximum(hop, 0))]
        )

    def heal(
        self,
        colours: NDArray[np.intp],
        failed_link: NDArray[np.bool_],
        failed_broker: NDArray[np.bool_],
        dests: range,
    ) -> list[Healed]:
        """All entries below a failed element, in these colours, one part a block of destinations."""
        n = self.n
        in_colour, arc = self._dead(colours, failed_link, failed_broker)
        dead = np.zeros((colours.size, self.tail.size), np.bool_)
        dead[in_colour, arc] = True
        # A hop is worse in a colour when every arc that made it as cheap as it was has failed.
        cheap = self.is_cheap[arc]
        of_colour = Packing(colours.size)
        hit = np.sort(of_colour.pack(self.hop_of_arc[arc[cheap]], in_colour[cheap]))
        runs = segment_starts(hit)
        times = np.diff(runs, append=hit.size)
        hit = hit[runs]
        hops, colour_of = of_colour.split(hit[times == self.cheap_arcs[of_colour.first(hit)]])
        start = np.searchsorted(hops, np.arange(self.hops + 1))
        # No more than this many colours touch the tree of each destination.
        count = np.append(np.diff(start), 0)  # the last for used == -1
        touched = np.minimum(count[self.used[dests.start : dests.stop]].sum(axis=1), colours.size)
        parts = []
        for first, last in _blocks(touched * n, _TABLE):
            keys = self._below(np.arange(dests.start + first, dests.start + last), colour_of, start, count)
            if keys.size:
                parts.append(self._settle(keys, colours, dead))
        return parts

    def _dead(
        self, colours: NDArray[np.intp], failed_link: NDArray[np.bool_], failed_broker: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The arcs that are down in these colours: (index into `colours`, arc), each once.

        Gathered from what fails, which is little, and not from all arcs in all colours.
        """
        colour, link = np.nonzero(failed_link[colours])
        bounds = np.searchsorted(self.link[self.by_link], np.array((link, link + 1)))
        times = bounds[1] - bounds[0]
        of_links = np.repeat(colour, times), self.by_link[np.repeat(bounds[0], times) + ramp(times)]
        colour, broker = np.nonzero(failed_broker[colours])
        times = np.diff(self.out_start)[broker]
        outward = np.repeat(colour, times), np.repeat(self.out_start[broker], times) + ramp(times)
        times = np.diff(self.in_start)[broker]
        inward = np.repeat(colour, times), self.into[np.repeat(self.in_start[broker], times) + ramp(times)]
        found = Packing(self.tail.size)
        which, arc = (np.concatenate(parts) for parts in zip(of_links, outward, inward, strict=True))
        return found.split(distinct(found.pack(which, arc)))

    def _below(
        self,
        dests: NDArray[np.intp],
        colour_of: NDArray[np.intp],
        start: NDArray[np.intp],
        count: NDArray[np.intp],
    ) -> NDArray[np.int64]:
        """Sorted keys ``(block colour * n + dest) * n + loc`` of every loc whose path to dest gets worse."""
        at, loc = np.nonzero(self.used[dests] >= 0)
        dest = dests[at]
        here: NDArray[np.integer] = loc
        found = []
        while loc.size:
            hop = self.used[dest, here]
            times = count[hop]
            hit = np.flatnonzero(times)
            times = times[hit]
            colour = colour_of[np.repeat(start[hop[hit]], times) + ramp(times)]
            found.append(self.keys.pack(colour, np.repeat(dest[hit], times), np.repeat(loc[hit], times)))
            here = self.before.next[dest, here]
            onward = np.flatnonzero(here != dest)
            dest, loc, here = dest[onward], loc[onward], here[onward]
        return distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)

    def _settle(self, keys: NDArray[np.int64], colours: NDArray[np.intp], dead: NDArray[np.bool_]) -> Healed:
        """New distances and next hops of the brokers in `keys`."""
        n, before = self.n, self.before
        infinite = before.costs.infinite
        column, loc = self.keys.column_and_loc(keys)
        colour, dest = self.keys.split_column(column)
        case = np.cumsum(np.concatenate(([0], column[1:] != column[:-1])))  # numbers the columns
        place = Packing(n)  # of a case and a broker
        table = np.full(place.pack(int(case[-1]) + 1, 0), -1, np.int32)
        table[place.pack(case, loc)] = np.arange(keys.size, dtype=np.int32)

        # Through each live neighbour: outside the part its old distance, inside it infinite for now.
        times = np.diff(self.out_start)[loc]
        item = np.repeat(np.arange(keys.size), times)
        arc = np.repeat(self.out_start[loc], times) + ramp(times)
        segments = np.cumsum(times) - times  # no run is empty: every broker here had a next hop
        live = ~dead[colour[item], arc]
        neighbour = self.head[arc]
        if before.stub is not None:
            live &= ~before.stub[neighbour] | (neighbour == dest[item])
        inner = table[place.pack(case[item], neighbour)]
        through = before.whole[dest[item], neighbour]
        through[inner >= 0] = infinite
        through = through + self.cost[arc]
        through[~live] = infinite
        through = np.minimum(through, infinite)
        whole = np.minimum.reduceat(through, segments)

        moved = np.flatnonzero(whole < infinite)
        while moved.size:
            count = np.diff(self.in_start)[loc[moved]]
            source = np.repeat(moved, count)
            back = self.into[np.repeat(self.in_start[loc[moved]], count) + ramp(count)]
            target: NDArray[np.integer] = table[place.pack(case[source], self.tail[back])]
            usable = (target >= 0) & ~dead[colour[source], back]
            if before.stub is not None:
                usable &= ~before.stub[loc[source]]
            usable = np.flatnonzero(usable)
            source, target = source[usable], target[usable]
            offer = whole[source] + self.cost[back[usable]]
            better = np.flatnonzero(offer < whole[target])
            target = target[better]
            np.minimum.at(whole, target, offer[better])
            moved = distinct(target.astype(np.intp))

        inside = np.flatnonzero((inner >= 0) & live)
        through[inside] = whole[inner[inside]] + self.cost[arc[inside]]
        tight = (through == whole[item]) & (through < infinite)
        best = np.minimum.reduceat(np.where(tight, neighbour, np.int32(n)), segments)
        hop = np.where(best < n, best, NO_HOP).astype(np.int32)
        key = self.keys.pack(colours[colour], dest, loc)
        return Healed(key, hop, whole, hop != before.next[dest, loc])


def _blocks(size: NDArray[np.integer], limit: int) -> list[tuple[int, int]]:
    """Ranges that follow each other, each of at most `limit` in all (or of one item); empty ones left out."""
    blocks = []
    first, held = 0, 0
    for index, value in enumerate(size.tolist()):
        if held and held + value > limit:
            blocks.append((first, index))
            first, held = index, 0
        held += value
    if held:
        blocks.append((first, size.size))
    return blocks
