"""How long planning takes: the whole process, its parts, and rustworkx doing all pairs anew for every colour.

    python -m bench.bench_plan [--large] [--colours 100]
    python -m bench.bench_plan --huge [--brokers 1000,1500,3000] [--jobs 2] [--timeout 600]

The command is ``momlint plan FILE --output tables.parquet``, from reading the YAML to the written file. The parts are
measured once more in this process, after one run that does not count. rustworkx does all pairs of each failed graph
anew, in two ways: ``graph_all_pairs_dijkstra_path_lengths``, which like the plan allows for costs, and
``graph_distance_matrix``, which counts hops; lengths only, no next hops, nothing condensed or written. It does
``--colours`` colours, evenly spread, and the time is scaled to all. ``--large`` adds 1,000 brokers with 3,000 links.

``--huge`` does something else: estates of 1,000, 1,500 and 3,000 brokers with three times as many links, planned for
each single link and checked by ``--jobs`` processes, by blocks of destinations. Memory is what all processes of a
command have together, each shared page counted once (PSS, on Linux only).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rustworkx

from bench.bench_condense import regular_estate
from momlint.estate.resolved import Estate
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.write import write_recovery


def estate_text(estate: Estate) -> str:
    """The estate as YAML."""
    brokers = "".join(f"  {broker.id}:\n" for broker in estate.brokers)
    names = [broker.id for broker in estate.brokers]
    links = "".join(f"  - {{between: [{names[link.tail]}, {names[link.head]}]}}\n" for link in estate.links)
    return f"momlint: 1\nname: {estate.name}\nbrokers:\n{brokers}links:\n{links}failures: {{tolerate: single-link}}\n"


def whole_process(estate: Estate, folder: Path) -> tuple[float, float, float, float]:
    """Seconds, seconds of processor time, MB in memory at most, MB written."""
    source, target = folder / "estate.yaml", folder / "tables.parquet"
    source.write_text(estate_text(estate))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "momlint", "plan", str(source), "--output", str(target)],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, after.ru_maxrss / 1024, target.stat().st_size / 1e6


def planned_and_checked(estate: Estate, folder: Path, jobs: int, timeout: float | None) -> None:
    """Plan and check one estate, and print a line for each."""
    text = estate_text(estate)
    plain, whole, target = folder / "estate.yaml", folder / "planned.yaml", folder / "tables.parquet"
    plain.write_text(text)
    size = f"{len(estate.brokers):7,} {len(estate.links):6,}"
    printed = measured(size, "plan", [str(plain), "--output", str(target)], folder, jobs)
    whole.write_text(text.partition("failures:")[0] + printed[printed.index("failures:") :])
    limit = [] if timeout is None else ["--timeout", f"{timeout:g}"]
    report = measured(size, "check", [str(whole), "--engine", "graph", *limit], folder, jobs)
    print(" " * 14, report.strip().splitlines()[-1], flush=True)


def measured(size: str, command: str, arguments: list[str], folder: Path, jobs: int) -> str:
    """Run one command of momlint, print what it took, and return what it printed."""
    line = [sys.executable, "-m", "momlint", command, *arguments, "--jobs", str(jobs)]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    together = largest = 0.0
    with (folder / "output").open("w+") as output:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(line, stdout=output, stderr=subprocess.DEVNULL, cwd=folder, env=environment)
        while process.poll() is None:
            held = [memory(one) for one in descendants(process.pid)]
            together, largest = max(together, sum(held)), max(largest, *held)
            time.sleep(1.0)
        output.seek(0)
        printed = output.read()
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    print(
        f"{size} {command:>6} {process.returncode:4} {seconds:7.0f} {user:7.0f} {system:7.0f} "
        f"{together / 1000:8.2f} {largest / 1000:8.2f}",
        flush=True,
    )
    return printed


def descendants(process: int) -> list[int]:
    """The process and all below it that are still there."""
    found = [process]
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            for below in Path(f"/proc/{process}/task/{task}/children").read_text().split():
                found += descendants(int(below))
    return found


def memory(process: int) -> float:
    """MB that a process has, its share of what it shares with others included; none where that cannot be told."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    return 0.0


