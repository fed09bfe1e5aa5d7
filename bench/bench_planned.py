"""A large estate with planned tables for every single link, checked by the graph engine.

    python -m bench.bench_planned [--brokers 1000] [--degree 6] [--runs 1] [--before CHECKOUT]

``momlint plan --output tables.parquet`` makes the tables once; what is measured is the whole process of
``momlint check --engine graph``, start included: processor seconds as the system counts them, and the most memory it
held. With `--before` the same is measured of another checkout of momlint, in turn.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.bench_condense import regular_estate
from bench.bench_folder import ROOT, cost
from bench.bench_plan import estate_text


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brokers", type=int, default=1000)
    parser.add_argument("--degree", type=int, default=6)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--before", help="another checkout of momlint")
    options = parser.parse_args()
    estate = regular_estate(options.brokers, options.degree, 7)
    with tempfile.TemporaryDirectory() as folder:
        source, planned = Path(folder) / "estate.yaml", Path(folder) / "planned.mom.yaml"
        text = estate_text(estate)
        source.write_text(text)
        plan = [sys.executable, "-m", "momlint", "plan", str(source), "--output", str(Path(folder) / "tables.parquet")]
        section = subprocess.run(plan, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
        planned.write_text(text[: text.index("failures:")] + section)
        check = [sys.executable, "-m", "momlint", "check", str(planned), "--engine", "graph", "-f", "json"]
        checkouts = {"momlint": ROOT, **({"before": options.before} if options.before else {})}
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in checkouts}
        for _ in range(options.runs):
            for name, checkout in checkouts.items():
                found[name].append(cost(check, checkout))
    print(
        f"{options.brokers:,} brokers, {len(estate.links):,} links, {len(estate.links) + 1:,} colours; planned tables"
    )
    print(f"median of {options.runs}\n{'':10}  cpu s   MB at most")
    for name, costs in found.items():
        seconds, memory = zip(*costs, strict=True)
        print(f"{name:10}{statistics.median(seconds):7.1f}{statistics.median(memory):13,.0f}", flush=True)


if __name__ == "__main__":
    main()
