"""The process pool: shards in guarded children of this process, several at a time."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from momlint.fleet.guard import Guard, ShardLimits
from momlint.fleet.shards import cut
from momlint.fleet.work import Shard, Work

R = TypeVar("R")
Say = Callable[[str], None]


class Processes:
    """A runner on this machine: a context manager that ends its children.

    `jobs`: how many at a time; they are started when there is work for them.
    """

    name = "process"

    def __init__(self, jobs: int, limits: ShardLimits, say: Say = lambda _: None) -> None:
        self.takers = jobs
        self._guards = [Guard(limits, os.getcwd()) for _ in range(jobs)]
        # A thread for each, which lives as long: Linux ends a child with the thread that has started it.
        self._threads = [ThreadPoolExecutor(1) for _ in range(jobs)]
        self._say = say

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for guard in self._guards:
            guard.close()
        for thread in self._threads:
            thread.shutdown(cancel_futures=True)

    def run(self, work: Work[R], seconds: Sequence[float]) -> Iterator[R]:
        """The results of all units, in order; `seconds`: about how long each takes."""
        shards = cut(seconds, self.takers)
        waiting: queue.SimpleQueue[Shard] = queue.SimpleQueue()
        for shard in shards:
            waiting.put(shard)
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        stop = threading.Event()

        def serve(guard: Guard) -> None:
            try:
                while not stop.is_set():
                    shard = waiting.get_nowait()
                    for unit, result in guard.run(work, shard):
                        done.put(("unit", unit, result))
                    done.put(("shard",))
            except queue.Empty:
                pass  # nothing is left to do
            except BaseException as error:  # noqa: BLE001  raised again below, where somebody waits
                done.put(("error", error))

        for guard, thread in zip(self._guards[: len(shards)], self._threads, strict=False):
            thread.submit(serve, guard)
        try:
            yield from self._in_order(done, len(shards), work.units)
        finally:
            stop.set()

    def _in_order(self, done: queue.SimpleQueue[Any], shards: int, units: int) -> Iterator[Any]:
        kept: dict[int, Any] = {}
        upcoming = finished = results = 0
        while finished < shards or upcoming < units:
            match done.get():
                case ("unit", unit, result):
                    kept[unit] = result
                    results += 1
                    self._say(f"{results} of {units}")
                case ("error", error):
                    raise error
                case ("shard",):
                    finished += 1
            while upcoming in kept:
                yield kept.pop(upcoming)
                upcoming += 1
