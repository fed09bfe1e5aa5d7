"""``momlint diff``: a square with a link less, counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

OLD = """\
momlint: 1
name: square
brokers: {a: , b: , c: , d: }
links:
  - {between: [a, b]}
  - {between: [b, c]}
  - {between: [c, d]}
  - {between: [a, d]}
topics:
  t: {publishers: [a], subscribers: [c]}
  u: {publishers: [b], subscribers: [d]}
failures: {tolerate: single-link}
"""
#: Without a--d, the way from a to c and from b to d is over b--c and c--d alone.
NEW = OLD.replace("  - {between: [a, d]}\n", "")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    Path("old.yaml").write_text(OLD)
    Path("new.yaml").write_text(NEW)


def test_what_a_link_less_does(run: Run) -> None:
    ran = run("diff", "old.yaml", "new.yaml")
    # b → d went over a, the smaller next hop.
    assert ran == (
        1,
        "2 pairs newly broken:\n"
        "  a → c (topic t), in 2 failures: a--b and b--c fail\n"
        "    was a → d → c\n"
        "    now stuck at a\n"
        "  b → d (topic u), in 2 failures: b--c and c--d fail\n"
        "    was b → a → d\n"
        "    now stuck at b\n"
        "\n"
        "1 pair on another way:\n"
        "  b → d (topic u), while nothing has failed\n"
        "    was b → a → d\n"
        "    now b → c → d\n"
        "\n"
        "2 newly broken, 1 on another way; 2 pairs compared, in 4 states.\n"
        "Not compared, because only one of the two says what happens then: a--d failed.\n",
        "",
    )


def test_back_again_it_is_mended(run: Run) -> None:
    ran = run("diff", "new.yaml", "old.yaml", "--format", "json")
    assert ran.code == 0
    document = json.loads(ran.out)
    assert document["summary"] == {
        "pairs": 2,
        "failures": 4,
        "not_compared": 1,
        "broken": 0,
        "mended": 2,
        "moved": 1,
        "added": 0,
        "dropped": 0,
    }
    assert document["not_compared"] == [{"failed": ["a--d"]}]
    assert document["changes"][0] == {
        "change": "mended",
        "source": "a",
        "destination": "c",
        "topics": ["t"],
        "failures": [{"failed": ["a--b"]}, {"failed": ["b--c"]}],
        "old": {"walk": ["a"], "end": "stopped"},
        "new": {"walk": ["a", "d", "c"], "end": "arrived"},
    }


def test_topics_that_come_and_go(run: Run) -> None:
    Path("new.yaml").write_text(OLD.replace("u: {publishers: [b]", "v: {publishers: [c]"))
    document = json.loads(run("diff", "old.yaml", "new.yaml", "-f", "json").out)
    assert [(one["change"], one["source"], one["destination"]) for one in document["changes"]] == [
        ("added", "c", "d"),
        ("dropped", "b", "d"),
    ]


def test_colours_are_told_apart_by_what_has_failed(run: Run) -> None:
    colours = "failures: {colours: {calm: [], cut: [a--b]}}\n"
    Path("old.yaml").write_text(OLD.replace("failures: {tolerate: single-link}\n", colours))
    renamed = colours.replace("cut", "red").replace("calm: [], ", "").replace("[a--b]}", "[a--b], none: []}")
    Path("new.yaml").write_text(NEW.replace("failures: {tolerate: single-link}\n", renamed))
    document = json.loads(run("diff", "old.yaml", "new.yaml", "-f", "json").out)
    broken = [one for one in document["changes"] if one["change"] == "broken"]
    assert [(one["source"], one["failures"]) for one in broken] == [("a", [{"colour": "red", "failed": ["a--b"]}])]
    assert document["not_compared"] == []


def test_nothing_changes(run: Run) -> None:
    ran = run("diff", "old.yaml", "old.yaml")
    assert ran == (0, "Nothing changes for anyone; 2 pairs compared, in 5 states.\n", "")
    assert "nothing changes for anyone" in run("diff", "old.yaml", "old.yaml", "-f", "markdown").out


def test_markdown(run: Run) -> None:
    out = run("diff", "old.yaml", "new.yaml", "-f", "markdown").out
    assert "| b | d | topic u | while nothing has failed | b → a → d | b → c → d |\n" in out


def test_mistakes(run: Run) -> None:
    assert run("diff", "old.yaml", "gone.yaml").code == 2
    assert "--format must be one of text, json, markdown" in run("diff", "old.yaml", "new.yaml", "-f", "xml").err
    assert run("diff", "old.yaml", "new.yaml", "-o", "old.yaml").code == 2
    assert Path("old.yaml").read_text() == OLD
    Path("bad.yaml").write_text(NEW + "topics: 3\n")
    assert "`momlint check` shows them" in run("diff", "old.yaml", "bad.yaml").err
