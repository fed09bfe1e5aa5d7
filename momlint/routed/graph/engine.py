"""`GraphEngine`: decides what a walk by next hops, or a search over live arcs, can decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from momlint.routed.graph import cutsets, stubs
from momlint.routed.graph.arrivals import failing_walks
from momlint.routed.overlay.arcs import separated
from momlint.routed.overlay.form import Overlay
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided, Verdict

if TYPE_CHECKING:
    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.questions.failures import Kept, Smallest, Survey


class GraphEngine:
    """Explicit and exact; undecided only where a search among failures of several elements would take too long.

    ``arrive`` and ``arrive-within`` cost time in the number of base entries and deltas, not in colours ×
    brokers².
    """

    name = "graph"

    def decide(self, overlay: Overlay, question: Question) -> Verdict:
        """Decide `question`. Raises ValueError for ``arrive-within`` without a bound."""
        if question.kind == "connected":
            failing = _unconnected_pairs(overlay, question)
        elif question.kind == "arrive":
            # A walk that arrives passes each broker once.
            failing = failing_walks(overlay, question, max(overlay.n - 1, 0))
        elif question.bound is None:
            raise ValueError("arrive-within needs a bound")
        else:
            failing = failing_walks(overlay, question, question.bound)
        return Refuted(failing) if failing.size else Proved()

    def survey(self, overlay: Overlay, elements: Elements, asked: Sequence[int]) -> Survey | Undecided:
        """Which of the elements `asked` cut needed pairs, each failing alone; see `FailureEngine`."""
        if overlay.transit is not None:
            return stubs.survey(overlay, elements, asked)
        return cutsets.survey(overlay, elements, asked)

    def smallest(
        self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int = 1
    ) -> Smallest | Kept | Undecided:
        """The smallest failure within `promise` that cuts a needed pair, unless that is too long a search."""
        if overlay.transit is not None:
            return stubs.smallest(overlay, elements, promise, at_least)
        return cutsets.smallest(overlay, elements, promise, at_least)


def _unconnected_pairs(overlay: Overlay, question: Question) -> NDArray[np.int64]:
    asked = question.sources != question.dests
    sources, dests = question.sources[asked], question.dests[asked]
    found = []
    for colour, apart in separated(overlay, question.colours, sources, dests):
        failed = overlay.failed_broker[colour]
        which = np.flatnonzero(apart & ~failed[sources] & ~failed[dests])
        found.append(overlay.keys.pack(colour, dests[which], sources[which]))
    return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)
