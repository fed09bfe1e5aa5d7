"""What happens when an engine gives up, and when two disagree: MOM901 and MOM902."""

from __future__ import annotations

import numpy as np
import pytest

from momlint.lint import Options, lint_bytes, merge
from momlint.routed import ask as ask_module
from momlint.routed.ask import Ask
from momlint.routed.overlay.form import Overlay
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided, Verdict

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
    monkeypatch.setattr(Ask, "_smt", lambda self: Fixed("smt", Undecided("the solver ran out of time")))
    options = Options(engine="smt", ignore=("MOM5",))
    report = merge([lint_bytes(ESTATE, "e.yaml", options)], options)
    assert {f.code for f in report.findings} == {"MOM901"}
    assert report.summary.undecided == len(report.findings) > 0
    assert report.summary.errors == 0
    assert "ran out of time" in report.findings[0].message
    deselected = Options(engine="smt", select=("MOM3",))
    assert merge([lint_bytes(ESTATE, "e.yaml", deselected)], deselected).summary.undecided > 0


def test_auto_keeps_the_verdict_of_the_engine_that_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ask, "_smt", lambda self: Fixed("smt", Undecided("gave up")))
    report = merge([lint_bytes(ESTATE, "e.yaml", QUIET)], QUIET)
    assert report.findings == []
    assert report.proof.decided_twice == 0


def test_engines_that_disagree_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    # Pair 1 → 3 (dense 0 → 2) in colour 0: key (0 * 3 + 2) * 3 + 0.
    monkeypatch.setattr(Ask, "_smt", lambda self: Fixed("smt", Refuted(np.array([6], np.int64))))
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
