"""GitLab's Code Quality report: a list of findings, of which GitLab shows those that a merge request brings.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format: GitLab compares the fingerprints of two
branches, so they hold no line, and findings that are alike are told apart by their number.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from momlint.escaping import json_printable, printable
from momlint.findings import Severity
from momlint.report.json import data_object
from momlint.report.wording import details
from momlint.words import without_lines

if TYPE_CHECKING:
    from momlint.findings import Finding, Report

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Report) -> str:
    """A JSON array with a finding a line, and a line end; files that could not be read are findings of their own."""
    seen: Counter[str] = Counter()
    entries = [_entry(finding, seen) for finding in report.findings]
    entries += [_failure(sentence, seen) for sentence in report.failures]
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    return json_printable("[\n  " + ",\n  ".join(lines) + "\n]\n" if lines else "[]\n")


def _entry(finding: Finding, seen: Counter[str]) -> dict[str, Any]:
    start, end = finding.span
    about = data_object(finding.data) if finding.data else without_lines(finding.message)
    return {
        "description": f"{finding.code} {finding.rule}: {printable(finding.message.removeprefix(f'{finding.rule}: '))}",
        "content": {"body": "\n".join(details(finding))},
        "check_name": finding.code,
        "fingerprint": _fingerprint([_path(finding.file), finding.code, about], seen),
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": _path(finding.file),
            "positions": {
                "begin": {"line": start.line, "column": start.column},
                "end": {"line": end.line, "column": end.column},
            },
        },
    }


def _failure(sentence: str, seen: Counter[str]) -> dict[str, Any]:
    # GitLab leaves out what has no file and line.
    return {
        "description": printable(sentence),
        "check_name": "unreadable",
        "fingerprint": _fingerprint(["unreadable", sentence], seen),
        "severity": "blocker",
        "location": {"path": _path(sentence.partition(": ")[0]), "lines": {"begin": 1}},
    }


def _fingerprint(about: list[Any], seen: Counter[str]) -> str:
    text = json.dumps(about, sort_keys=True, ensure_ascii=True)
    number = seen[text]
    seen[text] += 1
    return hashlib.sha256(f"{text} {number}".encode()).hexdigest()


def _path(file: str) -> str:
    """Relative to the working directory, which is the repository in a job of GitLab's, and without ``./``."""
    return printable(os.path.normpath(file).replace(os.sep, "/"))
