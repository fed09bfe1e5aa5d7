"""Which arcs are live in which colours, and which brokers they connect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.ragged import segment_starts

#: Elements of the largest temporary array.
_BLOCK = 1 << 21
#: So many spanning trees are looked for.
_TREES = 4
#: Arcs, over all colours, up to which searches one after the other are quicker than rounds of numpy.
_FEW_ARCS = 1 << 11


def live_arcs(overlay: Overlay, colour: int) -> NDArray[np.bool_]:
    """bool[A]: the arcs of which neither the link nor an end has failed in `colour`."""
    live: NDArray[np.bool_] = ~dead_arcs(overlay, np.array([colour]))[0]
    return live


def dead_arcs(overlay: Overlay, colours: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool[K, A]: the arcs that have failed, or an end of which has, in each of `colours`."""
    dead: NDArray[np.bool_] = overlay.failed_link[np.ix_(colours, overlay.arc_link)]
    brokers = overlay.failed_broker[colours]
    if brokers.any():
        dead |= brokers[:, overlay.arc_tail]
        dead |= brokers[:, overlay.arc_head]
    return dead


@dataclass(frozen=True, slots=True)
class Hops:
    """The distinct hops (tail, head) of an overlay; parallel arcs are one hop.

    `tail`, `head`: int32[H], sorted by (tail, head). `start`: intp[H + 1], the arcs of hop h are
    ``start[h]:start[h + 1]``, cheapest first. `index`: int32[N, N], ``index[u, v]`` is the hop or -1.
    """

    tail: NDArray[np.int32]
    head: NDArray[np.int32]
    start: NDArray[np.intp]
    index: NDArray[np.int32]

    @classmethod
    def of(cls, overlay: Overlay) -> Hops:
        """The hops of all arcs, failed or not."""
        n = overlay.n
        pair = overlay.keys.pair(overlay.arc_tail, overlay.arc_head)
        starts = segment_starts(pair)
        tail, head = overlay.arc_tail[starts], overlay.arc_head[starts]
        index = np.full((n, n), -1, np.int32)
        index[tail, head] = np.arange(tail.size, dtype=np.int32)
        return cls(tail, head, np.append(starts, pair.size), index)

    def dead(self, overlay: Overlay, colours: NDArray[np.integer]) -> NDArray[np.bool_]:
        """bool[K, H]: the hops all of whose arcs are dead, in each of `colours`."""
        arcs = dead_arcs(overlay, colours)
        if arcs.shape[1] == self.tail.size:
            return arcs
        return np.logical_and.reduceat(arcs, self.start[:-1], axis=1)


