"""Whether all that comes somewhere in one relayed overlay comes there in another as well, under the same name.

Findings speak of what somebody says to want; where nobody says it, a link that is left out would lose messages and no
finding would tell. So a change is held against this: topic classes of both overlays at once, and what becomes of each.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from momlint.relayed.classes import Classes, Passed, Rewritten, TopicClass
from momlint.relayed.fates import Fates
from momlint.relayed.form import Need, Relay, relay_of
from momlint.relayed.graph import fate
from momlint.relayed.patterns import TooLarge

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate


def loses(before: Estate, after: Estate) -> bool:
    """Whether something does not arrive any more; so it is said, too, where that takes too long to find out."""
    old, later = relay_of(before), relay_of(after)
    if old.language.syntax != later.language.syntax:
        return True
    both = (old.language, later.language)
    glued, dollars = any(one.glued for one in both), any(one.dollars for one in both)
    if any((one.glued, one.dollars) != (glued, dollars) for one in both):
        # Topics of both are told by the same tokens.
        old, later = (relay_of(one, glued=glued, dollars=dollars) for one in (before, after))
    new = _numbered(later, before)
    if new is None:
        return True
    try:
        return _loses(old, new)
    except TooLarge:
        return True


class Weighed(NamedTuple):
    """`troubles`: how much goes round or comes twice: links on cycles and copies too many, of all classes of topics.
    `work`: how much there was to look at.
    """

    troubles: int
    work: int


def weighed(estate: Estate) -> Weighed:
    """How bad it is, and how large."""
    fates = Fates(relay_of(estate), "graph")
    try:
        fates.work_out()
    except TooLarge:
        return Weighed(sys.maxsize, sys.maxsize)
    return Weighed(
        sum(
            len({step.arc for cycle in one.fate.cycles for step in cycle})
            + sum(copies - 1 for copies in one.fate.arrivals.values())
            for one in fates.told
        ),
        sum(one.fate.states + sum(map(len, one.found.steps.values())) for one in fates.told),
    )


def _numbered(new: Relay, before: Estate) -> Relay | None:
    """The overlay with the brokers numbered as they were; None where one is gone."""
    names = [broker.id for broker in before.brokers]
    there = [broker.id for broker in new.estate.brokers]
    if names == there[: len(names)]:
        return new
    if len(names) == len(there) and len(set(names) - set(there)) == 1:
        return new  # one has another name now
    if not set(names) <= set(there):
        return None
    order = [there.index(name) for name in names] + [n for n, name in enumerate(there) if name not in names]
    number = {one: place for place, one in enumerate(order)}
    arcs = tuple(arc._replace(tail=number[arc.tail], head=number[arc.head]) for arc in new.arcs)
    outs: list[list[int]] = [[] for _ in order]
    for index, arc in enumerate(arcs):
        outs[arc.tail].append(index)
    return replace(
        new,
        arcs=arcs,
        outs=tuple(map(tuple, outs)),
        guards=tuple(new.guards[one] for one in order),
        identity=tuple(new.identity[one] for one in order),
        published=tuple(_moved(need, number) for need in new.published),
        wanted=tuple(_moved(need, number) for need in new.wanted),
    )


def _moved(need: Need, number: dict[int, int]) -> Need:
    return need._replace(broker=number[need.broker])


def _loses(old: Relay, new: Relay) -> bool:
    """Classes are those of both overlays together, so that within one nothing tells its topics apart in either."""
    count = len(old.arcs)
    arcs = (*old.arcs, *new.arcs)
    outs = tuple(
        (*_at(old.outs, broker), *(one + count for one in _at(new.outs, broker)))
        for broker in range(max(len(old.outs), len(new.outs)))
    )
    hops, wanted = max(old.most_hops, new.most_hops), (*old.wanted, *new.wanted)
    classes = Classes(replace(old, arcs=arcs, outs=outs, most_hops=hops, wanted=wanted))
    first, second = (replace(one, arcs=arcs, outs=outs) for one in (old, new))
    for origin in dict.fromkeys(need.broker for need in old.published):
        if old.estate.brokers[origin].external:
            continue
        for found in classes.of(origin):
            was = fate(first, _of(found, range(count)))
            if was.growth:
                return True  # where it comes to is not known to the end
            now = fate(second, _of(found, range(count, len(arcs))))
            came = {*was.arrivals, *was.endless}
            lost = came - {*now.arrivals, *now.endless, (origin, Rewritten())}
            if any(_is_needed(classes, old, found, *place) for place in lost):
                return True
    return False


def _at(outs: tuple[tuple[int, ...], ...], broker: int) -> tuple[int, ...]:
    return outs[broker] if broker < len(outs) else ()


def _of(found: TopicClass, arcs: range) -> TopicClass:
    """The class where there are only these arcs."""
    steps = {place: tuple(_within(several, arcs)) for place, several in found.steps.items()}
    return replace(found, steps=steps)


def _within(several: tuple[Passed, ...], arcs: range) -> Iterator[Passed]:
    return (passed for passed in several if passed.arc in arcs)


def _is_needed(classes: Classes, old: Relay, found: TopicClass, broker: int, topic: Rewritten) -> bool:
    """Whether anybody wants it there; where nobody says what is wanted, everybody does."""
    if not old.wanted:
        return True
    return any(need.broker == broker and classes.meets(found, topic, need) for need in old.wanted)


__all__ = ["loses", "weighed"]
