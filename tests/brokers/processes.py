"""Real brokers on loopback, for as long as a `with` lasts: as many processes as there are files, ended by their ids."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

#: No estate in these tests has more brokers.
MOST = 8
#: Debian puts Mosquitto where only the superuser looks.
_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


def program(name: str) -> str:
    """Where a broker's program is. Skips the test where it is not installed, unless ``MOMLINT_TEST_BROKERS=1``."""
    found = shutil.which(name) or shutil.which(name, path=_FOLDERS)
    if found is None:
        if os.environ.get("MOMLINT_TEST_BROKERS") == "1":
            pytest.fail(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")
    return found


def free_ports(count: int) -> list[int]:
    """So many ports of 127.0.0.1 that nobody listens at."""
    held = []
    try:
        for _ in range(count):
            one = socket.socket()
            held.append(one)
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


@contextmanager
def running(
    command: list[str], files: Mapping[str, str], ports: Mapping[str, int], folder: Path, seconds: float = 10.0
) -> Iterator[dict[str, Path]]:
    """One process of `command` a file (its path comes last), and wait until each listens; the logs by name."""
    assert len(files) <= MOST
    logs = {}
    with ExitStack() as stack:
        for name, text in files.items():
            path = folder / f"{name}.conf"
            path.write_text(text)
            logs[name] = folder / f"{name}.log"
            log = stack.enter_context(logs[name].open("wb"))
            process = subprocess.Popen([*command, str(path)], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            stack.callback(_end, process)
        until = time.monotonic() + seconds
        for name, port in ports.items():
            while not _listens(port):
                if time.monotonic() > until:
                    raise AssertionError(f"{name} does not start: {logs[name].read_text()[-2000:]}")
                time.sleep(0.01)
        yield logs


def _listens(port: int) -> bool:
    with socket.socket() as one:
        one.settimeout(0.2)
        return one.connect_ex(("127.0.0.1", port)) == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def refusal(command: list[str], text: str, folder: Path, seconds: float = 0.5) -> str | None:
    """What a broker says that refuses a file; None where it still runs after so long."""
    path = folder / "broker.conf"
    path.write_text(text)
    process = subprocess.Popen([*command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.kill()
        process.wait()
    return out.decode("utf-8", "replace")
