"""Readers by the ending of a file's name: YAML, and what else has been registered.

A reader makes nodes with places out of bytes, in any format; from there on nobody asks what that was. It returns a
`momlint.source.Source` whatever the bytes are: what is wrong with them is among the problems.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from momlint.records import dataclass
from momlint.source.reader import Source, read_source

#: From the bytes of a file and its name to what stands in it. Raises nothing on account of the bytes.
Reader: TypeAlias = Callable[[bytes, str], Source]

#: The ending of a name, in lower case and with its dot → who reads it. The longest that fits is taken; YAML if none.
READERS: dict[str, Reader] = {}


def read_any(data: bytes, file: str) -> Source:
    """Read a file by the reader for its name."""
    reader = _reader_of(file)
    return read_source(data, file) if reader is None else reader(data, file)


def _reader_of(file: str) -> Reader | None:
    """Who reads a file; None for YAML."""
    name = file.lower()
    ending = max((one for one in READERS if name.endswith(one)), key=len, default=None)
    return None if ending is None else READERS[ending]


@dataclass(slots=True)
class _Read:
    """A file's last content, and what was read of it. `base`: the last reading that another one can build on."""

    data: bytes
    source: Source
    base: Source | None


class Readings:
    """A `Reader` that keeps what it read, for files that are read again and again while somebody edits them.

    It gives what `read_any` gives, and the same object for the same content; sources are not to be changed. It may be
    called from several threads, and be broken off anywhere. The files that were asked for last are kept, up to `most`
    bytes of them: what is made of a file takes some twenty times its size.
    """

    def __init__(self, most: int = 5_000_000) -> None:
        self._most = most
        self._read: OrderedDict[str, _Read] = OrderedDict()

    def __call__(self, data: bytes, file: str) -> Source:
        before = self._read.get(file)
        if before is not None and before.data == data:
            return before.source
        reader = _reader_of(file)
        base = None if before is None else before.base
        if reader is None:
            source = read_source(data, file, before=base)
            base = source if source.can_be_read_again else base
        else:
            source, base = reader(data, file), None
        self._keep(file, _Read(data, source, base))
        return source

    def _keep(self, file: str, read: _Read) -> None:
        # Made anew and put in its place at once: another thread sees the one or the other.
        kept = OrderedDict(self._read)
        kept[file] = read
        kept.move_to_end(file)
        size = sum(len(one.data) for one in kept.values())
        while size > self._most and len(kept) > 1:
            size -= len(kept.popitem(last=False)[1].data)
        self._read = kept
