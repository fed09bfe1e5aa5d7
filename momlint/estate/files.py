"""Names of files as the user wrote them: joined to the file that names them, and found by a pattern."""

from __future__ import annotations

import os

from momlint.source import Source, read_source

_MAGIC = frozenset("*?[")


def read_file(file: str) -> Source:
    """Read a file from disk. Raises `OSError` where it cannot be read."""
    with open(file, "rb") as stream:
        return read_source(stream.read(), file)


def directory(file: str) -> str:
    """The directory part of a file's name, with ``/``; empty for the working directory."""
    return file.replace(os.sep, "/").rpartition("/")[0] or ("/" if file.startswith("/") else "")


def join(parent: str, name: str) -> str:
    """`name` as seen from the directory `parent`, still relative where both are."""
    name = name.replace(os.sep, "/")
    while name.startswith("./"):
        name = name[2:]
    if not parent or os.path.isabs(name):
        return name
    return parent + name if parent.endswith("/") else f"{parent}/{name}"


def is_pattern(name: str) -> bool:
    """Whether the name has a wildcard of `glob`."""
    return not _MAGIC.isdisjoint(name)


def find_files(pattern: str) -> list[str]:
    """The files (not directories) that a glob pattern matches, sorted; ``**`` goes into directories."""
    import glob

    found = (name.replace(os.sep, "/") for name in glob.iglob(pattern, recursive=True) if os.path.isfile(name))
    return sorted(found)


def identity(file: str) -> str:
    """The same for two names of one file."""
    return os.path.realpath(file)
