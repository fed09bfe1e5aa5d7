"""On clusters, by the command line: the same report, with executors that die and with shards that hang."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fleet.estates import planned, write_many
from tests.fleet.hanging import HANGING, hanging_site
from tests.fleet.processes import INTERRUPTIBLE, descendants

if TYPE_CHECKING:
    from tests.fleet.cluster import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

COUNT = 200
LAST = f"zz-{HANGING}"


@pytest.fixture(scope="module")
def cluster(needs_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    from tests.fleet.cluster import Cluster

    with Cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    write_many(folder, COUNT)
    return folder


@pytest.fixture(scope="module")
def expected(many: Path) -> str:
    ran = check(many)
    assert ran.returncode == 1
    assert len(json.loads(ran.stdout)["findings"]) > COUNT / 20
    return ran.stdout


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "momlint", "check", ".", "--format", "json", *options]


def check(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, **environment}
    ran = subprocess.run(
        command(*options), cwd=folder, capture_output=True, text=True, timeout=500, env=environment, check=False
    )
    assert "Traceback" not in ran.stderr
    return ran


def hanging_workers(folder: Path) -> list[str]:
    """Options with which the workers of a cluster hang where they open such a file."""
    return ["--spark-conf", f"spark.executorEnv.PYTHONPATH={hanging_site(folder)}"]


def test_a_standalone_cluster_gives_the_same_report(cluster: Cluster, many: Path, expected: str) -> None:
    ran = check(many, "--runner", "spark", "--spark", cluster.master)
    assert ran.stdout == expected
    assert ran.returncode == 1
    # Quiet but for the one note.
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith(f"momlint: note: {COUNT} files, about ")


def test_tables_at_an_address_start_spark_for_themselves(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "plan").mkdir()
    text = planned(tmp_path / "plan", 100.0)
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, file in ((here, tmp_path / "plan"), (there, "viewfs://estates/tables")):
        folder.mkdir()
        (folder / "a.mom.yaml").write_text(text.replace("FILE", f"{file}/plan.parquet"))
    mount = f"spark.hadoop.fs.viewfs.mounttable.estates.link./tables=file://{tmp_path}/plan"
    # The plan is beside the folder of the estate.
    alone = check(here, "--root", str(tmp_path))
    ran = check(there, "--spark", cluster.master, "--spark-conf", mount)
    assert "this process alone" in ran.stderr
    # In another order, since files are in that of their names.
    found, expected = (json.loads(text)["findings"] for text in (ran.stdout, alone.stdout))
    assert [one["file"] for one in expected if one["severity"] == "error"] == [f"{tmp_path}/plan/plan.parquet"]
    assert sorted(json.dumps(one).replace("viewfs://estates/tables", f"{tmp_path}/plan") for one in found) == sorted(
        map(json.dumps, expected)
    )
    assert ran.returncode == alone.returncode == 1
    without = check(there)
    assert [one["message"] for one in json.loads(without.stdout)["findings"] if one["code"] == "MOM102"] == [
        "`viewfs://estates/tables/plan.parquet` is an address, which only Spark reads"
    ]


def test_an_executor_that_is_killed_changes_nothing(
    cluster: Cluster, many: Path, expected: str, tmp_path: Path
) -> None:
    # One shard takes its time, so that the job is still there when the executor is not.
    (many / LAST).touch()
    options = hanging_workers(tmp_path)
    path = os.pathsep.join([str(tmp_path / "site"), str(Path(__file__).parents[2])])
    try:
        calm = check(many, "--runner", "process", "--jobs", "2", "--shard-seconds", "10", PYTHONPATH=path)
        process = subprocess.Popen(
            command("--runner", "spark", "--spark", cluster.master, "--shard-seconds", "10", *options),
            cwd=many,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        until = time.monotonic() + 100
        while not shards_are_done(cluster) and time.monotonic() < until:
            time.sleep(0.1)
        killed = cluster.kill_an_executor()
        out, err = process.communicate(timeout=400)
    finally:
        (many / LAST).unlink()
    assert killed not in cluster.executors()
    assert out == calm.stdout, err
    assert process.returncode == calm.returncode == 1
    found = json.loads(out)["findings"]
    (undecided,) = [finding for finding in found if finding["code"] == "MOM901"]
    assert undecided["file"] == LAST
    found.remove(undecided)
    assert found == json.loads(expected)["findings"]


def shards_are_done(cluster: Cluster) -> bool:
    """Whether executors are at work: their guards have children."""
    return any(
        b"momlint.fleet.child" in Path(f"/proc/{pid}/cmdline").read_bytes()
        for executor in cluster.executors()
        for pid in descendants(executor)
        if Path(f"/proc/{pid}").exists()
    )


def test_a_shard_that_always_hangs_is_exit_3(cluster: Cluster, tmp_path: Path) -> None:
    paths = write_many(tmp_path, 7)  # the first fault is in the eighth
    alone = check(Path(paths[0]).parent)
    assert alone.returncode == 0
    (tmp_path / HANGING).touch()
    options = hanging_workers(tmp_path)
    ran = check(tmp_path, "--runner", "spark", "--spark", cluster.master, "--shard-seconds", "4", *options)
    assert ran.returncode == 3
    report = json.loads(ran.stdout)
    assert report["summary"]["undecided"] == 1
    assert [finding["file"] for finding in report["findings"] if finding["code"] == "MOM901"] == [HANGING]
    rest = [finding for finding in report["findings"] if finding["code"] != "MOM901"]
    assert len(rest) == len(json.loads(alone.stdout)["findings"])


def test_an_interrupt_leaves_nothing_running(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / HANGING).touch()
    options = ["--runner", "spark", "--spark", cluster.master, *hanging_workers(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "check", ".", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    until = time.monotonic() + 100
    while not shards_are_done(cluster) and time.monotonic() < until:
        time.sleep(0.1)
    below = descendants(process.pid)
    assert below  # Java, at least
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.endswith("momlint: interrupted\n")
    assert err.count("\n") == 2
    until = time.monotonic() + 30
    while time.monotonic() < until and (cluster.executors() or any(Path(f"/proc/{pid}").exists() for pid in below)):
        time.sleep(0.2)
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]
    assert cluster.executors() == []


def test_the_interpreter_in_an_archive_is_the_one_that_runs(cluster: Cluster, many: Path, tmp_path: Path) -> None:
    archive = packed_environment(tmp_path)
    program = (
        "import sys\n"
        "from momlint.fleet import ShardLimits\n"
        "from momlint.fleet.spark import OnSpark\n"
        "conf = {'spark.archives': sys.argv[2] + '#environment'}\n"
        "with OnSpark(sys.argv[1], ShardLimits(), conf=conf) as runner:\n"
        "    for place in runner.places(4):\n"
        "        print(place.interpreter, place.prefix, place.package, sep='|')\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYSPARK_PYTHON": "./environment/bin/python",
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    ran = subprocess.run(
        [sys.executable, "-c", program, cluster.master, str(archive)],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    places = [line.split("|") for line in ran.stdout.splitlines()]
    assert len(places) == 4
    for interpreter, prefix, package in places:
        work = str(cluster.folder / "worker-")
        assert interpreter.startswith(work)
        assert prefix.startswith(work)
        assert prefix.endswith("/environment")
        assert package.startswith(work)
    few = tmp_path / "few"
    write_many(few, 20)
    ran_check = check(
        few,
        "--runner",
        "spark",
        "--spark",
        cluster.master,
        "--spark-conf",
        f"spark.archives={archive}#environment",
        PYSPARK_PYTHON="./environment/bin/python",
        PYSPARK_DRIVER_PYTHON=sys.executable,
    )
    assert ran_check.stdout == check(few).stdout, ran_check.stderr


def packed_environment(folder: Path) -> Path:
    """An environment as an archive: an interpreter of its own, and by a path file the packages of this one.

    Without the path file it has no numpy, so that nothing works but by it.
    """
    import venv

    root = folder / "environment"
    venv.create(root, symlinks=False, with_pip=False)
    (site,) = (root / "lib").glob("python*/site-packages")
    packages = Path(os.__file__).parent  # the standard library comes with the interpreter
    here = [path for path in sys.path if path.endswith("site-packages") and Path(path) != packages]
    (site / "packages.pth").write_text("\n".join(here) + "\n")
    return Path(shutil.make_archive(str(folder / "environment"), "gztar", root))


def test_a_local_cluster_gives_the_same_report(needs_spark: None, many: Path, expected: str) -> None:
    import pyspark

    home = Path(pyspark.__file__).parent
    before = set(home.glob("work/*"))
    try:
        ran = check(many, "--runner", "spark", "--spark", "local-cluster[2,1,1024]")
    finally:
        for left in set(home.glob("work/*")) - before:
            shutil.rmtree(left)
    assert ran.stdout == expected, ran.stderr
    assert ran.returncode == 1


def test_a_cluster_without_workers_is_said_so(needs_spark: None, tmp_path: Path) -> None:
    from tests.fleet.cluster import Cluster

    program = (
        "import sys\n"
        "from momlint.errors import UsageError\n"
        "from momlint.fleet import ShardLimits\n"
        "from momlint.fleet.spark import OnSpark\n"
        "try:\n"
        "    with OnSpark(sys.argv[1], ShardLimits(), patience=5.0) as runner:\n"
        "        runner.places(1)\n"
        "except UsageError as error:\n"
        "    print(error)\n"
    )
    with Cluster(tmp_path, workers=0) as empty:
        ran = subprocess.run(
            [sys.executable, "-c", program, empty.master],
            capture_output=True,
            text=True,
            timeout=200,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            check=False,
        )
    assert "gave no executor within 5 s" in ran.stdout, ran.stderr
