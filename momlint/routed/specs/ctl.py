"""CTL over the walk of a message: src, dest and colour (and topic) are frozen, loc moves.

The model is the one that ``templates/overlay.smv.j2`` writes: every destination and colour, every source, and loc,
which starts at src (thesis 5.2.6) and follows the next hops; a message that has arrived or stopped stays. For each
frozen valuation that is a functional graph, so a path quantifier has one path to speak of, and each operator is a few
passes over an array, with the successor function squared between them (pointer doubling).

Not all valuations are looked at. A formula is folded for each destination, each class of colours and each class of
sources that it cannot tell apart; most specifications name their ends and leave one column. Columns that a colour
shares with the base are looked at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.errors import ReplayError
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.moves import Moves
from momlint.routed.overlay.moves import moves as moves_of
from momlint.routed.specs.formula import (
    Atom,
    BrokerUp,
    Fixed,
    Formula,
    Junction,
    Not,
    Path,
    Same,
    VariableIn,
    atoms,
    fold,
)
from momlint.routed.specs.result import SpecFalse, SpecResult, SpecTrue, Trace
from momlint.solving.limits import GaveUp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay
    from momlint.routed.specs.vocabulary import Names

#: Truth values in the largest array.
_BLOCK = 1 << 22

#: LTL's operators mean the same as CTL's where there is one path.
_ALIKE = {"X": "EX", "AX": "EX", "F": "EF", "AF": "EF", "G": "EG", "AG": "EG", "U": "EU", "AU": "EU"}


class _Valuation(NamedTuple):
    """A failing initial state, in the order in which the first is reported."""

    colour: int
    source: int
    dest: int
    topic: int


def decide_walks(
    overlay: Overlay,
    names: Names,
    formula: Formula,
    deadline: float | None = None,
    moves: Moves | None = None,
) -> SpecResult:
    """Whether `formula`, over the variables of the overlay's model, holds in every initial state.

    `deadline`: of `time.monotonic`, in seconds; raises `GaveUp` when it has passed. `moves`: those of the overlay,
    where the caller has them.
    """
    search = _Search(overlay, names, deadline, moves or moves_of(overlay))
    first = search.first_failing(formula)
    if first is None:
        return SpecTrue()
    return SpecFalse(search.trace(formula, first))


class _Search:
    def __init__(self, overlay: Overlay, names: Names, deadline: float | None, moves: Moves) -> None:
        self.n = overlay.n
        self.moves = moves
        self.names = names
        self.down = overlay.failed_broker
        self.deadline = deadline

    # Which valuations must be looked at

    def first_failing(self, formula: Formula) -> _Valuation | None:
        """The first initial state in which `formula` is false."""
        found: _Valuation | None = None
        for by_topic, topics in self._topics(formula):
            allowed = self._allowed(topics)
            for dest in range(self.n):
                if allowed is not None and not allowed[:, dest].any():
                    continue
                by_dest = fold(by_topic, partial(self._with_dest, dest=dest))
                if by_dest == Fixed(True):
                    continue
                for folded, colours in self._colours(by_dest):
                    if folded == Fixed(True):
                        continue
                    may_start = np.ones(self.n, bool) if allowed is None else allowed[:, dest]
                    key = self._column_failing(folded, dest, colours, may_start)
                    if key is None:
                        continue
                    colour, source = key
                    topic = next((t for t in topics if self._carries(t, source, dest)), -1)
                    one = _Valuation(colour, source, dest, topic)
                    found = one if found is None else min(found, one)
        return found

    def _topics(self, formula: Formula) -> Iterator[tuple[Formula, Sequence[int]]]:
        """`formula` for each class of topics that it cannot tell apart; (-1,) where it does not speak of topics."""
        sets = [a.values for a in atoms(formula) if isinstance(a, VariableIn) and a.variable == "topic"]
        if not sets:
            yield formula, (-1,)
            return
        for members in _classes(len(self.names.topics), sets):
            yield fold(formula, partial(_known, variable="topic", value=members[0])), members

    def _carries(self, topic: int, source: int, dest: int) -> bool:
        if topic < 0:
            return True
        ends = self.names.topics[topic]
        return source in ends.publishers and dest in ends.subscribers

    def _allowed(self, topics: Sequence[int]) -> NDArray[np.bool_] | None:
        """bool[source, dest]: some of the topics goes that way; None for all."""
        if topics == (-1,):
            return None
        allowed = np.zeros((self.n, self.n), bool)
        for topic in topics:
            ends = self.names.topics[topic]
            allowed[np.ix_(ends.publishers, ends.subscribers)] = True
        return allowed

    @staticmethod
    def _with_dest(atom: Atom, dest: int) -> Atom:
        if isinstance(atom, Same) and "dest" in (atom.left, atom.right):
            other = atom.left if atom.right == "dest" else atom.right
            return VariableIn(other, frozenset({dest}))
        return _known(atom, "dest", dest)

    def _colours(self, formula: Formula) -> Iterator[tuple[Formula, NDArray[np.int64]]]:
        """`formula` for each class of colours that it cannot tell apart."""
        if self.moves.colours == 1:
            yield fold(formula, partial(self._with_colour, colour=0)), np.zeros(1, np.int64)
            return
        sets: list[frozenset[int]] = []
        for atom in atoms(formula):
            if isinstance(atom, VariableIn) and atom.variable == "colour":
                sets.append(atom.values)
            elif isinstance(atom, BrokerUp):
                sets.append(frozenset(np.flatnonzero(self.down[:, atom.broker]).tolist()))
        for members in _classes(self.moves.colours, sets):
            folded = fold(formula, partial(self._with_colour, colour=members[0]))
            yield folded, np.array(members)

    def _with_colour(self, atom: Atom, colour: int) -> Atom:
        if isinstance(atom, BrokerUp):
            return Fixed(not self.down[colour, atom.broker])
        return _known(atom, "colour", colour)

    # One destination, one class of colours

    def _column_failing(
        self, formula: Formula, dest: int, colours: NDArray[np.int64], may_start: NDArray[np.bool_]
    ) -> tuple[int, int] | None:
        """The first (colour, source) for which `formula`, over src and loc, is false at the start of the walk."""
        n = self.n
        firsts = Keys(n).pack(colours, dest, 0)
        starts, ends = np.searchsorted(self.moves.key, firsts), np.searchsorted(self.moves.key, firsts + n)
        differs = starts < ends
        # A colour without an entry of its own walks as the first such colour does.
        look = differs.copy()
        if not differs.all():
            look[np.flatnonzero(~differs)[0]] = True
        chosen = np.flatnonzero(look)
        sources = [a.values for a in atoms(formula) if isinstance(a, VariableIn) and a.variable == "src"]
        related = any(isinstance(a, Same) for a in atoms(formula))
        classes = [[s] for s in range(n)] if related else _classes(n, sources)
        best: tuple[int, int] | None = None
        for members in classes:
            starting = [s for s in members if may_start[s]]
            if not starting:
                continue
            folded = fold(formula, partial(_with_source, source=members[0]))
            if folded == Fixed(True):
                continue
            step = max(1, _BLOCK // n)
            for first in range(0, chosen.size, step):
                self._check_time()
                block = chosen[first : first + step]
                successor = np.tile(self.moves.base[dest], (block.size, 1))
                for row, which in enumerate(block.tolist()):
                    here = slice(starts[which], ends[which])
                    successor[row, self.moves.key[here] - firsts[which]] = self.moves.next[here]
                holds = _Columns(successor).holds(folded)[:, starting]
                failing = np.flatnonzero(~holds.all(axis=1))
                if failing.size:
                    row = int(failing[0])
                    one = (int(colours[block[row]]), starting[int(np.flatnonzero(~holds[row])[0])])
                    best = one if best is None else min(best, one)
                    break
        return best

    def _check_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise GaveUp("the time limit was reached")

    # The counterexample

    def trace(self, formula: Formula, at: _Valuation) -> Trace:
        """The walk that makes `formula` false, as far as needed to see it."""
        column = self.moves.column(at.colour, at.dest).tolist()
        walk, where = [at.source], {at.source: 0}
        while column[walk[-1]] not in where:
            walk.append(column[walk[-1]])
            where[walk[-1]] = len(walk) - 1
        loop = where[column[walk[-1]]]

        def known(atom: Atom) -> Atom:
            values: Mapping[str, int] = {"src": at.source, "dest": at.dest, "topic": at.topic}
            if isinstance(atom, Same):
                left, right = (None if v == "loc" else values[v] for v in (atom.left, atom.right))
                if left is not None and right is not None:
                    return Fixed(left == right)
                other = left if left is not None else right
                assert other is not None
                return VariableIn("loc", frozenset({other}))
            if isinstance(atom, VariableIn) and atom.variable in values:
                return Fixed(values[atom.variable] in atom.values)
            return self._with_colour(atom, at.colour)

        lasso = _Lasso(walk, loop)
        folded = fold(formula, known)
        if lasso.holds(folded, 0):
            raise ReplayError("a specification that was refuted holds on the very walk that refutes it")
        needed = lasso.needed(folded, 0)
        whole = needed >= len(walk)
        shown = walk if whole else walk[: needed + 1]
        names = self.names
        frozen = {"src": names.brokers[at.source], "dest": names.brokers[at.dest]}
        if names.colours:
            frozen["colour"] = names.colours[at.colour]
        if at.topic >= 0:
            frozen["topic"] = names.topics[at.topic].name
        closing = (walk[loop],) if whole and loop < len(walk) - 1 else ()
        return Trace(
            states=tuple({**frozen, "loc": names.brokers[loc]} for loc in shown),
            loop=loop if whole else None,
            colour=at.colour if names.colours else None,
            source=at.source,
            dest=at.dest,
            topic=at.topic if at.topic >= 0 else None,
            walk=(*shown, *closing),
        )


def _known(atom: Atom, variable: str, value: int) -> Atom:
    if isinstance(atom, VariableIn) and atom.variable == variable:
        return Fixed(value in atom.values)
    return atom


def _with_source(atom: Atom, source: int) -> Atom:
    # dest is gone by now: what is left to compare is src with loc.
    if isinstance(atom, Same):
        return VariableIn("loc", frozenset({source}))
    return _known(atom, "src", source)


def _classes(count: int, sets: Sequence[frozenset[int]]) -> list[list[int]]:
    """0 … count-1 in classes of equal membership in `sets`, each ascending, in the order of their first members."""
    if not sets:
        return [list(range(count))] if count else []
    mentioned = sorted(frozenset().union(*sets))
    classes: dict[tuple[bool, ...], list[int]] = {}
    for one in mentioned:
        classes.setdefault(tuple(one in values for values in sets), []).append(one)
    rest = sorted(set(range(count)).difference(mentioned))
    if rest:
        classes.setdefault((False,) * len(sets), []).extend(rest)
    return sorted(sorted(members) for members in classes.values())


class _Columns:
    """Truth of formulas over loc, in K functional graphs of N brokers at once."""

    def __init__(self, successor: NDArray[np.int32]) -> None:
        rows, n = successor.shape
        self.shape = (rows, n)
        flat = (successor + (np.arange(rows, dtype=np.int64) * n)[:, None]).ravel()
        #: The successor after 1, 2, 4, … steps; together at least n of them.
        self.powers = [flat]
        while 1 << len(self.powers) <= n:
            self.powers.append(self.powers[-1][self.powers[-1]])

    def holds(self, formula: Formula) -> NDArray[np.bool_]:
        """bool[K, N]"""
        return self._eval(formula).reshape(self.shape)

    def _eval(self, formula: Formula) -> NDArray[np.bool_]:
        match formula:
            case Fixed(value):
                return np.full(self.shape, value).ravel()
            case VariableIn("loc", values):
                row = np.zeros(self.shape[1], bool)
                row[sorted(values)] = True
                return np.tile(row, self.shape[0])
            case Not(operand):
                return ~self._eval(operand)
            case Junction(operator, left, right):
                return junction(operator, self._eval(left), self._eval(right))
            case Path(operator, operand, left):
                return self._path(_ALIKE.get(operator, operator), operand, left)
        raise AssertionError(formula)

    def _path(self, operator: str, operand: Formula, left: Formula | None) -> NDArray[np.bool_]:
        goal = self._eval(operand)
        if operator == "EX":
            result: NDArray[np.bool_] = goal[self.powers[0]]
            return result
        if operator == "EF":
            return self._until(None, goal)
        if operator == "EG":
            return ~self._until(None, ~goal)
        assert left is not None
        if operator == "EU":
            return self._until(self._eval(left), goal)
        assert operator == "V"
        return ~self._until(~self._eval(left), ~goal)

    def _until(self, meanwhile: NDArray[np.bool_] | None, goal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The least fixpoint of ``goal | meanwhile & EX …``: after k rounds, within 2^k - 1 steps."""
        reached, passing = goal, meanwhile
        for jump in self.powers:
            ahead = reached[jump]
            reached = reached | (ahead if passing is None else passing & ahead)
            if passing is not None:
                passing = passing & passing[jump]
        return reached


