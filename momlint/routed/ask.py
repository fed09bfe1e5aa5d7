"""Who decides: the graph engine, the SMT engine, or both, and what happens when they disagree."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from momlint.clock import limited
from momlint.discipline import EngineChoice
from momlint.records import dataclass
from momlint.routed.questions.failures import Smallest, Survey
from momlint.routed.questions.question import Proved, Question, Undecided, Verdict
from momlint.routed.requests import (
    Answer,
    Decide,
    Decider,
    Request,
    SmallestOf,
    Specification,
    SurveyOf,
    joined,
)

if TYPE_CHECKING:
    from momlint.estate.resolved import Spec
    from momlint.routed.graph import GraphEngine
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.moves import Moves
    from momlint.routed.questions.spread import Spread
    from momlint.routed.smt import SmtEngine
    from momlint.routed.smv import SmvEngine
    from momlint.routed.specs import Names, SpecResult

T = TypeVar("T")

#: ``auto`` lets both engines decide where smt is expected to take less than this many seconds for a question.
BOTH_BELOW_SECONDS = 0.25

#: Seconds for a question, where `timeout` says nothing.
QUESTION_SECONDS = 60.0

#: Solvers and model checkers have clocks of their own, which say more when they ring; ours rings where they do not:
#: after so many times as long.
_GRACE = 1.5

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


class _Waiting(NamedTuple):
    """An answer that another engine is to give as well, and how many seconds it may take."""

    request: Request[Any]
    found: Any
    seconds: float


@dataclass(slots=True)
class Ask:
    """Answers questions, and keeps the record of how: which engines, what stayed undecided, where they differed.

    `engine`: ``graph`` or ``smt`` alone, or ``auto``: graph decides, and smt decides again where that is cheap. With
    ``nusmv`` that program decides whether messages arrive, and graph the rest. Specifications are ctl's in any case.
    `timeout`: seconds for each question, all engines together no more than twice that; None for `QUESTION_SECONDS` and
    the engines' own limits of resources. `nusmv`: the program, None to look for it. `solver`: who answers for smt.
    `spread`: who may take parts of what graph and smt are asked; None for nobody.
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
    _waiting: list[_Waiting] = field(default_factory=list)
    _graph_gave_up: bool = False

    def __call__(self, overlay: Overlay, question: Question, subject: str) -> Verdict:
        """Decide `question`; `subject` is what it asks, in the user's words, for the reports that need it."""
        return self.decide(Decide(overlay, question, subject))

    def survey(self, overlay: Overlay, elements: Elements, asked: Sequence[int], subject: str) -> Survey:
        """Which of the elements `asked` cut needed pairs, each failing alone; empty where it stays undecided."""
        if not asked or not len(overlay.pair_source):
            return ()
        return self.decide(SurveyOf(overlay, elements, asked, subject))

    def smallest(self, request: SmallestOf, passed: float = 0.0) -> Smallest | None:
        """The smallest failure within a promise that cuts; None where none does, and where it stays undecided.

        With ``auto``, smt decides what would be too long a search for graph. `passed`: how many of the question's
        seconds have gone by, where this is not the first search for its answer.
        """
        found = self.decide(request, passed)
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

    def decide(self, request: Request[Answer], passed: float = 0.0) -> Answer:
        """The life of every request: who decides, in parts or at once, whether a second engine agrees, the record.

        A second opinion is asked for with ``auto``, of what graph has decided in full and smt will decide quickly: not
        at once, but by `settle`, when all questions are known. `passed`: so many of the seconds are gone already.
        """
        limit, began = self.timeout or QUESTION_SECONDS, time.monotonic()
        seconds = max(limit - passed, 0)
        # A search that was too long for graph once will be so again, for the pairs that are left: smt has it at once.
        to_smt = self._graph_gave_up and request.falls_to_smt
        engine = self._smt(seconds, second_opinion=False) if to_smt else self._engine(request.decider(self.engine))
        parts = None if self.spread is None else request.spread_over(self.spread, engine.name, self.timeout)
        found: Answer | Undecided = (
            in_time(engine.name, seconds, partial(request.decided_by, engine), limit) if parts is None else parts.answer
        )
        if not isinstance(found, Undecided) and not request.is_decidable(found):
            return found
        self.questions += 1
        self.engines_used.add(engine.name)
        if parts is not None and parts.undecided:
            self.undecided += [(request.subject, reason) for reason in parts.undecided]
            return found if not isinstance(found, Undecided) else request.unanswered(found)
        if self.engine == "auto" and engine.name == "graph":
            passed = time.monotonic() - began
            left = max(seconds - passed, seconds / 2)
            if not isinstance(found, Undecided):
                if request.second_opinion_seconds(found) < BOTH_BELOW_SECONDS:
                    self._waiting.append(_Waiting(request, found, left))
            elif request.falls_to_smt and passed < seconds:
                self._graph_gave_up = True
                engine = self._smt(left, second_opinion=False)
                self.engines_used.add(engine.name)
                found = in_time(engine.name, left, partial(request.decided_by, engine))
        if isinstance(found, Undecided):
            self.undecided.append((request.subject, found.reason))
            return request.unanswered(found)
        return found

    def settle(self) -> None:
        """Ask for the second opinions that wait. That smt gives up takes nothing from an answer that replays.

        Questions of one kind about other pairs are asked as one: most of what a small one takes is a solver's start.
        Where messages arrive by live arcs a path exists, so that is not asked again where both engines say they do.
        """
        waiting, self._waiting = self._waiting, []
        joint, rest = joined([one.request for one in waiting])
        of = {id(one.request): one for one in waiting}
        arriving: list[Decide] = []
        for whole, parts in joint:
            found = whole.of_parts([of[id(part)].found for part in parts])
            second = self._second(whole, found, min(of[id(part)].seconds for part in parts))
            if isinstance(second, Undecided) or whole.difference(found, second) is not None:
                # Which of them it is about, they say one by one.
                rest = [*parts, *rest]
                continue
            self.decided_twice += len(parts)
            if isinstance(second, Proved):
                arriving.append(whole)
        for request in rest:
            _, found, seconds = of[id(request)]
            follows = any(request.follows_from(whole) for whole in arriving)
            second = Proved() if follows else self._second(request, found, seconds)
            if isinstance(second, Undecided):
                continue
            self.decided_twice += 1
            difference = request.difference(found, second)
            if difference is not None:
                self.disagreements.append(Disagreement(request.subject, difference))

    def _second(self, request: Request[Answer], found: Answer, seconds: float) -> Answer | Undecided:
        engine = self._smt(seconds)
        self.engines_used.add(engine.name)
        return in_time(engine.name, seconds, lambda: request.decided_by(engine, found))

    def _engine(self, decider: Decider) -> Named:
        if decider == "graph":
            return self._graph()
        if decider == "smt":
            return self._smt(self.timeout or QUESTION_SECONDS)
        return Ctl() if decider == "ctl" else self._smv()

    def _graph(self) -> GraphEngine:
        from momlint.routed.graph import GraphEngine

        return GraphEngine()

    def _smv(self) -> SmvEngine:
        from momlint.routed.smv import SmvEngine

        return SmvEngine(self.nusmv, self.timeout or QUESTION_SECONDS)

    def _smt(self, seconds: float, *, second_opinion: bool = True) -> SmtEngine:
        from momlint.routed.smt import SmtEngine
        from momlint.routed.smt.engine import DEFAULT_RLIMIT, rlimit_of

        # As a second opinion it is to stay cheap; how much damage there is, nobody knows beforehand.
        traps = SECOND_OPINION_TRAPS if self.engine == "auto" and second_opinion else None
        return SmtEngine(
            timeout=seconds,
            # Without a limit that was asked for, it is the same on every machine, unless that is very slow.
            rlimit=DEFAULT_RLIMIT if self.timeout is None else rlimit_of(self.timeout),
            traps=traps,
            solver=self.solver,
        )


def in_time(engine: str, seconds: float, ask: Callable[[], T | Undecided], limit: float | None = None) -> T | Undecided:
    """What `ask`, which asks the engine of this name, returns within so many seconds; else that it is undecided.

    `limit`: those of the whole question, of which `seconds` are left. With none left nothing is asked.
    """
    found = limited(seconds if engine == "graph" else _GRACE * seconds, ask) if seconds else None
    return Undecided(f"{engine} found no answer within {limit or seconds:g} s") if found is None else found
