"""What becomes of messages, by search: where copies go, how many arrive, and which go round for ever.

The state of a copy: broker, class, by which group it came, hops so far, what it remembers of brokers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from momlint.relayed.form import Form

#: So many states are looked at.
MOST_STATES: Final = 3_000_000


class State(NamedTuple):
    """A copy at a broker. `visited` has what it remembers, the broker's own included."""

    broker: int
    klass: int
    group: str | None = None
    hops: int = 0
    visited: frozenset[str] = frozenset()
    own: bool = True


class Step(NamedTuple):
    """A crossing: the arc, the entry that let it pass, the state behind it."""

    arc: int
    entry: int
    state: State


class TooMany(Exception):
    """There are more states than are looked at."""


def start(form: Form, broker: int, klass: int) -> State:
    """The state of a message where it is published."""
    identity = form.identity[broker]
    return State(broker, klass, visited=frozenset() if identity is None else frozenset((identity,)))


def steps(form: Form, state: State, without: frozenset[int] = frozenset()) -> Iterator[Step]:
    """Where a copy goes on to; not over links in `without`."""
    if not (state.own or form.transit[state.broker]):
        return
    for number in form.leaving[state.broker]:
        arc = form.arcs[number]
        if arc.link in without or (arc.group is not None and arc.group == state.group):
            continue
        hops = min(state.hops + 1, form.most_hops)
        if arc.most_hops is not None and hops > arc.most_hops:
            continue
        identity = form.identity[arc.head]
        if identity is not None and identity in state.visited:
            continue
        crossed = form.cross(number, state.klass)
        if crossed is None:
            continue
        visited = state.visited if identity is None else state.visited | {identity}
        yield Step(number, crossed[1], State(arc.head, crossed[0], arc.brings, hops, visited, own=False))


class Reached:
    """The states that messages come to, and their steps."""

    def __init__(self, form: Form, starts: Iterable[State], without: frozenset[int] = frozenset()) -> None:
        self.following: dict[State, list[Step]] = {}
        pending = list(starts)
        while pending:
            state = pending.pop()
            if state in self.following:
                continue
            if len(self.following) >= MOST_STATES:
                raise TooMany
            self.following[state] = found = list(steps(form, state, without))
            pending += [one.state for one in found if one.state not in self.following]

    def cyclic(self) -> list[list[State]]:
        """The strongly connected sets of states that have a cycle (Tarjan's algorithm, without recursion)."""
        index: dict[State, int] = {}
        low: dict[State, int] = {}
        on_stack: set[State] = set()
        stack: list[State] = []
        found = []
        for root in self.following:
            if root in index:
                continue
            work = [(root, iter(self.following[root]))]
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
            while work:
                state, rest = work[-1]
                for step in rest:
                    other = step.state
                    if other not in index:
                        index[other] = low[other] = len(index)
                        stack.append(other)
                        on_stack.add(other)
                        work.append((other, iter(self.following[other])))
                        break
                    if other in on_stack:
                        low[state] = min(low[state], index[other])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[state])
                    if low[state] == index[state]:
                        members = []
                        while True:
                            one = stack.pop()
                            on_stack.discard(one)
                            members.append(one)
                            if one == state:
                                break
                        if len(members) > 1 or any(step.state == state for step in self.following[state]):
                            found.append(members)
        return found

    def shortest_cycle(self, members: list[State]) -> list[Step]:
        """The steps of a shortest cycle among `members`, which are strongly connected; first by number among equals."""
        inside = set(members)
        best: list[Step] = []
        ordered = sorted(members, key=lambda one: (one.klass, one.broker, one.group or ""))
        for first in ordered[:200]:
            found = self._back_to(first, inside, len(best) - 1 if best else None)
            if found and (not best or len(found) < len(best)):
                best = found
        return best

    def _back_to(self, first: State, inside: set[State], most: int | None) -> list[Step]:
        came: dict[State, tuple[State, Step]] = {}
        pending = deque([(first, 0)])
        while pending:
            state, length = pending.popleft()
            if most is not None and length >= most:
                return []
            for step in self.following[state]:
                if step.state == first:
                    path = [step]
                    at = state
                    while at != first:
                        at, before = came[at]
                        path.append(before)
                    return path[::-1]
                if step.state in inside and step.state not in came:
                    came[step.state] = state, step
                    pending.append((step.state, length + 1))
        return []


def copies(form: Form, first: State) -> dict[tuple[int, int], int] | None:
    """Copies by broker and class, the message itself included; None where it goes round for ever."""
    reached = Reached(form, [first])
    if reached.cyclic():
        return None
    order: list[State] = []
    seen: set[State] = set()
    work = [(first, iter(reached.following[first]))]
    seen.add(first)
    while work:
        state, rest = work[-1]
        for step in rest:
            if step.state not in seen:
                seen.add(step.state)
                work.append((step.state, iter(reached.following[step.state])))
                break
        else:
            work.pop()
            order.append(state)
    ways = {first: 1}
    found: dict[tuple[int, int], int] = {}
    for state in reversed(order):
        number = ways[state]
        key = state.broker, state.klass
        found[key] = found.get(key, 0) + number
        for step in reached.following[state]:
            ways[step.state] = ways.get(step.state, 0) + number
    return found


def walks_to(form: Form, first: State, broker: int, klass: int, most: int) -> list[list[Step]]:
    """Up to `most` walks by which copies come to a broker as a class, the shortest first; of a message that ends."""
    found: list[list[Step]] = []
    pending: deque[tuple[State, list[Step]]] = deque([(first, [])])
    looked = 0
    while pending and len(found) < most and looked < 100_000:
        looked += 1
        state, path = pending.popleft()
        if (state.broker, state.klass) == (broker, klass):
            found.append(path)
        for step in steps(form, state):
            pending.append((step.state, [*path, step]))
    return found
