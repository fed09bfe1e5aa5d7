"""The three properties of take-overs that the source states (thesis 5.1.2), for every broker of an estate.

As printed they carry two slips. Without brackets, ``G !broker1.state -> X (…)`` is ``(G !broker1.state) -> X (…)``,
and ``G (Y !broker1.state & broker1.state) -> X (…)`` is ``(G (…)) -> X (…)``: both are true of any model that starts
with its brokers up, whatever stands on the right. And the output shown for the first has ``publisher1.pub_bro1``
where the text and the tables have ``publisher1.pub_bro2``: that asks the publisher to be on broker 1 and not on
broker 1, which nobody noticed, for the formula was true anyway. Here G reaches over the whole implication.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from momlint.routed.specs.ends import ends_of
from momlint.routed.specs.formula import FALSE, TRUE, Attached, BrokerUp, Formula, Junction, Not, Path, SameTopic

if TYPE_CHECKING:
    from momlint.routed.specs.vocabulary import Names


class Property(NamedTuple):
    """One property: what it says, of which broker (dense id), and the LTL formula."""

    kind: Literal["adopted", "matched", "returned"]
    broker: int
    formula: Formula


def takeover_properties(names: Names) -> list[Property]:
    """For each broker that has an adopter: its end nodes move there, and come back; for each end node: its topic has
    the other role somewhere."""
    ends = ends_of(names)
    here: list[list[int]] = [[] for _ in names.brokers]
    for number, end in enumerate(ends.nodes):
        here[end.home].append(number)
    found: list[Property] = []
    adopted = [b for b in range(len(names.brokers)) if here[b] and names.adopter(b) != b]
    for broker in adopted:
        adopter = names.adopter(broker)
        gone: list[Formula] = [Not(Attached(end, broker)) for end in here[broker]]
        there: list[Formula] = [Attached(end, adopter) for end in here[broker]]
        down = Not(BrokerUp(broker))
        found.append(Property("adopted", broker, Path("G", Junction("->", down, Path("X", _all(gone + there))))))
    for number, end in enumerate(ends.nodes):
        others = [i for i, other in enumerate(ends.nodes) if other.role != end.role]
        found.append(Property("matched", end.home, _any(SameTopic(number, other) for other in others)))
    for broker in adopted:
        adopter = names.adopter(broker)
        back: list[Formula] = [Attached(end, broker) for end in here[broker]]
        left: list[Formula] = [Not(Attached(end, adopter)) for end in here[broker]]
        recovers = Junction("&", Path("Y", Not(BrokerUp(broker))), BrokerUp(broker))
        found.append(Property("returned", broker, Path("G", Junction("->", recovers, Path("X", _all(back + left))))))
    return found


def _all(formulas: Iterable[Formula]) -> Formula:
    return _chain("&", formulas, TRUE)


def _any(formulas: Iterable[Formula]) -> Formula:
    return _chain("|", formulas, FALSE)


def _chain(operator: Literal["&", "|"], formulas: Iterable[Formula], empty: Formula) -> Formula:
    # Halved, not listed: hundreds of brokers must not nest hundreds deep.
    parts = list(formulas)
    if not parts:
        return empty
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return Junction(operator, _chain(operator, parts[:half], empty), _chain(operator, parts[half:], empty))
