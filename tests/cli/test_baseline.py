"""``momlint baseline write`` and ``check --baseline``: nothing of today fails, everything new does."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.cli.conftest import Run

RULES = Path(__file__).parents[1] / "rules"

#: Broker 2 sends what is for 3 back to 1: a loop at line 12. Link 2–3 is the only way to 3: two notes.
LOOP = """\
momlint: 1
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
topics:
  weather: {publishers: [1], subscribers: [3]}
routing:
  protocol: tables
  tables:
    1: {2: [3]}
    2: {1: [3]}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("estate.yaml").write_text(LOOP)


def test_what_is_there_does_not_fail_and_stays_known_when_lines_move(run: Run) -> None:
    assert run("check", "estate.yaml").code == 1
    wrote = run("baseline", "write", "estate.yaml")
    assert (wrote.code, wrote.out) == (0, "")
    entries = json.loads(Path("momlint-baseline.json").read_text())["findings"]
    # MOM306 speaks of the row once MOM302 does not.
    assert sorted({entry["code"] for entry in entries}) == ["MOM302", "MOM306", "MOM501"]
    assert wrote.err == f"momlint: wrote momlint-baseline.json: {len(entries)} findings\n"

    Path("estate.yaml").write_text("# a line\n\n" + LOOP)
    ran = run("check", "estate.yaml", "--baseline", "momlint-baseline.json", "--fail-on", "note", "--format", "concise")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"momlint: note: momlint-baseline.json hides {len(entries)} findings\n"


def test_what_is_new_fails(run: Run) -> None:
    run("baseline", "write", "estate.yaml", "-o", "known.json")
    # One more destination in the same wrong row, and a reference to nobody.
    worse = LOOP.replace("subscribers: [3]", "subscribers: [3, 9]")
    Path("estate.yaml").write_text(worse)
    ran = run("check", "estate.yaml", "--baseline", "known.json", "--format", "concise")
    assert ran.code == 1
    assert [line.split()[1] for line in ran.out.splitlines()] == ["MOM104"]
    # Another file has another key.
    Path("other.yaml").write_text(LOOP)
    ran = run("check", "other.yaml", "--baseline", "known.json", "--format", "concise")
    assert ran.code == 1
    assert "MOM302" in ran.out


def test_a_row_that_gets_worse_is_told(run: Run) -> None:
    run("baseline", "write", "estate.yaml", "-o", "known.json")
    worse = LOOP.replace("brokers: {1: , 2: , 3: }", "brokers: {1: , 2: , 3: , 4: }")
    worse = worse.replace("  - {between: [2, 3]}\n", "  - {between: [2, 3]}\n  - {between: [3, 4]}\n")
    worse = worse.replace("subscribers: [3]", "subscribers: [3, 4]").replace("[3]}\n    2", "[3, 4]}\n    2")
    Path("estate.yaml").write_text(worse.replace("2: {1: [3]}", "2: {1: [3, 4]}"))
    ran = run("check", "estate.yaml", "--baseline", "known.json", "--format", "concise", "--select", "MOM3")
    assert ran.code == 1
    assert [line.split()[1] for line in ran.out.splitlines()] == ["MOM302"]


def test_what_is_mended_is_counted(run: Run) -> None:
    run("baseline", "write", "estate.yaml")
    Path("estate.yaml").write_text(LOOP.replace("2: {1: [3]}", "2: {3: [3]}"))
    ran = run("check", "estate.yaml", "--baseline", "momlint-baseline.json", "--select", "MOM302")
    assert ran.code == 0
    assert "momlint-baseline.json has" in ran.err
    # Of a file that was not checked nothing is said.
    Path("other.yaml").write_text("momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\n")
    ran = run("check", "other.yaml", "--baseline", "momlint-baseline.json")
    assert "momlint-baseline.json" not in ran.err


def test_files_are_named_from_the_baseline(run: Run) -> None:
    Path("ci").mkdir()
    run("baseline", "write", "estate.yaml", "-o", "ci/known.json")
    entries = json.loads(Path("ci/known.json").read_text())["findings"]
    assert {entry["file"] for entry in entries} == {"../estate.yaml"}
    Path("deep").mkdir()
    for jobs in ((), ("--jobs", "2")):
        ran = run("check", "./deep/../estate.yaml", "--baseline", "ci/known.json", "--format", "concise", *jobs)
        assert (ran.code, ran.out) == (0, ""), jobs


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is no baseline"),
        ('{"version": 2, "findings": []}', "is of another version"),
        ('{"version": 1, "findings": [{"file": "a", "code": "MOM302"}]}', "entry 1 is not one"),
        (
            '{"version": 1, "findings": [{"file": "a", "code": "MOM302", "about": {}, "count": 0}]}',
            "entry 1 is not one",
        ),
    ],
)
def test_what_is_no_baseline(run: Run, content: str, said: str) -> None:
    Path("known.json").write_text(content)
    ran = run("check", "estate.yaml", "--baseline", "known.json")
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_baseline_is_never_overwritten_by_a_report_and_is_not_made_of_what_cannot_be_read(run: Run) -> None:
    run("baseline", "write", "estate.yaml", "-o", "known.json")
    ran = run("check", "estate.yaml", "--baseline", "known.json", "--output", "known.json")
    assert ran.code == 2
    before = Path("known.json").read_text()
    ran = run("baseline", "write", "estate.yaml", "missing.yaml", "-o", "known.json")
    assert ran.code == 2
    assert Path("known.json").read_text() == before
    ran = run("baseline", "write", "-", "-o", "known.json")
    assert ran.code == 2


def moved(text: str) -> str:
    """`text` with comments and empty lines before every key of the top level, and Windows' line ends."""
    lines = [f"# a comment\n\n{line}" if re.match("[a-z]", line) else line for line in text.splitlines()]
    return "\r\n".join("\n".join(lines).splitlines()) + "\r\n"


def of_rules() -> list[ParameterSet]:
    """The first failing estate of each rule, and the others as slow."""
    found, paths = [], sorted(RULES.glob("MOM*/fail*.yaml"))
    for path, before in zip(paths, [None, *paths], strict=False):
        marks = [pytest.mark.slow] if before and before.parent == path.parent else []
        found.append(pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=marks))
    return found


@pytest.mark.parametrize("path", of_rules())
def test_findings_of_every_rule_stay_known_when_lines_move(run: Run, path: Path) -> None:
    text = path.read_text()
    code = path.parent.name
    folder = Path("copy")
    shutil.copytree(path.parent, folder)
    file = folder / path.name
    if code == "MOM410":
        (folder / "momlint.toml").write_text("protocol = true\n")
    if run("baseline", "write", str(file)).code:
        pytest.skip("what is not decided or not readable is in no baseline")
    entries = json.loads(Path("momlint-baseline.json").read_text())["findings"]
    assert code in {entry["code"] for entry in entries}
    file.write_text(moved(text), newline="")
    found = json.loads(run("check", str(file), "--format", "json").out)["findings"]
    assert code in {one["code"] for one in found}
    ran = run("check", str(file), "--baseline", "momlint-baseline.json", "--fail-on", "note", "--format", "concise")
    assert (ran.code, ran.out) == (0, "")
