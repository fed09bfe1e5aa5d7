"""Which runner is chosen, and what is said of it. Nothing is opened, so that no Spark is needed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from momlint.fleet import Processes, Serial
from momlint.fleet.choose import SPARK_FROM, RunnerOptions, choose
from momlint.fleet.expected import A_BYTE, A_FILE, expected_seconds
from tests.fleet.estates import large_estate


def files(folder: Path, seconds: float) -> list[str]:
    path = folder / "a.mom.yaml"
    path.touch()
    with path.open("r+b") as stream:
        stream.truncate(int((seconds - A_FILE) / A_BYTE))  # a hole: nothing is written
    return [str(path)]


def test_little_work_is_done_here(tmp_path: Path) -> None:
    choice = choose(files(tmp_path, 0.1), RunnerOptions("auto"))
    assert isinstance(choice.runner, Serial)
    assert choice.reason == "1 file, about 0.1 s of work: this process alone"


def test_some_work_goes_to_processes(tmp_path: Path) -> None:
    choice = choose(files(tmp_path, 20), RunnerOptions("auto", "local[2]", jobs=2))
    assert isinstance(choice.runner, Processes)
    assert choice.reason.startswith("1 file, about 20 s of work: a pool of 2 processes, since Spark is worth its start")


def test_much_work_goes_to_spark_where_a_master_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from momlint.fleet.spark import OnSpark

    paths = files(tmp_path, 2 * SPARK_FROM)
    assert isinstance(choose(paths, RunnerOptions(None, "local[2]")).runner, OnSpark)
    assert isinstance(choose(paths, RunnerOptions("auto", "local[2]")).runner, OnSpark)
    assert isinstance(choose(paths, RunnerOptions("auto")).runner, Processes)


def test_what_is_asked_for_is_taken(tmp_path: Path) -> None:
    paths = files(tmp_path, 0.1)
    assert isinstance(choose(paths, RunnerOptions("process", jobs=1)).runner, Processes)
    assert choose(paths, RunnerOptions("process", jobs=1)).reason.endswith("one process besides this, as asked for")


def test_limits(tmp_path: Path) -> None:
    limits = choose(files(tmp_path, 0.1), RunnerOptions(seconds=7.0, memory=1 << 30)).limits
    assert (limits.seconds, limits.memory) == (7.0, 1 << 30)
    assert choose([], RunnerOptions(jobs=1000)).limits.memory == 2 << 30


def test_colours_count_where_there_are_few_files(tmp_path: Path) -> None:
    text = large_estate(12, 16, 0)
    many, few = tmp_path / "many.mom.yaml", tmp_path / "few.mom.yaml"
    many.write_text(text)
    # The same bytes, and one colour.
    first = text.index("    1: [")
    few.write_text(text[:first] + "#" * (len(text) - first - 1) + "\n")
    (with_colours,), (without,) = expected_seconds([str(many)]), expected_seconds([str(few)])
    # 192 brokers and 385 colours take about half a second more on the machine of docs/benchmarks.md.
    assert 0.2 < with_colours - without < 1.0
    assert expected_seconds([str(many)], "smt")[0] > 5 * with_colours
    assert max(expected_seconds([str(many)] * 10)) < 1.1 * without


def test_tables_count_too(tmp_path: Path) -> None:
    tables = tmp_path / "tables.parquet"
    tables.mkdir()
    path = tmp_path / "a.mom.yaml"
    path.write_text(
        f"momlint: 1\nbrokers: {{a: , b: }}\nfailures: {{colours: {{1: []}}, recovery: {{file: {tables}}}}}\n"
    )
    before = expected_seconds([str(path)])[0]
    for name in ("part-0.parquet", "part-1.parquet"):
        with (tables / name).open("wb") as stream:
            stream.truncate(10_000_000)  # a hole: nothing is written
    assert expected_seconds([str(path)])[0] > before + 5


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_what_cannot_be_read_is_no_work(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert max(expected_seconds([str(tmp_path / "pipe.yaml"), str(tmp_path / "none.yaml"), str(tmp_path), "-"])) < 0.1
