"""Readers by the ending of a file's name: YAML, and what else has been registered.

A reader makes nodes with places out of bytes, in any format; from there on nobody asks what that was. It returns a
`momlint.source.Source` whatever the bytes are: what is wrong with them is among the problems.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from momlint.source.reader import Source, read_source

#: From the bytes of a file and its name to what stands in it. Raises nothing on account of the bytes.
Reader: TypeAlias = Callable[[bytes, str], Source]

#: The ending of a name, in lower case and with its dot → who reads it. The longest that fits is taken; YAML if none.
READERS: dict[str, Reader] = {}


def read_any(data: bytes, file: str) -> Source:
    """Read a file by the reader for its name."""
    name = file.lower()
    ending = max((one for one in READERS if name.endswith(one)), key=len, default=None)
    return read_source(data, file) if ending is None else READERS[ending](data, file)
