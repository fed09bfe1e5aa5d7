"""``momlint init``: a first estate to change, or a manifest for brokers' own configuration files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from momlint.cli.console import complain, write
from momlint.cli.schema import schema_of
from momlint.errors import UsageError
from momlint.resources import read_text
from momlint.writing import write_file

#: The JSON Schema beside an estate, for editors without a server of ours.
SCHEMA = "momlint.schema.json"
_HEADER = f"# yaml-language-server: $schema={SCHEMA}\n"


def init(path: str, force: bool) -> None:
    """Write the starter estate to `path`, and beside it the schema that its first line names.

    Raises `UsageError` if it exists (save with `force`); a schema that is there is written anew.
    """
    data = (_HEADER + read_text("templates", "starter.yaml")).encode("utf-8")
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
    schema = os.path.join(os.path.dirname(path), SCHEMA)
    try:
        write_file(schema, (json.dumps(schema_of("estate"), ensure_ascii=False, indent=2) + "\n").encode("utf-8"))
    except OSError as error:
        raise UsageError(f"{schema} cannot be written: {error.strerror or error}") from error
    complain(f"momlint: wrote {path}, and {schema} for editors; `momlint check {path}` checks it")


def manifest(kind: str, paths: Sequence[str]) -> None:
    """Print a manifest for files of a kind. Raises `UsageError` where one cannot be read."""
    from momlint.cli.importing import native_files, read_all
    from momlint.native.language import manifest_lines
    from momlint.native.reading import kinds
    from momlint.routed.recovery.quoting import yaml_name

    if kind not in kinds():
        raise UsageError(f"--from takes {', '.join(kinds())}, not {kind}")
    if not paths:
        raise UsageError("--from needs the files that the manifest is to name")
    natives = native_files(read_all(paths), kind)
    assert natives is not None
    write("".join(manifest_lines(natives, yaml_name)), None)
