"""``check --statistics``: how often each rule reports, in place of the findings."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, NamedTuple

from momlint.findings import Severity
from momlint.report.closing import totals_line
from momlint.report.json import VERSION

if TYPE_CHECKING:
    from momlint.findings import Report


class Count(NamedTuple):
    """A rule that reports something, and how often."""

    code: str
    rule: str
    severity: Severity
    number: int


def counts(report: Report) -> list[Count]:
    """The rules of the findings: those that report most first, then by code."""
    found: dict[tuple[str, str, Severity], int] = {}
    for finding in report.findings:
        key = (finding.code, finding.rule, finding.severity)
        found[key] = found.get(key, 0) + 1
    rows = [Count(*key, number) for key, number in found.items()]
    return sorted(rows, key=lambda row: (-row.number, row.code))


def render_text(report: Report, *, quiet: bool = False) -> str:
    """A line for each rule, and the totals unless `quiet`."""
    rows = counts(report)
    width = max((len(f"{row.number:,}") for row in rows), default=0)
    lines = [f"{row.number:>{width},}  {row.code}  {row.severity.value:7}  {row.rule}" for row in rows]
    return "".join(line + "\n" for line in (lines if quiet else [*lines, totals_line(report)]))


def render_json(report: Report) -> str:
    """One JSON object: the summary of the JSON report, and the rules."""
    summary = dataclasses.asdict(report.summary)
    if not summary["properties"]:
        del summary["properties"]
    lines = [
        json.dumps({"code": row.code, "rule": row.rule, "severity": row.severity.value, "count": row.number})
        for row in counts(report)
    ]
    listed = "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"
    return f'{{"version": {VERSION},\n "summary": {json.dumps(summary)},\n "statistics": {listed}}}\n'
