"""What one failure, or several promised ones, take from those who get something (MOM501, MOM502)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

from momlint.findings import Affected, Draft, Place, Witness
from momlint.relayed.classes import Rewritten
from momlint.relayed.fates import Fates
from momlint.relayed.form import Relay
from momlint.relayed.patterns import TooLarge
from momlint.words import joined

#: So many failures are looked at one by one.
MOST_FAILURES = 500

#: What a topic is called where it is published.
_SAME = Rewritten()
#: (publisher's broker, number of what is wanted) → whether all of it arrives.
Served = dict[tuple[int, int], bool]


class Element(NamedTuple):
    """What can fail: a broker, or a connection with all of its links. `name`, `place`: as the user has it."""

    kind: str
    number: int
    connection: str
    name: str
    place: Place


def elements(relay: Relay) -> list[Element]:
    """The connections in the order of their first links, then the brokers."""
    found: dict[str, Element] = {}
    for arc in relay.arcs:
        link = relay.estate.links[arc.link]
        name = link.connection if link.connection is not None else link.id
        found.setdefault(arc.connection, Element("connection", arc.link, arc.connection, name, link.place))
    brokers = [Element("broker", number, "", one.id, one.place) for number, one in enumerate(relay.estate.brokers)]
    return [*found.values(), *brokers]


def served(fates: Fates) -> Served:
    """Who hears whom: for each broker that publishes what somebody wants, whether all of it arrives."""
    found: Served = {}
    for number, need in enumerate(fates.relay.wanted):
        for one in fates.told:
            called = fates.relay.as_called(need, one.found.origin)
            if one.found.origin != need.broker and fates.classes.meets(one.found, _SAME, called):
                key = one.found.origin, number
                found[key] = found.get(key, True) and fates.arrives(one, need)
    return found


def without(relay: Relay, failed: Sequence[Element]) -> Relay:
    """What is left when these have failed; a link with an alternative to a failed end leads there."""
    connections = {one.connection for one in failed if one.kind == "connection"}
    brokers = {one.number for one in failed if one.kind == "broker"}
    arcs = list(relay.arcs)
    outs: list[list[int]] = [[] for _ in relay.outs]
    for number, arc in enumerate(arcs):
        tail, head = (_instead(relay, arc.link, end, brokers) for end in (arc.tail, arc.head))
        if arc.connection in connections or tail is None or head is None or tail == head:
            continue
        arcs[number] = arc._replace(tail=tail, head=head)
        outs[tail].append(number)
    return replace(relay, arcs=tuple(arcs), outs=tuple(map(tuple, outs)))


def _instead(relay: Relay, link: int, end: int, failed: set[int]) -> int | None:
    """Where an end of a link is when these brokers have failed; None where it is nowhere."""
    if end not in failed:
        return end
    others = dict(relay.estate.links[link].alternatives).get(end, ())
    return next((other for other in others if other not in failed), None)


def cuts(fates: Fates) -> Iterator[Draft]:
    """MOM501 and MOM502. Raises `TooLarge` where the promise is of too many failures."""
    relay = fates.relay
    if not relay.wanted or not any(need.pattern is not None for need in relay.published):
        return
    before = {pair for pair, whole in served(fates).items() if whole}
    if not before:
        return
    parts = elements(relay)
    if len(parts) > MOST_FAILURES:
        raise TooLarge
    promise = relay.estate.tolerate
    promised = (promise.links, promise.brokers) if promise is not None else (0, 0)
    broken: set[tuple[Element, ...]] = set()
    for element in parts:
        lost = _lost(fates, before, (element,))
        if not lost:
            continue
        if promised[0 if element.kind == "connection" else 1]:
            broken.add((element,))
            yield _draft("MOM502", fates, (element,), lost)
        else:
            yield _draft("MOM501", fates, (element,), lost)
    yield from _several(fates, before, parts, promised, broken)


def _several(
    fates: Fates,
    before: set[tuple[int, int]],
    parts: Sequence[Element],
    promised: tuple[int, int],
    broken: set[tuple[Element, ...]],
) -> Iterator[Draft]:
    """The smallest promised combination that cuts something which none of its parts does alone."""
    if sum(promised) < 2:
        return
    kinds = [[one for one in parts if one.kind == kind] for kind in ("connection", "broker")]
    looked = 0
    for size in range(2, sum(promised) + 1):
        for links in range(min(size, promised[0]) + 1):
            if size - links > promised[1]:
                continue
            for chosen in product(combinations(kinds[0], links), combinations(kinds[1], size - links)):
                failed = (*chosen[0], *chosen[1])
                if any(set(one) <= set(failed) for one in broken):
                    continue
                looked += 1
                if looked > MOST_FAILURES:
                    raise TooLarge
                lost = _lost(fates, before, failed)
                if lost:
                    yield _draft("MOM502", fates, failed, lost)
                    return


def failing(relay: Relay, links: Sequence[int], brokers: Sequence[int]) -> list[Element]:
    """What these links and brokers (dense ids) are parts of: a link fails with its connection."""
    connections = {arc.connection for arc in relay.arcs if arc.link in links}
    return [
        one
        for one in elements(relay)
        if (one.connection in connections if one.kind == "connection" else one.number in brokers)
    ]


def taken(fates: Fates, left: Fates, failed: Sequence[Element]) -> list[tuple[int, int]]:
    """Who no longer gets what when these have failed, as `served` has it. `left`: what becomes of messages then.

    Raises `TooLarge` where not all of it is known.
    """
    return _taken(fates, {pair for pair, whole in served(fates).items() if whole}, left, failed)


def _lost(fates: Fates, before: set[tuple[int, int]], failed: Sequence[Element]) -> list[tuple[int, int]]:
    left = Fates(without(fates.relay, failed), engine="graph")
    left.work_out()
    return _taken(fates, before, left, failed)


def _taken(fates: Fates, before: set[tuple[int, int]], left: Fates, failed: Sequence[Element]) -> list[tuple[int, int]]:
    """Who no longer gets what; not those who are down themselves."""
    if not left.whole:
        raise TooLarge
    relay, after = fates.relay, served(left)
    down = {one.number for one in failed if one.kind == "broker"}
    return sorted(
        pair
        for pair in before
        if pair[0] not in down and relay.wanted[pair[1]].broker not in down and not after.get(pair, False)
    )


def _draft(code: str, fates: Fates, failed: Sequence[Element], lost: Sequence[tuple[int, int]]) -> Draft:
    relay = fates.relay
    source, number = lost[0]
    need = relay.wanted[number]
    words = joined([f"{one.kind} `{one.name}`" for one in failed])
    fail = "fails" if len(failed) == 1 else "fail"
    place = failed[0].place
    promise = relay.estate.tolerate
    if code == "MOM502" and promise is not None and promise.place is not None:
        place = promise.place
    topics = tuple(
        dict.fromkeys(
            relay.wanted[one].name
            for _, one in lost
            if any(topic.name == relay.wanted[one].name for topic in relay.estate.topics)
        )
    )
    where = relay.names[need.broker]
    return Draft(
        code,
        place,
        f"if {words} {fail}, `{where}` no longer gets `{need.name}` from `{relay.names[source]}`",
        label="the only way" if code == "MOM501" else "",
        help="add a way around it, or promise less" if code == "MOM502" else "add a way around it, if it is worth that",
        witness=Witness(source=relay.names[source], destination=where, cut=tuple(one.name for one in failed)),
        affected=Affected(topics, len(lost)),
        data={"kind": failed[0].kind, "element": failed[0].name},
    )
