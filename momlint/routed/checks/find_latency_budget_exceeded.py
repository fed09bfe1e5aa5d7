"""MOM601: a message takes longer than its topic allows, in the worst colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.decimals import decimal_of, written
from momlint.findings import Affected, Draft, RelatedDraft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.timing import adopter_of, moved, replayed, subscriptions, timed
from momlint.routed.overlay.latency import Timings
from momlint.routed.overlay.tables import NEVER


def find(context: Context) -> Iterator[Draft]:
    """One draft a topic, at its ``max_latency_ms``, with its slowest pair in its slowest colour.

    A message takes the ``latency_ms`` of the links on its way and the ``processing_ms`` of the brokers on it, both ends
    included. Where a broker has failed and ``takeover`` names its adopter, its clients' messages are timed from and to
    the adopter. Pairs that do not arrive at all are left to the rules that say why.
    """
    if not context.is_whole("brokers", "links", "routing.tables", "failures.recovery"):
        return
    topics = context.estate.topics
    budgets = list(map(attrgetter("max_latency_ms"), topics))
    if budgets.count(None) == len(budgets):
        return
    limited = np.array([budget is not None for budget in budgets], np.bool_)
    wanted = subscriptions(context, limited)
    pairs, pair_of = np.unique(wanted.pair, return_inverse=True)
    if not pairs.size:
        return
    found = timed(context, pairs)
    worst = _worst(found)
    allowed = {
        budget: int(np.searchsorted(worst.values, found.delays.within(budget), "right"))
        for budget in set(budgets)
        if budget is not None
    }
    limit = np.array([-1 if budget is None else allowed[budget] for budget in budgets], np.int64)
    late = np.flatnonzero(worst.rank[pair_of] >= limit[wanted.topic])
    if not late.size:
        return
    topic, pair = wanted.topic[late], pair_of[late]
    # In each topic the slowest first; of equally slow ones the first colour's, then the first pair.
    order = np.lexsort((pair, worst.colour[pair], -worst.rank[pair], topic))
    topic, pair = topic[order], pair[order]
    starts = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1])))
    for index, first, count in zip(
        topic[starts].tolist(),
        pair[starts].tolist(),
        np.diff(np.append(starts, topic.size)).tolist(),
        strict=True,
    ):
        yield _draft(context, found, worst, index, first, count)


class _Worst(NamedTuple):
    """For each pair its slowest colour: `rank` int64[P] among the sorted `values` (whole units), -1 where it never
    arrives; `colour` int64[P], the first with that rank."""

    values: NDArray[Any]
    rank: NDArray[np.int64]
    colour: NDArray[np.int64]


def _worst(found: Timings) -> _Worst:
    as_base = np.flatnonzero((found.hops != NEVER) & (found.first_as_base < found.colours))
    other = np.flatnonzero(found.colour_hops != NEVER)
    pair = np.concatenate((as_base, found.pair[other]))
    colour = np.concatenate((found.first_as_base[as_base], found.colour[other].astype(np.int64)))
    latency = np.concatenate((found.latency[as_base], found.colour_latency[other]))
    values, rank = np.unique(latency, return_inverse=True)
    order = np.lexsort((colour, -rank, pair))
    pair, colour, rank = pair[order], colour[order], rank[order]
    first = np.flatnonzero(np.concatenate(([True], pair[1:] != pair[:-1]))) if pair.size else np.zeros(0, np.intp)
    ranks = np.full(found.source.size, -1, np.int64)
    colours = np.zeros(found.source.size, np.int64)
    ranks[pair[first]] = rank[first]
    colours[pair[first]] = colour[first]
    return _Worst(values, ranks, colours)


def _draft(context: Context, found: Timings, worst: _Worst, index: int, pair: int, count: int) -> Draft:
    topic = context.estate.topics[index]
    colour = int(worst.colour[pair])
    total = int(worst.values[worst.rank[pair]]) * found.delays.unit
    home = (int(found.source[pair]), int(found.dest[pair]))
    at, to = (adopter_of(context, colour, broker) for broker in home)
    walk, split = replayed(context, colour, at, to, total)
    witness = Witness(context.colour_name(colour), context.name(at), context.name(to), context.names(walk.brokers))
    witness = replace(witness, cut=context.failed_names(colour))
    adopted = moved(context, colour, home)
    assert topic.max_latency_ms is not None
    budget = written(decimal_of(topic.max_latency_ms))
    related = [
        RelatedDraft(
            context.estate.takeover_places[broker],
            f"`{context.name(adopter_of(context, colour, broker))}` serves the clients of "
            f"`{context.name(broker)}` then",
        )
        for broker in adopted
    ]
    return Draft(
        "MOM601",
        topic.latency_place,
        f"topic `{topic.name}` allows {budget} ms, and `{witness.source}` to `{witness.destination}` takes "
        f"{written(total)} ms",
        label=f"exceeded{context.unnamed(colour)}",
        help=f"allow more time or shorten the path: links take {written(split.links)} ms, brokers "
        f"{written(split.brokers)} ms",
        data={"topic": topic.name, "allowed_ms": budget, "takes_ms": written(total)},
        witness=witness,
        steps=context.steps(walk),
        affected=Affected((topic.name,), count),
        related=[*related, *context.colour_defined(witness)],
    )