def junction(operator: str, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The Boolean operator on arrays."""
    match operator:
        case "&":
            return left & right
        case "|":
            return left | right
        case "xor":
            return left ^ right
        case "xnor":
            return ~(left ^ right)
    assert operator == "->"
    return ~left | right


class _Lasso:
    """One walk that comes back to its own place `loop`: what holds at each place, and how far one must look to see
    it.

    Written apart from `_Columns`, so that a trace is also a second reading of the formula.
    """

    def __init__(self, walk: Sequence[int], loop: int) -> None:
        self.walk = walk
        self.loop = loop
        self.memo: dict[tuple[int, int], bool] = {}
        self.steps: dict[tuple[int, int], int] = {}
        self.kept: list[Formula] = []

    def place(self, index: int) -> int:
        length = len(self.walk)
        return index if index < length else self.loop + (index - self.loop) % (length - self.loop)

    def holds(self, formula: Formula, index: int) -> bool:
        """Whether `formula` holds after `index` steps."""
        key = (id(formula), self.place(index))
        if key not in self.memo:
            self.kept.append(formula)  # keeps its id its own
            self.memo[key] = self._holds(formula, self.place(index))
        return self.memo[key]

    def _ahead(self, index: int) -> range:
        return range(index, index + len(self.walk))

    def _holds(self, formula: Formula, i: int) -> bool:
        match formula:
            case Fixed(value):
                return value
            case VariableIn("loc", values):
                return self.walk[i] in values
            case Not(operand):
                return not self.holds(operand, i)
            case Junction(operator, left, right):
                a, b = self.holds(left, i), self.holds(right, i)
                return {"&": a and b, "|": a or b, "xor": a != b, "xnor": a == b, "->": not a or b}[operator]
            case Path(operator, operand, left):
                match _ALIKE.get(operator, operator):
                    case "EX":
                        return self.holds(operand, i + 1)
                    case "EF":
                        return any(self.holds(operand, j) for j in self._ahead(i))
                    case "EG":
                        return all(self.holds(operand, j) for j in self._ahead(i))
                    case "EU":
                        assert left is not None
                        for j in self._ahead(i):
                            if self.holds(operand, j):
                                return True
                            if not self.holds(left, j):
                                return False
                        return False
                    case "V":
                        assert left is not None
                        for j in self._ahead(i):
                            if not self.holds(operand, j):
                                return False
                            if self.holds(left, j):
                                return True
                        return True
        raise AssertionError(formula)

    def needed(self, formula: Formula, i: int) -> int:
        """The last step that must be seen to know `formula` after `i` steps; at least the walk's length for all of
        it."""
        key = (id(formula), i)
        if key not in self.steps:
            self.kept.append(formula)
            self.steps[key] = self._needed(formula, i)
        return self.steps[key]

    def _needed(self, formula: Formula, i: int) -> int:
        match formula:
            case Not(operand):
                return self.needed(operand, i)
            case Junction(operator, left, right):
                a, b = self.holds(left, i), self.holds(right, i)
                first, second = self.needed(left, i), self.needed(right, i)
                settles = {"&": (False, False), "|": (True, True), "->": (False, True)}.get(operator)
                if settles is not None:
                    enough = [n for n, v, s in ((first, a, settles[0]), (second, b, settles[1])) if v == s]
                    if enough:
                        return min(enough)
                return max(first, second)
            case Path(operator, operand, left):
                kind = _ALIKE.get(operator, operator)
                if kind == "EX":
                    return self.needed(operand, i + 1)
                # What settles it: the first place where the operand is so, or where the left side is not.
                wanted = kind in ("EF", "EU")
                for j in self._ahead(i):
                    if self.holds(operand, j) == wanted:
                        before = [] if left is None else [self.needed(left, k) for k in range(i, j)]
                        return max([*before, self.needed(operand, j)])
                    if left is not None and self.holds(left, j) != wanted:
                        return max([*(self.needed(operand, k) for k in range(i, j + 1)), self.needed(left, j)])
                return 2 * len(self.walk) + i
        return i
