"""The engine graph: what becomes of the copies of a class, by search over (broker, topic, hops, visited, connection).

Exact: every guard is part of the state, and a state that is met again is a loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from momlint.relayed.classes import Passed, Rewritten, TopicClass
from momlint.relayed.form import Relay
from momlint.relayed.patterns import TooLarge

#: So many states of the copies of one class are looked at.
MOST_STATES = 200_000
#: Of more copies it is said that there are at least so many.
MOST_COPIES = 1_000

_NOWHERE: frozenset[int] = frozenset()


class Copy(NamedTuple):
    """A copy where it is: at a broker, called so, after so many hops, come by this connection.

    `hops`: all its counters (`Relay.counted`). `visited`: the brokers that it has left by links that guards look at, as
    far as any guard knows them.
    """

    broker: int
    topic: Rewritten
    hops: int
    visited: frozenset[int]
    connection: str
    link: int


class Guards(NamedTuple):
    """Which guards count; for asking what would happen without them."""

    hops: bool = True
    visited: bool = True


@dataclass
class Fate:
    """What becomes of the copies of a class.

    `arrivals`: (broker, topic) → how many copies arrive there, at most `MOST_COPIES`; of those that go round without
    end, not at all. `ways`: the same → the steps of the first of these copies, at most two. `cycles`: the steps of
    cycles, a shortest one for each arc that is on one. `endless`: where copies arrive without end. `growth`: the steps
    of a cycle on which the topic gets longer every time, where there is one; then its way is cut, and the rest says
    less than all.
    """

    arrivals: dict[tuple[int, Rewritten], int] = field(default_factory=dict)
    ways: dict[tuple[int, Rewritten], list[tuple[Passed, ...]]] = field(default_factory=dict)
    cycles: list[tuple[Passed, ...]] = field(default_factory=list)
    endless: set[tuple[int, Rewritten]] = field(default_factory=set)
    growth: tuple[Passed, ...] = ()
    #: How many states were looked at.
    states: int = 0


def fate(
    relay: Relay,
    found: TopicClass,
    guards: Guards = Guards(),  # noqa: B008 - it is a tuple
    most_states: int = MOST_STATES,
) -> Fate:
    """What becomes of a class. Raises `TooLarge` behind `most_states`."""
    return _Search(relay, found, guards, most_states).run()


def sends(relay: Relay, found: TopicClass, copy: Copy, guards: Guards) -> Iterator[tuple[Passed, Copy]]:
    """The copies that a broker makes of one, each with the arc it takes."""
    guard = relay.guards[copy.broker]
    if copy.link != -1 and not guard.passes_on:
        return
    carried: dict[tuple[int, Rewritten], int] = {}
    for passed in found.steps[copy.broker, copy.topic]:
        arc = relay.arcs[passed.arc]
        if guards.hops and arc.max_hops is not None and relay.counted(arc, copy.hops) + 1 > arc.max_hops:
            continue
        by_first = (
            not guard.once or arc.forgets or carried.setdefault((arc.head, passed.topic), passed.arc) == passed.arc
        )
        if not by_first:
            continue
        if copy.link != -1 and (
            (guard.split == "connection" and arc.connection == copy.connection)
            or (guard.split == "link" and arc.link == copy.link)
        ):
            continue
        if arc.unguarded:
            hops, visited = (0, _NOWHERE) if arc.forgets else (copy.hops, copy.visited)
            yield passed, Copy(arc.head, passed.topic, hops, visited, *arc.came)
            continue
        identity = relay.identity[arc.head]
        # One that no guard knows it by need not be remembered.
        been = copy.visited if relay.identity[copy.broker] is None else copy.visited | {copy.broker}
        if guards.visited and identity is not None and identity in {relay.identity[one] for one in been}:
            continue
        hops = relay.raised(arc, copy.hops) if guards.hops else 0
        visited = been if guards.visited else copy.visited
        yield passed, Copy(arc.head, passed.topic, hops, visited, *arc.came)


class _Search:
    def __init__(self, relay: Relay, found: TopicClass, guards: Guards, most_states: int) -> None:
        self.most_states = most_states
        self.relay = relay
        self.found = found
        self.guards = guards
        self.edges: dict[Copy, list[tuple[Passed, Copy]]] = {}
        self.came: dict[Copy, tuple[Passed, Copy]] = {}

    def run(self) -> Fate:
        start = Copy(self.found.origin, Rewritten(), 0, frozenset(), "", -1)
        result = Fate()
        order = self._states(start, result)
        result.states = len(order)
        component = _components(self.edges, order)
        sizes: dict[int, int] = {}
        for state in order:
            sizes[component[state]] = sizes.get(component[state], 0) + 1
        loops = {
            number
            for state in order
            for number in (component[state],)
            if sizes[number] > 1 or any(after == state for _, after in self.edges[state])
        }
        self._cycles(result, order, component, loops)
        # Behind a cycle there is no counting.
        endless = set()
        waiting = [state for state in order if component[state] in loops]
        while waiting:
            state = waiting.pop()
            if state not in endless:
                endless.add(state)
                waiting += [after for _, after in self.edges[state]]
        result.endless = {(state.broker, state.topic) for state in endless}
        self._count(result, start, order, endless)
        return result

    def _states(self, start: Copy, result: Fate) -> list[Copy]:
        """All states, in the order in which they are met."""
        waiting, order = [start], []
        seen = {start}
        for state in waiting:
            order.append(state)
            self.edges[state] = []
            for passed, after in sends(self.relay, self.found, state, self.guards):
                if (after.broker, after.topic) in self.found.deep:
                    result.growth = result.growth or self._growing(passed, state)
                    continue
                self.edges[state].append((passed, after))
                if after not in seen:
                    seen.add(after)
                    self.came[after] = passed, state
                    waiting.append(after)
                    if len(seen) > self.most_states:
                        raise TooLarge
        return order

    def _growing(self, last: Passed, state: Copy) -> tuple[Passed, ...]:
        """The last steps of the way to where the topic is too long, back to where this arc was taken before."""
        steps = [last]
        while state in self.came:
            step, state = self.came[state]
            if step.arc == last.arc:
                break
            steps.append(step)
        return tuple(reversed(steps))

    def _cycles(self, result: Fate, order: list[Copy], component: dict[Copy, int], loops: set[int]) -> None:
        """For each arc that is on a cycle, a shortest one through it."""
        told: set[int] = set()
        for state in order:
            if component[state] not in loops:
                continue
            for passed, after in self.edges[state]:
                if component[after] != component[state] or passed.arc in told:
                    continue
                cycle = (passed, *self._way(after, state, component))
                told.update(step.arc for step in cycle)
                result.cycles.append(cycle)

    def _way(self, start: Copy, goal: Copy, component: dict[Copy, int]) -> tuple[Passed, ...]:
        """The steps of a shortest way within a component."""
        came: dict[Copy, tuple[Passed, Copy] | None] = {start: None}
        waiting = [start]
        for state in waiting:
            if state == goal:
                break
            for passed, after in self.edges[state]:
                if after not in came and component[after] == component[goal]:
                    came[after] = passed, state
                    waiting.append(after)
        steps: list[Passed] = []
        step = came[goal]
        while step is not None:
            steps.append(step[0])
            step = came[step[1]]
        return tuple(reversed(steps))

    def _count(self, result: Fate, start: Copy, order: list[Copy], endless: set[Copy]) -> None:
        """How many copies come to each state that no cycle leads to, and the first two ways."""
        ingoing = dict.fromkeys((state for state in order if state not in endless), 0)
        for state in ingoing:
            for _, after in self.edges[state]:
                if after in ingoing:
                    ingoing[after] += 1
        counts = dict.fromkeys(ingoing, 0)
        ways: dict[Copy, list[tuple[Passed, ...]]] = {state: [] for state in ingoing}
        if start not in ingoing:
            return
        counts[start], ways[start] = 1, [()]
        ready = [start]
        for state in ready:
            place = state.broker, state.topic
            if state != start:
                result.arrivals[place] = min(MOST_COPIES, result.arrivals.get(place, 0) + counts[state])
                result.ways.setdefault(place, []).extend(ways[state])
            for passed, after in self.edges[state]:
                if after not in ingoing:
                    continue
                counts[after] = min(MOST_COPIES, counts[after] + counts[state])
                ways[after] += [(*way, passed) for way in ways[state]]
                del ways[after][2:]
                ingoing[after] -= 1
                if not ingoing[after]:
                    ready.append(after)
        for place, some in result.ways.items():
            some.sort(key=lambda way: (len(way), [step.arc for step in way]))
            del result.ways[place][2:]


def _components(edges: dict[Copy, list[tuple[Passed, Copy]]], order: list[Copy]) -> dict[Copy, int]:
    """The strongly connected component of each state, by number."""
    import rustworkx

    index = {state: number for number, state in enumerate(order)}
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(order)))
    graph.extend_from_edge_list([(index[state], index[after]) for state in order for _, after in edges[state]])
    component: dict[Copy, int] = {}
    for number, members in enumerate(rustworkx.strongly_connected_components(graph)):
        component.update((order[member], number) for member in members)
    return component
