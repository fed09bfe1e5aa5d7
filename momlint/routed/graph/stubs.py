"""What failures cut where some brokers pass nothing on for others: tried one after the other.

Bridges, articulation points and flows speak of graphs in which a path may lead through every node; with brokers that
only take in and hand out their own messages they would have to be asked anew for every source. Such brokers are few, or
their overlay is small: here each failure is tried by a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.elements import Elements, connected_pairs, cut_pairs
from momlint.routed.questions.failures import Cut, Kept, Smallest
from momlint.routed.questions.question import Undecided

if TYPE_CHECKING:
    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.failures import Survey

#: So many failures are tried before the question is given up.
MOST_FAILURES = 5_000


def survey(overlay: Overlay, elements: Elements, asked: Sequence[int]) -> Survey:
    """Which of the elements `asked` cut needed pairs, each failing alone."""
    connected = connected_pairs(overlay)
    found = []
    for element in asked:
        which = np.flatnonzero(cut_pairs(overlay, elements, (element,), connected))
        if which.size:
            source, dest = int(overlay.pair_source[which[0]]), int(overlay.pair_dest[which[0]])
            found.append(Cut(element, which.size, source, dest))
    return tuple(found)


def smallest(overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int) -> Smallest | Kept | Undecided:
    """The first smallest failure within `promise` of at least so many elements that cuts a needed pair."""
    connected = connected_pairs(overlay)
    tried = 0
    for size in range(at_least, elements.largest(promise) + 1):
        for failed in elements.failures(promise, size):
            if cut_pairs(overlay, elements, failed, connected).any():
                return Smallest(failed)
            tried += 1
            if tried >= MOST_FAILURES:
                return Undecided(f"more than {MOST_FAILURES:,} failures would have to be tried")
    return Kept()
