"""The check of many files, or of one that is worth it, by whichever runner."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from momlint.fleet.expected import expected_seconds
from momlint.fleet.files import CheckBytes, CheckFiles, CheckLargeFile, without_idle_text
from momlint.fleet.guard import Guard, ShardLimits
from momlint.fleet.serial import Serial
from momlint.fleet.spread import FROM
from momlint.lint import FileResult, FleetServices, Options, Tables, lint_stdin, merge, native_files, together

if TYPE_CHECKING:
    from momlint.findings import Report
    from momlint.fleet.work import Fetch, Runner

#: A file that takes so many CPU seconds, and more than all others together, gets a process here, which has helpers.
LARGE = 5.0


def check_files(
    paths: Sequence[str],
    options: Options,
    runner: Runner,
    read_stdin: Callable[[], bytes] | None = None,
    limits: ShardLimits | None = None,
    large: float = LARGE,
    least: float = FROM,
    fetch: Fetch | None = None,
    seconds: Sequence[float] | None = None,
) -> Report:
    """As `momlint.lint.lint_files`, with the files spread over `runner`: the same report, to the byte.

    `large`: from so many expected CPU seconds on a file is worth being taken apart; `least`: so is a question about it.
    `limits`: of that file (those of the others are the runner's). `fetch`: who reads recovery tables at addresses.
    `seconds`: how long each file is expected to take, where that is known.
    """
    seconds = seconds or expected_seconds(paths, options.engine, limits)
    read_once = None if read_stdin is None else cache(read_stdin)
    results: dict[int, FileResult] = {}

    def check(indices: Iterable[int], tables: Tables | None) -> None:
        spread: list[int] = []
        for index in indices:
            path = paths[index]
            if path == "-" and read_once is not None and not isinstance(runner, Serial):
                with Guard(limits or ShardLimits(), os.getcwd()) as guard:
                    ((_, results[index]),) = guard.run(CheckBytes(read_once(), options, tables), [0])
            elif path == "-":
                results[index] = without_idle_text(lint_stdin(read_once, options, FleetServices(tables=tables)))
            elif seconds[index] >= large and seconds[index] > sum(seconds) / 2:
                with Guard(limits or ShardLimits(), os.getcwd(), runner) as guard:
                    ((_, results[index]),) = guard.run(CheckLargeFile(path, options, least, tables), [0])
            else:
                spread.append(index)
        if spread:
            work = CheckFiles(tuple(paths[index] for index in spread), options, tables)
            results.update(zip(spread, runner.run(work, [seconds[index] for index in spread]), strict=True))

    natives = native_files(paths, options)
    alone = [index for index, path in enumerate(paths) if path not in natives]
    check(alone, None if fetch is None else {})
    # Which addresses there are is known once the files have been read, be it in workers, which cannot ask Spark.
    waiting = [index for index, result in results.items() if result.wanted]
    if waiting and fetch is not None:
        check(waiting, fetch(sorted({address for index in waiting for address in results[index].wanted})))
    found = [results[index] for index in alone]
    # Which native files belong to an estate that names them is known only now.
    units = together(natives, found)
    if units:
        costs = dict(zip(paths, seconds, strict=True))
        work = CheckFiles(tuple(units), options)
        found += runner.run(work, [sum(costs[file] for file in unit.files) for unit in units])
    return merge(found, options)
