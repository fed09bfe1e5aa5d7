"""``momlint fleet inventory``: the tables of many estates as Parquet."""

from __future__ import annotations

from collections.abc import Sequence

from momlint import config, discover
from momlint.cli import exits
from momlint.cli.console import Progress, complain
from momlint.cli.reading import Reading
from momlint.errors import UsageError


def inventory(
    paths: Sequence[str],
    output: str,
    master: str,
    conf: Sequence[str],
    seconds: float | None,
    force: bool,
    quiet: bool,
    reading: Reading,
) -> int:
    """Write the tables of the estates that `paths` name; the exit code."""
    from momlint.catalog import rule_names
    from momlint.fleet.choose import on_spark
    from momlint.fleet.guard import DEADLINE, ShardLimits
    from momlint.fleet.inventory import check_output, write_inventory
    from momlint.lint import Options

    if discover.STDIN in paths:
        raise UsageError("an inventory cannot read standard input; name files or folders")
    check_output(output, force)
    places = list(paths) or ["."]
    found = discover.discover(places, most=reading.most_bytes)
    settings = config.find(places[0])
    options = Options(
        select=config.selected(settings.select or (), settings.extend_select, (rule.code for rule in rule_names())),
        ignore=(*(settings.ignore or ()), *settings.extend_ignore),
        per_file_ignores=dict(settings.per_file_ignores),
        base=settings.base,
        engine=settings.engine or "auto",
        timeout=settings.timeout,
        root=reading.root_or(None if settings.file is None else settings.base),
        most_bytes=reading.most_bytes,
    )
    failures = list(found.failures)
    if found.files:
        with (
            Progress(not quiet) as progress,
            on_spark(master, ShardLimits(seconds or DEADLINE), progress, settings_of(conf)) as runner,
        ):
            failures += write_inventory(runner, found.files, options, output, force)
    for failure in failures:
        complain(f"momlint: error: {failure}")
    return exits.FAULT if failures else exits.OK


def settings_of(conf: Sequence[str]) -> dict[str, str]:
    """The settings of Spark in ``--spark-conf KEY=VALUE``. Raises `UsageError`."""
    found = {}
    for setting in conf:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UsageError(f"--spark-conf: `{setting}` is not KEY=VALUE")
        found[key] = value
    return found
