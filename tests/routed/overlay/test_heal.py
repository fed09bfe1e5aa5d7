from __future__ import annotations

from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay import NO_HOP, heal, healed_deltas, solve
from momlint.routed.overlay import healing as module
from tests.budget import examples
from tests.oracles import Oracle
from tests.strategies import F, L, make_overlay, overlays


def healed(overlay):
    before = solve(overlay.n, overlay.arc_tail, overlay.arc_head, overlay.arc_cost)
    return before, heal(before, overlay.arc_link, overlay.failed_link, overlay.failed_broker)


def agrees(overlay) -> None:
    """Deltas are exactly the differences between every colour's shortest paths and the unfailed ones."""
    before, after = healed(overlay)
    n, oracle = overlay.n, Oracle(overlay)
    hop = {(d, u): int(before.next[d, u]) for d in range(n) for u in range(n)}
    expected = {}
    for c in range(overlay.colours):
        exact, hops = oracle.shortest(c)
        entries = {(d, u): hops.get((d, u), NO_HOP) for d in range(n) for u in range(n)}
        expected |= {(c * n + d) * n + u: v for (d, u), v in entries.items() if v != hop[d, u]}
        for key, whole in zip(after.key.tolist(), after.whole.tolist(), strict=True):
            group, u = divmod(key, n)
            if group // n == c:
                distance = exact.get((group % n, u))
                assert (distance is None) == (whole >= before.costs.infinite)
                assert distance is None or distance == whole * before.costs.unit
    key, value = healed_deltas(before, overlay.arc_link, overlay.failed_link, overlay.failed_broker)
    assert dict(zip(key.tolist(), value.tolist(), strict=True)) == expected
    assert key.tolist() == sorted(expected)


@settings(max_examples=examples(300), deadline=None)
@given(overlays(max_colours=6, max_damage=0))
def test_against_recomputing_everything(case):
    agrees(case.overlay)


@settings(max_examples=examples(150), deadline=None)
@given(overlays(max_colours=6, max_damage=0), st.integers(1, 3), st.integers(1, 200))
def test_blocks_of_any_size(case, colours, table):
    with mock.patch.object(module, "_COLOURS", colours), mock.patch.object(module, "_TABLE", table):
        agrees(case.overlay)


def test_every_pair_of_links_and_every_broker():
    links = [L(0, 1), L(1, 2), L(2, 3), L(3, 4), L(4, 0), L(1, 3, 0.5), L(0, 1), L(2, 4, 2.5)]
    colours = [
        F(),
        *(F(pair) for pair in combinations(range(len(links)), 2)),
        *(F((), [b]) for b in range(5)),
    ]
    agrees(make_overlay(5, links, colours=colours))


def test_a_failed_link_between_two_brokers_that_both_lost_their_way():
    # 2 went by 1 to 0. Both links fail; 1 goes by 3, 2 by 4 and 5, and would tie with the failed 2-1 had it not.
    links = [L(0, 1), L(1, 2), L(1, 3), L(3, 0), L(2, 4), L(4, 5), L(5, 0)]
    overlay = make_overlay(6, links, colours=[F([0, 1])])
    agrees(overlay)
    _, after = healed(overlay)
    assert dict(zip(after.key.tolist(), after.next.tolist(), strict=True))[0 * 6 + 2] == 4


def test_parallel_links():
    # One of two equal links: nothing changes. The cheaper of two: dearer, by the same neighbour or another.
    links = [L(0, 1, 1.0), L(0, 1, 1.0), L(1, 2, 1.0), L(1, 2, 5.0), L(0, 2, 4.0)]
    overlay = make_overlay(3, links, colours=[F(), F([0]), F([2])])
    agrees(overlay)
    _, after = healed(overlay)
    assert set((after.key // 9).tolist()) == {2}


def test_costs_beyond_64_bits():
    links = [L(0, 1, 1e-30), L(1, 2, 1e30), L(2, 3, 1.0), L(3, 0, 1.0), L(0, 2, 3.0)]
    overlay = make_overlay(4, links, colours=[F([link]) for link in range(5)])
    assert healed(overlay)[0].whole.dtype == np.object_
    agrees(overlay)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_without_links(n):
    overlay = make_overlay(n, [], colours=[F(), *(F((), [b]) for b in range(n))])
    _, after = healed(overlay)
    assert after.key.size == after.next.size == after.whole.size == after.changed.size == 0


def test_a_ring_where_everything_moves():
    n = 31
    overlay = make_overlay(n, [L(i, (i + 1) % n) for i in range(n)], colours=[F([i]) for i in range(n)])
    agrees(overlay)
