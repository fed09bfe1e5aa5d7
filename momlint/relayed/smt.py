"""The engine smt: the same question to a solver, as walks of bounded length; shares the classes with the engine graph.

The bound is real where every arc has a hop limit, or every broker remembers where a message has been. Elsewhere walks
are made longer until there is none of that length, or one of them comes back to a state that it has been in.
"""

from __future__ import annotations

import time
from collections import Counter
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from momlint.relayed.classes import Passed, Rewritten, TopicClass
from momlint.relayed.form import Arc, Relay
from momlint.rendering import template
from momlint.solving.choose import open_session
from momlint.solving.limits import GaveUp, SolverLimits
from momlint.solving.session import Every, No

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momlint.solving.session import Model, Session

#: z3 resource units for one class.
RLIMIT = 300_000_000
#: Steps of a class, and copies of it, beyond which a second opinion is not asked for unless by name.
SMALL_STEPS, SMALL_COPIES = 40, 24
#: Layers beyond which nobody waits.
_MOST_LAYERS = 512


class Answer(NamedTuple):
    """`loops`: whether copies go round without end. `arrivals`: where there is no loop, how many come where."""

    loops: bool
    arrivals: dict[tuple[int, Rewritten], int]


class _Step(NamedTuple):
    """A step from a place. `before`, `after`: the copy's counters of hops; () where each step is a hop of the same."""

    tail: tuple[int, Rewritten]
    passed: Passed
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


def decide(relay: Relay, found: TopicClass, solver: str = "z3", timeout: float | None = None) -> Answer:
    """What becomes of a class. Raises `GaveUp`."""
    deadline = None if timeout is None else time.monotonic() + timeout
    return _Walks(relay, found, solver, SolverLimits(RLIMIT, deadline, timeout)).run()


