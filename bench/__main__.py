"""All benches, one after the other, each with its table.

    python -m bench                     small: minutes, enough to see the ratios
    python -m bench --full              with the sizes that docs/benchmarks.md shows
    python -m bench startup topics      these only
    python -m bench --list              what there is

A bench is a file ``bench/bench_NAME.py`` with a `main`; it runs in a process of its own, so that none profits from what
another has loaded. The exit code is 1 where a bench fails.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

#: Name → its command lines when small; a bench that is not named runs as it is.
SMALL: dict[str, list[list[str]]] = {
    "budgets": [["--brokers", "96", "--topics", "1000,10000"]],
    "colours": [["--brokers", "96", "--links", "192", "--runs", "1"]],
    "delivery": [["--seeds", "5"]],
    "recovery": [["--seeds", "5", "--graphs", "1"]],
    "condense": [["--sizes", "16,32,64,96", "--graphs", "1"]],
    "editor": [["--changes", "20"]],
    "engines": [["--runs", "3", "--sizes", "50,192", "--colours"]],
    "fleet": [["memory"]],  # the others need Spark
    "path_lengths": [["--graphs", "2"]],
    "plan": [["--colours", "10"]],
    "planned": [["--brokers", "192", "--degree", "4"]],
    "pubsub": [["--quick"]],
    "read": [["--megabytes", "3"]],
    "relayed": [["--edges", "50", "--exchanges", "20", "--rounds", "1"]],
    "smt": [["--quick"], ["--growth", "--quick"]],
    "smv": [["render"]],
    "startup": [["--runs", "10"]],
    "topics": [["--runs", "3"]],
}
#: The same for ``--full``.
FULL: dict[str, list[list[str]]] = {
    "engines": [["--colours"]],
    "fleet": [["work"], ["overlay"], ["executors"], ["memory", "--spark"]],
    "smt": [[], ["--growth"]],
    "smv": [["render"], ["topics"], ["engines"]],
}


def names() -> list[str]:
    """All benches, by name."""
    return sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def about(name: str) -> str:
    """The first line of what the bench says of itself."""
    text = ast.get_docstring(ast.parse((FOLDER / f"bench_{name}.py").read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0]


def run(name: str, arguments: list[str]) -> int:
    """Run one bench; its exit code."""
    command = ["-m", f"bench.bench_{name}", *arguments]
    print(f"\n## {name}: {about(name)}\n\n$ python {' '.join(command)}", flush=True)
    started = time.monotonic()
    paths = [str(FOLDER.parent), str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    code = subprocess.run([sys.executable, *command], cwd=FOLDER.parent, env=environment, check=False).returncode
    print(f"({time.monotonic() - started:.0f} s{f', FAILED with exit code {code}' if code else ''})", flush=True)
    return code


def main() -> int:
    """Run what is asked for; 1 if any of it fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="these benches only")
    parser.add_argument("--full", action="store_true", help="with the sizes of docs/benchmarks.md")
    parser.add_argument("--list", action="store_true", help="list the benches")
    options = parser.parse_args()
    there = names()
    unknown = [name for name in options.names if name not in there]
    if unknown:
        parser.error(f"there is no bench {', '.join(unknown)}; there are {', '.join(there)}")
    if options.list:
        for name in there:
            print(f"{name:14}{about(name)}")
        return 0
    chosen = FULL if options.full else SMALL
    codes = [run(name, arguments) for name in options.names or there for arguments in chosen.get(name, [[]])]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