def reach(overlay: Overlay, colour: int) -> NDArray[np.bool_]:
    """bool[N, N]: ``[dest, source]``, some path of live arcs leads from source to dest in `colour`.

    A broker reaches itself, even a failed one.
    """
    n = overlay.n
    bits = _closure(n, overlay.arc_tail, overlay.arc_head, live_arcs(overlay, colour), overlay.transit)
    return np.ascontiguousarray(np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little").astype(bool).T)


def _closure(
    n: int,
    tail: NDArray[np.int32],
    head: NDArray[np.int32],
    live: NDArray[np.bool_],
    transit: NDArray[np.bool_] | None,
) -> NDArray[np.uint64]:
    """Bit ``dest`` of row ``source``: uint64[N, words]; arcs sorted by tail, one hop further a round."""
    words = -(-n // 64)
    own = np.zeros((n, words * 8), np.uint8)
    ids = np.arange(n)
    own[ids, ids >> 3] = 1 << (ids & 7)
    bits = own.view(np.uint64)
    itself = bits.copy()
    tail, head = tail[live], head[live]
    stubs = np.flatnonzero(~transit[head]) if transit is not None else np.zeros(0, np.intp)
    starts = segment_starts(tail)
    if not starts.size:
        return bits
    movers = tail[starts]
    while True:
        before = bits[movers]
        onward = bits[head]
        onward[stubs] = itself[head[stubs]]  # these are reached, and lead nowhere
        after = before | np.bitwise_or.reduceat(onward, starts, axis=0)
        if np.array_equal(before, after):
            return bits
        bits[movers] = after


def components(overlay: Overlay, colours: NDArray[np.integer]) -> NDArray[np.int32]:
    """int32[K, N]: for each colour the smallest broker each broker is connected with, arcs taken both ways.

    Where every link is two-way this is reachability. A failed broker is alone.
    """
    n = overlay.n
    if colours.size * overlay.arc_tail.size <= _FEW_ARCS:
        return _searched(overlay, colours)
    labels = np.tile(np.arange(n, dtype=np.int32), (colours.size, 1))
    ends = np.concatenate((overlay.arc_tail, overlay.arc_head))
    order = np.argsort(ends, kind="stable")
    ends = ends[order]
    others = np.concatenate((overlay.arc_head, overlay.arc_tail))[order]
    starts = segment_starts(ends)
    if not starts.size:
        return labels
    movers = ends[starts]
    step = max(1, _BLOCK // ends.size)
    for first in range(0, colours.size, step):
        block = slice(first, first + step)
        dead = np.concatenate([dead_arcs(overlay, colours[block])] * 2, axis=1)[:, order]
        part = labels[block]
        while True:
            # Every broker takes its neighbours' smallest label, then its label's label (pointer jumping).
            near = np.minimum.reduceat(np.where(dead, np.int32(n), part[:, others]), starts, axis=1)
            after = part.copy()
            after[:, movers] = np.minimum(part[:, movers], near)
            after = np.take_along_axis(after, after, axis=1)
            if np.array_equal(part, after):
                break
            part = after
        labels[block] = part
    return labels


def _searched(overlay: Overlay, colours: NDArray[np.integer]) -> NDArray[np.int32]:
    """`components`, by a search from each broker that no earlier one has found."""
    n = overlay.n
    beside: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for arc, (tail, head) in enumerate(zip(overlay.arc_tail.tolist(), overlay.arc_head.tolist(), strict=True)):
        beside[tail].append((head, arc))
        beside[head].append((tail, arc))
    found = []
    for dead in dead_arcs(overlay, colours).tolist():
        labels = [-1] * n
        for start in range(n):
            if labels[start] >= 0:
                continue
            labels[start] = start
            stack = [start]
            while stack:
                for to, arc in beside[stack.pop()]:
                    if labels[to] < 0 and not dead[arc]:
                        labels[to] = start
                        stack.append(to)
        found.append(labels)
    return np.array(found, np.int32).reshape(colours.size, n)


def is_two_way(overlay: Overlay) -> bool:
    """Whether every link has an arc in each direction, and messages may come back by it wherever they have gone."""
    if overlay.transit is not None:
        return False
    keys, link = overlay.keys, overlay.arc_link.astype(np.int64)
    forth = keys.pack(link, overlay.arc_tail, overlay.arc_head)
    back = keys.pack(link, overlay.arc_head, overlay.arc_tail)
    return bool((np.sort(forth) == np.sort(back)).all())


def surely_whole(overlay: Overlay, colours: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool[K]: colours in which every broker is sure to reach every other; of the others nothing is said.

    A colour in which no broker has failed, and that spares a spanning tree, leaves all in one piece. With trees that
    share no link, as many as are easily found, failures of few links hardly ever touch all of them. Only for overlays
    that are `is_two_way`.
    """
    whole = np.zeros(colours.size, np.bool_)
    trees = _spanning_trees(overlay)
    step = max(1, _BLOCK // max(overlay.links, 1))
    for first in range(0, colours.size, step):
        block = colours[first : first + step]
        failed = overlay.failed_link[block]
        for links in trees:
            whole[first : first + step] |= ~failed[:, links].any(axis=1)
        whole[first : first + step] &= ~overlay.failed_broker[block].any(axis=1)
    return whole


def _spanning_trees(overlay: Overlay) -> list[list[int]]:
    """The links of spanning trees that have none in common, found greedily: `_TREES` of them at most.

    Trees by depth first search are long paths, which leave every broker links for the next tree.
    """
    near: list[list[tuple[int, int]]] = [[] for _ in range(overlay.n)]
    for tail, head, link in zip(
        overlay.arc_tail.tolist(), overlay.arc_head.tolist(), overlay.arc_link.tolist(), strict=True
    ):
        near[tail].append((head, link))
    used: set[int] = set()
    trees: list[list[int]] = []
    while overlay.n and len(trees) < _TREES:
        tree: list[int] = []
        seen = {0}
        ways = [iter(near[0])]
        while ways:
            for head, link in ways[-1]:
                if head not in seen and link not in used:
                    seen.add(head)
                    tree.append(link)
                    ways.append(iter(near[head]))
                    break
            else:
                ways.pop()
        if len(seen) < overlay.n:
            break
        used.update(tree)
        trees.append(tree)
    return trees


def separated(
    overlay: Overlay,
    colours: NDArray[np.integer],
    sources: NDArray[np.integer],
    dests: NDArray[np.integer],
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """As `unconnected`, but only those of `colours` in which some pair is unconnected, in turn.

    Most failures leave an overlay in one piece, and to look at millions of pairs in each of thousands of colours takes
    longer than to find that out.
    """
    if not is_two_way(overlay):
        yield from ((colour, apart) for colour, apart in unconnected(overlay, colours, sources, dests) if apart.any())
        return
    if colours.size * overlay.arc_tail.size > _BLOCK:
        colours = colours[~surely_whole(overlay, colours)]
    step = max(1, _BLOCK // max(overlay.n, 1))
    for first in range(0, colours.size, step):
        block = colours[first : first + step]
        labels = components(overlay, block)
        for place in np.flatnonzero(labels.any(axis=1)).tolist():
            apart = labels[place][sources] != labels[place][dests]
            if apart.any():
                yield int(block[place]), apart


def unconnected(
    overlay: Overlay,
    colours: NDArray[np.integer],
    sources: NDArray[np.integer],
    dests: NDArray[np.integer],
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """For each of `colours` in turn: which pairs (a mask over them) no path of live arcs joins.

    Pairs with a failed end count as unconnected (unless source and dest are the same broker).
    """
    if is_two_way(overlay):
        for colour, labels in zip(colours.tolist(), components(overlay, colours), strict=True):
            # Most colours leave everything in one piece; then no pair needs to be looked at.
            whole = not labels.any()
            yield (
                colour,
                np.zeros(sources.size, bool) if whole else labels[sources] != labels[dests],
            )
        return
    place = dests.astype(np.int64) >> 6
    shift = (dests.astype(np.uint64)) & np.uint64(63)
    for colour in colours.tolist():
        bits = _closure(overlay.n, overlay.arc_tail, overlay.arc_head, live_arcs(overlay, colour), overlay.transit)
        yield colour, (bits[sources, place] >> shift) & np.uint64(1) == 0
