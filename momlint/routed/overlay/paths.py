"""All-pairs shortest paths, with the tie-break of the language: the smallest next hop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.costs import FLOAT_EXACT, ExactCosts, exact_costs
from momlint.routed.overlay.form import NO_HOP
from momlint.routed.overlay.ragged import segment_starts

#: From this many brokers on, rustworkx's Dijkstra is worth its import; below, rounds of numpy are quicker.
_RUSTWORKX_FROM = 96
#: Elements of the largest temporary array.
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """Least-cost paths to every broker, exact.

    ``whole[dest, loc]``: the distance in units of ``costs.unit``, int64 or Python integers;
    ``costs.infinite`` where there is no path. ``next[dest, loc]``: int32, among the neighbours v with
    cost(loc, v) + D(v) = D(loc) the one with the smallest dense id; `NO_HOP` at the destination and where
    there is no path. `order`: the given arcs' indices, sorted by (tail, head); ``tail``, ``head`` and
    ``costs.whole`` are in that order.
    """

    n: int
    order: NDArray[np.intp]
    tail: NDArray[np.int32]
    head: NDArray[np.int32]
    costs: ExactCosts
    whole: NDArray[Any]
    next: NDArray[np.int32]
    #: bool[N], the brokers that no path leads through; None where there is none.
    stub: NDArray[np.bool_] | None = None

    @property
    def distance(self) -> NDArray[np.float64]:
        """f64[dest, loc] in the user's unit, inf where there is no path."""
        return self.costs.as_float(self.whole)


