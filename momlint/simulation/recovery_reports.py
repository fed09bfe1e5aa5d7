"""What runs of recovery protocols came to, as JSON, as a table for people and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from momlint.simulation.recovering import Convergence, RecoveryOutcome
from momlint.simulation.tables import columns, spread_of

Runs = Mapping[str, Sequence[RecoveryOutcome]]


def latencies(run: RecoveryOutcome) -> dict[str, float | None]:
    """Median, 99th percentile (nearest rank) and longest."""
    values = sorted(one.latency for one in run.arrivals)
    if not values:
        return {"median": None, "p99": None, "max": None}
    rank = -(-99 * len(values) // 100)
    return {"median": round(median(values), 6), "p99": round(values[rank - 1], 6), "max": round(values[-1], 6)}


def as_json(runs: Runs) -> str:
    """Of each protocol its one run in full; of several runs, the spread of what is measured."""
    protocols = {name: _one(own[0]) if len(own) == 1 else _spread(own) for name, own in runs.items()}
    return json.dumps({"protocols": protocols}, ensure_ascii=False, indent=2) + "\n"


def _one(run: RecoveryOutcome) -> dict[str, Any]:
    series = sorted((round(one.sent_at, 6), round(one.latency, 6)) for one in run.arrivals)
    return {
        "sent": run.sent,
        "received": len(run.arrivals),
        "under_way": run.under_way,
        "lost": dict(run.lost),
        "latency": latencies(run),
        "converged_at": [
            {
                "event": one.event,
                "at": one.at,
                "detected": one.detected,
                "all_agree": one.all_agree,
                "first_delivery": one.first_delivery,
            }
            for one in run.converged
        ],
        "control_bits": run.control_bits,
        "false_alarms": run.false_alarms,
        "path_hops": {str(hops): count for hops, count in run.path_hops.items()},
        "load": dict(run.load),
        "series": [list(one) for one in series],
    }


def _spread(runs: Sequence[RecoveryOutcome]) -> dict[str, Any]:
    found: dict[str, Any] = {"runs": len(runs)}
    found["sent"] = spread_of([run.sent for run in runs])
    found["received"] = spread_of([len(run.arrivals) for run in runs])
    found["lost"] = {why: spread_of([run.lost[why] for run in runs]) for why in runs[0].lost}
    told = [latencies(run) for run in runs]
    found["latency"] = {name: spread_of([one[name] for one in told]) for name in told[0]}
    found["converged_at"] = []
    for number, first in enumerate(runs[0].converged):
        same = [run.converged[number] for run in runs]
        found["converged_at"].append(
            {
                "event": first.event,
                "at": first.at,
                "detected": spread_of([one.detected for one in same]),
                "all_agree": spread_of([one.all_agree for one in same]),
                "first_delivery": spread_of([one.first_delivery for one in same]),
            }
        )
    found["control_bits"] = spread_of([run.control_bits for run in runs])
    found["false_alarms"] = spread_of([run.false_alarms for run in runs])
    return found


def as_csv(runs: Runs, first_seed: int) -> str:
    """A row for each packet that came."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("protocol", "seed", "flow", "sent_at", "latency", "hops"))
    for name, own in runs.items():
        for seed, run in enumerate(own, first_seed):
            for one in run.arrivals:
                times = round(one.sent_at, 6), round(one.latency, 6)
                rows.writerow((name, seed, one.flow, *times, len(one.path) - 1))
    return text.getvalue()


def as_text(runs: Runs) -> str:
    """The protocols side by side, then each fault."""
    several = any(len(own) > 1 for own in runs.values())
    head = (
        "protocol",
        "sent",
        "received",
        "dead link",
        "queue",
        "no route",
        "loop",
        "noise",
        "latency",
        "control bits",
    )
    rows: list[Sequence[str]] = [head]
    for name, own in runs.items():
        numbers = [
            [run.sent for run in own],
            [len(run.arrivals) for run in own],
            *([run.lost[why] for run in own] for why in own[0].lost),
        ]
        medians = [latencies(run)["median"] for run in own]
        bits = [run.control_bits for run in own]
        # Medians would hide what a run in two loses.
        cells = (f"{mean(values):,.1f}" if several else f"{values[0]:,}" for values in numbers)
        rows.append((name, *cells, _middle(medians, ".3f"), _middle(bits, ",.0f")))
    lines = columns(rows, left=1)
    faults: list[Sequence[str]] = [("fault", "at", "protocol", "detected", "all agree", "first delivery")]
    count = len(next(iter(runs.values()))[0].converged)
    for number in range(count):
        for name, own in runs.items():
            same = [run.converged[number] for run in own]
            faults.append((same[0].event, f"{same[0].at:g}", name, *_times(same)))
    if count:
        lines += ["", *columns(faults, left=3)]
    told = "Losses by why; latency: the median; after a fault, when it was noticed, known and mended, by the clock."
    lines += ["", f"{told} Of several runs, packets are the mean and the others the median." if several else told]
    return "\n".join(lines) + "\n"


def _times(same: Sequence[Convergence]) -> list[str]:
    each = ([one.detected for one in same], [one.all_agree for one in same], [one.first_delivery for one in same])
    return [_middle(values, ".2f") for values in each]


def _middle(values: Sequence[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return format(median(known), form) if known else "-"
