"""The examples of delivery over sites, with the findings that a count by hand gives."""

from __future__ import annotations

import json

import pytest

from tests.examples.test_check import momlint


def test_seven_sites() -> None:
    code, printed = momlint("check", "examples/sites/seven-sites.yaml")
    assert code == 0
    assert "Proved: 7 sites are a tree; 2 subscribers never wait" in printed
    assert "No violation with up to 3 events of 2 publishers and 2 crashes" in printed


@pytest.mark.parametrize("engine", ["graph", "smt"])
def test_one_counter_for_all(engine: str) -> None:
    """A and B both pass or end at s6, so that subscriber2 gets all; B does not come to s5."""
    code, printed = momlint("check", "--format", "json", "--engine", engine, "examples/sites/seven-sites-starving.yaml")
    assert code == 1
    (finding,) = json.loads(printed)["findings"]
    assert (finding["code"], finding["data"]["subscriber"]) == ("MOM822", "subscriber1")
    assert finding["data"]["topics"] == ["B", "A"]


def test_take_over() -> None:
    """What the report's own limits were, and how the settings take them away."""
    code, printed = momlint("check", "--format", "concise", "examples/sites/take-over.yaml")
    assert code == 1
    assert [line.split()[1] for line in printed.splitlines() if line.startswith("examples")] == ["MOM827", "MOM826"]
