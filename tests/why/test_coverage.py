"""``check --coverage``: the union of what ``why`` names for all needed pairs in all colours."""

from __future__ import annotations

import json
import random
from pathlib import Path

import jsonschema
import pytest

from tests.budget import examples
from tests.cli.conftest import Run, run  # noqa: F401
from tests.why.estates import Mode, random_estate
from tests.why.test_lines import MODES, answers

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mode", MODES)
def test_it_is_what_why_says_of_all_pairs(run: Run, tmp_path: Path, mode: Mode) -> None:  # noqa: F811
    rng = random.Random(f"coverage {mode}")
    schema = json.loads(run("schema", "--of", "report").out)
    for number in range(examples(20)):
        estate = random_estate(rng, mode, 4)
        path = tmp_path / f"{number}.yaml"
        path.write_text(estate.text())
        ran = run("check", "--coverage", "--format", "json", "--engine", "graph", str(path))
        report = json.loads(ran.out)
        jsonschema.validate(report, schema)
        (found,) = report["coverage"]
        named = {
            (line.kind, line.span.start.line) for _, _, _, one in answers(estate) if one.arrives for line in one.lines
        }
        lines = estate.text().splitlines()
        rows = [index for index, line in enumerate(lines, 1) if line.startswith(("      - {to:", "        - "))]
        every = {("link", index) for index, line in enumerate(lines, 1) if line.startswith("  - {id: k")}
        every |= {("colour", index) for index, line in enumerate(lines, 1) if line.startswith("    c")}
        every |= {("row", index) for index in rows}
        idle = {(line["kind"], line["span"]["start"]["line"]) for line in found["uncovered"]}
        assert idle == every - named, estate.text()
        (file,) = found["files"]
        for kind in ("row", "link", "colour"):
            whole = {one for one in every if one[0] == kind}
            assert file[f"{kind}s"] == {"covered": len(whole & named), "all": len(whole)}


def test_needed_pairs_count_alone(run: Run) -> None:  # noqa: F811
    """Weather goes from 1 to 2 and 3: the rows of 2 and 3 for 1 are for nobody, whichever way they lead."""
    ran = run("check", "--coverage", str(ROOT / "examples" / "triangle" / "topology.yaml"))
    assert ran.code == 0
    assert "6 of 12  3 of 3  4 of 4" in ran.out
    idle = [line.split()[0].split(":")[-2] for line in ran.out.splitlines() if line.startswith("    ")]
    assert idle == ["36", "37", "39", "41", "43", "44"]


def test_promised_failures_count(run: Run) -> None:  # noqa: F811
    """By itself no link of two ways is needed; where one may fail, all of both are. 1-4-2 and 1-2 are two ways."""
    ran = run("check", "--coverage", str(ROOT / "examples" / "simulation" / "six-brokers.yaml"))
    assert "none  7 of 7  none" in ran.out
    assert "a proof rests on every line" in ran.out


def test_other_reports_have_none(run: Run) -> None:  # noqa: F811
    ran = run("check", "--coverage", "--format", "sarif", str(ROOT / "examples" / "triangle" / "topology.yaml"))
    assert ran.code == 2
    assert "--coverage adds a section to the text report" in ran.err
