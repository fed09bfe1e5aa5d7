"""``momlint import``: an estate out of the topology that another program has written, or out of brokers' own files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from momlint import discover
from momlint.access import Access, read_regular, reason
from momlint.cli import exits
from momlint.cli.console import complain, read_stdin, refuse_input, write
from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.native.form import NativeFile


#: So much of what is wrong in the files is told at once.
_MOST_TOLD = 20


def import_files(paths: Sequence[str], label: str | None, name: str | None, output: str | None) -> int:
    """Write the estate of brokers' configuration files, or of one graph. Raises `UsageError`."""
    contents = read_all(paths)
    refuse_input("--output", output, [path for path in paths if path != discover.STDIN])
    natives = native_files(contents)
    if natives is None:
        if len(paths) > 1:
            raise UsageError("several files can be imported only if all are configuration files of brokers")
        write(_graph(paths[0], contents[0][1], label, name), output)
        return exits.OK
    if label is not None:
        raise UsageError("--label is for graphs; these are configuration files of brokers")
    from momlint.lint import Options
    from momlint.native.form import FAMILY_OF
    from momlint.native.joining import join
    from momlint.native.language import estate_lines
    from momlint.routed.recovery.quoting import yaml_name

    codes = {rule: code for code, rule in Options().names()}
    documents, problems = [], []
    for family in sorted({FAMILY_OF[native.kind] for native in natives}):
        members = [native for native in natives if FAMILY_OF[native.kind] == family]
        joined = join(members)
        documents.append("".join(estate_lines(joined, name or family, yaml_name, codes)))
        problems += joined.problems
    write("---\n".join(documents), output)
    for problem in problems[:_MOST_TOLD]:
        start = problem.span.start
        complain(f"momlint: note: {problem.file}:{start.line}:{start.column}: {problem.code} {problem.message}")
    if len(problems) > _MOST_TOLD:
        complain(f"momlint: note: {len(problems) - _MOST_TOLD} more, which stand in the estate under `findings`")
    return exits.OK


def read_all(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """The files' names, as they are told, and contents. Raises `UsageError` where one cannot be read."""
    found = []
    for path in paths:
        if path == discover.STDIN:
            found.append(("<stdin>", read_stdin()))
            continue
        try:
            found.append((path.replace(os.sep, "/"), read_regular(path)))
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise UsageError(f"{path}: {why}") from error
    return found


def native_files(contents: Sequence[tuple[str, bytes]], kind: str | None = None) -> list[NativeFile] | None:
    """What files say, each read as `kind` or as what it seems to be; None where none of them is a native file.

    Raises `UsageError` where only some are.
    """
    from momlint.native.reading import Named, known_kind, read_natives, readable

    named: list[Named] = []
    for name, data in contents:
        found = known_kind(name, data) if kind is None else readable(kind)
        if found is not None:
            named.append(Named(name, found, data))
    if not named:
        return None
    if len(named) < len(contents):
        missing = next(name for name, _ in contents if all(name != one.file for one in named))
        raise UsageError(f"{missing}: this is no configuration file that momlint knows")
    return read_natives(named, Access.of)


def _graph(path: str, data: bytes, label: str | None, name: str | None) -> str:
    """The estate of a graph. Raises `UsageError`."""
    from momlint.exchange import estate_text, read_topology

    try:
        topology = read_topology(data, label)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    stem = "imported" if path == discover.STDIN else os.path.basename(path).partition(".")[0]
    return "".join(estate_text(topology, name or stem or "imported"))
