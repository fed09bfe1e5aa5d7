"""What would end a loop, or leave one copy of several: changes that are tried before anybody is told of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from momlint.relayed.classes import Passed, Rewritten, TopicClass
from momlint.relayed.fates import Fates, Told
from momlint.relayed.form import Relay
from momlint.relayed.graph import Fate, fate
from momlint.relayed.patterns import TooLarge

#: A change is tried on so many classes; where more have to do with it, on the first of them.
MOST_CLASSES = 40
#: So many changes are tried for one finding.
_MOST_TRIED = 60
#: So many states of copies are looked at for all findings, and for one change to one class: it is worth no more.
_MOST_STATES, _MOST_AT_ONCE = 60_000, 5_000

#: Where copies of a class come to.
Place = tuple[int, Rewritten]


class Doubled(NamedTuple):
    """A class of which several copies come to a place, or one back to where it was published."""

    one: Told
    place: Place

    @property
    def is_back(self) -> bool:
        """Whether it is published there."""
        return self.place == (self.one.found.origin, Rewritten())

    @property
    def ways(self) -> list[tuple[Passed, ...]]:
        """Those of the first two copies; none for what is published there."""
        return [*[()] * self.is_back, *self.one.fate.ways[self.place]][:2]


class Cut(NamedTuple):
    """Arcs to leave out. `connections`: by name, where whole ones are meant and not one way only.

    `delivers`: whether everything still comes where it came before.
    """

    arcs: frozenset[int]
    connections: tuple[str, ...]
    delivers: bool


class Trials:
    """What becomes of classes with something changed, as far as anybody would wait for it; then it is `TooLarge`."""

    def __init__(self, fates: Fates) -> None:
        self.relay = fates.relay
        self.left = _MOST_STATES

    def without(self, one: Told, arcs: Collection[int]) -> Fate:
        """What would become of a class without these arcs."""
        steps = {
            place: tuple(passed for passed in several if passed.arc not in arcs)
            for place, several in one.found.steps.items()
        }
        return self._fate(self.relay, replace(one.found, steps=steps))

    def limited(self, one: Told, arcs: Collection[int], hops: int) -> Fate:
        """What would become of it with these limits on the hops of arcs, which are lower than they were."""
        changed = tuple(
            arc._replace(max_hops=hops) if number in arcs else arc for number, arc in enumerate(self.relay.arcs)
        )
        return self._fate(replace(self.relay, arcs=changed), one.found)

    def _fate(self, relay: Relay, found: TopicClass) -> Fate:
        if self.left <= 0:
            raise TooLarge
        try:
            result = fate(relay, found, most_states=min(self.left, _MOST_AT_ONCE))
        except TooLarge:
            self.left -= _MOST_AT_ONCE
            raise
        self.left -= result.states
        return result


def cut_of(trials: Trials, looping: Sequence[Told], last: int) -> Cut | None:
    """What to leave out so that these classes come to an end: the arc `last`, else few connections; None if unknown.

    No connection of several is left out in vain.
    """
    several = looping[:MOST_CLASSES]
    try:
        if _ends(trials, several, {last}):
            return Cut(frozenset({last}), (), _delivers(trials, several, {last}))
        return _connections(trials, several, last)
    except TooLarge:
        return None


def _connections(trials: Trials, several: Sequence[Told], last: int) -> Cut | None:
    relay = trials.relay
    members: dict[str, set[int]] = {}
    for number, arc in enumerate(relay.arcs):
        members.setdefault(arc.connection, set()).add(number)
    chosen = [relay.arcs[last].connection]
    for _ in range(_MOST_TRIED):
        arcs = _all(members, chosen)
        cycles = [cycle for one in several for cycle in trials.without(one, arcs).cycles]
        if not cycles:
            break
        # The connection that stands last in the file, of a shortest cycle.
        shortest = min(cycles, key=len)
        chosen.append(relay.arcs[max(shortest, key=lambda step: relay.arcs[step.arc].link).arc].connection)
    else:
        return None
    for one in chosen[:]:
        rest = [other for other in chosen if other != one]
        if rest and _ends(trials, several, _all(members, rest)):
            chosen = rest
    arcs = _all(members, chosen)
    links = {arc.connection: relay.estate.links[arc.link] for arc in reversed(relay.arcs)}
    names = tuple(links[one].connection or links[one].id for one in chosen)
    return Cut(frozenset(arcs), names, _delivers(trials, several, arcs))


def _all(members: dict[str, set[int]], chosen: Iterable[str]) -> set[int]:
    return {arc for one in chosen for arc in members[one]}


def _ends(trials: Trials, several: Sequence[Told], arcs: Collection[int]) -> bool:
    return not any(trials.without(one, arcs).cycles for one in several)


def _delivers(trials: Trials, several: Sequence[Told], arcs: Collection[int]) -> bool:
    return all(
        {broker for broker, _ in (*one.fate.arrivals, *one.fate.endless)} - {one.found.origin}
        <= {broker for broker, _ in trials.without(one, arcs).arrivals}
        for one in several
    )


class Thinned(NamedTuple):
    """What leaves one copy of each: the arc at which to change something, and what; `limit`: the hops to allow there.

    `everywhere`: the limit is meant for all the links that have one, and have to do with it.
    """

    arc: int
    limit: int | None
    everywhere: bool = False


def thinned(trials: Trials, doubled: Sequence[Doubled]) -> Thinned | None:
    """The smallest change that leaves one copy of each and takes none away; None where no single change does."""
    relay = trials.relay
    several = doubled[:MOST_CLASSES]
    first, second = several[0].ways
    counter = relay.arcs[second[-1].arc].counter
    counting = {number for number, arc in enumerate(relay.arcs) if arc.counter == counter and not arc.unguarded}
    hop = sum(step.arc in counting for step in second)
    differ = {step.arc for step in first} ^ {step.arc for step in second}
    latest = sorted(differ, key=lambda arc: relay.arcs[arc].link, reverse=True)
    last = second[-1].arc
    # A connection both ways has one limit in its file.
    limited = {
        number
        for number, arc in enumerate(relay.arcs)
        if arc.connection == relay.arcs[last].connection and arc.max_hops == relay.arcs[last].max_hops
    }
    try:
        if (
            hop > 1
            and relay.arcs[last].max_hops is not None
            and _once(several, lambda one: trials.limited(one, limited, hop - 1))
        ):
            return Thinned(last, hop - 1)
        for arc in latest[:_MOST_TRIED]:
            if _once(several, lambda one, arc=arc: trials.without(one, {arc})):  # type: ignore[misc]
                return Thinned(arc, None)
        bounded = {number for number in counting if (relay.arcs[number].max_hops or 0) >= hop}
        if hop > 1 and last in bounded and _once(several, lambda one: trials.limited(one, bounded, hop - 1)):
            return Thinned(last, hop - 1, everywhere=True)
    except TooLarge:
        return None
    return None


def _once(several: Sequence[Doubled], changed: Callable[[Told], Fate]) -> bool:
    """Whether one copy of each is left, and everything comes where it came."""
    for doubled in several:
        one, place = doubled
        after = changed(one)
        # Where it is published, it is whether or not it comes back.
        wanted = set(one.fate.arrivals) - {(one.found.origin, Rewritten())}
        if after.arrivals.get(place, 0) + doubled.is_back != 1 or not wanted <= set(after.arrivals):
            return False
    return True
