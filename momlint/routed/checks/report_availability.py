"""The table of ``check --report availability``: how likely each subscription is served within its budgets.

The colours are disjoint events: exactly what a colour names has failed. In each of them it is known whether a message
from the publisher arrives at the subscriber in time, with the clients of failed brokers at their adopters. So the
probability to be served is at least the sum of the colours in which it is, and at most that and all that no colour
covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.timing import subscriptions, timed
from momlint.routed.overlay.latency import Timings
from momlint.routed.overlay.probabilities import Weights, weights
from momlint.routed.overlay.tables import NEVER
from momlint.words import counted

TITLE = "Availability"
#: Decimal places that are printed: what is served at least is rounded down, what at most up.
PLACES = 9
#: Stands for the topic where an estate declares none and all pairs are looked at.
ANY_TOPIC = "(any)"


class Served(NamedTuple):
    """One subscription, with the probabilities that it is served within its budgets: at least, at most.

    Both are weights: whole multiples of ``1 / Weights.whole``, exactly.
    """

    topic: str
    source: int
    dest: int
    at_least: int
    at_most: int


def explain(context: Context) -> Iterator[str]:
    """The lines of the section for one estate, without its title."""
    estate = context.estate
    if not context.is_whole("brokers", "links", "routing.tables", "failures.recovery"):
        yield "unknown: part of the estate could not be read"
        return
    given = [*(link.availability for link in estate.links), *(broker.availability for broker in estate.brokers)]
    unknown_links = sum(link.availability is None for link in estate.links)
    unknown_brokers = sum(broker.availability is None for broker in estate.brokers)
    if unknown_links + unknown_brokers == len(given):
        yield "no link and no broker has an `availability`: nothing ever fails"
        return
    rows, chances = served(context)
    if unknown_links or unknown_brokers:
        yield (
            f"{counted(unknown_links, 'link')} and {counted(unknown_brokers, 'broker')} without `availability` are "
            "assumed never to fail"
        )
    number = counted(context.declared_overlay.colours, "colour") + (
        " covers" if context.declared_overlay.colours == 1 else " cover"
    )
    yield f"{number} {_decimal(chances.covered, chances.whole)} of all cases"
    if not rows:
        yield "there are no subscriptions"
        return
    cells = [("topic", "subscription", "served at least", "at most")]
    for row in rows:
        pair = f"{context.name(row.source)} → {context.name(row.dest)}"
        at_most = _decimal(row.at_most, chances.whole, up=True)
        cells.append((row.topic, pair, _decimal(row.at_least, chances.whole), at_most))
    widths = [max(len(cell[column]) for cell in cells) for column in range(4)]
    for topic, pair, least, most in cells:
        yield f"{topic:<{widths[0]}}  {pair:<{widths[1]}}  {least:>{widths[2]}}  {most:>{widths[3]}}"


def served(context: Context) -> tuple[list[Served], Weights]:
    """Every subscription in the order of topics, publishers and subscribers; and how likely each colour is."""
    estate, keys = context.estate, context.declared_overlay.keys
    availability = [*(link.availability for link in estate.links), *(broker.availability for broker in estate.brokers)]
    known = set(context.declared_colours.tolist())
    links = context.declared_overlay.links
    events: list[list[int]] = [[] for _ in range(context.declared_overlay.colours)]
    for failed, offset in ((context.declared_overlay.failed_link, 0), (context.declared_overlay.failed_broker, links)):
        for colour, element in zip(*(axis.tolist() for axis in failed.nonzero()), strict=True):
            events[colour].append(element + offset)
    found = weights(availability, [events[colour] for colour in sorted(known)])
    by_colour = dict(zip(sorted(known), found.weight, strict=True))
    chances = Weights(
        tuple(by_colour.get(colour, 0) for colour in range(context.declared_overlay.colours)), found.whole
    )

    if estate.topics:
        wanted = subscriptions(context, np.ones(len(estate.topics), np.bool_))
        pairs = np.unique(wanted.pair)
    else:
        pairs = keys.pair(context.declared_overlay.pair_source, context.declared_overlay.pair_dest)
    timing = timed(context, pairs, context.declared_overlay)
    place = {pair: index for index, pair in enumerate(pairs.tolist())}
    judge = _Judge(timing, chances)
    uncovered = chances.whole - chances.covered
    rows = []
    for topic, max_latency, max_hops, source, dest in _wanted(context, pairs.tolist()):
        weight = judge.weight(place[keys.pair(source, dest)], max_latency, max_hops)
        rows.append(Served(topic, source, dest, weight, weight + uncovered))
    return rows, chances


def _wanted(context: Context, pairs: Sequence[int]) -> Iterator[tuple[str, float | None, int | None, int, int]]:
    """(topic, its budgets, publisher, subscriber), each once."""
    if not context.estate.topics:
        for pair in pairs:
            yield ANY_TOPIC, None, None, *context.declared_overlay.keys.split_pair(pair)
    for topic in context.estate.topics:
        for source in topic.publishers:
            for dest in topic.subscribers:
                yield topic.name, topic.max_latency_ms, topic.max_hops, source, dest


class _Judge:
    """In which colours a pair is served within budgets, as a sum of weights; the same question is answered once."""

    def __init__(self, timing: Timings, chances: Weights) -> None:
        self.timing = timing
        self.chances = chances
        self.colours = timing.colour.tolist()
        self.known: dict[tuple[int, float | None, int | None], int] = {}

    def weight(self, pair: int, max_latency: float | None, max_hops: int | None) -> int:
        """The weights of all colours in which this pair arrives within these budgets."""
        key = (pair, max_latency, max_hops)
        if key not in self.known:
            self.known[key] = self._weight(*key)
        return self.known[key]

    def _weight(self, pair: int, max_latency: float | None, max_hops: int | None) -> int:
        timing, weight = self.timing, self.chances.weight
        limit = None if max_latency is None else timing.delays.within(max_latency)

        def in_time(hops: int, latency: int) -> bool:
            return hops != NEVER and (limit is None or latency <= limit) and (max_hops is None or hops <= max_hops)

        # Every colour walks as the base but for the exceptions.
        as_base = in_time(int(timing.hops[pair]), int(timing.latency[pair]))
        total = self.chances.covered if as_base else 0
        for index in range(int(timing.start[pair]), int(timing.start[pair + 1])):
            served = in_time(int(timing.colour_hops[index]), int(timing.colour_latency[index]))
            if served and not as_base:
                total += weight[self.colours[index]]
            elif as_base and not served:
                total -= weight[self.colours[index]]
        return total


def _decimal(weight: int, whole: int, *, up: bool = False) -> str:
    """``weight / whole`` with `PLACES` decimals, rounded down, or up: so a bound stays a bound."""
    scaled, rest = divmod(weight * 10**PLACES, whole)
    scaled += up and rest > 0
    return f"{scaled // 10**PLACES}.{scaled % 10**PLACES:0{PLACES}}"
