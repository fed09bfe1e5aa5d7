"""Many files as a work: a unit is a file, the result what `momlint.lint.lint_file` gives of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from momlint.findings import Finding
from momlint.fleet.work import Fault, Runner, Work
from momlint.lint import FileResult, Options, Tables, lint_file, undecided_file

#: CPU seconds of a check, by bench/bench_fleet.py on the files it makes: so much a file, most of it z3's second opinion
#: on a small estate, …
SECONDS_A_FILE = 0.055
#: … and so much a byte, most of it reading; …
SECONDS_A_BYTE = 1.0e-6
#: … but where z3 decides alone, which it does of large estates too.
SECONDS_A_BYTE_BY_SMT = 12.0e-6


@dataclass(frozen=True, slots=True)
class CheckFiles(Work[FileResult]):
    """Check the files at `paths`, as they are called from the folder of the run. `tables`: see `momlint.lint`."""

    paths: tuple[str, ...]
    options: Options
    tables: Tables | None = None
    result_type: ClassVar[type[Any]] = FileResult

    @property
    def units(self) -> int:
        """One a file."""
        return len(self.paths)

    def run(self, unit: int) -> FileResult:
        """Check one file."""
        return without_idle_text(lint_file(self.paths[unit], self.options, tables=self.tables))

    def undecided(self, unit: int, fault: Fault) -> FileResult:
        """One MOM901 at the file."""
        return undecided_file(self.paths[unit], fault.reason, fault.help, self.options)


@dataclass(slots=True)
class CheckLargeFile(Work[FileResult]):
    """Check one file, and let the helper have parts of what is asked about it.

    `least`: CPU seconds from which on a question is worth the way. `tables`: see `momlint.lint`.
    """

    path: str
    options: Options
    least: float
    tables: Tables | None = None
    helper: Runner | None = None
    result_type: ClassVar[type[Any]] = FileResult

    @property
    def units(self) -> int:
        """The file."""
        return 1

    def take_helper(self, helper: Runner) -> None:
        """Keep it for `run`."""
        self.helper = helper

    def run(self, unit: int) -> FileResult:
        """Check the file."""
        from momlint.fleet.spread import Parts

        spread = None if self.helper is None else Parts(self.helper, self.least)
        return without_idle_text(lint_file(self.path, self.options, spread, self.tables))

    def undecided(self, unit: int, fault: Fault) -> FileResult:
        """One MOM901 at the file."""
        return undecided_file(self.path, fault.reason, fault.help, self.options)


def without_idle_text(result: FileResult) -> FileResult:
    """`result` without the lines of files that no finding and no suppression is in: nobody will show them.

    Their names stay, since some reports list all files.
    """
    shown = set(result.suppressions)
    for finding in result.findings:
        shown.update(_files_of(finding))
    for file in result.sources:
        if file not in shown:
            result.sources[file] = ()
    return result


def _files_of(finding: Finding) -> list[str]:
    return [finding.file, *(related.file for related in finding.related)]


def expected_seconds(paths: Sequence[str], engine: str = "auto") -> list[float]:
    """About how many CPU seconds the check of each file takes, by its size; files it includes are not counted."""
    a_byte = SECONDS_A_BYTE_BY_SMT if engine == "smt" else SECONDS_A_BYTE
    return [SECONDS_A_FILE + a_byte * _size(path) for path in paths]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # whoever reads it will say what is wrong
