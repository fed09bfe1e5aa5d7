"""``--output`` writes a report whole or not at all: on a disk that fails, and when momlint is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.estates import BLACK_HOLE

ROOT = Path(__file__).parents[2]
OLD = "the report of yesterday\n"
#: Each topic without subscribers is a finding of some 300 bytes in JSON.
TOPICS = 3000
LIMIT = 100_000


@pytest.fixture
def estate(tmp_path: Path) -> Path:
    topics = "".join(f"  t{number}: {{publishers: [1], subscribers: []}}\n" for number in range(TOPICS))
    path = tmp_path / "many.mom.yaml"
    path.write_text(BLACK_HOLE.replace("topics:\n", "topics:\n" + topics))
    return path


def start(estate: Path, output: str, *arguments: str, most: int | None = None) -> subprocess.Popen[str]:
    """The program; with `most` as on a disk with little room: no file may have more bytes."""
    program = ["-m", "momlint"]
    if most is not None:
        # Python makes an error of the signal that comes with it.
        limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))"
        program = ["-c", f"import resource, sys; {limit}; from momlint.cli import main; sys.exit(main(sys.argv[1:]))"]
    return subprocess.Popen(
        [sys.executable, *program, "check", estate.name, "--engine", "graph", "--output", output, *arguments],
        cwd=estate.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    "form", ["json", *(pytest.param(one, marks=pytest.mark.slow) for one in ("text", "sarif", "junit"))]
)
@pytest.mark.parametrize("there", [True, False])
def test_a_disk_that_fails(form: str, there: bool, estate: Path) -> None:
    report = estate.parent / "report"
    if there:
        report.write_text(OLD)
    process = start(estate, "report", "--format", form, most=LIMIT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "report: the report cannot be written: File too large" in said
    assert {path.name for path in estate.parent.iterdir()} == {estate.name, *(["report"] if there else [])}
    if there:
        assert report.read_text() == OLD


def test_the_same_with_room(estate: Path) -> None:
    (estate.parent / "report").write_text(OLD)
    process = start(estate, "report", "--format", "json")
    process.communicate(timeout=60)
    assert process.returncode == 1
    assert len(json.loads((estate.parent / "report").read_text())["findings"]) > TOPICS
    assert (estate.parent / "report").stat().st_size > 2 * LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_whenever_it_is_killed(end: signal.Signals, estate: Path) -> None:
    """The old report or the new one; what was begun has a name of its own, and goes where momlint has time for that."""
    report = estate.parent / "report"
    process = start(estate, "report", "--format", "json")
    begun = time.monotonic()
    process.communicate(timeout=60)
    needed = time.monotonic() - begun
    new = report.read_bytes()
    left: set[str] = set()
    for share in (0.3, 0.6, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 1.0):
        report.write_text(OLD)
        process = start(estate, "report", "--format", "json")
        time.sleep(needed * share)
        process.send_signal(end)
        process.communicate(timeout=60)
        assert report.read_bytes() in (OLD.encode(), new)
        left |= {path.name for path in estate.parent.iterdir()} - {estate.name, "report"}
    assert all(name.startswith("report.") and name.endswith(".part") for name in left)
    if end is not signal.SIGKILL:
        assert left == set()


def test_killed_in_the_midst_of_writing(estate: Path, tmp_path: Path) -> None:
    """Certainly so: the process is stopped for good when half of the bytes are there."""
    report = estate.parent / "report"
    report.write_text(OLD)
    program = (
        "import os, sys, signal\n"
        "from momlint import writing\n"
        "class Half:\n"
        "    def __init__(self, stream): self.stream = stream\n"
        "    def __enter__(self): return self\n"
        "    def __exit__(self, *_): self.stream.close()\n"
        "    def write(self, data):\n"
        "        self.stream.write(data[: len(data) // 2]); self.stream.flush()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "writing.open = lambda path, mode: Half(open(path, mode))\n"
        "from momlint.cli import main\n"
        "main(['check', 'many.mom.yaml', '--engine', 'graph', '--format', 'json', '--output', 'report'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=estate.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    assert report.read_text() == OLD
    (part,) = (path for path in estate.parent.iterdir() if path.name.endswith(".part"))
    assert part.stat().st_size > LIMIT
