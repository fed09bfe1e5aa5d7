"""``momlint plan``: colours and condensed recovery tables for what the estate promises to survive."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from momlint import config, discover
from momlint.access import read_regular, reason
from momlint.cli import estates, exits
from momlint.cli.console import complain, refuse_input, write
from momlint.cli.reading import Reading
from momlint.errors import UsageError
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.estate import Estate, LoadedEstate
    from momlint.routed.overlay.super_tables import RecoveryTable
    from momlint.routed.recovery.planning import Plan
    from momlint.routed.recovery.show import View
    from momlint.routed.recovery.write import Form

#: How a row's set of colours is written.
FORMS = ("auto", "listed", "except")
#: Sections without which there is nothing to plan from.
_NEEDED = ("brokers", "links", "groups", "failures.tolerate", "failures.colours", "failures.takeover")
_YAML = ("yaml", "yml")
_PARQUET = ("parquet", "pq")
_TABLES = ("csv", *_PARQUET)


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the command line says of ``momlint plan``."""

    path: str
    output: str | None = None
    show: str | None = None
    broker: str | None = None
    sets: str = "auto"
    estate: str | None = None
    spark: str | None = None
    jobs: str | None = None
    names: bool = False
    in_place: bool = False
    reading: Reading = field(default_factory=Reading)


def plan(arguments: Arguments) -> int:
    """Plan, and write what is asked for. Raises `UsageError`.

    To a ``.yaml`` file (without an output: to standard output) goes the whole ``failures`` section; to a ``.csv`` or
    ``.parquet`` file go the rows, and the section that names the file to standard output, or into the estate. With
    `show` standard output gets that table of the documents instead. With `spark` (a master) or `jobs` the rows go to a
    folder of Parquet files.
    """
    form = config.choice("--sets", arguments.sets, FORMS)
    output, ending = arguments.output, _ending(arguments.output)
    by_many = arguments.spark is not None or arguments.jobs is not None
    _check_options(arguments, ending, by_many=by_many)
    if output is not None and not by_many:
        _check_output(output, ending)
    if output is not None and ending in _PARQUET:
        # Before the work is done, and not after it.
        from momlint.routed.recovery.write import check_parquet

        check_parquet(output)
    if arguments.in_place:
        return _in_place(arguments, form)
    loaded, estate = _load(arguments.path, arguments)
    refuse_input("--output", arguments.output, [source.file for source in loaded.sources])
    if by_many:
        write(_plan_by_many(arguments, loaded, estate, form))
        return exits.OK
    view = _view(arguments.show)
    chosen = estates.broker(estate, arguments.broker, "--broker") if arguments.broker is not None else None
    made = _made(arguments, estate)
    section = _section(arguments, loaded, estate, made, form) if output is not None or view is None else ""
    if output is not None and ending in _YAML:
        write(section, output)
        _told(output, made)
    elif view is None:
        write(section)
    if view is not None:
        from momlint.routed.recovery.show import show as tables

        write("".join(tables(view, estate, made.plan, made.table, chosen)))
    return exits.OK


class _Made(NamedTuple):
    """A plan and its tables, which take a while to condense."""

    plan: Plan
    table: RecoveryTable


def _made(arguments: Arguments, estate: Estate) -> _Made:
    from momlint.routed.recovery.planning import plan as make_plan

    made = make_plan(estate, named=arguments.names)
    return _Made(made, made.table())


def _view(show: str | None) -> View | None:
    if show is None:
        return None
    from momlint.routed.recovery.show import VIEWS

    view: View = config.choice("--show", show, VIEWS)
    return view


def _ending(output: str | None) -> str:
    return output.rpartition(".")[2].lower() if output is not None else ""


def _check_options(arguments: Arguments, ending: str, *, by_many: bool) -> None:
    """Raises `UsageError` where options do not go together."""
    if arguments.broker is not None and arguments.show is None:
        raise UsageError("--broker: name the table with --show")
    if by_many:
        if arguments.show is not None or ending not in _PARQUET:
            raise UsageError("--spark and --jobs: name a folder that ends in .parquet with --output, for the tables")
        if arguments.spark is not None and arguments.jobs is not None:
            raise UsageError("--spark and --jobs do the same thing; choose one")
        assert arguments.output is not None
        if os.path.isfile(arguments.output):
            raise UsageError(
                f"--output: {arguments.output} is a file; with --spark or --jobs the tables are a folder of files"
            )
    if arguments.in_place:
        if arguments.path == discover.STDIN:
            raise UsageError("--in-place: standard input cannot be written to; name a file")
        if arguments.show is not None:
            raise UsageError("--in-place writes and --show prints; choose one")
        if ending in _YAML and arguments.output is not None:
            raise UsageError(
                "--in-place: the section goes into the estate; --output takes a .csv or .parquet file, or leave it out"
            )


def _in_place(arguments: Arguments, form: Form) -> int:
    """Write the section into each estate of the path; the exit code."""
    found = discover.discover([arguments.path], most=arguments.reading.most_bytes)
    if found.failures:
        raise UsageError(found.failures[0])
    if len(found.files) > 1 and (arguments.output is not None or arguments.estate is not None):
        raise UsageError(f"{arguments.path}: there are several estates here; name one file for --output and --estate")
    code = exits.OK
    for number, file in enumerate(found.files, 1):
        one = replace(arguments, path=file)
        where = f"{number} of {len(found.files)}: " if len(found.files) > 1 else ""
        try:
            loaded, estate = _load(file, arguments)
            refuse_input("--output", arguments.output, [source.file for source in loaded.sources])
            if len(found.files) > 1 and estate.tolerate is None and not estate.colours_declared:
                complain(f"momlint: {where}{file}: skipped: it promises nothing, so there is nothing to plan")
                continue
            if arguments.spark is not None or arguments.jobs is not None:
                _write_into(loaded, _plan_by_many(one, loaded, estate, form))
                _told(where + file)
            else:
                made = _made(one, estate)
                _write_into(loaded, _section(one, loaded, estate, made, form))
                _told(where + file, made if arguments.output is None else None)
        except UsageError as error:
            if len(found.files) == 1:
                raise
            complain(f"momlint: error: {where}{error}")
            code = exits.FAULT
    return code


