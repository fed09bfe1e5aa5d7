"""A folder of small estates: both engines beside graph alone, and graph beside reading YAML and writing JSON.

    python -m bench.bench_folder [--files 300] [--runs 5] [--before CHECKOUT]

Estates of 6 to 24 brokers, one in a hundred broken, five in a hundred with a fault. Each run is a process of its own,
in turn with the others of its round; processor seconds, start included, as the system counts them. With `--before` the
same is measured of another checkout of momlint, in the same rounds. `yaml` is ``yaml.compose`` with libyaml's loader
and ``json.dumps`` of the values, of the same files.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fleet.estates import write_many

ROOT = str(Path(__file__).parents[1])

YAML = """
import json, sys, yaml
from pathlib import Path
for path in sorted(Path(sys.argv[1]).rglob("*.yaml")):
    text = path.read_text()
    try:
        yaml.compose(text, Loader=yaml.CSafeLoader)
        json.dumps(yaml.load(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError:
        pass
"""


def cost(command: list[str], checkout: str) -> tuple[float, float]:
    """Processor seconds of a process, and the MB that it held at most. Raises SystemExit where it fails."""
    environment = {**os.environ, "PYTHONPATH": checkout}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # From there: `-m` looks into the working folder first.
    with subprocess.Popen(command, cwd=checkout, env=environment, **quiet) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, 1}:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--before", help="another checkout of momlint")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_many(Path(folder), options.files)
        (Path(folder) / "momlint.toml").write_text("")
        check = [sys.executable, "-m", "momlint", "check", folder, "-f", "json", "--engine"]
        commands = {"yaml": ([sys.executable, "-c", YAML, folder], ROOT)}
        for name, checkout in (("", ROOT), ("before, ", options.before)):
            if checkout is not None:
                commands[f"{name}graph"] = [*check, "graph"], checkout
                commands[f"{name}both"] = [*check, "auto"], checkout
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(options.runs):
            for name, (command, checkout) in commands.items():
                seconds[name].append(cost(command, checkout)[0])
    print(f"{options.files} files, median of {options.runs} rounds\n{'':16}  cpu s   ms a file   to yaml  to its graph")
    for name, found in seconds.items():
        median = statistics.median(found)
        ratios = [a / b for a, b in zip(found, seconds["yaml"], strict=True)]
        line = f"{name:16}{median:7.2f}{median / options.files * 1e3:12.1f}{statistics.median(ratios):10.2f}"
        if name.endswith("both"):
            graph = seconds[f"{name.removesuffix('both')}graph"]
            line += f"{statistics.median(a / b for a, b in zip(found, graph, strict=True)):14.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
