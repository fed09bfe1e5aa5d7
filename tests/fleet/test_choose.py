"""Which runner is chosen, and what is said of it. Nothing is opened, so that no Spark is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.fleet import Processes, Serial
from momlint.fleet.choose import SPARK_FROM, Wishes, choose
from momlint.fleet.files import SECONDS_A_BYTE, SECONDS_A_FILE


def files(folder: Path, seconds: float) -> list[str]:
    path = folder / "a.mom.yaml"
    path.touch()
    with path.open("r+b") as stream:
        stream.truncate(int((seconds - SECONDS_A_FILE) / SECONDS_A_BYTE))  # a hole: nothing is written
    return [str(path)]


def test_little_work_is_done_here(tmp_path: Path) -> None:
    choice = choose(files(tmp_path, 0.1), Wishes("auto"))
    assert isinstance(choice.runner, Serial)
    assert choice.reason == "1 file, about 0.1 s of work: this process alone"


def test_some_work_goes_to_processes(tmp_path: Path) -> None:
    choice = choose(files(tmp_path, 20), Wishes("auto", "local[2]", jobs=2))
    assert isinstance(choice.runner, Processes)
    assert choice.reason.startswith("1 file, about 20 s of work: a pool of 2 processes, since Spark is worth its start")


def test_much_work_goes_to_spark_where_a_master_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from momlint.fleet.spark import OnSpark

    paths = files(tmp_path, 2 * SPARK_FROM)
    assert isinstance(choose(paths, Wishes(None, "local[2]")).runner, OnSpark)
    assert isinstance(choose(paths, Wishes("auto", "local[2]")).runner, OnSpark)
    assert isinstance(choose(paths, Wishes("auto")).runner, Processes)


def test_what_is_asked_for_is_taken(tmp_path: Path) -> None:
    paths = files(tmp_path, 0.1)
    assert isinstance(choose(paths, Wishes("process", jobs=1)).runner, Processes)
    assert choose(paths, Wishes("process", jobs=1)).reason.endswith("one process besides this, as asked for")


def test_limits(tmp_path: Path) -> None:
    limits = choose(files(tmp_path, 0.1), Wishes(seconds=7.0, memory=1 << 30)).limits
    assert (limits.seconds, limits.memory) == (7.0, 1 << 30)
    assert choose([], Wishes(jobs=1000)).limits.memory == 2 << 30
