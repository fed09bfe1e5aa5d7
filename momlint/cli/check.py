"""``momlint check``: configuration, files, the pipeline, the report, the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from momlint import cli, config, discover
from momlint.cli.console import Progress, coloured, columns, complain, write
from momlint.errors import UsageError
from momlint.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from momlint.catalog import RuleName
    from momlint.config import Config, FailOnName, FormatName
    from momlint.findings import Report
    from momlint.lint import Options

#: A solver gave up; counted apart from what was found.
UNDECIDED_CODE = "MOM901"
#: The engines disagree, which is a fault of momlint.
DISAGREE_CODE = "MOM902"


class Arguments(NamedTuple):
    """The command line of ``check`` as it was given; `None` where an option was not."""

    paths: Sequence[str]
    engine: str | None = None
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    exclude: Sequence[str] = ()
    format: str | None = None
    output: str | None = None
    fail_on: str | None = None
    timeout: float | None = None
    spark: str | None = None
    jobs: int | None = None
    config: str | None = None
    quiet: bool = False


def check(arguments: Arguments) -> int:
    """Check what `arguments` name, write the report, and return the exit code. Raises `UsageError`."""
    from momlint.catalog import load_rules, rule_names
    from momlint.lint import lint_files

    if arguments.spark is not None:
        raise UsageError("--spark: checking on Spark is not in this version of momlint; use --jobs to spread files")
    if arguments.output is not None:
        _writable(arguments.output)
    if arguments.timeout is not None and not 0 < arguments.timeout < float("inf"):
        raise UsageError(f"--timeout must be a number of seconds above 0, not {arguments.timeout}")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"--jobs must be at least 1, not {arguments.jobs}")
    paths = list(arguments.paths) or ["."]
    settings = _settings(arguments.config, paths)
    options = _options(arguments, settings, rule_names())
    form: FormatName = config.choice("--format", arguments.format or settings.format or "text", config.FORMATS)
    fail_on: FailOnName = config.choice("--fail-on", arguments.fail_on or settings.fail_on or "error", config.FAIL_ON)

    found = discover.discover(paths, _excluded(arguments.exclude, settings))
    with Progress(not arguments.quiet) as progress:
        report = lint_files(found.files, options, _read_stdin, progress)
        report.failures[:0] = found.failures

        from momlint.report import render

        progress("writing the report")
        to_terminal = arguments.output is None
        rendered = render(
            form,
            report,
            rules=load_rules() if form == "sarif" else (),
            colour=to_terminal and coloured(),
            width=columns() if to_terminal else None,
            quiet=arguments.quiet,
            fail_on=fail_on,
        )
    write(rendered.text, arguments.output)
    if not arguments.quiet:
        for notice in (*report.notices, *rendered.notices):
            complain(f"momlint: note: {notice}")
    for failure in report.failures:
        complain(f"momlint: error: {failure}")
    return exit_code(report, fail_on)


def exit_code(report: Report, fail_on: FailOnName) -> int:
    """2 for what could not be read or is momlint's fault, 1 for findings, 3 for undecided, else 0.

    A finding that says "undecided" makes 3 and not 1, unless something else is an error; with ``never``
    nothing that was found or left open makes a run fail.
    """
    if report.failures or any(finding.code == DISAGREE_CODE for finding in report.findings):
        return cli.FAULT
    if fail_on == "never":
        return cli.OK
    found = [finding.severity for finding in report.findings if finding.code != UNDECIDED_CODE]
    undecided = report.summary.undecided > 0 or len(found) < len(report.findings)
    if undecided and Severity.ERROR not in found:
        return cli.UNDECIDED
    limit = Severity(fail_on).rank
    return cli.FINDINGS if any(severity.rank <= limit for severity in found) else cli.OK


def _read_stdin() -> bytes:
    return sys.stdin.buffer.read()


def _writable(output: str) -> None:
    """Say so before the work is done, not after, that there is no place for its result."""
    folder = os.path.dirname(output) or "."
    if os.path.isdir(output):
        raise UsageError(f"--output: {output} is a folder; name a file")
    if not os.path.isdir(folder):
        raise UsageError(f"--output: there is no folder {folder}")


def _settings(named: str | None, paths: Sequence[str]) -> Config:
    if named is not None:
        return config.load(named)
    return config.find("." if paths[0] == discover.STDIN else paths[0])


def _options(arguments: Arguments, settings: Config, rules: Sequence[RuleName]) -> Options:
    from momlint.lint import Options

    codes = [rule.code for rule in rules]
    ids = {rule.id: rule.code for rule in rules}
    select, ignore = config.split_codes(arguments.select), config.split_codes(arguments.ignore)
    where = settings.file or "configuration"
    config.check_codes(select, codes, ids, "--select")
    config.check_codes(ignore, codes, ids, "--ignore")
    config.check_codes(settings.select or (), codes, ids, f"{where}: select")
    config.check_codes(settings.ignore or (), codes, ids, f"{where}: ignore")
    for pattern, ignored in settings.per_file_ignores:
        config.check_codes(ignored, codes, ids, f"{where}: per-file-ignores: {pattern}")
    return Options(
        engine=config.choice("--engine", arguments.engine or settings.engine or "auto", config.ENGINES),
        select=select or settings.select or (),
        ignore=ignore or settings.ignore or (),
        timeout=arguments.timeout if arguments.timeout is not None else settings.timeout,
        jobs=arguments.jobs if arguments.jobs is not None else settings.jobs or 1,
        per_file_ignores=dict(settings.per_file_ignores),
        base=settings.base,
    )


def _excluded(patterns: Sequence[str], settings: Config) -> Callable[[str], bool]:
    from momlint.patterns import matches

    wanted = [(pattern, os.curdir) for word in patterns for pattern in word.split(",") if pattern]
    wanted += [(pattern, settings.base) for pattern in settings.exclude]
    return lambda path: any(matches(pattern, path, base) for pattern, base in wanted)
