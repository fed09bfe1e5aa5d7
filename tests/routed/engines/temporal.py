"""Temporal logic for tests: random formulas, and their truth by the book on explicit graphs.

A formula is a tuple, ``("AF", ("atom", text))``; its truth is computed here with sets and loops, from the
definitions, and shares nothing with the code under test.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

Tree: TypeAlias = tuple[Any, ...]
#: An atom's text, and its truth in a state.
AtomText: TypeAlias = str

CTL_UNARY = ("EX", "EF", "EG", "AX", "AF", "AG")
LTL_FUTURE = ("X", "F", "G")
LTL_PAST = ("Y", "Z", "O", "H")
JUNCTIONS = ("&", "|", "xor", "xnor", "->", "<->")


def random_tree(
    rng: random.Random,
    atom: Callable[[random.Random], AtomText],
    depth: int,
    *,
    unary: Sequence[str],
    binary: Sequence[str],
) -> Tree:
    """A formula of at most `depth` levels."""
    if depth == 0 or rng.random() < 0.15:
        return ("atom", atom(rng))
    kind = rng.random()

    def sub() -> Tree:
        return random_tree(rng, atom, depth - 1, unary=unary, binary=binary)

    if kind < 0.4:
        return (rng.choice(unary), sub())
    if kind < 0.55 and binary:
        return (rng.choice(binary), sub(), sub())
    if kind < 0.65:
        return ("!", sub())
    return (rng.choice(JUNCTIONS), sub(), sub())


_LEVEL = {"->": 1, "<->": 2, "|": 3, "xor": 3, "xnor": 3, "&": 4, "U": 5, "V": 5, "S": 5, "T": 5}


def text(tree: Tree, rng: random.Random) -> str:
    """`tree` as a person might write it: brackets where they are needed, by the precedence of NuSMV's manual, and now
    and then where they are not."""
    return _text(tree, rng)[0]


def _text(tree: Tree, rng: random.Random) -> tuple[str, int]:
    operator, *parts = tree

    def at_least(part: Tree, level: int) -> str:
        said, own = _text(part, rng)
        return said if own >= level and rng.random() < 0.8 else f"({said})"

    if operator == "atom":
        # A comparison: tighter than a temporal operator, looser than `!`.
        return parts[0], 7
    if operator == "!":
        inner = parts[0]
        if inner[0] in (*CTL_UNARY, *LTL_FUTURE, *LTL_PAST, "EU", "AU", "!"):
            return f"!{at_least(inner, 6)}", 6
        return f"!({text(inner, rng)})", 6
    if operator in ("EU", "AU"):
        return f"{operator[0]} [ {text(parts[0], rng)} U {text(parts[1], rng)} ]", 6
    if len(parts) == 1:
        return f"{operator} {at_least(parts[0], 6)}", 6
    level = _LEVEL[operator]
    left, right = (level + 1, level) if operator == "->" else (level, level + 1)
    return f"{at_least(parts[0], left)} {operator} {at_least(parts[1], right)}", level


def junction(operator: str, a: bool, b: bool) -> bool:
    return {
        "&": a and b, "|": a or b, "xor": a != b, "xnor": a == b, "<->": a == b, "->": not a or b,
    }[operator]  # fmt: skip


State: TypeAlias = Hashable


def ctl(tree: Tree, graph: Mapping[State, Sequence[State]], atom: Callable[[AtomText, State], bool]) -> set[State]:
    """The states of `graph` (state → its successors, at least one) in which `tree` holds."""
    operator, *parts = tree
    every = set(graph)
    if operator == "atom":
        return {s for s in every if atom(parts[0], s)}
    inner = [ctl(part, graph, atom) for part in parts]
    match operator:
        case "!":
            return every - inner[0]
        case "EX":
            return {s for s in every if any(t in inner[0] for t in graph[s])}
        case "AX":
            return {s for s in every if all(t in inner[0] for t in graph[s])}
        case "EF":
            return _least(graph, every, inner[0], any)
        case "AF":
            return _least(graph, every, inner[0], all)
        case "EU":
            return _least(graph, inner[0], inner[1], any)
        case "AU":
            return _least(graph, inner[0], inner[1], all)
        case "EG":
            return every - _least(graph, every, every - inner[0], all)
        case "AG":
            return every - _least(graph, every, every - inner[0], any)
    return {s for s in every if junction(operator, s in inner[0], s in inner[1])}


def _least(
    graph: Mapping[State, Sequence[State]], through: set[State], goal: set[State], which: Callable[..., bool]
) -> set[State]:
    found = set(goal)
    while True:
        more = {s for s in through - found if which(t in found for t in graph[s])}
        if not more:
            return found
        found |= more


def ltl(tree: Tree, word: Sequence[Any], loop: int, atom: Callable[[AtomText, Any], bool]) -> bool:
    """Whether the infinite word `word` with its part from `loop` on for ever satisfies `tree` at its beginning."""
    # What looks back differs between rounds of the loop, but by no more than one round for each operator of the past.
    period = len(word) - loop
    rounds = _past_depth(tree) + 1
    places = [*word, *(list(word[loop:]) * (rounds - 1))]
    back_to = len(places) - period
    return _ltl(tree, places, back_to, atom)[0]


def _past_depth(tree: Tree) -> int:
    operator, *parts = tree
    if operator == "atom":
        return 0
    return (operator in ("Y", "Z", "O", "H", "S", "T")) + sum(_past_depth(part) for part in parts)


def _ltl(tree: Tree, places: Sequence[Any], back_to: int, atom: Callable[[AtomText, Any], bool]) -> list[bool]:
    operator, *parts = tree
    if operator == "atom":
        return [atom(parts[0], place) for place in places]
    inner = [_ltl(part, places, back_to, atom) for part in parts]
    length = len(places)

    def after(i: int) -> int:
        return i + 1 if i + 1 < length else back_to

    def until(a: Sequence[bool], b: Sequence[bool]) -> list[bool]:
        result = []
        for i in range(length):
            at, answer = i, False
            for _ in range(2 * length):
                if b[at]:
                    answer = True
                    break
                if not a[at]:
                    break
                at = after(at)
            result.append(answer)
        return result

    def since(a: Sequence[bool], b: Sequence[bool]) -> list[bool]:
        result: list[bool] = []
        for i in range(length):
            result.append(b[i] or (a[i] and i > 0 and result[i - 1]))
        return result

    def negated(a: Sequence[bool]) -> list[bool]:
        return [not x for x in a]

    yes = [True] * length
    match operator:
        case "!":
            return negated(inner[0])
        case "X":
            return [inner[0][after(i)] for i in range(length)]
        case "F":
            return until(yes, inner[0])
        case "G":
            return negated(until(yes, negated(inner[0])))
        case "U":
            return until(*inner)
        case "V":
            return negated(until(negated(inner[0]), negated(inner[1])))
        case "Y":
            return [i > 0 and inner[0][i - 1] for i in range(length)]
        case "Z":
            return [i == 0 or inner[0][i - 1] for i in range(length)]
        case "O":
            return since(yes, inner[0])
        case "H":
            return negated(since(yes, negated(inner[0])))
        case "S":
            return since(*inner)
        case "T":
            return negated(since(negated(inner[0]), negated(inner[1])))
    return [junction(operator, a, b) for a, b in zip(*inner, strict=True)]
