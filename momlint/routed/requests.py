"""What an engine can be asked: each kind of request with all that is particular to it.

`momlint.routed.ask.Ask.decide` has the one life of a request: it chooses the engine, spreads the work, asks for a
second opinion, compares and keeps the record. A new kind of request is one more class here and nothing there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from momlint.discipline import EngineChoice
from momlint.records import dataclass
from momlint.routed.questions.failures import Kept, Smallest, Survey
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided, Verdict

if TYPE_CHECKING:
    from momlint.estate.resolved import Spec, Tolerate
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.moves import Moves
    from momlint.routed.questions.spread import Spread
    from momlint.routed.specs import Names, SpecResult

#: Who decides: ``ctl`` is for specifications, whatever the user has chosen.
Decider: TypeAlias = Literal["graph", "smt", "nusmv", "ctl"]

Answer = TypeVar("Answer")


class InParts(NamedTuple):
    """An answer put together from parts, and for each part that was given up, why."""

    answer: Any
    undecided: tuple[str, ...]


class Request(Protocol[Answer]):
    """One thing to be decided about an overlay. `subject`: what is asked, in the user's words."""

    @property
    def subject(self) -> str:
        """What is asked, in the user's words."""
        ...

    #: Whether smt, unlimited, takes over where graph gives up with ``auto``.
    @property
    def falls_to_smt(self) -> bool: ...

    def decider(self, choice: EngineChoice) -> Decider:
        """Who decides it first."""
        ...

    def decided_by(self, engine: Any, guess: Answer | None = None) -> Answer | Undecided:
        """What this engine says; engines are those of `decider`. `guess`: what another says, to be tried first."""
        ...

    def spread_over(self, spread: Spread, engine: str, timeout: float | None) -> InParts | None:
        """The answer by many, each a part; None where it is not worth the way."""
        ...

    def second_opinion_seconds(self, found: Answer) -> float:
        """About how many processor seconds smt takes to decide again what graph has answered with `found`."""
        ...

    def difference(self, found: Answer, second: Answer) -> str | None:
        """How two answers differ, as dense ids (names are the report's); None where they agree."""
        ...

    def follows_from(self, proved: Decide) -> bool:
        """Whether it holds because `proved`, that messages arrive, does."""
        ...

    def is_decidable(self, found: Answer) -> bool:
        """Whether what was asked has an answer at all; a text with a mistake has none, and is not counted."""
        ...

    def unanswered(self, undecided: Undecided) -> Answer:
        """What stands for the answer where there is none; the record says that it is none."""
        ...


def _graph_or_smt(choice: EngineChoice) -> Decider:
    return "smt" if choice == "smt" else "graph"


