"""Who decides: the graph engine, the SMT engine, or both, and what happens when they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from momlint.discipline import EngineChoice
from momlint.routed.questions.failures import Smallest, Survey
from momlint.routed.questions.question import Engine, Proved, Question, Refuted, Undecided, Verdict

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

#: … and gives up its second opinion, without anyone being told, after this many counterexamples to one question.
SECOND_OPINION_TRAPS = 500


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two engines gave different answers to one question: a fault of momlint, reported as MOM902."""

    subject: str
    details: str


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
        self.questions += 1
        if self.engine == "smt":
            return self._note(subject, self._run(self._smt(), overlay, question, subject))
        if self.engine == "nusmv" and question.kind == "arrive":
            return self._note(subject, self._run(self._smv(), overlay, question))
        given_up = len(self.undecided)
        verdict = self._run(self._graph(), overlay, question, subject)
        if self.engine == "auto" and given_up == len(self.undecided) and self._is_cheap(overlay, question):
            second = self._run(self._smt(), overlay, question)
            if isinstance(second, Undecided):
                # One engine has decided; that the other gave up takes nothing from a verdict that replays.
                return self._note(subject, verdict)
            self.decided_twice += 1
            if not _same(verdict, second):
                self.disagreements.append(Disagreement(subject, _difference(overlay, verdict, second)))
        return self._note(subject, verdict)

    def survey(self, overlay: Overlay, elements: Elements, asked: Sequence[int], subject: str) -> Survey:
        """Which of the elements `asked` cut needed pairs, each failing alone; empty where it stays undecided.

        Engines and their record are as for questions.
        """
        if not asked or not len(overlay.pair_source):
            return ()
        self.questions += 1
        decider = self._decider()
        self.engines_used.add(decider.name)
        parts = (
            None if self.spread is None else self.spread.survey(decider.name, self.timeout, overlay, elements, asked)
        )
        if parts is not None and parts.undecided:
            self.undecided += [(subject, reason) for reason in parts.undecided]
            return parts.survey
        found = decider.survey(overlay, elements, asked) if parts is None else parts.survey
        if isinstance(found, Undecided):
            self.undecided.append((subject, found.reason))
            return ()
        if self.engine == "auto" and self._is_cheap_survey(overlay, elements, asked, found):
            second = self._smt().survey(overlay, elements, asked)
            self._compare(subject, found, second)
        return found

    def smallest(
        self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int, subject: str
    ) -> Smallest | None:
        """The smallest failure within `promise` that cuts; None where none does, and where it stays undecided.

        With ``auto``, smt decides what would be too long a search for graph.
        """
        self.questions += 1
        decider = self._decider()
        self.engines_used.add(decider.name)
        found = decider.smallest(overlay, elements, promise, at_least)
        if self.engine == "auto":
            if isinstance(found, Undecided):
                decider = self._smt(second_opinion=False)
                self.engines_used.add(decider.name)
                found = decider.smallest(overlay, elements, promise, at_least)
            elif self._is_cheap_smallest(overlay, elements, promise, at_least):
                second = self._smt().smallest(overlay, elements, promise, at_least)
                self._compare(subject, found, second)
        if isinstance(found, Undecided):
            self.undecided.append((subject, found.reason))
        return found if isinstance(found, Smallest) else None

    def specification(
        self, overlay: Overlay, names: Names, spec: Spec, subject: str, moves: Moves | None = None
    ) -> SpecResult:
        """Decide a specification of the estate; `moves`: those of the overlay, where there are many to decide."""
        from momlint.routed.specs import SpecError, SpecFalse, SpecUndecided, decide_spec

        found = decide_spec(overlay, names, spec.text, spec.logic, self.timeout, moves)
        if isinstance(found, SpecError):
            return found
        self.questions += 1
        self.engines_used.add("ctl")
        if isinstance(found, SpecUndecided):
            self.undecided.append((subject, found.reason))
            return found
        self.specifications += 1
        self.false_specifications += isinstance(found, SpecFalse)
        return found

    def _compare(self, subject: str, found: object, second: object) -> None:
        self.engines_used.add(self._smt().name)
        if isinstance(second, Undecided):
            return
        self.decided_twice += 1
        if found != second:
            self.disagreements.append(Disagreement(subject, f"graph says {found}, smt says {second}"))

    def _decider(self) -> GraphEngine | SmtEngine:
        return self._smt() if self.engine == "smt" else self._graph()

    def _run(self, engine: Engine, overlay: Overlay, question: Question, subject: str | None = None) -> Verdict:
        """With a `subject`, in parts where that is worth it; what stays undecided of some is noted here."""
        self.engines_used.add(engine.name)
        if self.spread is not None and subject is not None:
            parts = self.spread.decide(engine.name, self.timeout, overlay, question)
            if parts is not None:
                self.undecided += [(subject, reason) for reason in parts.undecided]
                return parts.verdict
        return engine.decide(overlay, question)

    def _note(self, subject: str, verdict: Verdict) -> Verdict:
        if isinstance(verdict, Undecided):
            self.undecided.append((subject, verdict.reason))
        return verdict

    def _graph(self) -> GraphEngine:
        from momlint.routed.graph import GraphEngine

        return GraphEngine()

    def _smv(self) -> SmvEngine:
        from momlint.routed.smv import SmvEngine

        return SmvEngine(self.nusmv, self.timeout)

    def _smt(self, *, second_opinion: bool = True) -> SmtEngine:
        from momlint.routed.smt import SmtEngine

        # As a second opinion it is to stay cheap; how much damage there is, nobody knows beforehand.
        traps = SECOND_OPINION_TRAPS if self.engine == "auto" and second_opinion else None
        return SmtEngine(timeout=self.timeout, traps=traps, solver=self.solver)

    def _is_cheap(self, overlay: Overlay, question: Question) -> bool:
        from momlint.routed.smt import expected_seconds

        return expected_seconds(overlay, question) < BOTH_BELOW_SECONDS

    def _is_cheap_survey(self, overlay: Overlay, elements: Elements, asked: Sequence[int], found: Survey) -> bool:
        from momlint.routed.smt import expected_survey_seconds

        return expected_survey_seconds(overlay, elements, asked, found) < BOTH_BELOW_SECONDS

    def _is_cheap_smallest(self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int) -> bool:
        from momlint.routed.smt import expected_smallest_seconds

        return expected_smallest_seconds(overlay, elements, promise, at_least) < BOTH_BELOW_SECONDS


def _same(first: Verdict, second: Verdict) -> bool:
    if isinstance(first, Refuted) and isinstance(second, Refuted):
        return len(first.failing) == len(second.failing) and bool((first.failing == second.failing).all())
    return type(first) is type(second) is Proved


def _difference(overlay: Overlay, graph: Verdict, smt: Verdict) -> str:
    """The first key that one engine refutes and the other does not, as dense ids (names are the report's)."""
    only: list[str] = []
    keys = [set(v.failing.tolist()) if isinstance(v, Refuted) else set() for v in (graph, smt)]
    for name, mine, other in (("graph", keys[0], keys[1]), ("smt", keys[1], keys[0])):
        extra = sorted(mine - other)
        if extra:
            colour, rest = divmod(extra[0], overlay.n * overlay.n)
            dest, source = divmod(rest, overlay.n)
            only.append(
                f"{name} alone refutes {len(extra)} of them, the first in colour {colour} from broker index {source} "
                f"to {dest}"
            )
    return "; ".join(only)
