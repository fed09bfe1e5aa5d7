"""Failures by brute force, for tests: every set of elements is tried, and networkx says what is still joined.

Nothing of what is under test is used: elements are numbered here as the contract says (links, brokers, groups).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import networkx as nx

from momlint.routed.overlay.elements import Elements
from momlint.routed.overlay.form import Overlay
from tests.strategies import COSTS, L, make_overlay

Pair = tuple[int, int]


@dataclass(frozen=True)
class Estate:
    """Brokers 0 … n-1, links, needed pairs, groups of (links, brokers), and the brokers that pass nothing on."""

    n: int
    links: Sequence[L]
    pairs: Sequence[Pair]
    groups: Sequence[tuple[tuple[int, ...], tuple[int, ...]]] = ()
    stubs: Sequence[int] = ()

    @property
    def overlay(self) -> Overlay:
        return make_overlay(self.n, self.links, pairs=self.pairs, stubs=self.stubs)

    @property
    def elements(self) -> Elements:
        return Elements(len(self.links), self.n, tuple(self.groups))

    def reach(self, failed: Sequence[int]) -> tuple[dict[int, set[int]], set[int]]:
        """From each broker that is up those that it reaches; and the brokers that are down."""
        links: set[int] = set()
        brokers: set[int] = set()
        for element in failed:
            if element < len(self.links):
                links.add(element)
            elif element < len(self.links) + self.n:
                brokers.add(element - len(self.links))
            else:
                of_links, of_brokers = self.groups[element - len(self.links) - self.n]
                links.update(of_links)
                brokers.update(of_brokers)
        graph = nx.DiGraph()
        graph.add_nodes_from(broker for broker in range(self.n) if broker not in brokers)
        for index, link in enumerate(self.links):
            if index not in links and link.tail in graph and link.head in graph:
                graph.add_edge(link.tail, link.head)
                if not link.one_way:
                    graph.add_edge(link.head, link.tail)
        # What a broker that passes nothing on takes in leads nowhere; a broker's own messages start at one beside it.
        through = nx.DiGraph(edge for edge in graph.edges if edge[0] not in self.stubs)
        reached = {}
        for broker in graph:
            through.add_edges_from(("own", head) for head in graph.successors(broker))
            reached[broker] = {broker, *(nx.descendants(through, "own") if "own" in through else ())}
            through.remove_nodes_from(["own"])
        return reached, brokers

    def cut(self, failed: Sequence[int]) -> list[Pair]:
        """The needed pairs, sorted, that this failure cuts: joined before, ends up, not joined after."""
        before, _ = self.reach(())
        after, down = self.reach(failed)
        return [
            (source, dest)
            for source, dest in sorted(self.pairs)
            if dest in before[source] and not {source, dest} & down and dest not in after[source]
        ]

    def failures(self, links: int, brokers: int, groups: int, size: int) -> Iterator[tuple[int, ...]]:
        """Every failure of `size` elements, so many of a kind at most: more links first, then more brokers."""
        kinds = (
            range(len(self.links)),
            range(len(self.links), len(self.links) + self.n),
            range(len(self.links) + self.n, len(self.links) + self.n + len(self.groups)),
        )
        numbers = product(range(links, -1, -1), range(brokers, -1, -1), range(groups, -1, -1))
        for split in (split for split in numbers if sum(split) == size):
            parts = [combinations(kind, number) for kind, number in zip(kinds, split, strict=True)]
            for chosen in product(*parts):
                yield tuple(element for part in chosen for element in part)

    def smallest(self, links: int, brokers: int, groups: int) -> tuple[int, ...] | None:
        """The first of the smallest failures that cut anything."""
        for size in range(1, links + brokers + groups + 1):
            for failed in self.failures(links, brokers, groups, size):
                if self.cut(failed):
                    return failed
        return None


def random_estate(seed: int, *, most: int = 8, one_way: float = 0.3, stubs: float = 0.0) -> Estate:
    """Any graph: in pieces or whole, parallel and one-way links, all pairs needed or a few, groups or none.

    `stubs`: how often some brokers pass nothing on.
    """
    draw = random.Random(seed)
    n = draw.randrange(2, most + 1)
    directed = draw.random() < one_way
    links = []
    if draw.random() < 0.8:
        order = draw.sample(range(n), n)
        links += [L(order[i], order[draw.randrange(i)]) for i in range(1, n)]
    for _ in range(draw.randrange(2 * n + 1)):
        a, b = draw.sample(range(n), 2)
        links.append(L(a, b, draw.choice(COSTS), one_way=directed and draw.random() < 0.5))
    draw.shuffle(links)
    every = [(s, d) for s in range(n) for d in range(n) if s != d]
    pairs = every if draw.random() < 0.4 else draw.sample(every, draw.randrange(min(len(every), 12) + 1))
    groups = []
    for _ in range(draw.choice((0, 0, 1, 2))):
        of_links = draw.sample(range(len(links)), min(len(links), draw.randrange(4)))
        groups.append((tuple(sorted(of_links)), tuple(sorted(draw.sample(range(n), draw.randrange(2))))))
    some = draw.sample(range(n), draw.randrange(1, 1 + n // 2)) if draw.random() < stubs else []
    return Estate(n, links, sorted(pairs), groups, some)
