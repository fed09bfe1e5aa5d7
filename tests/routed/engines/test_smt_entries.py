"""Scripts with one symbol an entry: read by eye, and decided as by brute force on tables with many colours."""

from __future__ import annotations

import random
from collections import deque

import pytest

from momlint.routed.graph import GraphEngine
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.questions.question import Proved, Question, Refuted, Verdict
from momlint.routed.smt import SmtEngine, encode
from momlint.routed.smt.scripts import bare, sections_of
from tests.budget import examples
from tests.oracles import Oracle
from tests.strategies import F, make_overlay, question


def keys(verdict: Verdict) -> list[int]:
    """The failing keys; an undecided verdict is no verdict."""
    assert isinstance(verdict, (Proved, Refuted)), verdict
    return verdict.failing.tolist() if isinstance(verdict, Refuted) else []


def scripts(overlay: Overlay, asked: Question) -> list[str]:
    """What a solver reads."""
    return [bare(overlay.n, section) for section in sections_of(overlay, asked)]


class TestTheScript:
    def test_of_a_chain_with_a_way_round(self) -> None:
        """To broker 0, from 3 over 2 and 1; in colour 1 the link from 2 to 1 is down, and 2 goes over 4."""
        links = [(0, 1), (1, 2), (2, 3), (2, 4), (4, 0)]
        base = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (0, 4): 0}
        overlay = make_overlay(5, links, base, colours=[F(), F([1])], deltas={(1, 0, 2): 4})
        asked = question("arrive", overlay, pairs=[(3, 0)])
        # Entry 5 is the one of colour 1 at broker 2, from where it goes on as the base does at 4.
        assert scripts(overlay, asked) == [
            """\
(set-logic QF_UF)
(declare-const e0 Bool)
(declare-const e1 Bool)
(declare-const e2 Bool)
(declare-const e3 Bool)
(declare-const e4 Bool)
(declare-const e5 Bool)
(assert (=> e1 e0))
(assert (=> e2 e1))
(assert (=> e3 e2))
(assert (=> e4 e0))
(assert (=> e5 e4))
(assert (not e0))
(assert (or e3 e5))
(check-sat)
"""
        ]
        assert keys(SmtEngine().decide(overlay, asked)) == []

    def test_a_hop_leads_to_the_next_entry_of_its_colour(self) -> None:
        """In colour 1 broker 1 hands to 3, whose walk in the base, over 2, comes back to 1: a loop in that colour."""
        links = [(0, 1), (1, 2), (2, 3), (3, 1)]
        base = {(0, 1): 0, (0, 2): 1, (0, 3): 2}
        overlay = make_overlay(4, links, base, colours=[F(), F([0])], deltas={(1, 0, 1): 3})
        asked = question("arrive", overlay, pairs=[(2, 0)])
        (script,) = scripts(overlay, asked)
        assert "(assert (=> e4 e4))" in script
        assert keys(SmtEngine().decide(overlay, asked)) == [1 * 16 + 0 * 4 + 2]

    def test_entries_that_lead_to_the_same_are_one(self) -> None:
        """Colours 1 to 3 send broker 1 over 2: one entry beside the three of the base."""
        overlay = make_overlay(
            3,
            [(0, 1), (1, 2), (2, 0)],
            {(0, 1): 0, (0, 2): 0},
            colours=[F(), F([0]), F([0]), F([0])],
            deltas={(c, 0, 1): 2 for c in (1, 2, 3)},
        )
        (script,) = scripts(overlay, question("arrive", overlay, pairs=[(1, 0)]))
        assert [line for line in script.splitlines() if "=>" in line] == [
            "(assert (=> e1 e0))",
            "(assert (=> e2 e0))",
            "(assert (=> e3 e2))",
        ]

    def test_a_dead_hop_is_an_entry_that_leads_nowhere(self) -> None:
        overlay = make_overlay(2, [(0, 1)], {(0, 1): 0, (1, 0): 1}, colours=[F(), F([0])])
        (script,) = scripts(overlay, question("arrive", overlay, pairs=[(1, 0)]))
        assert "(declare-const e2 Bool)" in script
        assert "(=> e2" not in script
        assert keys(SmtEngine().decide(overlay, question("arrive", overlay))) == [4 + 1, 4 + 2]


def test_a_base_that_loops_is_no_matter_where_no_colour_has_it() -> None:
    """The base turns in a circle, 1 and 2; the only colour asked breaks it at 1, and all arrive."""
    overlay = make_overlay(
        3,
        [(0, 1), (1, 2)],
        {(0, 1): 2, (0, 2): 1},
        colours=[F(), F()],
        deltas={(1, 0, 1): 0},
    )
    pairs = [(1, 0), (2, 0)]
    assert keys(SmtEngine().decide(overlay, question("arrive", overlay, pairs=pairs, colours=[1]))) == []
    assert keys(SmtEngine().decide(overlay, question("arrive", overlay, pairs=pairs))) == [1, 2]


