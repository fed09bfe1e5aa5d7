"""A brute-force reading of an `Overlay`, for tests only: plain dictionaries and loops.

Written from the sentences in `Overlay`'s docstring. It shares nothing with the code under test: it reads
the arrays once into dictionaries and never uses numpy after that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Literal, NamedTuple

from momlint.routed.overlay.form import Overlay
from momlint.routed.questions.question import Question

End = Literal["arrived", "stopped", "looped"]


class Arc(NamedTuple):
    tail: int
    head: int
    cost: Fraction
    latency: float
    link: int


class Oracle:
    """Answers every question about one overlay by following one message at a time."""

    def __init__(self, overlay: Overlay) -> None:
        n = self.n = int(overlay.n)
        self.colours = int(overlay.failed_link.shape[0])
        self.arcs = [
            # The decimal that the user wrote, not the binary fraction next to it: 0.1 + 0.2 is 0.3.
            Arc(int(a), int(b), Fraction(repr(float(w))), float(ms), int(e))
            for a, b, w, ms, e in zip(
                overlay.arc_tail.tolist(),
                overlay.arc_head.tolist(),
                overlay.arc_cost.tolist(),
                overlay.arc_latency.tolist(),
                overlay.arc_link.tolist(),
                strict=True,
            )
        ]
        self.base = {(d, u): int(v) for d, row in enumerate(overlay.base.tolist()) for u, v in enumerate(row)}
        self.delta: dict[tuple[int, int, int], int] = {}
        for key, v in zip(overlay.delta_key.tolist(), overlay.delta_next.tolist(), strict=True):
            rest, u = divmod(key, n)
            c, d = divmod(rest, n)
            self.delta[c, d, u] = v
        self.failed_links = [{e for e, dead in enumerate(row) if dead} for row in overlay.failed_link.tolist()]
        self.failed_brokers = [{b for b, dead in enumerate(row) if dead} for row in overlay.failed_broker.tolist()]
        self.stubs = (
            set() if overlay.transit is None else {b for b, on in enumerate(overlay.transit.tolist()) if not on}
        )
        self._live: dict[int, list[Arc]] = {}
        self._hops: dict[int, set[tuple[int, int]]] = {}
        self.pairs = list(zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True))

    def live_arcs(self, colour: int) -> list[Arc]:
        if colour not in self._live:
            links, brokers = self.failed_links[colour], self.failed_brokers[colour]
            self._live[colour] = [a for a in self.arcs if a.link not in links and not {a.tail, a.head} & brokers]
        return self._live[colour]

    def live_hops(self, colour: int) -> set[tuple[int, int]]:
        if colour not in self._hops:
            self._hops[colour] = {(a.tail, a.head) for a in self.live_arcs(colour)}
        return self._hops[colour]

    def entry(self, colour: int, dest: int, loc: int) -> int:
        """The next hop that stands in the table, usable or not; -1 where there is none."""
        return self.delta.get((colour, dest, loc), self.base[dest, loc])

    def walk(self, colour: int, source: int, dest: int) -> tuple[list[int], End]:
        """The brokers that the message visits, and how it ends; the repeated broker closes a loop."""
        live = self.live_hops(colour)
        seen = [source]
        while seen[-1] != dest:
            loc = seen[-1]
            hop = self.entry(colour, dest, loc)
            if hop == loc:
                return [*seen, loc], "looped"
            if hop == -1 or (loc, hop) not in live:
                return seen, "stopped"
            if hop in seen:
                return [*seen, hop], "looped"
            seen.append(hop)
        return seen, "arrived"

    def reachable_from(self, colour: int, source: int) -> set[int]:
        """The brokers that some path of live arcs leads to, `source` among them; none leads through a stub."""
        near: dict[int, list[int]] = {}
        for tail, head in self.live_hops(colour):
            near.setdefault(tail, []).append(head)
        found, todo = {source}, [source]
        while todo:
            at = todo.pop()
            for head in near.get(at, ()) if at == source or at not in self.stubs else ():
                if head not in found:
                    found.add(head)
                    todo.append(head)
        return found

    def holds(self, kind: str, colour: int, source: int, dest: int, bound: int | None = None) -> bool:
        dead = self.failed_brokers[colour]
        if source == dest or source in dead or dest in dead:
            return True
        if kind == "connected":
            return dest in self.reachable_from(colour, source)
        brokers, end = self.walk(colour, source, dest)
        if kind == "arrive":
            return end == "arrived"
        assert kind == "arrive-within"
        assert bound is not None
        return end == "arrived" and len(brokers) - 1 <= bound

    def failing(self, question: Question) -> list[int]:
        """The sorted keys ``(colour * n + dest) * n + source`` for which `question` does not hold."""
        pairs = list(zip(question.sources.tolist(), question.dests.tolist(), strict=True))
        return sorted(
            (c * self.n + d) * self.n + s
            for c in question.colours.tolist()
            for s, d in pairs
            if not self.holds(question.kind, c, s, d, question.bound)
        )

    def shortest(self, colour: int) -> tuple[dict[tuple[int, int], Fraction], dict[tuple[int, int], int]]:
        """Exact least costs ``[dest, loc]`` (absent: unreachable) and next hops with the tie-break."""
        return shortest(self.n, self.live_arcs(colour))

    def cheapest_arc(self, colour: int, tail: int, head: int) -> Arc:
        """The arc that a message takes from `tail` to `head`: least cost, then the first link."""
        return min(
            (a for a in self.live_arcs(colour) if (a.tail, a.head) == (tail, head)),
            key=lambda a: (a.cost, a.link),
        )


def shortest(n: int, arcs: Iterable[Arc]) -> tuple[dict[tuple[int, int], Fraction], dict[tuple[int, int], int]]:
    """Bellman-Ford, a destination at a time; ties by the smallest neighbour.

    On whole multiples of the costs' common denominator, which is as exact as fractions and much quicker.
    """
    arcs = list(arcs)
    unit = math.lcm(*(a.cost.denominator for a in arcs))
    plain = [(a.tail, a.head, int(a.cost * unit)) for a in arcs]
    distance: dict[tuple[int, int], Fraction] = {}
    hop: dict[tuple[int, int], int] = {}
    for d in range(n):
        to_d = {d: 0}
        changed = True
        while changed:
            changed = False
            for tail, head, cost in plain:
                if head in to_d:
                    through = cost + to_d[head]
                    if tail not in to_d or through < to_d[tail]:
                        to_d[tail] = through
                        changed = True
        for u, best in to_d.items():
            distance[d, u] = Fraction(best, unit)
            tight = [head for tail, head, cost in plain if tail == u and head in to_d and cost + to_d[head] == best]
            if u != d:
                hop[d, u] = min(tight)
    return distance, hop


def super_paths(oracle: Oracle, colour: int) -> list[bool]:
    """For each needed pair: True unless another needed pair's walk holds this one's as a segment."""
    walks = {pair: oracle.walk(colour, *pair) for pair in oracle.pairs}
    arriving = {pair: tuple(brokers) for pair, (brokers, end) in walks.items() if end == "arrived"}

    def segments(brokers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for i in range(len(brokers)):
            for j in range(i + 1, len(brokers)):
                yield brokers[i : j + 1]

    covered: set[tuple[int, int]] = set()
    for pair, brokers in arriving.items():
        for segment in segments(brokers):
            inner = (segment[0], segment[-1])
            if inner != pair and arriving.get(inner) == segment:
                covered.add(inner)
    return [pair not in covered for pair in oracle.pairs]
