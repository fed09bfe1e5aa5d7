"""Pickles on a pipe: how a guard and its child talk.

One frame is eight bytes with the length of a pickle and eight with the number of buffers, then the lengths of those,
then all of them. The buffers are the arrays of the pickle, which go from one process's memory into the other's without
a copy in between: an overlay may have hundreds of megabytes of them.
"""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any

_NUMBER = struct.Struct("<Q")


def write_frame(stream: IO[bytes], value: Any) -> None:
    """Write one frame. Raises `OSError` (`BrokenPipeError`) where nobody reads any more."""
    arrays: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    buffers = [array.raw() for array in arrays]
    numbers = [len(data), len(buffers), *(buffer.nbytes for buffer in buffers)]
    stream.write(b"".join(map(_NUMBER.pack, numbers)))
    stream.write(data)
    for buffer in buffers:
        stream.write(buffer)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """The next frame. Raises `EOFError` where the stream ends, be it in the middle of one."""
    size, count = _number(stream), _number(stream)
    sizes = [_number(stream) for _ in range(count)]
    data = _exactly(stream, size)
    return pickle.loads(data, buffers=[_exactly(stream, one) for one in sizes])


def _number(stream: IO[bytes]) -> int:
    number: int = _NUMBER.unpack(_exactly(stream, _NUMBER.size))[0]
    return number


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    data = bytearray(size)
    if stream.readinto(data) < size:  # type: ignore[attr-defined]
        raise EOFError
    return data
