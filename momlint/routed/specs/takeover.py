"""The model of take-overs (thesis 5.1): which broker has failed, and who hangs on which.

At most one broker is down; it starts with none, and any state of the brokers may follow any other. A step after its
broker has failed an end node hangs on the adopter, a step after the broker is back it hangs on its own again: that
step is the X of the printed specifications. So a state is a pair: what was down a step ago, and what is down now.

Truth is an array bool[before, now] with index 0 for "none" and i + 1 for broker i. From (b, n) every (n, m) may
follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from momlint.routed.specs.ctl import junction
from momlint.routed.specs.ends import Ends, ends_of
from momlint.routed.specs.formula import (
    Atom,
    Attached,
    BrokerUp,
    Fixed,
    Formula,
    Junction,
    Not,
    Path,
    SameTopic,
    TopicOf,
    atoms,
)
from momlint.routed.specs.result import SpecFalse, SpecResult, SpecTrue, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.specs.vocabulary import Names

T = TypeVar("T")

#: A state: (down a step ago, down now).
State = tuple[int, int]
START: State = (0, 0)


class Takeover:
    """The model for one estate."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.ends: Ends = ends_of(names)
        self.size = len(names.brokers) + 1

    def atom(self, atom: Atom) -> NDArray[np.bool_]:
        """bool[before, now]: where `atom` holds."""
        shape = (self.size, self.size)
        index = np.arange(self.size)
        match atom:
            case Fixed(value):
                return np.full(shape, value)
            case BrokerUp(broker):
                return np.broadcast_to(index != broker + 1, shape)
            case Attached(number, broker):
                end = self.ends.nodes[number]
                on = np.where(index == end.home + 1, end.adopter, end.home) == broker
                return np.broadcast_to(on[:, None], shape)
            case TopicOf(number, topics):
                return np.full(shape, self.ends.nodes[number].topic in topics)
            case SameTopic(left, right):
                return np.full(shape, self.ends.nodes[left].topic == self.ends.nodes[right].topic)
        raise AssertionError(atom)

    def trace(self, formula: Formula, states: list[State], loop: int | None) -> Trace:
        """States by name: which broker is down, and where the end nodes hang that `formula` speaks of."""
        ends = sorted({atom.end for atom in atoms(formula) if isinstance(atom, Attached)})
        named = []
        for before, now in states:
            state = {"failed": "none" if now == 0 else self.names.brokers[now - 1]}
            for number in ends:
                end = self.ends.nodes[number]
                on = end.adopter if before == end.home + 1 else end.home
                state[f"{end.name} on"] = self.names.brokers[on]
            named.append(state)
        if loop is not None:
            named, loop = shortened(named, loop)
        return Trace(tuple(named), loop)


