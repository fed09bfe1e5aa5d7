"""The folders of Spark's temporary files: those of sessions that were killed go, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from momlint.fleet import scratch

pytest.importorskip("fcntl")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def start(temporary: Path) -> tuple[subprocess.Popen[str], Path]:
    """Another process that uses a folder, and the folder."""
    code = (
        "import sys; from momlint.fleet import scratch; folder = scratch.new_name(); kept = scratch.occupy(folder); "
        "open(folder + '/blocks', 'w').close(); print(folder, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_session_has_left_goes(temporary: Path) -> None:
    process, folder = start(temporary)
    try:
        scratch.sweep()
        assert sorted(path.name for path in folder.iterdir()) == ["blocks", "momlint.lock"]  # it is in use
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert folder.exists()
        scratch.sweep()
        assert not folder.exists()
    finally:
        process.kill()
        process.communicate()


def test_nothing_else_goes(temporary: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Folders of other names, without a lock, behind a link, and that of this process."""
    own = scratch.new_name()
    lock = scratch.occupy(own)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "momlint.lock").touch()
    (temporary / ("momlint-spark-" + "0" * 16)).symlink_to(elsewhere)
    for name in ("momlint-spark-" + "1" * 15, "momlint-spark-1234-" + "1" * 16, "momlint-" + "2" * 16):
        (temporary / name).mkdir()
        (temporary / name / "momlint.lock").touch()
    early = temporary / ("momlint-spark-" + "3" * 16)
    early.mkdir()  # one that is about to be locked
    before = sorted(temporary.iterdir())
    scratch.sweep()
    assert sorted(temporary.iterdir()) == before
    assert (elsewhere / "momlint.lock").exists()
    assert lock is not None
    os.close(lock)
    scratch.sweep()
    assert not Path(own).exists()


def test_where_there_are_no_locks(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: the folder is made, and nobody sweeps."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    folder = Path(scratch.new_name())
    assert scratch.occupy(str(folder)) is None
    scratch.sweep()
    assert folder.parent == temporary
    assert folder.is_dir()
