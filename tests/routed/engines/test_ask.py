"""What happens when an engine gives up, and when two disagree: MOM901 and MOM902."""

from __future__ import annotations

import numpy as np
import pytest

from momlint.lint import Options, lint_bytes, merge
from momlint.routed import ask as ask_module
from momlint.routed.ask import Ask
from momlint.routed.overlay.form import Overlay
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided, Verdict
from tests.strategies import L, make_overlay

ESTATE = b"""\
momlint: 1
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
"""
TABLES = b"""\
routing:
  protocol: tables
  tables:
    1: {2: [2, 3]}
    2: {1: [1], 3: [3]}
    3: {2: [1, 2]}
"""

#: Every link and broker of the little estates here is a single point of failure, which is not what is tested.
QUIET = Options(ignore=("MOM5",))


class Fixed:
    """An engine that always answers the same."""

    def __init__(self, name: str, verdict: Verdict) -> None:
        self.name = name
        self.verdict = verdict

    def decide(self, overlay: Overlay, question: Question) -> Verdict:
        return self.verdict


def test_a_solver_that_gives_up_is_a_finding_and_never_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ask, "_smt", lambda *_: Fixed("smt", Undecided("the solver ran out of time")))
    options = Options(engine="smt", ignore=("MOM5",))
    report = merge([lint_bytes(ESTATE, "e.yaml", options)], options)
    assert {f.code for f in report.findings} == {"MOM901"}
    assert report.summary.undecided == len(report.findings) > 0
    assert report.summary.errors == 0
    assert "ran out of time" in report.findings[0].message
    deselected = Options(engine="smt", select=("MOM3",))
    assert merge([lint_bytes(ESTATE, "e.yaml", deselected)], deselected).summary.undecided > 0


def test_auto_keeps_the_verdict_of_the_engine_that_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ask, "_smt", lambda *_: Fixed("smt", Undecided("gave up")))
    report = merge([lint_bytes(ESTATE, "e.yaml", QUIET)], QUIET)
    assert report.findings == []
    assert report.proof.decided_twice == 0


def test_engines_that_disagree_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    # Pair 1 → 3 (dense 0 → 2) in colour 0: key (0 * 3 + 2) * 3 + 0.
    monkeypatch.setattr(Ask, "_smt", lambda *_: Fixed("smt", Refuted(np.array([6], np.int64))))
    monkeypatch.setattr(Ask, "_graph", lambda self: Fixed("graph", Proved()))
    report = merge([lint_bytes(ESTATE, "e.yaml", QUIET)], QUIET)
    codes = {f.code for f in report.findings}
    assert codes == {"MOM902"}
    assert "smt alone refutes 1" in report.findings[0].message


def test_a_refutation_that_does_not_replay_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ask, "_graph", lambda self: Fixed("graph", Refuted(np.array([6], np.int64))))
    report = merge(
        [lint_bytes(ESTATE, "e.yaml", Options(engine="graph", ignore=("MOM5",)))],
        Options(engine="graph", ignore=("MOM5",)),
    )
    assert {f.code for f in report.findings} == {"MOM902"}
    assert "a path does lead from 1 to 3" in report.findings[0].message


def test_a_walk_that_arrives_is_not_shown_as_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(overlay: Overlay, question: Question) -> Verdict:
        return Refuted(np.array([6], np.int64)) if question.kind == "arrive" else Proved()

    engine = Fixed("graph", Proved())
    monkeypatch.setattr(engine, "decide", decide)
    monkeypatch.setattr(Ask, "_graph", lambda self: engine)
    options = Options(engine="graph", ignore=("MOM5",))
    report = merge([lint_bytes(ESTATE + TABLES, "e.yaml", options)], options)
    assert "MOM902" in {f.code for f in report.findings}
    assert not {"MOM301", "MOM302", "MOM303"} & {f.code for f in report.findings}


def test_both_engines_decide_a_small_estate() -> None:
    report = merge([lint_bytes(ESTATE, "e.yaml", QUIET)], QUIET)
    assert report.proof.engines == ("graph", "smt")
    assert report.proof.decided_twice == report.proof.questions > 0


def test_questions_that_are_settled_together_are_told_apart_where_engines_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Brokers 0 → 1 → 2 by live arcs, all next hops right; of the second question graph says what is not so."""
    hops = {(1, 0): 1, (2, 0): 1, (2, 1): 2, (0, 1): 0, (0, 2): 1, (1, 2): 1}
    overlay = make_overlay(3, [L(0, 1), L(1, 2)], hops)
    colours = np.zeros(1, np.int32)
    near = Question("arrive", np.array([0], np.int32), np.array([1], np.int32), colours)
    far = Question("arrive", np.array([0, 1], np.int32), np.array([2, 2], np.int32), colours)
    path = Question("connected", far.sources, far.dests, colours)
    for wrong, subjects in ((None, []), (far, ["far"]), (path, ["path"])):
        ask = Ask()
        monkeypatch.setattr(Ask, "_graph", lambda self, wrong=wrong: Telling(wrong))
        for question, subject in ((path, "path"), (near, "near"), (far, "far")):
            ask(overlay, question, subject)
        assert (ask.questions, ask.decided_twice) == (3, 0)
        ask.settle()
        assert ask.decided_twice == 3
        assert [one.subject for one in ask.disagreements] == subjects
        ask.settle()
        assert ask.decided_twice == 3


class Telling:
    """Says of one question that its first pair fails, and proves the others."""

    name = "graph"

    def __init__(self, wrong: Question | None) -> None:
        self.wrong = wrong

    def decide(self, overlay: Overlay, question: Question) -> Verdict:
        if question is not self.wrong:
            return Proved()
        return Refuted(np.array([overlay.keys.pack(0, int(question.dests[0]), int(question.sources[0]))]))


def test_beyond_the_threshold_graph_decides_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_module, "BOTH_BELOW_SECONDS", 0.0)
    report = merge([lint_bytes(ESTATE, "e.yaml", QUIET)], QUIET)
    assert report.proof.engines == ("graph",)


def test_an_ignored_refutation_is_not_called_proved() -> None:
    options = Options(ignore=("MOM301", "MOM5"))
    lonely = b"momlint: 1\nbrokers: {1: , 2: , 3: , 4: }\nlinks:\n  - {between: [1, 2]}\n  - {between: [3, 4]}\n"
    report = merge([lint_bytes(lonely, "e.yaml", options)], options)
    assert {f.code for f in report.findings} == {"MOM204"}
    # 4 ordered pairs from the first part to the second, 4 back.
    assert report.proof.refuted == 8
