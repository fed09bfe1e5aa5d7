"""Estates with recovery tables written as text, planned by networkx: the independent side of the damage tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx

#: link as (smaller, larger) broker, or broker as (broker,)
Element = tuple[int, ...]


@dataclass
class Row:
    """One row of a super routing table; `colours` by name."""

    broker: int
    to: int
    via: int
    colours: list[int]


@dataclass
class Recovery:
    """An estate with colours: `failures` maps the colour's name to what has failed in it."""

    graph: nx.Graph
    failures: dict[int, list[Element]]
    rows: list[Row]
    tolerate: str
    lines: dict[int, int] = field(default_factory=dict)
    colour_lines: dict[int, int] = field(default_factory=dict)
    head_lines: dict[int, int] = field(default_factory=dict)

    def left(self, colour: int) -> nx.Graph:
        """The graph without what has failed in the colour."""
        graph = self.graph.copy()
        for element in self.failures[colour]:
            if len(element) == 2:
                graph.remove_edge(*element)
            else:
                graph.remove_node(element[0])
        return graph

    def text(self) -> str:
        """YAML with one row a line; `lines[i]` is then the line of ``rows[i]``."""
        out = ["momlint: 1", "brokers: {" + ", ".join(f"{b}: " for b in sorted(self.graph)) + "}", "links:"]
        out += [f"  - {{id: L{a}-{b}, between: [{a}, {b}]}}" for a, b in links(self.graph)]
        out += ["failures:", f"  tolerate: {self.tolerate}", "  colours:"]
        for colour, failed in self.failures.items():
            names = ", ".join(f"L{e[0]}-{e[1]}" if len(e) == 2 else str(e[0]) for e in failed)
            out.append(f"    {colour}: [{names}]")
            self.colour_lines[colour] = len(out)
        out.append("  recovery:")
        for broker in sorted(self.graph):
            mine = [index for index, row in enumerate(self.rows) if row.broker == broker]
            if mine:
                out.append(f"    {broker}:")
                self.head_lines[broker] = len(out)
            for index in mine:
                row = self.rows[index]
                out.append(f"      - {{to: {row.to}, via: {row.via}, colours: {row.colours}}}")
                self.lines[index] = len(out)
        return "\n".join(out) + "\n"

    def entries(self) -> dict[tuple[int, int, int], list[int]]:
        """(colour, broker, destination) → the indices of the rows that give it."""
        found: dict[tuple[int, int, int], list[int]] = {}
        for index, row in enumerate(self.rows):
            for colour in row.colours:
                found.setdefault((colour, row.broker, row.to), []).append(index)
        return found


def links(graph: nx.Graph) -> list[tuple[int, int]]:
    """Links with the smaller broker first, sorted."""
    return sorted(tuple(sorted(edge)) for edge in graph.edges)


def plan(graph: nx.Graph, tolerate: str) -> Recovery:
    """Colours for single links or single brokers, and condensed rows by shortest paths with the tie-break."""
    failures: dict[int, list[Element]] = {1: []}
    elements: Iterator[Element] = iter(links(graph) if tolerate == "single-link" else [(b,) for b in sorted(graph)])
    for element in elements:
        failures[len(failures) + 1] = [element]
    recovery = Recovery(graph, failures, [], tolerate)
    sets: dict[tuple[int, int, int], list[int]] = {}
    for colour in failures:
        left = recovery.left(colour)
        distance = dict(nx.all_pairs_shortest_path_length(left))
        for at in left:
            for to in left:
                if at != to and to in distance[at]:
                    via = min(v for v in left[at] if distance[v].get(to) == distance[at][to] - 1)
                    sets.setdefault((at, to, via), []).append(colour)
    recovery.rows = [Row(at, to, via, colours) for (at, to, via), colours in sorted(sets.items())]
    return recovery