@dataclass(frozen=True, slots=True)
class Decide:
    """Whether something holds for pairs in colours: a `Question`, answered by a `Verdict`."""

    overlay: Overlay
    question: Question
    subject: str
    falls_to_smt: bool = False

    def decider(self, choice: EngineChoice) -> Decider:
        """With ``nusmv`` that program decides whether messages arrive."""
        return "nusmv" if choice == "nusmv" and self.question.kind == "arrive" else _graph_or_smt(choice)

    def decided_by(self, engine: Any, guess: Verdict | None = None) -> Verdict | Undecided:
        """See `Engine.decide`."""
        verdict: Verdict = engine.decide(self.overlay, self.question)
        return verdict

    def spread_over(self, spread: Spread, engine: str, timeout: float | None) -> InParts | None:
        """By destinations and colours."""
        parts = spread.decide(engine, timeout, self.overlay, self.question)
        return None if parts is None else InParts(parts.verdict, parts.undecided)

    def second_opinion_seconds(self, found: Verdict) -> float:
        """It goes with the question, not with the answer."""
        from momlint.routed.smt import expected_seconds

        return expected_seconds(self.overlay, self.question)

    def difference(self, found: Verdict, second: Verdict) -> str | None:
        """The first key that one refutes and the other does not."""
        if type(found) is type(second) is Proved:
            return None
        if isinstance(found, Refuted) and isinstance(second, Refuted) and np.array_equal(found.failing, second.failing):
            return None
        graph, smt = (set(v.failing.tolist()) if isinstance(v, Refuted) else set() for v in (found, second))
        alone: list[str] = []
        for name, keys, others in (("graph", graph, smt), ("smt", smt, graph)):
            extra = sorted(keys - others)
            if extra:
                colour, dest, source = self.overlay.keys.split(extra[0])
                alone.append(
                    f"{name} alone refutes {len(extra)} of them, the first in colour {colour} from broker index "
                    f"{source} to {dest}"
                )
        return "; ".join(alone)

    def follows_from(self, proved: Decide) -> bool:
        """Where messages arrive, a path exists: for these pairs and colours, if they are among those of `proved`."""
        mine, others = self.question, proved.question
        if self.overlay is not proved.overlay or mine.kind != "connected" or others.kind != "arrive":
            return False
        keys = self.overlay.keys
        pairs, known = keys.pair(mine.sources, mine.dests), keys.pair(others.sources, others.dests)
        return bool(np.isin(mine.colours, others.colours).all() and np.isin(pairs, known).all())

    def of_parts(self, verdicts: Sequence[Verdict]) -> Verdict:
        """The verdict on this question where `verdicts` are those on the questions that it joins."""
        failing = [verdict.failing for verdict in verdicts if isinstance(verdict, Refuted)]
        return Refuted(np.sort(np.concatenate(failing))) if failing else Proved()

    def is_decidable(self, found: Verdict) -> bool:
        """Always."""
        return True

    def unanswered(self, undecided: Undecided) -> Verdict:
        """An undecided verdict is a verdict."""
        return undecided


@dataclass(frozen=True, slots=True)
class SurveyOf:
    """Which of the elements `asked` cut needed pairs, each failing alone."""

    overlay: Overlay
    elements: Elements
    asked: Sequence[int]
    subject: str
    falls_to_smt: bool = False

    def decider(self, choice: EngineChoice) -> Decider:
        """NuSMV knows nothing of links."""
        return _graph_or_smt(choice)

    def decided_by(self, engine: Any, guess: Survey | None = None) -> Survey | Undecided:
        """See `FailureEngine.survey`."""
        # Only smt is asked a second time, and takes guesses.
        more = () if guess is None else (guess,)
        survey: Survey | Undecided = engine.survey(self.overlay, self.elements, self.asked, *more)
        return survey

    def spread_over(self, spread: Spread, engine: str, timeout: float | None) -> InParts | None:
        """By elements."""
        parts = spread.survey(engine, timeout, self.overlay, self.elements, self.asked)
        return None if parts is None else InParts(parts.survey, parts.undecided)

    def second_opinion_seconds(self, found: Survey) -> float:
        """Each pair that is cut takes its time."""
        from momlint.routed.smt import expected_survey_seconds

        return expected_survey_seconds(self.overlay, self.elements, self.asked, found)

    def difference(self, found: Survey, second: Survey) -> str | None:
        """Both in full."""
        return None if found == second else f"graph says {found}, smt says {second}"

    def follows_from(self, proved: Decide) -> bool:
        """Never: it is about other things."""
        return False

    def is_decidable(self, found: Survey) -> bool:
        """Always."""
        return True

    def unanswered(self, undecided: Undecided) -> Survey:
        """Nothing is known to cut."""
        return ()


