"""What is decided, how it is counted, and what stays open: many clients, exact numbers, too little time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.bench_pubsub import alone, together
from momlint.findings import Report
from momlint.lint import Options, lint_bytes, merge
from momlint.pubsub import certificate, deciding
from momlint.pubsub.budget import Budget, OutOfBudget
from momlint.pubsub.compiled import Question, TooLarge, compile_question
from momlint.pubsub.deciding import decide
from momlint.pubsub.form import Clients
from momlint.pubsub.forward import search
from momlint.pubsub.replay import Run
from momlint.report.json import witness_object
from momlint.solving.limits import GaveUp
from tests.pubsub.oracle import Oracle
from tests.pubsub.reading import form_of

ROOT = Path(__file__).parents[2]


def report_of(text: str, **options: object) -> Report:
    wanted = Options(**options)  # type: ignore[arg-type]
    return merge([lint_bytes(text.encode(), "clients.yaml", wanted)], wanted)


def crowd(number: int, roles: str = "any", notify: str = "atomic") -> str:
    """So many different clients at the same time must be in the state `up`, one of which is told to by the others."""
    return f"""\
momlint: 1
pubsub:
  messages: {{call: }}
  broker: {{notify: {notify}}}
  clients:
    member:
      start: down
      count: {roles}
      steps:
        - {{from: down, to: here, do: subscribe main}}
        - {{from: here, to: up, do: publish call}}
        - {{from: here, to: up, do: on call}}
  properties:
    - {{never: [{", ".join(["up"] * number)}]}}
"""


@pytest.mark.parametrize("notify", ["atomic", "each"])
@pytest.mark.parametrize("number", [3, 4, 5])
def test_more_clients_than_a_first_look_takes(number: int, notify: str) -> None:
    """All subscribe; one publishes; the worker hands it to the others, in one step or one by one.

    With `each`, of which the publisher may be left out.
    """
    text = crowd(number, notify=notify)
    form = form_of(text)
    answer = decide(form, Question(form.properties[0].never))
    assert answer.trace is not None
    steps = number + 1 + (1 if notify == "atomic" else number - 1)
    assert (len(answer.trace.roles), len(answer.trace.moves)) == (number, steps)
    oracle = Oracle(text)
    assert oracle.shortest(oracle.properties[0], number) == steps
    assert oracle.shortest(oracle.properties[0], number - 1) is None


@pytest.mark.parametrize(("there", "holds"), [("3", True), ("4", False), ("6", False)])
def test_exact_numbers(there: str, holds: bool) -> None:
    form = form_of(crowd(4, roles=there))
    answer = decide(form, Question(form.properties[0].never))
    assert answer.holds == holds
    if answer.trace is not None:
        assert len(answer.trace.roles) == int(there)


def test_very_many_clients_are_not_counted_one_by_one() -> None:
    answer = decide(*asked(crowd(4, roles="2_000_000_000".replace("_", ""))))
    assert (answer.holds, answer.trace) == (False, None)
    assert answer.reason == "something is wrong, but 2,000,000,000 clients are too many for a trace; give fewer"
    safe = (
        (ROOT / "examples/clients/one-worker.yaml")
        .read_text()
        .replace("start: init", "start: init\n      count: 1000000")
    )
    assert decide(*asked(safe)).holds


def asked(text: str) -> tuple[Clients, Question]:
    form = form_of(text)
    return form, Question(form.properties[0].never)


def test_wrong_from_the_start() -> None:
    (finding,) = report_of(crowd(1).replace("[up]", "[down and connected]"), select=("MOM851",)).findings
    assert finding.message == "property `never: down and connected` fails with 1 client, from the start"
    assert witness_object(finding.witness) == {"clients": ["member A"], "trace": []}


def test_without_any_client_everything_holds() -> None:
    form = form_of(crowd(1, roles="0"))
    assert decide(form, Question(form.properties[0].never)).holds


def test_exact_numbers_by_looking_at_every_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the backward search has no room; then there is no certificate."""
    monkeypatch.setattr(deciding, "_MOST_CUBES", 0)
    monkeypatch.setattr(deciding, "search_backward", out_of_budget)
    form = form_of((ROOT / "examples/clients/lock-for-two.yaml").read_text())
    answer = decide(form, Question(form.properties[0].never))
    assert (answer.holds, answer.reached) == (True, None)
    report = report_of((ROOT / "examples/clients/lock-for-two.yaml").read_text(), certificate_folder=".")
    assert report.findings == []
    assert (report.certificates, len(report.uncertified)) == ([], 1)


def out_of_budget(*_: object) -> None:
    raise OutOfBudget("the search stops")


def test_a_trace_that_does_not_replay_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "violates", lambda *_: False)
    report = report_of((ROOT / "examples/clients/two-workers.yaml").read_text())
    assert [(one.code, one.message) for one in report.findings] == [
        (
            "MOM902",
            "the engines disagree on whether property `one leader` holds: the trace does not replay: at the end of the "
            "trace nothing is wrong",
        )
    ]


