"""What a fleet does: works, made of units that know nothing of each other.

A `Work` is sent once to whoever takes part; after that only numbers travel. A *unit* is the smallest thing that can
fail by itself (one file, one part of an overlay), a *shard* is the units that go out together. `run_units` is the one
function that does a shard, in a guard's child, for the process pool as for Spark.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from momlint.routed.recovery.parquet import Fetched

R = TypeVar("R")

#: The numbers of the units that go out together.
Shard: TypeAlias = Sequence[int]

#: Reads recovery tables at addresses: what was found at each.
Fetch: TypeAlias = "Callable[[Sequence[str]], Mapping[str, Fetched]]"

FaultKind: TypeAlias = Literal["deadline", "memory", "crash"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a unit has no result: `reason` is one clause for the user, the same on every run; `help` says what to do."""

    kind: FaultKind
    reason: str
    help: str


class Work(ABC, Generic[R]):
    """Something to do in units, picklable; `R` is what a unit gives, picklable too.

    `common` names what several works of one run share (an overlay that many questions are asked about): it is pickled
    apart from the work, and sent to each taker once. `bind` gets it back before the first unit.
    """

    #: The type of a unit's result, for the columns of Arrow (see `momlint.fleet.columns`).
    result_type: ClassVar[type[Any]]

    @property
    @abstractmethod
    def units(self) -> int:
        """How many units there are; they are numbered from 0."""

    @property
    def common(self) -> Common | None:
        """What is sent apart, None where there is nothing."""
        return None

    def bind(self, common: Any) -> None:
        """Take the value of `common`."""

    def take_helper(self, helper: Runner) -> None:
        """Take a runner that does works for this one, as long as it runs."""

    @abstractmethod
    def run(self, unit: int) -> R:
        """Do one unit. What the user wrote wrong is part of the result and raises nothing."""

    @abstractmethod
    def undecided(self, unit: int, fault: Fault) -> R:
        """What stands in the place of the result of a unit that hung or died."""


class Runner(Protocol):
    """Who does works: this process, a pool, Spark. `takers`: how many shards at a time."""

    takers: int

    def run(self, work: Work[R], seconds: Sequence[float]) -> Iterator[R]:
        """The results of all units, in order; `seconds`: about how long each takes."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """A value that works share; `key` is unique for good (`new_key`), since takers keep values from run to run."""

    key: str
    value: Any


def new_key() -> str:
    """A key that no other value has, whichever process made it."""
    return uuid.uuid4().hex


def run_units(work: Work[R], units: Iterable[int]) -> Iterator[tuple[int, R]]:
    """The results of `units`, one after the other."""
    for unit in units:
        yield unit, work.run(unit)
