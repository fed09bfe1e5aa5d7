from __future__ import annotations

import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay import build_overlay, super_paths
from momlint.routed.overlay import superpaths as module
from tests.budget import examples
from tests.oracles import Oracle
from tests.oracles import super_paths as expected_super_paths
from tests.routed.overlay.samples import SIX_LINKS, SIX_TOPICS, make_estate
from tests.strategies import any_overlays, make_overlay


def test_six_brokers_one_path_proves_its_sub_paths():
    # Thesis 5.2: once 1 -> 5 is proved, 1 -> 2, 1 -> 4, 2 -> 4, 2 -> 5 and 4 -> 5 are.
    pairs = [(0, 4), (0, 1), (0, 3), (1, 3), (1, 4), (3, 4)]
    base = build_overlay(make_estate(6, SIX_LINKS)).base
    table = {(d, u): int(base[d, u]) for d in range(6) for u in range(6)}
    overlay = make_overlay(6, SIX_LINKS, table, pairs=pairs)
    kept = super_paths(overlay)
    assert list(zip(overlay.pair_source[kept], overlay.pair_dest[kept], strict=True)) == [(0, 4)]


def test_six_brokers_topics():
    overlay = build_overlay(make_estate(6, SIX_LINKS, topics=SIX_TOPICS))
    # 1 -> 2 lies on 1 -> 5; the walk 6 -> 3 passes 4 and 2, but the other way than 3 -> 4.
    assert super_paths(overlay).tolist() == [False, True, True, True, True, True]


def test_a_sub_path_that_its_own_column_does_not_follow_is_not_covered():
    links = [(0, 1), (1, 2), (0, 2)]
    base = {(2, 0): 1, (2, 1): 2, (1, 0): 2, (1, 2): 1}  # 0 sends what is for 1 by 2, what is for 2 by 1
    overlay = make_overlay(3, links, base, pairs=[(0, 1), (0, 2), (1, 2)])
    assert super_paths(overlay).tolist() == [True, True, False]


def test_a_walk_that_does_not_arrive_covers_nothing():
    links = [(0, 1), (1, 2), (2, 3)]
    base = {(3, 0): 1, (3, 1): 2, (2, 0): 1, (2, 1): 2, (1, 0): 1}
    overlay = make_overlay(4, links, base, pairs=[(0, 3), (0, 2), (0, 1)])
    assert super_paths(overlay).tolist() == [False, True, True]


@settings(max_examples=examples(500), deadline=None)
@given(any_overlays(), st.sampled_from([1, 50, 1 << 21]))
def test_against_brute_force(overlay, block):
    oracle = Oracle(overlay)
    for c in range(overlay.colours):
        with mock.patch.object(module, "_BLOCK", block):
            got = super_paths(overlay, c).tolist()
        assert got == expected_super_paths(oracle, c)


@pytest.mark.parametrize("n", [70, 130])
def test_more_than_one_word_of_bits(n):
    rng = random.Random(n)
    links = [(i, rng.randrange(i)) for i in range(1, n)] + [tuple(rng.sample(range(n), 2)) for _ in range(n // 2)]
    estate = make_estate(n, links)
    overlay = build_overlay(estate)
    chosen = rng.sample(range(overlay.pair_source.size), 600)
    pairs = [(int(overlay.pair_source[i]), int(overlay.pair_dest[i])) for i in chosen]
    table = {(d, u): int(overlay.base[d, u]) for d in range(n) for u in range(n)}
    overlay = make_overlay(n, links, table, pairs=pairs)
    assert super_paths(overlay).tolist() == expected_super_paths(Oracle(overlay), 0)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_pairs(n):
    assert super_paths(make_overlay(n, [], pairs=[])).tolist() == []


def test_pairs_level_off_as_topics_grow():
    """The shape of Table 5-5: pairs grow up to all ordered pairs, super-paths level off well below them."""
    rng = random.Random(1)
    n = 50
    links = [(i, rng.randrange(i)) for i in range(1, n)] + [tuple(rng.sample(range(n), 2)) for _ in range(25)]
    counts = []
    for topics in (10, 100, 1000, 10_000):
        wanted = {str(t): ([rng.randrange(n)], rng.sample(range(n), 5)) for t in range(topics)}
        counts.append(int(super_paths(build_overlay(make_estate(n, links, topics=wanted))).sum()))
    assert counts[0] < counts[1] < counts[2]
    assert counts[3] < n * (n - 1) / 2
    assert np.ptp(counts[2:]) < 0.25 * counts[3]
