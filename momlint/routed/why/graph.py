"""The lines of a verdict, by following the message.

A change of a line is: of a row another next hop, or none; of a link other ends, or none; of a colour another failure.
Where next hops are given and computed both, links change by being gone only. A line belongs to a pass if some change of
it alone stops the message; all others may change, one at a time, and it still arrives.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from momlint.routed.overlay.form import NO_HOP, NO_ROW
from momlint.routed.why.question import Question, reaches


class Rests(NamedTuple):
    """What a pass rests on: indices of rows and of links; and groups of links of which one will do."""

    rows: tuple[int, ...]
    links: tuple[int, ...]
    either: tuple[tuple[int, ...], ...]


class Mending(NamedTuple):
    """The smallest change that lets a message arrive.

    `rows`: (location, next hop that it is to have). `restores`: the colour is not to fail what lies on the way.
    `link`: the ends of a link that is missing.
    """

    walk: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]
    restores: bool = False
    link: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """How many lines change or are added."""
        return len(self.rows) + self.restores + (self.link is not None)


def rests_on(question: Question) -> Rests:
    """The lines of a message that arrives."""
    hops = list(pairwise(question.walk.brokers))
    taken = [question.live[hop] for hop in hops]
    rows = tuple(row for row in question.walk.rows if row != NO_ROW)
    if question.basis == "rows":
        single = {links[0] for links in taken if len(links) == 1}
        either = {links for links in taken if len(links) > 1}
        # A link that a walk takes both ways is as single as any; of several, none is.
        return Rests(rows, tuple(sorted(single)), tuple(sorted(either)))
    if question.basis == "links":
        links = {links[0] for links in taken if len(links) == 1}
        return Rests(rows, tuple(sorted(one for one in links if not reaches(question, one))), ())
    every = range(len(question.estate.links))
    return Rests(rows, tuple(one for one in every if not question.without_link(one).arrives), ())


def mending(question: Question) -> Mending:
    """The smallest change for a message that does not arrive.

    Rows are changed or added where that will do: links and failures are facts. Else the colour's failure is taken back,
    and where no links lead there either, there is a new one.
    """
    if not question.failed_ends:
        walk = _cheapest(question, question.live)
        if walk is not None:
            return Mending(walk, _changed(question, walk))
    walk = _cheapest(question, question.all_arcs)
    if walk is not None:
        # In the colour as it then is, computed next hops lead along links by themselves.
        return Mending(walk, _changed(question, walk), restores=True)
    return _with_link(question)


def _cost(question: Question, tail: int, head: int) -> int:
    """Whether a row has to change for the message to be sent on from `tail` to `head`."""
    if question.basis == "links":
        return 0
    return int(question.entry(tail)[0] != head)


def _changed(question: Question, walk: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((tail, head) for tail, head in pairwise(walk) if _cost(question, tail, head))


class _Reached(NamedTuple):
    """How a broker is reached: rows to be changed on the way, hops, and the broker before it (itself at the start)."""

    rows: int
    hops: int
    before: int


def _distances(
    question: Question, arcs: Mapping[tuple[int, int], tuple[int, ...]], *, backwards: bool = False
) -> dict[int, _Reached]:
    """Every broker that is reached from the source; `backwards`: that reaches the destination."""
    after: dict[int, list[int]] = {}
    for tail, head in sorted(arcs):
        if question.passes(tail) and tail != question.dest:
            ends = (head, tail) if backwards else (tail, head)
            after.setdefault(ends[0], []).append(ends[1])
    start = question.dest if backwards else question.source
    found: dict[int, _Reached] = {}
    waiting = [(0, 0, start, start)]
    while waiting:
        rows, hops, loc, before = heapq.heappop(waiting)
        if loc in found:
            continue
        found[loc] = _Reached(rows, hops, before)
        for other in after.get(loc, ()):
            if other not in found:
                cost = _cost(question, other, loc) if backwards else _cost(question, loc, other)
                heapq.heappush(waiting, (rows + cost, hops + 1, other, loc))
    return found


def _cheapest(question: Question, arcs: Mapping[tuple[int, int], tuple[int, ...]]) -> tuple[int, ...] | None:
    """The way to the destination with the fewest rows to be changed, then the fewest hops."""
    found = _distances(question, arcs)
    return tuple(_back(found, question.dest))[::-1] if question.dest in found else None


def _back(found: Mapping[int, _Reached], loc: int) -> Iterator[int]:
    yield loc
    while found[loc].before != loc:
        loc = found[loc].before
        yield loc


def _with_link(question: Question) -> Mending:
    """Where links lead nowhere near: the one new link with which the fewest rows change."""
    restores = bool(question.failed_ends)
    known = question.all_arcs if restores else question.live
    near, far = _distances(question, known), _distances(question, known, backwards=True)
    alive = set(range(question.overlay.n))
    if not restores:
        alive -= set(question.overlay.failed_broker[question.colour].nonzero()[0].tolist())
    best: tuple[int, int, int, int] | None = None
    for tail in sorted(near.keys() & alive):
        for head in sorted(far.keys() & alive) if question.passes(tail) else ():
            if head == question.dest or question.passes(head):
                rows = near[tail].rows + _cost(question, tail, head) + far[head].rows
                best = min(
                    best or (rows, question.overlay.n * 2, tail, head),
                    (rows, near[tail].hops + far[head].hops, tail, head),
                )
    assert best is not None  # source and destination are among them
    _, _, tail, head = best
    walk = (*tuple(_back(near, tail))[::-1], *_back(far, head))
    return Mending(walk, _changed(question, walk), restores, (tail, head))


__all__ = ["NO_HOP", "Mending", "Rests", "mending", "rests_on"]
