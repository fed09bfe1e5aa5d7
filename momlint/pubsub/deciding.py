"""One question about clients, decided: a shortest trace for the fewest clients, a proof for any number, or neither."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from momlint.pubsub.backward import Distance, Reached
from momlint.pubsub.backward import search as search_backward
from momlint.pubsub.budget import Budget, OutOfBudget
from momlint.pubsub.compiled import Compiled, Question, TooLarge, compile_question
from momlint.pubsub.form import Clients
from momlint.pubsub.forward import Trace
from momlint.pubsub.forward import search as search_forward

#: Seconds for one question, where `--timeout` does not say otherwise.
QUESTION_SECONDS: Final = 60.0
#: So many clients, beside those that must be there, are looked at one number after the other.
_FEW: Final = 3
#: Configurations of a first look, and where nothing else can decide.
_FIRST_LOOK: Final = 20_000
_MOST_CLIENTS: Final = 500
_MOST_CONFIGURATIONS: Final = 1_000_000
_MOST_CUBES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a question.

    `trace`: a shortest one for the fewest clients, None where there is none. `reached`: what leads to something bad;
    with no trace its complement is the proof, None where all configurations were looked at instead. `reason`: why
    nothing is known, one clause; None where something is. `model`: the question compiled, None where it is too large.
    """

    model: Compiled | None
    trace: Trace | None = None
    reached: Reached | None = None
    reason: str | None = None

    @property
    def holds(self) -> bool:
        """Whether it is proved that nothing bad can be reached."""
        return self.reason is None and self.trace is None


def decide(form: Clients, question: Question, seconds: float = QUESTION_SECONDS) -> Answer:
    """Decide; takes little more than so many seconds."""
    deadline = time.monotonic() + seconds
    try:
        model = compile_question(form, question)
    except TooLarge as error:
        return Answer(None, reason=str(error))
    try:
        return _decide(model, deadline, seconds)
    except OutOfBudget as error:
        return Answer(model, reason=str(error))


def _decide(model: Compiled, deadline: float, seconds: float) -> Answer:
    fixed = sum(count for count in model.counts if count is not None)
    exact = None not in model.counts
    least = max(1, fixed)
    too_many = fixed > _MOST_CLIENTS
    for clients in () if too_many else range(least, least + (1 if exact else _FEW)):
        try:
            trace = search_forward(model, clients, Budget(_FIRST_LOOK, deadline, seconds))
        except OutOfBudget:
            break
        if trace is not None:
            return Answer(model, trace)
        least = clients + 1
    exhausted = exact and least > max(1, fixed)
    try:
        reached = search_backward(model, Budget(_MOST_CUBES, deadline, seconds), least)
    except OutOfBudget:
        if exhausted:
            return Answer(model)  # every configuration was looked at
        if exact and not too_many:
            return Answer(model, search_forward(model, fixed, Budget(_MOST_CONFIGURATIONS, deadline, seconds)))
        raise
    if reached.fewest is None:
        return Answer(model, reached=reached)
    if too_many:
        raise OutOfBudget(f"something is wrong, but {fixed:,} clients are too many for a trace; give fewer")
    budget = Budget(_MOST_CONFIGURATIONS, deadline, seconds)
    trace = search_forward(model, reached.fewest, budget, Distance(reached))
    return Answer(model, trace, reached)
