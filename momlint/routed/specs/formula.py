"""Formulas with their names resolved: what the checkers decide and the SMV renderer writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from momlint.records import dataclass

#: The variables of the overlay's model. src, dest and loc are brokers.
Variable: TypeAlias = Literal["src", "dest", "loc", "colour", "topic"]
BROKER_VARIABLES: tuple[Variable, ...] = ("src", "dest", "loc")


@dataclass(frozen=True, slots=True)
class Fixed:
    """TRUE or FALSE."""

    value: bool


@dataclass(frozen=True, slots=True)
class VariableIn:
    """The variable has one of these values (dense ids of its kind)."""

    variable: Variable
    values: frozenset[int]


@dataclass(frozen=True, slots=True)
class Same:
    """Two variables that hold brokers have the same value."""

    left: Variable
    right: Variable


@dataclass(frozen=True, slots=True)
class BrokerUp:
    """``brokerN.state``: the broker works."""

    broker: int


@dataclass(frozen=True, slots=True)
class Attached:
    """``publisherN.pub_broM``, ``subscriberN.sub_broM``: end node number `end` hangs on this broker."""

    end: int
    broker: int


@dataclass(frozen=True, slots=True)
class TopicOf:
    """The topic of end node number `end` is one of these (dense ids of the take-over model's topics)."""

    end: int
    topics: frozenset[int]


@dataclass(frozen=True, slots=True)
class SameTopic:
    """Two end nodes have the same topic."""

    left: int
    right: int


Atom: TypeAlias = Fixed | VariableIn | Same | BrokerUp | Attached | TopicOf | SameTopic


@dataclass(frozen=True, slots=True)
class Not:
    """``!``"""

    operand: Formula


@dataclass(frozen=True, slots=True)
class Junction:
    """Of two formulas: ``&``, ``|``, ``xor``, ``xnor`` (also for ``<->``), ``->``."""

    operator: Literal["&", "|", "xor", "xnor", "->"]
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Path:
    """A temporal operator; `left` is set for those of two operands, ``left U operand``."""

    operator: str
    operand: Formula
    left: Formula | None = None


Formula: TypeAlias = Atom | Not | Junction | Path
TRUE, FALSE = Fixed(True), Fixed(False)

#: Operators of LTL that look back.
PAST = frozenset({"Y", "Z", "O", "H", "S", "T"})


def atoms(formula: Formula) -> Iterator[Atom]:
    """The atoms in `formula`, from left to right."""
    match formula:
        case Not(operand):
            yield from atoms(operand)
        case Junction(_, left, right):
            yield from atoms(left)
            yield from atoms(right)
        case Path(_, operand, first):
            if first is not None:
                yield from atoms(first)
            yield from atoms(operand)
        case _:
            yield formula


def operators(formula: Formula) -> set[str]:
    """The temporal operators in `formula`."""
    match formula:
        case Not(operand):
            return operators(operand)
        case Junction(_, left, right):
            return operators(left) | operators(right)
        case Path(operator, operand, first):
            return {operator} | operators(operand) | (operators(first) if first is not None else set())
    return set()


def fold(formula: Formula, value: Callable[[Atom], Atom]) -> Formula:
    """`formula` with each atom replaced by ``value(atom)``, and what that makes constant cut away."""
    match formula:
        case Not(operand):
            inner = fold(operand, value)
            return Fixed(not inner.value) if isinstance(inner, Fixed) else Not(inner)
        case Junction(operator, left, right):
            return _junction(operator, fold(left, value), fold(right, value))
        case Path(operator, operand, first):
            return _path(operator, fold(operand, value), None if first is None else fold(first, value))
    return value(formula)


def _junction(operator: Literal["&", "|", "xor", "xnor", "->"], left: Formula, right: Formula) -> Formula:
    def negated(one: Formula) -> Formula:
        return Fixed(not one.value) if isinstance(one, Fixed) else Not(one)

    if isinstance(left, Fixed):
        match operator:
            case "&":
                return right if left.value else FALSE
            case "|":
                return TRUE if left.value else right
            case "->":
                return right if left.value else TRUE
            case "xor":
                return negated(right) if left.value else right
            case _:
                return right if left.value else negated(right)
    if isinstance(right, Fixed):
        match operator:
            case "->":
                return TRUE if right.value else negated(left)
            case _:
                return _junction(operator, right, left)
    return Junction(operator, left, right)


def _path(operator: str, operand: Formula, left: Formula | None) -> Formula:
    if isinstance(operand, Fixed):
        # Every path is infinite, so a constant stays what it is; but for Y and Z, which are settled by there being no
        # state before the first, and for O, H, S, T only the present state's value is sure to count.
        if operator in ("EX", "EF", "EG", "AX", "AF", "AG", "X", "F", "G", "O", "H"):
            return operand
        if operator in ("EU", "AU", "U", "S") or (operator in ("V", "T") and not operand.value):
            return operand
    return Path(operator, operand, left)
