"""Colours: which failures an estate promises to survive, in which order, and what they are called.

A colour stands for one failure or one combination of failures, and the reverse (thesis 6.1.2, Table 6-3; paper
Table III). The generator printed in the thesis counts its colour on for a link that it skips because it has met it
from the other end (line 25 stands outside the ``if``); with that slip the triangle's third link would be colour 5.
Here every colour takes one number, as in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from math import comb
from typing import NamedTuple

from momlint.errors import UsageError
from momlint.estate.resolved import Estate, Tolerate
from momlint.findings import Place

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


def count_tolerated(links: int, brokers: int, tolerate: Tolerate) -> int:
    """How many colours `tolerate` asks for among so many links and brokers, the one without failure included.

    Single links only: ``links + 1``, formula 6-4 of the thesis.
    """
    ways_links = sum(comb(links, size) for size in range(min(tolerate.links, links) + 1))
    return ways_links * sum(comb(brokers, size) for size in range(min(tolerate.brokers, brokers) + 1))


def tolerated(links: int, brokers: int, tolerate: Tolerate) -> Iterator[Failure]:
    """Every failure that `tolerate` promises to survive, each once, in the order in which colours are numbered.

    Nothing; then single links in order, then single brokers in order; then combinations, smaller ones first, of
    one size those with more links first, and among these in the order of ``itertools.combinations``. All
    combinations count, also a broker together with one of its own links.
    """
    most_links, most_brokers = min(tolerate.links, links), min(tolerate.brokers, brokers)
    for size in range(most_links + most_brokers + 1):
        for of_links in range(min(size, most_links), max(0, size - most_brokers) - 1, -1):
            for chosen in combinations(range(links), of_links):
                for failed in combinations(range(brokers), size - of_links):
                    yield Failure(chosen, failed)


def planned_colours(estate: Estate, most: int = MOST_COLOURS) -> list[PlannedColour]:
    """The colours of a plan: those that the estate declares, then one for each tolerated failure that has none.

    New colours are called by the smallest whole numbers from 1 on that are free. The failure of nothing always has
    a colour. Raises `UsageError` where the estate promises nothing and declares nothing, and where the promise
    asks for more than `most` colours.
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
                "promises to survive; add `failures: {tolerate: single-link}`, for one"
            )
        tolerate = Tolerate()
    links, brokers = len(estate.links), len(estate.brokers)
    asked = count_tolerated(links, brokers, tolerate)
    if asked > most:
        raise UsageError(
            f"`tolerate` of {tolerate.links} links and {tolerate.brokers} brokers at once, out of {links} and "
            f"{brokers}, asks for {asked:,} colours, and momlint plans at most {most:,}; promise fewer failures at "
            "once, or list the combinations that matter under `failures.colours`"
        )
    known = {colour.failure for colour in colours}
    names = _free_names([colour.name for colour in colours])
    for failure in tolerated(links, brokers, tolerate):
        if failure not in known:
            colours.append(PlannedColour(next(names), failure))
    return colours


def _free_names(taken: Sequence[str]) -> Iterator[str]:
    used = frozenset(taken)
    return (name for name in map(str, count(1)) if name not in used)
