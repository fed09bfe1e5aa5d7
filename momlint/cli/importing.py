"""``momlint import``: an estate out of the topology that another program has written."""

from __future__ import annotations

import os

from momlint import discover
from momlint.access import read_regular, reason
from momlint.cli import exits
from momlint.cli.console import read_stdin, refuse_input, write
from momlint.errors import UsageError


def import_topology(path: str, label: str | None, name: str | None, output: str | None) -> int:
    """Write the estate to `output`, or to standard output. Raises `UsageError`."""
    from momlint.exchange import estate_text, read_topology

    if path == discover.STDIN:
        data = read_stdin()
    else:
        try:
            data = read_regular(path)
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise UsageError(f"{path}: {why}") from error
    try:
        topology = read_topology(data, label)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    refuse_input("--output", output, [path])
    stem = "imported" if path == discover.STDIN else os.path.basename(path).partition(".")[0]
    write("".join(estate_text(topology, name or stem or "imported")), output)
    return exits.OK
