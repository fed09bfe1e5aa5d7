"""From what is published at a broker to its topic classes, each with all that its copies do.

A class begins as all that is published; wherever a filter on the way matches some of it and not all, that part becomes
a class of its own. So classes are as coarse as can be, and within one every copy does the same. `Steps` is the copy of
a class on its way, without any guard: which arcs let it pass, and as what. Engines put the guards on top.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import le
from typing import NamedTuple

from momlint.relayed.form import Entry, Need, Relay
from momlint.relayed.patterns import (
    Constrained,
    Constraint,
    Pattern,
    Sets,
    Tokens,
    TooLarge,
    beginning,
    begins,
    exactly,
    whole,
)

#: So many classes of what is published at one broker are told apart.
MOST_CLASSES = 20_000
#: So many of a broker's classes, and so many names of one class at each broker, for each turn that a way can take, may
#: come about only by going round. Cutting `a/` or putting it before with every turn makes one a turn; where ways part
#: and each renames in its own way there are twice as many with every turn, and no end.
_MOST_A_TURN, _MOST_NAMES_A_TURN = 6, 20
#: What is known of more filters is not handed on to a part of a class, which has to do with few of them.
_MOST_INHERITED = 300
#: So many places are asked for who subscribes, for one class; of more copies over one arc no more are told.
_MOST_HEARD, _MOST_COPIES = 20_000, 50
#: Of so many entries of an arc each is looked at.
_FEW = 4


class Rewritten(NamedTuple):
    """What a topic of the class is called by now: without its first `cut` tokens, with `add` before."""

    cut: int = 0
    add: Tokens = ()


class Passed(NamedTuple):
    """An arc that lets the class pass, by which of its entries, and what it is called behind it.

    `nth`: which of several copies that the arc carries, from 0 on.
    """

    arc: int
    entry: int
    topic: Rewritten
    nth: int = 0


class Shape:
    """The topics of a class while it is being found: what all of them meet, and what none of them does."""

    def __init__(self, inside: tuple[Constraint, ...], outside: Iterable[Constraint] = ()) -> None:
        self.inside = inside
        self.outside: list[Constraint] = []
        #: What all of them begin with.
        self.beginning: Tokens = max((beginning(one) for one in inside), key=len, default=())
        self._index = _Index()
        for one in outside:
            self.leave_out(one)

    def leave_out(self, constraint: Constraint) -> None:
        """Take out what meets `constraint`."""
        self._index.add(beginning(constraint), len(self.outside))
        self.outside.append(constraint)

    def part(self, constraint: Constraint) -> Constrained:
        """Those of them that meet `constraint`, without what plainly takes nothing from these."""
        longest = max(self.beginning, beginning(constraint), key=len)
        outside = tuple(self.outside[number] for number in self._index.along(longest))
        return Constrained((*self.inside, constraint), outside)

    def rest(self, constraint: Constraint | None = None) -> Constrained:
        """Those of them that do not meet `constraint`; all of them without one."""
        outside = [self.outside[number] for number in self._index.along(self.beginning)]
        return Constrained(self.inside, (*outside, *([] if constraint is None else [constraint])))


@dataclass
class TopicClass:
    """Topics that are published at `origin` and that no filter on their ways tells apart. `example`: one of them.

    `steps`: (broker, what it is called there) → the arcs that let it pass, guards apart. `deep`: where it is longer
    (or has lost more) than on any way that comes to no broker as it came there before; behind these its way is cut.
    """

    origin: int
    topics: Shape
    example: Tokens
    steps: dict[tuple[int, Rewritten], tuple[Passed, ...]] = field(default_factory=dict)
    deep: set[tuple[int, Rewritten]] = field(default_factory=set)
    #: Steps that filters and hops would allow and that nobody asks for.
    unasked: dict[tuple[int, Rewritten], tuple[Passed, ...]] = field(default_factory=dict)
    #: What is known of the whole class: a part of it meets what all of it meets.
    known: dict[Constraint, bool] = field(default_factory=dict)

    def called(self, topic: Rewritten) -> Tokens:
        """What the example is called by now."""
        return (*topic.add, *self.example[topic.cut :])


class Classes:
    """The classes of an overlay, worked out by origin."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self.sets = Sets(relay.language)
        self._waiting: list[tuple[Constrained, dict[Constraint, bool]]] = []
        self._indices: dict[int, _Index] = {}
        self._entries: dict[int, _Index] = {}
        self._wants: dict[int, tuple[list[Pattern], _Index]] = {}
        # A filter without `rest` matches nothing longer than itself, and the others look no further than that.
        widths = [len(entry.pattern.items) for arc in relay.arcs for entry in arc.entries if entry.pattern is not None]
        changes = [max(len(entry.add), len(entry.strip)) for arc in relay.arcs for entry in arc.entries]
        # A way along which it grows further than this has come twice to a broker over the same arc.
        turns = 2 * len(relay.names) + relay.most_hops + 2
        self._longest = max(widths, default=0) + turns * max(changes, default=0)
        #: What comes to no broker twice has lost no more than this, and gained no more.
        self._straight = len(relay.names) * max(changes, default=0)
        self._most_round = _MOST_A_TURN * turns
        self._most_names = _MOST_NAMES_A_TURN * turns * len(relay.names)

    def of(self, origin: int) -> Iterator[TopicClass]:
        """Those of what is published at a broker. Raises `TooLarge`."""
        published = [need for need in self.relay.published if need.broker == origin]
        done: list[Constraint] = []
        count = goes_round = 0
        for need in published:
            inside = () if need.pattern is None else (whole(need.pattern),)
            self._waiting = [(Constrained(inside, tuple(done)), {})]
            while self._waiting:
                topics, known = self._waiting.pop()
                shape = Shape(topics.inside, topics.outside)
                example = self.sets.example(shape.rest())
                if example is None:
                    continue
                found = TopicClass(origin, shape, example, known=known)
                self._follow(found)
                count += 1
                goes_round += any(topic.cut > self._straight for _, topic in found.steps)
                if count > MOST_CLASSES or goes_round > self._most_round:
                    raise TooLarge
                yield found
            if need.pattern is not None:
                done.append(whole(need.pattern))

    def meets(self, found: TopicClass, topic: Rewritten, need: Need) -> bool:
        """Whether the class, called `topic` by now, is what a need means. `_follow` has made it all or nothing."""
        return need.pattern is None or self._decided(found, self._carried(need.pattern, topic, found)) is True

    def _follow(self, found: TopicClass) -> None:
        """Every step of the class. Where a filter matches a part of it, that part is put off as a class of its own.

        What was decided before holds of both parts, so the rest goes on. Raises `TooLarge`.
        """
        # Hop by hop, so that each place is met on its shortest way: hop limits count, the other guards do not.
        # A link that forgets hops may lead there once more, with fewer of them.
        waiting = deque([(found.origin, Rewritten(), 0)])
        goes_round = 0
        fewest: dict[tuple[int, Rewritten], list[int]] = {}
        while waiting:
            broker, topic, hops = waiting.popleft()
            before = fewest.setdefault((broker, topic), [])
            if any(self._no_more(one, hops) for one in before):
                continue
            goes_round += max(topic.cut, len(topic.add)) > self._straight
            if goes_round > self._most_names:
                raise TooLarge
            before.append(hops)
            passed = []
            for number in self._candidates(found, broker, topic):
                arc = self.relay.arcs[number]
                # With another counter of hops it may have come in time.
                in_time = [one for one in before if arc.max_hops is None or self.relay.counted(arc, one) < arc.max_hops]
                one = self._pass(found, number, topic) if in_time else None
                if one is None:
                    continue
                entry, after = one
                passed.append(Passed(number, entry, after))
                if max(len(after.add), after.cut) > self._longest:
                    found.deep.add((arc.head, after))
                elif arc.forgets:
                    waiting.appendleft((arc.head, after, 0))
                elif in_time[-1] != hops:
                    continue
                elif arc.unguarded:
                    waiting.appendleft((arc.head, after, hops))
                else:
                    waiting.append((arc.head, after, self.relay.raised(arc, hops)))
            found.steps[broker, topic] = tuple(passed)
            for pattern in self._wanted(found, broker, topic):
                self._all_or_nothing(found, self._carried(pattern, topic, found))
        if self.relay.asks:
            self._keep_asked(found, self._unlimited(found))

    def _no_more(self, one: int, other: int) -> bool:
        """Whether no counter of hops is higher in one than in the other."""
        if self.relay.counters == 1:
            return one <= other
        return all(map(le, self.relay.hops_apart(one), self.relay.hops_apart(other)))

    def _unlimited(self, found: TopicClass) -> dict[tuple[int, Rewritten], tuple[Passed, ...]]:
        """Every step that filters allow, whatever the limits on hops are: word of a subscription has other limits."""
        steps: dict[tuple[int, Rewritten], tuple[Passed, ...]] = {}
        waiting = [(found.origin, Rewritten())]
        while waiting:
            broker, topic = place = waiting.pop()
            if place in steps:
                continue
            passed = []
            for number in self._candidates(found, broker, topic):
                one = self._pass(found, number, topic)
                if one is not None and max(len(one[1].add), one[1].cut) <= self._longest:
                    passed.append(Passed(number, *one))
                    waiting.append((self.relay.arcs[number].head, one[1]))
            steps[place] = tuple(passed)
            for pattern in self._wanted(found, broker, topic):
                self._all_or_nothing(found, self._carried(pattern, topic, found))
        return steps

    def _keep_asked(self, found: TopicClass, steps: Mapping[tuple[int, Rewritten], Sequence[Passed]]) -> None:
        """Take out the steps over arcs behind which nobody near enough wants it.

        A subscription is told from broker to broker against the way of messages, not through the broker that would
        hear it, and over links that let the class pass. It is a subscription as well that an arc of another kind leads
        on, and what brokers outside want is not known. `steps`: without limits on hops.
        """
        relay = self.relay
        into: dict[tuple[int, Rewritten], list[tuple[tuple[int, Rewritten], int]]] = {}
        wanting = []
        heard_of = Heard(relay, steps, lambda place, need: self.meets(found, place[1], need))
        for place, several in steps.items():
            broker, topic = place
            unknown = relay.estate.brokers[broker].external or relay.wants_unsaid(broker)
            wants = unknown or any(self.meets(found, topic, need) for need in relay.wanted if need.broker == broker)
            for passed in several:
                limit = relay.arcs[passed.arc].demand_hops
                if limit is None:
                    wants = True
                else:
                    into.setdefault((relay.arcs[passed.arc].head, passed.topic), []).append((place, limit))
            if wants:
                wanting.append(place)
        distances: dict[int, dict[tuple[int, Rewritten], int]] = {}
        for place, several in found.steps.items():
            if all(relay.arcs[passed.arc].demand_hops is None for passed in several):
                continue
            heard = distances.get(place[0])
            if heard is None:
                heard = distances[place[0]] = _heard(wanting, into, without=place[0])
            kept: list[Passed] = []
            unasked: list[Passed] = []
            for passed in several:
                arc = relay.arcs[passed.arc]
                away = heard.get((arc.head, passed.topic))
                asked = arc.demand_hops is None or (away is not None and away + 1 <= arc.demand_hops)
                (kept if asked else unasked).append(passed)
                if asked and arc.per_subscription:
                    kept += [passed._replace(nth=nth) for nth in range(1, heard_of.by(place[0], passed))]
            if unasked:
                found.unasked[place] = tuple(unasked)
            found.steps[place] = tuple(kept)

    def _pass(self, found: TopicClass, arc: int, topic: Rewritten) -> tuple[int, Rewritten] | None:
        """The entry of an arc that lets the class pass, and what it is called behind it; None where none does."""
        entries = self.relay.arcs[arc].entries
        for number in self._likely(found, arc, topic) if len(entries) > _FEW else range(len(entries)):
            entry = entries[number]
            if entry.pattern is not None and not self._all_or_nothing(
                found, self._carried(entry.pattern, topic, found)
            ):
                continue
            return None if entry.deny else (number, self._rewrite(found, entry, topic))
        return None

    def _likely(self, found: TopicClass, arc: int, topic: Rewritten) -> list[int]:
        """The entries of an arc, in their order, less those that begin with other words."""
        index = self._entries.get(arc)
        if index is None:
            index = self._entries[arc] = _Index()
            for number, entry in enumerate(self.relay.arcs[arc].entries):
                index.add(() if entry.pattern is None else beginning(whole(entry.pattern)), number)
        return index.along((*topic.add, *found.topics.beginning[topic.cut :]))

    def _rewrite(self, found: TopicClass, entry: Entry, topic: Rewritten) -> Rewritten:
        cut, add = topic
        strip = entry.strip
        if entry.whole:
            # The class is this one topic.
            return _shortest(found, len(found.example), entry.add)
        if strip:
            shared = min(len(strip), len(add))
            if strip[:shared] == add[:shared]:
                if len(strip) <= len(add):
                    add = add[len(strip) :]
                elif self._may_strip(found, cut, strip[shared:], empties=bool(entry.add)):
                    cut, add = cut + len(strip) - shared, ()
        return _shortest(found, cut, (*entry.add, *add))

    def _may_strip(self, found: TopicClass, cut: int, prefix: Tokens, *, empties: bool) -> bool:
        """Whether topics, without their first tokens, begin with `prefix`; unless nothing would be left of the name.

        `empties`: something is put before it, so that there may be nothing left.
        """
        glued = self.relay.language.glued
        nothing = exactly(prefix if glued else (*prefix, ""))
        whole_prefix = Constraint(nothing, found.example[:cut], nothing.start())
        if (glued or not empties) and self._all_or_nothing(found, whole_prefix):
            return empties
        pattern = begins(prefix)
        return self._all_or_nothing(found, Constraint(pattern, found.example[:cut], pattern.start()))

    def _carried(self, pattern: Pattern, topic: Rewritten, found: TopicClass) -> Constraint:
        """That a filter matches what a topic is called by now. All of the class begin with what was cut."""
        places = pattern.start()
        for token in topic.add:
            places = pattern.step(places, token, self.relay.language.separator)
        return Constraint(pattern, found.example[: topic.cut], places)

    def _all_or_nothing(self, found: TopicClass, constraint: Constraint) -> bool:
        decided = self._decided(found, constraint)
        if decided is None:
            known = {**found.known, constraint: True} if len(found.known) < _MOST_INHERITED else {}
            self._waiting.append((found.topics.part(constraint), known))
            found.topics.leave_out(constraint)
            found.known[constraint] = False
            if self.sets.matches(constraint, found.example):
                example = self.sets.example(found.topics.rest())
                assert example is not None
                found.example = example
            return False
        return decided

    def _decided(self, found: TopicClass, constraint: Constraint) -> bool | None:
        """Whether all of the class meet it (True), none (False), or some (None)."""
        if not constraint.places:
            return False
        if constraint not in found.known:
            decided = self._ask(found, constraint)
            if decided is None:
                return None
            found.known[constraint] = decided
        return found.known[constraint]

    def _ask(self, found: TopicClass, constraint: Constraint) -> bool | None:
        topics = found.topics
        if self.sets.matches(constraint, found.example):
            return True if self.sets.example(topics.rest(constraint)) is None else None
        if any(self.sets.apart(constraint, one) for one in topics.inside):
            return False
        return False if self.sets.example(topics.part(constraint)) is None else None

    def _wanted(self, found: TopicClass, broker: int, topic: Rewritten) -> list[Pattern]:
        """What is wanted at a broker, less what begins with other words."""
        kept = self._wants.get(broker)
        if kept is None:
            patterns = [one.pattern for one in self.relay.wanted if one.broker == broker and one.pattern is not None]
            kept = self._wants[broker] = (list(dict.fromkeys(patterns)), _Index())
            for number, pattern in enumerate(kept[0]):
                kept[1].add(beginning(whole(pattern)), number)
        patterns, index = kept
        return [patterns[number] for number in index.along((*topic.add, *found.topics.beginning[topic.cut :]))]

    def _candidates(self, found: TopicClass, broker: int, topic: Rewritten) -> list[int]:
        """The arcs from a broker, in their order, less those whose filters all begin with other words."""
        index = self._indices.get(broker)
        if index is None:
            index = self._indices[broker] = _Index()
            for number in self.relay.outs[broker]:
                for entry in self.relay.arcs[number].entries:
                    index.add(() if entry.pattern is None else beginning(whole(entry.pattern)), number)
        return index.along((*topic.add, *found.topics.beginning[topic.cut :]))


