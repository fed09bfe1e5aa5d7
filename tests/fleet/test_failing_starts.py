"""A Spark that does not start, or has workers that cannot work, says why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from tests.fleet.hanging import HANGING, hanging_site
from tests.fleet.processes import INTERRUPTIBLE, children, descendants, is_running

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


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("spark.task.cpus=5", "has to be >= the number of cpus per task = 5"),
        ("spark.serializer=no.such.Class", "java.lang.ClassNotFoundException: no.such.Class"),
    ],
)
def test_settings_that_spark_refuses_once_it_has_started(
    setting: str, words: str, needs_spark: None, tmp_path: Path
) -> None:
    """The text of what went wrong is Java's, and Java is ended."""
    ran = check(tmp_path, "--spark-conf", setting)
    assert ran.returncode == 2
    said = next(line for line in ran.stderr.splitlines() if line.startswith("momlint: error: "))
    assert said.startswith("momlint: error: Spark does not start at local[1,4]: ")
    assert said.endswith(words) or words in said


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("how", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
@pytest.mark.parametrize("at_work", [False, True])
def test_nothing_is_left_when_momlint_is_ended(
    how: str, code: int, at_work: bool, needs_spark: None, tmp_path: Path
) -> None:
    """While Java starts, and while a worker hangs: no process, and no file in the folder for temporary ones."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / HANGING).touch()
    options = ["--spark", "local[1]", "--spark-conf", f"spark.executorEnv.PYTHONPATH={hanging_site(tmp_path)}"]
    with open(tmp_path / "said", "w") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTIBLE, "check", HANGING, "--runner", "spark", *options],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(temporary)},
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        until = time.monotonic() + 100
        while time.monotonic() < until and not (
            # Java is asked for its version before anything is made.
            shard_is_done(process.pid) if at_work else any(temporary.iterdir()) and java_is_there(process.pid)
        ):
            assert process.poll() is None
            time.sleep(0.05)
        below = descendants(process.pid)
        process.send_signal(getattr(signal, how))
        try:
            assert process.wait(60) == code
        finally:
            process.kill()
    assert list(temporary.iterdir()) == []
    until = time.monotonic() + 30
    while time.monotonic() < until and any(is_running(pid) for pid in below):
        time.sleep(0.1)
    assert not [pid for pid in below if is_running(pid)]
    assert "Traceback" not in (tmp_path / "said").read_text()


def java_is_there(pid: int) -> bool:
    """Whether Java runs below this process, started or starting."""
    return any(b"java" in _command(below) for below in descendants(pid))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return b""


def shard_is_done(pid: int) -> bool:
    """Whether a guard below this process has a child, which is so while it is at work on a shard."""
    for below in descendants(pid):
        try:
            command = Path(f"/proc/{below}/cmdline").read_bytes()
        except OSError:
            continue
        if b"momlint.fleet.child" in command and b"pyspark" in _parent_command(below):
            return True
    return False


def _parent_command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{children().get(pid, 0)}/cmdline").read_bytes()
    except OSError:
        return b""


def test_workers_without_the_packages(needs_spark: None, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    ran = check(tmp_path, PYSPARK_PYTHON=str(tmp_path / "bare" / "bin" / "python"))
    assert ran.returncode == 2
    assert "momlint: error: --spark: the workers failed: No module named " in ran.stderr
    assert "Traceback" not in ran.stderr
