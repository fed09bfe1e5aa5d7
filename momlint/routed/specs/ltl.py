"""LTL with past over the model of take-overs: the tableau of the negation, and a fair lasso in it.

Method of the tableau (Lichtenstein and Pnueli; Clarke, Grumberg and Hamaguchi for the symbolic form): one bit for
each subformula whose truth is settled by the next state (X, U) or the last (Y, S); a state of the product is a state
of the model with a guess of these bits; steps are those that keep the guesses; every U that is claimed must be
redeemed again and again. The formula is false if the product has a fair path from a start where its negation holds.
Emptiness by the fixpoint of Emerson and Lei on arrays.

Brokers that the formula cannot tell apart are put together first (they are bisimilar, for any state of the brokers
may follow any other), so the size depends on the formula and not on the number of brokers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.specs.formula import (
    TRUE,
    Attached,
    BrokerUp,
    Formula,
    Junction,
    Not,
    Path,
    atoms,
)
from momlint.routed.specs.result import SpecFalse, SpecResult, SpecTrue
from momlint.routed.specs.takeover import State, Takeover
from momlint.solving.limits import GaveUp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.specs.vocabulary import Names

#: States of the product that are looked at, at most.
MAX_STATES = 1 << 21


def decide_ltl(names: Names, formula: Formula, deadline: float | None = None) -> SpecResult:
    """Whether every path from the start, where nothing has failed, satisfies `formula`.

    Raises `GaveUp` where the product is larger than `MAX_STATES`, or `deadline` (of `time.monotonic`) has passed.
    """
    model = Takeover(names)
    product = _Product(model, _core(Not(formula)), deadline)
    lasso = product.fair_lasso()
    if lasso is None:
        return SpecTrue()
    states, loop = lasso
    return SpecFalse(model.trace(formula, states, loop))


def _core(formula: Formula) -> Formula:
    """The same in ``!``, ``&``, ``|``, ``xor``, X, U, Y, S and atoms."""
    match formula:
        case Not(operand):
            return Not(_core(operand))
        case Junction("->", left, right):
            return Junction("|", Not(_core(left)), _core(right))
        case Junction("xnor", left, right):
            return Not(Junction("xor", _core(left), _core(right)))
        case Junction(operator, left, right):
            return Junction(operator, _core(left), _core(right))
        case Path(operator, operand, left):
            inner = _core(operand)
            match operator:
                case "X" | "Y":
                    return Path(operator, inner)
                case "Z":
                    return Not(Path("Y", Not(inner)))
                case "F":
                    return Path("U", inner, TRUE)
                case "G":
                    return Not(Path("U", Not(inner), TRUE))
                case "O":
                    return Path("S", inner, TRUE)
                case "H":
                    return Not(Path("S", Not(inner), TRUE))
            assert left is not None
            first = _core(left)
            match operator:
                case "U" | "S":
                    return Path(operator, inner, first)
                case "V":
                    return Not(Path("U", Not(inner), Not(first)))
                case "T":
                    return Not(Path("S", Not(inner), Not(first)))
            raise AssertionError(operator)
    return formula


@dataclass(frozen=True, slots=True)
class _Bit:
    """A guess: `claims` is the formula whose truth in the next state (X, U) or the last one (Y, S) the bit is."""

    path: Path
    future: bool


class _Product:
    def __init__(self, model: Takeover, formula: Formula, deadline: float | None) -> None:
        self.model = model
        self.deadline = deadline
        self.bits: list[_Bit] = []
        self._collect(formula)
        self.members = self._classes(formula)
        r, e = len(self.members), len(self.bits)
        if r * r << e > MAX_STATES:
            raise GaveUp(f"the specification is too large: {e} temporal operators over {r} kinds of brokers")
        self.r, self.e = r, e
        self.shape = (r, r, 1 << e)
        self.memo: dict[Formula, NDArray[np.bool_]] = {}
        self.wanted = self.truth(formula).ravel()
        self._steps()

    def _collect(self, formula: Formula) -> None:
        match formula:
            case Not(operand):
                self._collect(operand)
            case Junction(_, left, right):
                self._collect(left)
                self._collect(right)
            case Path(operator, operand, left):
                if left is not None:
                    self._collect(left)
                self._collect(operand)
                bit = _Bit(formula, operator in ("X", "U"))
                if bit not in self.bits:
                    self.bits.append(bit)

    def _classes(self, formula: Formula) -> list[int]:
        """One index of `Takeover` for each class that the formula's atoms cannot tell apart, 0 first."""
        ends = self.model.ends.nodes
        every = set(atoms(formula))
        now = sorted({a.broker + 1 for a in every if isinstance(a, BrokerUp)})
        before = sorted({ends[a.end].home + 1 for a in every if isinstance(a, Attached)})
        # Index 0, nothing failed, stands for every broker that is not mentioned, too.
        return [0, *sorted({*now, *before})]

    def truth(self, formula: Formula) -> NDArray[np.bool_]:
        """bool[before, now, guess]"""
        if formula not in self.memo:
            self.memo[formula] = self._truth(formula)
        return self.memo[formula]

    def _guess(self, path: Path) -> NDArray[np.bool_]:
        number = next(i for i, bit in enumerate(self.bits) if bit.path == path)
        return np.broadcast_to(np.arange(1 << self.e) >> number & 1 == 1, self.shape)

    def _truth(self, formula: Formula) -> NDArray[np.bool_]:
        match formula:
            case Not(operand):
                return ~self.truth(operand)
            case Junction(operator, left, right):
                a, b = self.truth(left), self.truth(right)
                return {"&": a & b, "|": a | b, "xor": a ^ b}[operator]
            case Path("X" | "Y"):
                return self._guess(formula)
            case Path(_, operand, left) if left is not None:
                return self.truth(operand) | self.truth(left) & self._guess(formula)
        assert not isinstance(formula, Path)
        here = self.model.atom(formula)[np.ix_(self.members, self.members)]
        return np.broadcast_to(here[:, :, None], self.shape)

    def _steps(self) -> None:
        """The steps of the product, by `order`: states sorted by what they ask of the state before."""
        states = np.arange(self.r * self.r << self.e)
        guess = states & ((1 << self.e) - 1)
        before, now = np.divmod(states >> self.e, self.r)
        fulfilled = np.zeros(states.size, np.int64)  # the truth of what each bit is about, here
        future = 0
        for number, bit in enumerate(self.bits):
            about = bit.path if bit.path.operator in ("U", "S") else bit.path.operand
            fulfilled |= self.truth(about).ravel().astype(np.int64) << number
            future |= bit.future << number
        past = ((1 << self.e) - 1) ^ future
        # A step s → t: t's `before` is s's `now`; s's future bits are true to t; t's past bits are true to s.
        asks = (before << self.e) | (fulfilled & future) | (guess & past)
        offers = (now << self.e) | (guess & future) | (fulfilled & past)
        self.order = np.argsort(asks, kind="stable")
        sorted_asks = asks[self.order]
        self.first = np.searchsorted(sorted_asks, offers, side="left")
        self.last = np.searchsorted(sorted_asks, offers, side="right")
        self.start = (before == 0) & (now == 0) & (guess & past == 0) & self.wanted
        self.fair = [
            (~self.truth(bit.path) | self.truth(bit.path.operand)).ravel()
            for bit in self.bits
            if bit.path.operator == "U"
        ] or [np.ones(states.size, bool)]

    def _some(self, z: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """EX z"""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise GaveUp("the time limit was reached")
        count = np.concatenate(([0], np.cumsum(z[self.order])))
        result: NDArray[np.bool_] = count[self.last] > count[self.first]
        return result

    def _until(self, meanwhile: NDArray[np.bool_], goal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        z = goal
        while True:
            larger = z | meanwhile & self._some(z)
            if (larger == z).all():
                return z
            z = larger

    def fair_lasso(self) -> tuple[list[State], int] | None:
        """A path from a start that passes every fair set for ever: its states, and where it goes back to."""
        z = np.ones(self.start.size, bool)
        while True:
            smaller = z
            for fair in self.fair:
                smaller = smaller & self._some(self._until(smaller, smaller & fair))
            if (smaller == z).all():
                break
            z = smaller
        if not (z & self.start).any():
            return None
        return self._lasso(z)

    def _successors(self, state: int) -> NDArray[np.int64]:
        result: NDArray[np.int64] = np.sort(self.order[self.first[state] : self.last[state]])
        return result

    def _walk_to(self, state: int, inside: NDArray[np.bool_], goal: NDArray[np.bool_]) -> list[int]:
        """A shortest path of at least one step from `state` to `goal`, without `state` itself."""
        came: dict[int, int] = {}
        todo = [state]
        for at in todo:
            for after in self._successors(at).tolist():
                if after in came or not inside[after]:
                    continue
                came[after] = at
                if goal[after]:
                    path = [after]
                    while came[path[-1]] != state:
                        path.append(came[path[-1]])
                    return path[::-1]
                todo.append(after)
        return []

    def _lasso(self, z: NDArray[np.bool_]) -> tuple[list[State], int]:
        path = [int(np.flatnonzero(z & self.start)[0])]
        while True:
            # A round through all fair sets; if it cannot come back to where it began, it has gone on to a later
            # component, and the next round begins there: that ends, for components have an order.
            begin = len(path) - 1
            for fair in self.fair:
                path += self._walk_to(path[-1], z, z & fair)
            loop = begin + 1
            goal = np.zeros_like(z)
            goal[path[loop]] = True
            back = self._walk_to(path[-1], z, goal)
            if back:
                path += back[:-1]
                break
        states = []
        for one in path:
            before, now = divmod(one >> self.e, self.r)
            states.append((self.members[before], self.members[now]))
        return states, loop
