"""The serial runner: every unit in this process, one after the other, and nothing guarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Self, TypeVar

from momlint.fleet.guard import ShardLimits
from momlint.fleet.work import Work

R = TypeVar("R")


class Serial:
    """A runner without helpers: what the others must agree with."""

    name = "serial"
    takers = 1

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was opened."""

    def run(self, work: Work[R], seconds: Sequence[float]) -> Iterator[R]:
        """The results of all units, in order."""
        work.take_helper(self)
        if work.common is not None:
            work.bind(work.common.value)
        for unit in range(work.units):
            try:
                result = work.run(unit)
            except MemoryError:
                result = work.undecided(unit, ShardLimits().memory_short())
            self._say(f"{unit + 1} of {work.units}")
            yield result
