"""The check of many files, or of one that is worth it, by whichever runner."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from momlint.fleet.files import CheckFiles, CheckLargeFile, expected_seconds, without_idle_text
from momlint.fleet.guard import Guard, Limits
from momlint.fleet.spread import FROM
from momlint.lint import FileResult, Options, lint_stdin, merge

if TYPE_CHECKING:
    from momlint.findings import Report
    from momlint.fleet.work import Runner

#: A file that takes so many CPU seconds, and more than all others together, gets a process here, which has helpers.
LARGE = 8.0


def check_files(
    paths: Sequence[str],
    options: Options,
    runner: Runner,
    read_stdin: Callable[[], bytes] | None = None,
    limits: Limits | None = None,
    large: float = LARGE,
    least: float = FROM,
) -> Report:
    """As `momlint.lint.lint_files`, with the files spread over `runner`: the same report, to the byte.

    `large`: from so many expected CPU seconds on a file is worth being taken apart; `least`: so is a question about it.
    `limits`: of that file (those of the others are the runner's).
    """
    results: dict[int, FileResult] = {}
    spread: list[int] = []
    seconds = expected_seconds(paths)
    for index, path in enumerate(paths):
        if path == "-":
            results[index] = without_idle_text(lint_stdin(read_stdin, options))
        elif seconds[index] >= large and seconds[index] > sum(seconds) / 2:
            with Guard(limits or Limits(), os.getcwd(), runner) as guard:
                ((_, results[index]),) = guard.run(CheckLargeFile(path, options, least), [0])
        else:
            spread.append(index)
    if spread:
        work = CheckFiles(tuple(paths[index] for index in spread), options)
        results.update(zip(spread, runner.run(work, [seconds[index] for index in spread]), strict=True))
    return merge((results[index] for index in range(len(paths))), options)
