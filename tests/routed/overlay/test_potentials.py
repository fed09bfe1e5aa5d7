"""Costs of walks in every colour against one walk at a time, and Bellman's condition against Dijkstra."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay.columns import Network, blocks
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.potentials import Potentials, dead_base_entries
from momlint.routed.overlay.ragged import Finder
from tests.budget import examples
from tests.strategies import overlays, scrambles

anything = st.one_of(overlays().map(lambda case: case.overlay), scrambles())


def dead(o: Overlay, colour: int, arc: int) -> bool:
    return bool(
        o.failed_link[colour, o.arc_link[arc]]
        or o.failed_broker[colour, o.arc_tail[arc]]
        or o.failed_broker[colour, o.arc_head[arc]]
    )


def live_costs(o: Overlay, colour: int) -> dict[tuple[int, int], Fraction]:
    """Cheapest live arc for each hop."""
    costs: dict[tuple[int, int], Fraction] = {}
    for arc in range(len(o.arc_tail)):
        if not dead(o, colour, arc):
            hop = (int(o.arc_tail[arc]), int(o.arc_head[arc]))
            cost = Fraction(repr(float(o.arc_cost[arc])))
            costs[hop] = min(cost, costs.get(hop, cost))
    return costs


def cost_of_walk(o: Overlay, colour: int, dest: int, loc: int) -> Fraction | None:
    deltas = dict(zip(o.delta_key.tolist(), o.delta_next.tolist(), strict=True))
    costs = live_costs(o, colour)
    total, at = Fraction(0), loc
    for _ in range(o.n + 1):
        if at == dest:
            return total
        hop = deltas.get((colour * o.n + dest) * o.n + at, int(o.base[dest, at]))
        if hop == NO_HOP or (at, hop) not in costs:
            return None
        total += costs[at, hop]
        at = hop
    return None


@settings(max_examples=examples(300), deadline=None)
@given(anything)
def test_potentials_are_the_costs_of_walks(o: Overlay) -> None:
    found = Potentials.of(o)
    keys = np.arange(o.colours * o.n * o.n, dtype=np.int64)
    values = found.at(keys)
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        colour, rest = divmod(key, o.n * o.n)
        dest, loc = divmod(rest, o.n)
        expected = cost_of_walk(o, colour, dest, loc)
        assert (None if value >= found.costs.infinite else value * found.costs.unit) == expected


@settings(max_examples=examples(200), deadline=None)
@given(anything)
def test_what_can_be_improved_is_not_shortest(o: Overlay) -> None:
    """Every improvable walk is longer than Dijkstra's; where none is and the base is right, every walk is shortest."""
    found = Potentials.of(o)
    improvable = set(found.improvable.tolist())
    longer: set[int] = set()
    base_is_right = True
    for colour in range(o.colours):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(o.n))
        graph.add_weighted_edges_from((v, u, w) for (u, v), w in live_costs(o, colour).items())
        for dest in range(o.n):
            distance = nx.single_source_dijkstra_path_length(graph, dest)
            for loc in range(o.n):
                cost = cost_of_walk(o, colour, dest, loc)
                if cost is not None and cost > distance[loc]:
                    longer.add((colour * o.n + dest) * o.n + loc)
    for dest in range(o.n):
        for loc in range(o.n):
            graph_cost = found.base[dest, loc]
            for arc in np.flatnonzero(o.arc_tail == loc).tolist():
                if found.base[dest, o.arc_head[arc]] + found.costs.whole[arc] < graph_cost:
                    base_is_right = False
    assert improvable <= longer
    if base_is_right:
        assert bool(improvable) == bool(longer & set(found.key.tolist()))
        assert longer <= set(found.key.tolist())


@settings(max_examples=examples(200), deadline=None)
@given(anything, st.integers(1, 300))
def test_blocks_do_not_change_the_answer(o: Overlay, size: int) -> None:
    whole, network = Potentials.of(o), Network(o)
    key, improvable, dead = [], [], []
    for block in blocks(o, size):
        part = Potentials.of(o, block, network)
        assert part.base.tolist() == whole.base[block.first : block.last].tolist()
        assert part.value.tolist() == whole.at(part.key).tolist()
        assert part.at(part.key).tolist() == part.value.tolist()
        key += part.key.tolist()
        improvable += part.improvable.tolist()
        dead += dead_base_entries(o, block, network).tolist()
    assert sorted(key) == whole.key.tolist()
    assert sorted(improvable) == whole.improvable.tolist()
    assert sorted(dead) == dead_base_entries(o).tolist()


@given(st.lists(st.integers(0, 5000), unique=True), st.lists(st.integers(0, 5000)))
def test_finder(some: list[int], wanted: list[int]) -> None:
    ordered = sorted(some)
    finder = Finder(np.array(ordered, np.int64))
    expected = [ordered.index(value) if value in some else -1 for value in wanted]
    assert finder.find(np.array(wanted, np.int64)).tolist() == expected
    assert finder.has(np.array(wanted, np.int64)).tolist() == [place >= 0 for place in expected]


@settings(max_examples=100, deadline=None)
@given(anything)
def test_dead_base_entries(o: Overlay) -> None:
    everything = {(int(t), int(h)) for t, h in zip(o.arc_tail, o.arc_head, strict=True)}
    expected = [
        (colour * o.n + dest) * o.n + loc
        for colour in range(o.colours)
        for dest in range(o.n)
        for loc in range(o.n)
        if loc != dest
        and (loc, int(o.base[dest, loc])) in everything
        and (loc, int(o.base[dest, loc])) not in live_costs(o, colour)
    ]
    assert dead_base_entries(o).tolist() == expected
