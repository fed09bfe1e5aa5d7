"""`momlint simulate --runs`: on Spark the same bytes as in processes, and as one seed after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
#: 12 and 6 units: both are cut into several shards.
COMMANDS = {
    "script": ("sites/report/crash.yaml", "--script", "sites/report/crash.txt", "--all", "--runs", "2"),
    "failures": ("simulation/six-brokers.yaml", "--failures", "simulation/paper.txt", "--until", "40", "--runs", "2"),
}


@pytest.mark.usefixtures("needs_spark")
@pytest.mark.parametrize("kind", COMMANDS)
def test_many_seeds_on_spark_are_the_same_as_in_processes(kind: str, tmp_path: Path) -> None:
    outputs = []
    for number, workers in enumerate([[], ["--jobs", "2"], ["--spark", "local[2]"]]):
        file = tmp_path / f"{number}.json"
        command = ["simulate", *COMMANDS[kind], *workers, "--format", "json", "--output", str(file)]
        done = subprocess.run(
            [sys.executable, "-m", "momlint", *command], cwd=EXAMPLES, capture_output=True, check=False, timeout=180
        )
        assert done.returncode == 0, done.stderr.decode()
        outputs.append(file.read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]
    assert b'"runs": 2' in outputs[0]
