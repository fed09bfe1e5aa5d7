"""A plan by many hands has the rows of the plan by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from momlint.errors import UsageError
from momlint.estate import load_source
from momlint.estate.resolved import Estate
from momlint.fleet import Processes, Serial, ShardLimits
from momlint.fleet.planning import plan_into
from momlint.fleet.work import Runner
from momlint.lint import Options, lint_files
from momlint.routed.overlay.super_tables import RecoveryTable
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.read import read_recovery
from momlint.routed.recovery.write import failures_yaml
from momlint.source import read_source
from tests.cli.conftest import Run
from tests.fleet.estates import large_estate

if TYPE_CHECKING:
    from momlint.fleet.spark import OnSpark


def estate_of(text: str) -> Estate:
    (loaded,) = load_source(read_source(text.encode(), "torus.mom.yaml"))
    assert loaded.estate is not None
    return loaded.estate


def rows(table: RecoveryTable) -> list[tuple[int, int, int, tuple[int, ...]]]:
    return sorted(
        (int(table.broker[row]), int(table.to[row]), int(table.via[row]), tuple(table.colours_of(row).tolist()))
        for row in range(table.rows)
    )


def planned(text: str, folder: Path, runner: Runner, target: float) -> None:
    estate = estate_of(text)
    found = plan_into(estate, str(folder), runner, target=target)
    whole = plan(estate)
    assert found.colours == whole.colours
    assert found.home == whole.home
    assert list(failures_yaml(estate, found, None, "x")) == list(failures_yaml(estate, whole, None, "x"))
    brokers, colours = [one.id for one in estate.brokers], [one.name for one in whole.colours]
    read = read_recovery(str(folder), brokers, colours)
    assert read.problems == []
    assert rows(read.table) == rows(whole.table())


@pytest.mark.parametrize("target", [1e-9, 1e-3, 100.0])
def test_the_rows_are_those_of_one_plan(target: float, tmp_path: Path) -> None:
    planned(large_estate(4, 4, 0), tmp_path / "tables.parquet", Serial(), target)


def test_by_processes(tmp_path: Path) -> None:
    text = large_estate(4, 4, 0).replace("tolerate: single-link", "tolerate: {links: 1, brokers: 1}")
    with Processes(2, ShardLimits(seconds=60.0)) as pool:
        planned(text, tmp_path / "tables.parquet", pool, 1e-3)


@pytest.mark.slow
def test_by_spark(spark: OnSpark, tmp_path: Path) -> None:
    planned(large_estate(5, 6, 0), tmp_path / "tables.parquet", spark, 1e-3)


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(UsageError, match="this folder is not empty"):
        plan_into(estate_of(large_estate(2, 3, 0)), str(tmp_path), Serial())


def test_on_the_command_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = large_estate(3, 4, 20)
    Path("torus.yaml").write_text(text)
    ran = run("plan", "torus.yaml", "--jobs", "2", "--output", "tables.parquet")
    assert ran.code == 0, ran.err
    assert "  recovery: {file: tables.parquet}\n" in ran.out
    assert len(list(Path("tables.parquet").glob("part-*.parquet"))) > 1
    # With its plan in place of its failures the estate is sound, by other code than the planner's.
    Path("planned.mom.yaml").write_text(text[: text.index("failures:")] + ran.out)
    report = lint_files(["planned.mom.yaml"], Options(ignore=("MOM407", "MOM501")))
    assert [(finding.code, finding.message) for finding in report.findings] == []
    assert report.summary.colours == 25
    again = run("plan", "torus.yaml", "--jobs", "2", "--output", "tables.parquet")
    assert again.code == 2
    assert "this folder is not empty" in again.err
    for options in (["--jobs", "2"], ["--jobs", "2", "--output", "x.csv"], ["--spark", "local[2]", "--show", "tables"]):
        ran = run("plan", "torus.yaml", *options)
        assert ran.code == 2
        assert "name a folder that ends in .parquet" in ran.err


def test_an_empty_folder_of_tables_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "tables.parquet").mkdir()
    found = read_recovery(str(tmp_path / "tables.parquet"), ["1"], ["1"])
    assert [problem.message for problem in found.problems] == [
        f"the folder `{tmp_path}/tables.parquet` holds no files .parquet"
    ]
    assert json.dumps(found.complete) == "false"
