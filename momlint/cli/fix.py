"""``momlint fix``: mend what is proved to be mended, and say what is left."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from momlint import discover
from momlint.access import read_regular
from momlint.cli import exits
from momlint.cli.check import Arguments, prepared
from momlint.cli.console import Progress, complain, read_stdin, write
from momlint.errors import UsageError
from momlint.findings import OWN_FAULT, Severity
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.findings import Finding
    from momlint.lint import Options
    from momlint.mending.mend import Mended


def fix(arguments: Arguments, *, diff: bool, safe: bool) -> int:
    """Mend what `arguments` name and write it back, or with `diff` print what would change. Raises `UsageError`.

    `safe`: only what leaves no choice.

    Exit code: 0 nothing is left, 1 an error is left, or with `diff` something would change, 2 a file could not be read
    or written, 3 something stays undecided. Standard input is mended to standard output.
    """
    options, files, failures = prepared(arguments)
    from momlint.mending.mend import Mending

    given = {}
    if discover.STDIN in files:
        if len(files) > 1:
            raise UsageError("standard input is mended by itself; name it alone, or name files")
        files = [options.stdin_name]
        given[files[0]] = read_stdin(options.most_bytes)
    mending = Mending(options, given, safe=safe)
    with Progress(not arguments.quiet) as progress:
        mended = mending.mend(files, progress)
    failures += [one.failure for one in mended if one.failure is not None]
    if given:
        (name,) = given
        after = mending.contents[name]
        write(_diff(name, given[name], after) if diff else after.decode("utf-8", "backslashreplace"))
    elif diff:
        write("".join(_diff(file, old, new) for file, old, new in _changes(mended, options)))
    else:
        _write_back(list(_changes(mended, options)))
        if not arguments.quiet:
            write("".join(_told(mended)))
    if not arguments.quiet:
        for one in mended:
            for note in one.notes:
                complain(f"momlint: note: {note}")
        if diff or given:
            complain(f"momlint: {_summary(mended, done=not diff)}")
    for failure in failures:
        complain(f"momlint: error: {failure}")
    return _exit_code(mended, failures, diff=diff)


def _changes(mended: Iterable[Mended], options: Options) -> Iterator[tuple[str, bytes, bytes]]:
    """File, what is on the disk, and what is to be there: each once, as the last of the estates left it."""
    last = {file: data for one in mended for file, data in one.contents.items()}
    for file in sorted(last):
        yield file, read_regular(file, options.most_bytes), last[file]


def _write_back(changes: Iterable[tuple[str, bytes, bytes]]) -> None:
    """Each file whole or not at all; a link leads where it did."""
    from momlint.writing import write_file

    for file, _, new in changes:
        try:
            write_file(os.path.realpath(file), new)
        except OSError as error:
            raise UsageError(f"{file}: it cannot be written: {error.strerror or error}") from error


def _diff(file: str, old: bytes, new: bytes) -> str:
    """A unified diff that ``patch -p0`` takes; lines end as they do in the file."""
    before, after = (data.decode("utf-8-sig").splitlines(keepends=True) for data in (old, new))
    out = []
    for line in difflib.unified_diff(before, after, file, file):
        out.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(out)


def _told(mended: Iterable[Mended]) -> Iterator[str]:
    found = list(mended)
    for one in found:
        for finding in one.gone:
            start = finding.span.start
            yield f"{finding.file}:{start.line}:{start.column}: mended {finding.code}: {finding.message}\n"
    yield f"{_summary(found, done=True)}\n"


def _summary(mended: Iterable[Mended], *, done: bool) -> str:
    found = list(mended)
    gone = sum(len(one.gone) for one in found)
    files = len({file for one in found for file in one.contents})
    left = [finding for one in found for finding in one.left]
    rows = sum(one.rows for one in found)
    if gone:
        by = f" by changing {counted(rows, 'row')}" if rows else ""
        text = f"{'Mended' if done else 'Would mend'} {counted(gone, 'finding')}{by} in {counted(files, 'file')}."
    else:
        text = "Nothing to mend." if not left else "Nothing could be mended."
    errors = sum(finding.severity is Severity.ERROR for finding in left)
    others = len(left) - errors
    if left:
        told = [counted(errors, "error")] if errors else []
        told += [counted(others, "other finding")] if others else []
        verb = "is" if len(left) == 1 else "are"
        text += f" {' and '.join(told)} {verb} left: see `momlint check`."
    return text


def _exit_code(mended: Iterable[Mended], failures: Iterable[str], *, diff: bool) -> int:
    found = list(mended)
    left: list[Finding] = [finding for one in found for finding in one.left]
    if list(failures) or any(finding.code == OWN_FAULT for finding in left):
        return exits.FAULT
    errors = [finding for finding in left if finding.severity is Severity.ERROR]
    if any(finding.code != "MOM901" for finding in errors) or (diff and any(one.contents for one in found)):
        return exits.FINDINGS
    return exits.UNDECIDED if errors else exits.OK
