"""The runner on Spark: shards as tasks, their numbers over the wire, their results as columns of Arrow."""

from __future__ import annotations

import itertools
import os
import pickle
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import pyarrow as pa

from momlint.errors import UsageError
from momlint.fleet import columns
from momlint.fleet.guard import ShardLimits
from momlint.fleet.package import write_archive
from momlint.fleet.session import Session, aside, first_line, is_local, text_of
from momlint.fleet.shards import cut
from momlint.fleet.work import Work
from momlint.fleet.worker import Place, SparkJob, TellPlaces
from momlint.routed.recovery.parquet import Fetched
from momlint.routed.recovery.parts import COLUMNS, EXCEPT

R = TypeVar("R")
T = TypeVar("T")

#: The name of momlint's archive where Spark unpacks it.
_PACKAGE = "momlint-package"
#: Seconds to wait for the first executor of a cluster.
PATIENCE = 120.0
_LOOK = 0.1
_LOOK_AT_LEAST = 2.0


class OnSpark:
    """A runner on Spark: a context manager around a session; ends with no Java process left, also when interrupted.

    `conf`: further settings of Spark. `patience`: seconds to wait until a cluster gives an executor.
    """

    name = "spark"

    def __init__(
        self,
        master: str,
        limits: ShardLimits,
        say: Callable[[str], None] = lambda _: None,
        conf: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.session = Session(master, conf)
        self.takers = 1
        self._limits = limits
        self._say = say
        self._patience = patience
        self._common: dict[str, Any] = {}
        self._numbers = itertools.count()

    def __enter__(self) -> Self:
        self._say(f"starting Spark at {self.session.master}")
        self.session.__enter__()
        try:
            aside(self._send_package)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _send_package(self) -> None:
        context = self.session.spark.sparkContext
        # What Spark calls the default parallelism: all cores of a local master, those a cluster has given so far.
        self.takers = max(1, context.defaultParallelism)
        context.addArchive(f"{write_archive(self.session.scratch)}#{_PACKAGE}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.session.__exit__(kind, error, trace)

    def run(self, work: Work[R], seconds: Sequence[float]) -> Iterator[R]:
        """The results of all units, in order; `seconds`: about how long each takes.

        Raises `UsageError` where the workers cannot do any, or the cluster gives none.
        """
        table = self.table(work, cut(seconds, self.takers))
        found = dict(columns.rows(work.result_type, table))
        return (found[unit] for unit in range(work.units))

    def table(self, work: Work[Any], shards: Sequence[Sequence[int]]) -> pa.Table:
        """The results of `shards` as columns, one row a unit, in no order."""
        found: pa.Table = self.watched(lambda: self.frame(work, shards).toArrow(), len(shards))
        # Spark names the items of a list otherwise; types must agree all the same.
        return found.cast(columns.schema(work.result_type))

    def frame(self, work: Work[Any], shards: Sequence[Sequence[int]]) -> Any:
        """The results of `shards` as a DataFrame, one row a unit, one partition a shard; nothing is done yet."""
        from pyspark import cloudpickle
        from pyspark.sql.pandas.types import from_arrow_schema

        from momlint.fleet import bootstrap

        spark = self.session.spark
        context = spark.sparkContext
        key = f"job-{next(self._numbers)}"
        folder = os.getcwd()
        job = SparkJob(key, work, [list(shard) for shard in shards], self._limits, folder)
        common = work.common
        if common is not None and common.key not in self._common:
            self._common[common.key] = context.broadcast(pickle.dumps(common.value, pickle.HIGHEST_PROTOCOL))
        by_value: Any = cloudpickle.register_pickle_by_value
        by_value(bootstrap)
        function = bootstrap.shard_function(
            _PACKAGE,
            key,
            context.broadcast(pickle.dumps(job, pickle.HIGHEST_PROTOCOL)),
            None if common is None else self._common[common.key],
        )
        schema = from_arrow_schema(columns.schema(work.result_type))
        return spark.range(0, len(shards), 1, len(shards)).mapInArrow(function, schema)

    def places(self, count: int) -> list[Place]:
        """Who does the work: asked of `count` shards."""
        return list(self.run(TellPlaces(count), [100.0] * count))

    def fetch(self, addresses: Sequence[str]) -> dict[str, Fetched]:
        """What Spark's workers read at each of these addresses of recovery tables, be it one file or a folder of them.

        Rows come in the order of the names of their files, and in these in their own, as they do from a folder here.
        Raises `UsageError` where Spark itself fails; what is wrong with an address is in its `Fetched`.
        """
        return {address: self.watched(partial(self._read, address), 1) for address in addresses}

    def _read(self, address: str) -> Fetched:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        if not address.lower().endswith((".parquet", ".pq")):
            return Fetched(b"", "its name does not end in .parquet")
        try:
            frame = self.session.spark.read.parquet(address)
            wanted = [f"`{name}`" for name in frame.columns if name in (*COLUMNS, EXCEPT)]
            ordered = frame.selectExpr(*wanted, "_metadata.file_path AS _f", "_metadata.row_index AS _r")
            table: pa.Table = ordered.orderBy("_f", "_r").drop("_f", "_r").toArrow()
        except PySparkException as error:
            return Fetched(b"", first_line(error))
        except Py4JJavaError as error:
            return Fetched(b"", first_line(error))
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        return Fetched(stream.getvalue().to_pybytes())

    def watched(self, action: Callable[[], T], tasks: int) -> T:
        """Do `action`, a job of so many tasks; tell its progress, and give up what goes nowhere.

        Raises `UsageError` where it fails.
        """
        over = threading.Event()
        stuck: list[UsageError] = []

        def watch() -> None:
            started, told = time.monotonic(), -1
            wait = _LOOK
            while not over.wait(wait):
                # Each look takes Java some milliseconds; over a long job that adds up.
                wait = min(2 * wait, _LOOK_AT_LEAST)
                done, running = self._progress()
                if (done or running) and done != told:
                    started, told = float("inf"), done
                    self._say(f"shard {min(done + 1, tasks)} of {tasks} on Spark")
                if time.monotonic() - started > self._patience and not is_local(self.session.master):
                    stuck.append(
                        UsageError(
                            f"--spark: {self.session.master} gave no executor within {self._patience:g} s; does the "
                            "cluster have workers with free cores and memory?"
                        )
                    )
                    self.session.spark.sparkContext.cancelAllJobs()
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            result = aside(action)
        except Exception as error:
            raise (stuck[0] if stuck else self._explained(error)) from error
        finally:
            over.set()
            # Whoever is done here may stop Java next, and a look that is under way then would fail, loudly.
            watcher.join(_LOOK_AT_LEAST)
        if stuck:  # … and `action` took the end of its job for its own fault
            raise stuck[0]
        return result

    def _progress(self) -> tuple[int, int]:
        """How many tasks of the running stages are done, and how many are being done."""
        tracker = self.session.spark.sparkContext.statusTracker()
        done = running = 0
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                done += info.numCompletedTasks
                running += info.numActiveTasks
        return done, running

    def _explained(self, error: Exception) -> UsageError:
        """`error` in words for the user where it says what is wrong with a worker."""
        text = text_of(error)
        for line in reversed(text.splitlines()):
            found = re.match(r"\s*(?:ModuleNotFound|Import|Runtime|momlint\.errors\.Internal)Error: (.*)", line)
            if found is not None:
                return UsageError(f"--spark: the workers failed: {found[1]}")
        return UsageError(f"--spark: the job failed: {first_line(error)}", *self.session.last_words())
