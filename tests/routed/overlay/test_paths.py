from __future__ import annotations

import random
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay import NO_HOP, paths
from momlint.routed.overlay.paths import shortest_paths
from tests.budget import examples
from tests.oracles import Oracle
from tests.strategies import L, make_overlay, overlays


def solved(overlay):
    return shortest_paths(overlay.n, overlay.arc_tail, overlay.arc_head, overlay.arc_cost)


def agrees(overlay) -> None:
    distance, hop = solved(overlay)
    exact, expected = Oracle(overlay).shortest(0)
    n = overlay.n
    assert distance.dtype == np.float64
    assert hop.dtype == np.int32
    assert hop.tolist() == [[expected.get((d, u), NO_HOP) for u in range(n)] for d in range(n)]
    assert distance.tolist() == [
        [float(exact[d, u]) if (d, u) in exact else float("inf") for u in range(n)] for d in range(n)
    ]


@settings(max_examples=examples(300), deadline=None)
@given(overlays(max_colours=1, max_damage=0), st.booleans())
def test_against_exact_bellman_ford(case, large):
    with mock.patch.object(paths, "_RUSTWORKX_FROM", 0 if large else 10**9):
        agrees(case.overlay)


@settings(max_examples=examples(300), deadline=None)
@given(overlays(max_colours=1, max_damage=0), st.randoms(use_true_random=False))
def test_towards_some(case, rng):
    o = case.overlay
    dests = sorted(rng.sample(range(o.n), rng.randint(0, max(o.n // 2, 1))))
    exact, expected = Oracle(o).shortest(0)
    whole, hop = paths.towards(o.n, o.arc_tail, o.arc_head, o.arc_cost, o.transit, np.array(dests, np.int64))
    costs = paths.exact_costs(o.n, o.arc_cost)
    assert hop.tolist() == [[expected.get((d, u), NO_HOP) for u in range(o.n)] for d in dests]
    assert costs.as_float(whole).tolist() == [
        [float(exact[d, u]) if (d, u) in exact else float("inf") for u in range(o.n)] for d in dests
    ]


@settings(max_examples=50, deadline=None)
@given(overlays(max_colours=1, max_damage=0), st.integers(1, 7))
def test_blocks_of_any_size(case, block):
    with mock.patch.object(paths, "_BLOCK", block):
        agrees(case.overlay)


@pytest.mark.parametrize("large", [True, False])
def test_decimal_sums_tie(large):
    # By 1 it costs 0.1 + 0.2, by 2 as much, directly 0.3: a tie for decimals, not for floats; 1 comes first.
    links = [L(0, 1, 0.1), L(1, 3, 0.2), L(0, 2, 0.2), L(2, 3, 0.1), L(0, 3, 0.3)]
    with mock.patch.object(paths, "_RUSTWORKX_FROM", 0 if large else 10**9):
        distance, hop = solved(make_overlay(4, links))
    assert distance[3, 0] == 0.3
    assert hop[3, 0] == 1


def test_a_difference_below_any_tolerance_counts():
    links = [L(0, 1, 1.0), L(1, 3, 1.0), L(0, 2, 1.0), L(2, 3, 0.9999999999999)]
    assert solved(make_overlay(4, links))[1][3, 0] == 2


def test_a_very_cheap_link_is_no_loop():
    # With a relative tolerance the link 0-1 is tight both ways for destination 2.
    links = [L(0, 1, 1e-15), L(0, 2, 1e6), L(1, 2, 1e6)]
    _, hop = solved(make_overlay(3, links))
    assert hop[2].tolist() == [2, 2, NO_HOP]


def test_costs_of_any_size():
    rng = random.Random(7)
    links = [L(*rng.sample(range(9), 2), rng.choice((1e-200, 3e150, 0.7, 1 / 3))) for _ in range(20)]
    agrees(make_overlay(9, links))


@pytest.mark.parametrize("n", [0, 1, 2, 130])
def test_without_links(n):
    distance, hop = solved(make_overlay(n, []))
    assert (hop == NO_HOP).all()
    assert np.array_equal(distance, np.where(np.eye(n, dtype=bool), 0, np.inf))


@pytest.mark.parametrize("weighted", [True, False])
def test_large_against_networkx(weighted):
    rng = random.Random(5)
    n = 150
    graph = nx.gnm_random_graph(n, 260, seed=5)  # sparse enough to fall apart
    for _, _, data in graph.edges(data=True):
        data["weight"] = rng.choice((0.5, 0.25, 1.5)) if weighted else 1.0
    links = [L(a, b, data["weight"]) for a, b, data in graph.edges(data=True)]
    distance, hop = solved(make_overlay(n, links))
    assert not nx.is_connected(graph)
    for d, to_d in nx.all_pairs_dijkstra_path_length(graph):
        expected = [to_d.get(u, float("inf")) for u in range(n)]
        assert distance[d].tolist() == expected
        for u in to_d:
            if u != d:
                tight = [v for v in graph[u] if to_d[v] + graph[u][v]["weight"] == to_d[u]]
                assert hop[d, u] == min(tight)
