"""A fixed share of damaged inputs of each kind: none fails momlint itself, takes ten seconds, or a gigabyte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.budget import examples
from tests.hostile.fuzzing import KINDS

COUNT = 400
MOST_BYTES = 1_000_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
@pytest.mark.parametrize("kind", KINDS)
def test_damaged(kind: str, tmp_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.hostile.fuzzing", kind, "1", str(examples(COUNT))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    number = (tmp_path / "number").read_text()
    assert ran.returncode == 0, f"it ended at input {number}: {ran.stderr}"
    *wrong, memory = ran.stdout.splitlines()
    assert wrong == []
    assert int(memory) < MOST_BYTES
