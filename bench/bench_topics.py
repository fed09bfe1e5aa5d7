"""What many topics cost: the fifty-broker example with ever more of them, each with five subscribers.

    python -m bench.bench_topics [--topics 10,100,1000,10000,100000] [--runs 5] [--engine auto|graph|smt]

``wanted`` counts a pair for each subscriber of each topic. They repeat and become parts of one another's walks, so what
is left to prove, the super-paths, levels off (table 5-5 of the thesis has the same shape). ``reading`` is from bytes to
the resolved estate (YAML, the models, names), which has to grow with the file; ``rest`` is all the rest of ``momlint
check``: the overlay, every rule, both engines where both decide, the report. Processor seconds, medians; the last
column is ``rest`` as a multiple of what 1,000 topics cost.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from unittest import mock

from momlint.estate import LoadedEstate, load_source
from momlint.findings import Report
from momlint.lint import Options, lint_bytes, merge
from momlint.report import render
from momlint.source import Source, read_source

CHECKOUT = Path(__file__).resolve().parent.parent
GENERATE = CHECKOUT / "examples" / "fifty-brokers" / "generate.py"
#: What the others are compared with.
REFERENCE = 1000

Made = TypeVar("Made")


def timed(work: Callable[[], Made]) -> tuple[float, Made]:
    """Processor seconds of one run with nothing else's garbage to collect, and what it made."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    made = work()
    taken = time.process_time() - started
    gc.enable()
    return taken, made


def read(data: bytes) -> tuple[Source, list[LoadedEstate]]:
    """From bytes to the resolved estate."""
    source = read_source(data, "topology.yaml")
    return source, load_source(source)


def check(source: Source, loaded: list[LoadedEstate], options: Options) -> Report:
    """All of ``momlint check`` but reading, which has been done."""
    with (
        mock.patch("momlint.lint.read_source", return_value=source),
        mock.patch("momlint.estate.load_source", return_value=loaded),
    ):
        report = merge([lint_bytes(b"", source.file, options)], options)
    render("text", report)
    return report


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", default="10,100,1000,10000,100000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--engine", choices=["auto", "graph", "smt"], default="auto")
    arguments = parser.parse_args()
    counts = [int(word) for word in arguments.topics.split(",")]
    options = Options(engine=arguments.engine)

    inputs: dict[int, tuple[Source, list[LoadedEstate]]] = {}
    reading: dict[int, list[float]] = {count: [] for count in counts}
    rest: dict[int, list[float]] = {count: [] for count in counts}
    reports: dict[int, Report] = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            file = Path(folder) / f"{count}.yaml"
            subprocess.run([sys.executable, GENERATE, "--topics", str(count), "--output", file], check=True)
            data = file.read_bytes()
            for _ in range(1 if count > 10_000 else 3):
                taken, inputs[count] = timed(lambda data=data: read(data))  # type: ignore[misc]
                reading[count].append(taken)
    for number in range(arguments.runs + 1):
        for count in counts:
            taken, reports[count] = timed(lambda count=count: check(*inputs[count], options))  # type: ignore[misc]
            if number:  # the first run pays for imports
                rest[count].append(taken)

    reference = statistics.median(rest[REFERENCE]) if REFERENCE in rest else None
    print(f"fifty brokers, five subscribers a topic, engine {arguments.engine}, medians of {arguments.runs}")
    print(f"{'topics':>8}{'wanted':>9}{'pairs':>7}{'super-paths':>13}{'reading s':>11}{'rest s':>8}{'to 1,000':>10}")
    for count in counts:
        report = reports[count]
        median = statistics.median(rest[count])
        ratio = f"{median / reference:.2f}" if reference else ""
        print(
            f"{count:8,}{count * 5:9,}{report.summary.pairs:7,}{report.proof.super_paths:13,}"
            f"{statistics.median(reading[count]):11.3f}{median:8.3f}{ratio:>10}"
        )


if __name__ == "__main__":
    main()
