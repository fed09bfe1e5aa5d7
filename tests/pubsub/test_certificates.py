"""Proofs are checked by a solver, travel in certificates, and are refused where anything of them is missing."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from momlint.cli import main
from momlint.pubsub.asking import invariant_of
from momlint.pubsub.certificate import Excluded, violation
from momlint.pubsub.certificate.check import scripts
from momlint.pubsub.compiled import Compiled, Question
from momlint.pubsub.deciding import decide
from momlint.solving.limits import SolverLimits
from tests.pubsub.reading import form_of

EXAMPLES = Path(__file__).parents[2] / "examples"
LIMITS = SolverLimits(10**9)


def proof(example: str) -> tuple[Compiled, tuple[Excluded, ...]]:
    form = form_of((EXAMPLES / "clients" / example).read_text())
    answer = decide(form, Question(form.properties[0].never))
    invariant = invariant_of(answer)
    assert answer.model is not None
    assert invariant is not None
    return answer.model, invariant


def everything(model: Compiled) -> tuple[int, int]:
    """All global states, all local states, as masks."""
    return (1 << len(model.worlds)) - 1, (1 << len(model.states)) - 1


def test_what_is_no_proof_is_refused_with_a_reason() -> None:
    model, invariant = proof("one-worker.yaml")
    assert violation(model, invariant, LIMITS) is None
    worlds, states = everything(model)
    assert violation(model, (), LIMITS) == "something bad is not excluded"
    assert violation(model, (Excluded(worlds, (states,)),), LIMITS) == "an initial configuration is excluded"
    leaders = sum(1 << state for state in range(len(model.states)) if model.bad[0, state])
    fault = violation(model, (Excluded(worlds, (leaders, leaders)),), LIMITS)
    assert fault is not None
    assert fault.endswith("leads to what is excluded")


def test_two_leaders_cannot_be_excluded_where_they_can_be() -> None:
    """The boxes that prove it for one worker, with the model of two."""
    form = form_of((EXAMPLES / "clients" / "two-workers.yaml").read_text())
    answer = decide(form, Question(form.properties[0].never))
    assert answer.model is not None
    worlds, _ = everything(answer.model)
    leaders = sum(1 << state for state in range(len(answer.model.states)) if answer.model.bad[0, state])
    assert violation(answer.model, (Excluded(worlds, (leaders, leaders)),), LIMITS) is not None


def test_the_number_of_a_role_is_part_of_the_proof() -> None:
    model, invariant = proof("lock-for-two.yaml")
    assert violation(model, invariant, LIMITS) is None
    free = form_of((EXAMPLES / "clients" / "lock-for-any.yaml").read_text())
    other = decide(free, Question(free.properties[0].never)).model
    assert other is not None
    if len(other.states) == len(model.states) and len(other.worlds) == len(model.worlds):
        assert violation(other, invariant, LIMITS) is not None


def test_other_solvers_read_the_scripts() -> None:
    model, invariant = proof("live-list.yaml")
    assert violation(model, invariant, LIMITS, "cvc5") is None
    assert all(text.startswith("(set-logic QF_UF)") for text in scripts(model, invariant))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("one-worker", "live-list"):
        shutil.copy(EXAMPLES / "clients" / f"{name}.yaml", tmp_path)
    shutil.copy(EXAMPLES / "triangle" / "topology.yaml", tmp_path / "triangle.yaml")
    return tmp_path


def resealed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Apply `change` to the first record, and give it a seal that fits."""
    head, record, *_ = path.read_text().splitlines()
    data = json.loads(record)
    change(data)
    body = f"{head}\n{json.dumps(data)}\n"
    path.write_text(body + json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest()}) + "\n")


def test_written_and_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["one-worker.yaml", "triangle.yaml", "live-list.yaml"]
    assert main(["check", "-q", "--certificate", "x.cert", *files]) == 0
    assert main(["verify", "x.cert"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "Accepted: 3 estates."
    assert "one-worker.yaml: `leaders, one worker`: 1 property holds for any number of clients" in said
    assert "    no client ever has received news and has never subscribed to feed" in said


def test_an_estate_of_both_kinds_has_a_record_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = (folder / "triangle.yaml").read_text() + (folder / "one-worker.yaml").read_text().partition("worker\n")[2]
    (folder / "both.yaml").write_text(both)
    assert main(["check", "-q", "--certificate", "x.cert", "both.yaml"]) == 0
    assert len((folder / "x.cert").read_text().splitlines()) == 4
    assert main(["verify", "x.cert"]) == 0
    assert capsys.readouterr().out.endswith("Accepted: 1 estate.\n")


def changed(what: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        (claim,) = data["properties"]
        match what:
            case "fewer":
                claim["excluded"] = claim["excluded"][:-1]
            case "other":
                claim["never"] = ["lead"]
            case "none":
                data["properties"] = []
            case "more":
                claim["excluded"].append(["1", "f" * 10_000])
            case "text":
                claim["excluded"].append(["1", "no"])
            case "short":
                claim["excluded"].append(["1"])

    return change


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("fewer", "is no proof"),
        ("other", "it does not speak of property `one leader`"),
        ("none", "it does not speak of every property"),
        ("more", "is no set of states"),
        ("text", "is no set of states"),
        ("short", "excludes nothing"),
    ],
)
def test_changed_records_are_refused(folder: Path, capsys: pytest.CaptureFixture[str], what: str, why: str) -> None:
    assert main(["check", "-q", "--certificate", "x.cert", "one-worker.yaml"]) == 0
    resealed(folder / "x.cert", changed(what))
    assert main(["verify", "x.cert"]) == 1
    assert why in capsys.readouterr().out


def test_a_changed_estate_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-q", "--certificate", "x.cert", "one-worker.yaml"]) == 0
    path = folder / "one-worker.yaml"
    path.write_text(path.read_text().replace("workers: 1", "workers: 2"))
    assert main(["verify", "x.cert"]) == 1
    assert "has changed: its SHA-256 is different" in capsys.readouterr().out
