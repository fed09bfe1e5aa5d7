from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay import Hops, arcs, components, is_two_way, live_arcs, reach, unconnected, usable_hops
from momlint.routed.overlay.arcs import separated, surely_whole
from tests.budget import examples
from tests.oracles import Oracle
from tests.strategies import F, L, any_overlays, make_overlay


@settings(max_examples=examples(300), deadline=None)
@given(any_overlays(), st.sampled_from([1, 1 << 21]), st.sampled_from([-1, 1 << 21]))
def test_reach_and_live_arcs_against_brute_force(overlay, block, searched):
    oracle = Oracle(overlay)
    n = overlay.n
    every = np.arange(overlay.colours)
    with mock.patch.object(arcs, "_BLOCK", block), mock.patch.object(arcs, "_FEW_ARCS", searched):
        labels = components(overlay, every)
    dead_hops = Hops.of(overlay).dead(overlay, every)
    hops = Hops.of(overlay)
    for c in range(overlay.colours):
        live = oracle.live_arcs(c)
        links = [arc.link for arc in live]
        assert overlay.arc_link[live_arcs(overlay, c)].tolist() == links
        near = {(arc.tail, arc.head) for arc in live}
        alive = ~dead_hops[c]
        assert near == set(zip(hops.tail[alive].tolist(), hops.head[alive].tolist(), strict=True))
        table = usable_hops(overlay, c)
        connected = reach(overlay, c)
        for s in range(n):
            found = oracle.reachable_from(c, s)
            assert set(np.flatnonzero(connected[:, s]).tolist()) == found
            if is_two_way(overlay):
                assert labels[c, s] == min(found)
            for d in range(n):
                entry = oracle.entry(c, d, s)
                assert table[d, s] == (entry if s != d and (s, entry) in near else -1)


@settings(max_examples=examples(300), deadline=None)
@given(any_overlays(), st.sampled_from([1, 1 << 21]))
def test_separated_colours_against_brute_force(overlay, block):
    oracle = Oracle(overlay)
    every = np.arange(overlay.colours)
    sources, dests = (ends.ravel() for ends in np.indices((overlay.n, overlay.n)))
    expected = {}
    for c in every.tolist():
        reached = [oracle.reachable_from(c, s) for s in range(overlay.n)]
        apart = [d not in reached[s] for s, d in zip(sources.tolist(), dests.tolist(), strict=True)]
        if any(apart):
            expected[c] = apart
    with mock.patch.object(arcs, "_BLOCK", block):
        found = {c: apart.tolist() for c, apart in separated(overlay, every, sources, dests)}
        assert found == expected
        if is_two_way(overlay):
            assert set(np.flatnonzero(surely_whole(overlay, every)).tolist()).isdisjoint(expected)
    assert {c for c, apart in unconnected(overlay, every, sources, dests) if apart.any()} == set(expected)


def test_a_ring_of_double_links_has_trees_to_spare():
    n = 6
    ring = [L(i, (i + 1) % n) for i in range(n)]
    overlay = make_overlay(n, ring * 2, colours=[F(), *(F([link]) for link in range(2 * n)), F([], [3])])
    # Any link may fail; of a broker that fails nothing is said.
    assert surely_whole(overlay, np.arange(overlay.colours)).tolist() == [True] * (2 * n + 1) + [False]


def test_two_way():
    assert is_two_way(make_overlay(3, [L(0, 1), L(1, 2), L(0, 1)]))
    assert not is_two_way(make_overlay(2, [L(0, 1, one_way=True)]))
    # Two one-way links, one each way, fail apart: not the same as one two-way link.
    assert not is_two_way(make_overlay(2, [L(0, 1, one_way=True), L(1, 0, one_way=True)]))


@pytest.mark.parametrize("n", [0, 1, 65])
def test_without_links(n):
    overlay = make_overlay(n, [], colours=[F(), F()])
    assert np.array_equal(reach(overlay, 1), np.eye(n, dtype=bool))
    assert components(overlay, np.arange(2)).tolist() == [list(range(n))] * 2


def test_more_than_one_word_of_bits():
    n = 200
    overlay = make_overlay(n, [L(i, i + 1, one_way=True) for i in range(n - 1)])
    connected = reach(overlay, 0)
    assert np.array_equal(connected, np.tril(np.ones((n, n), bool)))


def test_a_long_line_is_one_component():
    n = 500
    overlay = make_overlay(n, [L((i * 7) % n, ((i + 1) * 7) % n) for i in range(n - 1)], colours=[F(), F([250])])
    labels = components(overlay, np.arange(2))
    assert not labels[0].any()
    assert len(set(labels[1].tolist())) == 2
