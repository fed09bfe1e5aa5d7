"""Formulas as NuSMV text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from momlint.routed.smv.constants import Constants, constants, one_of
from momlint.routed.specs.formula import (
    Attached,
    BrokerUp,
    Fixed,
    Formula,
    Junction,
    Not,
    Path,
    Same,
    SameTopic,
    TopicOf,
    VariableIn,
)

if TYPE_CHECKING:
    from momlint.routed.specs.ends import Ends
    from momlint.routed.specs.vocabulary import Names


def broker_instances(names: Names, symbols: Constants) -> tuple[str, ...]:
    """What the instance of each broker's module is called: ``broker1``."""
    return constants(
        [f"broker{one}" for one in symbols.brokers], "instance", {*symbols.brokers, *symbols.colours, *symbols.topics}
    )


def end_instances(ends: Ends, symbols: Constants, topics: Sequence[str]) -> tuple[str, ...]:
    """What the instance of each end node's module is called: ``publisher1``. `topics`: constants, not to be used."""
    called = [end.role + symbols.brokers[end.home] + end.further for end in ends.nodes]
    return constants(called, "instance", {*symbols.brokers, *topics})


class Writer:
    """Writes formulas in the words of one model."""

    def __init__(
        self,
        symbols: Constants,
        brokers: Sequence[str],
        ends: Ends | None = None,
        end_names: Sequence[str] = (),
        topics: Sequence[str] = (),
    ) -> None:
        self.symbols = symbols
        self.brokers = brokers
        self.ends = ends
        self.end_names = end_names
        self.topics = topics

    def write(self, formula: Formula) -> str:
        """`formula` as text, with brackets wherever a person might wonder."""
        match formula:
            case Fixed(value):
                return "TRUE" if value else "FALSE"
            case VariableIn(variable, values):
                names = {"colour": self.symbols.colours, "topic": self.symbols.topics}.get(
                    variable, self.symbols.brokers
                )
                return one_of(variable, [names[i] for i in sorted(values)]) if values else "FALSE"
            case Same(left, right):
                return f"{left} = {right}"
            case BrokerUp(broker):
                return f"{self.brokers[broker]}.state"
            case Attached(end, broker):
                return f"{self._end(end)}_bro{self.symbols.brokers[broker]}"
            case TopicOf(end, topics):
                return one_of(f"{self._end(end)}_topic", [self.topics[i] for i in sorted(topics)])
            case SameTopic(first, second):
                return f"{self._end(first)}_topic = {self._end(second)}_topic"
            case Not(VariableIn(variable, values)) if len(values) == 1:
                return self.write(formula.operand).replace("=", "!=", 1)
            case Not(operand):
                return f"!{self._inside(operand)}"
            case Junction(operator, first_part, second_part):
                # A chain of the same needs no brackets, whichever way it leans.
                chain = operator if operator in ("&", "|") else None
                return f"{self._inside(first_part, chain)} {operator} {self._inside(second_part, chain)}"
            case Path(operator, operand, None):
                return f"{operator} {self._inside(operand)}"
            case Path("EU" | "AU" as operator, operand, start) if start is not None:
                return f"{operator[0]} [{self.write(start)} U {self.write(operand)}]"
            case Path(operator, operand, start) if start is not None:
                return f"{self._inside(start)} {operator} {self._inside(operand)}"
        raise AssertionError(formula)

    def _inside(self, formula: Formula, chain: str | None = None) -> str:
        text = self.write(formula)
        if isinstance(formula, Fixed | BrokerUp | Attached) or (isinstance(formula, Not) and text.startswith("!")):
            return text
        return text if isinstance(formula, Junction) and formula.operator == chain else f"({text})"

    def _end(self, number: int) -> str:
        assert self.ends is not None
        return f"{self.end_names[number]}.{self.ends.nodes[number].role[:3]}"
