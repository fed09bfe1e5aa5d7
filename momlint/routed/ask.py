"""Who decides: the graph engine, the SMT engine, or both, and what happens when they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from momlint.discipline import EngineChoice
from momlint.routed.questions.failures import Smallest, Survey
from momlint.routed.questions.question import Question, Undecided, Verdict
from momlint.routed.requests import (
    Answer,
    Decide,
    Decider,
    Request,
    SmallestOf,
    Specification,
    SurveyOf,
)

if TYPE_CHECKING:
    from momlint.estate.resolved import Spec, Tolerate
    from momlint.routed.graph import GraphEngine
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.moves import Moves
    from momlint.routed.questions.spread import Spread
    from momlint.routed.smt import SmtEngine
    from momlint.routed.smv import SmvEngine
    from momlint.routed.specs import Names, SpecResult

#: ``auto`` lets both engines decide where smt is expected to take less than this many seconds for a question.
BOTH_BELOW_SECONDS = 0.25

#: Seconds for a question to a solver, a model checker or about a specification, where `timeout` says nothing.
QUESTION_SECONDS = 60.0

#: … and gives up its second opinion, without anyone being told, after this many counterexamples to one question.
SECOND_OPINION_TRAPS = 500


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two engines gave different answers to one question: a fault of momlint, reported as MOM902."""

    subject: str
    details: str


class Named(Protocol):
    """Whatever decides has a name for the record."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Ctl:
    """Who decides specifications (`momlint.routed.specs`)."""

    name: str = "ctl"


@dataclass(slots=True)
class Ask:
    """Answers questions, and keeps the record of how: which engines, what stayed undecided, where they differed.

    `engine`: ``graph`` or ``smt`` alone, or ``auto``: graph decides, and smt decides again where that is cheap. With
    ``nusmv`` that program decides whether messages arrive, and graph the rest. Specifications are ctl's in any case.
    `timeout`: seconds for each solver question, None for the engine's own resource limit. `nusmv`: the program, None
    to look for it. `solver`: who answers for smt. `spread`: who may take parts of what graph and smt are asked; None
    for nobody.
    """

    engine: EngineChoice = "auto"
    timeout: float | None = None
    nusmv: str | None = None
    solver: str = "z3"
    engines_used: set[str] = field(default_factory=set)
    questions: int = 0
    decided_twice: int = 0
    specifications: int = 0
    false_specifications: int = 0
    undecided: list[tuple[str, str]] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    spread: Spread | None = None

    def __call__(self, overlay: Overlay, question: Question, subject: str) -> Verdict:
        """Decide `question`; `subject` is what it asks, in the user's words, for the reports that need it."""
        return self.decide(Decide(overlay, question, subject))

    def survey(self, overlay: Overlay, elements: Elements, asked: Sequence[int], subject: str) -> Survey:
        """Which of the elements `asked` cut needed pairs, each failing alone; empty where it stays undecided."""
        if not asked or not len(overlay.pair_source):
            return ()
        return self.decide(SurveyOf(overlay, elements, asked, subject))

    def smallest(
        self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int, subject: str
    ) -> Smallest | None:
        """The smallest failure within `promise` that cuts; None where none does, and where it stays undecided.

        With ``auto``, smt decides what would be too long a search for graph.
        """
        found = self.decide(SmallestOf(overlay, elements, promise, at_least, subject))
        return found if isinstance(found, Smallest) else None

    def specification(
        self, overlay: Overlay, names: Names, spec: Spec, subject: str, moves: Moves | None = None
    ) -> SpecResult:
        """Decide a specification of the estate; `moves`: those of the overlay, where there are many to decide."""
        from momlint.routed.specs import SpecError, SpecFalse, SpecUndecided

        found = self.decide(Specification(overlay, names, spec, moves, self.timeout or QUESTION_SECONDS, subject))
        if not isinstance(found, SpecError | SpecUndecided):
            self.specifications += 1
            self.false_specifications += isinstance(found, SpecFalse)
        return found

    def decide(self, request: Request[Answer]) -> Answer:
        """The life of every request: who decides, in parts or at once, whether a second engine agrees, the record.

        A second opinion is asked for with ``auto``, of what graph has decided in full and smt will decide quickly.
        That it gives up takes nothing from an answer that replays.
        """
        engine = self._engine(request.decider(self.engine))
        parts = None if self.spread is None else request.spread_over(self.spread, engine.name, self.timeout)
        found: Answer | Undecided = request.decided_by(engine) if parts is None else parts.answer
        if not isinstance(found, Undecided) and not request.is_decidable(found):
            return found
        self.questions += 1
        self.engines_used.add(engine.name)
        if parts is not None and parts.undecided:
            self.undecided += [(request.subject, reason) for reason in parts.undecided]
            return found if not isinstance(found, Undecided) else request.unanswered(found)
        if self.engine == "auto" and engine.name == "graph":
            if not isinstance(found, Undecided):
                if request.second_opinion_seconds(found) < BOTH_BELOW_SECONDS:
                    self._decide_again(request, found)
            elif request.falls_to_smt:
                engine = self._smt(second_opinion=False)
                self.engines_used.add(engine.name)
                found = request.decided_by(engine)
        if isinstance(found, Undecided):
            self.undecided.append((request.subject, found.reason))
            return request.unanswered(found)
        return found

    def _decide_again(self, request: Request[Answer], found: Answer) -> None:
        engine = self._smt()
        self.engines_used.add(engine.name)
        second = request.decided_by(engine, found)
        if isinstance(second, Undecided):
            return
        self.decided_twice += 1
        difference = request.difference(found, second)
        if difference is not None:
            self.disagreements.append(Disagreement(request.subject, difference))

    def _engine(self, decider: Decider) -> Named:
        if decider == "graph":
            return self._graph()
        if decider == "smt":
            return self._smt()
        return Ctl() if decider == "ctl" else self._smv()

    def _graph(self) -> GraphEngine:
        from momlint.routed.graph import GraphEngine

        return GraphEngine()

    def _smv(self) -> SmvEngine:
        from momlint.routed.smv import SmvEngine

        return SmvEngine(self.nusmv, self.timeout or QUESTION_SECONDS)

    def _smt(self, *, second_opinion: bool = True) -> SmtEngine:
        from momlint.routed.smt import SmtEngine
        from momlint.routed.smt.engine import DEFAULT_RLIMIT

        # As a second opinion it is to stay cheap; how much damage there is, nobody knows beforehand.
        traps = SECOND_OPINION_TRAPS if self.engine == "auto" and second_opinion else None
        return SmtEngine(
            timeout=self.timeout or QUESTION_SECONDS,
            # Without a limit that was asked for, it is the same on every machine, unless that is very slow.
            rlimit=DEFAULT_RLIMIT if self.timeout is None else None,
            traps=traps,
            solver=self.solver,
        )
