"""How the time of a check grows with the number of colours, the overlay staying the same.

    PYTHONPATH=. python bench/bench_colours.py [--brokers 384] [--links 768]

One random overlay, planned for single links, and checked with the first eighth, quarter, half and all of the
colours. Whole processes; the last columns are what a colour and what a delta adds to the smallest case. The plain
tables of C colours have C × N² entries; the condensed form has N² and the deltas.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from momlint.estate.resolved import Broker, Colour, Estate, Link
from momlint.findings import Place
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.write import write_recovery

HERE = Place(0, ())


def overlay(brokers: int, links: int, seed: int = 1) -> list[tuple[int, int]]:
    chance = random.Random(seed)
    edges = {(chance.randrange(b), b) for b in range(1, brokers)}
    while len(edges) < links:
        a, b = sorted(chance.sample(range(brokers), 2))
        edges.add((a, b))
    return sorted(edges)


def write(folder: Path, edges: list[tuple[int, int]], brokers: int, colours: int) -> tuple[Path, int]:
    """An estate with `colours` colours and its tables as Parquet; its path and the number of deltas."""
    estate = Estate(
        name="bench",
        brokers=[Broker(str(b + 1), HERE) for b in range(brokers)],
        links=[Link(f"{a + 1}--{b + 1}", HERE, a, b) for a, b in edges],
        topics=[],
        protocol="shortest-path",
        colours=[Colour("1", HERE)] + [Colour(str(i + 2), HERE, (i,)) for i in range(colours - 1)],
        colours_declared=True,
    )
    made = plan(estate)
    tables = folder / f"{colours}.parquet"
    write_recovery(str(tables), made.table(), [b.id for b in estate.brokers], [c.name for c in estate.colours])
    lines = ["momlint: 1", "brokers:", *(f"  {b + 1}:" for b in range(brokers)), "links:"]
    lines += [f"  - {{between: [{a + 1}, {b + 1}]}}" for a, b in edges]
    lines += ["failures:", "  colours:", "    1: []"]
    lines += [f"    {i + 2}: [{edges[i][0] + 1}--{edges[i][1] + 1}]" for i in range(colours - 1)]
    lines.append(f"  recovery: {{file: {tables.name}}}")
    path = folder / f"{colours}.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path, int(np.count_nonzero(made.overlay.delta_key >= 0))


def cpu_seconds(path: Path, runs: int) -> float:
    """Median processor seconds of whole processes."""
    taken = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "momlint", "check", str(path), "--engine", "graph", "--fail-on", "never", "-q"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brokers", type=int, default=384)
    parser.add_argument("--links", type=int, default=768)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    edges = overlay(args.brokers, args.links)
    print(f"{args.brokers} brokers, {args.links} links; processor seconds of `momlint check --engine graph`, median")
    print(f"{'colours':>8} {'deltas':>9} {'plain entries':>14} {'seconds':>8} {'µs a delta more':>16}")
    first: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as name:
        for share in (8, 4, 2, 1):
            colours = 1 + args.links // share
            path, deltas = write(Path(name), edges, args.brokers, colours)
            seconds = cpu_seconds(path, args.runs)
            more = "" if first is None else f"{(seconds - first[1]) / (deltas - first[0]) * 1e6:.2f}"
            first = first or (deltas, seconds)
            print(f"{colours:>8,} {deltas:>9,} {colours * args.brokers**2:>14,} {seconds:>8.2f} {more:>16}")


if __name__ == "__main__":
    main()
