"""Who decides: the graph engine, the SMT engine, or both, and what happens when they disagree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from momlint.engines.question import Engine, Proved, Question, Refuted, Undecided, Verdict

if TYPE_CHECKING:
    from momlint.forwarding.overlay import Overlay

EngineChoice: TypeAlias = Literal["auto", "graph", "smt"]

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

    `engine`: ``graph`` or ``smt`` alone, or ``auto``: graph decides, and smt decides again where that is cheap.
    `timeout`: seconds for each solver question, None for the engine's own resource limit.
    """

    engine: EngineChoice = "auto"
    timeout: float | None = None
    engines_used: set[str] = field(default_factory=set)
    questions: int = 0
    decided_twice: int = 0
    undecided: list[tuple[str, str]] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)

    def __call__(self, overlay: Overlay, question: Question, subject: str) -> Verdict:
        """Decide `question`; `subject` is what it asks, in the user's words, for the reports that need it."""
        self.questions += 1
        if self.engine == "smt":
            return self._note(subject, self._run(self._smt(), overlay, question))
        verdict = self._run(self._graph(), overlay, question)
        if self.engine == "auto" and self._is_cheap(overlay, question):
            second = self._run(self._smt(), overlay, question)
            if isinstance(second, Undecided):
                # One engine has decided; that the other gave up takes nothing from a verdict that replays.
                return self._note(subject, verdict)
            self.decided_twice += 1
            if not _same(verdict, second):
                self.disagreements.append(Disagreement(subject, _difference(overlay, verdict, second)))
        return self._note(subject, verdict)

    def _run(self, engine: Engine, overlay: Overlay, question: Question) -> Verdict:
        self.engines_used.add(engine.name)
        return engine.decide(overlay, question)

    def _note(self, subject: str, verdict: Verdict) -> Verdict:
        if isinstance(verdict, Undecided):
            self.undecided.append((subject, verdict.reason))
        return verdict

    def _graph(self) -> Engine:
        from momlint.engines.graph import GraphEngine

        return GraphEngine()

    def _smt(self) -> Engine:
        from momlint.engines.smt import SmtEngine

        # As a second opinion it is to stay cheap; how much damage there is, nobody knows beforehand.
        return SmtEngine(timeout=self.timeout, traps=SECOND_OPINION_TRAPS if self.engine == "auto" else None)

    def _is_cheap(self, overlay: Overlay, question: Question) -> bool:
        from momlint.engines.smt import expected_seconds

        return expected_seconds(overlay, question) < BOTH_BELOW_SECONDS


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
