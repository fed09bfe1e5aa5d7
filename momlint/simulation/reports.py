"""What runs came to, as JSON, as tables for people and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from momlint.simulation.outcomes import Delivered, Disorder, Missing, Outcome
from momlint.simulation.tables import columns, spread_of
from momlint.simulation.wire import Event
from momlint.words import counted

#: What `--runs` gives the spread of.
_MEASURES = (
    "last_delivery_ms",
    "median_latency_ms",
    "longest_latency_ms",
    "messages",
    "delivered",
    "lost",
    "missed",
    "duplicates",
    "out_of_order",
)
#: So many of a list of events are named in text.
_NAMED = 3


def as_json(runs: Mapping[str, Sequence[Outcome]], *, log: bool = False) -> str:
    """Of each policy its one run in full; of several runs, the spread of what is measured."""
    policies = {name: _one(own[0], log) if len(own) == 1 else _spread(own) for name, own in runs.items()}
    return json.dumps({"policies": policies}, ensure_ascii=False, indent=2) + "\n"


def _event(event: Event) -> dict[str, Any]:
    return {"publisher": event.publisher, "number": event.number, "topic": event.topic}


def _missing(missing: Sequence[Missing]) -> list[dict[str, Any]]:
    return [{"subscriber": one.subscriber, **_event(one.event)} for one in missing]


def _one(run: Outcome, log: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "numbering": run.numbering,
        "deliveries": {
            name: [{**_event(event), "at_ms": at} for event, at in got] for name, got in run.deliveries.items()
        },
        "published": len(run.published),
        "messages": run.messages_sent,
        "messages_by_kind": dict(sorted(run.messages.items())),
        "lost": _missing(run.lost),
        "missed": _missing(run.missed),
        "duplicates": _missing(run.duplicates),
        "out_of_order": [
            {
                "subscriber": one.subscriber,
                "compared_with": one.other,
                "first": _event(one.first),
                "second": _event(one.second),
            }
            for one in run.disorder
        ],
        "last_delivery_ms": run.last_delivery_ms,
        "latency_ms": {"median": _median(run), "most": _longest(run)},
        "settled": run.settled,
    }
    if run.statuses:
        found["statuses"] = [{"at_ms": round(at, 3), "brokers": dict(states)} for at, states in run.statuses]
    if log:
        found["log"] = [[round(at, 3), line] for at, line in run.log]
    return found


def _median(run: Outcome) -> float | None:
    return round(median(run.latencies_ms), 3) if run.latencies_ms else None


def _longest(run: Outcome) -> float | None:
    return round(run.latencies_ms[-1], 3) if run.latencies_ms else None


def measures(run: Outcome) -> dict[str, float | None]:
    """The numbers of a run that can be compared."""
    return {
        "last_delivery_ms": run.last_delivery_ms,
        "median_latency_ms": _median(run),
        "longest_latency_ms": _longest(run),
        "messages": run.messages_sent,
        "delivered": run.delivered,
        "lost": len(run.lost),
        "missed": len(run.missed),
        "duplicates": len(run.duplicates),
        "out_of_order": len(run.disorder),
    }


def _spread(runs: Sequence[Outcome]) -> dict[str, Any]:
    found: dict[str, Any] = {"numbering": runs[0].numbering, "runs": len(runs), "published": len(runs[0].published)}
    taken = [measures(run) for run in runs]
    for name in _MEASURES:
        found[name] = spread_of([one[name] for one in taken])
    found["settled"] = all(run.settled for run in runs)
    return found


def as_csv(runs: Mapping[str, Sequence[Outcome]], first_seed: int) -> str:
    """A row for each delivery."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("policy", "seed", "subscriber", "publisher", "number", "topic", "at_ms"))
    for name, own in runs.items():
        for seed, run in enumerate(own, first_seed):
            for subscriber, got in run.deliveries.items():
                rows.writerows((name, seed, subscriber, *event, at) for event, at in got)
    return text.getvalue()