def _write_into(loaded: LoadedEstate, section: str) -> None:
    """Put the section into the estate's own file. Raises `UsageError`, and then the file is as it was."""
    from momlint.estate import load_source
    from momlint.source import read_source
    from momlint.source.editing import with_section

    file = loaded.source.file
    elsewhere = [
        source.file
        for source, document in loaded.documents[1:]
        if document.find(("failures",)) is not None and source.file != file
    ]
    if elsewhere:
        raise UsageError(f"--in-place: part of `failures` is in {elsewhere[0]}; move it into {file} first")
    _, document = loaded.documents[0]
    try:
        data = read_regular(file, None)
    except OSError as error:
        raise UsageError(f"{file}: {reason(error)}") from error
    try:
        changed = with_section(data, document, "failures", section)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    again = load_source(read_source(changed, file))[loaded.index]
    if again.estate is None or again.problems or again.source.problems:
        raise UsageError(
            f"{file}: with the new `failures` it could no longer be read (does the old section hold an anchor?)"
        )
    _replace(file, changed)


def _replace(file: str, data: bytes) -> None:
    """Write the estate, whole or not at all; a link leads where it did."""
    from momlint.writing import write_file

    try:
        write_file(os.path.realpath(file), data)
    except OSError as error:
        raise UsageError(f"{file}: the section cannot be written: {error.strerror or error}") from error


def _told(target: str, made: _Made | None = None) -> None:
    """Say what was written, and how many rows of how many colours stand there (none where they stand elsewhere)."""
    rows = "" if made is None else f"{counted(made.table.rows, 'row')} in {counted(made.table.colours, 'colour')}"
    complain(f"momlint: wrote {target}: {rows or '`failures`'}")


def _section(arguments: Arguments, loaded: LoadedEstate, estate: Estate, made: _Made, form: Form) -> str:
    """The whole section; the rows are written to their file, if they have one."""
    from momlint.routed.recovery.write import failures_yaml, write_recovery

    output = arguments.output
    if output is None or _ending(output) in _YAML:
        return "".join(failures_yaml(estate, made.plan, made.table, form=form))
    section = "".join(failures_yaml(estate, made.plan, None, _reference(arguments.path, loaded, output)))
    colours = [one.name for one in made.plan.colours]
    write_recovery(output, made.table, [one.id for one in estate.brokers], colours, form)
    _told(output, made)
    return section


def _load(path: str, arguments: Arguments) -> tuple[LoadedEstate, Estate]:
    loaded = estates.load(path, arguments.estate, arguments.reading, tables=False)
    estate = loaded.estate
    assert estate is not None
    _check_whole(estate, loaded.source.file, bool(loaded.source.problems))
    if estate.table_rows and (estate.colours_declared or estate.tolerate is not None):
        complain(
            f"momlint: note: {loaded.source.file}: the plan uses shortest paths, not the rows of `routing.tables`, "
            "which no longer count once there are recovery rows"
        )
    return loaded, estate


def _reference(path: str, loaded: LoadedEstate, output: str) -> str:
    """How the estate's file would name `output`."""
    folder = os.path.dirname(loaded.source.file) if path != discover.STDIN else ""
    return os.path.relpath(output, folder or ".").replace(os.sep, "/")


def _plan_by_many(arguments: Arguments, loaded: LoadedEstate, estate: Estate, form: Form) -> str:
    """Write the tables to a folder, by Spark or a pool of processes; the section that names it."""
    from momlint.cli.console import Progress
    from momlint.fleet.choose import RunnerOptions, choose
    from momlint.fleet.planning import plan_into
    from momlint.routed.recovery.write import failures_yaml

    output = arguments.output
    assert output is not None
    with Progress() as progress:
        jobs = config.jobs("--jobs", arguments.jobs) if arguments.jobs is not None else None
        runner_options = RunnerOptions("spark" if arguments.spark is not None else "process", arguments.spark, jobs)
        with choose([loaded.source.file], runner_options, progress).runner as runner:
            made = plan_into(estate, output, runner, form, named=arguments.names)
    complain(f"momlint: wrote {output}: tables in {counted(len(made.colours), 'colour')}")
    return "".join(failures_yaml(estate, made, None, _reference(arguments.path, loaded, output)))


def _check_output(output: str, ending: str) -> None:
    """Say so before the work is done, not after, that there is no place for its result."""
    if ending not in (*_YAML, *_TABLES):
        raise UsageError(f"--output: {output}: a plan is YAML, CSV or Parquet; name a .yaml, .csv or .parquet file")
    if os.path.isdir(output):
        raise UsageError(f"--output: {output} is a folder; name a file")
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"--output: there is no folder {folder}")


def _check_whole(estate: Estate, file: str, unread: bool) -> None:
    """A plan for half an estate would be wrong in ways that nobody sees."""
    lacking = [section for section in _NEEDED if section in estate.incomplete]
    if lacking or unread:
        where = f" with `{'`, `'.join(lacking)}`" if lacking else ""
        raise UsageError(
            f"{file}: there are errors{where}; `momlint check {file}` shows them, and they must be fixed first"
        )
