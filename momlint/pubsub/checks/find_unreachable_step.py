"""MOM853: a step that no client can ever take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.estate.nearest import did_you_mean
from momlint.findings import Draft, RelatedDraft
from momlint.pubsub.form import Constant
from momlint.words import listed

if TYPE_CHECKING:
    from momlint.pubsub.asking import Ask
    from momlint.pubsub.form import Role


def find(ask: Ask) -> Iterator[Draft]:
    """One draft for each step that is never taken, at the step; steps that only follow from it are shown with it."""
    for number, role in enumerate(ask.form.roles):
        if role.count == 0:
            continue  # nobody is there on purpose
        dead = [step for step in range(len(role.steps)) if ask.takes(number, step) is False]
        roots, follows = _roots(role, dead)
        for step in roots:
            reason, help_ = _why(role, step, dead)
            yield Draft(
                "MOM853",
                role.steps[step].place,
                f"step {step + 1} of role `{role.name}` is never taken: {reason}",
                help=help_,
                related=tuple(
                    RelatedDraft(role.steps[other].place, "nor is this one, which needs it")
                    for other in follows.get(step, ())
                ),
                label="no client ever gets here",
                data={"role": role.name, "step": step + 1},
            )


def _roots(role: Role, dead: list[int]) -> tuple[list[int], dict[int, list[int]]]:
    """Which of the steps are causes, and for each cause the steps that are dead for it alone.

    A step follows from another if it can be taken only in states that nothing but dead steps leads to.
    """
    alive = {role.start}
    leads: dict[int, int] = {}
    for number, step in enumerate(role.steps):
        if number not in dead:
            alive |= step.sources if step.target is None else {step.target}
        elif step.target is not None:
            leads.setdefault(step.target, number)
    cause: dict[int, int] = {}
    for number in dead:
        sources = role.steps[number].sources
        before = [leads[state] for state in sorted(sources) if state in leads and leads[state] != number]
        if before and sources.isdisjoint(alive):
            cause[number] = before[0]
    follows: dict[int, list[int]] = {}
    roots = []
    for number in dead:
        first, seen = number, {number}
        while first in cause and cause[first] not in seen:
            first = cause[first]
            seen.add(first)
        root = first
        if first in cause:  # steps that lead to each other, and nothing leads to them: the first of them is told
            circle = {first}
            while (first := cause[first]) not in circle:
                circle.add(first)
            root = min(circle)
        if root == number:
            roots.append(number)
        else:
            follows.setdefault(root, []).append(number)
    return roots, follows


def _why(role: Role, index: int, dead: list[int]) -> tuple[str, str]:
    """The reason, and what to do."""
    step = role.steps[index]
    names = listed([role.states[state] for state in sorted(step.sources)])
    reached = {role.start}
    for number, other in enumerate(role.steps):
        if number not in dead:
            reached |= {other.target} if other.target is not None else set()
    if step.sources.isdisjoint(reached):
        noun = "state" if len(step.sources) == 1 else "states"
        known = [role.states[state] for state in sorted(reached)]
        hint = did_you_mean(role.states[min(step.sources)], known) if len(step.sources) == 1 else ""
        return (
            f"no client is ever in {noun} {names}{hint}",
            "correct `from`, or add a step that leads there",
        )
    if step.verb == "on":
        earlier = [
            number
            for number, other in enumerate(role.steps[:index])
            if other.verb == "on" and other.object == step.object and step.sources <= other.sources
        ]
        if earlier and role.steps[earlier[0]].condition == Constant(True):
            return f"step {earlier[0] + 1} comes first and takes the message", "put the narrower step before the wider"
        return "the message never arrives there", "subscribe before, or publish the message somewhere"
    if step.condition != Constant(True):
        return "its `if` never holds there", "correct `if`"
    return f"{_needs(step.verb)} in {names}", "correct `from`, or remove the step"


def _needs(verb: str) -> str:
    if verb == "connect":
        return "no client is ever offline"
    return "no client is ever connected"
