"""What spreading costs and brings: one after the other, a pool of processes, Spark.

    python -m bench.bench_fleet work [--files 250,1000,5000] [--cores 2]   growing work, all three runners
    python -m bench.bench_fleet overlay [--topics 100000]                  one overlay, 384 brokers and 769 colours
    python -m bench.bench_fleet executors [--files 5000]                   a standalone cluster, one and two workers
    python -m bench.bench_fleet memory                                     the peak of the driver's processes

Every run is the command line in a process of its own. Wall seconds are those of the run; CPU seconds are those of all
processes below it (Java, its workers and their guards too), read from /proc twice a second. The reports are compared
byte by byte. Linux only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.fleet.cluster import Cluster
from tests.fleet.estates import large_estate, write_many

ROOT = str(Path(__file__).parents[1])
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK = 0.25


@dataclass
class Run:
    """A finished run. `peak`: the largest resident size of each kind of process, MiB."""

    wall: float = 0.0
    cpu: float = 0.0
    code: int = 0
    digest: str = ""
    said: str = ""
    peak: dict[str, float] = field(default_factory=dict)


class Watch:
    """CPU seconds and peaks of a process and all below it, sampled until `stop`."""

    def __init__(self, pid: int) -> None:
        self._root = pid
        self._cpu: dict[tuple[int, str], float] = {}
        self.peak: dict[str, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """End it; the CPU seconds."""
        self._over.set()
        self._thread.join()
        return sum(self._cpu.values())

    def _run(self) -> None:
        while True:
            self._sample()
            if self._over.wait(_LOOK):
                return

    def _sample(self) -> None:
        found: dict[int, tuple[int, list[str]]] = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    rest = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                except (FileNotFoundError, ProcessLookupError):
                    continue
                found[int(folder.name)] = (int(rest[1]), rest)
        below = {self._root}
        while more := {pid for pid, (parent, _) in found.items() if parent in below} - below:
            below |= more
        for pid in below & found.keys():
            rest = found[pid][1]
            self._cpu[pid, rest[19]] = (int(rest[11]) + int(rest[12])) / _TICKS
            self._note_peak(pid)

    def _note_peak(self, pid: int) -> None:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            status = Path(f"/proc/{pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return
        kind = "momlint" if pid == self._root else "child" if b"fleet.child" in command else "other"
        kind = "java" if b"java" in command.split(b"\0")[0] else kind
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                self.peak[kind] = max(self.peak.get(kind, 0.0), int(line.split()[1]) / 1024)


def run(folder: str, *arguments: str) -> Run:
    """Run momlint there, and watch it."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "momlint", *arguments],
            cwd=folder,
            stdout=out,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": ROOT},
        )
        watch = Watch(process.pid)
        code = process.wait()
        wall = time.monotonic() - begin
        cpu = watch.stop()
        out.seek(0)
        errors.seek(0)
        digest = hashlib.sha256(out.read()).hexdigest()[:16]
        said = errors.read().decode()
    if code not in {0, 1, 3}:
        raise SystemExit(f"{arguments}: exit code {code}\n{said}")
    return Run(wall, cpu, code, digest, said, watch.peak)


def show(title: str, found: Run) -> None:
    peaks = ", ".join(f"{kind} {size:,.0f}" for kind, size in sorted(found.peak.items()))
    times = f"wall {found.wall:7.1f} s  cpu {found.cpu:7.1f} s"
    print(f"  {title:28} {times}  exit {found.code}  {found.digest}  MiB {peaks}", flush=True)


def same(runs: list[Run]) -> None:
    print(f"  reports: {'identical' if len({found.digest for found in runs}) == 1 else 'DIFFERENT'}", flush=True)


def work(counts: list[int], cores: int) -> None:
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            paths = write_many(Path(folder), count)
            size = sum(os.path.getsize(path) for path in paths)
            print(f"{count:,} files, {size / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
            check = ("check", ".", "-f", "json")
            runs = [run(folder, *check)]
            show("one after the other", runs[0])
            runs.append(run(folder, *check, "--runner", "process", "--jobs", str(cores)))
            show(f"pool of {cores}", runs[1])
            runs.append(run(folder, *check, "--runner", "spark", "--spark", f"local[{cores}]"))
            show(f"Spark, local[{cores}]", runs[2])
            same(runs)
            over = runs[2].cpu - runs[0].cpu
            print(
                f"  CPU of one after the other: {runs[0].cpu / count * 1e3:.2f} ms a file, "
                f"{runs[0].cpu / size * 1e6:.2f} s a MB; Spark's share: {over:.1f} s, {over / runs[2].cpu:.0%}",
                flush=True,
            )


def overlay(topics: int, cores: int, engines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "torus.mom.yaml"
        path.write_text(large_estate(16, 24, topics, damaged=6))
        print(f"384 brokers, 769 colours, {topics:,} topics; load {os.getloadavg()[0]:.1f}", flush=True)
        for engine in engines:
            check = ("check", path.name, "-f", "json", "--engine", engine)
            runs = [run(folder, *check)]
            show(f"{engine}, alone", runs[0])
            runs.append(run(folder, *check, "--runner", "process", "--jobs", str(cores)))
            show(f"{engine}, pool of {cores}", runs[1])
            runs.append(run(folder, *check, "--runner", "spark", "--spark", f"local[{cores}]"))
            show(f"{engine}, Spark, local[{cores}]", runs[2])
            same(runs)


def executors(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        write_many(Path(folder), count)
        walls = []
        for workers in (1, 2):
            where = Path(place) / str(workers)
            where.mkdir()
            with Cluster(where, workers) as cluster:
                begin = os.getloadavg()[0]
                found = run(folder, "check", ".", "-f", "json", "--runner", "spark", "--spark", cluster.master)
                show(f"{count:,} files, {workers} executor(s), load {begin:.1f}", found)
                walls.append(found.wall)
        print(f"  efficiency of two executors, start of Spark included: {walls[0] / walls[1] / 2:.2f}", flush=True)


def memory(cores: int) -> None:
    text = large_estate(16, 24, 2000)
    first = text.index("    0: []")
    lines = text[first:].splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "torus.mom.yaml"
        for colours in (97, 193, 385, 769):
            path.write_text(text[:first] + "".join(lines[:colours]))
            expanded = colours * 384**2 * 4 / 2**20
            print(f"384 brokers, {colours} colours: a next hop for each colour and pair is {expanded:,.0f} MiB")
            check = ("check", path.name, "-f", "json", "--ignore", "MOM402")
            show("pool", run(folder, *check, "--runner", "process", "--jobs", str(cores)))
            plan = ("plan", path.name, "--jobs", str(cores), "--output", f"tables-{colours}.parquet")
            show("plan", run(folder, *plan))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("work", "overlay", "executors", "memory"))
    parser.add_argument("--files", default="250,1000,5000")
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--engines", default="auto,smt")
    options = parser.parse_args()
    counts = [int(count) for count in options.files.split(",")]
    match options.what:
        case "work":
            work(counts, options.cores)
        case "overlay":
            overlay(options.topics, options.cores, options.engines.split(","))
        case "executors":
            executors(counts[-1])
        case "memory":
            memory(options.cores)


if __name__ == "__main__":
    main()
