"""A relayed overlay as engines read it: arcs one way each, classes of topics, and what an arc makes of each class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momlint.estate.resolved import Estate, Guard, Pass
from momlint.findings import Place
from momlint.relayed.filters import SYNTAXES, Classes, Rename, Way


@dataclass(frozen=True, slots=True)
class Arc:
    """A link one way. `link`: its number in the estate; `group`: its split-horizon group, None for none.

    `brings`: the group that the broker where it ends does not send back over what came by it, None for none.
    `most_hops`: the position in a walk that it has at the latest, None for any.
    """

    link: int
    tail: int
    head: int
    group: str | None
    brings: str | None
    most_hops: int | None
    passes: tuple[Pass, ...] | None
    place: Place


class Form:
    """The overlay of an estate. `identity`: broker → what messages remember of it, None where they do not."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate
        guard = estate.guard or Guard()
        self.arcs = list(_arcs(estate, guard))
        self.leaving: list[list[int]] = [[] for _ in estate.brokers]
        for number, arc in enumerate(self.arcs):
            self.leaving[arc.tail].append(number)
        self.transit = [broker.transit for broker in estate.brokers]
        self.identity = [_identity(estate, number, guard) for number in range(len(estate.brokers))]
        #: Hops are counted as far as this; beyond, every limit is passed. 0 where there are no limits.
        self.most_hops = max((arc.most_hops + 1 for arc in self.arcs if arc.most_hops is not None), default=0)
        self.remembers = any(one is not None for one in self.identity)
        #: How many hops a message takes at most; None where no guard says so.
        bounds = [max(0, self.most_hops - 1)] if all(arc.most_hops is not None for arc in self.arcs) else []
        if all(one is not None for one in self.identity):
            bounds.append(len(set(self.identity)) - 1)
        self.longest = min(bounds, default=None)
        self.classes = Classes(estate.syntax, self._filters(), self._ways(), self.longest)
        #: Filter, by number → the classes that it matches.
        self.having: dict[int, list[int]] = {}
        for klass, matched in enumerate(self.classes.matched):
            for number in matched:
                self.having.setdefault(number, []).append(klass)
        #: For each broker: filter, by number → the arcs leaving it that have it; -1 for those that let everything pass.
        self._leaving_by: list[dict[int, list[int]]] = [{} for _ in estate.brokers]
        for number, arc in enumerate(self.arcs):
            names = {-1} if arc.passes is None else {self.classes.filters[one.filter] for one in arc.passes}
            for name in names:
                self._leaving_by[arc.tail].setdefault(name, []).append(number)
        self._worth: dict[tuple[int, int], list[int]] = {}
        self._crossed: dict[tuple[int, int], tuple[int, int] | None] = {}

    def _filters(self) -> dict[int, list[str]]:
        """What is told apart at each broker."""
        estate = self.estate
        many = SYNTAXES[estate.syntax].many
        found: dict[int, list[str]] = {}
        for arc in self.arcs:
            found.setdefault(arc.tail, []).extend([many] if arc.passes is None else [one.filter for one in arc.passes])
        for interests in (estate.subscriptions, estate.publications):
            for interest in interests or ():
                found.setdefault(interest.broker, []).append(interest.filter)
        for topic in estate.topics:
            for broker in (*topic.publishers, *topic.subscribers):
                found.setdefault(broker, []).append(topic.name)
        return found

    def _ways(self) -> Iterator[Way]:
        for arc in self.arcs:
            if arc.passes is None:
                yield Way(arc.tail, arc.head)
            for one in arc.passes or ():
                if not one.deny:
                    yield Way(arc.tail, arc.head, one.filter, Rename(one.strip, one.add))

    def worth(self, broker: int, klass: int) -> list[int]:
        """The arcs leaving a broker with an entry that matches a class, in order."""
        key = broker, klass
        found = self._worth.get(key)
        if found is None:
            by = self._leaving_by[broker]
            matched = self.classes.matched[klass]
            names = matched if len(matched) < len(by) else by.keys() & matched
            arcs = {arc for name in names for arc in by.get(name, ())}
            found = self._worth[key] = sorted(arcs.union(by.get(-1, ())))
        return found

    def cross(self, arc: int, klass: int) -> tuple[int, int] | None:
        """The class on the other side of an arc and the number of the entry that lets it pass; None where it stays.

        The entry of an arc that lets everything pass is -1.
        """
        key = arc, klass
        if key not in self._crossed:
            self._crossed[key] = self._cross(arc, klass)
        return self._crossed[key]

    def _cross(self, arc: int, klass: int) -> tuple[int, int] | None:
        passes = self.arcs[arc].passes
        if passes is None:
            return klass, -1
        matched = self.classes.matched[klass]
        for number, one in enumerate(passes):
            if self.classes.filters[one.filter] in matched:
                if one.deny:
                    return None
                renamed = Rename(one.strip, one.add).apply(self.classes.examples[klass])
                if not renamed:
                    return None  # brokers take no empty topic
                return self.classes.class_of(renamed) if (one.strip or one.add) else klass, number
        return None

    def renamed(self, arc: int, entry: int, topic: str) -> str:
        """What a topic is called behind an arc that it crosses by an entry."""
        passes = self.arcs[arc].passes
        if entry < 0 or passes is None:
            return topic
        return Rename(passes[entry].strip, passes[entry].add).apply(topic)

    def place_of(self, arc: int, entry: int) -> Place:
        """Where the entry stands that lets a message pass, or the link."""
        one = self.arcs[arc]
        return one.place if entry < 0 or one.passes is None else one.passes[entry].place

    def starts(self) -> list[tuple[int, int]]:
        """Where messages of which class begin: as declared, else all of them everywhere that they leave."""
        estate = self.estate
        if estate.publications is None and estate.subscriptions is None and not estate.topics:
            return self._everywhere()
        found: dict[tuple[int, int], None] = {}
        for topic in estate.topics:
            klass = self.classes.class_of(topic.name)
            found.update(((broker, klass), None) for broker in topic.publishers)
        if estate.publications is not None:
            for one in estate.publications:
                found.update(((one.broker, klass), None) for klass in self.matched_by(one.filter))
        elif not estate.topics:
            return self._everywhere()
        return list(found)

    def _everywhere(self) -> list[tuple[int, int]]:
        found = []
        for broker, leaving in enumerate(self.leaving):
            classes: set[int] = set()
            for arc in leaving:
                passes = self.arcs[arc].passes
                if passes is None:
                    classes.update(self.used())
                    break
                for one in passes:
                    classes.update(self.having.get(self.classes.filters[one.filter], ()))
            found += [(broker, klass) for klass in sorted(classes)]
        return found

    def matched_by(self, text: str) -> list[int]:
        """The classes that one of the estate's filters matches."""
        return self.having.get(self.classes.filters[text], [])

    def used(self) -> Sequence[int]:
        """The classes that any filter matches."""
        return range(1, len(self.classes.examples))


