"""How a certificate names the files that it is about: as seen from its own folder, each with its SHA-256."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from momlint.access import open_regular

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate


def digest(file: str) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal.

    Raises `FileNotFoundError` for what is no regular file, `OSError` or `ValueError` for what cannot be read.
    """
    # A device or a pipe might never end.
    if not os.path.isfile(file):
        raise FileNotFoundError(file)
    with open_regular(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def seen_from(folder: str, file: str) -> str:
    """`file` as named from `folder`, with ``/``; the whole path where there is no way from one to the other."""
    try:
        return os.path.relpath(file, folder or ".").replace(os.sep, "/")
    except ValueError:  # on another drive
        return os.path.abspath(file).replace(os.sep, "/")


def named(loaded: LoadedEstate, folder: str) -> dict[str, Any]:
    """The head of a record of an estate, for a certificate in `folder`. Raises as `digest`."""
    files: Sequence[str] = list(dict.fromkeys(source.file for source in loaded.sources))
    sources = [[seen_from(folder, file), digest(file)] for file in files]
    return {"file": sources[0][0], "document": loaded.index, "sources": sources}
