"""Following messages: one, step by step, to replay a witness; or many at once, to measure them."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.arcs import Hops
from momlint.routed.overlay.costs import exact_costs
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.tables import NEVER

End = Literal["arrived", "stopped", "looped"]


@dataclass(frozen=True, slots=True)
class Walk:
    """What one message did.

    `brokers`: those it visited, from the source; in a loop the first repeated broker closes the tuple:
    ``(1, 3, 1)``. `rows`: the row of the entry read at each of them, in order (`NO_ROW` for a computed or a
    missing one); the destination and a loop's closing broker are not read again, so there is one row a hop,
    and one more where the walk stopped. `refused`: where it stopped, the next hop that it could not take,
    else `NO_HOP`.
    """

    brokers: tuple[int, ...]
    rows: tuple[int, ...]
    end: End
    refused: int = NO_HOP


def entry(overlay: Overlay, colour: int, dest: int, loc: int) -> tuple[int, int]:
    """The next hop that stands at `loc` for `dest` in `colour`, usable or not, and its row."""
    key = overlay.keys.pack(colour, dest, loc)
    at = bisect_left(overlay.delta_key, key)
    if at < overlay.delta_key.size and overlay.delta_key[at] == key:
        return int(overlay.delta_next[at]), int(overlay.delta_row[at])
    return int(overlay.base[dest, loc]), int(overlay.base_row[dest, loc])


def live_arc(overlay: Overlay, colour: int, tail: int, head: int) -> int | None:
    """The arc a message takes from `tail` to `head` in `colour`: the cheapest live one, or None."""
    if overlay.failed_broker[colour, tail] or overlay.failed_broker[colour, head]:
        return None
    first = bisect_left(overlay.arc_tail, tail)
    first = bisect_left(overlay.arc_head, head, first, bisect_left(overlay.arc_tail, tail + 1))
    for arc in range(first, overlay.arc_tail.size):
        if (overlay.arc_tail[arc], overlay.arc_head[arc]) != (tail, head):
            break
        if not overlay.failed_link[colour, overlay.arc_link[arc]]:
            return arc
    return None


def walk(overlay: Overlay, colour: int, source: int, dest: int) -> Walk:
    """The walk of one message, entry by entry as `Overlay` describes: the replay of a witness."""
    brokers, rows = [source], []
    visited = {source}
    while (loc := brokers[-1]) != dest:
        hop, row = entry(overlay, colour, dest, loc)
        rows.append(row)
        if hop != loc and (hop == NO_HOP or live_arc(overlay, colour, loc, hop) is None):
            return Walk(tuple(brokers), tuple(rows), "stopped", hop)
        brokers.append(hop)
        if hop in visited:
            return Walk(tuple(brokers), tuple(rows), "looped")
        visited.add(hop)
    return Walk(tuple(brokers), tuple(rows), "arrived")


def reached_from(overlay: Overlay, colour: int, source: int) -> set[int]:
    """The brokers that live arcs lead to from `source` in `colour`, by a plain search: the replay of a cut."""
    found, waiting = {source}, [source]
    while waiting:
        loc = waiting.pop()
        if loc != source and overlay.transit is not None and not overlay.transit[loc]:
            continue
        first, last = bisect_left(overlay.arc_tail, loc), bisect_left(overlay.arc_tail, loc + 1)
        for head in set(overlay.arc_head[first:last].tolist()) - found:
            if live_arc(overlay, colour, loc, head) is not None:
                found.add(head)
                waiting.append(head)
    return found


class Measures(NamedTuple):
    """For each walk: int32 hops (`NEVER` if it does not arrive), f64 cost and milliseconds (then inf).

    `cost` is in the user's unit and rounded once, from an exact sum: it equals the distance of
    `shortest_paths` exactly where the walk is a shortest path. `latency`: the links' latencies, nothing for
    the brokers.
    """

    hops: NDArray[np.int32]
    cost: NDArray[np.float64]
    latency: NDArray[np.float64]


def measure(
    overlay: Overlay,
    colours: NDArray[np.integer] | int,
    sources: NDArray[np.integer],
    dests: NDArray[np.integer],
) -> Measures:
    """Follow one message for each (colour, source, dest), all at once; `colours` may be one for all.

    Of parallel live arcs a message takes the cheapest, of equally cheap ones the first link's.
    """
    n, size = overlay.n, sources.size
    colour = np.broadcast_to(np.asarray(colours, np.int64), (size,))
    dest = dests.astype(np.int64)
    costs = exact_costs(n, overlay.arc_cost)
    hops = np.full(size, NEVER, np.int32)
    whole = np.zeros(size, costs.whole.dtype)
    latency = np.zeros(size)
    network = Hops.of(overlay)
    going = np.arange(size)
    loc = sources.astype(np.int64)
    for step in range(max(n, 1)):  # a walk that arrives takes less than n hops
        home = loc == dest[going]
        hops[going[home]] = step
        going, loc = going[~home], loc[~home]
        if not going.size:
            break
        hop = entries(overlay, colour[going], dest[going], loc)
        arc = cheapest_live_arcs(overlay, network, colour[going], loc, hop)
        moves = arc >= 0
        going, loc, arc = going[moves], hop[moves].astype(np.int64), arc[moves]
        whole[going] += costs.whole[arc]
        latency[going] += overlay.arc_latency[arc]
    lost = hops == NEVER
    whole[lost] = costs.infinite
    latency[lost] = np.inf
    return Measures(hops, costs.as_float(whole), latency)


def entries(
    overlay: Overlay, colour: NDArray[np.int64], dest: NDArray[np.int64], loc: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The next hops that stand at these places, usable or not; all arrays of one length."""
    hop = overlay.base[dest, loc]
    if overlay.delta_key.size:
        key = overlay.keys.pack(colour, dest, loc)
        at = np.minimum(np.searchsorted(overlay.delta_key, key), overlay.delta_key.size - 1)
        hop = np.where(overlay.delta_key[at] == key, overlay.delta_next[at], hop)
    return hop


def cheapest_live_arcs(
    overlay: Overlay,
    network: Hops,
    colour: NDArray[np.int64],
    tail: NDArray[np.int64],
    head: NDArray[np.int32],
) -> NDArray[np.intp]:
    """The cheapest live arc of each hop, -1 where there is none (or `head` is `NO_HOP` or `tail`)."""
    index = np.where(head == NO_HOP, np.int32(-1), network.index[tail, np.maximum(head, 0)])
    index[head == tail] = -1
    arc = np.where(index < 0, -1, network.start[index])
    unsure = np.flatnonzero(index >= 0)
    while unsure.size:
        here = arc[unsure]
        dead = overlay.failed_link[colour[unsure], overlay.arc_link[here]]
        dead |= overlay.failed_broker[colour[unsure], tail[unsure]]
        dead |= overlay.failed_broker[colour[unsure], head[unsure]]
        unsure = unsure[dead]
        arc[unsure] += 1
        over = arc[unsure] == network.start[index[unsure] + 1]
        arc[unsure[over]] = -1
        unsure = unsure[~over]
    return arc
