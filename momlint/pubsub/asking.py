"""What is asked about the clients of an estate, each question once, and a record of how it was answered."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from momlint.clock import limited
from momlint.errors import ReplayError
from momlint.pubsub.backward import to_mask, views
from momlint.pubsub.compiled import Question, TooLarge, compile_question
from momlint.pubsub.deciding import QUESTION_SECONDS, Answer, decide
from momlint.pubsub.form import Clients, Formula, Property, atoms
from momlint.pubsub.replay import Run

if TYPE_CHECKING:
    from momlint.discipline import Request
    from momlint.pubsub.certificate.invariant import Invariant

#: The search, and the solver that checks its proofs.
SEARCH: Final = "graph"
SOLVER: Final = "smt"
_RLIMIT_PER_SECOND: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Story:
    """A trace that was replayed: the clients by name, a line a step, and the steps that were taken.

    `taken`: (role, step) → the numbers of the lines in which it was, from 1.
    """

    clients: tuple[str, ...]
    lines: tuple[str, ...]
    taken: dict[tuple[int, int], list[int]]


class Ask:
    """The questions about one section. `undecided`: (subject, why); `disagreements`: (subject, details)."""

    def __init__(self, form: Clients, request: Request) -> None:
        self.form = form
        self.request = request
        self.seconds = request.timeout or QUESTION_SECONDS
        self.undecided: list[tuple[str, str]] = []
        self.disagreements: list[tuple[str, str]] = []
        self.engines: set[str] = set()
        #: Properties that were judged, and how many of them hold, do not, and hold by two engines.
        self.judged = 0
        self.proved = 0
        self.refuted = 0
        self.decided_twice = 0
        #: Seconds that are left for questions that are no claims.
        self._left = self.seconds
        self._properties: dict[int, tuple[Answer, Story | None]] = {}
        self._reachable: dict[tuple[Formula, ...], bool | None] = {}
        self._steps: dict[tuple[int, int], bool | None] = {}

    def property(self, number: int) -> tuple[Answer, Story | None]:
        """The answer about a property, recorded the first time; with a story where it does not hold."""
        found = self._properties.get(number)
        if found is None:
            found = self._properties[number] = self._judge(self.form.properties[number])
        return found

    def answers(self) -> dict[int, Answer]:
        """Those about properties so far."""
        return {number: answer for number, (answer, _) in self._properties.items()}

    def reachable(self, formula: Formula) -> bool | None:
        """Whether a client can ever satisfy the formula; None where that stays open. Not recorded: it is no claim."""
        key = (formula,)
        if key not in self._reachable:
            self._reachable[key] = self._can(Question(key))
        return self._reachable[key]

    def takes(self, role: int, step: int) -> bool | None:
        """Whether a client can ever take the step; None where that stays open."""
        key = role, step
        if key not in self._steps:
            self._steps[key] = self._can(Question(step=key))
        return self._steps[key]

    def words(self, number: int) -> list[str]:
        """What no client, and no clients together, can ever be, about what a property that holds asks for."""
        from momlint.pubsub.certificate.words import sentences, together

        never = self.form.properties[number].never
        said = together(self.form.properties[number])
        asked = list(dict.fromkeys(atom._replace(start=0, end=0) for formula in never for atom in atoms(formula)))
        if not asked:
            return said
        try:
            model = compile_question(self.form, Question(tuple(asked)))
        except TooLarge:
            return said
        return [*sentences(self.form, asked, model.bad[:, views(model).any(axis=0)]), *said]

    def record(self, head: Mapping[str, Any]) -> str | None:
        """The record for a certificate; None where a property was not proved by an invariant."""
        from momlint.pubsub.certificate.record import record

        proofs = []
        for number, asked in enumerate(self.form.properties):
            invariant = invariant_of(self.property(number)[0])
            if invariant is None:
                return None
            proofs.append((asked, invariant, self.words(number)))
        return record(head, proofs)

    def _can(self, question: Question) -> bool | None:
        """Such questions are many, and no claims: together they have the time of one."""
        if self._left <= 0:
            return None
        started = time.monotonic()
        answer = self._decide(question, self._left)
        self._left -= time.monotonic() - started
        return None if answer.reason is not None else not answer.holds

    def _decide(self, question: Question, seconds: float) -> Answer:
        answer = limited(seconds, lambda: decide(self.form, question, seconds))
        return answer or Answer(None, reason=f"it takes more than {seconds:g} s")

    def _judge(self, asked: Property) -> tuple[Answer, Story | None]:
        subject = f"whether {asked.title} holds"
        self.judged += 1
        answer = self._decide(Question(asked.never), self.seconds)
        self.engines.add(SEARCH)
        if answer.reason is not None:
            self.undecided.append((subject, answer.reason))
            return answer, None
        if answer.trace is not None:
            self.refuted += 1
            return answer, self._told(subject, answer, asked)
        self.proved += 1
        if self.request.engine != "graph":
            self._check(subject, answer)
        return answer, None

    def _told(self, subject: str, answer: Answer, asked: Property) -> Story | None:
        """The trace replayed; a MOM902 where it does not."""
        assert answer.trace is not None
        try:
            run = Run(self.form, answer.trace.roles)
            lines: list[str] = []
            taken: dict[tuple[int, int], list[int]] = {}
            for number, move in enumerate(answer.trace.moves, 1):
                before = len(run.taken)
                lines.append(run.do(move))
                for step in run.taken[before:]:
                    taken.setdefault(step, []).append(number)
            if not run.violates(asked.never):
                raise ReplayError("at the end of the trace nothing is wrong")
        except ReplayError as error:
            self.disagreements.append((subject, f"the trace does not replay: {error}"))
            return None
        return Story(run.names, tuple(lines), taken)

    def _check(self, subject: str, answer: Answer) -> None:
        """Let a solver check the proof."""
        invariant = invariant_of(answer)
        if answer.model is None or invariant is None:
            return  # every configuration was looked at
        from momlint.pubsub.certificate import violation
        from momlint.solving.limits import GaveUp, SolverLimits

        deadline = None if self.request.timeout is None else time.monotonic() + self.request.timeout
        limits = SolverLimits(int(self.seconds * _RLIMIT_PER_SECOND), deadline, self.request.timeout)
        model = answer.model
        try:
            fault = limited(self.seconds, lambda: (violation(model, invariant, limits, self.request.solver),))
        except GaveUp as error:
            fault = None
            why = str(error)
        else:
            why = f"checking the proof takes more than {self.seconds:g} s"
        if fault is None:
            if self.request.engine == "smt":
                self.undecided.append((subject, why))
            return
        self.engines.add(SOLVER)
        self.decided_twice += 1
        if fault[0] is not None:
            self.disagreements.append((subject, f"the proof does not hold: {fault[0]}"))


def invariant_of(answer: Answer) -> Invariant | None:
    """The invariant that a search ended with; None where there is none."""
    if not answer.holds or answer.reached is None:
        return None
    from momlint.pubsub.certificate.invariant import Excluded

    found: dict[int, int] = {}
    size = answer.reached.views.shape[1]
    for world, row in enumerate(answer.reached.views):
        cannot = ((1 << size) - 1) ^ to_mask(row)
        if cannot:
            found[cannot] = found.get(cannot, 0) | 1 << world
    never = [Excluded(worlds, (states,)) for states, worlds in found.items()]
    return (*never, *(Excluded(cube.world, cube.clients) for cube in answer.reached.cubes))