def test_a_proof_that_the_solver_refuses_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "violation", lambda *_: "something bad is not excluded")
    text = (ROOT / "examples/clients/one-worker.yaml").read_text()
    assert [(one.code, one.message) for one in report_of(text).findings] == [
        (
            "MOM902",
            "the engines disagree on whether property `one leader` holds: the proof does not hold: something bad is "
            "not excluded",
        )
    ]
    assert report_of(text, engine="graph").findings == []


def test_a_solver_that_gives_up_leaves_the_search_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_: object) -> None:
        raise GaveUp("the solver found no answer")

    monkeypatch.setattr(certificate, "violation", gives_up)
    text = (ROOT / "examples/clients/one-worker.yaml").read_text()
    report = report_of(text)
    assert (report.findings, report.proof.engines, report.proof.decided_twice) == ([], ("graph",), 0)
    report = report_of(text, engine="smt")
    assert [(one.code, one.message) for one in report.findings] == [
        ("MOM901", "undecided: whether property `one leader` holds: the solver found no answer")
    ]


def test_undecided_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "search_backward", out_of_budget)
    report = report_of((ROOT / "examples/clients/one-worker.yaml").read_text())
    assert [(one.code, one.message) for one in report.findings] == [
        ("MOM901", "undecided: whether property `one leader` holds: the search stops")
    ]
    assert (report.summary.properties, report.summary.undecided) == (1, 1)


def test_the_time_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text(together(5, 3, 8, "each"))
    done = subprocess.run(
        [sys.executable, "-m", "momlint", "check", "--timeout", "0.5", "--ignore", "MOM853", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3, done.stdout
    assert "undecided: whether property `never: for-m0, for-m1` holds" in done.stdout


def test_what_is_too_large_says_so() -> None:
    form = form_of(alone(5, 2_000_000_000, 5, "atomic"))
    with pytest.raises(TooLarge, match="2,000,000,000 workers are too many"):
        compile_question(form, Question(form.properties[0].never))
    answer = decide(form, Question(form.properties[0].never))
    assert (answer.holds, answer.trace, answer.reason) == (False, None, "2,000,000,000 workers are too many")


def test_long_formulas_are_cut_in_messages() -> None:
    text = crowd(1).replace("[up]", " or ".join(["up"] * 50))
    (finding,) = report_of(text, select=("MOM851",)).findings
    name = (" or ".join(["up"] * 50))[:59] + "…"
    assert finding.message == f"property `never: {name}` fails with 1 client, after 2 steps"


def test_the_budget_of_configurations_is_kept() -> None:
    form = form_of(together(3, 2, 5, "atomic"))
    model = compile_question(form, Question(form.properties[0].never))
    with pytest.raises(OutOfBudget, match="the search stops after 500 configurations"):
        search(model, 3, Budget(500))


def test_messages_that_behave_alike_are_one() -> None:
    """Five pieces of news that nobody tells apart make no more states than one."""
    names = [f"news{number}" for number in range(5)]
    steps = [f"{{from: in, do: publish {name}}}" for name in names] + [
        f"{{from: in, to: told, do: on {n}}}" for n in names
    ]
    text = f"""\
momlint: 1
pubsub:
  messages: {{{", ".join(f"{name}: " for name in names)}}}
  broker: {{workers: 2}}
  clients: {{c: {{start: out, steps: [{{from: out, to: in, do: subscribe main}}, {", ".join(steps)}]}}}}
  properties: [{{never: told and not subscribed}}]
"""
    form = form_of(text)
    model = compile_question(form, Question(form.properties[0].never))
    assert len(model.worlds) == 4  # each worker idle or not
    assert set(model.messages) == {0}


def test_the_counts_of_a_report() -> None:
    text = (ROOT / "examples/clients/alarm-acknowledged.yaml").read_text()
    report = report_of(text)
    assert (report.summary.properties, report.summary.errors) == (2, 1)
    assert (report.proof.false_claims, report.proof.questions, report.proof.decided_twice) == (1, 2, 1)
    assert [(claim.many, number) for claim, number in report.proof.claims.items()] == [
        ("properties hold for any number of clients", 2)
    ]
    assert report_of(text, engine="graph").proof.engines == ("graph",)


def test_brokers_beside_clients_are_judged_too() -> None:
    text = (
        ROOT / "examples/clients/two-workers.yaml"
    ).read_text() + "brokers: {a: , b: , lone: }\nlinks: [{between: [a, b]}]\n"
    assert {one.code for one in report_of(text).findings} >= {"MOM851", "MOM203"}


def test_a_routed_estate_does_not_load_it() -> None:
    code = (
        "import sys; from momlint.cli import main\n"
        "main(['check', '--quiet', 'examples/triangle/topology.yaml'])\n"
        "print([name for name in sys.modules if name.startswith('momlint.pubsub')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
