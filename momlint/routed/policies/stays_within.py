"""A policy that keeps messages in: those of its topics are never at a broker that it does not name.

Engines decide it by what they decide anyway: on an overlay in which the brokers outside pass nothing on, a message
whose walk comes to one does not arrive. Which of those that do not arrive came to one is then followed hop by hop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.errors import ReplayError
from momlint.findings import Affected, Draft, Place, RelatedDraft, Witness
from momlint.routed.diagnosis.timing import moved
from momlint.routed.overlay.arcs import Hops
from momlint.routed.overlay.following import cheapest_live_arcs, entries, measure, walk
from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.latency import placed, with_failed_end
from momlint.routed.overlay.ragged import distinct
from momlint.routed.overlay.tables import NEVER
from momlint.routed.policies.deriving import chosen, derived, place_of, subject
from momlint.routed.questions.question import Question, Refuted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.policies.form import Policy
    from momlint.routed.diagnosis.context import Context


def find(policy: Policy, context: Context) -> Iterator[Draft]:
    """One draft for each broker outside that messages come to, at the first topic that does.

    A publisher or subscriber there is enough. Of a walk the first broker outside counts, in every colour and promised
    failure, whether or not the walk arrives; clients of a failed broker are looked at where ``takeover`` puts them.
    """
    if not context.is_whole("brokers", "links", "routing.tables"):
        return
    topics = chosen(policy, context)
    if topics is None:
        return
    brokers = context.estate.brokers
    outside = np.array([not policy.brokers.fits(one.id, one.tags, one.site) for one in brokers], np.bool_)
    if not outside.any():
        return
    own = derived(policy, context, topics, walks=True)
    at_home = _clients(own, outside)
    came = _Walks.joined(_walks(policy, own, outside), _moved(own, outside))
    for broker in sorted({*at_home, *came.broker.tolist()}):
        yield _draft(policy, own, broker, at_home.get(broker), came.of(broker))


class _Client(NamedTuple):
    """The first client at a broker: of what topic, what it does, where that stands."""

    topic: str
    does: str
    place: Place


class _Walks(NamedTuple):
    """Walks that come to a broker outside: int64 each. `now`, `home`: the pair as it is, and where clients are at
    home."""

    broker: NDArray[np.int64]
    colour: NDArray[np.int64]
    now: NDArray[np.int64]
    home: NDArray[np.int64]

    @classmethod
    def joined(cls, *some: _Walks) -> _Walks:
        """All of them."""
        return cls(*(np.concatenate(one) for one in zip(*some, strict=True)))

    def of(self, broker: int) -> _Walks:
        """Those to this broker, in the order of colours and pairs."""
        which = np.flatnonzero(self.broker == broker)
        which = which[np.lexsort((self.now[which], self.colour[which]))]
        return _Walks(*(column[which] for column in self))


_NONE = _Walks(*[np.zeros(0, np.int64)] * 4)


def _clients(own: Context, outside: NDArray[np.bool_]) -> dict[int, _Client]:
    """The brokers outside that have clients of the topics themselves."""
    found: dict[int, _Client] = {}
    for topic in own.estate.topics:
        for broker in topic.publishers:
            if outside[broker]:
                found.setdefault(broker, _Client(topic.name, "is published", topic.publisher_place(broker)))
        for broker in topic.subscribers:
            if outside[broker]:
                found.setdefault(broker, _Client(topic.name, "is subscribed to", topic.subscriber_place(broker)))
    return found


def _walks(policy: Policy, own: Context, outside: NDArray[np.bool_]) -> _Walks:
    o = own.overlay
    inside = ~outside[o.pair_source] & ~outside[o.pair_dest]
    question = Question("arrive", o.pair_source[inside], o.pair_dest[inside], own.all_colours)
    if not len(question.sources) or not len(question.colours):
        return _NONE
    verdict = own.ask(_absorbing(o, outside), question, subject(policy))
    if not isinstance(verdict, Refuted):
        return _NONE
    colour, dest, source = o.keys.split(verdict.failing)
    first = first_outside(o, colour, source, dest, outside)
    lost = np.flatnonzero(first < 0)
    if (measure(o, colour[lost], source[lost], dest[lost]).hops != NEVER).any():
        raise ReplayError(f"{policy.code}: a message that was said to come to a broker outside does not")
    come = np.flatnonzero(first >= 0)
    pair = o.keys.pair(source[come], dest[come])
    return _Walks(first[come], colour[come], pair, pair)


def _moved(own: Context, outside: NDArray[np.bool_]) -> _Walks:
    """The walks of clients that have moved, and adopters outside."""
    takeover, o = own.estate.takeover, own.overlay
    if not takeover:
        return _NONE
    source, dest = o.pair_source, o.pair_dest
    pair, colour = with_failed_end(o, source, dest)
    in_colour = Packing(len(source))  # of a colour and a pair, by its index
    colour, pair = in_colour.split(distinct(in_colour.pack(colour, pair)))
    known = np.isin(colour, own.all_colours) & ~outside[source[pair]] & ~outside[dest[pair]]
    colour, pair = colour[known], pair[known]
    at, to = (placed(o, colour, ends[pair], takeover).astype(np.int64) for ends in (source, dest))
    there = (at >= 0) & (to >= 0)
    colour, pair, at, to = colour[there], pair[there], at[there], to[there]
    first = first_outside(o, colour, at, to, outside)
    # Whoever adopts a subscriber holds its messages, whether or not they come.
    first = np.where((first < 0) & outside[to], to, first)
    come = np.flatnonzero(first >= 0)
    home = o.keys.pair(source[pair[come]], dest[pair[come]])
    return _Walks(first[come], colour[come], o.keys.pair(at[come], to[come]), home)


def _absorbing(overlay: Overlay, outside: NDArray[np.bool_]) -> Overlay:
    """The overlay in which the brokers outside pass nothing on."""
    base, base_row = overlay.base.copy(), overlay.base_row.copy()
    base[:, outside], base_row[:, outside] = NO_HOP, NO_ROW
    kept = ~outside[overlay.keys.loc_of(overlay.delta_key)]
    return replace(
        overlay,
        base=base,
        base_row=base_row,
        delta_key=overlay.delta_key[kept],
        delta_next=overlay.delta_next[kept],
        delta_row=overlay.delta_row[kept],
    )


def first_outside(
    overlay: Overlay,
    colour: NDArray[np.int64],
    source: NDArray[np.int64],
    dest: NDArray[np.int64],
    outside: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """int64: the first broker outside that each walk comes to, -1 where it comes to none; all arrays of one length."""
    found = np.full(source.size, -1, np.int64)
    network = Hops.of(overlay)
    going, loc = np.arange(source.size), source.astype(np.int64)
    for _ in range(overlay.n):  # one that goes on longer has been everywhere that it comes to
        out = outside[loc]
        found[going[out]] = loc[out]
        on = ~out & (loc != dest[going])
        going, loc = going[on], loc[on]
        if not going.size:
            break
        hop = entries(overlay, colour[going], dest[going].astype(np.int64), loc)
        moves = cheapest_live_arcs(overlay, network, colour[going], loc, hop) >= 0
        going, loc = going[moves], hop[moves].astype(np.int64)
    return found


def _draft(policy: Policy, own: Context, broker: int, client: _Client | None, came: _Walks) -> Draft:
    name = own.name(broker)
    where = policy.brokers.words("brokers")
    o = own.overlay
    ends = np.flatnonzero((o.pair_source == broker) | (o.pair_dest == broker)) if client is not None else None
    pairs = came.home if ends is None else np.append(came.home, o.keys.pair(o.pair_source[ends], o.pair_dest[ends]))
    pairs = distinct(pairs)
    topics = own.topics_of(pairs)
    related: list[RelatedDraft] = [RelatedDraft(own.broker_place(broker), policy.declared(own.estate.brokers[broker]))]
    if client is not None:
        alone = [topic.name for topic in own.estate.topics if broker in (*topic.publishers, *topic.subscribers)]
        both = {*topics, *alone}
        return Draft(
            policy.code,
            client.place,
            f"topic `{client.topic}` {client.does} at `{name}`, outside the {where}",
            label="outside",
            help=policy.rule.remedy or "move the client, or let the rule allow this broker",
            data={"topic": client.topic, "broker": name},
            affected=Affected(tuple(topic.name for topic in own.estate.topics if topic.name in both), len(pairs)),
            related=related,
        )
    colour = int(came.colour[0])
    now, home = (o.keys.split_pair(int(column[0])) for column in (came.now, came.home))
    found = walk(o, colour, *now)
    if broker not in found.brokers and now[1] != broker:
        raise ReplayError(f"{policy.code}: the walk to {own.name(now[1])} does not come to {name}")
    source, dest = own.names(now)
    witness = Witness(own.colour_name(colour), source, dest, own.names(found.brokers), cut=own.failed_names(colour))
    related += [
        RelatedDraft(own.estate.takeover_places[one], f"its adopter serves the clients of `{own.name(one)}` then")
        for one in moved(own, colour, home)
    ]
    first = topics[0] if topics else None
    of = f"topic `{first}` comes" if first is not None else "messages come"
    return Draft(
        policy.code,
        place_of(own, first),
        f"{of} to `{name}`, outside the {where}",
        label=f"leaves them{own.unnamed(colour)}",
        help=policy.rule.remedy or "let another way be cheaper, or let the rule allow this broker",
        data={**({"topic": first} if first is not None else {}), "broker": name},
        witness=witness,
        steps=own.steps(found),
        affected=Affected(topics, len(pairs)),
        related=[*related, *own.colour_defined(witness)],
    )
