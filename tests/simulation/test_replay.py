"""What MOM826 to MOM829 tell happens in a run: the same events and crashes, at moments that are looked for."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from momlint.simulation.designs import Costs, Setting
from momlint.simulation.outcomes import Outcome
from momlint.simulation.running import Run
from momlint.simulation.steps import Publish, Step, Subscribe, Wait
from tests.delivery.reading import findings_of
from tests.simulation.designs import setting

RULES = Path(__file__).parents[1] / "rules"
CODES = ("MOM826", "MOM827", "MOM828", "MOM829")
CASES = [path for code in CODES for path in sorted((RULES / code).glob("fail*.yaml"))]
SETTLED = 20_000.0


def is_shown(code: str, outcome: Outcome) -> bool:
    """Whether the run has what the rule tells: a loss, a copy, an order that does not hold."""
    match code:
        case "MOM826":
            return bool(outcome.lost or outcome.duplicates or outcome.disorder)
        case "MOM827":
            return bool(outcome.lost)
        case "MOM828":
            return bool(outcome.duplicates)
    # Of two events with one number, simulated brokers drop the later: what is out of order in the story is lost here.
    return bool(outcome.disorder or outcome.lost)


def replayed(text: str, code: str, trace: tuple[str, ...]) -> bool:
    """Whether some run with the story's events and crashes shows it; the moments of the crashes are looked for."""
    of = setting(text, Costs())
    publishers = {client.name for client in of.clients if client.publishes}
    published: list[tuple[str, str]] = []
    crashed: list[tuple[str, str]] = []
    for line in trace:
        sent = re.fullmatch(r"(\S+) → \S+: ([A-Za-z]+)(\d+)", line)
        if sent and sent[1] in publishers and (sent[1], sent[2] + sent[3]) not in published:
            published.append((sent[1], sent[2] + sent[3]))
        struck = re.match(r"(\S+) (crashes|is suspected|is slow)", line)
        if struck:
            crashed.append((struck[1], struck[2]))
    steps: list[Step] = [Subscribe(one.name, topic, True, 1) for one in of.clients for topic in one.subscribes]
    steps.append(Wait(int(SETTLED), 1))
    for pause, seed in product((0, 600, 3), range(6)):
        script = [*steps]
        for who, event in published:
            script += [Publish(who, event.rstrip("0123456789"), 1, 0, 1), Wait(pause, 1)]
        # The moment of each crash: after so many lines of the log, and a little later.
        for moments in product(range(1, 16), repeat=len(crashed)):
            for delay in (0.0, 0.05, 1.0):
                if is_shown(code, struck_at(of, script, seed, dict(zip(moments, crashed, strict=True)), delay)):
                    return True
    return False


def struck_at(of: Setting, script: list[Step], seed: int, moments: dict[int, tuple[str, str]], delay: float) -> Outcome:
    """The run in which brokers crash, or freeze, so much after so many lines of the log."""
    lines = 0

    def watch(run: Run, line: str) -> None:
        nonlocal lines
        if run.env.now < SETTLED or " → " not in line:
            return
        lines += 1
        if lines in moments:
            name, how = moments[lines]
            what = "crash" if how == "crashes" else "freeze"
            run.network.after(delay, lambda: run.brokers[name].strike(what))  # type: ignore[arg-type]
            if what == "freeze":
                run.network.after(delay + 3000, lambda: run.brokers[name].strike("unfreeze"))

    return Run(of, of.policy, script, seed, watch).outcome()


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_told_happens(path: Path) -> None:
    code, text = path.parent.name, path.read_text(encoding="utf-8")
    found = findings_of(text, code)
    assert found
    for finding in found:
        assert finding.witness is not None
        assert replayed(text, code, finding.witness.trace), finding.witness.trace
