"""Random estates with times, budgets, availabilities and take-overs, as text, and a plain reading of them.

The reading walks one message at a time over the overlay's entries, with dictionaries and fractions.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from momlint.estate import load_source
from momlint.routed.ask import Ask
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay import build_overlay
from momlint.source import read_source
from tests.oracles import Oracle

TIMES = ("0", "0.1", "0.2", "0.3", "1", "2.5")
CHANCES = ("0.9", "0.99", "0.5", "1", "0", "0.125")


def random_text(seed: int, *, every_failure: bool = False) -> str:
    """An estate of up to six brokers; with `every_failure` a colour for each set of links and brokers (few of them)."""
    rng = random.Random(seed)
    n = rng.randint(2, 3 if every_failure else 6)
    lines = ["momlint: 1", "brokers:"]
    for broker in range(1, n + 1):
        fields = [f"processing_ms: {rng.choice(TIMES)}"]
        if rng.random() < 0.7:
            fields.append(f"availability: {rng.choice(CHANCES)}")
        lines.append(f"  {broker}: {{{', '.join(fields)}}}")
    lines.append("links:")
    names = []
    ends = [(rng.randint(1, at), at + 1) for at in range(1, n)]
    for _ in range(rng.randint(0, 1 if every_failure else n)):
        ends.append(tuple(rng.sample(range(1, n + 1), 2)))  # type: ignore[arg-type]
    for number, (a, b) in enumerate(ends):
        fields = [f"id: l{number}", f"between: [{a}, {b}]", f"latency_ms: {rng.choice(TIMES)}"]
        if rng.random() < 0.5:
            fields.append(f"cost: {rng.choice((1, 1, 2, 0.1, 0.2, 0.3))}")
        if rng.random() < 0.7:
            fields.append(f"availability: {rng.choice(CHANCES)}")
        names.append(f"l{number}")
        lines.append(f"  - {{{', '.join(fields)}}}")
    lines.append("topics:")
    for number in range(rng.randint(1, 4)):
        publishers = rng.sample(range(1, n + 1), rng.randint(1, 2))
        subscribers = rng.sample(range(1, n + 1), rng.randint(1, 2))
        fields = [f"publishers: {publishers}", f"subscribers: {subscribers}"]
        if rng.random() < 0.8:
            fields.append(f"max_latency_ms: {rng.choice(('0.3', '0.6', '1', '3', '5.5', '8'))}")
        if rng.random() < 0.3:
            fields.append(f"max_hops: {rng.randint(0, 3)}")
        lines.append(f"  t{number}: {{{', '.join(fields)}}}")
    elements = [*names, *map(str, range(1, n + 1))]
    if every_failure:
        failures = [
            [element for place, element in enumerate(elements) if bits >> place & 1]
            for bits in range(2 ** len(elements))
        ]
    else:
        normal: list[list[str]] = [[]] if rng.random() < 0.85 else []
        failures = [*normal, *(rng.sample(elements, rng.randint(1, 2)) for _ in range(rng.randint(0, 5)))]
        failures = failures or [[]]
        rng.shuffle(failures)
    lines += ["failures:", "  colours:"]
    lines += [f"    c{number}: [{', '.join(failure)}]" for number, failure in enumerate(failures)]
    adopters = {b: rng.randint(1, n) for b in range(1, n + 1) if rng.random() < 0.7}
    if adopters and rng.random() < 0.7:
        lines.append(f"  takeover: {{{', '.join(f'{b}: {a}' for b, a in adopters.items())}}}")
    return "\n".join(lines) + "\n"


def context_of(text: str) -> Context:
    (loaded,) = load_source(read_source(text.encode(), "case.yaml"))
    assert loaded.estate is not None
    return Context(loaded.estate, build_overlay(loaded.estate), Ask("graph"))


class Way(NamedTuple):
    walk: tuple[int, ...]
    ms: Fraction


class Plain:
    """Where clients are and how long their messages take."""

    def __init__(self, context: Context) -> None:
        self.estate = context.estate
        self.oracle = Oracle(context.overlay)

    def place(self, colour: int, broker: int) -> int | None:
        failed = self.oracle.failed_brokers[colour]
        hosts = (broker, *self.estate.takeover.get(broker, ()))
        return next((host for host in hosts if host not in failed), None)

    def way(self, colour: int, source: int, dest: int) -> Way | None:
        """From the publishers' place to the subscribers', or None."""
        at, to = self.place(colour, source), self.place(colour, dest)
        if at is None or to is None:
            return None
        brokers, end = self.oracle.walk(colour, at, to)
        if end != "arrived":
            return None
        ms = sum((Fraction(str(self.estate.brokers[b].processing_ms)) for b in brokers), Fraction(0))
        for tail, head in pairwise(brokers):
            arcs = [arc for arc in self.oracle.live_arcs(colour) if (arc.tail, arc.head) == (tail, head)]
            ms += Fraction(str(min(arcs, key=lambda arc: (arc.cost, arc.link)).latency))
        return Way(tuple(brokers), ms)
