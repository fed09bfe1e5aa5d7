"""A clock over whatever is worked out: when its time is over, that is broken off. Imports nothing of momlint.

Solvers have clocks of their own, arrays have none. The system's alarm interrupts the main thread between two steps of
Python, as Ctrl-C does, so that no loop has to look at a clock. What is broken off must leave nothing half done behind:
it works on values of its own, and keeps results only once they are whole.

There is no alarm on Windows, and none in other threads than the main one; there `limited` waits for the end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

#: Seconds until it rings again: what is raised can be lost where Python has nobody to hand it to (in `__del__`).
_AGAIN = 1.0
#: … and where it has to wait for an import.
_SOON = 0.02
_IMPORTER = "<frozen importlib._bootstrap>"


class OutOfTime(BaseException):
    """The time is over. Not an `Exception`: nobody handles it but `limited`."""

    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self.clock = clock


class _Clock:
    """One that can be set; where another runs already, that one stands still meanwhile.

    Without `seconds` it never rings.
    """

    running: _Clock | None = None

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.outer: _Clock | None = None
        self._left_of_outer = 0.0
        self._set = False

    def start(self) -> None:
        """Set it."""
        self.outer = _Clock.running
        _Clock.running = self
        self._set = True
        self._left_of_outer, _ = signal.setitimer(signal.ITIMER_REAL, self.seconds or 0, _AGAIN)

    def stop(self) -> None:
        """Stop it, and let the outer one go on. Once more does no harm."""
        if not self._set:
            return
        # First of all: from here on nothing rings.
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._set = False
        _Clock.running = self.outer
        if self.outer is not None and self.outer.seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, self._left_of_outer or _AGAIN, _AGAIN)


def _ring(_number: int, frame: FrameType | None) -> None:
    clock = _Clock.running
    while clock is not None and clock.seconds is None:
        clock = clock.outer  # it had rung before it was made to stand still
    if clock is None:
        return
    if is_importing(frame):
        # Half a module would be left behind, and some cannot be loaded twice.
        signal.setitimer(signal.ITIMER_REAL, _SOON, _AGAIN)
        return
    raise OutOfTime(clock)


def is_importing(frame: FrameType | None) -> bool:
    """Whether half a module would be left behind where this is broken off."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTER:
            return True
        frame = frame.f_back
    return False


def _can_ring() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def unhurried(action: Callable[[], T]) -> T:
    """What `action` returns; the clock around it stands still: others work, by clocks of their own."""
    if not _can_ring() or _Clock.running is None:
        return action()
    clock = _Clock(None)
    try:
        clock.start()
        return action()
    finally:
        clock.stop()


class _Ears:
    """Whether somebody listens to the alarm."""

    open = False


@contextmanager
def listening() -> Iterator[None]:
    """Make the clocks within cheap: the alarm is listened to from here on, and not from each of them on."""
    if _Ears.open or not _can_ring():
        yield
        return
    handler = signal.signal(signal.SIGALRM, _ring)
    _Ears.open = True
    try:
        yield
    finally:
        _Ears.open = False
        signal.signal(signal.SIGALRM, handler)


def limited(seconds: float, action: Callable[[], T]) -> T | None:
    """What `action` returns, None where it takes longer than `seconds`; it must not return None by itself.

    Within another one, the clock of that stands still.
    """
    if not _can_ring():
        return action()
    if not _Ears.open:
        with listening():
            return limited(seconds, action)
    clock = _Clock(seconds)
    try:
        clock.start()
        try:
            return action()
        finally:
            clock.stop()
    except OutOfTime as end:
        # It may have rung within `stop`.
        clock.stop()
        if end.clock is not clock:
            raise
        return None
