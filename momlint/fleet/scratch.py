"""The folder for the temporary files of a session of Spark, and those that sessions have left which were killed.

A session holds a lock in its folder for as long as its process lives, however that ends. The number of the process
would say less: another container that shares the folder for temporary files counts its own.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
import time

_PREFIX = "momlint-spark-"
_NAME = re.compile(_PREFIX + "[0-9a-f]{16}")
_LOCK = "momlint.lock"


def new_name() -> str:
    """The path of a folder that is not there yet."""
    return os.path.join(tempfile.gettempdir(), _PREFIX + secrets.token_hex(8))


def occupy(folder: str) -> int | None:
    """Make the folder, and say that it is in use until this process ends or closes the descriptor that it gets.

    None where the system, or the file system, has no such locks: nobody sweeps the folder then.
    """
    os.mkdir(folder, 0o700)
    try:
        import fcntl
    except ImportError:
        return None
    # Under another name, so that nobody finds it before it is locked.
    early = os.path.join(folder, "early.lock")
    descriptor = os.open(early, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(early, os.path.join(folder, _LOCK))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def sweep() -> None:
    """Take away the folders of this user's sessions that ended without doing so (SIGKILL)."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name):
                continue
            # In use, another user's, or gone in the meantime: all of these stay as they are.
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    continue
                if entry.stat(follow_symlinks=False).st_uid != os.geteuid():
                    continue
                descriptor = os.open(os.path.join(entry.path, _LOCK), os.O_RDWR | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(entry.path, ignore_errors=True)
                finally:
                    os.close(descriptor)


def take_away(folder: str) -> None:
    """Remove the folder; the thread that was starting Java may still put a file into it."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.1)
