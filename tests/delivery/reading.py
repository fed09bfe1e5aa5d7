"""Estates as text to findings."""

from __future__ import annotations

from momlint.findings import Finding, Report
from momlint.lint import Options, lint_bytes, merge


def report_of(text: str, *select: str) -> Report:
    """The report of one estate, of all rules or those that are selected."""
    options = Options(select=select)
    return merge([lint_bytes(text.encode(), "sites.yaml", options)], options)


def findings_of(text: str, code: str = "") -> list[Finding]:
    """Its findings, of one code or all."""
    return [finding for finding in report_of(text, *([code] if code else [])).findings if finding.code.startswith(code)]
