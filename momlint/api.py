"""momlint for programs: `momlint.check` does what ``momlint check`` does, and returns the report."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from momlint.cli.check import Arguments
    from momlint.findings import Report

Path: TypeAlias = "str | os.PathLike[str]"


def check(
    paths: Path | Iterable[Path],
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    exclude: Iterable[str] = (),
    engine: str | None = None,
    timeout: float | None = None,
    jobs: int | None = None,
    config: Path | None = None,
    baseline: Path | None = None,
    root: Path | None = None,
    protocol: bool = False,
) -> Report:
    """Check files, folders and globs as ``momlint check`` does, and return what it would report.

    `paths`: one, or several that are checked together. `select`, `ignore`: codes or prefixes. `exclude`: patterns to
    skip when folders are searched. `engine`: ``auto``, ``graph``, ``smt`` or ``nusmv``. `timeout`: seconds for each
    question. `jobs`: processes; with more than one, call it below ``if __name__ == "__main__":``. `config`: the
    configuration, by default the nearest one of the first path. `baseline`: what is known, and in the report's `known`
    only. `root`: the folder below which estates may name other files. `protocol`: check the recovery protocol too.

    What is wrong with an estate is in the report's `findings`, what could not be read in its `failures`; nothing is
    printed. Raises `momlint.UsageError` for what makes no sense: an unknown code, a configuration with a mistake.
    """
    named = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    # A file may be called "-"; standard input is the caller's.
    words = [f"./{word}" if word == "-" else word for word in (os.fspath(path) for path in named)]
    from momlint.cli.check import judge

    if not words:
        from momlint.errors import UsageError

        raise UsageError("no paths to check; name files, folders or globs")
    return judge(
        _arguments(words, select, ignore, exclude, engine, timeout, jobs, config, baseline, root)._replace(
            protocol=protocol
        )
    )


def check_text(
    text: str | bytes,
    name: Path = "<text>",
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    engine: str | None = None,
    timeout: float | None = None,
    config: Path | None = None,
    baseline: Path | None = None,
    root: Path | None = None,
    protocol: bool = False,
) -> Report:
    """Check what an editor or a generator holds; else as `check`.

    `text`: the content of a file, bytes as they would be read. `name`: what findings call it, where its ``include`` and
    its configuration are searched from, and by its ending how it is read.
    """
    from momlint.cli.check import judge

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    arguments = _arguments(["-"], select, ignore, (), engine, timeout, None, config, baseline, root)
    return judge(arguments._replace(stdin_filename=os.fspath(name), protocol=protocol), lambda: data)


def _arguments(
    paths: list[str],
    select: Iterable[str],
    ignore: Iterable[str],
    exclude: Iterable[str],
    engine: str | None,
    timeout: float | None,
    jobs: int | None,
    config: Path | None,
    baseline: Path | None,
    root: Path | None,
) -> Arguments:
    from momlint.cli.check import Arguments

    return Arguments(
        paths,
        select=_words(select),
        ignore=_words(ignore),
        exclude=_words(exclude),
        engine=engine,
        timeout=timeout,
        jobs=None if jobs is None else str(jobs),
        config=_text(config),
        baseline=_text(baseline),
        root=_text(root),
        quiet=True,
    )


def _words(given: Iterable[str]) -> list[str]:
    """One word is a word, and not its letters."""
    return [given] if isinstance(given, str) else list(given)


def _text(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