def huge(brokers: list[int], jobs: int, timeout: float | None) -> None:
    """What ``--huge`` prints."""
    print("brokers  links command exit  wall s  user s   sys s  all, GB  one, GB")
    for n in brokers:
        with tempfile.TemporaryDirectory() as name:
            planned_and_checked(regular_estate(n, 6, seed=7), Path(name), jobs, timeout)


def parts(estate: Estate, folder: Path) -> tuple[float, float, float]:
    """Seconds for next hops, for condensing, for writing Parquet."""
    times = (0.0, 0.0, 0.0)
    for _ in range(2):
        started = time.perf_counter()
        made = plan(estate)
        planned = time.perf_counter()
        table = made.table()
        condensed = time.perf_counter()
        names = [colour.name for colour in made.colours]
        write_recovery(str(folder / "rows.parquet"), table, [one.id for one in estate.brokers], names)
        times = (planned - started, condensed - planned, time.perf_counter() - condensed)
    return times


def all_pairs_anew(estate: Estate, most: int) -> tuple[float, float]:
    """Seconds rustworkx takes for every colour: with Dijkstra's algorithm, and counting hops."""
    edges = [(link.tail, link.head, 1.0) for link in estate.links]
    colours = len(edges) + 1
    chosen = range(0, colours, max(1, -(-colours // most)))
    times = []
    for work in (
        lambda graph: rustworkx.graph_all_pairs_dijkstra_path_lengths(graph, float),
        rustworkx.graph_distance_matrix,
    ):
        started = time.perf_counter()
        for colour in chosen:
            failed = rustworkx.PyGraph()
            failed.add_nodes_from(range(len(estate.brokers)))
            failed.add_edges_from(edges if colour == 0 else edges[: colour - 1] + edges[colour:])
            work(failed)
        times.append((time.perf_counter() - started) * colours / len(chosen))
    return times[0], times[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--colours", type=int, default=100, help="rustworkx does so many colours")
    parser.add_argument("--huge", action="store_true", help="plan and check up to 3,000 brokers, by several processes")
    parser.add_argument("--brokers", default="1000,1500,3000", help="with --huge: these sizes")
    parser.add_argument("--jobs", type=int, default=2, help="with --huge: so many processes")
    parser.add_argument("--timeout", type=float, help="with --huge: that of `check`")
    arguments = parser.parse_args()
    if arguments.huge:
        huge([int(n) for n in arguments.brokers.split(",")], arguments.jobs, arguments.timeout)
        return
    cases = [(32, 4), (96, 4), (192, 4), (384, 4)] + ([(1000, 6)] if arguments.large else [])
    print("                        whole process                   parts, seconds            rustworkx anew, seconds")
    print(
        "brokers  links colours  seconds    cpu    MB  file MB  next hops condense write  Dijkstra  hops  "
        "Dijkstra/process"
    )
    for n, degree in cases:
        estate = regular_estate(n, degree, seed=1)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            seconds, cpu, memory, written = whole_process(estate, folder)
            hops, condensing, writing = parts(estate, folder)
        dijkstra, counting = all_pairs_anew(estate, arguments.colours if n < 1000 else min(arguments.colours, 20))
        print(
            f"{n:7} {len(estate.links):6} {len(estate.links) + 1:7}  {seconds:7.2f} {cpu:6.2f} {memory:5.0f}  "
            f"{written:7.2f}  {hops:9.2f} {condensing:8.2f} {writing:5.2f}  {dijkstra:8.2f} {counting:5.2f}  "
            f"{dijkstra / seconds:16.1f}"
        )


if __name__ == "__main__":
    main()
