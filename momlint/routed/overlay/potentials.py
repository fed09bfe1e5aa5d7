"""What walks cost, in every colour, without expanding them: for each destination a base and what differs by colour.

The potential of (colour, destination, broker) is the cost of the walk that a message takes from there by the tables.
In a colour only the walks that meet a *turn* cost something else than by the base: an entry with another next hop,
or a base hop that has failed. These are the turns and what lies upstream of them in the base; for single-link
failures that is as many as all base walks have hops, whatever the number of colours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay.arcs import Hops, dead_arcs
from momlint.routed.overlay.costs import ExactCosts, exact_costs
from momlint.routed.overlay.following import cheapest_live_arcs
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.ragged import among, distinct, ramp
from momlint.routed.overlay.tables import only_along

#: Colours whose dead hops are looked at together.
_COLOURS = 256
#: Elements of the largest temporary array.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Potentials:
    """Costs of walks in units of ``costs.unit``; ``costs.infinite`` where the message does not arrive.

    `base`: int64 (or object) [dest, loc], walks by the base with nothing failed. `key`: int64[M], sorted keys
    ``(colour * n + dest) * n + loc`` of the entries whose walk meets a turn of its colour; `value`: [M], what they
    cost in that colour (often the same as in the base).
    """

    overlay: Overlay
    costs: ExactCosts
    base: NDArray[Any]
    key: NDArray[np.int64]
    value: NDArray[Any]

    @classmethod
    def of(cls, overlay: Overlay) -> Potentials:
        """Follow every walk, each shared part once."""
        n = overlay.n
        costs = exact_costs(n, overlay.arc_cost)
        network = Hops.of(overlay)
        hop = only_along(overlay.base, np.arange(n), overlay.arc_tail, overlay.arc_head)
        base = _base_potentials(hop, network, costs)
        key = _changed(overlay, network, hop)
        return cls(overlay, costs, base, key, _changed_potentials(overlay, network, costs, base, key))

    def at(self, key: NDArray[np.int64]) -> NDArray[Any]:
        """The potentials of any keys."""
        value = self.base.reshape(-1)[self.overlay.keys.cell_of(key)]
        if self.key.size:
            place = np.minimum(np.searchsorted(self.key, key), self.key.size - 1)
            value = np.where(self.key[place] == key, self.value[place], value)
        return value

    @cached_property
    def improvable(self) -> NDArray[np.int64]:
        """Sorted keys among `key` whose walk arrives and costs more than by some live neighbour's walk.

        Where the base's walks are shortest and this is empty, all walks of all colours are shortest (Bellman's
        condition over live arcs).
        """
        o, n, packing = self.overlay, self.overlay.n, self.overlay.keys
        degree = np.bincount(o.arc_tail, minlength=n)
        first = np.cumsum(degree) - degree
        found = [np.zeros(0, np.int64)]
        start = 0
        while start < self.key.size:
            # Whole columns, so that their potentials fit one dense scratch table.
            stop = min(start + max(1, _BLOCK // max(n, 1) // 4), self.key.size)
            last = packing.column_of(int(self.key[stop - 1]))
            stop = int(np.searchsorted(self.key, packing.in_column(last + 1, 0)))
            keys, value = self.key[start:stop], self.value[start:stop]
            start = stop
            column, row = np.unique(packing.column_of(keys), return_inverse=True)
            scratch = self.base[packing.split_column(column)[1]]
            loc = packing.loc_of(keys)
            scratch[row, loc] = value
            arrives = np.flatnonzero(np.asarray(value < self.costs.infinite, bool))
            times = degree[loc[arrives]]
            item = np.repeat(arrives, times)
            arc = np.repeat(first[loc[arrives]], times) + ramp(times)
            colour = packing.colour_of(keys[item])
            other = scratch[row[item], o.arc_head[arc]]
            better = np.asarray(other + self.costs.whole[arc] < value[item], bool)
            item, arc, colour = item[better], arc[better], colour[better]
            live = ~(
                o.failed_link[colour, o.arc_link[arc]]
                | o.failed_broker[colour, o.arc_head[arc]]
                | o.failed_broker[colour, o.arc_tail[arc]]
            )
            found.append(distinct(keys[item[live]]))
        return np.concatenate(found)


def _base_potentials(hop: NDArray[np.int32], network: Hops, costs: ExactCosts) -> NDArray[Any]:
    n = hop.shape[0]
    dest, loc = np.nonzero(hop != NO_HOP)
    via = hop[dest, loc]
    keys = Keys(n)
    pointer = np.arange(keys.cells)
    pointer[keys.cell(dest, loc)] = keys.cell(dest, via)
    cost = np.zeros(n * n, costs.whole.dtype)
    cost[keys.cell(dest, loc)] = costs.whole[network.start[network.index[loc, via]]]
    span = 1
    while span < n:  # a walk that arrives does so in less than n hops
        onward = pointer[pointer]
        if np.array_equal(onward, pointer):
            break
        cost += cost[pointer]
        pointer = onward
        span *= 2
    home = np.repeat(keys.cell(np.arange(n), np.arange(n)), n)
    return np.where(pointer == home, cost, costs.infinite).reshape(n, n)


def dead_base_entries(overlay: Overlay) -> NDArray[np.int64]:
    """Sorted keys of the base entries whose hop is an arc of the overlay, and all arcs of it dead in the colour.

    Whether the colour has a delta there or not; entries at a broker that has failed itself are among them.
    """
    network = Hops.of(overlay)
    return _base_entries(overlay, network, lambda colours: network.dead(overlay, colours))


def _dearer_base_entries(overlay: Overlay, network: Hops) -> NDArray[np.int64]:
    """Likewise, those the cheapest arc of whose hop is dead: there may be others, at another cost."""
    return _base_entries(overlay, network, lambda colours: dead_arcs(overlay, colours)[:, network.start[:-1]])


def _base_entries(
    overlay: Overlay, network: Hops, marked: Callable[[NDArray[np.integer]], NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Sorted keys of the base entries over marked hops: ``marked(colours)`` is bool[K, H]."""
    n = overlay.n
    hop = only_along(overlay.base, np.arange(n), overlay.arc_tail, overlay.arc_head)
    dest, loc = np.nonzero(hop != NO_HOP)
    number = network.index[loc, hop[dest, loc]]
    order = np.argsort(number, kind="stable")
    cell = overlay.keys.cell(dest, loc)[order]
    uses = np.bincount(number, minlength=network.tail.size)
    first = np.cumsum(uses) - uses
    found = [np.zeros(0, np.int64)]
    for start in range(0, overlay.colours, _COLOURS):
        block = np.arange(start, min(start + _COLOURS, overlay.colours))
        colour, dead = np.nonzero(marked(block))
        times = uses[dead]
        place = np.repeat(first[dead], times) + ramp(times)
        found.append(overlay.keys.in_colour(np.repeat(block[colour], times), cell[place]))
    return np.sort(np.concatenate(found))


