from __future__ import annotations

import random
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.routed.graph import GraphEngine
from momlint.routed.graph import arrivals as module
from momlint.routed.overlay import build_overlay, hop_count
from momlint.routed.questions.question import Proved, Question, Refuted
from tests.budget import examples
from tests.oracles import Oracle
from tests.routed.overlay.samples import (
    SIX_LINKS,
    SIX_TABLES,
    SIX_TOPICS,
    TRIANGLE_COLOURS,
    TRIANGLE_LINKS,
    TRIANGLE_RECOVERY,
    make_estate,
)
from tests.strategies import F, L, make_overlay, overlays, question, scrambles

graph = GraphEngine()


def decide(overlay, asked: Question) -> list[int]:
    verdict = graph.decide(overlay, asked)
    if isinstance(verdict, Proved):
        return []
    assert isinstance(verdict, Refuted)
    assert verdict.failing.dtype == np.int64
    assert verdict.failing.size
    return verdict.failing.tolist()


def check(overlay, bound: int) -> None:
    oracle = Oracle(overlay)
    for asked in (
        question("arrive", overlay),
        question("connected", overlay),
        question("arrive-within", overlay, bound=bound),
    ):
        assert decide(overlay, asked) == oracle.failing(asked), asked.kind


@settings(max_examples=examples(2000), deadline=None, suppress_health_check=list(HealthCheck))
@given(overlays(), st.integers(0, 7))
def test_graph_agrees_with_brute_force(case, bound):
    check(case.overlay, bound)


@settings(max_examples=examples(500), deadline=None, suppress_health_check=list(HealthCheck))
@given(scrambles(), st.integers(0, 7))
def test_nearly_everything_wrong(overlay, bound):
    check(overlay, bound)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(overlays(max_colours=8), st.integers(0, 7), st.integers(1, 3), st.integers(1, 100), st.integers(1, 300))
def test_blocks_of_any_size(case, bound, colours, table, entries):
    with mock.patch.multiple(module, _COLOURS=colours, _TABLE=table, _ENTRIES=entries):
        check(case.overlay, bound)


@settings(max_examples=examples(300), deadline=None)
@given(overlays(max_colours=6), st.data())
def test_some_pairs_in_some_colours(case, data):
    overlay = case.overlay
    n = overlay.n
    broker = st.integers(0, n - 1)
    pairs = data.draw(st.lists(st.tuples(broker, broker), unique=True, max_size=8))
    colours = data.draw(st.lists(st.integers(0, overlay.colours - 1), unique=True))
    for kind, bound in (("arrive", None), ("connected", None), ("arrive-within", 2)):
        asked = question(kind, overlay, pairs=pairs, colours=colours, bound=bound)
        assert decide(overlay, asked) == Oracle(overlay).failing(asked)


def six(rows):
    return build_overlay(make_estate(6, SIX_LINKS, protocol="tables", tables=rows, topics=SIX_TOPICS))


def test_six_brokers():
    overlay = six(SIX_TABLES)
    assert isinstance(graph.decide(overlay, question("arrive", overlay)), Proved)
    assert isinstance(graph.decide(overlay, question("arrive-within", overlay, bound=3)), Proved)
    # With two hops at most, 1 -> 5, 5 -> 1 and 6 -> 3 are too far; sorted by destination, then source.
    assert decide(overlay, question("arrive-within", overlay, bound=2)) == [0 * 6 + 4, 2 * 6 + 5, 4 * 6 + 0]


def test_six_brokers_with_5s_traffic_sent_to_6():
    rows = list(SIX_TABLES)
    rows[7] = (3, 5, [4])
    overlay = six(rows)
    assert decide(overlay, question("arrive", overlay)) == [4 * 6 + 0]  # 1 -> 5, and nothing else that topics need
    every = [(s, d) for s in range(6) for d in range(6) if s != d]
    assert decide(overlay, question("arrive", overlay, pairs=every)) == [4 * 6 + s for s in (0, 1, 2, 3, 5)]
    assert isinstance(graph.decide(overlay, question("connected", overlay, pairs=every)), Proved)


def triangle(rows):
    return build_overlay(make_estate(3, TRIANGLE_LINKS, colours=TRIANGLE_COLOURS, recovery=rows))


def test_triangle():
    overlay = triangle(TRIANGLE_RECOVERY)
    assert isinstance(graph.decide(overlay, question("arrive", overlay)), Proved)
    assert isinstance(graph.decide(overlay, question("connected", overlay)), Proved)
    # In each failed colour exactly the two ends of the failed link are two hops apart.
    assert decide(overlay, question("arrive-within", overlay, bound=1)) == [
        (1 * 3 + 0) * 3 + 1,
        (1 * 3 + 1) * 3 + 0,
        (2 * 3 + 0) * 3 + 2,
        (2 * 3 + 2) * 3 + 0,
        (3 * 3 + 1) * 3 + 2,
        (3 * 3 + 2) * 3 + 1,
    ]


def test_triangle_with_the_wrong_row():
    rows = list(TRIANGLE_RECOVERY)
    rows[10] = (2, 0, 0, [2])  # broker 3 still sends what is for 1 over the failed link 1-3
    overlay = triangle(rows)
    assert decide(overlay, question("arrive", overlay)) == [(2 * 3 + 0) * 3 + 2]
    rows[10] = (2, 0, 1, [2])
    # Broker 2 sends what is for 1 to 3, except where 2-3 has failed; in colour 3 broker 3 sends it back.
    rows[4] = (1, 0, 2, [0, 1, 2])
    rows[5] = (1, 0, 0, [3])
    overlay = triangle(rows)
    assert decide(overlay, question("arrive", overlay)) == [(2 * 3 + 0) * 3 + 1, (2 * 3 + 0) * 3 + 2]


