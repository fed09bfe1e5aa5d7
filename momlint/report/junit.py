"""JUnit XML: one suite a file, one case a finding, and one passing case for a file without findings.

Findings below the threshold that makes a run fail are passing cases with their text as output. There are no
times in it, so that the same input gives the same bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.findings import OWN_FAULT, Severity
from momlint.report.wording import details, place

if TYPE_CHECKING:
    from momlint.findings import Finding, Report
    from momlint.report.options import FailOn

# What XML 1.0 cannot hold, not even as a character reference.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, fail_on: FailOn = "error") -> str:
    """The report as a ``testsuites`` document; `fail_on` is the threshold for a ``failure``."""
    findings: dict[str, list[Finding]] = {file: [] for file in report.sources}
    for finding in report.findings:
        findings.setdefault(finding.file, []).append(finding)

    suites: list[str] = []
    tests = failures = 0
    for file in sorted(findings):
        cases = [_case(finding, _fails(finding, fail_on)) for finding in findings[file]]
        failed = sum(_fails(finding, fail_on) for finding in findings[file])
        if not cases:
            cases = [f'    <testcase name="no findings" classname={_attribute(file)}/>\n']
        suites.append(_suite(file, cases, failed, 0))
        tests += len(cases)
        failures += failed
    if report.failures:
        cases = [
            f'    <testcase name={_attribute(sentence)} classname="momlint">\n'
            f"      <error message={_attribute(sentence)}/>\n    </testcase>\n"
            for sentence in report.failures
        ]
        suites.append(_suite("momlint", cases, 0, len(cases)))
        tests += len(cases)
    counts = f'tests="{tests}" failures="{failures}" errors="{len(report.failures)}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="momlint" {counts}>\n'
        f"{''.join(suites)}</testsuites>\n"
    )


def _fails(finding: Finding, fail_on: FailOn) -> bool:
    """As the exit code has it: a fault of momlint is never a pass."""
    if finding.code == OWN_FAULT:
        return True
    return fail_on != "never" and finding.severity.rank <= Severity(fail_on).rank


def _suite(name: str, cases: list[str], failures: int, errors: int) -> str:
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    return f"  <testsuite name={_attribute(name)} {counts}>\n{''.join(cases)}  </testsuite>\n"


def _case(finding: Finding, fails: bool) -> str:
    first = f"{place(finding)}: {finding.severity}: {printable(finding.message)}"
    body = _text("\n".join((first, *details(finding))))
    start = finding.span.start
    name = f"{finding.code} {finding.rule} at {start.line}:{start.column}"
    if fails:
        kind = f"type={_attribute(finding.severity.value)}"
        inner = f"<failure message={_attribute(finding.message)} {kind}>{body}</failure>"
    else:
        inner = f"<system-out>{body}</system-out>"
    return (
        f"    <testcase name={_attribute(name)} classname={_attribute(finding.file)}>\n      {inner}\n    </testcase>\n"
    )


def _text(text: str) -> str:
    # A bare carriage return would be read back as a line end.
    clean = _NOT_XML.sub("\ufffd", text)
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _attribute(text: str) -> str:
    return f'"{_text(printable(text)).replace(chr(34), "&quot;")}"'
