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
    exceeded: dict[int, tuple[_Late, int]] = {}
    for bound in distinct(bound_of[bound_of >= 0]).tolist():
        asked = np.flatnonzero(bound_of == bound)
        pairs = distinct(needs.pair[asked])
        late = _Walks.joined(_at_home(context, pairs, bound), _moved(context, pairs, bound)).worst_of_each_pair()
        exceeded.update(_by_topic(context, late, needs.topic[asked], needs.pair[asked]))
    for index in sorted(exceeded):
        yield _draft(context, index, *exceeded[index])


class _Late(NamedTuple):
    """A walk that is too long: its hops, where its ends are in the colour, and where the clients are at home."""

    hops: int
    colour: int
    now: tuple[int, int]
    home: tuple[int, int]


class _Walks(NamedTuple):
    """Walks that are too long, as `_Late` has them: int64 each; `now` and `home` are ``source * n + dest``."""

    hops: NDArray[np.int64]
    colour: NDArray[np.int64]
    now: NDArray[np.int64]
    home: NDArray[np.int64]

    @classmethod
    def joined(cls, *some: _Walks) -> _Walks:
        """All of them."""
        return cls(*(np.concatenate(one) for one in zip(*some, strict=True)))

    def worst_of_each_pair(self) -> _Walks:
        """Of each pair that clients have at home the longest, of equal ones in the first colour; by pair, ascending."""
        order = np.lexsort((self.colour, -self.hops, self.home))
        home = self.home[order]
        first = order[np.concatenate(([True], home[1:] != home[:-1]))] if order.size else order
        return _Walks(*(column[first] for column in self))


_NONE = _Walks(*[np.zeros(0, np.int64)] * 4)


def _by_topic(
    context: Context, late: _Walks, topic: NDArray[np.int64], pair: NDArray[np.int64]
) -> Iterator[tuple[int, tuple[_Late, int]]]:
    """Each topic that needs a pair of `late`: its longest walk, and how many pairs are late. `topic` needs `pair`."""
    if not late.home.size:
        return
    row = np.minimum(np.searchsorted(late.home, pair), late.home.size - 1)
    hit = np.flatnonzero(late.home[row] == pair)
    topic, row = topic[hit], row[hit]
    order = np.lexsort((row, late.colour[row], -late.hops[row], topic))
    topic, row = topic[order], row[order]
    starts = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1]))) if topic.size else topic
    ends = np.append(starts[1:], topic.size)
    keys = context.overlay.keys
    for first, last in zip(starts.tolist(), ends.tolist(), strict=False):
        worst = row[first]
        now, home = (keys.split_pair(int(ends_of[worst])) for ends_of in (late.now, late.home))
        count = distinct(row[first:last]).size
        yield (
            int(topic[first]),
            (_Late(int(late.hops[worst]), int(late.colour[worst]), now, home), count),
        )


def _at_home(context: Context, pairs: NDArray[np.int64], bound: int) -> _Walks:
    n = context.overlay.n
    if bound >= n - 1:
        return _NONE  # a walk that arrives has at most n - 1 hops
    source, dest = context.overlay.keys.split_pair(pairs)
    question = Question("arrive-within", source.astype(np.int32), dest.astype(np.int32), context.all_colours, bound)
    failing = context.refuted(question, f"whether topics arrive within {counted(bound, 'hop')}")
    failing = without(failing, context.broken)
    colour, dest, source = context.overlay.keys.split(failing)
    return _longer(context, bound, colour, (source, dest), (source, dest))


def _moved(context: Context, pairs: NDArray[np.int64], bound: int) -> _Walks:
    """The walks of clients that have moved."""
    takeover, o = context.estate.takeover, context.overlay
    if not takeover:
        return _NONE
    source, dest = (ends.astype(np.int32) for ends in o.keys.split_pair(pairs))
    pair, colour = with_failed_end(o, source, dest)
    in_colour = Packing(len(pairs))  # of a colour and a pair, by its index
    colour, pair = in_colour.split(distinct(in_colour.pack(colour, pair)))
    known = np.isin(colour, context.all_colours)
    colour, pair = colour[known], pair[known]
    at, to = (placed(o, colour, ends[pair], takeover) for ends in (source, dest))
    there = (at >= 0) & (to >= 0)
    home = source[pair[there]], dest[pair[there]]
    return _longer(context, bound, colour[there], (at[there], to[there]), home)


def _longer(
    context: Context,
    bound: int,
    colour: NDArray[np.int64],
    now: tuple[NDArray[np.integer], NDArray[np.integer]],
    home: tuple[NDArray[np.integer], NDArray[np.integer]],
) -> _Walks:
    """Those of the walks that arrive after more than `bound` hops."""
    keys = context.overlay.keys
    hops = measure(context.overlay, colour, now[0], now[1]).hops
    which = np.flatnonzero((hops != NEVER) & (hops > bound))
    now_pair, home_pair = (
        keys.pair(source[which].astype(np.int64), dest[which].astype(np.int64)) for source, dest in (now, home)
    )
    return _Walks(hops[which].astype(np.int64), colour[which].astype(np.int64), now_pair, home_pair)


def _draft(context: Context, index: int, worst: _Late, count: int) -> Draft:
    topic = context.estate.topics[index]
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
        affected=Affected((topic.name,), count),
        related=[*related, *context.colour_defined(witness)],
    )
