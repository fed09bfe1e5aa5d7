"""Reports as bytes, for comparing them."""

from __future__ import annotations

from momlint.catalog import load_rules
from momlint.config import FORMATS
from momlint.findings import Report
from momlint.report import render


def rendered(report: Report) -> dict[str, str]:
    """The report in every format."""
    return {
        form: render(form, report, rules=load_rules(), colour=False, width=None, quiet=False, fail_on="error").text  # type: ignore[arg-type]
        for form in FORMATS
    }
