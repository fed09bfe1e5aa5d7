"""What failures cut: both engines against an enumeration that asks networkx, and the pieces they are made of."""

from __future__ import annotations

import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate.resolved import Tolerate
from momlint.routed.graph import GraphEngine
from momlint.routed.graph import cutsets as by_search
from momlint.routed.overlay.cuts import Graph, forest, immediate_dominators, strong_parts, suspects
from momlint.routed.overlay.elements import connected_pairs
from momlint.routed.questions.failures import Cut, Kept, Smallest
from momlint.routed.questions.question import Proved, Undecided
from momlint.routed.smt import SmtEngine
from momlint.routed.smt import render as render_question
from momlint.routed.smt.cutsets import script
from momlint.routed.smt.scripts import Names
from momlint.routed.smt.scripts import failures as render
from tests.budget import examples
from tests.failing import Estate, random_estate
from tests.strategies import L, question

SEEDS = st.integers(0, 2**32 - 1)
PROMISES = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)).filter(lambda p: sum(p) <= 4)


def ring(n: int) -> list[L]:
    return [L(i, (i + 1) % n) for i in range(n)]


def every(n: int) -> list[tuple[int, int]]:
    return [(s, d) for s in range(n) for d in range(n) if s != d]


@settings(max_examples=examples(500), deadline=None)
@given(SEEDS)
def test_single_failures(seed: int) -> None:
    estate = random_estate(seed, stubs=0.5)
    expected = []
    for element in range(len(estate.elements)):
        cut = estate.cut((element,))
        if cut:
            expected.append(Cut(element, len(cut), *cut[0]))
    asked = range(len(estate.elements))
    assert GraphEngine().survey(estate.overlay, estate.elements, asked) == tuple(expected)
    assert SmtEngine().survey(estate.overlay, estate.elements, asked) == tuple(expected)
    # What another engine says is tried first; right, wrong or half, it makes no difference.
    rng = random.Random(seed)
    wrong = [Cut(rng.choice(asked), 1, rng.randrange(estate.n), rng.randrange(estate.n)) for _ in range(4)]
    some = [cut for cut in expected if rng.random() < 0.5]
    for guesses in (tuple(expected), (*some, *wrong)):
        assert SmtEngine().survey(estate.overlay, estate.elements, asked, guesses) == tuple(expected)


@settings(max_examples=examples(500), deadline=None)
@given(SEEDS, PROMISES)
def test_the_smallest_failure(seed: int, promise: tuple[int, int, int]) -> None:
    estate = random_estate(seed, most=7, stubs=0.5)
    smallest = estate.smallest(*promise)
    expected = Kept() if smallest is None else Smallest(smallest)
    asked = (estate.overlay, estate.elements, Tolerate(*promise))
    assert GraphEngine().smallest(*asked) == expected
    assert SmtEngine().smallest(*asked) == expected


@pytest.mark.parametrize("engine", [GraphEngine(), SmtEngine()])
def test_what_passes_nothing_on_is_no_way_round(engine: GraphEngine | SmtEngine) -> None:
    """The square 0 1 2 3, of which 1 passes nothing on: from 0 to 2 only 3 leads, and 1 itself has two ways."""
    links = [L(0, 1), L(1, 2), L(2, 3), L(3, 0)]
    estate = Estate(4, links, [(0, 2), (1, 2), (1, 3)], stubs=[1])
    # The links 2--3 and 3--0, and broker 3, cut 0 → 2 alone. (From 1 to 2 without 1--2, by 0 and 3.)
    expected = (Cut(2, 1, 0, 2), Cut(3, 1, 0, 2), Cut(7, 1, 0, 2))
    assert engine.survey(estate.overlay, estate.elements, range(8)) == expected
    # Without 0 → 2 it takes two failures: 1 → 2 is cut by 0--1 and 1--2.
    own = Estate(4, links, [(1, 2)], stubs=[1])
    assert engine.smallest(own.overlay, own.elements, Tolerate(2)) == Smallest((0, 1))
    asked = question("connected", estate.overlay, pairs=[(0, 2), (1, 3)], colours=[0])
    assert isinstance(engine.decide(estate.overlay, asked), Proved)


def test_a_script_names_what_starts_at_a_broker_that_passes_nothing_on() -> None:
    estate = Estate(3, ring(3), [(0, 2), (2, 1)], stubs=[2])
    asked = question("connected", estate.overlay)
    text = render_question(estate.overlay, asked, brokers=["a", "b", "c"])
    assert "; b3: what c sends itself; it passes nothing on" in text
    assert "(assert (! (=> b3 b0) :named link_3_0_to_1))" in text


def test_only_what_is_asked_is_answered() -> None:
    estate = Estate(3, [L(0, 1), L(1, 2)], every(3))
    for engine in (GraphEngine(), SmtEngine()):
        # The second link, and the broker in the middle.
        assert engine.survey(estate.overlay, estate.elements, [1, 3]) == (Cut(1, 4, 0, 2), Cut(3, 2, 0, 2))
        assert engine.survey(estate.overlay, estate.elements, [2, 4]) == ()


def test_nothing_needed_is_never_cut() -> None:
    estate = Estate(3, [L(0, 1), L(1, 2)], [])
    for engine in (GraphEngine(), SmtEngine()):
        assert engine.survey(estate.overlay, estate.elements, range(5)) == ()
        assert engine.smallest(estate.overlay, estate.elements, Tolerate(2, 2)) == Kept()


def test_another_solver_reads_the_same_text() -> None:
    for seed in range(12):
        estate = random_estate(seed, most=6)
        promise = Tolerate(2, 1, 1)
        mine = SmtEngine().smallest(estate.overlay, estate.elements, promise)
        assert SmtEngine(solver="cvc5").smallest(estate.overlay, estate.elements, promise) == mine


