"""The solver engine against hand-counted overlays, the brute-force oracle, and other solvers."""

from __future__ import annotations

import io
import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import cvc5
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pysmt.environment import Environment
from pysmt.smtlib.parser import SmtLibParser

from momlint.errors import UsageError
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided, Verdict
from momlint.routed.smt import SmtEngine, expected_seconds, render
from momlint.solving import with_z3
from tests.budget import examples
from tests.oracles import Oracle
from tests.strategies import Case, F, L, make_overlay, overlays, question

# The six brokers of the thesis (5.2), broker i as i - 1: 4 hands what is for 5 to 6 in the faulty one.
SIX_LINKS = [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5)]
SIX_ROWS = {
    1: {2: (2, 3, 4, 5, 6)},
    2: {1: (1,), 3: (3,), 4: (4, 5, 6)},
    3: {2: (1, 2, 4, 5, 6)},
    4: {2: (1, 2, 3), 5: (5,), 6: (6,)},
    5: {4: (1, 2, 3, 4, 6)},
    6: {4: (1, 2, 3, 4, 5)},
}
SIX_BASE = {
    (dest - 1, loc - 1): via - 1 for loc, row in SIX_ROWS.items() for via, dests in row.items() for dest in dests
}


def keys(verdict: Verdict) -> list[int]:
    """The failing keys; an undecided verdict is no verdict."""
    assert isinstance(verdict, (Proved, Refuted)), verdict
    return verdict.failing.tolist() if isinstance(verdict, Refuted) else []


