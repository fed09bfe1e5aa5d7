"""Delivery under the six policies, simulated: what the report on a broker tree measured, on the examples' trees.

Nothing is timed: these are milliseconds of the simulated brokers. For each script, how long after the first publication
the last event came; for the script with a crash, what it adds to the latency of an event, on average; each the median
over seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.simulation.designs import POLICIES, Setting, setting_of
from momlint.simulation.outcomes import Outcome
from momlint.simulation.running import run
from momlint.simulation.steps import Names, Step, read_script

REPORT = Path(__file__).parents[1] / "examples" / "sites" / "report"
SCRIPTS = ("one-publisher", "two-publishers", "three-publishers")


def setting(name: str) -> Setting:
    """The example's design."""
    file = REPORT / f"{name}.yaml"
    (loaded,) = open_bytes(file.read_bytes(), str(file), Access(None), lambda _: None).estates
    return setting_of(loaded)


def steps(of: Setting, name: str, *, before: str = "") -> Sequence[Step]:
    """The example's script, with lines put before it."""
    text = before + (REPORT / f"{name}.txt").read_text(encoding="utf-8")
    script = read_script(text, Names([client.name for client in of.clients], of.brokers))
    assert not script.problems
    return script.steps


def over_seeds(
    of: Setting, policy: str, script: Sequence[Step], seeds: int, of_run: Callable[[Outcome], float]
) -> float:
    """The median."""
    return median(of_run(run(of, of.under(policy), script, seed)) for seed in range(seeds))


def took(outcome: Outcome) -> float:
    """From the first publication to the last delivery."""
    assert outcome.last_delivery_ms is not None
    assert not outcome.lost
    return outcome.last_delivery_ms - outcome.published[0][1]


def averaged(outcome: Outcome) -> float:
    """Of all deliveries."""
    return mean(outcome.latencies_ms)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    seeds = parser.parse_args().seeds
    print("| policy | " + " | ".join(f"{size}, {name}" for size in ("three", "six") for name in SCRIPTS) + " |")
    print("|---" * (1 + 2 * len(SCRIPTS)) + "|")
    for policy in POLICIES:
        cells = []
        for size in ("three", "six"):
            for number, name in enumerate(SCRIPTS, 1):
                of = setting(f"{size}-sites-{number}")
                cells.append(f"{over_seeds(of, policy, steps(of, name), seeds, took):.0f}")
        print(f"| {policy} | {' | '.join(cells)} |")
    print()
    of = setting("crash")
    # As it stands, filtering misses what is published before the subscriptions are known; so also with them known.
    known = "".join(
        f"Subscriber {client.name} Subscribe {topic}\n" for client in of.clients for topic in client.subscribes
    )
    print("| policy | without crash | with crash | adds | without, known | with, known | adds |")
    print("|---" * 7 + "|")
    for policy in POLICIES:
        cells = []
        for before in ("", f"{known}Wait 1000\n"):
            calm, crash = (
                over_seeds(of, policy, steps(of, name, before=before), seeds, averaged)
                for name in ("no-crash", "crash")
            )
            cells += [f"{calm:.1f}", f"{crash:.1f}", f"{crash - calm:.1f}"]
        print(f"| {policy} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
