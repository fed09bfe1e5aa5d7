"""Colours: which failures an estate promises to survive, in which order, and what they are called.

A colour stands for one failure or one combination of failures, and the reverse (thesis 6.1.2, Table 6-3; paper
Table III). The generator printed in the thesis counts its colour on for a link that it skips because it has met it
from the other end (line 25 stands outside the ``if``); with that slip the triangle's third link would be colour 5.
Here every colour takes one number, as in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, count, product
from math import comb
from typing import NamedTuple, TypeAlias

from momlint.errors import UsageError
from momlint.estate.resolved import Estate, Tolerate
from momlint.findings import Place
from momlint.records import dataclass
from momlint.routed.overlay.elements import Elements

#: So many colours are planned and no more: the number of combinations grows with the power of what is tolerated.
MOST_COLOURS = 65_536


class Failure(NamedTuple):
    """What has failed: dense ids of links and of brokers, each ascending."""

    links: tuple[int, ...] = ()
    brokers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedColour:
    """A colour of a plan. `place`: where the estate declares it, None where the plan has made it."""

    name: str
    failure: Failure
    place: Place | None = None


#: A shared-risk group: its links and its brokers.
GroupMembers: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"


def count_tolerated(links: int, brokers: int, tolerate: Tolerate, groups: int = 0) -> int:
    """How many colours `tolerate` asks for among so many links, brokers and groups, the one without failure included.

    Single links only: ``links + 1``, formula 6-4 of the thesis. Where groups may fail it is the most there can be:
    several combinations may take down the same links and brokers, and then have one colour.
    """
    ways = 1
    for number, most in ((links, tolerate.links), (brokers, tolerate.brokers), (groups, tolerate.groups)):
        ways *= sum(comb(number, size) for size in range(min(most, number) + 1))
    return ways


def tolerated(links: int, brokers: int, tolerate: Tolerate, groups: Sequence[GroupMembers] = ()) -> Iterator[Failure]:
    """Every failure that `tolerate` promises to survive, each once, in the order in which colours are numbered.

    Nothing; then single links in order, then single brokers, then single groups; then combinations, smaller ones
    first, of one size those with more links first, then those with more brokers, and among these in the order of
    ``itertools.combinations``. All combinations count, also a broker together with one of its own links.
    """
    elements = Elements(links, brokers, tuple(groups))
    seen: set[Failure] = set()
    for size in range(elements.largest(tolerate) + 1):
        for split in elements.splits(tolerate, size):
            for chosen, failed, some in product(
                combinations(range(links), split[0]),
                combinations(range(brokers), split[1]),
                combinations(groups, split[2]),
            ):
                if not tolerate.groups:
                    yield Failure(chosen, failed)
                    continue
                failure = Failure(
                    tuple(sorted({*chosen, *(link for group in some for link in group[0])})),
                    tuple(sorted({*failed, *(broker for group in some for broker in group[1])})),
                )
                if failure not in seen:
                    seen.add(failure)
                    yield failure


def groups_of(estate: Estate) -> list[GroupMembers]:
    """The members of each of the estate's groups."""
    return [(tuple(group.links), tuple(group.brokers)) for group in estate.groups]


def planned_colours(estate: Estate, most: int = MOST_COLOURS, *, named: bool = False) -> list[PlannedColour]:
    """The colours of a plan: those that the estate declares, then one for each tolerated failure that has none.

    New colours are called by the smallest whole numbers from 1 on that are free; with `named`, after what fails:
    ``none``, ``1--2``, ``1--2+4``. The failure of nothing always has a colour. Raises `UsageError` where the estate
    promises nothing and declares nothing, and where the promise asks for more than `most` colours.
    """
    colours = [
        PlannedColour(colour.name, Failure(tuple(colour.failed_links), tuple(colour.failed_brokers)), colour.place)
        for colour in (estate.colours if estate.colours_declared else ())
    ]
    tolerate = estate.tolerate
    if tolerate is None:
        if not colours:
            raise UsageError(
                "there is nothing to plan for: the estate declares no colours, and no `tolerate` says what it "
                "promises to survive; add, say, `failures: {tolerate: single-link}`"
            )
        tolerate = Tolerate()
    links, brokers = len(estate.links), len(estate.brokers)
    groups = groups_of(estate)
    asked = count_tolerated(links, brokers, tolerate, len(groups))
    if asked > most:
        these = f" and {tolerate.groups} groups" if tolerate.groups else ""
        of_groups = f" and {len(groups)}" if tolerate.groups else ""
        raise UsageError(
            f"`tolerate` of {tolerate.links} links and {tolerate.brokers} brokers{these} at once, out of {links} and "
            f"{brokers}{of_groups}, needs {asked:,} colours, but momlint plans at most {most:,}; promise fewer "
            "failures at once, or list the combinations that matter under `failures.colours`"
        )
    known = {colour.failure for colour in colours}
    taken = {colour.name for colour in colours}
    numbers = _free_names(frozenset(taken))
    for failure in tolerated(links, brokers, tolerate, groups):
        if failure not in known:
            name = _name_of(estate, failure, taken) if named else next(numbers)
            taken.add(name)
            colours.append(PlannedColour(name, failure))
    return colours


def _name_of(estate: Estate, failure: Failure, taken: set[str]) -> str:
    """What fails, as the name of a colour; with a number behind it where another colour is called so already."""
    parts = [estate.links[link].id for link in failure.links] + [estate.brokers[one].id for one in failure.brokers]
    name = "+".join(parts) or "none"
    if name not in taken:
        return name
    return next(other for other in (f"{name} ({number})" for number in count(2)) if other not in taken)


def _free_names(taken: frozenset[str]) -> Iterator[str]:
    return (name for name in map(str, count(1)) if name not in taken)
