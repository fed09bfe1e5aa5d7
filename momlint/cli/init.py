"""``momlint init``: a first estate to change."""

from __future__ import annotations

from momlint.cli.console import complain
from momlint.errors import UsageError
from momlint.resources import read_text
from momlint.writing import write_file


def init(path: str, force: bool) -> None:
    """Write the starter estate to `path`. Raises `UsageError` if it exists (save with `force`)."""
    data = read_text("templates", "starter.yaml").encode("utf-8")
    try:
        if force:
            write_file(path, data)
        else:
            with open(path, "xb") as stream:
                stream.write(data)
    except FileExistsError as error:
        raise UsageError(f"{path} already exists; --force overwrites it") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
    complain(f"momlint: wrote {path}; `momlint check {path}` checks it")
