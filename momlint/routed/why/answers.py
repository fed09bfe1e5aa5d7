"""The answer to "why": the verdict, the walk, and its lines; by one engine, or by both, which must agree."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Literal, TypeAlias

from momlint.errors import InternalError
from momlint.estate.load import LoadedEstate
from momlint.findings import Position
from momlint.records import dataclass
from momlint.routed.why import graph
from momlint.routed.why.graph import Mending, Rests
from momlint.routed.why.lines import Line, Lines
from momlint.routed.why.question import Question
from momlint.solving.limits import SolverLimits
from momlint.words import joined

Engine: TypeAlias = Literal["auto", "graph", "smt"]
#: z3's steps for one question.
_RLIMIT = 200_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a message arrives: `lines`, and `either`, groups of links of which one will do. Or why not: `lines` mend it.

    `walk`: what it does; `way`: for a failure, what it would do with the lines changed. Names, in order.
    """

    arrives: bool
    walk: tuple[str, ...]
    end: Literal["arrived", "stopped", "looped", "failed"]
    lines: tuple[Line, ...]
    either: tuple[tuple[Line, ...], ...] = ()
    way: tuple[str, ...] = ()


def answer(loaded: LoadedEstate, question: Question, engine: Engine, seconds: float) -> Answer:
    """Why. Raises `InternalError` where the engines disagree, `momlint.solving.limits.GaveUp` where z3 gives up."""
    lines = Lines(loaded, question.estate)
    names = [broker.id for broker in question.estate.brokers]
    walk = () if question.failed_ends else tuple(names[one] for one in question.walk.brokers)
    if question.arrives:
        rests = _rests(question, engine, seconds)
        told = lines_of(lines, question, rests)
        either = tuple(tuple(sorted(map(lines.link, group), key=_order)) for group in rests.either)
        return Answer(True, walk, "arrived", told, either)
    if engine != "graph" and question.basis != "both" and not question.failed_ends:
        from momlint.routed.why.smt import rests_on

        if rests_on(question, _limits(seconds)) is not None:
            raise _disagreement(question)
    mending = graph.mending(question)
    _replay(question, mending)
    way = tuple(names[one] for one in mending.walk)
    end = "failed" if question.failed_ends else question.walk.end
    return Answer(False, walk, end, _mending_lines(lines, question, mending, names), (), way)


def lines_of(lines: Lines, question: Question, rests: Rests) -> tuple[Line, ...]:
    """The lines of a pass, by place: rows, links, and the colour that it is judged in."""
    told = [lines.row(row, question.dest) for row in rests.rows] + [lines.link(link) for link in rests.links]
    colour = lines.colour(question.colour)
    return tuple(sorted([*told, *([colour] if colour is not None else [])], key=_order))


def _order(line: Line) -> tuple[str, Position, str, str]:
    return line.order


def _rests(question: Question, engine: Engine, seconds: float) -> Rests:
    by_graph = graph.rests_on(question)
    if engine == "graph" or question.basis == "both":
        return by_graph
    from momlint.routed.why.smt import rests_on

    by_smt = rests_on(question, _limits(seconds))
    if by_smt is None or sorted(by_smt.rows) != sorted(by_graph.rows) or by_smt[1:] != by_graph[1:]:
        raise _disagreement(question)
    return by_graph if engine == "auto" else by_smt


def _limits(seconds: float) -> SolverLimits:
    return SolverLimits(_RLIMIT, time.monotonic() + seconds, seconds)


def _disagreement(question: Question) -> InternalError:
    names = question.estate.brokers
    pair = f"{names[question.source].id} to {names[question.dest].id}"
    return InternalError(
        f"the engines disagree on the lines of {pair}; this is a bug in momlint: please report the file"
    )


def _mending_lines(lines: Lines, question: Question, mending: Mending, names: list[str]) -> tuple[Line, ...]:
    told: list[Line] = []
    for loc, hop in mending.rows:
        row = question.entry(loc)[1]
        if row >= 0:
            told.append(lines.row(row, question.dest, f"next hop {names[hop]}"))
        else:
            told.append(lines.new_row(loc, question.dest, f"add: to {names[question.dest]} via {names[hop]}"))
    if mending.restores:
        failed = _failed_on(question, mending.walk)
        colour = lines.colour(question.colour, f"do not fail {joined(failed)}")
        assert colour is not None  # where something fails, a colour says so
        told.append(colour)
    if mending.link is not None:
        tail, head = mending.link
        told.append(lines.new_link(tail, head, f"add a link between {names[tail]} and {names[head]}"))
    return tuple(sorted(told, key=_order))


def _failed_on(question: Question, walk: tuple[int, ...]) -> list[str]:
    """What has failed on a way; of parallel links the first."""
    overlay, estate = question.overlay, question.estate
    failed = [estate.brokers[one].id for one in walk if overlay.failed_broker[question.colour, one]]
    for hop in pairwise(walk):
        links = question.all_arcs.get(hop, ())
        if links and all(overlay.failed_link[question.colour, link] for link in links):
            failed.append(estate.links[links[0]].id)
    return failed


def _replay(question: Question, mending: Mending) -> None:
    """That the message takes the way, hop by hop, once the lines are changed."""
    changed = dict(mending.rows)
    loc, steps = question.source, list(pairwise(mending.walk))
    for tail, head in steps:
        arcs = question.all_arcs if mending.restores else question.live
        is_new = mending.link == (tail, head)
        hop = changed.get(tail, head if question.basis == "links" else question.entry(tail)[0])
        if tail != loc or hop != head or not (is_new or (tail, head) in arcs) or not question.passes(tail):
            raise InternalError("a mend does not replay; this is a bug in momlint: please report the file")
        loc = head
    if loc != question.dest:
        raise InternalError("a mend does not arrive; this is a bug in momlint: please report the file")


__all__ = ["Answer", "Engine", "answer", "lines_of"]
