"""A guard: does units in a child process under a deadline and a memory cap.

A unit that hangs, dies or runs out of memory becomes a `Fault`, and the units after it are done by a fresh child. The
child lives from one shard to the next, since starting one costs half a second; so a unit that dies in a child that has
done others before is given one more try in a fresh one: it may have died of what they left behind.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from momlint.errors import InternalError
from momlint.fleet import child
from momlint.fleet.frames import read_frame, write_frame
from momlint.fleet.work import Fault, Runner, Work

R = TypeVar("R")

#: Seconds for one unit, unless the user says otherwise.
DEADLINE = 600.0
#: Seconds that a child may take to start; a loaded machine is slow, and nothing the user wrote plays a part.
_START = 120.0
_POSIX = os.name == "posix"
#: Threads of numerical libraries reserve address space each, and the shards have the processors already.
_QUIET = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}


@dataclass(frozen=True, slots=True)
class ShardLimits:
    """`seconds`: the deadline of one unit. `memory`: bytes of address space of a child, 0 for no cap.

    The cap is RLIMIT_AS; where the system has no such thing (Windows) there is none.
    """

    seconds: float = DEADLINE
    memory: int = 0

    def deadline_passed(self) -> Fault:
        """What to say of a unit that hung."""
        return Fault(
            "deadline",
            f"it was stopped after {self.seconds:g} s",
            "allow more with `--shard-seconds`, or find out why it takes so long",
        )

    def memory_short(self) -> Fault:
        """What to say of a unit that had too little memory."""
        return Fault(
            "memory",
            f"it needs more than {self.memory // 2**20:,} MiB of memory" if self.memory else "it ran out of memory",
            "allow more with `--shard-memory`, or check it on a machine that has more",
        )


class Guard:
    """A context manager around one child at a time. Not for several threads at once.

    `folder`: what the paths of a work are relative to. `helper`: who does the works that a unit makes, if any does.
    """

    def __init__(self, limits: ShardLimits, folder: str | None = None, helper: Runner | None = None) -> None:
        self.limits = limits
        self.folder = folder
        self.helper = helper
        self._child: _Child | None = None
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child, whatever it does. Any thread may; a `run` that is under way raises `InternalError`."""
        with self._lock:
            self._closed = True
            child_, self._child = self._child, None
        if child_ is not None:
            child_.kill()

    def run(self, work: Work[R], units: Sequence[int]) -> Iterator[tuple[int, R]]:
        """The result of every unit, in this order; what hung or died has what `Work.undecided` says.

        The deadline stands still while the helper works for a unit, and begins again after.
        Raises `InternalError` where a child cannot even start.
        """
        left = list(units)
        while left:
            one = self._ready()
            fault: Fault | None = None
            try:
                one.send(work, left)
                while True:
                    frame = one.next_frame(self.limits.seconds)
                    if frame[0] == "done":
                        one.served += 1
                        yield left.pop(0), frame[1]
                    elif frame[0] == "common":
                        one.given[frame[1]] = frame[2]
                    elif frame[0] == "help":
                        one.reply(frame[1], self._help(frame[2], frame[3], one.given))
                    else:
                        break
                fault = self._fault(frame)
            except queue.Empty:
                fault = self.limits.deadline_passed()
            except (EOFError, BrokenPipeError):
                fault = self._death(one)
            except BaseException:
                # Whoever took the results has gone; what the child still sends is of no use to the next.
                self._drop()
                raise
            if fault is not None:
                self._drop()
                if one.served == 0 or fault.kind == "deadline":
                    unit = left.pop(0)
                    yield unit, work.undecided(unit, fault)

    def _help(self, work: Work[Any], seconds: Sequence[float], given: dict[str, Any]) -> list[Any]:
        assert self.helper is not None  # the child has none to turn to either
        # Its pickle says under which key what it shares with others was sent.
        if work.common is not None:
            work.bind(given[work.common.key])
        return list(self.helper.run(work, seconds))

    def _fault(self, frame: tuple[Any, ...]) -> Fault | None:
        match frame:
            case ("memory",):
                return self.limits.memory_short()
            case ("failed", text):
                return Fault(
                    "crash", f"momlint failed on it ({text})", "this is a bug in momlint: please report it with this"
                )
        return None  # the end of the shard

    def _death(self, one: _Child) -> Fault:
        with self._lock:
            if self._closed:
                raise InternalError("the shard was given up")
        return Fault(
            "crash",
            f"its process died ({one.cause_of_death()})",
            "this is a bug in momlint or in a library it uses: please report it with this",
        )

    def _ready(self) -> _Child:
        with self._lock:
            if self._closed:
                raise InternalError("the shard was given up")
            if self._child is None:
                self._child = _Child(self.limits, self.folder, 0 if self.helper is None else self.helper.takers)
            return self._child

    def _drop(self) -> None:
        with self._lock:
            one, self._child = self._child, None
        if one is not None:
            one.kill()


