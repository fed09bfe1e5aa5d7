"""The options of ``check`` that say who does the work. None of these needs Spark."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.estates import GOOD
from tests.fleet.estates import write_many
from tests.fleet.hanging import HANGING, hanging_site


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_many(tmp_path, 30, broken_every=6, fault_every=5)
    return tmp_path


@pytest.mark.slow
def test_whoever_does_it_prints_the_same(run: Run, many: Path) -> None:
    alone = run("check", ".", "-f", "json")
    assert alone.code == 1
    for options in (
        ["--jobs", "2"],
        ["--jobs", "auto"],
        ["--runner", "process", "--jobs", "1"],
        ["--runner", "auto"],
        ["--runner", "auto", "--spark", "local[2]"],
        ["--spark", "local[2]"],
        ["--shard-seconds", "100"],
        ["--shard-memory", "2000"],
    ):
        ran = run("check", ".", "-f", "json", *options)
        assert (ran.code, ran.out) == (1, alone.out), options


def test_who_does_it_is_said_where_it_was_asked(run: Run, many: Path) -> None:
    assert run("check", ".", "--jobs", "2").err == ""
    said = run("check", ".", "--runner", "auto").err
    assert said.startswith("momlint: note: 30 files, about 1.")
    assert said.endswith(" s of work: this process alone\n")
    assert run("check", ".", "--runner", "auto", "--quiet").err == ""


@pytest.mark.slow
def test_a_file_that_hangs_is_exit_3(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(hanging_site(tmp_path))  # the children of the pool take over this path
    write_many(tmp_path, 3)
    Path(HANGING).write_text(GOOD)
    ran = run("check", ".", "-f", "concise", "--shard-seconds", "5")
    assert ran.code == 3
    (line,) = [line for line in ran.out.splitlines() if "MOM901" in line]
    assert line.startswith(f"{HANGING}:1:1: MOM901 error undecided: whether this file is right: ")


def test_spark_and_process_do_not_go_together(run: Run, many: Path) -> None:
    ran = run("check", ".", "--runner", "process", "--spark", "local[2]")
    assert ran.code == 2
    assert "--spark needs --runner auto or spark, not process" in ran.err


def test_a_pool_loads_no_spark(many: Path) -> None:
    script = (
        "import sys\n"
        "from momlint.cli import main\n"
        "main(['check', '.', '-f', 'json', '--runner', 'process'])\n"
        "assert not {'pyspark', 'pandas', 'pyarrow'} & set(sys.modules), sorted(sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, env=environment)


def test_without_the_extra_spark_is_wrong_usage(run: Run, many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def version(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("importlib.metadata.version", version)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ran = run("check", ".", "--runner", "spark")
    assert ran.code == 2
    assert "momlint: error: Spark needs the package pyspark: install momlint with its extra" in ran.err
    ran = run("fleet", "inventory", ".", "--output", "out")
    assert ran.code == 2
    assert "Spark needs the package pyspark" in ran.err
    assert not Path("out").exists()


def test_an_inventory_of_nothing_or_of_standard_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("fleet", "inventory", "-", "--output", "out")
    assert (ran.code, "an inventory cannot read standard input" in ran.err) == (2, True)
    ran = run("fleet", "inventory", "gone", "--output", "out")
    assert (ran.code, "gone: no such file or folder" in ran.err) == (2, True)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interrupt_of_the_pool_leaves_nothing_running(tmp_path: Path) -> None:
    from tests.fleet.processes import INTERRUPTIBLE, descendants, is_running

    (tmp_path / HANGING).write_text(GOOD)
    path = os.pathsep.join([hanging_site(tmp_path), str(Path(__file__).parents[2])])
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "check", ".", "--runner", "process", "--jobs", "2"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A gate that runs in the background ignores interrupts, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (no threads here)
        env={**os.environ, "PYTHONPATH": path},
    )
    until = time.monotonic() + 60
    while not (below := descendants(process.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.endswith("momlint: interrupted\n")
    assert "Traceback" not in err
    assert below
    assert not [pid for pid in below if is_running(pid)]
