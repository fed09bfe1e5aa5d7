"""What walks cost, in every colour, without expanding them: for each destination a base and what differs by colour.

The potential of (colour, destination, broker) is the cost of the walk that a message takes from there by the tables.
In a colour only the walks that meet a *turn* cost something else than by the base: an entry with another next hop,
or a base hop that has failed. These are the turns and what lies upstream of them in the base; for single-link
failures that is as many as all base walks have hops, whatever the number of colours.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.columns import Block, DeadHops, Network, towards
from momlint.routed.overlay.costs import ExactCosts
from momlint.routed.overlay.following import cheapest_live_arcs
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.ragged import Finder, distinct, ramp
from momlint.routed.overlay.tables import only_along

#: Entries that are looked at together, each with all of its broker's arcs; and elements of other large arrays.
_SUSPECTS = 1 << 18


@dataclass(frozen=True)
class Potentials:
    """Costs of walks in units of ``costs.unit``; ``costs.infinite`` where the message does not arrive.

    `block`: the destinations that are looked at. `base`: int64 (or object) [dest, loc], walks to them by the base with
    nothing failed. `key`: int64[M], sorted keys ``(colour * n + dest) * n + loc`` of the entries whose walk meets a
    turn of its colour; `value`: [M], what they cost in that colour (often the same as in the base).
    """

    overlay: Overlay
    costs: ExactCosts
    block: Block
    base: NDArray[Any]
    key: NDArray[np.int64]
    value: NDArray[Any]

    @classmethod
    def of(cls, overlay: Overlay, block: Block | None = None, network: Network | None = None) -> Potentials:
        """Follow every walk to the destinations of `block` (None for all), each shared part once.

        `network`: that of the overlay, where there is one already.
        """
        network = network or Network(overlay)
        block = block or Block(0, overlay.n)
        part = towards(overlay, block)
        hop = base_hops(overlay, block)
        base = _base_potentials(hop, block, network)
        key = _changed(part, network, block, hop)
        return cls(part, network.costs, block, base, key, _changed_potentials(part, network, block, base, key))

    def at(self, key: NDArray[np.int64]) -> NDArray[Any]:
        """The potentials of any keys for these destinations."""
        value = self.base.reshape(-1)[_cells_in(self.overlay, self.block, key)]
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
        o, packing = self.overlay, self.overlay.keys
        degree = np.bincount(o.arc_tail, minlength=o.n)
        first = np.cumsum(degree) - degree
        base, whole = self.base.reshape(-1), self.costs.whole
        suspects = np.asarray(self.value < self.costs.infinite, bool)
        # Where the base's walks are shortest, no walk of any colour costs less than the base's.
        bounded = self._shortest_base
        cell = _cells_in(o, self.block, self.key)
        row = cell // max(o.n, 1)
        suspects &= ~bounded[row] | np.asarray(self.value > base[cell], bool)
        suspect = np.flatnonzero(suspects)
        finder = Finder(self.key)
        found = [np.zeros(0, np.int64)]
        for start in range(0, suspect.size, _SUSPECTS):
            chosen = suspect[start : start + _SUSPECTS]
            loc = packing.loc_of(self.key[chosen])
            times = degree[loc]
            item = np.repeat(chosen, times)
            arc = np.repeat(first[loc], times) + ramp(times)
            other = cell[item] - np.repeat(loc, times) + o.arc_head[arc]
            better = np.asarray(base[other] + whole[arc] < self.value[item], bool) | ~bounded[row[item]]
            item, arc, other = item[better], arc[better], other[better]
            key = self.key[item] - cell[item] + other
            cost = base[other]
            place = finder.find(key)
            inside = np.flatnonzero(place >= 0)
            cost[inside] = self.value[place[inside]]
            colour = packing.colour_of(self.key[item])
            live = ~(
                o.failed_link[colour, o.arc_link[arc]]
                | o.failed_broker[colour, o.arc_head[arc]]
                | o.failed_broker[colour, o.arc_tail[arc]]
            )
            better = np.asarray(cost + whole[arc] < self.value[item], bool)
            found.append(distinct(self.key[item[live & better]]))
        return np.concatenate(found)

    @property
    def _shortest_base(self) -> NDArray[np.bool_]:
        """bool[dest]: no arc, failed or not, shortens a walk by the base to it; so nothing does."""
        o = self.overlay
        shortest = np.ones(self.base.shape[0], np.bool_)
        step = max(1, _SUSPECTS // max(o.arc_tail.size, 1))
        for start in range(0, shortest.size, step):
            base = self.base[start : start + step]
            onward = base[:, o.arc_head] + self.costs.whole
            shortest[start : start + step] = np.asarray(base[:, o.arc_tail] <= onward, bool).all(axis=1)
        return shortest


def base_hops(overlay: Overlay, block: Block) -> NDArray[np.int32]:
    """int32[dest, loc]: the base's next hops over arcs, for the destinations of `block`; else `NO_HOP`."""
    return only_along(overlay.base[block.first : block.last], np.arange(*block), overlay.arc_tail, overlay.arc_head)