def shortened(states: list[T], loop: int) -> tuple[list[T], int]:
    """The same infinite path, written as short as can be: states that differ in nothing shown may repeat."""
    stem, cycle = states[:loop], states[loop:]
    for length in range(1, len(cycle)):
        if len(cycle) % length == 0 and cycle == cycle[:length] * (len(cycle) // length):
            cycle = cycle[:length]
            break
    while stem and stem[-1] == cycle[-1]:
        stem.pop()
        cycle = [cycle[-1], *cycle[:-1]]
    return [*stem, *cycle], len(stem)


def decide_ctl(names: Names, formula: Formula) -> SpecResult:
    """Whether the CTL `formula` holds in the state in which nothing has failed."""
    checker = _Checker(Takeover(names))
    if checker.holds(formula)[START]:
        return SpecTrue()
    states, loop = checker.against(formula, START)
    return SpecFalse(checker.model.trace(formula, states, loop))


class _Checker:
    """CTL by set fixpoints, and paths that show a formula false (or, below a negation, true)."""

    def __init__(self, model: Takeover) -> None:
        self.model = model
        self.memo: dict[int, tuple[Formula, NDArray[np.bool_]]] = {}

    def holds(self, formula: Formula) -> NDArray[np.bool_]:
        """bool[before, now]"""
        if id(formula) not in self.memo:
            # The formula is kept beside its truth, so that its id stays its own.
            self.memo[id(formula)] = (formula, self._holds(formula))
        return self.memo[id(formula)][1]

    def _holds(self, formula: Formula) -> NDArray[np.bool_]:
        match formula:
            case Not(operand):
                return ~self.holds(operand)
            case Junction(operator, left, right):
                return junction(operator, self.holds(left), self.holds(right))
            case Path(operator, operand, left):
                goal = self.holds(operand)
                everywhere = np.ones_like(goal)
                match operator:
                    case "EX":
                        return _some(goal)
                    case "AX":
                        return ~_some(~goal)
                    case "EF":
                        return _until(everywhere, goal)
                    case "AG":
                        return ~_until(everywhere, ~goal)
                    case "EG":
                        return _always(goal)
                    case "AF":
                        return ~_always(~goal)
                    case "EU" | "AU":
                        assert left is not None
                        meanwhile = self.holds(left)
                        if operator == "EU":
                            return _until(meanwhile, goal)
                        return ~(_until(~goal, ~meanwhile & ~goal) | _always(~goal))
                raise AssertionError(operator)
        return self.model.atom(formula)

    def against(self, formula: Formula, at: State) -> tuple[list[State], int | None]:
        """A path from `at`, where `formula` is false, that shows it."""
        match formula:
            case Not(operand):
                return self.for_(operand, at)
            case Junction(operator, left, right):
                return self._junction(operator, left, right, at, value=False)
            case Path("AX", operand):
                bad = ~self.holds(operand)
                return self._then(at, [self._successor(at, bad)], lambda end: self.against(operand, end))
            case Path("AG", operand):
                bad = ~self.holds(operand)
                return self._reach(at, np.ones_like(bad), bad, lambda end: self.against(operand, end))
            case Path("AF", operand):
                return self._stay(at, _always(~self.holds(operand)))
            case Path("AU", operand, left) if left is not None:
                never = ~self.holds(operand)
                broken = never & ~self.holds(left)
                if _until(never, broken)[at]:
                    return self._reach(at, never, broken, lambda end: self.against(left, end))
                return self._stay(at, _always(never))
        # Nothing is there that it asks for: no path can show that.
        return [at], None

    def for_(self, formula: Formula, at: State) -> tuple[list[State], int | None]:
        """A path from `at`, where `formula` is true, that shows it."""
        match formula:
            case Not(operand):
                return self.against(operand, at)
            case Junction(operator, left, right):
                return self._junction(operator, left, right, at, value=True)
            case Path("EX", operand):
                return self._then(at, [self._successor(at, self.holds(operand))], lambda end: self.for_(operand, end))
            case Path("EF", operand):
                goal = self.holds(operand)
                return self._reach(at, np.ones_like(goal), goal, lambda end: self.for_(operand, end))
            case Path("EG", operand):
                return self._stay(at, _always(self.holds(operand)))
            case Path("EU", operand, left) if left is not None:
                return self._reach(at, self.holds(left), self.holds(operand), lambda end: self.for_(operand, end))
        return [at], None

    def _junction(
        self, operator: str, left: Formula, right: Formula, at: State, *, value: bool
    ) -> tuple[list[State], int | None]:
        # A path shows one side; of those that make the whole what it is, the one that has more to show.
        sides = []
        for side in (left, right):
            path = (self.for_ if self.holds(side)[at] else self.against)(side, at)
            sides.append((self.holds(side)[at], path))
        settles = {"&": (False, False), "|": (True, True), "->": (False, True)}.get(operator)
        if settles is not None and value == (operator != "&"):
            paths = [path for (now, path), wanted in zip(sides, settles, strict=True) if now == wanted]
        else:
            paths = [path for _, path in sides]
        return max(paths, key=lambda path: len(path[0]))

    def _successor(self, at: State, allowed: NDArray[np.bool_]) -> State:
        return at[1], int(np.flatnonzero(allowed[at[1]])[0])

    def _then(
        self, at: State, more: list[State], rest: Callable[[State], tuple[list[State], int | None]]
    ) -> tuple[list[State], int | None]:
        path = [at, *more]
        tail, loop = rest(path[-1])
        return path[:-1] + tail, None if loop is None else loop + len(path) - 1

    def _reach(
        self,
        at: State,
        through: NDArray[np.bool_],
        goal: NDArray[np.bool_],
        rest: Callable[[State], tuple[list[State], int | None]],
    ) -> tuple[list[State], int | None]:
        """A shortest path from `at` through `through` to `goal`, and what `rest` says from there."""
        return self._then(at, shortest(at, through, goal)[1:], rest)

    def _stay(self, at: State, inside: NDArray[np.bool_]) -> tuple[list[State], int | None]:
        """A lasso from `at` that never leaves `inside`, of whose states each has a successor in it."""
        path, where = [at], {at: 0}
        while True:
            # Back to where we have been, if that is possible, makes the shorter lasso.
            back = [s for s in path if s[0] == path[-1][1] and inside[s]]
            after = back[0] if back else self._successor(path[-1], inside)
            if after in where:
                return path, where[after]
            where[after] = len(path)
            path.append(after)


def _some(z: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """EX: from (b, n) some (n, m) is in `z`."""
    return np.broadcast_to(z.any(axis=1), z.shape)


def _until(meanwhile: NDArray[np.bool_], goal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """E [meanwhile U goal]: the least fixpoint."""
    z = goal
    while True:
        larger = goal | meanwhile & _some(z)
        if (larger == z).all():
            return z
        z = larger


def _always(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """EG inside: the greatest fixpoint."""
    z = inside
    while True:
        smaller = inside & _some(z)
        if (smaller == z).all():
            return z
        z = smaller


def shortest(at: State, through: NDArray[np.bool_], goal: NDArray[np.bool_]) -> list[State]:
    """A shortest path from `at` to `goal`, both included, through states of `through`."""
    came: dict[State, State | None] = {at: None}
    todo = [at]
    for state in todo:
        if goal[state]:
            return list(_back(came, state))[::-1]
        if not through[state]:
            continue
        for now in np.flatnonzero(through[state[1]] | goal[state[1]]).tolist():
            after = (state[1], now)
            if after not in came:
                came[after] = state
                todo.append(after)
    raise AssertionError("the goal is known to be reachable")


def _back(came: dict[State, State | None], state: State | None) -> Iterator[State]:
    while state is not None:
        yield state
        state = came[state]
