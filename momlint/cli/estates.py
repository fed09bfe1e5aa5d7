"""One estate out of what the command line names, for the commands that work on one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from momlint import discover
from momlint.access import reason
from momlint.cli.console import read_stdin
from momlint.cli.reading import Reading
from momlint.config import did_you_mean
from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.estate import Estate, LoadedEstate


def load(
    path: str, name: str | None, reading: Reading, *, tables: bool = True, section: str = "brokers"
) -> LoadedEstate:
    """The estate called `name` in the file `path` (``-`` for standard input), or the only one.

    A folder will do if it has one estate file. The result has an `estate`; with `tables`, a file of recovery rows
    that it names is read too. `section`: what it must have. `reading`: what may be read. Raises `UsageError` where
    there is none, or several and no `name`.
    """
    from momlint.disciplines import complete
    from momlint.estate.opening import open_bytes
    from momlint.lint import STDIN

    found = discover.discover([path], most=reading.most_bytes)
    if found.failures:
        raise UsageError(found.failures[0])
    if len(found.files) > 1:
        raise UsageError(f"{path}: there are several estates here; name one file: {', '.join(found.files)}")
    (file,) = found.files
    if file == discover.STDIN:
        file, data = STDIN, read_stdin(reading.most_bytes)
        access = reading.access(file)
    else:
        access = reading.access(file)
        try:
            data = access.read(file)
        except OSError as error:
            raise UsageError(f"{file}: {reason(error)}") from error
    opened = open_bytes(data, file, access)
    loaded = [one for one in opened.estates if one.estate is not None and _has(one.estate, section)]
    if not loaded:
        what = "overlay" if section == "brokers" else f"`{section}`"
        raise UsageError(f"{file}: this file has no {what}; `momlint check` says what is wrong with it")
    chosen = _choose(loaded, name, file)
    if tables:
        complete(chosen)
    return chosen


def _has(estate: Estate, section: str) -> bool:
    return bool(estate.brokers) if section == "brokers" else section in estate.section_places


def _choose(loaded: Sequence[LoadedEstate], name: str | None, file: str) -> LoadedEstate:
    names = [one.estate.name for one in loaded if one.estate is not None]
    if name is None:
        if len(loaded) > 1:
            raise UsageError(f"{file}: this file has several estates; choose one with --estate: {', '.join(names)}")
        return loaded[0]
    if name not in names:
        raise UsageError(f"{file}: there is no estate `{name}`{did_you_mean(name, names)}")
    if names.count(name) > 1:
        raise UsageError(f"{file}: {names.count(name)} estates here are called `{name}`; give each a `name` of its own")
    return loaded[names.index(name)]


def broker(estate: Estate, name: str, option: str) -> int:
    """The dense id of the broker called `name`. Raises `UsageError` with the nearest name."""
    names = [one.id for one in estate.brokers]
    if name not in names:
        raise UsageError(f"{option}: there is no broker `{name}`{did_you_mean(name, names)}")
    return names.index(name)


def colour(estate: Estate, name: str | None) -> int:
    """The index of the colour called `name`, of the first one without a name. Raises `UsageError`."""
    if name is None:
        return 0
    names = [one.name for one in estate.colours]
    if not estate.colours_declared:
        raise UsageError("--colour: this estate declares no colours")
    if name not in names:
        raise UsageError(f"--colour: there is no colour `{name}`{did_you_mean(name, names)}")
    return names.index(name)
