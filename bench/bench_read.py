"""What reading costs: `read_source` against `yaml.compose` with libyaml's loader, on a large estate.

    python -m bench.bench_read [--megabytes 20] [--rounds 3] [--style flow|block|mixed]

Prints the median processor seconds of each, in alternating runs, and the ratio, which is to stay below 1.3.
`yaml.compose` runs as anyone calls it, and once more with the cyclic garbage collector off, as `read_source` turns it
off itself.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable

import yaml

from momlint.source import read_source

BROKERS = 384


def make_estate(size: int, style: str) -> bytes:
    """An estate of about `size` bytes, nearly all of it topics with one publisher and five subscribers."""
    lines = ["momlint: 1", "name: large", "brokers:"]
    lines += [f"  b{i}: {{site: s{i % 7}, processing_ms: {i % 5}}}" for i in range(BROKERS)]
    lines += ["links:"]
    lines += [
        f"  - {{between: [b{i}, b{(i + step) % BROKERS}], cost: {step}}}" for i in range(BROKERS) for step in (1, 2)
    ]
    lines += ["topics:"]
    written = sum(map(len, lines)) + len(lines)
    number = 0
    while written < size:
        publisher = f"b{number % BROKERS}"
        subscribers = [f"b{(number * 7 + i * 13) % BROKERS}" for i in range(5)]
        if style == "flow" or (style == "mixed" and number % 2):
            block = [
                f"  plant/line-{number}: {{publishers: [{publisher}], subscribers: [{', '.join(subscribers)}], "
                f"max_latency_ms: {number % 50}}}"
            ]
        else:
            block = [f"  plant/line-{number}:", "    publishers:", f"      - {publisher}", "    subscribers:"]
            block += [f"      - {broker}" for broker in subscribers]
            block += [f"    max_latency_ms: {number % 50}"]
        lines += block
        written += sum(map(len, block)) + len(block)
        number += 1
    return ("\n".join(lines) + "\n").encode()


def seconds(run: Callable[[], object], *, collector: bool = True) -> float:
    """Processor seconds of one run (one thread); what it made is thrown away outside the measured time."""
    gc.collect()
    if not collector:
        gc.disable()
    started = time.process_time()
    made = run()
    taken = time.process_time() - started
    gc.enable()
    del made
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--style", choices=["flow", "block", "mixed"], default="mixed")
    options = parser.parse_args()
    data = make_estate(round(options.megabytes * 1e6), options.style)
    read_source(data[:100_000])  # so that no run pays for imports

    runs: dict[str, list[float]] = {"momlint": [], "yaml.compose": [], "yaml.compose, collector off": []}
    for _ in range(options.rounds):
        runs["momlint"].append(seconds(lambda: read_source(data)))
        runs["yaml.compose"].append(seconds(lambda: yaml.compose(data, yaml.CLoader)))
        runs["yaml.compose, collector off"].append(seconds(lambda: yaml.compose(data, yaml.CLoader), collector=False))
    ours = statistics.median(runs["momlint"])
    print(f"{len(data) / 1e6:.1f} MB, {options.style} style, median of {options.rounds}")
    print(f"{'':28}  seconds  momlint takes")
    for name, taken in runs.items():
        median = statistics.median(taken)
        ratio = "" if name == "momlint" else f"{ours / median:9.2f} times"
        print(f"{name:28}{median:9.2f}{ratio}")


if __name__ == "__main__":
    main()