def shortest_paths(
    n: int,
    arc_tail: NDArray[np.int32],
    arc_head: NDArray[np.int32],
    arc_cost: NDArray[np.float64],
    transit: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Least costs f64[dest, loc] (inf without a path) and next hops int32[dest, loc] (`NO_HOP` without one).

    Arcs may be parallel and in any order. Ties go to the smallest next hop, and are exact (see `costs`).
    Raises ValueError for a cost that is not a positive finite number.
    """
    solved = solve(n, arc_tail, arc_head, arc_cost, transit)
    return solved.distance, solved.next


def towards(
    n: int,
    arc_tail: NDArray[np.int32],
    arc_head: NDArray[np.int32],
    arc_cost: NDArray[np.float64],
    transit: NDArray[np.bool_] | None,
    dests: NDArray[np.int64],
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The rows `dests` of `ShortestPaths.whole` and `ShortestPaths.next`; where they are few, in less time.

    `dests`: int64[D], without repeats. The rows are [D, N].
    """
    if 2 * dests.size > n or n >= _RUSTWORKX_FROM or not (transit is None or transit.all()):
        solved = solve(n, arc_tail, arc_head, arc_cost, transit)
        return solved.whole[dests], solved.next[dests]
    order = np.lexsort((arc_head, arc_tail))
    tail, head = arc_tail[order], arc_head[order]
    costs = exact_costs(n, arc_cost[order])
    whole = np.full((n, dests.size), costs.infinite, costs.whole.dtype)
    whole[dests, np.arange(dests.size)] = 0
    _relax(whole, tail, head, costs, None)
    return np.ascontiguousarray(whole.T), np.ascontiguousarray(_next_hops(n, tail, head, costs, whole, None).T)


def solve(
    n: int,
    arc_tail: NDArray[np.int32],
    arc_head: NDArray[np.int32],
    arc_cost: NDArray[np.float64],
    transit: NDArray[np.bool_] | None = None,
) -> ShortestPaths:
    """`shortest_paths` with the exact distances, for what builds on them (healing, certificates).

    `transit`: bool[N], the brokers that paths may lead through; None for all.
    """
    order = np.lexsort((arc_head, arc_tail))
    tail, head = arc_tail[order], arc_head[order]
    costs = exact_costs(n, arc_cost[order])
    stub = None if transit is None or transit.all() else ~transit
    whole = _distances(n, tail, head, costs, stub)  # [loc, dest]: the arcs of a broker are rows next to each other
    hop = _next_hops(n, tail, head, costs, whole, stub)
    return ShortestPaths(n, order, tail, head, costs, np.ascontiguousarray(whole.T), np.ascontiguousarray(hop.T), stub)


def are_least(
    tail: NDArray[np.int32],
    head: NDArray[np.int32],
    costs: ExactCosts,
    whole: NDArray[Any],
    transit: NDArray[np.bool_] | None = None,
) -> bool:
    """Whether no path costs less than ``whole[loc, dest]``: each the cost of some path, ``costs.infinite`` for none.

    So it is exactly where no first arc of a path would save anything. `tail`, `head`, `costs`: the arcs, in any order.
    """
    stub = None if transit is None or transit.all() else ~transit
    step = max(1, _BLOCK // max(tail.size, 1))
    for first in range(0, whole.shape[1], step):
        part = whole[:, first : first + step]
        if (_onward(part, head, costs.infinite, stub, first) + costs.whole[:, None] < part[tail]).any():
            return False
    return True


def _onward(
    whole: NDArray[Any], head: NDArray[np.int32], infinite: int, stub: NDArray[np.bool_] | None, first: int = 0
) -> NDArray[Any]:
    """``whole[head]``, as far as the head passes messages on: one that does not is a way to itself only.

    `first`: the destination of the first column.
    """
    onward: NDArray[Any] = whole[head]
    if stub is not None:
        rows = np.flatnonzero(stub[head])
        own = head[rows] - first
        onward[rows] = infinite
        inside = (own >= 0) & (own < whole.shape[1])
        onward[rows[inside], own[inside]] = 0
    return onward


def _distances(
    n: int, tail: NDArray[np.int32], head: NDArray[np.int32], costs: ExactCosts, stub: NDArray[np.bool_] | None
) -> NDArray[Any]:
    if stub is None and n >= _RUSTWORKX_FROM and costs.infinite < FLOAT_EXACT:
        return _distances_rustworkx(n, tail, head, costs)
    whole = np.full((n, n), costs.infinite, costs.whole.dtype)
    np.fill_diagonal(whole, 0)
    _relax(whole, tail, head, costs, stub)
    return whole


def _relax(
    whole: NDArray[Any],
    tail: NDArray[np.int32],
    head: NDArray[np.int32],
    costs: ExactCosts,
    stub: NDArray[np.bool_] | None,
) -> None:
    """Bellman-Ford for all columns at once; each round is one reduction over the arcs of each broker."""
    starts = segment_starts(tail)
    if not starts.size:
        return
    movers = tail[starts]
    while True:
        before = whole[movers]
        through = np.minimum.reduceat(_onward(whole, head, costs.infinite, stub) + costs.whole[:, None], starts, axis=0)
        after = np.minimum(before, through)
        if np.array_equal(before, after):
            return
        whole[movers] = after


def _distances_rustworkx(n: int, tail: NDArray[np.int32], head: NDArray[np.int32], costs: ExactCosts) -> NDArray[Any]:
    # Floats inside, but of whole numbers below 2**53: every sum and comparison is exact.
    import rustworkx

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(list(zip(tail.tolist(), head.tolist(), costs.whole.astype(np.float64).tolist(), strict=True)))
    whole = np.full((n, n), costs.infinite, np.int64)
    if costs.whole.size and costs.whole.max() == 1:
        hops = rustworkx.digraph_distance_matrix(graph, null_value=-1.0)
        np.copyto(whole, hops, where=hops >= 0, casting="unsafe")
    else:
        lengths = rustworkx.digraph_all_pairs_dijkstra_path_lengths(graph, float)
        for loc, to in lengths.items():
            whole[loc, list(to.keys())] = np.fromiter(to.values(), np.float64, len(to))
    np.fill_diagonal(whole, 0)
    return whole


def _next_hops(
    n: int,
    tail: NDArray[np.int32],
    head: NDArray[np.int32],
    costs: ExactCosts,
    whole: NDArray[Any],
    stub: NDArray[np.bool_] | None,
) -> NDArray[np.int32]:
    hop = np.full(whole.shape, NO_HOP, np.int32)
    starts = segment_starts(tail)
    if not starts.size:
        return hop
    movers = tail[starts]
    step = max(1, _BLOCK // tail.size)
    for first in range(0, whole.shape[1], step):
        to = slice(first, first + step)
        onward = _onward(whole[:, to], head, costs.infinite, stub, first)
        tight = onward + costs.whole[:, None] == whole[tail, to]
        best = np.minimum.reduceat(np.where(tight, head[:, None], np.int32(n)), starts, axis=0)
        hop[movers, to] = np.where(best < n, best, NO_HOP)
    return hop
