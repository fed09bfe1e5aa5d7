"""On Spark, one local session for all: the same reports, whatever happens to a shard."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest

from momlint.errors import UsageError
from momlint.fleet import ShardLimits, check_files
from momlint.fleet.columns import schema
from momlint.fleet.inventory import write_inventory
from momlint.fleet.parts import ReadPieces
from momlint.lint import FileResult, Options, lint_files
from tests.fleet.estates import large_estate, planned, write_many
from tests.fleet.reports import rendered
from tests.fleet.works import Obey

if TYPE_CHECKING:
    from momlint.fleet.spark import OnSpark

pytestmark = pytest.mark.slow

LIMITS = ShardLimits(seconds=120.0)


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
    together = check_files([str(path)], options, spark, limits=ShardLimits(seconds=120.0), large=0.0, least=0.0)
    assert rendered(together) == rendered(lint_files([str(path)], options))


def test_recovery_tables_are_read_in_the_workers(
    spark: OnSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("torus.mom.yaml").write_text(planned(tmp_path, 1e-9).replace("FILE", "plan.parquet"))
    assert len(list(Path("plan.parquet").iterdir())) > 5
    taken = []
    run = spark.run
    monkeypatch.setattr(spark, "run", lambda work, seconds: taken.append(type(work)) or run(work, seconds))
    together = check_files(["torus.mom.yaml"], Options(), spark, limits=LIMITS, large=0.0, least=0.0)
    assert rendered(together) == rendered(lint_files(["torus.mom.yaml"], Options()))
    assert together.summary.errors > 0
    assert taken[0] is ReadPieces
    assert len(taken) > 1


def test_names_that_are_no_utf_8(spark: OnSpark, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.mom.yaml")
    Path(path).write_text("momlint: 1\nbrokers: {1: }\nlinks: [{between: [1, 2]}]\n")
    assert rendered(check_files([path], Options(), spark)) == rendered(lint_files([path], Options()))


def test_what_hangs_or_dies_is_one_undecided_each(spark: OnSpark) -> None:
    orders = ["a", "b", "die", "c", "hang", "d", "memory", "error", "e"]
    limits, spark._limits = spark._limits, ShardLimits(seconds=2.0, memory=3 << 30)
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
    with pytest.raises(UsageError, match=f"the workers failed: there is no folder {gone}"):
        list(spark.run(Obey(("a",)), [1.0]))


def test_workers_are_this_interpreter(spark: OnSpark) -> None:
    for place in spark.places(2):
        assert Path(place.prefix).resolve() == Path(sys.prefix).resolve()
        assert "momlint-package" in place.package


@pytest.fixture
def elsewhere(spark: OnSpark, tmp_path: Path) -> tuple[Path, str]:
    """A folder, and the address of it on a file system that only Hadoop knows."""
    name = f"m{os.getpid()}-{tmp_path.name.replace('_', '-')}"
    hadoop = spark.session.spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[attr-defined]
    hadoop.set(f"fs.viewfs.mounttable.{name}.link./tables", f"file://{tmp_path}")
    return tmp_path, f"viewfs://{name}/tables"


@pytest.mark.parametrize("target", [100.0, 1e-9])
def test_tables_at_an_address_are_read_by_spark(target: float, spark: OnSpark, elsewhere: tuple[Path, str]) -> None:
    folder, address = elsewhere
    text = planned(folder, target)
    here, there = folder / "here.mom.yaml", folder / "there.mom.yaml"
    here.write_text(text.replace("FILE", f"{folder}/plan.parquet"))
    there.write_text(text.replace("FILE", f"{address}/plan.parquet"))
    expected = rendered(lint_files([str(here)], Options()))["json"]
    assert any(finding["file"] == f"{folder}/plan.parquet" for finding in json.loads(expected)["findings"])
    for large in (0.0, 100.0):
        report = check_files([str(there)], Options(), spark, limits=LIMITS, large=large, fetch=spark.fetch)
        found = rendered(report)["json"].replace(f"{address}/plan", f"{folder}/plan").replace(str(there), str(here))
        assert found == expected


def test_addresses_with_nothing_to_read(spark: OnSpark, elsewhere: tuple[Path, str]) -> None:
    folder, address = elsewhere
    (folder / "bad.parquet").write_text("nothing")
    found = spark.fetch([f"{address}/none.parquet", f"{address}/bad.parquet", "nofs://x/t.parquet", f"{address}/t.csv"])
    none, bad, unknown, csv = (one.fault for one in found.values())
    assert "Path does not exist" in none
    assert "bad.parquet" in bad
    assert '"nofs"' in unknown
    assert csv == "its name does not end in .parquet"
    # One that is wrong takes nothing from another.
    assert not any(one.data for one in found.values())


def test_the_inventory_reads_tables_at_an_address(spark: OnSpark, elsewhere: tuple[Path, str]) -> None:
    folder, address = elsewhere
    text = planned(folder, 100.0)
    paths = [str(folder / "here.mom.yaml"), str(folder / "there.mom.yaml")]
    Path(paths[0]).write_text(text.replace("FILE", f"{folder}/plan.parquet"))
    Path(paths[1]).write_text(text.replace("FILE", f"{address}/plan.parquet"))
    assert write_inventory(spark, paths, Options(), str(folder / "tables")) == []
    pairs = ds.dataset(folder / "tables" / "pairs", format="parquet").to_table().to_pylist()
    here, there = ([{**row, "file": ""} for row in pairs if row["file"] == path] for path in paths)
    assert len(here) > 20
    assert here == there
    findings = ds.dataset(folder / "tables" / "findings", format="parquet").to_table().to_pylist()
    files = [finding["file"] for finding in findings]
    assert files.count(f"{address}/plan.parquet") == files.count(f"{folder}/plan.parquet") > 0
