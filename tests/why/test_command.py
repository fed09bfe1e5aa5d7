"""``momlint why`` as a command: counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Run, run  # noqa: F401

ROOT = Path(__file__).parents[2]
TRIANGLE = str(ROOT / "examples" / "triangle" / "topology.yaml")
MISROUTED = str(ROOT / "examples" / "six-brokers" / "misrouted.yaml")
PARALLEL = """\
momlint: 1
brokers: {a: , b: , c: }
links:
  - {id: one, between: [a, b]}
  - {id: two, between: [a, b]}
routing:
  protocol: tables
  tables:
    a: {b: [b]}
failures:
  colours:
    none: []
    half: [one]
    cut: [one, two]
    dead: [b]
"""


def told(run: Run, *arguments: str) -> dict[str, object]:  # noqa: F811
    ran = run("why", *arguments, "--format", "json")
    found: dict[str, object] = json.loads(ran.out)
    jsonschema.validate(found, json.loads(run("schema", "--of", "why").out))
    assert ran.code == (0 if found["arrives"] else 1)
    return found


def names(lines: object) -> list[tuple[str, int]]:
    assert isinstance(lines, list)
    return [(line["name"], line["span"]["start"]["line"]) for line in lines]


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
def test_a_pass_by_rows(run: Run, engine: str) -> None:  # noqa: F811
    found = told(run, TRIANGLE, "--from", "1", "--to", "2", "--colour", "2", "--engine", engine)
    assert found["walk"] == ["1", "3", "2"]
    assert names(found["lines"]) == [
        ("link 1--3", 16),
        ("link fibre-a", 17),
        ("colour 2", 26),
        ("row of 1 for 2", 33),
        ("row of 3 for 2", 42),
    ]


def test_a_failure(run: Run) -> None:  # noqa: F811
    found = told(run, MISROUTED, "--from", "1", "--to", "5")
    assert (found["end"], found["way"]) == ("stopped", ["1", "2", "4", "5"])
    assert names(found["lines"]) == [("row of 4 for 5", 36)]
    (line,) = found["lines"]  # type: ignore[misc]
    assert line["change"] == "next hop 5"


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
def test_of_parallel_links_one_will_do(run: Run, tmp_path: Path, engine: str) -> None:  # noqa: F811
    path = tmp_path / "a.yaml"
    path.write_text(PARALLEL)
    pair = (str(path), "--from", "a", "--to", "b", "--engine", engine)
    found = told(run, *pair)
    assert names(found["lines"]) == [("row of a for b", 9), ("colour none", 12)]
    assert [names(group) for group in found["either"]] == [[("link one", 4), ("link two", 5)]]  # type: ignore[attr-defined]
    found = told(run, *pair, "--colour", "half")
    assert names(found["lines"]) == [("link two", 5), ("row of a for b", 9), ("colour half", 13)]
    assert found["either"] == []
    found = told(run, *pair, "--colour", "cut")
    assert [(line["name"], line["change"]) for line in found["lines"]] == [("colour cut", "do not fail one")]  # type: ignore[attr-defined]
    found = told(run, *pair, "--colour", "dead")
    assert (found["end"], found["walk"]) == ("failed", [])
    assert [(line["name"], line["change"]) for line in found["lines"]] == [("colour dead", "do not fail b")]  # type: ignore[attr-defined]
    found = told(run, str(path), "--from", "a", "--to", "c")
    assert sorted(line["name"] for line in found["lines"]) == ["new link a--c", "new row of a for c"]  # type: ignore[attr-defined]


def test_what_cannot_be_asked(run: Run, tmp_path: Path) -> None:  # noqa: F811
    assert run("why", TRIANGLE, "--from", "1", "--to", "9").code == 2
    assert run("why", TRIANGLE, "--from", "1", "--to", "1").code == 2
    assert run("why", TRIANGLE, "--from", "1", "--to", "2", "--engine", "nusmv").code == 2
    relayed = str(ROOT / "examples" / "relayed" / "plant.yaml")
    ran = run("why", relayed, "--from", "1", "--to", "2")
    assert ran.code == 2
    assert "relayed overlay" in ran.err


def test_text(run: Run) -> None:  # noqa: F811
    ran = run("why", TRIANGLE, "--from", "1", "--to", "2")
    assert "arrives: 1 → 2\nIt rests on 3 lines; a change of one of them can stop it:\n" in ran.out
