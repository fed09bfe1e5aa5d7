"""The studio as a program of its own, as a user starts it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest


class Studio(NamedTuple):
    address: str
    port: int
    token: str
    process: subprocess.Popen[str]


def needed() -> None:
    """Skip, or fail in CI, where the extra is not installed."""
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing and os.environ.get("MOMLINT_TEST_BROWSER"):
        pytest.fail(f"the studio is not tried: there is no {' and no '.join(missing)}")
    if missing:
        pytest.skip(f"the studio is not tried: there is no {' and no '.join(missing)}")


@contextlib.contextmanager
def studio(file: Path, folder: Path | None = None) -> Iterator[Studio]:
    """Start it, in `folder` where one is named, and end it as Ctrl-C does."""
    command = [sys.executable, "-m", "momlint", "studio", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        parts = urlsplit(address)
        assert parts.hostname == "127.0.0.1", process.stderr and process.stderr.read()
        assert parts.port is not None
        yield Studio(address, parts.port, parse_qs(parts.query)["token"][0], process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
