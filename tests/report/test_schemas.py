"""Whatever momlint writes as JSON fits its schema, and the schemas are strict enough to say no."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from momlint.cli.schema import KINDS, schema_of
from momlint.lint import Options, lint_files
from momlint.report import render
from tests.cli.conftest import Run, folder, run  # noqa: F401  fixtures

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "tests" / "rules").glob("MOM*/*") if path.is_file())


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema_of(name))


@pytest.mark.parametrize("name", KINDS)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(name))
    assert schema_of(name)["title"]


@pytest.mark.parametrize("code", sorted({path.parent.name for path in EXAMPLES}))
def test_reports_of_every_rule_fit(code: str) -> None:
    for path in (path for path in EXAMPLES if path.parent.name == code):
        report = lint_files([str(path)], Options(engine="graph"))
        for name, statistics in (("report", False), ("statistics", True)):
            validator(name).validate(json.loads(render("json", report, statistics=statistics).text))


OLD = """\
momlint: 1
brokers: {a: , b: , c: , d: }
links:
  - {between: [a, b]}
  - {between: [b, c]}
  - {between: [c, d]}
  - {between: [a, d]}
topics:
  t: {publishers: [a], subscribers: [c]}
failures:
  tolerate: single-link
  colours: {calm: [], cut: [a--d]}
"""


@pytest.mark.usefixtures("folder")
def test_every_kind_of_change_fits(run: Run) -> None:  # noqa: F811
    Path("old.yaml").write_text(OLD)
    changed = {
        "less": OLD.replace("  - {between: [a, b]}\n", ""),
        "more": OLD.replace("subscribers: [c]", "subscribers: [b, d]").replace("t:", "u:"),
        "other": OLD.replace("brokers: {a: , b: , c: , d: }", "brokers: {d: , a: , b: , c: , e: }"),
    }
    kinds: set[str] = set()
    for name, text in changed.items():
        Path(f"{name}.yaml").write_text(text)
        for files in (("old.yaml", f"{name}.yaml"), (f"{name}.yaml", "old.yaml")):
            document = json.loads(run("diff", *files, "--format", "json").out)
            validator("diff").validate(document)
            kinds |= {change["change"] for change in document["changes"]}
    assert kinds == {"broken", "mended", "moved", "added", "dropped"}


SITES = str(ROOT / "examples" / "sites" / "report" / "crash.yaml")
SCRIPT = SITES.replace("yaml", "txt")
OVERLAY = (
    str(ROOT / "examples/simulation/six-brokers.yaml"),
    "--failures",
    str(ROOT / "examples/simulation/paper.txt"),
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        (SITES, "--script", SCRIPT, "--all"),
        (SITES, "--script", "lossy.txt", "--policy", "filtering/total", "--log"),
        (SITES, "--script", SCRIPT, "--runs", "2"),
        (SITES, "--script", "nothing.txt", "--runs", "2"),
        (SITES, "--script", "nothing.txt"),
        OVERLAY,
        (*OVERLAY, "--until", "5", "--protocol", "rrl"),
        (*OVERLAY, "--until", "5", "--runs", "2"),
    ],
)
def test_what_simulations_write_fits(arguments: tuple[str, ...], run: Run) -> None:  # noqa: F811
    Path("nothing.txt").write_text("")
    publish = "Publisher publisher3 Publish 2 Ontopic /p00-1 Interval 0"
    Path("lossy.txt").write_text(f"Subscriber subscriber3 Subscribe /p00-1\nStatus\n{publish}\n")
    document = json.loads(run("simulate", *arguments, "--format", "json").out)
    validator("simulation").validate(document)
    # It knows every key that there is, so that whoever adds one adds it there too.
    (kind,) = document
    either = validator("simulation").schema["properties"][kind]["additionalProperties"]
    for outcome in document[kind].values():
        assert set(outcome) <= set(either["then" if "runs" in outcome else "else"]["properties"])


BAD = [
    ("report", ["findings", 0, "code"], "E501"),
    ("report", ["findings", 0, "span", "start", "line"], 0),
    ("report", ["version"], 2),
    ("report", ["summary", "errors"], "one"),
    ("statistics", ["statistics", 0, "count"], 0),
    ("statistics", ["statistics", 0, "severity"], "fatal"),
    ("diff", ["changes", 0, "change"], "better"),
    ("diff", ["changes", 0, "old", "end"], "somewhere"),
    ("diff", ["not_compared"], None),
    ("simulation", ["policies", "filtering/fifo", "settled"], "yes"),
    ("simulation", ["policies", "filtering/fifo", "deliveries", "subscriber3", 0, "at_ms"], None),
    ("simulation", ["policies", "filtering/fifo", "missed", 0, "number"], 0),
    ("simulation", ["policies"], {}),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("name", "where", "value"), BAD)
def test_what_is_wrong_does_not_fit(name: str, where: list[Any], value: object, run: Run) -> None:  # noqa: F811
    Path("old.yaml").write_text(OLD)
    Path("new.yaml").write_text(OLD.replace("  - {between: [a, b]}\n", ""))
    command = {
        "report": ("check", "bad.yaml"),
        "statistics": ("check", "bad.yaml", "--statistics"),
        "diff": ("diff", "old.yaml", "new.yaml"),
        "simulation": ("simulate", SITES, "--script", SCRIPT),
    }[name]
    right = json.loads(run(*command, "--format", "json").out)
    validator(name).validate(right)
    wrong = copy.deepcopy(right)
    inner = wrong
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    assert not validator(name).is_valid(wrong)
    del inner[where[-1]]
    assert not validator(name).is_valid(wrong)
