"""What a worker of Spark does with its shards: the same as the process pool, by a guard of its own.

The guard lives as long as the worker's Python process, which Spark uses for one task after the other.
"""

from __future__ import annotations

import atexit
import os
import pickle
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

import momlint
from momlint.fleet.columns import batch
from momlint.fleet.guard import Guard, Limits
from momlint.fleet.work import Fault, Work


@dataclass(frozen=True, slots=True)
class Errand:
    """What all shards of one job need; sent to each worker once. `folder`: what paths are relative to, None for none.

    `key` tells jobs apart.
    """

    key: str
    work: Work[Any]
    shards: Sequence[Sequence[int]]
    limits: Limits
    folder: str | None


@atexit.register
def _close() -> None:
    if _Post.guard is not None:
        _Post.guard.close()


class _Post:
    """What this process has at hand from one task to the next."""

    errand: ClassVar[Errand | None] = None
    common: ClassVar[dict[str, Any]] = {}
    guard: ClassVar[Guard | None] = None


def serve(key: str, errand: Any, common: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Do the shards that `batches` number (one column, int64) and yield their results, as `columns.schema` says.

    `errand`: Spark's broadcast variable of an `Errand` as a pickle. `common`: of what its work has in common with
    others, None where there is nothing.
    """
    found = _errand(key, errand, common)
    guard = _guard(found)
    for numbers in batches:
        for number in numbers.column(0).to_pylist():
            rows = list(guard.run(found.work, found.shards[number]))
            yield batch(found.work.result_type, rows)


def _errand(key: str, errand: Any, common: Any) -> Errand:
    if _Post.errand is None or _Post.errand.key != key:
        found: Errand = pickle.loads(errand.value)
        shared = found.work.common
        if shared is not None:
            if shared.key not in _Post.common:
                # One overlay at a time: the next one is that of another estate.
                _Post.common.clear()
                _Post.common[shared.key] = pickle.loads(common.value)
            found.work.bind(_Post.common[shared.key])
        _Post.errand = found
    return _Post.errand


def _guard(errand: Errand) -> Guard:
    if _Post.guard is not None and (_Post.guard.limits, _Post.guard.folder) != (errand.limits, errand.folder):
        _Post.guard.close()
        _Post.guard = None
    if _Post.guard is None:
        if errand.folder is not None and not os.path.isdir(errand.folder):
            raise RuntimeError(
                f"there is no folder {errand.folder} on the worker {platform.node()}: files are read by the workers, "
                "so that they must have them under the same paths"
            )
        _Post.guard = Guard(errand.limits, errand.folder)
    return _Post.guard


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker is, and who works there."""

    interpreter: str
    prefix: str
    python: str
    momlint: str
    package: str


@dataclass(frozen=True, slots=True)
class TellPlaces(Work[Place]):
    """A work that does nothing but tell who does it."""

    count: int
    result_type: ClassVar[type[Any]] = Place

    @property
    def units(self) -> int:
        """As many as are asked for."""
        return self.count

    def run(self, unit: int) -> Place:
        """This process."""
        package = os.path.dirname(os.path.abspath(momlint.__file__))
        return Place(sys.executable, sys.prefix, platform.python_version(), momlint.__version__, package)

    def undecided(self, unit: int, fault: Fault) -> Place:
        """Nothing can be told."""
        return Place(fault.reason, "", "", "", "")
