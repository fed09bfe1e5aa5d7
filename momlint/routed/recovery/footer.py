"""How many values a Parquet file says that it holds, read from its last bytes before anything else is.

pyarrow tells it too, but some broken footers end the whole process there (its `ColumnChunkMetaData` throws where
nothing catches it). A footer is a structure of Thrift's compact protocol; of all that is in it only three numbers are
wanted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from io import BufferedReader
from typing import NamedTuple

_MAGIC = b"PAR1"
#: Bytes of a footer; a file of 100 MB with a thousand columns and row groups has a tenth of it.
_MOST_BYTES = 64_000_000
#: Structures within structures; Parquet has half as many.
_MOST_DEPTH = 16

# Types of fields in the compact protocol.
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_NUMBERS = (_I16, _I32, _I64)
# Numbers of fields, by parquet.thrift.
_FILE_ROW_GROUPS, _GROUP_COLUMNS, _GROUP_ROWS, _CHUNK_META, _META_PATH, _META_VALUES = 4, 1, 3, 3, 3, 5


class NoFooterError(ValueError):
    """The file does not end as Parquet does; the text is a clause for the user."""


class GroupSize(NamedTuple):
    """A row group: its rows, and for each column chunk the field it belongs to and its values."""

    rows: int
    values: Sequence[tuple[str, int]]


def group_sizes(stream: BufferedReader) -> list[GroupSize]:
    """What the footer says of each row group. Raises `NoFooterError`, `OSError`."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 8))
    tail = stream.read(8)
    if len(tail) < 8 or tail[4:] != _MAGIC:
        raise NoFooterError("it does not end as Parquet does")
    length = int.from_bytes(tail[:4], "little")
    if length > min(size - 8, _MOST_BYTES):
        raise NoFooterError(f"its footer would have {length:,} bytes")
    stream.seek(size - 8 - length)
    reader = _Reader(stream.read(length))
    try:
        groups = []
        for number, kind in reader.fields():
            if number == _FILE_ROW_GROUPS:
                groups += [_group(reader) for _ in reader.items(kind, _STRUCT)]
            else:
                reader.skip(kind)
    except (IndexError, RecursionError, UnicodeDecodeError):
        raise NoFooterError("its footer is broken") from None
    finally:
        stream.seek(0)
    if any(group.rows < 0 or any(values < 0 for _, values in group.values) for group in groups):
        raise NoFooterError("its footer tells of fewer rows than none")
    return groups


def _group(reader: _Reader) -> GroupSize:
    rows, values = 0, []
    for number, kind in reader.fields():
        if number == _GROUP_COLUMNS:
            values += [_chunk(reader) for _ in reader.items(kind, _STRUCT)]
        elif number == _GROUP_ROWS and kind in _NUMBERS:
            rows = reader.number()
        else:
            reader.skip(kind)
    return GroupSize(rows, values)


def _chunk(reader: _Reader) -> tuple[str, int]:
    found = "", 0
    for number, kind in reader.fields():
        if number == _CHUNK_META and kind == _STRUCT:
            found = _meta(reader)
        else:
            reader.skip(kind)
    return found


def _meta(reader: _Reader) -> tuple[str, int]:
    path, values = "", 0
    for number, kind in reader.fields():
        if number == _META_PATH:
            names = [reader.binary() for _ in reader.items(kind, _BINARY)]
            path = names[0].decode() if names else ""
        elif number == _META_VALUES and kind in _NUMBERS:
            values = reader.number()
        else:
            reader.skip(kind)
    return path, values


class _Reader:
    """Reads Thrift's compact protocol. Raises `NoFooterError` or `IndexError` where there is none."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._depth = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """The number and the type of each field of a structure; whoever takes one reads or skips its value."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise NoFooterError("its footer is too deep")
        number = 0
        while (head := self._byte()) & 0x0F != _STOP:
            number = number + (head >> 4) if head >> 4 else self.number()
            yield number, head & 0x0F
        self._depth -= 1

    def items(self, kind: int, of: int) -> range:
        """As many as the list has that comes next, whose items are to be of type `of`."""
        if kind not in (_LIST, _SET):
            raise NoFooterError("its footer is broken")
        count, found = self._list()
        if found != of and count:
            raise NoFooterError("its footer is broken")
        return range(count)

    def number(self) -> int:
        """A whole number, zigzag."""
        found = self._varint()
        return (found >> 1) ^ -(found & 1)

    def binary(self) -> bytes:
        """A text or bytes."""
        length = self._varint()
        self._at += length
        if self._at > len(self._data):
            raise IndexError
        return self._data[self._at - length : self._at]

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        if kind in (_TRUE, _FALSE):
            return
        if kind == _BYTE:
            self._byte()
        elif kind in _NUMBERS:
            self._varint()
        elif kind == _DOUBLE:
            self._at += 8
        elif kind == _BINARY:
            self.binary()
        elif kind in (_LIST, _SET):
            count, of = self._list()
            for _ in range(count):
                self._skip_item(of)
        elif kind == _MAP:
            count = self._varint()
            kinds = self._byte() if count else 0
            for _ in range(count):
                self._skip_item(kinds >> 4)
                self._skip_item(kinds & 0x0F)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner)
        else:
            raise NoFooterError("its footer is broken")

    def _skip_item(self, kind: int) -> None:
        # In lists a Boolean takes a byte, so that every item takes one: a count cannot be larger than the footer.
        if kind in (_TRUE, _FALSE):
            self._byte()
        else:
            self.skip(kind)

    def _list(self) -> tuple[int, int]:
        head = self._byte()
        count = head >> 4
        if count == 0x0F:
            count = self._varint()
        if count > len(self._data):
            raise NoFooterError("its footer is broken")
        return count, head & 0x0F

    def _varint(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
            shift += 7
            if shift > 63:
                raise NoFooterError("its footer is broken")

    def _byte(self) -> int:
        byte = self._data[self._at]
        self._at += 1
        return byte