def _heard(
    wanting: Sequence[tuple[int, Rewritten]],
    into: Mapping[tuple[int, Rewritten], Sequence[tuple[tuple[int, Rewritten], int]]],
    without: int,
) -> dict[tuple[int, Rewritten], int]:
    """Where it is known that somebody wants it, with how many links that is away; not by way of the broker `without`.

    `into`: place → the places from which links lead there, with how far away each hears of a subscription.
    """
    found = {place: 0 for place in wanting if place[0] != without}
    waiting = deque(found)
    while waiting:
        place = waiting.popleft()
        for before, limit in into.get(place, ()):
            if before not in found and before[0] != without and found[place] + 1 <= limit:
                found[before] = found[place] + 1
                waiting.append(before)
    return found


class Heard:
    """How many subscriptions a broker hears of, one by one, over links that carry a copy for each.

    `steps`: every step that filters allow; `meets`: whether what comes to a place is what a need means. A link that
    carries one copy for all is one subscription to who is before it, and so is one of another kind.
    """

    def __init__(
        self,
        relay: Relay,
        steps: Mapping[tuple[int, Rewritten], Sequence[Passed]],
        meets: Callable[[tuple[int, Rewritten], Need], bool],
    ) -> None:
        self._relay = relay
        self._steps = steps
        self._meets = meets
        self._left = _MOST_HEARD

    def by(self, tail: int, passed: Passed) -> int:
        """How many the broker `tail` hears of over an arc. Raises `TooLarge`."""
        arc = self._relay.arcs[passed.arc]
        assert arc.demand_hops is not None
        near = [one for one in self._at((arc.head, passed.topic), frozenset((tail,))) if one < arc.demand_hops]
        return min(len(near), _MOST_COPIES)

    def _at(self, place: tuple[int, Rewritten], been: frozenset[int]) -> list[int]:
        """How far away each subscription is that is known at a place, not by way of the brokers `been`."""
        self._left -= 1
        if self._left < 0:
            raise TooLarge
        relay, broker = self._relay, place[0]
        needs = [need for need in relay.wanted if need.broker == broker and self._meets(place, need)]
        found = [0] * (1 if relay.estate.brokers[broker].external else len(needs))
        carried: set[tuple[int, Rewritten]] = set()
        for passed in self._steps[place]:
            arc = relay.arcs[passed.arc]
            there = arc.head, passed.topic
            if arc.head in been or there in carried:
                continue
            if relay.guards[broker].once:
                carried.add(there)
            if arc.demand_hops is None:
                found.append(0)
                continue
            heard = [one + 1 for one in self._at(there, been | {broker}) if one < arc.demand_hops]
            found += heard if arc.per_subscription else heard[:1] and [min(heard)]
        return found


def _shortest(found: TopicClass, cut: int, add: Tokens) -> Rewritten:
    """The same name in one way only: what is put before does not end with what was cut, as all of the class have it."""
    while cut and add and add[-1] == found.example[cut - 1]:
        cut, add = cut - 1, add[:-1]
    return Rewritten(cut, add)


class _Index:
    """Arcs by the words that their filters begin with."""

    def __init__(self) -> None:
        self._here: list[int] = []
        self._next: dict[str, _Index] = {}

    def add(self, words: Tokens, arc: int) -> None:
        node = self
        for word in words:
            node = node._next.setdefault(word, _Index())
        if arc not in node._here[-1:]:
            node._here.append(arc)

    def along(self, words: Tokens) -> list[int]:
        """The arcs of which a filter may match a topic that begins with these words and goes on somehow."""
        found: list[int] = []
        node: _Index | None = self
        for word in words:
            assert node is not None
            found += node._here
            node = node._next.get(word)
            if node is None:
                return sorted(set(found))
        waiting = [] if node is None else [node]
        while waiting:
            one = waiting.pop()
            found += one._here
            waiting += one._next.values()
        return sorted(set(found))
