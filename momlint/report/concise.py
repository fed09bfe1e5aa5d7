"""One line a finding: ``file:line:column: CODE severity message (walk)``, as editors and grep like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.report.wording import aside, place

if TYPE_CHECKING:
    from momlint.findings import Report


def render(report: Report) -> str:
    """One line a finding, in the report's order; nothing at all for a clean report."""
    return "".join(
        place(finding) + printable(f": {finding.code} {finding.severity} {finding.message}{aside(finding)}") + "\n"
        for finding in report.findings
    )
