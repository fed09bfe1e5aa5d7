"""`GraphEngine`: decides what a walk by next hops, or a search over live arcs, can decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from momlint.engines.graph import failures
from momlint.engines.graph.walks import failing_walks
from momlint.engines.question import Proved, Question, Refuted, Undecided, Verdict
from momlint.forwarding.arcs import unconnected
from momlint.forwarding.overlay import Overlay

if TYPE_CHECKING:
    from momlint.engines.failures import Kept, Smallest, Survey
    from momlint.estate.resolved import Tolerate
    from momlint.forwarding.elements import Elements


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
        return failures.survey(overlay, elements, asked)

    def smallest(
        self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int = 1
    ) -> Smallest | Kept | Undecided:
        """The smallest failure within `promise` that cuts a needed pair, unless that is too long a search."""
        return failures.smallest(overlay, elements, promise, at_least)


def _unconnected_pairs(overlay: Overlay, question: Question) -> NDArray[np.int64]:
    n = overlay.n
    asked = question.sources != question.dests
    sources, dests = question.sources[asked], question.dests[asked]
    found = []
    for colour, apart in unconnected(overlay, question.colours, sources, dests):
        if apart.any():
            failed = overlay.failed_broker[colour]
            which = np.flatnonzero(apart & ~failed[sources] & ~failed[dests])
            found.append((colour * n + dests[which].astype(np.int64)) * n + sources[which])
    return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)
