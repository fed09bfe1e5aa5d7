"""MOM602: a message needs more hops than its topic allows."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.errors import ReplayError
from momlint.findings import Affected, Draft, RelatedDraft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.timing import adopter_of, moved
from momlint.routed.overlay.following import measure, walk
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.latency import placed, with_failed_end
from momlint.routed.overlay.ragged import distinct, without
from momlint.routed.overlay.tables import NEVER
from momlint.routed.questions.question import Question
from momlint.words import arrow, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray


def find(context: Context) -> Iterator[Draft]:
    """One draft a topic, at its ``max_hops``, with the longest walk of all colours; of equal ones the first.

    Clients of a failed broker are looked at where ``takeover`` puts them. Pairs that do not arrive at all are left to
    the rules that say why.
    """
    if not context.is_whole("brokers", "links", "routing.tables"):
        return
    allowed = list(map(attrgetter("max_hops"), context.estate.topics))
    if allowed.count(None) == len(allowed):
        return
    bounds = np.array([-1 if bound is None else bound for bound in allowed], dtype=np.int64)
    needs = context.needs
    bound_of = bounds[needs.topic]
    late: dict[int, list[_Late]] = {}
    for bound in distinct(bound_of[bound_of >= 0]).tolist():
        pairs = distinct(needs.pair[bound_of == bound])
        for one in (*_at_home(context, pairs, bound), *_moved(context, pairs, bound)):
            for topic in needs.topics_of_pair(context.overlay.keys.pair(*one.home)).tolist():
                if bounds[topic] == bound:
                    late.setdefault(topic, []).append(one)
    for index in sorted(late):
        yield _draft(context, index, late[index])


class _Late(NamedTuple):
    """A walk that is too long: its hops, where its ends are in the colour, and where the clients are at home."""

    hops: int
    colour: int
    now: tuple[int, int]
    home: tuple[int, int]


def _at_home(context: Context, pairs: NDArray[np.int64], bound: int) -> Iterator[_Late]:
    n = context.overlay.n
    if bound >= n - 1:
        return  # a walk that arrives has at most n - 1 hops
    source, dest = context.overlay.keys.split_pair(pairs)
    question = Question("arrive-within", source.astype(np.int32), dest.astype(np.int32), context.all_colours, bound)
    failing = context.refuted(question, f"whether topics arrive within {counted(bound, 'hop')}")
    failing = without(failing, context.broken)
    colour, dest, source = context.overlay.keys.split(failing)
    yield from _longer(context, bound, colour, (source, dest), (source, dest))


def _moved(context: Context, pairs: NDArray[np.int64], bound: int) -> Iterator[_Late]:
    """The walks of clients that have moved."""
    takeover, o = context.estate.takeover, context.overlay
    if not takeover:
        return
    source, dest = (ends.astype(np.int32) for ends in o.keys.split_pair(pairs))
    pair, colour = with_failed_end(o, source, dest)
    in_colour = Packing(len(pairs))  # of a colour and a pair, by its index
    colour, pair = in_colour.split(distinct(in_colour.pack(colour, pair)))
    known = np.isin(colour, context.all_colours)
    colour, pair = colour[known], pair[known]
    at, to = (placed(o, colour, ends[pair], takeover) for ends in (source, dest))
    there = (at >= 0) & (to >= 0)
    home = source[pair[there]], dest[pair[there]]
    yield from _longer(context, bound, colour[there], (at[there], to[there]), home)


def _longer(
    context: Context,
    bound: int,
    colour: NDArray[np.int64],
    now: tuple[NDArray[np.integer], NDArray[np.integer]],
    home: tuple[NDArray[np.integer], NDArray[np.integer]],
) -> Iterator[_Late]:
    """Those of the walks that arrive after more than `bound` hops."""
    hops = measure(context.overlay, colour, now[0], now[1]).hops
    which = np.flatnonzero((hops != NEVER) & (hops > bound))
    for index in which.tolist():
        yield _Late(
            int(hops[index]),
            int(colour[index]),
            (int(now[0][index]), int(now[1][index])),
            (int(home[0][index]), int(home[1][index])),
        )


def _draft(context: Context, index: int, late: list[_Late]) -> Draft:
    topic = context.estate.topics[index]
    worst = min(late, key=lambda one: (-one.hops, one.colour, one.home))
    found = walk(context.overlay, worst.colour, *worst.now)
    if found.end != "arrived" or len(found.brokers) - 1 != worst.hops:
        raise ReplayError(f"a walk of {worst.hops} hops does not replay: {arrow(context.names(found.brokers))}")
    source, dest = context.names(worst.now)
    witness = Witness(
        context.colour_name(worst.colour),
        source,
        dest,
        context.names(found.brokers),
        cut=context.failed_names(worst.colour),
    )
    related = [
        RelatedDraft(
            context.estate.takeover_places[broker],
            f"`{context.name(adopter_of(context, worst.colour, broker))}` serves the clients of "
            f"`{context.name(broker)}` then",
        )
        for broker in moved(context, worst.colour, worst.home)
    ]
    return Draft(
        "MOM602",
        topic.hops_place,
        f"topic `{topic.name}` allows {counted(topic.max_hops or 0, 'hop')}, and `{source}` to `{dest}` takes "
        f"{worst.hops}",
        label=f"exceeded{context.unnamed(worst.colour)}",
        help="allow more hops, or shorten the path",
        data={"topic": topic.name, "allowed_hops": topic.max_hops or 0, "takes_hops": worst.hops},
        witness=witness,
        steps=context.steps(found),
        affected=Affected((topic.name,), len({one.home for one in late})),
        related=[*related, *context.colour_defined(witness)],
    )
