"""How long planning takes: the whole process, its parts, and rustworkx doing all pairs anew for every colour.

    python -m bench.bench_plan [--large] [--colours 100]

The command is ``momlint plan FILE --output tables.parquet``, from reading the YAML to the written file. The parts are
measured once more in this process, after one run that does not count. rustworkx does all pairs of each failed graph
anew, in two ways: ``graph_all_pairs_dijkstra_path_lengths``, which like the plan allows for costs, and
``graph_distance_matrix``, which counts hops; lengths only, no next hops, nothing condensed or written. It does
``--colours`` colours, evenly spread, and the time is scaled to all. ``--large`` adds 1,000 brokers with 3,000 links.
"""

from __future__ import annotations

import argparse
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
from momlint.routed.recovery import plan, write_recovery


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
    arguments = parser.parse_args()
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
