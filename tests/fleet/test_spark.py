"""On Spark, one local session for all: the same reports, whatever happens to a shard."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from momlint.errors import UsageError
from momlint.fleet import Limits, check_files
from momlint.fleet.columns import schema
from momlint.lint import FileResult, Options, lint_files
from tests.fleet.estates import large_estate, write_many
from tests.fleet.reports import rendered
from tests.fleet.works import Obey

if TYPE_CHECKING:
    from momlint.fleet.spark import OnSpark

pytestmark = pytest.mark.slow


def test_many_files_give_the_same_report(spark: OnSpark, tmp_path: Path) -> None:
    paths = [*write_many(tmp_path, 120, broken_every=10, fault_every=7), "no such file"]
    assert rendered(check_files(paths, Options(), spark)) == rendered(lint_files(paths, Options()))


def test_relative_paths_are_those_of_the_driver(
    spark: OnSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(tmp_path, 10, fault_every=2)
    monkeypatch.chdir(tmp_path)
    paths = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.yaml"))
    assert rendered(check_files(paths, Options(), spark)) == rendered(lint_files(paths, Options()))


@pytest.mark.parametrize("engine", ["graph", "smt"])
def test_one_overlay_in_parts_gives_the_same_report(engine: str, spark: OnSpark, tmp_path: Path) -> None:
    path = tmp_path / "torus.mom.yaml"
    path.write_text(large_estate(5, 6, 200, damaged=4))
    options = Options(engine=engine)  # type: ignore[arg-type]
    together = check_files([str(path)], options, spark, limits=Limits(seconds=120.0), large=0.0, least=0.0)
    assert rendered(together) == rendered(lint_files([str(path)], options))


def test_names_that_are_no_utf_8(spark: OnSpark, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.mom.yaml")
    Path(path).write_text("momlint: 1\nbrokers: {1: }\nlinks: [{between: [1, 2]}]\n")
    assert rendered(check_files([path], Options(), spark)) == rendered(lint_files([path], Options()))


def test_what_hangs_or_dies_is_one_undecided_each(spark: OnSpark) -> None:
    orders = ["a", "b", "die", "c", "hang", "d", "memory", "error", "e"]
    limits, spark._limits = spark._limits, Limits(seconds=2.0, memory=3 << 30)
    # The guards of earlier jobs have other limits.
    try:
        found = [said.text for said in spark.run(Obey(tuple(orders)), [0.6] * len(orders))]
    finally:
        spark._limits = limits
    assert found == [
        "a",
        "b",
        "crash: its process died (SIGKILL)",
        "c",
        "deadline: it was stopped after 2 s",
        "d",
        "memory: it needs more than 3,072 MiB of memory",
        "crash: momlint failed on it (ValueError: no)",
        "e",
    ]


def test_the_schema_is_the_one_that_was_declared(spark: OnSpark) -> None:
    from pyspark.sql.pandas.types import to_arrow_schema

    from momlint.fleet.files import CheckFiles

    frame = spark.frame(CheckFiles(("a",), Options()), [[0]])
    assert to_arrow_schema(frame.schema).equals(schema(FileResult))


def test_a_worker_that_cannot_read_the_folder_is_said_so(
    spark: OnSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr("os.getcwd", lambda: str(gone))
    with pytest.raises(UsageError, match=f"the workers cannot do their part: there is no folder {gone}"):
        list(spark.run(Obey(("a",)), [1.0]))


def test_workers_are_this_interpreter(spark: OnSpark) -> None:
    for place in spark.places(2):
        assert Path(place.prefix).resolve() == Path(sys.prefix).resolve()
        assert "momlint-package" in place.package