def triples(overlay: Overlay, verdict: Verdict) -> list[tuple[int, int, int]]:
    """(colour, source, dest) of each failing key, brokers counted from 1."""
    n = overlay.n
    return sorted((k // (n * n), k % n + 1, k // n % n + 1) for k in keys(verdict))


def triangle(**changes: int) -> Overlay:
    """The PCRT triangle, colours normal, F(1,2), F(1,3), F(2,3), as deltas to the direct hops.

    `changes`: ``c1_d1_l0=…`` replaces or adds the delta in colour 1 for broker index 1 at broker index 0.
    """
    deltas = {
        (1, 1, 0): 2,
        (1, 0, 1): 2,
        (2, 2, 0): 1,
        (2, 0, 2): 1,
        (3, 2, 1): 0,
        (3, 1, 2): 0,
    }
    for name, value in changes.items():
        colour, dest, loc = (int(part[1:]) for part in name.split("_"))
        deltas[colour, dest, loc] = value
    base = {(d, u): d for d in range(3) for u in range(3) if d != u}
    colours = [F(), F([0]), F([1]), F([2])]
    return make_overlay(3, [(0, 1), (0, 2), (1, 2)], base, colours=colours, deltas=deltas)


class TestByHand:
    def test_six_brokers_arrive(self) -> None:
        overlay = make_overlay(6, SIX_LINKS, SIX_BASE)
        assert isinstance(SmtEngine().decide(overlay, question("arrive", overlay)), Proved)

    def test_six_brokers_with_4_sending_for_5_to_6(self) -> None:
        # 6 has 4 as its next hop for 5, so the two hand it to and fro: nobody reaches 5.
        overlay = make_overlay(6, SIX_LINKS, {**SIX_BASE, (4, 3): 5})
        verdict = SmtEngine().decide(overlay, question("arrive", overlay))
        assert triples(overlay, verdict) == [(0, s, 5) for s in (1, 2, 3, 4, 6)]

    def test_six_brokers_with_6_not_knowing_5(self) -> None:
        overlay = make_overlay(6, SIX_LINKS, {**SIX_BASE, (4, 3): 5, (4, 5): NO_HOP})
        verdict = SmtEngine().decide(overlay, question("arrive", overlay, pairs=[(0, 4), (5, 4), (0, 5)]))
        assert triples(overlay, verdict) == [(0, 1, 5), (0, 6, 5)]

    def test_six_brokers_by_hops(self) -> None:
        # Pairs three hops apart: 1 or 3 to 5 or 6 and back.
        overlay = make_overlay(6, SIX_LINKS, SIX_BASE)
        verdict = SmtEngine().decide(overlay, question("arrive-within", overlay, bound=2))
        far = [(1, 5), (1, 6), (3, 5), (3, 6), (5, 1), (5, 3), (6, 1), (6, 3)]
        assert triples(overlay, verdict) == [(0, s, d) for s, d in far]
        assert isinstance(SmtEngine().decide(overlay, question("arrive-within", overlay, bound=3)), Proved)

    @pytest.mark.parametrize("bound", [0, 1])
    def test_a_bound_below_the_first_hop(self, bound: int) -> None:
        overlay = make_overlay(3, [(0, 1), (1, 2)], {(1, 0): 1, (2, 0): 1, (2, 1): 2})
        asked = question("arrive-within", overlay, pairs=[(0, 1), (0, 2), (1, 2)], bound=bound)
        expected = {0: [(0, 1, 2), (0, 1, 3), (0, 2, 3)], 1: [(0, 1, 3)]}[bound]
        assert triples(overlay, SmtEngine().decide(overlay, asked)) == expected

    def test_triangle_in_all_colours(self) -> None:
        overlay = triangle()
        assert isinstance(SmtEngine().decide(overlay, question("arrive", overlay)), Proved)

    def test_triangle_with_a_slip_loops_in_its_colour_only(self) -> None:
        # Broker 3 hands what is for 1 to 2 in colour F(1,2), where 2 hands it to 3.
        overlay = triangle(c1_d0_l2=1)
        verdict = SmtEngine().decide(overlay, question("arrive", overlay))
        assert triples(overlay, verdict) == [(1, 2, 1), (1, 3, 1)]

    def test_triangle_without_a_detour_stops_at_the_failed_link(self) -> None:
        overlay = triangle(c3_d2_l1=2)
        verdict = SmtEngine().decide(overlay, question("arrive", overlay))
        assert triples(overlay, verdict) == [(3, 2, 3)]

    def test_what_has_failed_is_not_asked(self) -> None:
        # A chain 1 - 2 - 3; in colour 1 broker 2 has failed: only 1 and 3 lose each other.
        base = {(1, 0): 1, (2, 0): 1, (0, 1): 0, (2, 1): 2, (0, 2): 1, (1, 2): 1}
        overlay = make_overlay(3, [(0, 1), (1, 2)], base, colours=[F(), F([], [1]), F([], [0, 1, 2])])
        for kind in ("arrive", "connected"):
            verdict = SmtEngine().decide(overlay, question(kind, overlay))
            assert triples(overlay, verdict) == [(1, 1, 3), (1, 3, 1)]

    def test_a_cut_is_seen_whatever_the_tables_say(self) -> None:
        overlay = make_overlay(4, [(0, 1), L(1, 2, one_way=True), (2, 3)], colours=[F(), F([2])])
        verdict = SmtEngine().decide(overlay, question("connected", overlay))
        backwards = [(3, 1), (3, 2), (4, 1), (4, 2)]
        across = [(1, 4), (2, 4), (3, 4), (4, 3)]
        assert triples(overlay, verdict) == sorted(
            [(0, s, d) for s, d in backwards] + [(1, s, d) for s, d in backwards + across]
        )

    def test_one_of_two_parallel_links_is_enough(self) -> None:
        base = {(1, 0): 1, (0, 1): 0}
        overlay = make_overlay(2, [(0, 1), (0, 1)], base, colours=[F([0]), F([1]), F([0, 1])])
        for kind in ("arrive", "connected"):
            verdict = SmtEngine().decide(overlay, question(kind, overlay))
            assert triples(overlay, verdict) == [(2, 1, 2), (2, 2, 1)]

    @pytest.mark.parametrize("hop", [0, NO_HOP, 2])
    def test_a_hop_that_leads_nowhere(self, hop: int) -> None:
        # To itself, none, and to a broker that is no neighbour.
        overlay = make_overlay(3, [(0, 1)], {(1, 0): hop, (1, 2): 0})
        verdict = SmtEngine().decide(overlay, question("arrive", overlay, pairs=[(0, 1)]))
        assert triples(overlay, verdict) == [(0, 1, 2)]

    def test_nothing_asked_holds(self) -> None:
        overlay = make_overlay(3, [(0, 1)])
        none = question("arrive", overlay, pairs=[])
        assert isinstance(SmtEngine().decide(overlay, none), Proved)
        assert isinstance(SmtEngine().decide(overlay, question("arrive", overlay, pairs=[(1, 1)])), Proved)
        assert isinstance(SmtEngine().decide(overlay, question("arrive", overlay, colours=[])), Proved)
        empty = make_overlay(0, [])
        assert isinstance(SmtEngine().decide(empty, question("connected", empty)), Proved)


@pytest.mark.parametrize("bound", [None, -1])
def test_a_question_within_no_bound_is_refused(bound: int | None) -> None:
    overlay = make_overlay(2, [(0, 1)])
    asked = question("arrive-within", overlay, bound=bound)
    for ask in (SmtEngine().decide, render, expected_seconds):
        with pytest.raises(ValueError, match="needs a bound"):
            ask(overlay, asked)


@st.composite
def questions(draw: st.DrawFn, case: st.SearchStrategy[Case]) -> tuple[Overlay, Question]:
    """An overlay with a question on some of its colours."""
    overlay = draw(case).overlay
    kind = draw(st.sampled_from(["arrive", "arrive", "arrive-within", "connected"]))
    every = range(overlay.colours)
    colours = draw(st.lists(st.sampled_from(every), unique=True, min_size=1)) if draw(st.booleans()) else every
    bound = draw(st.integers(0, overlay.n)) if kind == "arrive-within" else None
    if kind == "connected":
        # Next hops are no matter here; those that lead through a stub would be none (see `Overlay`).
        stubs = draw(st.sets(st.integers(0, overlay.n - 1), max_size=overlay.n // 2))
        overlay = replace(overlay, transit=~np.isin(np.arange(overlay.n), sorted(stubs)) if stubs else None)
    return overlay, question(kind, overlay, colours=colours, bound=bound)


SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=examples(1000), deadline=None, suppress_health_check=SLOW_TO_DRAW)
@given(questions(overlays(max_n=9, max_colours=5)))
def test_as_the_brute_force_oracle_on_every_key(asked: tuple[Overlay, Question]) -> None:
    overlay, about = asked
    assert keys(SmtEngine().decide(overlay, about)) == Oracle(overlay).failing(about)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW_TO_DRAW)
@given(questions(overlays(max_n=7, max_colours=4)))
def test_cvc5_through_pysmt_decides_the_same(asked: tuple[Overlay, Question]) -> None:
    overlay, about = asked
    assert keys(SmtEngine(solver="cvc5").decide(overlay, about)) == Oracle(overlay).failing(about)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW_TO_DRAW)
@given(questions(overlays(max_n=7, max_colours=4)))
def test_bitwuzla_decides_the_same(asked: tuple[Overlay, Question]) -> None:
    overlay, about = asked
    assert keys(SmtEngine(solver="bitwuzla").decide(overlay, about)) == Oracle(overlay).failing(about)


@pytest.mark.parametrize("hops", [1, 12])
def test_in_one_script_or_many(hops: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small overlays fit into one script; here each destination has its own, or few share one."""
    from momlint.routed.smt import encode

    monkeypatch.setattr(encode, "_BATCH", hops)
    monkeypatch.setattr(encode, "_BATCH_OF_ENTRIES", hops)

    @settings(max_examples=examples(200), deadline=None, suppress_health_check=SLOW_TO_DRAW)
    @given(questions(overlays(max_n=7, max_colours=4)))
    def as_the_oracle(asked: tuple[Overlay, Question]) -> None:
        overlay, about = asked
        assert keys(SmtEngine().decide(overlay, about)) == Oracle(overlay).failing(about)

    as_the_oracle()


def test_pysmt_dispatches_to_z3_as_well() -> None:
    from momlint.routed.smt.scripts import bare, sections_of
    from momlint.routed.smt.solve import failing
    from momlint.solving.limits import SolverLimits
    from momlint.solving.with_pysmt import PysmtSession

    overlay = triangle(c1_d0_l2=1)
    found: list[int] = []
    for section in sections_of(overlay, question("arrive", overlay)):
        session = PysmtSession("z3", bare(3, section), SolverLimits(10_000_000))
        for keys_found in failing(3, section, session):
            found += keys_found.tolist()
    # To broker 1 in colour F(1,2), from 2 and from 3.
    assert sorted(found) == [(1 * 3 + 0) * 3 + 1, (1 * 3 + 0) * 3 + 2]


def test_a_trap_is_tried_in_all_colours() -> None:
    """A broker that hands everything back is a trap in every colour, and one model tells of all of them."""
    links = [(0, 1), (1, 2), (0, 3)]
    base = {(2, 0): 1, (2, 1): 0, (2, 3): 0}
    overlay = make_overlay(4, links, base, colours=[F(), *(F([2]) for _ in range(30))])
    asked = question("arrive", overlay, pairs=[(0, 2), (1, 2), (3, 2)])
    # 3 is cut off by the failure of its link, but its own row led into the loop: it fails in all 31 as well.
    verdict = SmtEngine(traps=2).decide(overlay, asked)
    assert keys(verdict) == [(c * 4 + 2) * 4 + s for c in range(31) for s in (0, 1, 3)]


def test_a_solver_that_is_not_there() -> None:
    overlay = make_overlay(2, [(0, 1)])
    with pytest.raises(UsageError, match=r"no solver 'abacus' here; found: .*z3"):
        SmtEngine(solver="abacus").decide(overlay, question("arrive", overlay))


def expected_answers(overlay: Overlay, about: Question) -> list[str]:
    """What each check-sat of a rendered script has to say, by the oracle: one a destination that is asked."""
    oracle = Oracle(overlay)
    failing = {key // overlay.n % overlay.n for key in oracle.failing(about)}
    pairs = zip(about.sources.tolist(), about.dests.tolist(), strict=True)
    dests = sorted({d for s, d in pairs if s != d})
    alive = [d for d in dests if any(d not in oracle.failed_brokers[c] for c in about.colours.tolist())]
    return ["sat" if d in failing else "unsat" for d in alive]


def answers_of_pysmt(script: str, solver: str) -> list[str]:
    """The script read by pysmt's parser and run on one of its solvers."""
    environment = Environment()
    parsed = SmtLibParser(environment).get_script(io.StringIO(script))
    log = parsed.evaluate(environment.factory.Solver(name=solver, logic="QF_UF"))
    return ["sat" if result else "unsat" for command, result in log if command == "check-sat"]


def answers_of_cvc5(script: str) -> list[str]:
    """The script read by cvc5's own parser."""
    terms = cvc5.TermManager()
    solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
    solver.setOption("incremental", "true")
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(str(command.invoke(solver, symbols)).strip())
    return [answer for answer in said if answer]


def answers_of_bitwuzla(script: str, folder: Path) -> list[str]:
    """The script read by bitwuzla's own parser, which prints; so in a process of its own."""
    file = folder / "script.smt2"
    file.write_text(script, encoding="utf-8")
    code = "import bitwuzla as b, sys; b.Parser(b.TermManager(), b.Options()).parse(sys.argv[1], False)"
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    return done.stdout.split()


class TestRender:
    BROKERS = ("nord", "süd; (east)", "west\n(assert false)", "|4|", "5", "6", "7", "8", "9")
    COLOURS = ("normal", "rot", "grün\r", 'q"uote', "x")

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=SLOW_TO_DRAW)
    @given(questions(overlays(max_n=7, max_colours=4)))
    def test_other_solvers_read_the_same_script(self, asked: tuple[Overlay, Question]) -> None:
        overlay, about = asked
        expected = expected_answers(overlay, about)
        names = {"brokers": self.BROKERS[: overlay.n], "colours": self.COLOURS[: overlay.colours]}
        for script in (render(overlay, about), render(overlay, about, **names, title="all\nof it")):
            assert answers_of_cvc5(script) == expected
            assert answers_of_pysmt(script, "z3") == expected
        # pysmt switches something on in cvc5 that does not go with unsat cores.
        assert answers_of_pysmt(render(overlay, about, cores=False, **names), "cvc5") == expected

    @pytest.mark.parametrize("kind", ["arrive", "arrive-within", "connected"])
    def test_bitwuzla_reads_the_same_script(self, kind: str, tmp_path: Path) -> None:
        overlay = triangle(c1_d0_l2=1)
        about = question(kind, overlay, bound=1)
        script = render(overlay, about, brokers=self.BROKERS[:3], colours=self.COLOURS[:4])
        assert answers_of_bitwuzla(script, tmp_path) == expected_answers(overlay, about)

    def test_a_core_names_the_entries_that_the_proof_rests_on(self) -> None:
        import z3

        overlay = make_overlay(6, SIX_LINKS, SIX_BASE)
        script = render(overlay, question("arrive", overlay, pairs=[(0, 4)]))
        solver = z3.Solver()
        solver.from_string(script)
        named = [line.split(":named ")[1].rstrip(")") for line in script.splitlines() if ":named" in line]
        assert solver.check(*map(z3.Bool, named)) == z3.unsat
        # The walk 1 2 4 5, and nothing of what 3 and 6 do.
        core = {str(name) for name in solver.unsat_core()}
        assert core == {"hop_0_to_4", "hop_1_to_4", "hop_3_to_4"}

    def test_the_script_of_the_triangle(self) -> None:
        overlay = triangle()
        script = render(
            overlay,
            question("arrive", overlay, pairs=[(0, 1)]),
            brokers=["1", "2", "3"],
            colours=["normal", "F(1,2)", "F(1,3)", "F(2,3)"],
            title="triangle, 1 to 2",
        )
        assert (
            script
            == """\
; momlint: do the walks by next hops arrive?
; triangle, 1 to 2
;
; unsat: it holds for every pair asked, in every colour asked.
; sat: it fails; the model (get-model) shows where: in the colour x that is true (without one, in any of the
; plain colours), for the brokers b that are true.
;
; b0: broker 1
; b1: broker 2
; b2: broker 3
(set-option :produce-unsat-cores true)
(set-option :produce-models true)
(set-logic QF_UF)
; to 2
; without a colour x: colour normal, colour F(1,3)
; x1: colour F(1,2)
; x3: colour F(2,3)
(declare-const b0 Bool)
(declare-const b1 Bool)
(declare-const b2 Bool)
(declare-const x1 Bool)
(declare-const x3 Bool)
(declare-const k0 Bool)
; at most one colour
(assert (=> x1 (not k0)))
(assert (=> x3 k0))
; next hops: a broker in the trap hands on to a broker in the trap
(assert (! (=> b0 (or b1 x1)) :named hop_0_to_1))
(assert (! (=> b2 (or b1 x3)) :named hop_2_to_1))
(assert (! (=> (and x1 b0) b2) :named hop_0_to_1_in_1))
(assert (! (=> (and x3 b2) b0) :named hop_2_to_1_in_3))
; the destination is not in it
(assert (not b1))
; one of the sources asked is in it
(assert b0)
(check-sat)
"""
        )


def ring(n: int) -> Overlay:
    """A ring whose next hops go round one way, in a colour for each link that has failed and one without."""
    links = [(i, (i + 1) % n) for i in range(n)]
    base = {(d, u): (u + 1) % n for d in range(n) for u in range(n) if u != d}
    # Where link i has failed, whoever is before it on the way turns round, and so does everybody behind him.
    deltas = {
        (i + 1, d, u): (u - 1) % n
        for i in range(n)
        for d in range(n)
        for u in range(n)
        if u != d and (i - u) % n < (d - u) % n
    }
    return make_overlay(n, links, base, colours=[F(), *(F([i]) for i in range(n))], deltas=deltas)


class TestLimits:
    def test_the_ring_is_sound(self) -> None:
        overlay = ring(12)
        assert isinstance(SmtEngine().decide(overlay, question("arrive", overlay)), Proved)

    def test_too_few_resources_are_undecided(self) -> None:
        overlay = ring(12)
        verdict = SmtEngine(rlimit=1).decide(overlay, question("arrive", overlay))
        assert isinstance(verdict, Undecided)
        assert verdict.reason == "the solver found no answer within 1 resource units"

    def test_too_few_resources_for_all_that_fails_are_undecided_too(self) -> None:
        # Some keys may have been found by then; a part of them is no verdict.
        overlay = make_overlay(6, SIX_LINKS, {**SIX_BASE, (4, 3): 5})
        assert isinstance(SmtEngine(rlimit=1).decide(overlay, question("arrive", overlay)), Undecided)

    def test_resources_do_not_depend_on_the_machine(self) -> None:
        overlay = ring(9)
        asked = question("arrive", overlay)
        limits = [2**i for i in range(4, 22)]
        outcomes = [[type(SmtEngine(rlimit=i).decide(overlay, asked)) for i in limits] for _ in range(2)]
        assert outcomes[0] == outcomes[1]
        assert {Undecided, Proved} == set(outcomes[0])

    @pytest.mark.parametrize("timeout", [0.0, 1e-6])
    def test_no_time_is_undecided(self, timeout: float) -> None:
        overlay = ring(12)
        verdict = SmtEngine(timeout=timeout).decide(overlay, question("arrive", overlay))
        assert isinstance(verdict, Undecided)
        assert "the solver found no answer within" in verdict.reason

    def test_the_clock_stops_what_resources_do_not(self) -> None:
        overlay = ring(40)
        begin = time.monotonic()
        engine = SmtEngine(timeout=0.05, rlimit=2**31)
        verdict = engine.decide(overlay, question("arrive", overlay))
        assert isinstance(verdict, Undecided)
        assert verdict.reason == "the solver found no answer within 0.05 s"
        assert time.monotonic() - begin < 5

    def test_cvc5_gives_up_as_well(self) -> None:
        overlay = ring(12)
        engine = SmtEngine(solver="cvc5", rlimit=1)
        # Whether walks arrive at all, it sees while it reads, and spends nothing on it.
        assert isinstance(engine.decide(overlay, question("arrive-within", overlay, bound=6)), Undecided)
        engine = SmtEngine(solver="cvc5", timeout=0.0)
        assert isinstance(engine.decide(overlay, question("arrive", overlay)), Undecided)

    def test_a_second_opinion_may_stop_at_so_many_traps(self) -> None:
        overlay = make_overlay(6, SIX_LINKS, {**SIX_BASE, (4, 3): 5, (0, 1): 3})
        asked = question("arrive-within", overlay, bound=4)
        assert isinstance(SmtEngine(traps=1).decide(overlay, asked), Undecided)
        # To 5 nobody comes, to 1 nobody: one trap each is all.
        assert len(keys(SmtEngine(traps=2).decide(overlay, asked))) == 10

    def test_what_never_arrives_is_one_trap(self) -> None:
        overlay = make_overlay(6, SIX_LINKS, {**SIX_BASE, (4, 3): 5, (0, 1): 3})
        assert len(keys(SmtEngine(traps=1).decide(overlay, question("arrive", overlay)))) == 10


class TestExpectedSeconds:
    def test_it_grows_with_what_is_asked(self) -> None:
        small, large = ring(6), ring(18)
        one = question("arrive", small, colours=[0])
        every = question("arrive", small)
        layers = question("arrive-within", small, bound=4)
        few = question("arrive", small, pairs=[(0, 1), (2, 2)])
        seconds = [expected_seconds(small, asked) for asked in (few, one, every, layers)]
        seconds.append(expected_seconds(large, question("arrive", large)))
        assert seconds == sorted(seconds)
        assert len(set(seconds)) == len(seconds)

    def test_it_counts_deltas_and_dead_hops(self) -> None:
        from momlint.routed.smt import expected as cost

        overlay = triangle()
        # Three destinations and their columns; six deltas replace six hops over failed links.
        expected = 3 * cost.PER_DESTINATION + 9 * cost.PER_HOP + 12 * cost.PER_DIFFERENCE
        assert expected_seconds(overlay, question("arrive", overlay)) == pytest.approx(expected)
        # Six arcs a destination; each of the three links is two arcs and dead in one colour.
        expected = 3 * cost.PER_DESTINATION + 18 * cost.PER_HOP + 18 * cost.PER_DIFFERENCE
        assert expected_seconds(overlay, question("connected", overlay)) == pytest.approx(expected)

    def test_nothing_asked_costs_nothing(self) -> None:
        overlay = triangle()
        assert expected_seconds(overlay, question("arrive", overlay, pairs=[])) == 0

    def test_it_is_quick_where_the_answer_is_clear(self) -> None:
        overlay = make_overlay(400, [(i, i + 1) for i in range(399)])
        source, dest = np.nonzero(~np.eye(400, dtype=bool))
        asked = Question("arrive-within", source.astype(np.int32), dest.astype(np.int32), np.zeros(1, np.int32), 50)
        assert expected_seconds(overlay, asked) > 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_context_of_its_own() -> None:
    overlay = triangle(c1_d0_l2=1)
    asked = question("arrive", overlay)
    here = keys(SmtEngine().decide(overlay, asked))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        in_the_child, contexts = pool.submit(_in_a_child, overlay, asked).result(timeout=60)
    assert in_the_child == here
    assert contexts == 2


def _in_a_child(overlay: Overlay, asked: Question) -> tuple[list[int], int]:
    inherited = with_z3._context
    failing = keys(SmtEngine().decide(overlay, asked))
    assert inherited is not None
    return failing, len({id(inherited[1]), id(with_z3.context())})


def test_importing_the_engine_imports_no_solver() -> None:
    code = (
        "import sys, momlint.routed.smt as smt; smt.SmtEngine(); "
        "print(sorted({'z3', 'jinja2', 'pysmt', 'cvc5'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
