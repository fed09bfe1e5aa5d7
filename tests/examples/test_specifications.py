"""The specifications in the examples hold, and the slip of a printed one is found, by ctl and by NuSMV."""

from __future__ import annotations

import pytest

from momlint.routed.smv import run
from tests.examples.test_check import check, momlint, source_line
from tests.routed.engines.nusmv import nusmv

SLIP = "three-brokers/slip.yaml"


@pytest.mark.parametrize(
    ("example", "specifications"), [("six-brokers/topology.yaml", 5), ("three-brokers/topology.yaml", 3)]
)
def test_they_hold(example: str, specifications: int) -> None:
    code, printed = momlint("check", "--select", "MOM7,MOM102", f"examples/{example}")
    assert code == 0
    # No rule that was selected asks whether messages arrive, and so nothing of the kind is claimed.
    assert printed.splitlines()[-1] == f"Proved: {specifications} specifications hold; 1 engine (ctl)."


def test_the_slip_is_found() -> None:
    """The printed formula is true and says nothing; with its brackets it is false a step after broker 1 has failed."""
    code, report = check(SLIP)
    assert code == 1
    (finding,) = report["findings"]
    assert finding["code"] == "MOM701"
    assert "`with-brackets`" in finding["message"]
    assert "ltl: >-" in source_line(SLIP, finding["span"]["start"]["line"])
    assert "with-brackets" in source_line(SLIP, finding["span"]["start"]["line"] - 1)
    trace = finding["witness"]["trace"]
    failure = next(i for i, line in enumerate(trace) if "failed = 1" in line)
    # Its publisher is on its adopter then, and not where the slip has it.
    assert "publisher1 on = 2" in trace[failure + 1]


@pytest.mark.parametrize(("example", "own"), [("three-brokers/topology.yaml", [True] * 3), (SLIP, [True, False])])
@pytest.mark.parametrize("shape", [(), ("--literal",)])
def test_nusmv_says_the_same_of_take_overs(example: str, own: list[bool], shape: tuple[str, ...]) -> None:
    code, model = momlint("render", "--to", "smv", "--model", "takeover", *shape, f"examples/{example}")
    assert code == 0
    answers = [answer.holds for answer in run(nusmv(), model)]
    # The three properties for each of three brokers, of which the second is one for each publisher and subscriber.
    assert answers[: 3 + 6 + 3] == [True] * 12
    assert answers[12:] == own


@pytest.mark.parametrize("example", ["six-brokers/topology.yaml", "triangle/topology.yaml"])
@pytest.mark.parametrize("shape", [(), ("--literal",)])
def test_nusmv_says_the_same_of_messages(example: str, shape: tuple[str, ...]) -> None:
    code, model = momlint("render", "--to", "smv", *shape, f"examples/{example}")
    assert code == 0
    assert all(answer.holds for answer in run(nusmv(), model))
