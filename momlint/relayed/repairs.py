"""What keeps a message from where it is wanted: the fewest changes to the overlay by which it would arrive.

A search over the copies of one message, as it is called, word by word. What an overlay forbids may be done all the
same, at the price of a change; the cheapest way to a broker names what would have to be changed. It shares nothing with
the engines but the form, so a message that arrives without any change shows that one of them is wrong.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from momlint.findings import Place
from momlint.relayed.form import Arc, Entry, Need, Relay
from momlint.relayed.patterns import Constraint, Pattern, Sets, Tokens, whole

#: So many copies of one message are looked at; where it would arrive behind them is not found.
MOST_COPIES = 20_000

#: What may stand in the way, the likeliest first: a limit on hops, or on how far away subscriptions are heard of, a
#: filter, an entry that denies, one that renames, a broker that passes nothing on, or does not hand back, or has been
#: met, and a link that leads the other way only.
Kind: TypeAlias = Literal["hops", "demand", "filter", "denied", "renamed", "transit", "split", "visited", "backwards"]
_WEIGHTS: dict[Kind, int] = {
    "hops": 1,
    "demand": 1,
    "filter": 2,
    "denied": 2,
    "renamed": 2,
    "transit": 3,
    "split": 3,
    "visited": 3,
    "backwards": 4,
}

_NOWHERE: frozenset[str] = frozenset()


class Change(NamedTuple):
    """Something that stands in the way, at `place`, of a message from `tail` to `head` as its `hop`-th hop.

    `topic`: what it is called there; with ``renamed``, what it would be called behind. `away`: with ``demand``, how
    many links the subscription is away, this one counted.
    """

    kind: Kind
    place: Place
    tail: int
    head: int
    hop: int
    topic: Tokens
    arc: Arc
    away: int = 0


class _At(NamedTuple):
    """A copy. `visited`: the identities of brokers that it has left by links that guards look at. `hops`: those links.

    `counted`: its counters of hops.
    """

    broker: int
    topic: Tokens
    hops: int
    visited: frozenset[str]
    connection: str
    link: int
    counted: tuple[int, ...]


class _Step(NamedTuple):
    after: _At
    changes: tuple[Change, ...]


def repairs(
    relay: Relay, sets: Sets, origin: int, topic: Tokens, needs: Sequence[Need]
) -> dict[Need, tuple[Change, ...]]:
    """For each need that the topic meets: the fewest changes by which it arrives from `origin`, in the way's order.

    Needs to which no links lead, not even the wrong way round, are left out.
    """
    return _Search(relay, sets, needs).run(origin, topic)


class _Search:
    def __init__(self, relay: Relay, sets: Sets, needs: Sequence[Need]) -> None:
        self.relay = relay
        self.sets = sets
        self.needs = needs
        self.ins: list[list[Arc]] = [[] for _ in relay.names]
        both = {(arc.link, arc.tail) for number in relay.outs for arc in (relay.arcs[one] for one in number)}
        for several in relay.outs:
            for arc in (relay.arcs[number] for number in several):
                if (arc.link, arc.head) not in both:
                    self.ins[arc.head].append(arc)
        self.longest = 2 * len(relay.names) + relay.most_hops + 2
        self.wholes: dict[Pattern, Constraint] = {}
        self.heard: dict[tuple[int, Tokens], dict[int, int]] = {}

    def run(self, origin: int, topic: Tokens) -> dict[Need, tuple[Change, ...]]:
        start = _At(origin, topic, 0, frozenset(), "", -1, (0,) * self.relay.counters)
        found: dict[Need, tuple[Change, ...]] = {}
        changes: dict[_At, tuple[Change, ...]] = {start: ()}
        open_needs = list(self.needs)
        waiting: list[tuple[tuple[int, int, int], int, _At]] = [((0, 0, 0), 0, start)]
        best = {start: (0, 0, 0)}
        done: set[_At] = set()
        count = 0
        while waiting and open_needs and len(done) < MOST_COPIES:
            cost, _, at = heapq.heappop(waiting)
            if at in done:
                continue
            done.add(at)
            for need in [one for one in open_needs if one.broker == at.broker and self.meets(one.pattern, at.topic)]:
                found[need] = tuple(
                    one._replace(away=at.hops - one.hop + 1) if one.kind == "demand" else one for one in changes[at]
                )
                open_needs.remove(need)
            if at.hops >= self.longest:
                continue
            for step in self.steps(at):
                weight = sum(_WEIGHTS[one.kind] for one in step.changes)
                total = cost[0] + len(step.changes), cost[1] + weight, cost[2] + 1
                if step.after not in done and total < best.get(step.after, (self.longest * 9, 0, 0)):
                    best[step.after] = total
                    changes[step.after] = (*changes[at], *step.changes)
                    count += 1
                    heapq.heappush(waiting, (total, count, step.after))
        return found

    def meets(self, pattern: Pattern | None, topic: Tokens) -> bool:
        if pattern is None:
            return True
        constraint = self.wholes.get(pattern)
        if constraint is None:
            constraint = self.wholes[pattern] = whole(pattern)
        return self.sets.matches(constraint, topic)

    def steps(self, at: _At) -> Iterator[_Step]:
        guard = self.relay.guards[at.broker]
        carried: set[tuple[int, Tokens]] = set()
        for arc in (self.relay.arcs[number] for number in self.relay.outs[at.broker]):
            name = self.carried_as(at, arc) if guard.once and not arc.forgets else None
            if name is not None:
                # Whatever keeps it from crossing the first: no other one takes its place.
                if (arc.head, name) in carried:
                    continue
                carried.add((arc.head, name))
            changes: list[Change] = []
            if at.link != -1 and not guard.passes_on:
                changes.append(self.change("transit", self.relay.estate.brokers[at.broker].place, at, arc))
            elif at.link != -1 and (
                (guard.split == "connection" and arc.connection == at.connection)
                or (guard.split == "link" and arc.link == at.link)
            ):
                changes.append(self.change("split", arc.place, at, arc))
            yield from self.over(at, arc, changes)
        for arc in self.ins[at.broker]:
            if any(self.renames(entry, arc) for entry in arc.entries):
                continue
            after = self.behind(at, arc.tail, self.kept(at.topic, arc.head, arc.tail), arc)
            changes = [Change("backwards", arc.place, at.broker, arc.tail, at.hops + 1, at.topic, arc)]
            back = self.kept(at.topic, arc.head, arc.tail)
            if not any(not entry.deny and self.meets(entry.pattern, back) for entry in arc.entries):
                changes.append(Change("filter", _entry_place(arc), at.broker, arc.tail, at.hops + 1, at.topic, arc))
            yield _Step(after, tuple(changes))

    def carried_as(self, at: _At, arc: Arc) -> Tokens | None:
        """What it is called behind an arc that lets it pass, None for one that does not; only guards are not asked."""
        if arc.max_hops is not None and at.hops + 1 > arc.max_hops:
            return None
        entry = next((one for one in arc.entries if self.meets(one.pattern, at.topic)), None)
        if entry is None or entry.deny:
            return None
        name = renamed_by(entry, at.topic, glued=self.relay.language.glued)
        asks = arc.demand_hops is not None and self.relay.asks
        return name if not asks or self.is_asked(arc, name) else None

    def over(self, at: _At, arc: Arc, changes: list[Change]) -> Iterator[_Step]:
        """The copies that come over an arc: renamed as it renames, and, at the price of a change, as it is."""
        hop = at.counted[arc.counter] + 1
        if arc.max_hops is not None and hop > arc.max_hops:
            raised = self.change("hops", arc.place, at, arc)
            changes.append(raised._replace(hop=hop))
        if not arc.unguarded and self.relay.identity[arc.head] in self.been(at):
            changes.append(self.change("visited", arc.place, at, arc))
        entry = next((one for one in arc.entries if self.meets(one.pattern, at.topic)), None)
        kept = self.kept(at.topic, arc.tail, arc.head)
        if entry is None or entry.deny:
            kind: Kind = "filter" if entry is None else "denied"
            place = _entry_place(arc) if entry is None else entry.place
            change = self.change(kind, place, at, arc)
            yield _Step(self.behind(at, arc.head, kept, arc), (*changes, change))
            return
        renamed = renamed_by(entry, at.topic, glued=self.relay.language.glued)
        if arc.demand_hops is not None and self.relay.asks and not self.is_asked(arc, renamed):
            changes.append(self.change("demand", arc.place, at, arc))
        yield _Step(self.behind(at, arc.head, renamed, arc), tuple(changes))
        if renamed != kept:
            change = Change("renamed", entry.place, arc.tail, arc.head, at.hops + 1, renamed, arc)
            yield _Step(self.behind(at, arc.head, kept, arc), (*changes, change))

    def is_asked(self, arc: Arc, topic: Tokens) -> bool:
        """Whether somebody near enough behind an arc wants what is called so there; not by way of where it begins."""
        key = arc.tail, topic
        if key not in self.heard:
            self.heard[key] = self.hearing(topic, without=arc.tail)
        away = self.heard[key].get(arc.head)
        return away is not None and arc.demand_hops is not None and away < arc.demand_hops

    def hearing(self, topic: Tokens, without: int) -> dict[int, int]:
        """How many links away each broker knows somebody who wants a topic, counted outwards, one link a round."""
        relay = self.relay
        carrying: list[Arc] = []
        found: dict[int, int] = {}
        for broker in range(len(relay.names)):
            outs = [
                arc
                for arc in (relay.arcs[number] for number in relay.outs[broker])
                if next((not one.deny for one in arc.entries if self.meets(one.pattern, topic)), False)
            ]
            carrying += [arc for arc in outs if arc.demand_hops is not None]
            if broker != without and (
                relay.estate.brokers[broker].external
                or any(arc.demand_hops is None for arc in outs)
                or any(need.broker == broker and self.meets(need.pattern, topic) for need in relay.wanted)
            ):
                found[broker] = 0
        for away in range(1, len(relay.names)):
            for arc in carrying:
                near = found.get(arc.head) == away - 1 and arc.tail not in found and arc.tail != without
                if near and arc.demand_hops is not None and away <= arc.demand_hops:
                    found[arc.tail] = away
        return found

    def kept(self, topic: Tokens, tail: int, head: int) -> Tokens:
        """What a topic of one broker is called at another one, where no link renames it."""
        here, there = self.relay.prefixes[tail], self.relay.prefixes[head]
        if here == there or topic[: len(here)] != here or len(topic) == len(here):
            return topic
        return (*there, *topic[len(here) :])

    def renames(self, entry: Entry, arc: Arc) -> bool:
        """Whether an entry gives topics other names than they have at the other broker anyway."""
        given = entry.strip, entry.add
        return given not in (((), ()), (self.relay.prefixes[arc.tail], self.relay.prefixes[arc.head]))

    def change(self, kind: Kind, place: Place, at: _At, arc: Arc) -> Change:
        return Change(kind, place, arc.tail, arc.head, at.hops + 1, at.topic, arc)

    def been(self, at: _At) -> frozenset[str]:
        """What it remembers where it is about to go on."""
        identity = self.relay.identity[at.broker]
        return at.visited if identity is None else at.visited | {identity}

    def behind(self, at: _At, head: int, topic: Tokens, arc: Arc) -> _At:
        if arc.unguarded:
            if arc.forgets:
                return _At(head, topic, 0, _NOWHERE, *arc.came, (0,) * self.relay.counters)
            return _At(head, topic, at.hops, at.visited, *arc.came, at.counted)
        counted = tuple(count + (number == arc.counter) for number, count in enumerate(at.counted))
        return _At(head, topic, at.hops + 1, self.been(at), *arc.came, counted)


def renamed_by(entry: Entry, topic: Tokens, *, glued: bool) -> Tokens:
    """What an entry makes of a topic that it lets pass. A prefix is cut only where something is left of the name."""
    strip = entry.strip
    if entry.whole:
        return entry.add
    if strip and topic[: len(strip)] == strip:
        rest = topic[len(strip) :]
        empties = rest == () if glued else rest == ("",)
        if (empties and entry.add) or (rest and not empties):
            topic = rest
    return (*entry.add, *topic)


def _entry_place(arc: Arc) -> Place:
    """The filter to be widened, where there is one only; else the link, which wants another one."""
    passing = [entry.place for entry in arc.entries if not entry.deny]
    return passing[0] if len(passing) == 1 else arc.place