def _cells_in(overlay: Overlay, block: Block, key: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cells of keys, counted from the block's first."""
    return overlay.keys.cell_of(key) - overlay.keys.cell(block.first, 0)


def _base_potentials(hop: NDArray[np.int32], block: Block, network: Network) -> NDArray[Any]:
    rows, n = hop.shape
    costs, hops, keys = network.costs, network.hops, network.overlay.keys
    row, loc = np.nonzero(hop != NO_HOP)
    via = hop[row, loc]
    pointer = np.arange(hop.size)
    pointer[keys.cell(row, loc)] = keys.cell(row, via)
    cost = np.zeros(hop.size, costs.whole.dtype)
    cost[keys.cell(row, loc)] = costs.whole[hops.start[hops.index[loc, via]]]
    span = 1
    while span < n:  # a walk that arrives does so in less than n hops
        onward = pointer[pointer]
        if np.array_equal(onward, pointer):
            break
        cost += cost[pointer]
        pointer = onward
        span *= 2
    home = np.repeat(keys.cell(np.arange(rows), np.arange(*block)), n)
    return np.where(pointer == home, cost, costs.infinite).reshape(rows, n)


def dead_base_entries(
    overlay: Overlay, block: Block | None = None, network: Network | None = None
) -> NDArray[np.int64]:
    """Sorted keys of the base entries whose hop is an arc of the overlay, and all arcs of it dead in the colour.

    Whether the colour has a delta there or not; entries at a broker that has failed itself are among them. Of the
    destinations of `block`, None for all. `network`: that of the overlay, where there is one already.
    """
    network = network or Network(overlay)
    block = block or Block(0, overlay.n)
    return _base_entries(network, block, base_hops(overlay, block), network.dead)


def _base_entries(network: Network, block: Block, hop: NDArray[np.int32], dead: DeadHops) -> NDArray[np.int64]:
    """Sorted keys of the base entries over dead hops; `hop`: those of the base."""
    keys, hops = network.overlay.keys, network.hops
    row, loc = np.nonzero(hop != NO_HOP)
    number = hops.index[loc, hop[row, loc]]
    order = np.argsort(number, kind="stable")
    cell = keys.cell(row + block.first, loc)[order]
    uses = np.bincount(number, minlength=hops.tail.size)
    first = np.cumsum(uses) - uses
    times = uses[dead.hop]
    place = np.repeat(first[dead.hop], times) + ramp(times)
    return np.sort(keys.in_colour(np.repeat(dead.colour, times), cell[place]))


def _changed(overlay: Overlay, network: Network, block: Block, hop: NDArray[np.int32]) -> NDArray[np.int64]:
    """The turns of every colour and what lies upstream of them in the base."""
    keys = overlay.keys
    cells = hop.size
    differs = overlay.delta_next != overlay.base.reshape(-1)[keys.cell_of(overlay.delta_key)]
    dearer = _base_entries(network, block, hop, network.dearer)
    turns = distinct(np.concatenate((overlay.delta_key[differs], dearer)))
    turns = turns[keys.dest_of(turns) != keys.loc_of(turns)]
    # children[first[x] : first[x] + many[x]]: the brokers whose base hop for the same destination is x.
    parent = np.where(hop != NO_HOP, keys.cell(np.arange(hop.shape[0])[:, None], hop), cells).reshape(-1)
    children = np.argsort(parent, kind="stable")
    many = np.bincount(parent, minlength=cells + 1)
    first = np.cumsum(many) - many
    levels = [turns]
    level = turns
    known = Finder(turns)
    while level.size:
        cell = _cells_in(overlay, block, level)
        times = many[cell]
        child = children[np.repeat(first[cell], times) + ramp(times)]
        level = np.repeat(level - cell, times) + child
        # A turn has been counted, and counts what is upstream of it; nothing is met twice.
        level = level[~known.has(level)]
        levels.append(level)
    return np.sort(np.concatenate(levels))


def _changed_potentials(
    overlay: Overlay, network: Network, block: Block, base: NDArray[Any], key: NDArray[np.int64]
) -> NDArray[Any]:
    n, keys, costs = overlay.n, overlay.keys, network.costs
    colour, cell = keys.colour_and_cell(key)
    loc = keys.loc_of(cell)
    given = overlay.base.reshape(-1)[cell]
    if overlay.delta_key.size and key.size:
        place = np.searchsorted(key, overlay.delta_key)
        place = np.minimum(place, key.size - 1)
        here = key[place] == overlay.delta_key
        given[place[here]] = overlay.delta_next[here]
    arc = cheapest_live_arcs(overlay, network.hops, colour, loc, given)
    moves = arc >= 0
    cost = np.where(moves, costs.whole[np.maximum(arc, 0)], 0) if costs.whole.size else np.zeros(key.size, np.int64)
    onward = np.where(moves, key - loc + np.maximum(given, 0), key)
    place = Finder(key).find(onward)
    inside = moves & (place >= 0)
    # Walks that leave the changed entries go on by the base; those that stay where they are have ended.
    pointer = np.where(inside, place, np.arange(key.size))
    left = moves & ~inside
    rest = np.full(key.size, costs.infinite, costs.whole.dtype)
    rest[left] = cost[left] + base.reshape(-1)[_cells_in(overlay, block, onward[left])]
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
