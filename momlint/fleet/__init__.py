"""Checks spread over many processes: a pool of processes, or Spark.

    check_files(paths, options, runner) -> Report     as `momlint.lint.lint_files`, to the byte
    Processes(jobs, limits)                           runner: guarded processes of this machine
    spark.OnSpark(master, limits)                     runner: guarded processes of Spark's workers

This package imports pyspark only in the modules that are called for it (`momlint.fleet.spark`, `.session`).
"""

from __future__ import annotations

from momlint.fleet.check import check_files
from momlint.fleet.guard import ShardLimits
from momlint.fleet.processes import Processes
from momlint.fleet.serial import Serial

__all__ = ["Processes", "Serial", "ShardLimits", "check_files"]
