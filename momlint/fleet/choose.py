"""Which runner: the one that is asked for, else by how much work there is to do."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from momlint.discipline import EngineChoice
from momlint.fleet.expected import expected_seconds
from momlint.fleet.guard import DEADLINE, ShardLimits
from momlint.fleet.processes import Processes
from momlint.fleet.serial import Serial
from momlint.fleet.session import master_url
from momlint.fleet.work import Fetch, Runner

if TYPE_CHECKING:
    from momlint.fleet.spark import OnSpark
    from momlint.routed.recovery.parquet import Fetched

RunnerName: TypeAlias = Literal["auto", "process", "spark"]

#: CPU seconds of work from which on ``auto`` takes Spark, where a master is named: what Spark costs by itself is less
#: than a tenth of it (bench/bench_fleet.py). Below, a pool of processes here has long finished.
SPARK_FROM = 300.0
#: … and from which on a pool of processes is worth its start.
POOL_FROM = 2.0
#: A child's address space, where the machine does not say how much memory it has.
_MEMORY = 4 << 30
#: No child gets less: momlint and what it imports take a part of it before there is a single estate.
_LEAST_MEMORY = 2 << 30


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """What was asked for, None where nothing was. `seconds` and `memory` (bytes): the limits of a shard's unit."""

    runner: RunnerName | None = None
    master: str | None = None
    jobs: int | None = None
    seconds: float | None = None
    memory: int | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


class Choice(NamedTuple):
    """A runner, to be opened as a context manager, its limits, and one sentence that says which it is and why.

    `seconds`: how long each file is expected to take.
    `fetch`: who reads recovery tables at addresses, if Spark was named (while the runner is open, if that is Spark).
    """

    runner: AbstractContextManager[Runner]
    reason: str
    limits: ShardLimits
    seconds: Sequence[float]
    fetch: Fetch | None = None


def choose(
    paths: Sequence[str],
    options: RunnerOptions,
    say: Callable[[str], None] = lambda _: None,
    engine: EngineChoice = "auto",
) -> Choice:
    """The runner for these files, which `engine` is to decide.

    Raises `UsageError` for a master that is none (see `momlint.fleet.session`).
    """
    if options.master is not None:
        master_url(options.master)  # a slip is to be told also where the work is too little for Spark
    jobs = options.jobs or os.cpu_count() or 1
    kind: str | None = options.runner
    limits = ShardLimits(options.seconds or DEADLINE, options.memory if options.memory is not None else _share(jobs))
    seconds = expected_seconds(paths, engine, limits)
    work = sum(seconds)
    amount = f"{len(paths):,} file{'' if len(paths) == 1 else 's'}, about {_rounded(work)} s of work"
    if kind is None:
        kind = "auto" if options.master is not None else "process"
    if kind == "auto":
        if options.master is not None and work >= SPARK_FROM:
            kind, amount = "spark", f"{amount}: Spark, which is worth its start from {SPARK_FROM:g} s on"
        elif work >= POOL_FROM or options.jobs is not None or options.seconds is not None:
            less = (
                f", since Spark is worth its start from {SPARK_FROM:g} s on only" if options.master is not None else ""
            )
            kind, amount = "process", f"{amount}: {_pool(jobs)}{less}"
        else:
            return Choice(Serial(say), f"{amount}: this process alone", limits, seconds, _fetch(options, limits, say))
    elif kind == "spark":
        amount = f"{amount}: Spark, as asked for"
    else:
        amount = f"{amount}: {_pool(jobs)}, as asked for"
    if kind == "spark":
        runner = on_spark(options.master or "local[*]", limits, say, options.conf)
        return Choice(runner, amount, limits, seconds, runner.fetch)
    return Choice(Processes(jobs, limits, say), amount, limits, seconds, _fetch(options, limits, say))


def _fetch(options: RunnerOptions, limits: ShardLimits, say: Callable[[str], None]) -> Fetch | None:
    """Spark for addresses only: started when there are any."""
    master = options.master
    if master is None:
        return None

    def fetch(addresses: Sequence[str]) -> Mapping[str, Fetched]:
        with on_spark(master, limits, say, options.conf) as spark:
            return spark.fetch(addresses)

    return fetch


def on_spark(
    master: str, limits: ShardLimits, say: Callable[[str], None], conf: Mapping[str, str] | None = None
) -> OnSpark:
    """The runner on the Spark of this master. Raises `UsageError` where the extra `spark` is not installed."""
    from momlint.fleet.session import check_packages

    check_packages()
    # Imported late, and only here: nobody else needs pyspark and pyarrow.
    from momlint.fleet.spark import OnSpark

    return OnSpark(master, limits, say, conf)


def _pool(jobs: int) -> str:
    return "one process besides this" if jobs == 1 else f"a pool of {jobs} processes"


def _rounded(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:,.0f}"


def _share(jobs: int) -> int:
    """Bytes: a child's share of this machine's memory."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return _MEMORY
    return max(_LEAST_MEMORY, whole // jobs)
