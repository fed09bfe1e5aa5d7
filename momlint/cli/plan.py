"""``momlint plan``: colours and condensed recovery tables for what the estate promises to survive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from momlint import cli, config
from momlint.cli import estates
from momlint.cli.console import complain, write
from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.estate import Estate, LoadedEstate

#: How a row's set of colours is written.
FORMS = ("auto", "listed", "except")
#: Sections without which there is nothing to plan from.
_NEEDED = ("brokers", "links", "groups", "failures.tolerate", "failures.colours", "failures.takeover")
_YAML = ("yaml", "yml")
_PARQUET = ("parquet", "pq")
_TABLES = ("csv", *_PARQUET)


def plan(
    path: str,
    output: str | None = None,
    show: str | None = None,
    broker: str | None = None,
    sets: str = "auto",
    name: str | None = None,
    spark: str | None = None,
    jobs: int | None = None,
) -> int:
    """Plan, and write what is asked for. Raises `UsageError`.

    To a ``.yaml`` file (without `output`: to standard output) goes the whole ``failures`` section; to a ``.csv`` or
    ``.parquet`` file go the rows, and the section that names the file to standard output. With `show` standard
    output gets that table of the documents instead. With `spark` (a master) or `jobs` the rows go to a folder of
    Parquet files.
    """
    if spark is not None or jobs is not None:
        return _plan_by_many(path, output, show, sets, name, spark, jobs)
    form = config.choice("--sets", sets, FORMS)
    ending = output.rpartition(".")[2].lower() if output is not None else None
    if output is not None:
        _check_output(output, ending or "")
    if broker is not None and show is None:
        raise UsageError("--broker: say which table of the broker with --show")

    from momlint.routed.recovery import failures_yaml, write_recovery
    from momlint.routed.recovery import plan as make_plan
    from momlint.routed.recovery.show import VIEWS
    from momlint.routed.recovery.show import show as tables

    view = config.choice("--show", show, VIEWS) if show is not None else None
    loaded, estate = _load(path, name)
    chosen = estates.broker(estate, broker, "--broker") if broker is not None else None
    made = make_plan(estate)
    table = made.table()

    section = None
    if ending in _TABLES and output is not None:
        section = "".join(failures_yaml(estate, made, None, _reference(path, loaded, output)))
        names = [one.name for one in made.colours]
        write_recovery(output, table, [one.id for one in estate.brokers], names, form)
    elif output is not None:
        write("".join(failures_yaml(estate, made, table, form=form)), output)
    elif view is None:
        section = "".join(failures_yaml(estate, made, table, form=form))
    if view is not None:
        write("".join(tables(view, estate, made, table, chosen)))
    elif section is not None:
        write(section)
    return cli.OK


def _load(path: str, name: str | None) -> tuple[LoadedEstate, Estate]:
    loaded = estates.load(path, name, tables=False)
    estate = loaded.estate
    assert estate is not None
    _check_whole(estate, loaded.source.file, bool(loaded.source.problems))
    if estate.table_rows:
        complain(
            f"momlint: note: {loaded.source.file}: the plan is made of shortest paths; the rows of `routing.tables` "
            "are not in it, and play no part once there are recovery rows"
        )
    return loaded, estate


def _reference(path: str, loaded: LoadedEstate, output: str) -> str:
    """How the estate's file would name `output`."""
    folder = os.path.dirname(loaded.source.file) if path != "-" else ""
    return os.path.relpath(output, folder or ".").replace(os.sep, "/")


def _plan_by_many(
    path: str, output: str | None, show: str | None, sets: str, name: str | None, spark: str | None, jobs: int | None
) -> int:
    form = config.choice("--sets", sets, FORMS)
    if show is not None or output is None or output.rpartition(".")[2].lower() not in _PARQUET:
        raise UsageError("--spark and --jobs: name a folder for the tables that ends in .parquet with --output")
    if os.path.isfile(output):
        raise UsageError(f"--output: {output} is a file; with --spark or --jobs the tables are a folder of files")
    if spark is not None and jobs is not None:
        raise UsageError("--spark and --jobs are two ways of doing one thing; choose one")
    loaded, estate = _load(path, name)

    from momlint.cli.console import Progress
    from momlint.fleet.choose import Wishes, choose
    from momlint.fleet.planning import plan_into
    from momlint.routed.recovery import failures_yaml

    with Progress() as progress:
        wishes = Wishes("spark" if spark is not None else "process", spark, jobs)
        with choose([loaded.source.file], wishes, progress).runner as runner:
            made = plan_into(estate, output, runner, form)
    write("".join(failures_yaml(estate, made, None, _reference(path, loaded, output))))
    return cli.OK


def _check_output(output: str, ending: str) -> None:
    """Say so before the work is done, not after, that there is no place for its result."""
    if ending not in (*_YAML, *_TABLES):
        raise UsageError(f"--output: {output}: a plan is written as .yaml, .csv or .parquet, by the ending of the file")
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
        raise UsageError(f"{file}: something is wrong{where}; `momlint check {file}` says what, and it comes first")
