"""What budgets and availabilities look at: subscriptions with their pairs, and how long messages take.

Unlike elsewhere, publisher and subscriber on one broker are a pair as well: their message takes the broker's time, and
needs the broker.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.decimals import decimal_of, written
from momlint.errors import ReplayError
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay.following import Walk, live_arc, walk
from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.latency import Timings, placed, timings
from momlint.routed.overlay.ragged import without


class Subscriptions(NamedTuple):
    """int64[K] each: a topic, and a pair ``source * n + dest`` that it needs, source = dest included.

    In the order of topics, in each first the pairs of two brokers and then those of one.
    """

    topic: NDArray[np.int64]
    pair: NDArray[np.int64]


def subscriptions(context: Context, topics: NDArray[np.bool_]) -> Subscriptions:
    """Those of the chosen topics: bool, one for each topic of the estate."""
    keys = context.overlay.keys
    needs = context.needs
    keep = topics[needs.topic]
    found = [(needs.topic[keep], needs.pair[keep])]
    own_topic, own_pair = [], []
    for index in np.flatnonzero(topics).tolist():
        topic = context.estate.topics[index]
        for broker in sorted(set(topic.publishers).intersection(topic.subscribers)):
            own_topic.append(index)
            own_pair.append(keys.pair(broker, broker))
    found.append((np.array(own_topic, np.int64), np.array(own_pair, np.int64)))
    topic_of = np.concatenate([topic for topic, _ in found])
    order = np.argsort(topic_of, kind="stable")
    return Subscriptions(topic_of[order], np.concatenate([pair for _, pair in found])[order])


def timed(context: Context, pairs: NDArray[np.int64], overlay: Overlay | None = None) -> Timings:
    """The timings of `pairs` (distinct, ``source * n + dest``), clients of failed brokers at their adopters.

    In a colour of which it is not known what has failed in it, nothing arrives. `overlay`: in the colours of this one,
    which are the first of the context's.
    """
    o = context.overlay if overlay is None else overlay
    unknown = without(np.arange(o.colours), context.all_colours.astype(np.int64))
    source, dest = o.keys.split_pair(pairs)
    processing = [broker.processing_ms for broker in context.estate.brokers]
    takeover = context.estate.takeover
    if context.ask.spread is not None:
        parts = context.ask.spread.timings(o, processing, source, dest, takeover, unknown)
        if parts is not None:
            context.ask.undecided += [("how long messages take", reason) for reason in parts.undecided]
            return parts.timings
    return timings(o, processing, source, dest, takeover, unknown)


class Split(NamedTuple):
    """What a walk takes, in milliseconds: its links and its brokers."""

    links: Fraction
    brokers: Fraction

    @property
    def total(self) -> Fraction:
        """Both."""
        return self.links + self.brokers


def replayed(context: Context, colour: int, source: int, dest: int, expected: Fraction) -> tuple[Walk, Split]:
    """The walk of one message and what it takes, hop by hop.

    Raises `ReplayError` where it does not arrive or takes another time than `expected` milliseconds.
    """
    found = walk(context.overlay, colour, source, dest)
    links = Fraction(0)
    for at, to in pairwise(found.brokers):
        arc = live_arc(context.overlay, colour, at, to)
        links += decimal_of(context.overlay.arc_latency[arc]) if arc is not None else 0
    brokers = sum((decimal_of(context.estate.brokers[at].processing_ms) for at in found.brokers), Fraction(0))
    split = Split(links, brokers)
    if found.end != "arrived" or split.total != expected:
        raise ReplayError(
            f"the message from {context.name(source)} to {context.name(dest)} takes {written(split.total)} ms "
            f"when it is replayed, and {written(expected)} ms were expected"
        )
    return found, split


def adopter_of(context: Context, colour: int, broker: int) -> int:
    """Where the clients of `broker` are in `colour`: at home, at the first adopter that is alive, or nowhere (-1)."""
    at = placed(context.overlay, np.array([colour]), np.array([broker], np.int32), context.estate.takeover)
    return int(at[0])


def moved(context: Context, colour: int, ends: Iterable[int]) -> list[int]:
    """Those of the brokers `ends` that have failed in `colour` and have an adopter; each once, in order."""
    failed = context.overlay.failed_broker[colour]
    return [broker for broker in dict.fromkeys(ends) if failed[broker] and broker in context.estate.takeover]
