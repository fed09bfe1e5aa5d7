"""Names of files as the user wrote them: joined to the file that names them, and found by a pattern."""

from __future__ import annotations

import os
import re

from momlint.access import Access
from momlint.escaping import plain_path
from momlint.source import Source
from momlint.source.readers import read_any

_MAGIC = frozenset("*?[")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def read_file(file: str, access: Access | None = None) -> Source:
    """Read a regular file from disk; by default from wherever it is. Raises `OSError` where it cannot be read."""
    from momlint.access import read_regular

    return read_any(read_regular(file) if access is None else access.read(file), file)


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
        return plain_path(name)
    return parent + name if parent.endswith("/") else f"{parent}/{name}"


def is_address(name: str) -> bool:
    """Whether the name is that of a file on another file system (``hdfs://…``), which only Spark reads."""
    return _ADDRESS.match(name) is not None


def here(name: str) -> str:
    """`name`, and the path of it where it is an address of a file on this machine (``file:///…``)."""
    if name[:7].lower() != "file://":
        return name
    from urllib.request import url2pathname

    # Whatever host it names: Spark would read the path on this machine all the same.
    _, slash, path = re.split("[?#]", name[7:])[0].partition("/")
    return url2pathname(slash + path)


def is_pattern(name: str) -> bool:
    """Whether the name has a wildcard of `glob`."""
    return not _MAGIC.isdisjoint(name)
