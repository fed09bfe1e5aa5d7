"""Certificates of everything that an estate can say: written, accepted, and refused for an estate that says otherwise.

By hand, on a square 1 – 2 – 3 – 4 – 1, whose topic needs messages from 1 to 3: by 2, or by 4 at the same cost.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.routed.certificate import given as given_module
from tests.budget import examples
from tests.cli.conftest import Run, folder, run
from tests.routed.certificate.models import decode, random_model
from tests.routed.certificate.test_files import PLANNED, changed

__all__ = ["folder", "run"]

SQUARE = """\
momlint: 1
name: square
brokers: {1: , 2: , 3: , 4: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
  - {between: [3, 4]}
  - {between: [1, 4]}
topics:
  news: {publishers: [1], subscribers: [3]}
"""
TABLES = "routing:\n  protocol: tables\n  tables: {1: {2: [3]}, 2: {3: [3]}}\n"
#: Beside computed next hops: at 1, by 4.
STATIC = "routing:\n  tables: {1: {4: [3]}}\n"
SMALLEST = ", by shortest walks, ties by the smallest next hop"


class Case(NamedTuple):
    """An estate, what `verify` says of it, and one change for which the same record is refused, with the reason."""

    text: str
    said: str
    old: str
    new: str
    why: str


def coloured(second: str, routing: str = "") -> str:
    return f"{SQUARE}{routing}failures: {{colours: {{a: [], b: [{second}]}}}}\n"


CASES = {
    # By 4, though that costs 3, and by 2 it would be 2.
    "a broker that passes nothing on": Case(
        SQUARE.replace("2: , 3:", "2: {transit: false}, 3:").replace("[1, 4]", "[1, 4], cost: 2"),
        f"1 pair arrives{SMALLEST}",
        "{transit: false}",
        "",
        "messages from `3` to `1` do not arrive at the cost",
    ),
    "two such brokers would cut it off": Case(
        SQUARE.replace("2: , 3:", "2: {transit: false}, 3:"),
        f"1 pair arrives{SMALLEST}",
        "4: }",
        "4: {transit: false}}",
        "messages from `3` to `1` do not arrive at the cost",
    ),
    "a cost for each direction": Case(
        SQUARE.replace("{between: [1, 2]}", "{between: [1, 2], cost: {1->2: 1, 2->1: 5}}"),
        f"1 pair arrives{SMALLEST}",
        "{1->2: 1, 2->1: 5}",
        "{1->2: 5, 2->1: 1}",
        "messages from `2` to `1` do not arrive at the cost",
    ),
    "given rows stay": Case(
        coloured("3--4", TABLES),
        "1 pair arrives in each of 2 colours",
        "b: [3--4]",
        "b: [2--3]",
        "in colour `b` messages from `2` to `3` do not arrive at the cost",
    ),
    "given rows are healed": Case(
        coloured("2--3", TABLES + "  after_failure: heal\n"),
        "1 pair arrives in each of 2 colours",
        "after_failure: heal",
        "after_failure: keep",
        "in colour `b` messages from `2` to `3` do not arrive at the cost",
    ),
    # To 3 broker 1 does not go by 2, which would be the smaller of two equal ones.
    "static rows stay": Case(
        coloured("2--3", STATIC),
        f"1 pair arrives in each of 2 colours{SMALLEST} to 3 of 4 brokers",
        "b: [2--3]",
        "b: [1--4]",
        "in colour `b` messages from ",
    ),
    "static rows are withdrawn": Case(
        coloured("1--4", STATIC + "  static_rows: withdraw\n"),
        f"1 pair arrives in each of 2 colours{SMALLEST} to 3 of 4 brokers",
        "static_rows: withdraw",
        "static_rows: keep",
        "in colour `b` messages from `1` to `3` do not arrive at the cost",
    ),
    # Messages from 3 to 4, and back, would need the link.
    "computed next hops stay": Case(
        coloured("3--4", "routing: {after_failure: keep}\n"),
        "1 pair arrives in each of 2 colours, by shortest walks to 2 of 4 brokers, ties by the smallest next "
        "hop to 2 of 4 brokers",
        "b: [3--4]",
        "b: [1--2]",
        "in colour `b` messages from ",
    ),
    "no colour in which nothing has failed": Case(
        SQUARE + "failures: {colours: {b: [2--3]}}\n",
        f"1 pair arrives while nothing has failed and in 1 colour{SMALLEST}",
        "b: [2--3]",
        "b: []",
        "a list has 2 numbers where the estate needs 1",
    ),
    "no such colour, and given rows": Case(
        SQUARE + TABLES + "failures: {colours: {b: [3--4]}}\n",
        "1 pair arrives while nothing has failed and in 1 colour",
        "2: {3: [3]}",
        "2: {1: [3]}",
        "in colour `b` messages from `2` to `3` do not arrive at the cost",
    ),
    "promised failures without a colour": Case(
        SQUARE + "failures: {tolerate: single-link}\n",
        f"1 pair arrives while nothing has failed and in each of 4 promised failures{SMALLEST}",
        "tolerate: single-link",
        "tolerate: {links: 1, brokers: 1}",
        "a list has 5 numbers where the estate needs 25",
    ),
    "promised failures of a group": Case(
        SQUARE + "groups: {duct: [1--2, 2--3]}\nfailures: {tolerate: {groups: 1}}\n",
        f"1 pair arrives while nothing has failed and in 1 promised failure{SMALLEST}",
        "{duct: [1--2, 2--3]}",
        "{duct: [1--2, 1--4]}",
        "while `1--2` and `1--4` are down, `2` is said to be cut off from `1`, and a live link leads",
    ),
    "static rows in promised failures": Case(
        SQUARE
        + STATIC
        + "  static_rows: withdraw\ngroups: {duct: [1--4], bank: [2--3]}\nfailures: {tolerate: {groups: 1}}\n",
        f"1 pair arrives while nothing has failed and in each of 2 promised failures{SMALLEST} to 3 of 4 brokers",
        "static_rows: withdraw",
        "static_rows: keep",
        "while `1--4` is down, messages from `1` to `3` do not arrive at the cost",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_the_language_says(folder: Path, run: Run, name: str) -> None:
    case = CASES[name]
    estate, proof = folder / "square.yaml", folder / "proof.cert"
    estate.write_text(case.text)
    done = run("check", "-q", "--certificate", "proof.cert", "square.yaml")
    assert (done.code, done.err) == (0, "")
    assert run("verify", "proof.cert") == (0, f"square.yaml: `square`: {case.said}\nAccepted: 1 estate.\n", "")

    other = case.text.replace(case.old, case.new)
    assert other != case.text
    estate.write_text(other)
    changed(proof, lambda data: data["sources"][0].__setitem__(1, hashlib.sha256(other.encode()).hexdigest()))
    done = run("verify", "proof.cert")
    assert (done.code, done.err) == (1, "")
    assert case.why in done.out


def test_costs_of_both_directions(folder: Path, run: Run) -> None:
    """2 → 1 costs 5 by its own link, and 3 round the square."""
    case = CASES["a cost for each direction"]
    (folder / "square.yaml").write_text(case.text)
    assert run("check", "-q", "--certificate", "proof.cert", "square.yaml").code == 0
    data = json.loads((folder / "proof.cert").read_text().splitlines()[1])
    to_each = [[0, 3, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]
    written = [number - 2 for number in decode(data["distances"]["base"])]
    assert [written[row : row + 4] for row in range(0, 16, 4)] == to_each


def test_promised_failures_beside_colours(folder: Path, run: Run) -> None:
    """One link of four has a colour, and no state without failures: MOM402, which is ignored here."""
    text = SQUARE + "failures: {tolerate: single-link, colours: {b: [2--3]}}\n"
    (folder / "square.yaml").write_text(text)
    assert run("check", "-q", "--ignore", "MOM402", "--certificate", "proof.cert", "square.yaml").code == 0
    where = "while nothing has failed, in 1 colour and in each of 3 promised failures without a colour"
    assert run("verify", "proof.cert").out.startswith(f"square.yaml: `square`: 1 pair arrives {where}{SMALLEST}\n")


def test_promised_failures_that_rows_do_not_speak_of(folder: Path, run: Run) -> None:
    """Each broker may fail, and none has a colour: MOM402, which is ignored here; claims say so."""
    (folder / "triangle.yaml").write_text(PLANNED.replace("tolerate: single-link", "tolerate: {links: 1, brokers: 1}"))
    options = ("--ignore", "MOM402,MOM502", "--certificate", "proof.cert", "triangle.yaml")
    assert run("check", "-q", *options).code == 0
    # Three brokers, and each of them together with each of three links.
    said = f"2 pairs arrive in each of 4 colours{SMALLEST}; nothing is claimed of 12 promised states without a colour"
    assert run("verify", "proof.cert").out == f"triangle.yaml: `triangle`: {said}\nAccepted: 1 estate.\n"


def test_too_many_promised_failures(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "square.yaml").write_text(CASES["promised failures without a colour"].text)
    monkeypatch.setattr(given_module, "_MOST_PROMISED", 4)  # with that of nothing there are 5
    assert run("check", "-q", "--certificate", "proof.cert", "square.yaml").code == 0
    said = f"1 pair arrives{SMALLEST}; nothing is claimed of promised states without a colour (too many)"
    assert run("verify", "proof.cert").out == f"square.yaml: `square`: {said}\nAccepted: 1 estate.\n"
    monkeypatch.undo()
    assert run("verify", str(folder / "proof.cert")).code == 1


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1))
def test_what_passes_is_certified_and_accepted(folder: Path, run: Run, seed: int) -> None:
    """No estate without errors is refused a certificate, and none has one that loses messages."""
    model = random_model(seed, 6)
    (folder / "random.yaml").write_text(model.text())
    done = run("check", "-q", "--engine", "graph", "--certificate", "random.cert", "random.yaml")
    assert done.code in (0, 1), done.err
    if done.code == 0:
        assert model.is_sound()
        assert run("verify", "random.cert").code == 0
