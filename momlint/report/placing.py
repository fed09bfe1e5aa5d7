"""File names as a service wants them: from the root of the repository, wherever momlint was run.

A report names files as the run does: from the working folder, or in full. GitHub and GitLab look from the root of the
repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from momlint.findings import Finding, Related, Report

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def placed(report: Report, root: str, working: str) -> Report:
    """`report` with the names of files from `root`, both folders in full; `working` is where the names start now.

    What lies outside of `root`, standard input, and addresses keep their names. Findings stay in their order.
    """
    names: dict[str, str] = {}

    def name(file: str) -> str:
        if file not in names:
            names[file] = _placed(file, root, working)
        return names[file]

    def failure(sentence: str) -> str:
        file, colon, rest = sentence.partition(": ")
        return f"{name(file)}{colon}{rest}"

    return replace(
        report,
        findings=[_of_finding(finding, name) for finding in report.findings],
        sources={name(file): lines for file, lines in report.sources.items()},
        failures=[failure(sentence) for sentence in report.failures],
    )


def _of_finding(finding: Finding, name: Callable[[str], str]) -> Finding:
    def of_related(related: Related) -> Related:
        return replace(related, file=name(related.file))

    return replace(
        finding,
        file=name(finding.file),
        related=tuple(map(of_related, finding.related)),
        steps=tuple(map(of_related, finding.steps)),
    )


def _placed(file: str, root: str, working: str) -> str:
    if file == "<stdin>" or _ADDRESS.match(file):
        return file
    try:
        found = os.path.relpath(os.path.join(working, file), root)
    except ValueError:  # another drive on Windows
        return file
    return file if found.split(os.sep)[0] == os.pardir else found.replace(os.sep, "/")