class _Walks:
    def __init__(self, relay: Relay, found: TopicClass, solver: str, limits: SolverLimits) -> None:
        self.relay = relay
        self.solver = solver
        self.limits = limits
        self.origin = found.origin, Rewritten()
        steps = [
            _Step(place, passed)
            for place, several in found.steps.items()
            for passed in several
            if (relay.arcs[passed.arc].head, passed.topic) not in found.deep
        ]
        # Where some links are no hops, or other ones, each step is there once for each number of hops of the copy.
        arcs = [relay.arcs[step.passed.arc] for step in steps]
        uneven = any(arc.unguarded or arc.counter for arc in arcs)
        self.steps = [one for step in steps for one in self._by_hops(step)] if uneven else steps

    def run(self) -> Answer:
        length = 4
        while True:
            layers = self._layers(length)
            if not layers[1]:
                return Answer(False, {})
            session = self._session(layers, length)
            longest = session.find(f"e{length}")
            if longest is None:
                return Answer(False, self._all(session, layers, length))
            if self._comes_back([self._taken(longest, layers, i) for i in range(1, length + 1)]):
                return Answer(True, {})
            length *= 2
            if length > _MOST_LAYERS:
                raise GaveUp(f"walks of more than {_MOST_LAYERS:,} hops would have to be looked at")

    def _layers(self, length: int) -> dict[int, list[int]]:
        """The steps that each hop may take, as far as that is to be seen without the others."""
        layers: dict[int, list[int]] = {0: []}
        carried: dict[int, list[int]] = {}
        for i in range(1, length + 1):
            # Behind the last limit, and the first hop, all hops are alike.
            alike = min(i, self.relay.most_hops + 2)
            if alike not in carried:
                carried[alike] = [one for one in self._carried(alike) if not self._stays(self.steps[one])]
            before = set(layers[i - 1])
            layers[i] = [
                number
                for number in carried[alike]
                if (self.steps[number].tail == self.origin if i == 1 else not before.isdisjoint(self.preceding[number]))
            ]
        return layers

    @cached_property
    def preceding(self) -> list[list[int]]:
        """For each step, those that it may follow; in their order."""
        arriving: dict[tuple[int, Rewritten], list[int]] = {}
        for number, step in enumerate(self.steps):
            arriving.setdefault((self.relay.arcs[step.passed.arc].head, step.passed.topic), []).append(number)
        return [
            [one for one in arriving.get(step.tail, ()) if self._follows(one, number)]
            for number, step in enumerate(self.steps)
        ]

    def _carried(self, hop: int) -> list[int]:
        """The steps whose links let a message pass as this hop, where a broker sends one to another once."""
        first: dict[tuple[tuple[int, Rewritten], tuple[int, ...], int, Rewritten], int] = {}
        within = [number for number, step in enumerate(self.steps) if self._within(step, hop)]
        for number in within:
            if not self.relay.arcs[self.steps[number].passed.arc].forgets:
                first.setdefault(self._leads(number), number)
        return [
            number
            for number in within
            if not self.relay.guards[self.steps[number].tail[0]].once
            or self.relay.arcs[self.steps[number].passed.arc].forgets
            or self.steps[first[self._leads(number)]].passed.arc == self.steps[number].passed.arc
        ]

    def _leads(self, number: int) -> tuple[tuple[int, Rewritten], tuple[int, ...], int, Rewritten]:
        """From where to where a step leads, and as what."""
        step = self.steps[number]
        return step.tail, step.before, self.relay.arcs[step.passed.arc].head, step.passed.topic

    def _by_hops(self, step: _Step) -> Iterator[_Step]:
        numbers = range(self.relay.most_hops + 2)
        arc = self.relay.arcs[step.passed.arc]
        for before in product(*[numbers] * self.relay.counters):
            yield step._replace(before=before, after=self._behind(arc, before))

    def _behind(self, arc: Arc, before: tuple[int, ...]) -> tuple[int, ...]:
        """The counters of hops of a copy that has come over an arc."""
        if arc.forgets:
            return (0,) * self.relay.counters
        own = -1 if arc.unguarded else arc.counter
        most = self.relay.most_hops + 1
        return tuple(min(count + (number == own), most) for number, count in enumerate(before))

    def _within(self, step: _Step, hop: int) -> bool:
        arc = self.relay.arcs[step.passed.arc]
        limit = arc.max_hops
        if step.before:
            # As the first one, a step begins without any hop behind it.
            return (hop > 1 or not any(step.before)) and (limit is None or step.before[arc.counter] + 1 <= limit)
        return limit is None or hop <= limit

    def _stays(self, step: _Step) -> bool:
        """Whether it leads to where the message is already, as far as it remembers."""
        return self._alike(step, step.tail[0])

    def _alike(self, step: _Step, broker: int) -> bool:
        """Whether a message does not go where the step leads once it remembers `broker`."""
        arc = self.relay.arcs[step.passed.arc]
        identity = self.relay.identity[arc.head]
        return not arc.unguarded and identity is not None and identity == self.relay.identity[broker]

    def _follows(self, first: int, second: int) -> bool:
        """Whether a copy that came by one step may go on by the other."""
        one, other = self.steps[first], self.steps[second]
        came, goes = self.relay.arcs[one.passed.arc], self.relay.arcs[other.passed.arc]
        if other.tail != (came.head, one.passed.topic) or one.after != other.before:
            return False
        guard = self.relay.guards[came.head]
        if not guard.passes_on:
            return False
        connection, link = came.came
        if guard.split == "connection":
            return connection != goes.connection
        return guard.split != "link" or link != goes.link

    def _been(self, layers: dict[int, list[int]], hop: int, number: int) -> list[tuple[int, int]]:
        """The earlier steps after which this one leads to where the message has been."""
        step = self.steps[number]
        if self.relay.identity[self.relay.arcs[step.passed.arc].head] is None:
            return []
        return [
            (earlier, one)
            for earlier in range(1, hop)
            for one in layers[earlier]
            if self._alike(step, self.steps[one].tail[0]) and not self.relay.arcs[self.steps[one].passed.arc].unguarded
        ]

    def _forgotten(self, layers: dict[int, list[int]], first: int, last: int) -> list[tuple[int, int]]:
        """The steps of these hops behind which a message knows nothing of where it has been."""
        return [
            (hop, number)
            for hop in range(first, last)
            for number in layers[hop]
            if self.relay.arcs[self.steps[number].passed.arc].forgets
        ]

    def _session(self, layers: dict[int, list[int]], length: int) -> Session:
        within = {hop: set(several) for hop, several in layers.items()}
        text = template("relay.smt2.j2").render(
            layers=range(1, length + 1),
            steps=layers,
            last=length,
            preceding=lambda hop, number: [one for one in self.preceding[number] if one in within[hop - 1]],
            been=lambda hop, number: self._been(layers, hop, number),
            forgotten=lambda first, last: self._forgotten(layers, first, last),
        )
        return open_session(self.solver, text, self.limits)

    def _taken(self, model: Model, layers: dict[int, list[int]], hop: int) -> int:
        (index,) = model.true([f"h{hop}_{number}" for number in layers[hop]])
        return layers[hop][index]

    def _comes_back(self, walk: list[int]) -> bool:
        """Whether a walk is twice in one state: from there it goes on for ever as it did before."""
        seen = set()
        visited: set[int] = set()
        hops = (0,) * self.relay.counters
        for number in walk:
            step = self.steps[number]
            arc = self.relay.arcs[step.passed.arc]
            if arc.forgets:
                visited.clear()
            elif not arc.unguarded and self.relay.identity[step.tail[0]] is not None:
                visited.add(step.tail[0])
            hops = self._behind(arc, hops)
            state = arc.head, step.passed.topic, *arc.came, hops, frozenset(visited)
            if state in seen:
                return True
            seen.add(state)
        return False

    def _all(self, session: Session, layers: dict[int, list[int]], length: int) -> dict[tuple[int, Rewritten], int]:
        arrivals: Counter[tuple[int, Rewritten]] = Counter()
        while (model := session.find()) is not None:
            (ends,) = model.true([f"e{i}" for i in range(1, length + 1)])
            walk = [self._taken(model, layers, i) for i in range(1, ends + 2)]
            last = self.steps[walk[-1]].passed
            arrivals[self.relay.arcs[last.arc].head, last.topic] += 1
            taken = [f"h{hop}_{number}" for hop, number in enumerate(walk, 1)]
            session.require(No(Every([f"e{ends + 1}", *taken])))
        return dict(arrivals)
