"""What starting costs: ``momlint --version`` and a check of the triangle, as multiples of ``python -c pass``.

    python -m bench.bench_startup [--runs 30]

Every round runs each command once, one after the other, so that whatever else the machine does falls on all of them;
the table has medians of all rounds. ``elapsed`` is what a user waits for; ``cpu`` is the processor time of the process
(user and system), which a busy machine disturbs less. Bytecode is cached in a folder of its own, filled by a run
that does not count. The commands are what the installed ``momlint`` script does. The triangle has a specification,
whose formula needs a parser; what that costs shows beside the same file without it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from momlint.estate.compiling import keep

CHECKOUT = Path(__file__).resolve().parent.parent
TRIANGLE = CHECKOUT / "examples" / "triangle" / "topology.yaml"

_SCRIPT = "import sys; from momlint.cli import main; sys.exit(main())"


def commands(bare: Path) -> dict[str, tuple[list[str], float | None]]:
    """name → (arguments of the interpreter, the goal as a multiple of the first); `bare`: without specifications."""
    check = ["-c", _SCRIPT, "check"]
    return {
        "python -c pass": (["-c", "pass"], None),
        "momlint --version": (["-c", _SCRIPT, "--version"], 8),
        "check, graph": ([*check, "--engine", "graph", str(TRIANGLE)], 18),
        "check, both engines": ([*check, str(TRIANGLE)], 25),
        "check, graph, no specs": ([*check, "--engine", "graph", str(bare)], 18),
        "check, both engines, no specs": ([*check, str(bare)], 25),
    }


def run(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds that passed, and processor seconds, of one interpreter. Raises where the command fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, cwd=CHECKOUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - started
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} failed: {said.decode(errors='replace')}")
    return elapsed, used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    keep()  # as the build does
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "topology.yaml"
        bare.write_text(TRIANGLE.read_text(encoding="utf-8").partition("\nspecs:")[0] + "\n", encoding="utf-8")
        chosen = commands(bare)
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in chosen}
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(runs + 1):
            for name, (arguments, _) in chosen.items():
                figures = run(arguments, environment)
                if number:
                    taken[name].append(figures)
    print(f"medians of {runs} rounds; goals are for elapsed time on a quiet machine")
    print(f"{'command':32}{'elapsed ms':>11}{'times':>7}{'cpu ms':>9}{'times':>7}{'goal':>7}")
    first: list[float] = []
    for name, (_, goal) in chosen.items():
        medians = [statistics.median(column) for column in zip(*taken[name], strict=True)]
        first = first or medians
        elapsed, cpu = medians
        print(
            f"{name:32}{elapsed * 1e3:11.0f}{elapsed / first[0]:7.1f}{cpu * 1e3:9.0f}{cpu / first[1]:7.1f}"
            f"{f'< {goal}' if goal else '':>7}"
        )


if __name__ == "__main__":
    main()
