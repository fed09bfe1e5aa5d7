"""Estates for the tests of recovery tables, and what networkx says of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import networkx as nx

from momlint.estate.resolved import Broker, Colour, Estate, Link, Tolerate
from momlint.findings import Place
from momlint.routed.overlay.super_tables import RecoveryTable
from momlint.routed.recovery.colours import Failure

NOWHERE = Place(0, ())
SINGLE_LINK = Tolerate(links=1)
#: (broker, destination, colour) → next hop; dense ids.
Tables = dict[tuple[int, int, int], int]


def make_estate(
    n: int,
    links: Sequence[tuple[int, int] | tuple[int, int, float] | tuple[int, int, float, bool]],
    tolerate: Tolerate | None = None,
    colours: Sequence[Colour] | None = None,
) -> Estate:
    """Brokers are called 1 … n; a link is (tail, head[, cost[, one way]]) with dense ids."""
    made = []
    for index, (tail, head, *rest) in enumerate(links):
        cost, one_way = (float(rest[0]) if rest else 1.0), bool(rest[1:] and rest[1])
        name = f"{tail + 1}{'->' if one_way else '--'}{head + 1}"
        parallel = sum({one[0], one[1]} == {tail, head} for one in links) > 1
        made.append(Link(f"l{index}" if parallel else name, NOWHERE, tail, head, one_way, cost))
    return Estate(
        name="test",
        brokers=[Broker(str(index + 1), NOWHERE) for index in range(n)],
        links=made,
        topics=(),
        protocol="shortest-path",
        colours=colours or (),
        colours_declared=colours is not None,
        tolerate=tolerate,
    )


def triangle(tolerate: Tolerate | None = SINGLE_LINK) -> Estate:
    """Figure 6-1 of the thesis: links 1-2, 1-3, 2-3."""
    return make_estate(3, [(0, 1), (0, 2), (1, 2)], tolerate)


def random_estate(seed: int, tolerate: Tolerate, most: int = 8) -> Estate:
    """Any graph: costs that tie, parallel and one-way links, parts that hang together or not."""
    chance = random.Random(seed)
    n = chance.randint(1, most)
    links = []
    for _ in range(chance.randint(0, 2 * n)):
        tail, head = chance.randrange(n), chance.randrange(n)
        if tail != head:
            links.append((tail, head, chance.choice([1, 1, 1, 2, 0.1, 0.2, 0.3]), chance.random() < 0.2))
    return make_estate(n, links, tolerate)


def oracle_next_hops(estate: Estate, failure: Failure) -> dict[tuple[int, int], int]:
    """(broker, destination) → next hop by networkx, one Dijkstra a destination; the smallest of equal ones.

    Costs are compared as whole numbers of thousandths, which all of these estates' costs are.
    """
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(index for index in range(len(estate.brokers)) if index not in failure.brokers)
    for index, link in enumerate(estate.links):
        if index in failure.links or {link.tail, link.head} & set(failure.brokers):
            continue
        weight = round(link.cost * 1000)
        graph.add_edge(link.tail, link.head, weight=weight)
        if not link.one_way:
            graph.add_edge(link.head, link.tail, weight=weight)
    hops = {}
    for dest in graph.nodes:
        far = nx.single_source_dijkstra_path_length(graph.reverse(copy=False), dest)
        for loc in far:
            if loc != dest:
                hops[loc, dest] = min(
                    head
                    for _, head, weight in graph.out_edges(loc, "weight")
                    if far.get(head, 1 << 60) + weight == far[loc]
                )
    return hops


def oracle_tables(estate: Estate, failures: Sequence[Failure]) -> Tables:
    """Every next hop in every colour."""
    return {
        (loc, dest, colour): hop
        for colour, failure in enumerate(failures)
        for (loc, dest), hop in oracle_next_hops(estate, failure).items()
    }


def expand(table: RecoveryTable) -> dict[tuple[int, int, int], list[tuple[int, int]]]:
    """(broker, destination, colour) → the (row, next hop) of every row that holds there, in order."""
    found: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for row in range(table.rows):
        for colour in table.colours_of(row).tolist():
            key = (int(table.broker[row]), int(table.to[row]), colour)
            found.setdefault(key, []).append((row, int(table.via[row])))
    return found