def _changed(overlay: Overlay, network: Hops, hop: NDArray[np.int32]) -> NDArray[np.int64]:
    """The turns of every colour and what lies upstream of them in the base."""
    n, keys = overlay.n, overlay.keys
    cells = keys.cells
    differs = overlay.delta_next != overlay.base.reshape(-1)[keys.cell_of(overlay.delta_key)]
    turns = distinct(np.concatenate((overlay.delta_key[differs], _dearer_base_entries(overlay, network))))
    turns = turns[keys.dest_of(turns) != keys.loc_of(turns)]
    # children[first[x] : first[x] + many[x]]: the brokers whose base hop for the same destination is x.
    parent = np.where(hop != NO_HOP, keys.cell(np.arange(n)[:, None], hop), cells).reshape(-1)
    children = np.argsort(parent, kind="stable")
    many = np.bincount(parent, minlength=cells + 1)
    first = np.cumsum(many) - many
    levels = [turns]
    level = turns
    while level.size:
        cell = keys.cell_of(level)
        times = many[cell]
        child = children[np.repeat(first[cell], times) + ramp(times)]
        level = np.repeat(level - cell, times) + child
        # A turn has been counted, and counts what is upstream of it; nothing is met twice.
        level = level[~among(level, turns)]
        levels.append(level)
    return np.sort(np.concatenate(levels))


def _changed_potentials(
    overlay: Overlay, network: Hops, costs: ExactCosts, base: NDArray[Any], key: NDArray[np.int64]
) -> NDArray[Any]:
    n, keys = overlay.n, overlay.keys
    colour, cell = keys.colour_and_cell(key)
    loc = keys.loc_of(cell)
    given = overlay.base.reshape(-1)[cell]
    if overlay.delta_key.size and key.size:
        place = np.searchsorted(key, overlay.delta_key)
        place = np.minimum(place, key.size - 1)
        here = key[place] == overlay.delta_key
        given[place[here]] = overlay.delta_next[here]
    arc = cheapest_live_arcs(overlay, network, colour, loc, given)
    moves = arc >= 0
    cost = np.where(moves, costs.whole[np.maximum(arc, 0)], 0) if costs.whole.size else np.zeros(key.size, np.int64)
    onward = np.where(moves, key - loc + np.maximum(given, 0), key)
    place = np.minimum(np.searchsorted(key, onward), max(key.size - 1, 0))
    inside = moves & (key[place] == onward) if key.size else moves
    # Walks that leave the changed entries go on by the base; those that stay where they are have ended.
    pointer = np.where(inside, place, np.arange(key.size))
    left = moves & ~inside
    rest = np.full(key.size, costs.infinite, costs.whole.dtype)
    rest[left] = cost[left] + base.reshape(-1)[keys.cell_of(onward[left])]
    total = np.where(inside, cost, 0)
    span = 1
    while span < n:
        further = pointer[pointer]
        if np.array_equal(further, pointer):
            break
        total = total + total[pointer]  # where a walk has ended it costs nothing more
        pointer = further
        span *= 2
    # What is still inside by now goes round.
    cost = np.where(inside[pointer], costs.infinite, total + rest[pointer])
    return np.where(np.asarray(cost >= costs.infinite, bool), costs.infinite, cost)
