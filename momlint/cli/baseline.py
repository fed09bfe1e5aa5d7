"""``momlint baseline write``: what is there today, for ``check --baseline``."""

from __future__ import annotations

import os

from momlint.baseline import of_findings, written
from momlint.cli import exits
from momlint.cli.check import Arguments, everything
from momlint.cli.console import complain, write
from momlint.words import counted


def write_baseline(arguments: Arguments, output: str) -> int:
    """Check what `arguments` name and write every finding to the file `output`; the exit code. Raises `UsageError`.

    What stayed undecided is not in it, and is said again by each check.
    """
    folder = os.path.dirname(output) or os.curdir
    report = everything(arguments, folder)
    baseline = of_findings(report.known, folder)
    write(written(baseline), output)
    if not arguments.quiet:
        complain(f"momlint: wrote {output}: {counted(sum(baseline.known.values()), 'finding')}")
    if report.findings:
        left = sorted({finding.code for finding in report.findings})
        complain(f"momlint: note: {', '.join(left)} cannot be put in a baseline; check goes on reporting it")
    return exits.OK
