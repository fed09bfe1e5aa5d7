"""Parquet is an extra: what momlint says, and still does, where pyarrow is not installed or does not load."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]

ESTATE = """\
momlint: 1
name: triangle
brokers: {1: , 2: , 3: }
links: [{between: [1, 2]}, {between: [2, 3]}, {between: [1, 3]}]
topics: {t: {publishers: [1], subscribers: [3]}}
failures:
  tolerate: single-link
"""
COLOURS = "  colours: {calm: [], one: [1--2], two: [2--3], three: [1--3]}\n"


@pytest.fixture(params=["not installed", "does not load"])
def no_pyarrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Neither is pyarrow there nor does it load; what momlint says of it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    if request.param == "not installed":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        return "Parquet needs pyarrow, which is not installed"
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pyarrow.py").write_text("raise ImportError('libarrow.so: cannot open shared object file')\n")
    monkeypatch.syspath_prepend(broken)
    return "Parquet needs pyarrow, which cannot be loaded: libarrow.so: cannot open shared object file"


@pytest.fixture
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "estate"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "momlint.toml").write_text("")
    (folder / "a.mom.yaml").write_text(ESTATE)
    return folder


def test_check_says_so_at_the_name_of_the_file(no_pyarrow: str, estate: Path, run: Run) -> None:
    (estate / "tables.parquet").write_bytes(b"PAR1")
    (estate / "a.mom.yaml").write_text(ESTATE + COLOURS + "  recovery: {file: tables.parquet}\n")
    ran = run("check", "--format", "concise", "--ignore", "MOM5", "a.mom.yaml")
    assert ran.code == 1
    (line,) = [line for line in ran.out.splitlines() if "MOM" in line]
    # Line 9; `  recovery: {file: ` is 19 characters wide.
    assert line.startswith("a.mom.yaml:9:")
    assert f"`tables.parquet` cannot be read: {no_pyarrow}" in line
    shown = run("check", "--ignore", "MOM5", "a.mom.yaml").out
    assert "error[MOM102]" in shown
    assert 'help: pip install "momlint[parquet]"' in shown


@pytest.mark.parametrize("name", ["x.parquet", "x.pq"])
@pytest.mark.parametrize("more", [(), ("--jobs", "2"), ("--in-place",), ("--show", "slsd")])
def test_plan_says_so_before_it_plans(
    no_pyarrow: str, estate: Path, run: Run, name: str, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object) -> None:
        raise AssertionError("planned, and could not write it")

    monkeypatch.setattr("momlint.routed.recovery.planning.plan_into", never, raising=False)
    before = (estate / "a.mom.yaml").read_bytes()
    ran = run("plan", "a.mom.yaml", "--output", name, *more)
    expected = f'momlint: error: {name} cannot be written: {no_pyarrow}; pip install "momlint[parquet]", '
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == expected + "or write .yaml or .csv\n"
    assert not (estate / name).exists()
    assert (estate / "a.mom.yaml").read_bytes() == before


def test_csv_and_yaml_need_nothing(no_pyarrow: str, estate: Path, run: Run) -> None:
    assert no_pyarrow
    planned = run("plan", "a.mom.yaml", "--output", "rows.csv")
    assert planned.code == 0
    (estate / "csv.mom.yaml").write_text(ESTATE.partition("failures:")[0] + planned.out)
    assert run("plan", "a.mom.yaml", "--in-place").code == 0
    ran = run("check", "csv.mom.yaml", "a.mom.yaml", "--certificate", "why.json")
    assert ran.code == 0, ran.out + ran.err
    assert run("verify", "why.json").code == 0


def test_a_certificate_over_parquet_is_refused_with_the_reason(
    estate: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = run("plan", "a.mom.yaml", "--output", "rows.parquet")
    assert planned.code == 0
    (estate / "a.mom.yaml").write_text(ESTATE.partition("failures:")[0] + planned.out)
    assert run("check", "a.mom.yaml", "--certificate", "why.json").code == 0
    assert run("verify", "why.json").code == 0
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ran = run("verify", "why.json")
    assert ran.code == 2
    assert "Parquet needs pyarrow, which is not installed" in ran.err


def test_spark_asks_for_its_packages_before_it_is_loaded(estate: Path) -> None:
    """Of its own process, in which nothing has been loaded yet."""
    script = (
        "import sys, importlib.metadata as metadata\n"
        "sys.modules['pyarrow'] = sys.modules['pyspark'] = None\n"
        "told = metadata.version\n"
        "def version(name):\n"
        "    if name in ('pyarrow', 'pyspark'):\n"
        "        raise metadata.PackageNotFoundError(name)\n"
        "    return told(name)\n"
        "metadata.version = version\n"
        "from momlint.cli import main\n"
        "sys.exit(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for arguments in (
        ["check", "--runner", "spark", "--spark", "local[1]", "a.mom.yaml"],
        ["fleet", "inventory", "a.mom.yaml", "--output", "tables"],
        ["plan", "a.mom.yaml", "--spark", "local[1]", "--output", "tables.csv"],
    ):
        ran = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            cwd=estate,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 2, (arguments, ran)
        assert ran.stdout == ""
        assert "internal fault" not in ran.stderr, ran.stderr
