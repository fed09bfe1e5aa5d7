"""Names of files as the user wrote them: joined to the file that names them, and found by a pattern."""

from __future__ import annotations

import os
import re

from momlint.source import Source, read_source

_MAGIC = frozenset("*?[")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def read_file(file: str) -> Source:
    """Read a file from disk. Raises `OSError` where it cannot be read."""
    with open(file, "rb") as stream:
        return read_source(stream.read(), file)


def directory(file: str) -> str:
    """The directory part of a file's name, with ``/``; empty for the working directory."""
    return file.replace(os.sep, "/").rpartition("/")[0] or ("/" if file.startswith("/") else "")


def join(parent: str, name: str) -> str:
    """`name` as seen from the directory `parent`, still relative where both are; an address is one from everywhere."""
    name = here(name)
    if is_address(name):
        return name
    name = name.replace(os.sep, "/")
    while name.startswith("./"):
        name = name[2:]
    if not parent or os.path.isabs(name):
        return name
    return parent + name if parent.endswith("/") else f"{parent}/{name}"


def is_address(name: str) -> bool:
    """Whether the name is that of a file on another file system (``hdfs://…``), which only Spark reads."""
    return _ADDRESS.match(name) is not None


def here(name: str) -> str:
    """`name`, and the path of it where it is an address of a file on this machine (``file:///…``)."""
    if not name.startswith("file://"):
        return name
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    address = urlsplit(name)
    return name if address.netloc not in ("", "localhost") else url2pathname(address.path)


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
