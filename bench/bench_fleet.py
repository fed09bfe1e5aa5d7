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

from tests.fleet.estates import large_estate, write_many

ROOT = str(Path(__file__).parents[1])
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK = 0.25


@dataclass
class Run:
    """A finished run. `peak`: the largest resident size of each kind of process, MiB."""

    wall: float = 0.0
    cpus: dict[str, float] = field(default_factory=dict)
    code: int = 0
    digest: str = ""
    said: str = ""
    peak: dict[str, float] = field(default_factory=dict)

    @property
    def cpu(self) -> float:
        """CPU seconds of all processes."""
        return sum(self.cpus.values())


class Watch:
    """CPU seconds and peaks of a process and all below it, sampled until `stop`."""

    def __init__(self, pid: int) -> None:
        self._root = pid
        self._cpu: dict[tuple[int, str], float] = {}
        self._kind: dict[tuple[int, str], str] = {}
        self.peak: dict[str, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, float]:
        """End it; the CPU seconds of each kind of process."""
        self._over.set()
        self._thread.join()
        found: dict[str, float] = {}
        for process, seconds in self._cpu.items():
            kind = self._kind.get(process, "other")
            found[kind] = found.get(kind, 0.0) + seconds
        return found

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
            self._note_peak((pid, rest[19]))

    def _note_peak(self, process: tuple[int, str]) -> None:
        pid = process[0]
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            status = Path(f"/proc/{pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return
        if not command:  # it is ending
            return
        kind = "momlint" if pid == self._root else "child" if b"fleet.child" in command else "other"
        kind = "java" if b"java" in command.split(b"\0")[0] else kind
        self._kind[process] = kind
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
    peaks = ", ".join(
        f"{kind} {found.cpus.get(kind, 0.0):.1f} s {size:,.0f} MiB" for kind, size in sorted(found.peak.items())
    )
    times = f"wall {found.wall:7.1f} s  cpu {found.cpu:7.1f} s"
    print(f"  {title:28} {times}  exit {found.code}  {found.digest}  ({peaks})", flush=True)


def same(runs: list[Run]) -> None:
    print(f"  reports: {'identical' if len({found.digest for found in runs}) == 1 else 'DIFFERENT'}", flush=True)


def work(counts: list[int], cores: int, wanted: list[str]) -> None:
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            paths = write_many(Path(folder), count)
            size = sum(os.path.getsize(path) for path in paths)
            print(f"{count:,} files, {size / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
            check = ("check", ".", "-f", "json")
            runners = {
                "serial": ("one after the other", ()),
                "pool": (f"pool of {cores}", ("--runner", "process", "--jobs", str(cores))),
                "spark": (f"Spark, local[{cores}]", ("--runner", "spark", "--spark", f"local[{cores}]")),
            }
            runs: dict[str, Run] = {}
            for name in wanted:
                title, options = runners[name]
                runs[name] = run(folder, *check, *options)
                show(title, runs[name])
            same(list(runs.values()))
            if len(runs) == len(runners):
                # All but the guarded processes, which do the same as those of the pool.
                own = runs["spark"].cpu - runs["spark"].cpus["child"]
                print(
                    f"  {runs['serial'].cpu / count * 1e3:.1f} CPU ms a file; Java, its Python workers and the driver: "
                    f"{own:.1f} CPU s, {own / runs['spark'].cpu:.0%} of Spark's run",
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
    from tests.fleet.cluster import Cluster

    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as place:
        few, many = Path(work) / "few", Path(work) / "many"
        write_many(few, 2)
        write_many(many, count)
        walls, starts = [], []
        for workers in (1, 2):
            where = Path(place) / str(workers)
            where.mkdir()
            with Cluster(where, workers) as cluster:
                check = ("check", ".", "-f", "json", "--runner", "spark", "--spark", cluster.master)
                starts.append(run(str(few), *check).wall)
                found = run(str(many), *check)
                show(f"{count:,} files, executors: {workers}", found)
                walls.append(found.wall)
        shares = [wall - start for wall, start in zip(walls, starts, strict=True)]
        print(
            f"  efficiency of two executors: {shares[0] / shares[1] / 2:.2f}; with Spark's start "
            f"({starts[0]:.1f} s and {starts[1]:.1f} s): {walls[0] / walls[1] / 2:.2f}",
            flush=True,
        )


def memory(cores: int, spark: bool) -> None:
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
            if spark and colours in {97, 769}:
                show("Spark", run(folder, *check, "--runner", "spark", "--spark", f"local[{cores}]"))
            plan = ("plan", path.name, "--jobs", str(cores), "--output", f"tables-{colours}.parquet")
            show("plan", run(folder, *plan))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("work", "overlay", "executors", "memory"))
    parser.add_argument("--files", default="250,1000,5000")
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--engines", default="auto,smt")
    parser.add_argument("--runners", default="serial,pool,spark")
    parser.add_argument("--spark", action="store_true", help="memory: of a driver on Spark too")
    options = parser.parse_args()
    counts = [int(count) for count in options.files.split(",")]
    match options.what:
        case "work":
            work(counts, options.cores, options.runners.split(","))
        case "overlay":
            overlay(options.topics, options.cores, options.engines.split(","))
        case "executors":
            executors(counts[-1])
        case "memory":
            memory(options.cores, options.spark)


if __name__ == "__main__":
    main()
