"""Many files as a work: a unit is a file, the result what `momlint.lint.lint_file` gives of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from momlint.findings import Finding
from momlint.fleet.work import Fault, Runner, Work
from momlint.lint import (
    FileResult,
    FleetServices,
    Options,
    Tables,
    Unit,
    lint_bytes,
    lint_file,
    lint_unit,
    undecided_file,
)


@dataclass(frozen=True, slots=True)
class CheckFiles(Work[FileResult]):
    """Check the files at `paths`, as they are called from the folder of the run; native files of a family together.

    `tables`: see `FleetServices`.
    """

    paths: tuple[Unit, ...]
    options: Options
    tables: Tables | None = None
    result_type: ClassVar[type[Any]] = FileResult

    @property
    def units(self) -> int:
        """One a file."""
        return len(self.paths)

    def run(self, unit: int) -> FileResult:
        """Check one file, or those that belong together."""
        return without_idle_text(lint_unit(self.paths[unit], self.options, FleetServices(tables=self.tables)))

    def undecided(self, unit: int, fault: Fault) -> FileResult:
        """One MOM901 at the file."""
        named = self.paths[unit]
        first = named if isinstance(named, str) else named.files[0]
        return undecided_file(first, fault.reason, fault.help, self.options)


@dataclass(frozen=True, slots=True)
class CheckBytes(Work[FileResult]):
    """Check what came on standard input. `tables`: see `FleetServices`."""

    data: bytes
    options: Options
    tables: Tables | None = None
    result_type: ClassVar[type[Any]] = FileResult

    @property
    def units(self) -> int:
        """It."""
        return 1

    def run(self, unit: int) -> FileResult:
        """Check it."""
        return without_idle_text(
            lint_bytes(self.data, self.options.stdin_name, self.options, FleetServices(tables=self.tables))
        )

    def undecided(self, unit: int, fault: Fault) -> FileResult:
        """One MOM901."""
        return undecided_file(self.options.stdin_name, fault.reason, fault.help, self.options)


@dataclass(slots=True)
class CheckLargeFile(Work[FileResult]):
    """Check one file, and let the helper have parts of what is asked about it.

    `least`: CPU seconds from which on a question is worth the way. `tables`: see `FleetServices`.
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

        services = FleetServices(tables=self.tables)
        if self.helper is not None:
            parts = Parts(self.helper, self.least)
            services = FleetServices(parts, parts.read, self.tables)
        return without_idle_text(lint_file(self.path, self.options, services))

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