def test_at_most_two_of_forty() -> None:
    """The ladder counts: a ring of forty is cut by two links, and not by one."""
    estate = Estate(40, ring(40), [(0, 20)])
    for engine in (GraphEngine(), SmtEngine()):
        assert engine.smallest(estate.overlay, estate.elements, Tolerate(1)) == Kept()
        # The first link, and the first on the other side.
        assert engine.smallest(estate.overlay, estate.elements, Tolerate(2)) == Smallest((0, 20))


def test_a_failure_of_four_links_is_not_enumerated() -> None:
    """Of 120 links any 4: eight million failures. The smallest that cuts a 5-regular overlay has 5."""
    graph = nx.random_regular_graph(5, 48, seed=7)
    estate = Estate(48, [L(a, b) for a, b in sorted(graph.edges)], every(48))
    assert nx.edge_connectivity(graph) == 5
    assert SmtEngine().smallest(estate.overlay, estate.elements, Tolerate(4)) == Kept()
    found = SmtEngine().smallest(estate.overlay, estate.elements, Tolerate(5), 5)
    assert isinstance(found, Smallest)
    rest = graph.copy()
    rest.remove_edges_from(sorted(graph.edges)[link] for link in found.failed)
    assert len(found.failed) == 5
    assert not nx.is_connected(rest)


def test_the_search_gives_up_before_it_begins() -> None:
    graph = nx.random_regular_graph(6, 60, seed=1)
    estate = Estate(60, [L(a, b) for a, b in graph.edges], every(60))
    found = by_search.smallest(estate.overlay, estate.elements, Tolerate(0, 5), most_work=100_000)
    assert isinstance(found, Undecided)
    assert "smt" in found.reason


def test_a_solver_without_resources_is_undecided() -> None:
    graph = nx.random_regular_graph(4, 40, seed=1)
    estate = Estate(40, [L(a, b) for a, b in graph.edges], every(40))
    engine = SmtEngine(rlimit=1)
    assert isinstance(engine.smallest(estate.overlay, estate.elements, Tolerate(3)), Undecided)
    assert isinstance(engine.survey(estate.overlay, estate.elements, range(10)), Undecided)


def test_a_script_for_people() -> None:
    estate = Estate(3, ring(3), [(0, 2)], [((0, 1), (1,))])
    overlay = estate.overlay
    text = render(script(overlay, estate.elements, (1, 1, 1), connected_pairs(overlay)), Names(("a", "b", "c")))
    assert "; b2: broker c" in text
    assert "1 link, 1 broker, 1 group" in text
    assert text.count("(check-sat)") == 1


# -- pieces ---------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(300), deadline=None)
@given(SEEDS)
def test_bridges_and_articulation_points(seed: int) -> None:
    estate = random_estate(seed, most=10, one_way=0)
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(estate.n))
    for index, link in enumerate(estate.links):
        graph.add_edge(link.tail, link.head, key=index)
    draw = random.Random(seed)
    down_links = draw.sample(range(len(estate.links)), min(len(estate.links), draw.randrange(3)))
    down_brokers = draw.sample(range(estate.n), draw.randrange(min(estate.n, 3)))
    graph.remove_edges_from([(*estate.links[i][:2], i) for i in down_links])
    graph.remove_nodes_from(down_brokers)
    found = forest(Graph(estate.overlay), down_links, down_brokers)
    single = nx.Graph(graph)
    bridges = {next(iter(graph[a][b])) for a, b in (nx.bridges(single) if len(single) else ()) if len(graph[a][b]) == 1}
    assert {found.parent_link[below] for below in found.bridges} == bridges
    assert set(found.parts) == set(nx.articulation_points(single))
    parts = {frozenset(part) for part in nx.connected_components(single)}
    by_root: dict[int, set[int]] = {}
    for broker, root in enumerate(found.root):
        if root != -1:
            by_root.setdefault(root, set()).add(broker)
    assert {frozenset(part) for part in by_root.values()} == parts


@settings(max_examples=examples(300), deadline=None)
@given(SEEDS)
def test_suspects_are_exact_within_a_strongly_connected_part(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randrange(2, 9)
    links = [L(i, (i + 1) % n, one_way=True) for i in range(n)]
    for _ in range(draw.randrange(2 * n)):
        links.append(L(*draw.sample(range(n), 2), one_way=draw.random() < 0.6))
    estate = Estate(n, links, every(n))
    elements = [element for element in range(len(estate.elements)) if estate.cut((element,))]
    found_links, found_brokers = suspects(Graph(estate.overlay))
    # The root is always looked at.
    found = {*found_links, *(len(links) + broker for broker in found_brokers)}
    assert set(elements) <= found <= {*elements, len(links)}


@settings(max_examples=examples(200), deadline=None)
@given(SEEDS)
def test_dominators_and_strong_parts(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randrange(1, 12)
    graph = nx.gnp_random_graph(n, draw.random() * 0.5, seed=seed % 1000, directed=True)
    found = immediate_dominators(0, [sorted(graph[u]) for u in range(n)])
    expected = nx.immediate_dominators(graph, 0) | {0: 0}
    assert found == [expected.get(u, -1) for u in range(n)]
    overlay = Estate(n, [L(a, b, one_way=True) for a, b in graph.edges], []).overlay
    part, parts = strong_parts(Graph(overlay))
    assert {frozenset(p) for p in parts} == {frozenset(p) for p in nx.strongly_connected_components(graph)}
    assert all(part[u] >= part[v] for u, v in graph.edges)
