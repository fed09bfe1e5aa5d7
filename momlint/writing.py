"""Files that momlint writes: whole or not at all. Imports nothing of momlint but `momlint.ending`."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from momlint.ending import orderly

#: ``/dev/stdout`` is a link, be it to a regular file, and must stay one.
_SYSTEM = ("/dev/", "/proc/")
_NONBLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


@contextlib.contextmanager
def beside(path: str) -> Iterator[str]:
    """The name of a new file beside `path`, which takes its place at the end, unless something was raised.

    A link at `path` is replaced and not followed: it may have come with what is checked, and lead anywhere. Raises
    `OSError`.
    """
    with orderly():
        half = _new_file(path)
        try:
            with contextlib.suppress(OSError):  # keep who may read it
                os.chmod(half, stat.S_IMODE(os.lstat(path).st_mode) if not os.path.islink(path) else 0o600)
            yield half
            os.replace(half, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(half)
            raise


def write_file(path: str, data: bytes) -> None:
    """Write a file: whole, or what stood there stays. A device or a pipe is written to. Raises `OSError`."""
    try:
        special = not stat.S_ISREG(os.stat(path).st_mode) or os.path.abspath(path).startswith(_SYSTEM)
    except FileNotFoundError:
        special = False
    if special:
        # A pipe that nobody reads is refused at once, instead of being waited for.
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | _NONBLOCKING)
        os.set_blocking(descriptor, True)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        return
    with beside(path) as half, open(half, "wb") as stream:
        stream.write(data)


def _new_file(path: str) -> str:
    for number in range(100):
        half = f"{path}.{os.getpid()}-{number}.part"
        # Made here or nowhere: what is called so already may lead elsewhere.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            return half
    raise FileExistsError(17, "there are too many unfinished files beside it", path)
