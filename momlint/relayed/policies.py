"""Rules of users' own in relayed overlays: copies of messages that come to brokers outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from momlint.errors import ReplayError
from momlint.findings import Affected, Draft, Place, RelatedDraft, Witness
from momlint.relayed.classes import Passed, Rewritten
from momlint.relayed.form import texts
from momlint.relayed.graph import Copy, Guards, sends

if TYPE_CHECKING:
    from momlint.estate.resolved import Topic
    from momlint.policies.form import Policy
    from momlint.relayed.fates import Fates, Told


class _Client(NamedTuple):
    """A publisher or subscriber at a broker outside: what it does, and where that stands."""

    topic: Topic
    broker: int
    place: Place
    does: str


class _Copy(NamedTuple):
    """A copy at a broker outside: of a class, of this topic (None in an estate without topics), called so by now."""

    topic: Topic | None
    told: Told
    called: Rewritten


def stays_within(policy: Policy, fates: Fates) -> Iterator[Draft]:
    """One draft for each broker outside that copies come to while nothing has failed, at the first topic that does.

    A publisher or subscriber there is enough. Whether a broker passes a copy on, and whether anybody wants it there, is
    nothing to this: the copy is there.
    """
    relay = fates.relay
    brokers = relay.estate.brokers
    outside = {number for number, one in enumerate(brokers) if not policy.brokers.fits(one.id, one.tags, one.site)}
    topics = [topic for topic in relay.estate.topics if policy.topics.fits(topic.name, topic.tags)]
    clients: dict[int, _Client] = {}
    for topic in topics:
        ends = [_Client(topic, one, topic.publisher_place(one), "is published") for one in topic.publishers]
        ends += [_Client(topic, one, topic.subscriber_place(one), "is subscribed to") for one in topic.subscribers]
        for client in ends:
            if client.broker in outside:
                clients.setdefault(client.broker, client)
    copies: dict[int, list[_Copy]] = {}
    for of, told in _published(fates, topics):
        if told.found.origin in outside:
            continue
        for broker, called in sorted({*told.fate.arrivals, *told.fate.endless}):
            if broker in outside:
                copies.setdefault(broker, []).append(_Copy(of, told, called))
    for broker in sorted({*clients, *copies}):
        came = copies.get(broker, [])
        if broker in clients:
            yield _of_client(policy, fates, clients[broker], topics, came)
        else:
            yield _of_copies(policy, fates, broker, came)


def is_unsure(policy: Policy, fates: Fates) -> bool:
    """Whether a message of its topics gets longer for ever: then not all is known of where it comes."""
    topics = [topic for topic in fates.relay.estate.topics if policy.topics.fits(topic.name, topic.tags)]
    return any(told.fate.growth for _, told in _published(fates, topics))


def _published(fates: Fates, topics: list[Topic]) -> Iterator[tuple[Topic | None, Told]]:
    """The classes of each topic at its publishers; without topics in the estate every class that is published."""
    relay = fates.relay
    if not relay.estate.topics:
        yield from ((None, told) for told in fates.told)
        return
    for topic in topics:
        needs = [need for need in relay.published if need.place == topic.place and need.name == topic.name]
        for told in fates.told:
            if any(
                need.broker == told.found.origin and fates.classes.meets(told.found, Rewritten(), need)
                for need in needs
            ):
                yield topic, told


def _of_client(policy: Policy, fates: Fates, client: _Client, topics: list[Topic], came: list[_Copy]) -> Draft:
    topic, broker = client.topic, client.broker
    name = fates.relay.names[broker]
    others = {one.topic.name for one in came if one.topic is not None}
    of = [other.name for other in topics if other.name in others or broker in (*other.publishers, *other.subscribers)]
    return Draft(
        policy.code,
        client.place,
        f"topic `{topic.name}` {client.does} at `{name}`, outside the {policy.brokers.words('brokers')}",
        label="outside",
        help=policy.rule.remedy or "move the client, or let the rule allow this broker",
        data={"topic": topic.name, "broker": name},
        affected=Affected(tuple(of), len({one.told.found.origin for one in came})),
        related=[_declared(policy, fates, broker)],
    )


def _of_copies(policy: Policy, fates: Fates, broker: int, copies: list[_Copy]) -> Draft:
    relay, first = fates.relay, copies[0]
    name, origin = relay.names[broker], first.told.found.origin
    arcs = [relay.arcs[passed.arc] for passed in _way(policy, fates, broker, first)]
    walk = [origin, *(arc.head for arc in arcs)]
    related = [_declared(policy, fates, broker)]
    tail = relay.names[arcs[-1].tail]
    related.append(RelatedDraft(arcs[-1].place, f"`{tail}` passes it on to `{name}` here"))
    topics = dict.fromkeys(one.topic.name for one in copies if one.topic is not None)
    example = fates.name(first.told.found)
    what = f"topic `{first.topic.name}` comes" if first.topic is not None else f"messages such as `{example}` come"
    return Draft(
        policy.code,
        first.topic.place.key if first.topic is not None else relay.estate.place,
        f"{what} to `{name}`, outside the {policy.brokers.words('brokers')}",
        label="leaves them",
        help=policy.rule.remedy or "narrow a filter on the way, or let the rule allow this broker",
        data={**({"topic": first.topic.name} if first.topic is not None else {}), "broker": name},
        witness=Witness(source=relay.names[origin], destination=name, walk=texts(relay, walk), topic=example),
        affected=Affected(tuple(topics), len({one.told.found.origin for one in copies})),
        related=related,
    )


def _way(policy: Policy, fates: Fates, broker: int, copy: _Copy) -> list[Passed]:
    """The shortest way of a copy, by a search of its own. Raises `ReplayError` where there is none."""
    start = Copy(copy.told.found.origin, Rewritten(), 0, frozenset(), "", -1)
    came: dict[Copy, tuple[Passed, Copy]] = {}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        if state != start and (state.broker, state.topic) == (broker, copy.called):
            way = []
            while state != start:
                passed, state = came[state]
                way.append(passed)
            return way[::-1]
        for passed, after in sends(fates.relay, copy.told.found, state, Guards()):
            if after not in came and after != start:
                came[after] = passed, state
                waiting.append(after)
    raise ReplayError(f"{policy.code}: no copy comes to {fates.relay.names[broker]} when it is followed")


def _declared(policy: Policy, fates: Fates, broker: int) -> RelatedDraft:
    one = fates.relay.estate.brokers[broker]
    return RelatedDraft(one.place.key, policy.declared(one))
