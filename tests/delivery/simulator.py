"""What can become of a few events in a tree of sites, in every interleaving: a simulator for tests.

Written from the contract of the language alone; it shares nothing with `momlint.delivery`. Publishers hand in their
events in the order of a script. What is on its way between two sites arrives whenever it likes. With a sequencer,
an event sets out when it has its number, in the order of its publisher. A site delivers what is its turn; it passes an
event on when that arrives, but with numbers for each link, which it gives and takes in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Member(NamedTuple):
    """A client: its site, what it publishes, what it wants."""

    name: str
    site: int
    publishes: tuple[str, ...]
    subscribes: tuple[str, ...]


@dataclass(frozen=True)
class World:
    """`parents`: of each site, -1 for the root. `order`, `numbering`, `filtering`: as in the language."""

    parents: tuple[int, ...]
    members: tuple[Member, ...]
    filtering: bool
    order: str
    numbering: str

    def neighbours(self, site: int) -> list[int]:
        return [other for other, above in enumerate(self.parents) if site == above or self.parents[site] == other]

    def wanted(self, topic: str, here: int, came_from: int) -> bool:
        """Whether somebody wants the topic at `here` or farther away from `came_from`."""
        if any(member.site == here and topic in member.subscribes for member in self.members):
            return True
        return any(self.wanted(topic, on, here) for on in self.neighbours(here) if on != came_from)

    def next_hops(self, topic: str, here: int, came_from: int) -> list[int]:
        on = [site for site in self.neighbours(here) if site != came_from]
        return [site for site in on if not self.filtering or self.wanted(topic, site, here)]


#: An event of a script: its publisher and its topic.
Event = tuple[Member, str]


class Copy(NamedTuple):
    """One event on its way: its index in the script, where to and from, its number there, numbers of subscribers."""

    event: int
    to: int
    came_from: int
    number: int
    numbers: tuple[tuple[str, int], ...]


class State(NamedTuple):
    """Everything there is at a moment; counters are sorted pairs, sets are frozen."""

    published: int
    asking: tuple[int, ...]
    flying: frozenset[Copy]
    held: frozenset[tuple[int, Copy]]
    counters: frozenset[tuple[object, int]]
    got: frozenset[tuple[str, int]]


def outcomes(world: World, script: list[Event]) -> set[frozenset[tuple[str, int]]]:
    """For each way to end: which subscribers never get which events, (name, index), that came to be published."""
    start = State(0, (), frozenset(), frozenset(), frozenset(), frozenset())
    seen, waiting = {start}, [start]
    ends = set()
    due = {
        (member.name, index)
        for index, (_, topic) in enumerate(script)
        for member in world.members
        if topic in member.subscribes
    }
    while waiting:
        state = waiting.pop()
        following = list(_following(world, script, state))
        if not following:
            ends.add(frozenset(due - state.got))
        for after in following:
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return ends


def _following(world: World, script: list[Event], state: State):
    if state.published < len(script):
        index = state.published
        asking = (*state.asking, index)
        after = state._replace(published=index + 1, asking=asking)
        # Without a sequencer the number is the publisher's own, at once.
        yield after if world.order == "total" else _set_out(world, script, after, index)
    if world.order == "total":
        for index in state.asking:
            mine = [other for other in state.asking if script[other][0] == script[index][0]]
            if mine[0] == index:
                yield _set_out(world, script, state, index)
    for copy in state.flying:
        yield _arrive(world, script, state._replace(flying=state.flying - {copy}), copy)


def _set_out(world: World, script: list[Event], state: State, index: int) -> State:
    publisher, topic = script[index]
    counters = dict(state.counters)
    numbers: tuple[tuple[str, int], ...] = ()
    number = 0
    if world.numbering == "subscriber":
        names = [member.name for member in world.members if topic in member.subscribes]
        for name in names:
            counters["given", name] = counters.get(("given", name), 0) + 1
        numbers = tuple((name, counters["given", name]) for name in names)
    else:
        counter = "all" if world.order == "total" else publisher.name
        number = counters["given", counter] = counters.get(("given", counter), 0) + 1
    asking = tuple(other for other in state.asking if other != index)
    copy = Copy(index, publisher.site, -1, number, numbers)
    return _arrive(world, script, state._replace(asking=asking, counters=frozenset(counters.items())), copy)


def _arrive(world: World, script: list[Event], state: State, copy: Copy) -> State:
    if world.numbering != "link":
        state = _pass_on(world, script, state, copy)
    return _settle(world, script, state._replace(held=state.held | {(copy.to, copy)}))


def _pass_on(world: World, script: list[Event], state: State, copy: Copy) -> State:
    counters = dict(state.counters)
    flying = set(state.flying)
    for site in world.next_hops(script[copy.event][1], copy.to, copy.came_from):
        number = copy.number
        if world.numbering == "link":
            link = ("link", copy.to, site)
            number = counters[link] = counters.get(link, 0) + 1
        flying.add(Copy(copy.event, site, copy.to, number, copy.numbers))
    return state._replace(flying=frozenset(flying), counters=frozenset(counters.items()))


def _settle(world: World, script: list[Event], state: State) -> State:
    """Deliver until nothing that is held back anywhere has its turn."""
    moved = True
    while moved:
        moved = False
        for site, copy in sorted(state.held):
            publisher, topic = script[copy.event]
            counters = dict(state.counters)
            members = [member for member in world.members if member.site == site and topic in member.subscribes]
            if world.numbering == "subscriber":
                theirs = dict(copy.numbers)
                ready = [
                    one
                    for one in members
                    if (one.name, copy.event) not in state.got
                    and counters.get(("turn", one.name), 0) + 1 == theirs[one.name]
                ]
                if not ready:
                    continue
                for one in ready:
                    counters["turn", one.name] = theirs[one.name]
                state = state._replace(
                    counters=frozenset(counters.items()),
                    got=state.got | {(one.name, copy.event) for one in ready},
                )
                moved = True
                break
            turn: tuple[object, ...] | None = None
            if world.numbering == "link":
                # What a publisher hands to its own site comes over a link of its own.
                turn = ("turn", site, copy.came_from if copy.came_from >= 0 else publisher.name)
            elif world.order == "fifo":
                turn = ("turn", site, publisher.name)
            elif world.order == "total":
                turn = ("turn", site)
            if turn is not None:
                if counters.get(turn, 0) + 1 != copy.number:
                    continue
                counters[turn] = copy.number
            state = state._replace(
                held=state.held - {(site, copy)},
                counters=frozenset(counters.items()),
                got=state.got | {(one.name, copy.event) for one in members},
            )
            if world.numbering == "link":
                state = _pass_on(world, script, state, copy)
            moved = True
            break
    return state