class _Child:
    """One child process. `served`: how many units it has done; `last_words`: its last line on standard error, once it
    is dead."""

    def __init__(self, limits: ShardLimits, folder: str | None, takers: int) -> None:
        self.served = 0
        #: What its units share with the works that they make.
        self.given: dict[str, Any] = {}
        self._work: Work[Any] | None = None
        self._common: set[str] = set()
        # As this process finds momlint, be it in an archive: whatever puts it on the path here, does so there.
        path = os.pathsep.join(os.path.abspath(entry or ".") for entry in sys.path)
        environment = {**os.environ, **_QUIET, "PYTHONPATH": path, child.MEMORY: str(limits.memory)}
        environment[child.TAKERS] = str(takers)
        if folder is not None:
            environment[child.FOLDER] = folder
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed in `kill`
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from momlint.fleet.child import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            # A group of its own, so that programs it has started (a model checker) go with it.
            process_group=0 if _POSIX else None,
        )
        self._frames: queue.SimpleQueue[Any] = queue.SimpleQueue()
        assert self._process.stdout is not None
        # A thread waits for frames: a queue can be waited for with a limit, on every system.
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()
        try:
            self.next_frame(_START)
        except (EOFError, queue.Empty):
            self.kill()
            raise InternalError(f"a worker process does not start: {self.last_words}") from None

    def _listen(self, stream: IO[bytes]) -> None:
        try:
            while True:
                self._frames.put(read_frame(stream))
        except (EOFError, OSError, ValueError):
            self._frames.put(None)

    def send(self, work: Work[Any], units: list[int]) -> None:
        """Send `units`, and before them whatever this child does not have yet."""
        assert self._process.stdin is not None
        if work is not self._work:
            common = work.common
            if common is not None and common.key not in self._common:
                write_frame(self._process.stdin, ("common", common.key, common.value))
                self._common.add(common.key)
            write_frame(self._process.stdin, ("work", work, None if common is None else common.key))
            self._work = work
        write_frame(self._process.stdin, ("run", units))

    def reply(self, number: int, results: list[Any]) -> None:
        """What a unit had asked for, which gave it this number."""
        assert self._process.stdin is not None
        write_frame(self._process.stdin, ("results", number, results))

    def next_frame(self, seconds: float) -> Any:
        """The next frame. Raises `queue.Empty` after so many seconds, `EOFError` where the child is gone."""
        frame = self._frames.get(timeout=seconds)
        if frame is None:
            raise EOFError
        return frame

    def cause_of_death(self) -> str:
        """``SIGSEGV``, or the exit code."""
        code = self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"

    def kill(self) -> None:
        """End it now."""
        if _POSIX:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            # What was on its way to a child that is gone has no reader any more, which is what is meant.
            with contextlib.suppress(BrokenPipeError):
                stream.close()  # type: ignore[union-attr]
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        self.last_words = lines[-1] if lines else "it says nothing"
        self._errors.close()