def random_tables(chance: random.Random, most: int, colours: int) -> Overlay:
    """Shortest paths, healed in each colour, and then damaged: from not at all to nearly everywhere."""
    n = chance.randint(2, most)
    links = [(i, chance.randrange(i)) for i in range(1, n)]
    links += [tuple(chance.sample(range(n), 2)) for _ in range(chance.randint(0, 2 * n))]  # type: ignore[misc]
    failures = [F()] if chance.random() < 0.8 else []
    for _ in range(chance.randint(1, colours)):
        down = [u for u in range(n) if chance.random() < 0.3 / n * chance.randint(0, 4)]
        failures.append(F([e for e in range(len(links)) if chance.random() < 1.5 / len(links)], down))
    damage, lost = chance.choice([0, 0, 0.02, 0.1, 0.5]), chance.choice([0, 0, 0.1, 0.6])
    base = damaged(chance, next_hops(chance, n, links, F()), n, damage)
    deltas: dict[tuple[int, int, int], int] = {}
    for colour, failed in enumerate(failures):
        healed = damaged(chance, next_hops(chance, n, links, failed), n, damage)
        for cell in sorted({*base, *healed}):
            hop = healed.get(cell, NO_HOP)
            if hop != base.get(cell, NO_HOP) and chance.random() >= lost:
                deltas[colour, *cell] = hop
    return make_overlay(n, links, base, colours=failures, deltas=deltas)


def next_hops(chance: random.Random, n: int, links: list[tuple[int, int]], failed: F) -> dict[tuple[int, int], int]:
    """(destination, broker) → a neighbour on a shortest path over what has not failed, any of them."""
    near: list[set[int]] = [set() for _ in range(n)]
    for index, (a, b) in enumerate(links):
        if index not in failed.links and not {a, b} & set(failed.brokers):
            near[a].add(b)
            near[b].add(a)
    found = {}
    for dest in range(n):
        queue, far = deque([dest]), {dest: 0}
        while queue:
            at = queue.popleft()
            for other in chance.sample(sorted(near[at]), len(near[at])):
                if other not in far:
                    far[other] = far[at] + 1
                    found[dest, other] = at
                    queue.append(other)
    return found


def damaged(
    chance: random.Random, hops: dict[tuple[int, int], int], n: int, share: float
) -> dict[tuple[int, int], int]:
    """Some hops to anywhere, to the broker itself or to nowhere instead."""
    return {cell: chance.randint(NO_HOP, n - 1) if chance.random() < share else hop for cell, hop in hops.items()}


def some_of(chance: random.Random, overlay: Overlay) -> Question:
    """All pairs or some, in all colours or some."""
    pairs = [(s, d) for s in range(overlay.n) for d in range(overlay.n)]
    colours = list(range(overlay.colours))
    if chance.random() < 0.5:
        pairs = chance.sample(pairs, chance.randint(1, min(len(pairs), 12)))
    if chance.random() < 0.4:
        colours = chance.sample(colours, chance.randint(1, len(colours)))
    return question("arrive", overlay, pairs=pairs, colours=colours)


@pytest.mark.parametrize("most", [30, 4000])
def test_as_brute_force_on_many_colours(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`most`: entries in a script, so that each destination has its own, or all share one."""
    monkeypatch.setattr(encode, "_BATCH_OF_ENTRIES", most)
    verdicts = set()
    for seed in range(examples(1200)):
        chance = random.Random(seed)
        overlay = random_tables(chance, 10, 24)
        asked = some_of(chance, overlay)
        verdict = SmtEngine().decide(overlay, asked)
        assert keys(verdict) == Oracle(overlay).failing(asked), seed
        verdicts.add(type(verdict))
    assert verdicts == {Proved, Refuted}


def test_as_the_graph_engine_on_larger_tables() -> None:
    for seed in range(examples(120)):
        chance = random.Random(seed)
        overlay = random_tables(chance, 40, 60)
        asked = some_of(chance, overlay)
        assert keys(SmtEngine().decide(overlay, asked)) == keys(GraphEngine().decide(overlay, asked)), seed


@pytest.mark.parametrize("solver", ["cvc5", "bitwuzla"])
def test_other_solvers_on_many_colours(solver: str) -> None:
    for seed in range(examples(120)):
        chance = random.Random(seed)
        overlay = random_tables(chance, 6, 12)
        asked = some_of(chance, overlay)
        assert keys(SmtEngine(solver=solver).decide(overlay, asked)) == Oracle(overlay).failing(asked), seed


def test_sound_tables_and_the_worst_of_them() -> None:
    """A long ring that is broken anywhere: each colour turns a whole stretch round."""
    n = 40
    links = [(i, (i + 1) % n) for i in range(n)]
    base = {(0, u): u - 1 for u in range(1, n)}
    deltas = {(i + 1, 0, u): (u + 1) % n for i in range(n - 1) for u in range(i + 1, n)}
    overlay = make_overlay(n, links, base, colours=[F(), *(F([i]) for i in range(n))], deltas=deltas)
    asked = question("arrive", overlay, pairs=[(u, 0) for u in range(1, n)])
    assert keys(SmtEngine().decide(overlay, asked)) == []
    # One of them does not turn, in the colour of link 4: it and all behind it stop or come back to it.
    wrong = make_overlay(
        n,
        links,
        base,
        colours=[F(), *(F([i]) for i in range(n))],
        deltas={**deltas, (5, 0, 20): 19},
    )
    # From 5 up to 19 they are handed on to 20, and back.
    assert keys(SmtEngine().decide(wrong, asked)) == [(5 * n + 0) * n + u for u in range(5, 21)]
