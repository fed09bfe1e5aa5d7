"""What came of a run: who got what and when, what was lost, doubled or out of order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from momlint.delivery.form import Order
from momlint.simulation.wire import Event


class Delivered(NamedTuple):
    """An event, and when its subscriber had it, in milliseconds since the start of the script."""

    event: Event
    at_ms: float


class Missing(NamedTuple):
    """A subscriber that never got an event."""

    subscriber: str
    event: Event


class Disorder(NamedTuple):
    """`first` should have come before `second`, and came to `subscriber` after it.

    `other`: a subscriber to whom they came in that order; with FIFO order, their publisher.
    """

    subscriber: str
    other: str
    first: Event
    second: Event


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run under one policy.

    `deliveries`: of each subscriber of the script, in the order in which they came, again and again where they did.
    `lost`: a subscription was known everywhere when the event was published, and was not taken back. `missed`: it was
    under way. `duplicates`: one for each time that an event came again. `statuses`: when, and the state of each broker.
    """

    policy: str
    numbering: str | None
    deliveries: Mapping[str, Sequence[Delivered]]
    published: Sequence[tuple[Event, float]]
    messages: Mapping[str, int]
    lost: Sequence[Missing]
    missed: Sequence[Missing]
    duplicates: Sequence[Missing]
    disorder: Sequence[Disorder]
    statuses: Sequence[tuple[float, Mapping[str, str]]]
    settled: bool
    log: Sequence[tuple[float, str]]

    @property
    def last_delivery_ms(self) -> float | None:
        """When the last event came to a subscriber."""
        return max((one.at_ms for got in self.deliveries.values() for one in got), default=None)

    @property
    def latencies_ms(self) -> list[float]:
        """How long after its publication each event came to each subscriber, the first time; in ascending order."""
        since = dict(self.published)
        found = []
        for got in self.deliveries.values():
            firsts = {one.event: one.at_ms for one in reversed(got)}
            found += [at - since[event] for event, at in firsts.items()]
        return sorted(found)

    @property
    def delivered(self) -> int:
        """How many events came to subscribers, each once for each of them."""
        return sum(len({one.event for one in got}) for got in self.deliveries.values())

    @property
    def messages_sent(self) -> int:
        """All messages: events, questions, acknowledgements, take-overs, deliveries and what is replicated."""
        return sum(self.messages.values())


def duplicates_of(deliveries: Mapping[str, Sequence[Delivered]]) -> list[Missing]:
    """What came again."""
    again = []
    for name, got in deliveries.items():
        counts = Counter(one.event for one in got)
        again += [Missing(name, event) for event, count in counts.items() for _ in range(count - 1)]
    return again


def disorder_of(order: Order, deliveries: Mapping[str, Sequence[Delivered]]) -> list[Disorder]:
    """Of each subscriber and publisher, or each two subscribers, the first two events that came the wrong way round."""
    firsts = {name: list(dict.fromkeys(one.event for one in got)) for name, got in deliveries.items()}
    found = []
    if order != "none":
        for name, events in firsts.items():
            latest: dict[str, Event] = {}
            told = set()
            for event in events:
                before = latest.get(event.publisher)
                if before is not None and before.number > event.number and event.publisher not in told:
                    told.add(event.publisher)
                    found.append(Disorder(name, event.publisher, event, before))
                if before is None or before.number < event.number:
                    latest[event.publisher] = event
    if order == "total":
        names = list(firsts)
        for place, one in enumerate(names):
            for other in names[place + 1 :]:
                pair = _crossed(firsts[one], firsts[other])
                if pair is not None:
                    found.append(Disorder(other, one, *pair))
    return found


def _crossed(one: Sequence[Event], other: Sequence[Event]) -> tuple[Event, Event] | None:
    """Two events in their order in `one`, which is the other way round in `other`."""
    places = {event: place for place, event in enumerate(other)}
    common = [event for event in one if event in places]
    for first, second in pairwise(common):
        if places[first] > places[second]:
            return first, second
    return None