def _arcs(estate: Estate, guard: Guard) -> list[Arc]:
    found = []
    for number, link in enumerate(estate.links):
        ways = [(link.tail, link.head)] if link.one_way else [(link.tail, link.head), (link.head, link.tail)]
        for tail, head in ways:
            own = estate.brokers[tail].guard or Guard()
            hops = next((one for one in (link.max_hops, own.hops, guard.hops) if one is not None), None)
            brings = None if link.echo else _group(estate, guard, head, number)
            group = _group(estate, guard, tail, number)
            found.append(Arc(number, tail, head, group, brings, hops, link.passes, link.place))
    return found


def _group(estate: Estate, guard: Guard, broker: int, number: int) -> str | None:
    """What a broker takes a link for when it looks where a message came from; None where it does not look."""
    link = estate.links[number]
    split = (estate.brokers[broker].guard or Guard()).split_horizon or guard.split_horizon or "none"
    if split == "connection" and link.connection is not None:
        return f"connection {link.connection}"
    # A link one way that is a connection of its own has nothing to send back over.
    return f"link {number}" if split != "none" and not link.one_way else None


def _identity(estate: Estate, broker: int, guard: Guard) -> str | None:
    own = estate.brokers[broker].guard
    what = (own.visited if own is not None else None) or guard.visited or "none"
    if what == "none":
        return None
    one = estate.brokers[broker]
    if what == "broker":
        return one.id
    value = getattr(one, what, None)
    return str(value) if value is not None else one.id
