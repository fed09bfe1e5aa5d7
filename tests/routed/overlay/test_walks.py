from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from momlint.routed.overlay import (
    NEVER,
    NO_HOP,
    NO_ROW,
    Walk,
    build_overlay,
    hop_count,
    live_arc,
    measure,
    shortest_paths,
    walk,
)
from tests.budget import examples
from tests.oracles import Oracle
from tests.routed.overlay.samples import SIX_LINKS, SIX_TABLES, make_estate
from tests.strategies import F, L, any_overlays, make_overlay, overlays


def test_six_brokers_walk_and_its_rows():
    overlay = build_overlay(make_estate(6, SIX_LINKS, protocol="tables", tables=SIX_TABLES))
    assert walk(overlay, 0, 0, 4) == Walk((0, 1, 3, 4), (0, 6, 7), "arrived")
    assert walk(overlay, 0, 4, 4) == Walk((4,), (), "arrived")


def test_six_brokers_with_5s_traffic_sent_to_6():
    rows = list(SIX_TABLES)
    rows[7] = (3, 5, [4])
    looped = build_overlay(make_estate(6, SIX_LINKS, protocol="tables", tables=rows))
    assert walk(looped, 0, 0, 4) == Walk((0, 1, 3, 5, 3), (0, 6, 7, 3), "looped")
    rows[3] = (5, 3, [0, 1, 2, 3])  # and 6 knows no way to 5
    stopped = build_overlay(make_estate(6, SIX_LINKS, protocol="tables", tables=rows))
    assert walk(stopped, 0, 0, 4) == Walk((0, 1, 3, 5), (0, 6, 7, NO_ROW), "stopped", NO_HOP)


def test_the_ways_to_stop_and_to_loop():
    links = [(0, 1), (1, 2), (2, 3)]
    base = {(3, 0): 1, (3, 1): 0, (3, 2): 2, (2, 1): 3, (2, 0): 1, (1, 2): 1, (0, 1): 0}
    colours = [F(), F([1]), F((), [2])]
    overlay = make_overlay(4, links, base, colours=colours)
    assert walk(overlay, 0, 0, 3) == Walk((0, 1, 0), (4, 5), "looped")
    assert walk(overlay, 0, 2, 3) == Walk((2, 2), (6,), "looped")
    assert walk(overlay, 0, 0, 2) == Walk((0, 1), (2, 3), "stopped", 3)  # 3 is no neighbour of 1
    assert walk(overlay, 0, 2, 1).end == "arrived"
    assert walk(overlay, 1, 2, 1) == Walk((2,), (1,), "stopped", 1)  # the link has failed
    assert walk(overlay, 2, 2, 1) == Walk((2,), (1,), "stopped", 1)  # the broker has failed
    assert walk(overlay, 0, 3, 0) == Walk((3,), (NO_ROW,), "stopped", NO_HOP)


@settings(max_examples=examples(400), deadline=None)
@given(any_overlays())
def test_replay_against_brute_force(overlay):
    oracle = Oracle(overlay)
    for c in range(overlay.colours):
        for s in range(overlay.n):
            for d in range(overlay.n):
                brokers, end = oracle.walk(c, s, d)
                got = walk(overlay, c, s, d)
                assert (list(got.brokers), got.end) == (brokers, end)
                assert len(got.rows) == len(brokers) - (end != "stopped")


@settings(max_examples=examples(400), deadline=None)
@given(any_overlays())
def test_measures_and_hop_counts_against_brute_force(overlay):
    oracle = Oracle(overlay)
    n, colours = overlay.n, overlay.colours
    keys = np.arange(colours * n * n)
    colour, dest, source = keys // (n * n), keys // n % n, keys % n
    hops, cost, latency = measure(overlay, colour, source, dest)
    counts = [hop_count(overlay, c) for c in range(colours)]
    for key in keys.tolist():
        c, d, s = key // (n * n), key // n % n, key % n
        brokers, end = oracle.walk(c, s, d)
        if end != "arrived":
            assert (hops[key], cost[key], latency[key]) == (NEVER, np.inf, np.inf)
            assert counts[c][d, s] == NEVER
        else:
            used = [oracle.cheapest_arc(c, u, v) for u, v in pairwise(brokers)]
            assert hops[key] == counts[c][d, s] == len(used)
            assert cost[key] == float(sum(arc.cost for arc in used))
            assert latency[key] == sum(arc.latency for arc in used)


@settings(max_examples=100, deadline=None)
@given(overlays(max_colours=1, max_damage=0))
def test_the_cost_of_a_shortest_walk_is_the_distance_to_the_bit(case):
    overlay = case.overlay
    distance, _ = shortest_paths(overlay.n, overlay.arc_tail, overlay.arc_head, overlay.arc_cost)
    pairs = overlay.pair_source, overlay.pair_dest
    assert measure(overlay, 0, *pairs).cost.tolist() == distance[pairs[1], pairs[0]].tolist()


def test_a_parallel_link_takes_over_in_its_colour():
    links = [L(0, 1, 2.0, 9.0), L(0, 1, 1.0, 5.0), L(0, 1, 2.0, 7.0)]
    overlay = make_overlay(2, links, {(1, 0): 1}, colours=[F(), F([1]), F([0, 1]), F([0, 1, 2])])
    every = np.arange(4)
    hops, cost, latency = measure(overlay, every, np.zeros(4, int), np.ones(4, int))
    assert hops.tolist() == [1, 1, 1, NEVER]
    assert cost.tolist() == [1.0, 2.0, 2.0, np.inf]
    assert latency.tolist() == [5.0, 9.0, 7.0, np.inf]
    arcs = [live_arc(overlay, c, 0, 1) for c in range(4)]
    assert [None if arc is None else int(overlay.arc_link[arc]) for arc in arcs] == [1, 0, 2, None]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_nothing_to_measure(n):
    overlay = make_overlay(n, [])
    none = np.zeros(0, np.int32)
    assert all(part.size == 0 for part in measure(overlay, 0, none, none))
    assert hop_count(overlay, 0).tolist() == np.where(np.eye(n, dtype=bool), 0, NEVER).tolist()
