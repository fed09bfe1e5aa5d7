"""Being ended from outside: where something would stay behind, it is taken away first. Imports nothing of momlint.

Programs that momlint starts end with it, however it ends (see `momlint.solving.nusmv`, `momlint.fleet.child`). Files
and Java do not, so what makes them does so within `orderly`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Ended(BaseException):
    """A signal asks momlint to end; `number` is which. Not an `Exception`: nobody handles it but the edge."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def orderly() -> Iterator[None]:
    """Within it, SIGTERM and SIGHUP raise `Ended` in the main thread, unless they are ignored (`nohup`).

    Elsewhere they end the process at once, as they do any other: a solver need not answer first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _frame: FrameType | None) -> None:
    raise Ended(number)
