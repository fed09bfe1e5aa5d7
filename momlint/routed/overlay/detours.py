"""Which entries lead messages by a longer way than the shortest, and which walks use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.arcs import live_arcs
from momlint.routed.overlay.costs import exact_costs
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.paths import are_least, solve
from momlint.routed.overlay.tables import sum_along, usable_hops

if TYPE_CHECKING:
    from numpy.typing import NDArray


def longer_entries(overlay: Overlay, colour: int) -> NDArray[np.bool_]:
    """bool[dest, loc]: the message arrives, and the hop taken at `loc` is on no shortest path of `colour`.

    A hop from u to v towards d is on a shortest path exactly when ``cost(u, v) + D(v, d) = D(u, d)``; costs are
    compared exactly (see `momlint.routed.overlay.costs`).
    """
    n = overlay.n
    hop = usable_hops(overlay, colour)
    live = live_arcs(overlay, colour)
    tail, head = overlay.arc_tail[live], overlay.arc_head[live]
    costs = exact_costs(n, overlay.arc_cost[live])
    cheapest = np.full((n, n), costs.infinite, costs.whole.dtype)
    np.minimum.at(cheapest, (tail, head), costs.whole)
    moves = hop != NO_HOP
    step = np.where(moves, cheapest[np.arange(n), hop], 0)
    walked = sum_along(hop, np.arange(n), step, costs.infinite)
    result = np.zeros((n, n), np.bool_)
    # Most tables are right: that is seen at once, and nothing has to be solved.
    if are_least(tail, head, costs, walked.T, overlay.transit):
        return result
    solved = solve(n, tail, head, overlay.arc_cost[live], overlay.transit)
    dest, loc = np.nonzero(moves & (walked < costs.infinite))
    via = hop[dest, loc]
    result[dest, loc] = cheapest[loc, via] + solved.whole[dest, via] > solved.whole[dest, loc]
    return result


def walks_through(
    overlay: Overlay,
    colour: int,
    marked: NDArray[np.bool_],
    sources: NDArray[np.int32],
    dests: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of the given pairs' walks (int32[P] each) read a marked entry (bool[dest, loc]), and where.

    Returns int64 arrays of one length: index of the pair, broker. Walks that do not arrive are followed for as long
    as a walk can go.
    """
    hop = usable_hops(overlay, colour)
    walker = np.arange(len(sources))
    place, goal = sources.astype(np.int64), dests.astype(np.int64)
    pairs: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    places: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    for _ in range(overlay.n):
        hit = marked[goal, place]
        pairs.append(walker[hit])
        places.append(place[hit])
        to = hop[goal, place]
        moving = to != NO_HOP
        walker, place, goal = walker[moving], to[moving].astype(np.int64), goal[moving]
        if not len(walker):
            break
    return np.concatenate(pairs), np.concatenate(places)
