"""What else may answer for an engine: others who take a part of the question each.

`Ask` and the checks know this shape and nothing of who takes the parts (`momlint.fleet`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.latency import Timings
    from momlint.routed.overlay.sweeps import SweepKind, Swept
    from momlint.routed.questions.failures import Survey
    from momlint.routed.questions.question import Question, Verdict


class Decided(NamedTuple):
    """The verdict on all parts that were decided, and for each part that was not, why (one clause for the user)."""

    verdict: Verdict
    undecided: tuple[str, ...] = ()


class Surveyed(NamedTuple):
    """The same for a survey of failures."""

    survey: Survey
    undecided: tuple[str, ...] = ()


class Timed(NamedTuple):
    """The same for latencies; a pair in a part that was given up is as one that does not arrive."""

    timings: Timings
    undecided: tuple[str, ...] = ()


class Spread(Protocol):
    """Answers in parts that are put together again; None where that is not worth the way, and nothing is done.

    The engine is named, not given: whoever takes a part makes one of its own. `timeout`: seconds for one part.
    """

    def decide(self, engine: str, timeout: float | None, overlay: Overlay, question: Question) -> Decided | None:
        """As `Engine.decide`."""
        ...

    def survey(
        self, engine: str, timeout: float | None, overlay: Overlay, elements: Elements, asked: Sequence[int]
    ) -> Surveyed | None:
        """As `FailureEngine.survey`."""
        ...

    def timings(
        self,
        overlay: Overlay,
        processing: Sequence[float],
        sources: NDArray[np.integer],
        dests: NDArray[np.integer],
        takeover: Mapping[int, tuple[int, ...]],
        unknown: NDArray[np.integer],
    ) -> Timed | None:
        """As `momlint.routed.overlay.latency.timings`."""
        ...

    def sweep(self, kind: SweepKind, timeout: float | None, overlay: Overlay) -> Sequence[Swept] | None:
        """As `momlint.routed.overlay.sweeps.sweep`, of all blocks of destinations."""
        ...