def as_text(runs: Mapping[str, Sequence[Outcome]], *, log: bool = False) -> str:
    """The policies side by side; of one run also what each subscriber got, and what went wrong."""
    several = any(len(own) > 1 for own in runs.values())
    lines = _several(runs) if several else _side_by_side(runs)
    if not several:
        for name, (run,) in runs.items():
            lines += _details(name, run, log)
    return "\n".join(lines) + "\n"


def _side_by_side(runs: Mapping[str, Sequence[Outcome]]) -> list[str]:
    head = (
        "policy",
        "numbering",
        "published",
        "delivered",
        "lost",
        "missed",
        "twice",
        "disorder",
        "messages",
        "latency",
        "last",
    )
    rows: list[tuple[str, ...]] = [head]
    for name, (run,) in runs.items():
        numbers = (len(run.published), run.delivered, len(run.lost), len(run.missed), len(run.duplicates))
        ends = ["-" if one is None else f"{one:,.1f} ms" for one in (_median(run), run.last_delivery_ms)]
        counts = (*numbers, len(run.disorder), run.messages_sent)
        rows.append((name, run.numbering or "-", *(f"{one:,}" for one in counts), *ends))
    return [*columns(rows, left=2), "", "latency: the median; last: when the last event came."]


def _several(runs: Mapping[str, Sequence[Outcome]]) -> list[str]:
    head = (
        "policy",
        "numbering",
        "runs",
        "lost",
        "missed",
        "twice",
        "disorder",
        "messages",
        "latency",
        "last delivery",
    )
    rows: list[tuple[str, ...]] = [head]
    for name, own in runs.items():
        taken = [measures(run) for run in own]
        words = []
        for measure in ("lost", "missed", "duplicates", "out_of_order", "messages"):
            words.append(_range([one[measure] for one in taken], ",.0f"))
        for measure in ("median_latency_ms", "last_delivery_ms"):
            told = _range([one[measure] for one in taken], ",.1f")
            words.append(told if told == "-" else f"{told} ms")
        rows.append((name, own[0].numbering or "-", f"{len(own):,}", *words))
    lines = columns(rows, left=2)
    return [*lines, "", "Of several runs the least, the median and the most; latency: the median of a run."]


def _range(values: Sequence[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    least, middle, most = min(known), median(known), max(known)
    if least == most:
        return format(least, form)
    return f"{least:{form}} / {middle:{form}} / {most:{form}}"


def _details(name: str, run: Outcome, log: bool) -> list[str]:
    lines = ["", f"{name}:"]
    for subscriber, got in run.deliveries.items():
        lines.append(f"  {subscriber}: {counted(len(got), 'delivery', 'deliveries')}{_when(got)}")
    for what, missing in (("lost", run.lost), ("missed", run.missed), ("came again", run.duplicates)):
        if missing:
            lines.append(f"  {what}: {_named(missing)}")
    lines += [f"  out of order: {_disorder(one)}" for one in run.disorder[:_NAMED]]
    if len(run.disorder) > _NAMED:
        lines.append(f"  out of order: {len(run.disorder) - _NAMED:,} more")
    if not run.settled:
        lines.append("  did not settle: messages still travelled when the run was ended")
    for at, states in run.statuses:
        lines.append(f"  status at {at:.1f} ms: {', '.join(f'{name} {state}' for name, state in states.items())}")
    if log:
        lines += [f"  {at:10.3f}  {line}" for at, line in run.log]
    return lines


def _when(got: Sequence[Delivered]) -> str:
    if not got:
        return ""
    first, last = got[0].at_ms, got[-1].at_ms
    return f" at {first:.1f} ms" if len(got) == 1 else f" from {first:.1f} to {last:.1f} ms"


def _named(missing: Sequence[Missing]) -> str:
    shown = [f"{one.event.name} for {one.subscriber}" for one in missing[:_NAMED]]
    more = len(missing) - _NAMED
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def _disorder(one: Disorder) -> str:
    if one.other == one.first.publisher:
        return f"{one.subscriber} gets {one.second.name} before {one.first.name}"
    return f"{one.subscriber} gets {one.second.name} before {one.first.name}, and {one.other} the other way round"
