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
    for number in form.worth(state.broker, state.klass):
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

    def is_tree(self, first: State) -> bool:
        """Whether messages from a state, which is one of these, come to each broker by one way at the most."""
        brokers = {first.broker}
        pending = [first]
        while pending:
            for step in self.following[pending.pop()]:
                if step.state.broker in brokers:
                    return False
                brokers.add(step.state.broker)
                pending.append(step.state)
        return True

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


class Named(NamedTuple):
    """A copy of one message where it is, and what it is called there: no filter need tell that name from others."""

    state: State
    topic: str


def named_steps(form: Form, at: Named) -> Iterator[tuple[Step, Named]]:
    """Where a copy of one message goes on to, under which name."""
    for step in steps(form, at.state):
        yield step, Named(step.state, form.renamed(step.arc, step.entry, at.topic))


def copies(form: Form, first: State, topic: str | None = None) -> dict[tuple[int, str], int] | None:
    """Copies by broker and name, the message itself included; None where it goes round for ever.

    `topic`: one of the class of `first`; else the example of that.
    """
    if Reached(form, [first]).cyclic():
        return None
    beginning = Named(first, form.classes.examples[first.klass] if topic is None else topic)
    following: dict[Named, list[Named]] = {}
    order: list[Named] = []
    work = [(beginning, iter(_following(form, beginning, following)))]
    while work:
        at, rest = work[-1]
        for after in rest:
            if after not in following:
                work.append((after, iter(_following(form, after, following))))
                break
        else:
            work.pop()
            order.append(at)
    ways = {beginning: 1}
    found: dict[tuple[int, str], int] = {}
    for at in reversed(order):
        number = ways[at]
        key = at.state.broker, at.topic
        found[key] = found.get(key, 0) + number
        for after in following[at]:
            ways[after] = ways.get(after, 0) + number
    return found


def _following(form: Form, at: Named, known: dict[Named, list[Named]]) -> list[Named]:
    if len(known) >= MOST_STATES:
        raise TooMany
    known[at] = found = [after for _, after in named_steps(form, at)]
    return found


def walks_to(form: Form, first: State, broker: int, topic: str, most: int) -> list[list[Step]]:
    """Up to `most` walks by which copies come to a broker as `topic`, the shortest first; of a message that ends."""
    found: list[list[Step]] = []
    pending: deque[tuple[Named, list[Step]]] = deque([(Named(first, form.classes.examples[first.klass]), [])])
    looked = 0
    while pending and len(found) < most and looked < 100_000:
        looked += 1
        at, path = pending.popleft()
        if (at.state.broker, at.topic) == (broker, topic):
            found.append(path)
        for step, after in named_steps(form, at):
            pending.append((after, [*path, step]))
    return found
