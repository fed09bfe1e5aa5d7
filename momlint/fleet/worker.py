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

from momlint import version
from momlint.fleet.columns import batch
from momlint.fleet.guard import Guard, ShardLimits
from momlint.fleet.work import Fault, Work


@dataclass(frozen=True, slots=True)
class SparkJob:
    """What all shards of one job need; sent to each worker once. `folder`: what paths are relative to, None for none.

    `key` tells jobs apart.
    """

    key: str
    work: Work[Any]
    shards: Sequence[Sequence[int]]
    limits: ShardLimits
    folder: str | None


@atexit.register
def _close() -> None:
    if _WorkerState.guard is not None:
        _WorkerState.guard.close()


class _WorkerState:
    """What this process has at hand from one task to the next."""

    job: ClassVar[SparkJob | None] = None
    common: ClassVar[dict[str, Any]] = {}
    guard: ClassVar[Guard | None] = None


def serve(key: str, job: Any, common: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Do the shards that `batches` number (one column, int64) and yield their results, as `columns.schema` says.

    `job`: Spark's broadcast variable of an `SparkJob` as a pickle. `common`: of what its work has in common with
    others, None where there is nothing.
    """
    found = _job(key, job, common)
    guard = _guard(found)
    for numbers in batches:
        for number in numbers.column(0).to_pylist():
            rows = list(guard.run(found.work, found.shards[number]))
            yield batch(found.work.result_type, rows)


def _job(key: str, job: Any, common: Any) -> SparkJob:
    if _WorkerState.job is None or _WorkerState.job.key != key:
        found: SparkJob = pickle.loads(job.value)
        shared = found.work.common
        if shared is not None:
            if shared.key not in _WorkerState.common:
                # One overlay at a time: the next one is that of another estate.
                _WorkerState.common.clear()
                _WorkerState.common[shared.key] = pickle.loads(common.value)
            found.work.bind(_WorkerState.common[shared.key])
        _WorkerState.job = found
    return _WorkerState.job


def _guard(job: SparkJob) -> Guard:
    if _WorkerState.guard is not None and (_WorkerState.guard.limits, _WorkerState.guard.folder) != (
        job.limits,
        job.folder,
    ):
        _WorkerState.guard.close()
        _WorkerState.guard = None
    if _WorkerState.guard is None:
        if job.folder is not None and not os.path.isdir(job.folder):
            raise RuntimeError(
                f"there is no folder {job.folder} on the worker {platform.node()}: workers read the "
                "files themselves and need them under the same paths"
            )
        _WorkerState.guard = Guard(job.limits, job.folder)
    return _WorkerState.guard


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
        package = os.path.dirname(os.path.abspath(version.__file__))
        return Place(sys.executable, sys.prefix, platform.python_version(), version.__version__, package)

    def undecided(self, unit: int, fault: Fault) -> Place:
        """Nothing can be told."""
        return Place(fault.reason, "", "", "", "")
