"""The guarded side of a guard: a process that does units and hangs or dies alone.

It is started as ``python -P -c "from momlint.fleet.child import main; main()"`` with frames on standard input and
output:

* ``("common", key, value)``, ``("work", work, common key)``: kept, nothing is answered;
* ``("run", units)``: one ``("done", result)`` for each, in this order, and at the end ``("end",)``; or, in the place of
  a result and of all after it, ``("memory",)`` or ``("failed", text)``.

A unit may want help (`Work.take_helper`): ``("common", key, value)`` and ``("help", number, work, seconds)`` go out,
and ``("results", number, [...])`` comes back. The first frame out is ``("ready",)``.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import IO, Any, TypeVar

from momlint.clock import unhurried
from momlint.fleet.frames import read_frame, write_frame
from momlint.fleet.work import Work, run_units
from momlint.memory import near_the_cap

#: The environment variable with the memory cap in bytes of address space.
MEMORY = "MOMLINT_GUARD_MEMORY"
#: The environment variable with the folder that paths are relative to.
FOLDER = "MOMLINT_GUARD_FOLDER"
#: The environment variable with how many parts of a unit's work may be done at a time.
TAKERS = "MOMLINT_GUARD_TAKERS"

R = TypeVar("R")


def main() -> None:
    """Serve until standard input ends."""
    # An interrupt at the terminal goes to the whole group; the guard hears of it and ends its child.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What anything below prints must not come between the frames.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    parent = os.getppid()
    _die_with_parent()
    _cap_memory(int(os.environ.get(MEMORY, "0")))

    import momlint.lint  # noqa: F401  the first unit's deadline should not pay for it

    folder = os.environ.get(FOLDER)
    if folder:
        os.chdir(folder)
    if os.getppid() != parent:  # it went before `_die_with_parent` could ask to be told
        os._exit(1)
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    write_frame(out, ("ready",))
    _serve(tasks, out)


def _listen(stream: IO[bytes], tasks: queue.SimpleQueue[Any]) -> None:
    """Read ahead, in a thread of its own: where the guard is gone there is nobody to work for, hung or not."""
    try:
        while True:
            tasks.put(read_frame(stream))
    except EOFError:
        os._exit(0)


class _Helper:
    """Whoever stands behind the guard, as a runner for the works that a unit makes."""

    def __init__(self, tasks: queue.SimpleQueue[Any], out: IO[bytes]) -> None:
        self.takers = int(os.environ.get(TAKERS, "0"))
        self._tasks = tasks
        self._out = out
        self._sent: set[str] = set()
        self._asked = 0

    def run(self, work: Work[R], seconds: Sequence[float]) -> Iterator[R]:
        """The results of all units, in order. The clock of whoever waits stands still: each unit has one of its own."""
        common = work.common
        if common is not None and common.key not in self._sent:
            write_frame(self._out, ("common", common.key, common.value))
            self._sent.add(common.key)
        self._asked += 1
        write_frame(self._out, ("help", self._asked, work, list(seconds)))
        yield from unhurried(self._answer)

    def _answer(self) -> list[Any]:
        while True:
            _, number, results = self._tasks.get()
            # Nobody waits any more for what was asked before: the time was over, or a user has interrupted.
            if number == self._asked:
                found: list[Any] = results
                return found


def _serve(tasks: queue.SimpleQueue[Any], out: IO[bytes]) -> None:
    common: dict[str, Any] = {}
    work: Work[Any] | None = None
    helper = _Helper(tasks, out)
    while True:
        match tasks.get():
            case ("common", key, value):
                common[key] = value
            case ("work", sent, key):
                work = sent
                if helper.takers:
                    sent.take_helper(helper)
                if key is not None:
                    sent.bind(common[key])
            case ("run", units):
                assert work is not None
                _run(work, units, out)


def _run(work: Work[Any], units: list[int], out: IO[bytes]) -> None:
    try:
        for _, result in run_units(work, units):
            write_frame(out, ("done", result))
    except MemoryError:
        write_frame(out, ("memory",))
    except Exception as error:  # noqa: BLE001  whatever it is, the other units have nothing to do with it
        write_frame(out, ("memory",) if near_the_cap() else ("failed", f"{type(error).__name__}: {error}"))
    else:
        write_frame(out, ("end",))


def _cap_memory(size: int) -> None:
    if not size:
        return
    try:
        import resource
    except ImportError:  # not on this system; the guard's documentation says so
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    cap = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (cap, hard))


def _die_with_parent() -> None:
    """Ask Linux to be killed when the guard is: a child that hangs in native code reads no more."""
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
