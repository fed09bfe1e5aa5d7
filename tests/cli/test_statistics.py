"""``check --statistics``: how often each rule reports, in place of the findings."""

from __future__ import annotations

import json

import jsonschema
import pytest

from momlint.report.schema import json_schema
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("folder")

#: bad.yaml is a tree with one wrong row. Topic A goes from 1 to 2 and 5, and so over links 1--2, 2--4 and 4--5, and
#: brokers 2 and 4; warning.mom.yaml has a topic without subscribers.
NOTES_BY_HAND = 5


def test_counts_stand_in_place_of_findings(run: Run) -> None:
    ran = run("check", "--statistics")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        f"{NOTES_BY_HAND}  MOM501  note     single-point-of-failure",
        "1  MOM201  warning  topic-without-subscriber",
        "1  MOM303  error    black-hole",
        f"Found 1 error, 1 warning and {NOTES_BY_HAND} notes in 3 files.",
    ]


def test_quiet_leaves_the_totals_out_and_concise_is_as_text(run: Run) -> None:
    ran = run("check", "--statistics", "-q", "-f", "concise", "--select", "MOM303,MOM201")
    assert ran.out == "1  MOM201  warning  topic-without-subscriber\n1  MOM303  error    black-hole\n"


def test_nothing_found(run: Run) -> None:
    assert run("check", "--statistics", "good.mom.yaml") == (0, "No findings in 1 file.\n", "")


def test_as_json(run: Run) -> None:
    ran = run("check", "--statistics", "--format", "json", "--fail-on", "never")
    assert ran.code == 0
    report = json.loads(ran.out)
    whole = json.loads(run("check", "--format", "json").out)
    assert (report["version"], report["summary"]) == (whole["version"], whole["summary"])
    assert [(row["code"], row["count"]) for row in report["statistics"]] == [
        ("MOM501", NOTES_BY_HAND),
        ("MOM201", 1),
        ("MOM303", 1),
    ]
    assert report["statistics"][2] == {"code": "MOM303", "rule": "black-hole", "severity": "error", "count": 1}
    # It is no report of findings, and whoever expects one is told so.
    assert not jsonschema.Draft202012Validator(json_schema()).is_valid(report)


def test_a_severity_of_ones_own_counts(run: Run) -> None:
    with open("momlint.toml", "w") as stream:
        stream.write('[severity]\nMOM201 = "note"\n')
    assert "1  MOM201  note     topic-without-subscriber" in run("check", "--statistics", "warning.mom.yaml").out


@pytest.mark.parametrize("form", ["sarif", "github", "gitlab", "junit", "markdown"])
def test_other_formats_have_no_statistics(form: str, run: Run) -> None:
    ran = run("check", "--statistics", "--format", form)
    assert (ran.code, ran.out) == (2, "")
    assert f"cannot be used with --format {form}" in ran.err


def test_sections_have_no_place_in_statistics(run: Run) -> None:
    assert run("check", "--statistics", "--report", "availability").code == 2
