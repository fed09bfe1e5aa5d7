"""A real cluster on one machine: a standalone master and two workers, all on loopback."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pyspark

from tests.fleet.processes import children

_HOME = os.path.dirname(pyspark.__file__)
_PATIENCE = 120.0


class Cluster:
    """A context manager; `master` is its address. Work folders and logs are in `folder`."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.master = ""
        self._count = workers
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        try:
            self._run("master", "master.Master", "--port", "0")
            self.master = self._wait("master", r"Starting Spark master at (spark://\S+)")
            for number in range(self._count):
                name = f"worker-{number}"
                options = ("--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / name))
                self._run(name, "worker.Worker", *options, self.master)
            for number in range(self._count):
                self._wait(f"worker-{number}", r"(Successfully registered)")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def executors(self) -> list[int]:
        """The processes of executors, all of them children of our own workers."""
        workers = {process.pid for process in self._processes[1:]}
        return [pid for pid, parent in children().items() if parent in workers]

    def kill_an_executor(self) -> int:
        """Kill one with -9, and say which."""
        pid = min(self.executors())
        os.kill(pid, signal.SIGKILL)
        return pid

    def _run(self, name: str, kind: str, *options: str) -> None:
        environment = {
            **os.environ,
            "SPARK_HOME": _HOME,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        }
        with open(self.folder / f"{name}.log", "wb") as log:
            command = [os.path.join(_HOME, "bin", "spark-class"), f"org.apache.spark.deploy.{kind}"]
            self._processes.append(
                subprocess.Popen(
                    [*command, "--host", "127.0.0.1", "--webui-port", "0", *options],
                    stdout=log,
                    stderr=log,
                    env=environment,
                )
            )

    def _wait(self, name: str, sign: str) -> str:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            text = (self.folder / f"{name}.log").read_text(errors="replace")
            found = re.search(sign, text)
            if found is not None:
                return found[1]
            time.sleep(0.2)
        raise RuntimeError(f"{name} does not start:\n{text}")
