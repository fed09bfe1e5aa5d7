"""Estates written as text for tests of the whole path, with tables made by networkx and judged by a brute-force walker.

Nothing here comes from momlint: the expected values in the tests that use it are this module's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

Tables = dict[int, dict[int, int]]  # location → destination → next hop


def shortest_tables(graph: nx.Graph) -> Tables:
    """Next hops by unweighted shortest paths, ties to the smallest neighbour; brokers count from 1."""
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    return {
        at: {
            to: min(via for via in graph[at] if distance[via].get(to, 10**9) == distance[at][to] - 1)
            for to in graph
            if to != at and to in distance[at]
        }
        for at in graph
    }


@dataclass(frozen=True)
class Written:
    """The text of an estate and the line (1-based) of each row, by (location, next hop); `head` by location."""

    text: str
    rows: Mapping[tuple[int, int], int]
    heads: Mapping[int, int]


def write(graph: nx.Graph, tables: Tables, topics: Mapping[str, tuple[list[int], list[int]]] | None = None) -> Written:
    """One row a line, so that a line names a row."""
    lines = ["momlint: 1", "brokers: {" + ", ".join(f"{b}: " for b in sorted(graph)) + "}", "links:"]
    lines += [f"  - {{between: [{a}, {b}]}}" for a, b in graph.edges]
    if topics:
        lines.append("topics:")
        lines += [f"  {name}: {{publishers: {p}, subscribers: {s}}}" for name, (p, s) in topics.items()]
    lines += ["routing:", "  protocol: tables", "  tables:"]
    rows: dict[tuple[int, int], int] = {}
    heads: dict[int, int] = {}
    for at in sorted(tables):
        by_hop: dict[int, list[int]] = {}
        for to, via in sorted(tables[at].items()):
            by_hop.setdefault(via, []).append(to)
        if not by_hop:
            continue
        lines.append(f"    {at}:")
        heads[at] = len(lines)
        for via, dests in sorted(by_hop.items()):
            lines.append(f"      {via}: {dests}")
            rows[at, via] = len(lines)
    return Written("\n".join(lines) + "\n", rows, heads)


def outcome(graph: nx.Graph, tables: Tables, source: int, dest: int) -> tuple[str, list[int]]:
    """Follow one message with a dictionary and a list: ``arrived``, ``stopped`` or ``looped``, and its walk."""
    walk = [source]
    while walk[-1] != dest:
        at = walk[-1]
        via = tables.get(at, {}).get(dest)
        if via is None or (via != at and not graph.has_edge(at, via)):
            return "stopped", walk
        walk.append(via)
        if via in walk[:-1]:
            return "looped", walk
    return "arrived", walk
