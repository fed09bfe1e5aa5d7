"""What failures cut, asked of a solver: failures are symbols, and nothing is enumerated.

`survey` asks the question of the colours, "is a path left" (``cut.smt2.j2``), with one colour for each failure of
one element. `smallest` makes every failure a Boolean and bounds how many are true (``failures.smt2.j2``): one
question decides all failures of a size, and a few more find the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from momlint.routed.overlay.elements import ElementKind, Elements, with_failures
from momlint.routed.questions.failures import Cut, Kept, Smallest, Survey
from momlint.routed.questions.question import Question, Undecided
from momlint.routed.smt.encode import Encoder
from momlint.routed.smt.solve import failing
from momlint.solving.limits import GaveUp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.smt.encode import Section
    from momlint.routed.smt.solve import Session

_KINDS: tuple[ElementKind, ...] = ("link", "broker", "group")


class Choices(Protocol):
    """A solver that has read a script of ``failures.smt2.j2``."""

    def choose(self, some_of: Sequence[str] = ()) -> frozenset[str] | None:
        """The failures of a model, one of `some_of` among them if there are any; None when there is no model.

        Raises `GaveUp`.
        """
        ...

    def fix(self, symbol: str) -> None:
        """From now on this one has failed."""
        ...


Opener: TypeAlias = "Callable[[Section], Session]"
ChoicesOpener: TypeAlias = "Callable[[FailureScript], Choices]"


def singles(overlay: Overlay, elements: Elements, asked: Sequence[int]) -> tuple[Overlay, Question]:
    """The question that decides a survey: colour 0 is calm, colour i + 1 fails ``asked[i]``."""
    alone = with_failures(overlay, elements, [(), *((element,) for element in asked)])
    colours = np.arange(alone.colours, dtype=np.int32)
    return alone, Question("connected", overlay.pair_source, overlay.pair_dest, colours)


def survey(
    overlay: Overlay, elements: Elements, asked: Sequence[int], open_session: Opener, traps: int | None
) -> Survey | Undecided:
    """Which of the elements `asked` cut needed pairs, each failing alone; `traps` as for `SmtEngine`."""
    alone, question = singles(overlay, elements, asked)
    pairs: dict[int, int] = {}
    first: dict[int, tuple[int, int]] = {}
    found = 0
    try:
        for section in Encoder(alone, question):
            cut_off: dict[int, list[int]] = {}
            for colours, sources in failing(section, open_session(section)):
                found += 1
                if traps is not None and found > traps:
                    return Undecided(f"more than {traps} cuts were found, and the search was stopped")
                for colour in colours:
                    cut_off.setdefault(colour, []).extend(sources)
            never = set(cut_off.pop(0, ()))
            for colour, sources in cut_off.items():
                new = [source for source in sources if source not in never]
                if new:
                    element = asked[colour - 1]
                    pairs[element] = pairs.get(element, 0) + len(new)
                    here = (min(new), section.dest)
                    first[element] = min(first.get(element, here), here)
    except GaveUp as reason:
        return Undecided(str(reason))
    return tuple(Cut(element, pairs[element], *first[element]) for element in sorted(pairs))


@dataclass(frozen=True, slots=True)
class FailureScript:
    """What ``failures.smt2.j2`` loops over.

    `symbols`: what may fail. `mortal`: (broker, the failures that take it down). `arcs`: (the symbol of the tail in
    the set and up, head, the failures of the link). `needs`: (sources' symbols, destinations' symbols) of needed
    pairs, each source with each destination. `counters`: (kind, its symbols, how many of them may fail).
    """

    brokers: int
    budget: str
    symbols: list[str]
    mortal: list[tuple[int, list[str]]]
    arcs: list[tuple[str, int, list[str]]]
    needs: list[tuple[list[str], list[str]]]
    counters: list[tuple[str, list[str], int]]

    @property
    def need_symbols(self) -> list[str]:
        """One for each of `needs`."""
        return [f"need{i}" for i in range(len(self.needs))]


def script(
    overlay: Overlay, elements: Elements, split: tuple[int, int, int], connected: NDArray[np.bool_]
) -> FailureScript:
    """The script for failures of at most ``split`` links, brokers and groups; `connected`: as `connected_pairs`."""
    counters: list[tuple[str, list[str], int]] = [
        (kind, [symbol(elements, element) for element in elements.of_kind(kind)], most)
        for kind, most in zip(_KINDS, split, strict=True)
        if most and len(elements.of_kind(kind))
    ]
    link_failures: list[list[str]] = [[f"link_{link}"] if split[0] else [] for link in range(elements.links)]
    broker_failures: list[list[str]] = [[f"broker_{b}"] if split[1] else [] for b in range(elements.brokers)]
    for index, (links, brokers) in enumerate(elements.groups if split[2] else ()):
        for link in links:
            link_failures[link].append(f"group_{index}")
        for broker in brokers:
            broker_failures[broker].append(f"group_{index}")
    held = [f"a{u}" if broker_failures[u] else f"b{u}" for u in range(overlay.n)]
    arcs = [
        (held[tail], head, link_failures[link])
        for tail, head, link in zip(
            overlay.arc_tail.tolist(), overlay.arc_head.tolist(), overlay.arc_link.tolist(), strict=True
        )
    ]
    return FailureScript(
        brokers=overlay.n,
        budget=", ".join(f"{most} {kind}{'s' if most > 1 else ''}" for kind, _, most in counters),
        symbols=[name for _, symbols, _ in counters for name in symbols],
        mortal=[(u, failures) for u, failures in enumerate(broker_failures) if failures],
        arcs=arcs,
        needs=[
            ([held[s] for s in sources], [f"b{d}" for d in dests])
            for sources, dests in _needs(overlay.pair_source[connected], overlay.pair_dest[connected])
        ],
        counters=counters,
    )


def _needs(sources: NDArray[np.int32], dests: NDArray[np.int32]) -> list[tuple[list[int], list[int]]]:
    """Needed pairs as products of sources and destinations: all pairs of a connected overlay are one product.

    A destination may stand among its own sources: it is not in the set and out of it at once.
    """
    by_dest: dict[int, list[int]] = {}
    for source, dest in zip(sources.tolist(), dests.tolist(), strict=True):
        by_dest.setdefault(dest, []).append(source)
    alike: dict[tuple[int, ...], list[int]] = {}
    for dest, found in sorted(by_dest.items()):
        alike.setdefault(tuple(sorted((*found, dest))), []).append(dest)
    return [(list(found), some) for found, some in alike.items()]


def symbol(elements: Elements, element: int) -> str:
    """What a script calls the failure of an element: ``link_3``, ``broker_0``, ``group_1``."""
    return f"{elements.kind(element)}_{elements.index(element)}"


def smallest(
    overlay: Overlay,
    elements: Elements,
    promise: Tolerate,
    at_least: int,
    connected: NDArray[np.bool_],
    choose_from: ChoicesOpener,
) -> Smallest | Kept | Undecided:
    """The smallest failure within `promise` that cuts a needed pair; see `FailureEngine.smallest`."""
    if not connected.any():
        return Kept()
    try:
        for size in range(at_least, elements.largest(promise) + 1):
            for split in elements.splits(promise, size):
                asked = script(overlay, elements, split, connected)
                first = _first(elements, choose_from(asked))
                if first is not None:
                    return Smallest(first)
    except GaveUp as reason:
        return Undecided(str(reason))
    return Kept()


def _first(elements: Elements, choices: Choices) -> tuple[int, ...] | None:
    """The first failure, element by element: is there one with a smaller element in this place? By bisection."""
    element_of = {symbol(elements, element): element for element in range(len(elements))}

    def ask(some_of: Sequence[int] = ()) -> list[int] | None:
        found = choices.choose([symbol(elements, element) for element in some_of])
        return None if found is None else sorted(element_of[name] for name in found)

    best = ask()
    if best is None:
        return None
    for place in range(len(best)):
        low = elements.of_kind(elements.kind(best[place])).start
        if place:
            low = max(low, best[place - 1] + 1)
        while low < best[place]:
            middle = (low + best[place]) // 2
            better = ask(range(low, middle + 1))
            if better is None:
                low = middle + 1
            else:
                best = better
        choices.fix(symbol(elements, best[place]))
    return tuple(best)
