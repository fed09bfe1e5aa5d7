"""What a question would cost the solver engine, without asking it: clauses are counted, not built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.ragged import distinct
from momlint.routed.smt.cutsets import singles
from momlint.routed.smt.encode import template_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.failures import Survey
    from momlint.routed.questions.question import Question

#: Processor seconds, measured with bench/bench_smt.py on sound tables of 6 to 96 brokers; rounded up.
PER_DESTINATION = 0.5e-3
PER_HOP = 12e-6
PER_DIFFERENCE = 16e-6
PER_TRAP = 0.5e-3
#: For each arc and broker of a script whose failures are symbols; measured with 20 to 100 brokers, as above.
PER_FAILING_ARC = 0.7e-3

#: From here on the answer is "too long" in any case, and the rest of the count is not worth its time.
_ENOUGH = 10.0


def expected_seconds(overlay: Overlay, question: Question) -> float:
    """About how many processor seconds `SmtEngine.decide` takes, importing z3 and jinja2 apart.

    ``PER_DESTINATION`` for each destination; ``PER_HOP`` for each hop of its column (each arc, for
    ``connected``) and ``PER_DIFFERENCE`` for each delta and each colour in which a hop is dead, both times
    the layers of the bounded form. Sound tables take this long; each colour and destination in which
    something fails adds about half a millisecond, which cannot be known before. Above ten seconds the
    figure is a lower bound. Raises `ValueError` as `SmtEngine.decide` does.
    """
    layers = max(1, question.bound or 0) if template_of(question, overlay.n) == "bounded.smt2.j2" else 1
    dests = distinct(question.dests[question.sources != question.dests])
    hops = len(dests) * (len(overlay.arc_tail) if question.kind == "connected" else overlay.n)
    seconds = len(dests) * PER_DESTINATION + hops * layers * PER_HOP
    if seconds > _ENOUGH:
        return seconds
    return seconds + _differences(overlay, question, dests) * layers * PER_DIFFERENCE


def _differences(overlay: Overlay, question: Question, dests: NDArray[np.int32]) -> int:
    """Deltas asked for, and uses of failed elements: each is a literal or a clause."""
    n = overlay.n
    links = overlay.failed_link[question.colours].sum(axis=0)
    brokers = overlay.failed_broker[question.colours].sum(axis=0)
    failures = links[overlay.arc_link] + brokers[overlay.arc_tail] + brokers[overlay.arc_head]
    if question.kind == "connected":
        return int(failures.sum()) * len(dests)
    base = overlay.base[dests].astype(np.int64)
    keys = overlay.keys
    used = np.bincount(keys.pair(np.arange(n), base)[base >= 0], minlength=keys.cells)
    uses = used[keys.pair(overlay.arc_tail, overlay.arc_head)]
    colour, dest, _ = keys.split(overlay.delta_key)
    asked_colour = np.zeros(overlay.colours, dtype=bool)
    asked_colour[question.colours] = True
    asked_dest = np.zeros(n, dtype=bool)
    asked_dest[dests] = True
    deltas = np.count_nonzero(asked_colour[colour] & asked_dest[dest])
    return int((failures * uses).sum()) + int(deltas)


def expected_survey_seconds(overlay: Overlay, elements: Elements, asked: Sequence[int], found: Survey) -> float:
    """About how many processor seconds `SmtEngine.survey` takes, given what it will find; see `expected_seconds`."""
    seconds = PER_TRAP * sum(min(cut.pairs, overlay.n) for cut in found)
    seconds += PER_HOP * len(distinct(overlay.pair_dest)) * (len(overlay.arc_tail) + len(asked))
    if seconds > _ENOUGH:
        return seconds
    return seconds + expected_seconds(*singles(overlay, elements, asked))


def expected_smallest_seconds(overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int) -> float:
    """About how many processor seconds `SmtEngine.smallest` takes to find that nothing cuts."""
    scripts = 0
    for size in range(at_least, elements.largest(promise) + 1):
        scripts += sum(1 for _ in elements.splits(promise, size))
        seconds = PER_FAILING_ARC * scripts * (len(overlay.arc_tail) + overlay.n)
        if seconds > _ENOUGH:
            return seconds
    # Which pairs are joined at all is asked first.
    return seconds + expected_seconds(*singles(overlay, elements, ())) if scripts else 0.0
