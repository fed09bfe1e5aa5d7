"""Workflow commands of GitHub Actions: one annotation a finding, the most severe first.

GitHub shows the first ten errors, ten warnings and ten notices of a step and drops the rest without a word;
so a notice says how many were left out. It stands before the notices that are findings, to be among the ten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.findings import Severity
from momlint.report.wording import by_severity, details
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.findings import Finding, Report

#: Annotations of one kind that GitHub shows for a step.
SHOWN = 10

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report) -> str:
    """One command a line; nothing at all for a clean report. What could not be read comes first."""
    findings = by_severity(report)
    notes = [finding for finding in findings if finding.severity is Severity.NOTE]
    lines = [f"::error title=momlint::{_data(printable(sentence))}" for sentence in report.failures]
    lines += [_command(finding) for finding in findings if finding.severity is not Severity.NOTE]
    hidden = _hidden(findings, len(notes), len(report.failures))
    if hidden:
        lines.append(f"::notice title=momlint::{_data(hidden)}")
    lines.extend(_command(finding) for finding in notes)
    return "".join(line + "\n" for line in lines)


def _hidden(findings: list[Finding], notes: int, failures: int) -> str:
    totals = {
        severity: sum(finding.severity is severity for finding in findings)
        for severity in (Severity.ERROR, Severity.WARNING)
    }
    totals[Severity.ERROR] += failures
    over = {severity: max(0, total - SHOWN) for severity, total in totals.items()}
    # The notice itself takes one of the ten places for notices.
    limit = SHOWN - 1 if any(over.values()) or notes > SHOWN else SHOWN
    over[Severity.NOTE] = max(0, notes - limit)
    if not any(over.values()):
        return ""
    hidden = joined([counted(number, severity.value) for severity, number in over.items() if number])
    return f"GitHub shows {SHOWN} annotations of a kind per step. Left out: {hidden}; see the log of this step."


def _command(finding: Finding) -> str:
    span = finding.span
    properties = [f"file={_property(finding.file)}", f"line={span.start.line}"]
    # GitHub takes columns only for an annotation within one line.
    if span.start.line == span.end.line:
        properties += [f"col={span.start.column}", f"endColumn={span.end.column}"]
    else:
        properties.append(f"endLine={span.end.line}")
    text = "\n".join((printable(finding.message), *details(finding)))
    properties.append(f"title={_property(f'{finding.code} {finding.rule}')}")
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")
