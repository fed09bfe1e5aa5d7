"""One piece of work at a time in the main thread, which a newer one may take the place of.

The editor is answered in another thread. Work stands in the main one, because there it can be broken off between two
steps of Python: by the clocks of `momlint.clock`, and here by a signal as soon as nobody wants the result any more. As
with those clocks, what is broken off keeps nothing that is half done.
"""

from __future__ import annotations

import _thread
import queue
import signal
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import Any, TypeVar

from momlint.clock import is_importing

T = TypeVar("T")

#: The signal is asked for again after so many seconds: it is not heeded while a module is loaded.
AGAIN = 0.02


class Superseded(BaseException):
    """Nobody wants the result. Not an `Exception`: nobody handles it but `Worker`."""


class Job:
    """A piece of work. `future`: its result; nothing where it is broken off, cancelled where it is not begun."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self.action = action
        self.future: Future[Any] = Future()
        self.unwanted = False


class Worker:
    """`run` is for the main thread, everything else for another one."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._current: Job | None = None
        # Whether the signal is ours, and not from a keyboard.
        self._asked = False

    def submit(self, action: Callable[[], T]) -> Job:
        """Put a piece of work behind the others."""
        job = Job(action)
        self._jobs.put(job)
        return job

    def drop(self, job: Job) -> None:
        """Nobody wants the result: it is not begun, or broken off; may be asked for again while it is not done."""
        job.unwanted = True
        if self._current is job:
            self._asked = True
            _thread.interrupt_main(signal.SIGINT)

    def stop(self) -> None:
        """Let `run` end, at once."""
        self._jobs.put(None)
        job = self._current
        if job is not None:
            self.drop(job)

    def run(self) -> None:
        """Work until `stop`."""
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            while (job := self._next()) is not None:
                self._do(job)
        finally:
            signal.signal(signal.SIGINT, before)

    def _next(self) -> Job | None:
        while True:
            try:
                # Not for ever: some systems hold signals back while a thread waits for a lock.
                return self._jobs.get(timeout=1)
            except queue.Empty:
                continue

    def _do(self, job: Job) -> None:
        if job.unwanted or not job.future.set_running_or_notify_cancel():
            job.future.cancel()
            return
        try:
            try:
                self._current = job
                result = job.action()
            finally:
                self._current = None
        except Superseded:
            self._current = None
            job.future.set_result(None)
        except Exception as error:  # noqa: BLE001  whoever waits for the result is told
            job.future.set_exception(error)
        else:
            job.future.set_result(result)

    def _interrupted(self, _number: int, frame: FrameType | None) -> None:
        asked, self._asked = self._asked, False
        if not asked:
            raise KeyboardInterrupt
        job = self._current
        if job is not None and job.unwanted and not is_importing(frame):
            raise Superseded


__all__ = ["AGAIN", "Job", "Superseded", "Worker"]
