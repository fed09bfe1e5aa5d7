"""The script language of failures: ``at 50 fail 2--3``, ``at 100 heal 2--3``; from text to faults in order of time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from momlint.estate.nearest import did_you_mean
from momlint.findings import Problem
from momlint.simulation.lines import Mistaken, Word, worded

_FORM = "write `at TIME fail NAME` or `at TIME heal NAME`"
_LATEST = 1e9


class Element(NamedTuple):
    """A link or a broker, by its number."""

    is_link: bool
    number: int


@dataclass(frozen=True, slots=True)
class Incident:
    """At a time, an element fails, or heals."""

    at: float
    fails: bool
    element: Element
    name: str
    line: int


class FaultScript(NamedTuple):
    """The faults in order of time; where there are `problems`, nothing is to be run."""

    faults: tuple[Incident, ...]
    problems: tuple[Problem, ...]


def read_faults(text: str, elements: Mapping[str, Element]) -> FaultScript:
    """The faults of a script. Raises nothing on account of what it says."""
    found: list[tuple[Incident, Word]] = []
    problems: list[Problem] = []
    for words in worded(text):
        try:
            found.append(_fault(words, elements))
        except Mistaken as mistaken:
            problems.append(mistaken.problem)
    # Two at one time are in the order of their lines.
    found.sort(key=lambda one: one[0].at)
    down: set[Element] = set()
    for fault, word in found:
        if fault.fails == (fault.element in down):
            state = "has failed already" if fault.fails else "has not failed"
            problems.append(word.mistake(f"`{fault.name}` {state} at {fault.at:g}", "leave the line out"))
        elif fault.fails:
            down.add(fault.element)
        else:
            down.remove(fault.element)
    problems.sort(key=lambda problem: problem.span.start)
    return FaultScript(tuple(fault for fault, _ in found), tuple(problems))


def _fault(words: list[Word], elements: Mapping[str, Element]) -> tuple[Incident, Word]:
    first = words[0]
    if first.text != "at":
        raise Mistaken(first.mistake(f"a line begins with `at`, not `{first.text}`", _FORM))
    if len(words) < 4:
        raise Mistaken(words[-1].mistake(f"the line ends after `{words[-1].text}`", _FORM))
    _, time, verb, name, *rest = words
    if not re.fullmatch(r"[0-9]{1,10}(\.[0-9]{1,9})?", time.text) or float(time.text) > _LATEST:
        raise Mistaken(time.mistake(f"`at` takes a time, 0 or more, not `{time.text}`", _FORM))
    if verb.text not in ("fail", "heal"):
        raise Mistaken(verb.mistake(f"something can `fail` or `heal`, not `{verb.text}`", _FORM))
    if name.text not in elements:
        near = did_you_mean(name.text, list(elements))
        raise Mistaken(name.mistake(f"there is no link or broker `{name.text}`{near}"))
    if rest:
        raise Mistaken(rest[0].mistake(f"`{rest[0].text}` is one word too many", _FORM))
    return Incident(float(time.text), verb.text == "fail", elements[name.text], name.text, first.line), name
