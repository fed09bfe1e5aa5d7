"""Shortest paths to one broker in one colour: for the few columns that a damaged table makes one look at closely."""

from __future__ import annotations

from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.arcs import dead_arcs
from momlint.routed.overlay.costs import exact_costs
from momlint.routed.overlay.form import NO_HOP, Overlay


@dataclass(frozen=True, slots=True)
class Column:
    """The way to one broker: `distance[loc]` in exact units (None without a path), `nearest[loc]` the next hop.

    `nearest` breaks ties as the language does, by the smallest dense id; `NO_HOP` at the destination and without a
    path. `cost[loc]` maps a neighbour to the cost of the cheapest live arc to it.
    """

    distance: list[Any]
    nearest: list[int]
    cost: list[dict[int, Any]]

    def is_shortest(self, loc: int, hop: int) -> bool:
        """Whether the hop is live and on a shortest path."""
        cost = self.cost[loc].get(hop)
        if cost is None or self.distance[loc] is None or self.distance[hop] is None:
            return False
        return bool(cost + self.distance[hop] == self.distance[loc])


class Towards:
    """Columns of one overlay, by Dijkstra's algorithm from the destination, exact; each is kept."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self._kept: dict[tuple[int, int], Column] = {}
        self._arcs: dict[int, tuple[list[dict[int, Any]], list[dict[int, Any]]]] = {}

    @cached_property
    def _whole(self) -> list[Any]:
        whole: list[Any] = exact_costs(self.overlay.n, self.overlay.arc_cost).whole.tolist()
        return whole

    def _live(self, colour: int) -> tuple[list[dict[int, Any]], list[dict[int, Any]]]:
        """Cheapest live arcs of the colour: out of each broker, and into each broker."""
        if colour not in self._arcs:
            if len(self._arcs) > 8:  # callers go colour by colour
                self._arcs.clear()
            o = self.overlay
            out: list[dict[int, Any]] = [{} for _ in range(o.n)]
            into: list[dict[int, Any]] = [{} for _ in range(o.n)]
            live = np.flatnonzero(~dead_arcs(o, np.array([colour]))[0]).tolist()
            tails, heads = o.arc_tail.tolist(), o.arc_head.tolist()
            for arc in live:
                tail, head, cost = tails[arc], heads[arc], self._whole[arc]
                if head not in out[tail] or cost < out[tail][head]:
                    out[tail][head] = into[head][tail] = cost
            self._arcs[colour] = out, into
        return self._arcs[colour]

    def column(self, colour: int, dest: int) -> Column:
        """The way to `dest` in `colour`."""
        key = (colour, dest)
        if key not in self._kept:
            self._kept[key] = self._solve(colour, dest)
        return self._kept[key]

    def _solve(self, colour: int, dest: int) -> Column:
        out, into = self._live(colour)
        distance: list[Any] = [None] * self.overlay.n
        heap: list[tuple[Any, int]] = [(0, dest)]
        while heap:
            far, at = heappop(heap)
            if distance[at] is not None:
                continue
            distance[at] = far
            if not self._onward(at, dest):
                continue
            for tail, cost in into[at].items():
                if distance[tail] is None:
                    heappush(heap, (far + cost, tail))
        nearest = [
            NO_HOP
            if loc == dest or distance[loc] is None
            else min(
                hop
                for hop, cost in out[loc].items()
                if distance[hop] is not None and self._onward(hop, dest) and cost + distance[hop] == distance[loc]
            )
            for loc in range(self.overlay.n)
        ]
        return Column(distance, nearest, self._usable(out, dest))

    def _onward(self, hop: int, dest: int) -> bool:
        """Whether messages for `dest` may be handed to `hop`."""
        return hop == dest or self.overlay.transit is None or bool(self.overlay.transit[hop])

    def _usable(self, out: list[dict[int, Any]], dest: int) -> list[dict[int, Any]]:
        if self.overlay.transit is None:
            return out
        return [{hop: cost for hop, cost in near.items() if self._onward(hop, dest)} for near in out]