@dataclass(frozen=True, slots=True)
class SmallestOf:
    """The smallest failure within `promise` that cuts; one of fewer than `at_least` elements is known not to.

    `second_opinion`: whether it is worth one.
    """

    overlay: Overlay
    elements: Elements
    promise: Tolerate
    at_least: int
    subject: str
    second_opinion: bool = True
    falls_to_smt: bool = True

    def decider(self, choice: EngineChoice) -> Decider:
        """NuSMV knows nothing of links."""
        return _graph_or_smt(choice)

    def decided_by(self, engine: Any, guess: Smallest | Kept | Undecided | None = None) -> Smallest | Kept | Undecided:
        """See `FailureEngine.smallest`."""
        found: Smallest | Kept | Undecided = engine.smallest(self.overlay, self.elements, self.promise, self.at_least)
        return found

    def spread_over(self, spread: Spread, engine: str, timeout: float | None) -> InParts | None:
        """One search; it is not divided."""
        return None

    def second_opinion_seconds(self, found: Smallest | Kept | Undecided) -> float:
        """As long as to find that nothing cuts."""
        if not self.second_opinion:
            return float("inf")
        from momlint.routed.smt import expected_smallest_seconds

        return expected_smallest_seconds(self.overlay, self.elements, self.promise, self.at_least)

    def difference(self, found: Smallest | Kept | Undecided, second: Smallest | Kept | Undecided) -> str | None:
        """Both in full."""
        return None if found == second else f"graph says {found}, smt says {second}"

    def follows_from(self, proved: Decide) -> bool:
        """Never: it is about other things."""
        return False

    def is_decidable(self, found: Smallest | Kept | Undecided) -> bool:
        """Always."""
        return True

    def unanswered(self, undecided: Undecided) -> Smallest | Kept | Undecided:
        """It stays undecided."""
        return undecided


@dataclass(frozen=True, slots=True)
class Specification:
    """Whether a specification of the estate holds; `moves`: those of the overlay, where there are many to decide."""

    overlay: Overlay
    names: Names
    spec: Spec
    moves: Moves | None
    timeout: float | None
    subject: str
    falls_to_smt: bool = False

    def decider(self, choice: EngineChoice) -> Decider:
        """Whatever is chosen."""
        return "ctl"

    def decided_by(self, engine: Any, guess: SpecResult | None = None) -> SpecResult | Undecided:
        """Only ctl can."""
        from momlint.routed.specs import SpecUndecided, decide_spec

        found = decide_spec(self.overlay, self.names, self.spec.text, self.spec.logic, self.timeout, self.moves)
        return Undecided(found.reason) if isinstance(found, SpecUndecided) else found

    def spread_over(self, spread: Spread, engine: str, timeout: float | None) -> InParts | None:
        """It is not divided."""
        return None

    def second_opinion_seconds(self, found: SpecResult) -> float:
        """There is no second one."""
        return float("inf")

    def difference(self, found: SpecResult, second: SpecResult) -> str | None:
        """There is no second one."""
        return None

    def follows_from(self, proved: Decide) -> bool:
        """Never: it is about other things."""
        return False

    def is_decidable(self, found: SpecResult) -> bool:
        """Unless its text has a mistake."""
        from momlint.routed.specs import SpecError

        return not isinstance(found, SpecError)

    def unanswered(self, undecided: Undecided) -> SpecResult:
        """It stays undecided."""
        from momlint.routed.specs import SpecUndecided

        return SpecUndecided(undecided.reason)


def joined(requests: Sequence[Request[Any]]) -> tuple[list[tuple[Decide, list[Decide]]], list[Request[Any]]]:
    """Questions whether messages arrive, joined where they are about one overlay, the same colours and other pairs.

    Each comes with those that it joins; then all other requests, in their order.
    """
    found: list[tuple[Decide, list[Decide]]] = []
    rest: list[Request[Any]] = []
    for request in requests:
        if not isinstance(request, Decide) or request.question.kind != "arrive":
            rest.append(request)
            continue
        for index, (whole, parts) in enumerate(found):
            together = _together(whole, request)
            if together is not None:
                found[index] = together, [*parts, request]
                break
        else:
            found.append((request, [request]))
    return found, rest


def _together(one: Decide, other: Decide) -> Decide | None:
    """Both questions as one; None where they are about other things, or about one pair twice."""
    a, b, keys = one.question, other.question, one.overlay.keys
    if one.overlay is not other.overlay or not np.array_equal(a.colours, b.colours):
        return None
    if np.isin(keys.pair(a.sources, a.dests), keys.pair(b.sources, b.dests)).any():
        return None
    sources, dests = np.concatenate((a.sources, b.sources)), np.concatenate((a.dests, b.dests))
    return Decide(one.overlay, Question("arrive", sources, dests, a.colours), one.subject)
