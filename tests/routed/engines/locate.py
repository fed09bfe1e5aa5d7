"""Fault location the papers' way: broken pairs' paths cut into hops, each hop asked again (thesis 5.2.7, paper 001 VI).

`momlint.routed.diagnosis.blame` reads the culprit off the tables; this asks an engine, any engine, as the papers ask
NuSMV, and comes to the same link or broker. The product does not need it; the tests show the papers' way agrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from momlint.routed.overlay.form import NO_HOP
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.question import Engine


@dataclass(frozen=True, slots=True)
class Located:
    """A broken link (two brokers, ascending) or a broken broker (one), as dense ids, in one colour."""

    colour: int
    kind: Literal["link", "broker"]
    brokers: tuple[int, ...]


def locate_faults(engine: Engine, overlay: Overlay, failing: NDArray[np.int64]) -> list[Located] | Undecided:
    """What the pairs in `failing` (keys as in `Refuted.failing`) have in common.

    The path of a pair is what its column says, whether or not the hops can be used; where the column says nothing, or
    goes in a circle, the rest is a shortest path over all links. Every hop on it is asked for itself. A broker is
    named when the hops to it, or those from it, fail, at least two of them and all that were asked; else the links
    are.
    """
    found: list[Located] = []
    for colour in np.unique(failing // overlay.n**2).tolist():
        hops = _hops(overlay, failing[failing // overlay.n**2 == colour])
        asked = sorted(hops)
        question = Question(
            "arrive",
            np.array([a for a, _ in asked], np.int32),
            np.array([b for _, b in asked], np.int32),
            np.array([colour], np.int32),
        )
        verdict = engine.decide(overlay, question)
        if isinstance(verdict, Undecided):
            return verdict
        if isinstance(verdict, Proved):
            continue
        assert isinstance(verdict, Refuted)
        dest, source = np.divmod(verdict.failing % overlay.n**2, overlay.n)
        broken = set(zip(source.tolist(), dest.tolist(), strict=True))
        found += _named(colour, broken, hops - broken)
    return found


def _named(colour: int, broken: set[tuple[int, int]], sound: set[tuple[int, int]]) -> list[Located]:
    # A broker without a table lets messages in and none out; one that has failed, neither.
    brokers: set[int] = set()
    for end in (0, 1):
        others: dict[int, set[int]] = {}
        for hop in broken:
            others.setdefault(hop[end], set()).add(hop[1 - end])
        well = {hop[end] for hop in sound}
        brokers |= {broker for broker, far in others.items() if len(far) > 1 and broker not in well}
    links = sorted({_link(*hop) for hop in broken if not brokers & {*hop}})
    return [
        *(Located(colour, "broker", (broker,)) for broker in sorted(brokers)),
        *(Located(colour, "link", link) for link in links),
    ]


def _link(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _hops(overlay: Overlay, failing: NDArray[np.int64]) -> set[tuple[int, int]]:
    """The hops on the paths of all failing pairs of one colour."""
    from momlint.routed.overlay.following import entry
    from momlint.routed.overlay.paths import shortest_paths

    n = overlay.n
    _, shortest = shortest_paths(n, overlay.arc_tail, overlay.arc_head, overlay.arc_cost)
    hops: set[tuple[int, int]] = set()
    for key in failing.tolist():
        colour, rest = divmod(key, n * n)
        dest, at = divmod(rest, n)
        path = [at]
        by_table = True
        while path[-1] != dest:
            hop = entry(overlay, colour, dest, path[-1])[0] if by_table else NO_HOP
            if hop == NO_HOP or hop in path:
                by_table, hop = False, int(shortest[dest, path[-1]])
            if hop == NO_HOP:
                break
            path.append(hop)
        hops.update(pairwise(path))
    return hops
