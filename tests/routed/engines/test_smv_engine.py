"""NuSMV, graph, smt and ctl on the same random estates, against the brute-force reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from momlint.errors import UsageError
from momlint.routed.graph import GraphEngine
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided
from momlint.routed.smt import SmtEngine
from momlint.routed.smv import SmvEngine
from momlint.routed.smv.engine import read_walk
from momlint.routed.specs import Names, SpecFalse, SpecTrue, decide_spec
from momlint.solving.nusmv import Counterexample
from tests.oracles import Oracle
from tests.routed.engines.nusmv import nusmv
from tests.strategies import Case, F, make_overlay, overlays, question


@pytest.mark.slow
@settings(max_examples=320, deadline=None)
@given(overlays(max_n=8))
def test_four_engines_and_brute_force(case: Case) -> None:
    overlay = case.overlay
    asked = question("arrive", overlay)
    expected = Oracle(overlay).failing(asked)
    for engine in (SmvEngine(nusmv()), GraphEngine(), SmtEngine()):
        verdict = engine.decide(overlay, asked)
        if expected:
            assert isinstance(verdict, Refuted), engine.name
            assert verdict.failing.tolist() == expected, engine.name
        else:
            assert isinstance(verdict, Proved), engine.name
    n = overlay.n
    names = Names(tuple(f"b{i}" for i in range(n)), tuple(f"c{i}" for i in range(overlay.colours)))
    for s, d in zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True):
        said = f"(src = b{s} & dest = b{d} & loc = b{s} & b{s}.state & b{d}.state) -> AF (loc = b{d})"
        answer = decide_spec(overlay, names, said, "ctl")
        failing = [key // (n * n) for key in expected if key % (n * n) == d * n + s]
        assert isinstance(answer, SpecFalse if failing else SpecTrue)
        if isinstance(answer, SpecFalse):
            assert answer.trace.colour == failing[0]
            walk, end = Oracle(overlay).walk(failing[0], s, d)
            # An entry that names its own broker keeps the message: a loop of one, which a walk of places shows once.
            if len(walk) > 1 and walk[-1] == walk[-2]:
                walk = walk[:-1]
            assert (list(answer.trace.walk), end != "arrived") == (walk, True)


@settings(max_examples=15, deadline=None)
@given(overlays(max_n=6))
def test_a_part_of_the_pairs_and_colours(case: Case) -> None:
    overlay = case.overlay
    pairs = list(zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True))[::2]
    colours = range(overlay.colours)[-2:]
    asked = question("arrive", overlay, pairs=pairs, colours=colours)
    verdict = SmvEngine(nusmv()).decide(overlay, asked)
    failing = verdict.failing.tolist() if isinstance(verdict, Refuted) else []
    assert failing == Oracle(overlay).failing(asked)
    assert isinstance(verdict, Proved | Refuted)


def test_single_broker_and_nothing_asked() -> None:
    engine = SmvEngine(nusmv())
    alone = make_overlay(1, [])
    assert isinstance(engine.decide(alone, question("arrive", alone)), Proved)
    # A pair of one broker holds trivially, and NuSMV is asked.
    assert isinstance(engine.decide(alone, question("arrive", alone, pairs=[(0, 0)])), Proved)
    two = make_overlay(2, [(0, 1)], {(1, 0): 1})
    assert isinstance(engine.decide(two, question("arrive", two, colours=[])), Proved)


def test_a_failed_end_is_not_asked() -> None:
    overlay = make_overlay(2, [(0, 1)], {(1, 0): 1, (0, 1): 0}, colours=[F(), F(brokers=[1])])
    assert isinstance(SmvEngine(nusmv()).decide(overlay, question("arrive", overlay)), Proved)


def test_other_questions_stay_undecided() -> None:
    overlay = make_overlay(2, [(0, 1)])
    for kind, bound in (("arrive-within", 1), ("connected", None)):
        asked = question(kind, overlay, bound=bound)  # type: ignore[arg-type]
        verdict = SmvEngine(nusmv()).decide(overlay, asked)
        assert isinstance(verdict, Undecided)
        assert kind in verdict.reason


def test_the_deadline() -> None:
    overlay = make_overlay(2, [(0, 1)], {(1, 0): 1})
    verdict = SmvEngine(nusmv(), timeout=1e-6).decide(overlay, question("arrive", overlay))
    assert isinstance(verdict, Undecided)
    assert "did not answer within 1e-06 s" in verdict.reason


def test_no_program() -> None:
    with pytest.raises(UsageError, match="is not a program"):
        SmvEngine("/nowhere/NuSMV")


def test_reading_a_walk() -> None:
    def states(*locs: int) -> tuple[dict[str, str], ...]:
        return tuple({"src": "0", "dest": "5", "colour": "c2", "loc": str(loc)} for loc in locs)

    assert read_walk(Counterexample(states(0, 1, 2), 1)) == (2, 0, 5, (0, 1, 2, 1))
    assert read_walk(Counterexample(states(0, 1, 2), 2)) == (2, 0, 5, (0, 1, 2))
    # nuXmv may go around more than once, or repeat the place where a message stays.
    assert read_walk(Counterexample(states(0, 1, 2, 1, 2), 3)) == (2, 0, 5, (0, 1, 2, 1))
    assert read_walk(Counterexample(states(0, 1, 1), 1)) == (2, 0, 5, (0, 1))


def test_the_question_is_not_changed() -> None:
    overlay = make_overlay(3, [(0, 1), (1, 2)], {(2, 0): 1})
    asked = Question("arrive", np.array([0], np.int32), np.array([2], np.int32), np.array([0], np.int32))
    verdict = SmvEngine(nusmv()).decide(overlay, asked)
    assert isinstance(verdict, Refuted)
    assert verdict.failing.tolist() == [2 * 3]
