"""The first steps of a worker, before it can import momlint.

Spark sends this module's functions by value (`momlint.fleet.spark` registers it so); they import nothing of momlint
before they have put it on the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def shard_function(package: str, key: str, job: Any, common: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function for ``mapInArrow``. `package`: the name under which Spark has unpacked momlint."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import sys

        from pyspark import SparkFiles

        folder = SparkFiles.get(package)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        from momlint.fleet.worker import serve

        yield from serve(key, job, common, batches)

    return run
