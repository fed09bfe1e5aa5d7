"""Formulas as read: a tree in which every node knows where in the text it stands."""

from __future__ import annotations

from typing import TypeAlias

from momlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A word or a quoted text: a variable, a broker, a colour, a topic, or a part of a broker (``broker1.state``).

    `start`, `end`: offsets in characters, `end` exclusive, here and below. `quoted` names stand for themselves only.
    """

    text: str
    quoted: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constant:
    """TRUE or FALSE."""

    value: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Set:
    """``{a, b}``, or several joined by ``union``."""

    items: tuple[Node, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unary:
    """``!`` or a temporal operator of one operand: EX … AG; X, F, G, Y, Z, O, H."""

    operator: str
    operand: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Binary:
    """``&``, ``|``, ``xor``, ``xnor``, ``->``, ``<->``; ``=``, ``!=``, ``in``; EU, AU; U, V, S, T."""

    operator: str
    left: Node
    right: Node
    start: int
    end: int


Node: TypeAlias = Name | Constant | Set | Unary | Binary


class FormulaError(Exception):
    """The text is no formula, or speaks of something that does not exist: what is wrong and where."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = max(end, start + 1)
