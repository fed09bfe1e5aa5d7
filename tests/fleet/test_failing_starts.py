"""A Spark that does not start, or has workers that cannot work, says why."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def check(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "a.mom.yaml").write_text("momlint: 1\nbrokers: {1: }\nlinks: []\n")
    return subprocess.run(
        [sys.executable, "-m", "momlint", "check", "a.mom.yaml", "--runner", "spark", "--spark", "local[1]", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        check=False,
    )


def test_the_log_of_java_is_shown(needs_spark: None, tmp_path: Path) -> None:
    ran = check(tmp_path, "--spark-conf", "spark.driver.memory=1k")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert "momlint: error: Spark does not start at local[1,4]: " in ran.stderr
    assert "Spark's log: Too small maximum heap" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_setting_that_spark_refuses(needs_spark: None, tmp_path: Path) -> None:
    ran = check(tmp_path, "--spark-conf", "spark.executor.memory=much")
    assert ran.returncode == 2
    assert "momlint: error: Spark does not start at local[1,4]: " in ran.stderr or "the job failed" in ran.stderr
    assert "Executor memory must be a positive number" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_workers_without_the_packages(needs_spark: None, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    ran = check(tmp_path, PYSPARK_PYTHON=str(tmp_path / "bare" / "bin" / "python"))
    assert ran.returncode == 2
    assert "momlint: error: --spark: the workers cannot do their part: No module named " in ran.stderr
    assert "Traceback" not in ran.stderr