def test_a_pair_with_a_failed_end_is_not_asked():
    overlay = make_overlay(3, [(0, 1), (1, 2)], colours=[F((), [1])])
    assert decide(overlay, question("arrive", overlay)) == [0 * 3 + 2, 2 * 3 + 0]
    assert decide(overlay, question("connected", overlay)) == [0 * 3 + 2, 2 * 3 + 0]


def test_a_colour_may_mend_what_the_base_breaks():
    links = [(0, 1), (1, 2), (2, 3), (3, 0)]
    base = {(2, 0): 3, (2, 3): 0, (2, 1): 2}  # 0 and 3 send each other what is for 2
    deltas = {(1, 2, 0): 1}
    overlay = make_overlay(4, links, base, colours=[F(), F([2])], deltas=deltas, pairs=[(0, 2), (3, 2), (1, 2)])
    assert decide(overlay, question("arrive", overlay)) == [8 + 0, 8 + 3]


@pytest.mark.parametrize("tail", range(6))
@pytest.mark.parametrize("cycle", range(2, 6))
def test_a_delta_that_leads_into_a_loop_of_the_base(tail, cycle):
    # Broker 0 is the destination, 1 its neighbour; the tail leads from 2 on into the cycle.
    n = 2 + tail + cycle
    links = [(0, 1), *((i, i + 1) for i in range(1, n - 1)), (n - 1, 2 + tail)]
    base = {(0, 1): 0, **{(0, i): i + 1 for i in range(2, n - 1)}, (0, n - 1): 2 + tail}
    overlay = make_overlay(n, links, base, colours=[F(), F()], deltas={(1, 0, 1): 2}, pairs=[(1, 0)])
    assert decide(overlay, question("arrive", overlay)) == [n * n + 1]


def test_bound_is_required():
    overlay = make_overlay(2, [(0, 1)])
    with pytest.raises(ValueError, match="bound"):
        graph.decide(overlay, question("arrive-within", overlay))


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("kind", ["arrive", "arrive-within", "connected"])
def test_next_to_nothing(n, kind):
    overlay = make_overlay(n, [], colours=[F(), F()])
    failing = [2 * (2 * c + d) + (1 - d) for c in range(2) for d in range(2)] if n == 2 else []
    assert decide(overlay, question(kind, overlay, bound=0)) == failing
    for none in (
        question(kind, overlay, pairs=[], bound=0),
        question(kind, overlay, colours=[], bound=0),
        question(kind, overlay, pairs=[(i, i) for i in range(n)], bound=0),
    ):
        assert isinstance(graph.decide(overlay, none), Proved)


def test_larger_tables_against_networkx():
    """120 brokers, wrong entries here and there, against the ancestors of each destination in its column."""
    rng = random.Random(11)
    n = 120
    links = [(i, rng.randrange(i)) for i in range(1, n)] + [tuple(rng.sample(range(n), 2)) for _ in range(80)]
    sound = build_overlay(make_estate(n, links))
    base = {(d, u): int(sound.base[d, u]) for d in range(n) for u in range(n)}
    for _ in range(60):
        base[rng.randrange(n), rng.randrange(n)] = rng.randrange(-1, n)
    overlay = make_overlay(n, links, base)
    near = set(zip(overlay.arc_tail.tolist(), overlay.arc_head.tolist(), strict=True))
    expected = []
    for d in range(n):
        column = nx.DiGraph()
        column.add_nodes_from(range(n))
        column.add_edges_from((u, base[d, u]) for u in range(n) if u != d and (u, base[d, u]) in near)
        arriving = nx.ancestors(column, d) | {d}
        expected += [d * n + u for u in range(n) if u not in arriving]
    assert expected
    assert decide(overlay, question("arrive", overlay)) == expected


def test_every_single_link_of_a_larger_overlay():
    """60 brokers, all single-link colours, damage in base and deltas, against one colour at a time."""
    rng = random.Random(3)
    n = 60
    links = [L(i, rng.randrange(i), rng.choice((1.0, 2.0))) for i in range(1, n)]
    links += [L(*rng.sample(range(n), 2)) for _ in range(40)]
    estate_links = [(link.tail, link.head, link.cost) for link in links]
    colours = [([], []), *(([e], []) for e in range(len(links))), *(([], [b]) for b in range(n))]
    healed = build_overlay(make_estate(n, estate_links, colours=colours))
    base = {(d, u): int(healed.base[d, u]) for d in range(n) for u in range(n)}
    deltas = {}
    for key, hop in zip(healed.delta_key.tolist(), healed.delta_next.tolist(), strict=True):
        deltas[key // (n * n), key // n % n, key % n] = hop if rng.random() < 0.99 else rng.randrange(-1, n)
    for _ in range(30):
        base[rng.randrange(n), rng.randrange(n)] = rng.randrange(-1, n)
    overlay = make_overlay(n, links, base, colours=[F(down, dead) for down, dead in colours], deltas=deltas)
    apart = ~np.eye(n, dtype=bool)
    for kind, bound in (("arrive", None), ("arrive-within", 9), ("arrive-within", 4)):
        expected = []
        for c in range(overlay.colours):
            count = hop_count(overlay, c)
            fails = ((count < 0) | (count > (n if bound is None else bound))) & apart
            fails[overlay.failed_broker[c]] = False
            fails[:, overlay.failed_broker[c]] = False
            expected.append(np.flatnonzero(fails) + c * n * n)
        assert decide(overlay, question(kind, overlay, bound=bound)) == np.concatenate(expected).tolist()
