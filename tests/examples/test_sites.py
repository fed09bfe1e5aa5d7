"""The examples of delivery over sites, with the findings that a count by hand gives."""

from __future__ import annotations

import json

import pytest

from tests.examples.test_check import momlint


def test_seven_sites() -> None:
    code, printed = momlint("check", "examples/sites/seven-sites.yaml")
    assert code == 0
    assert "Proved: 7 sites are a tree; 2 subscribers never wait" in printed
    assert "Not judged: MOM826 to MOM829" in printed


@pytest.mark.parametrize("engine", ["graph", "smt"])
def test_one_counter_for_all(engine: str) -> None:
    """A and B both pass or end at s6, so that subscriber2 gets all; B does not come to s5."""
    code, printed = momlint("check", "--format", "json", "--engine", engine, "examples/sites/seven-sites-starving.yaml")
    assert code == 1
    (finding,) = json.loads(printed)["findings"]
    assert (finding["code"], finding["data"]["subscriber"]) == ("MOM822", "subscriber1")
    assert finding["data"]["topics"] == ["B", "A"]
