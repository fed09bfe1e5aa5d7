"""What failures cut, asked of a solver: failures are symbols, and nothing is enumerated.

`survey` asks the question of the colours, "is a path left" (``cut.smt2.j2``), with one colour for each failure of
one element. `smallest` makes every failure a Boolean and bounds how many are true (``failures.smt2.j2``): one
question decides all failures of a size, and a few more find the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.elements import ElementKind, Elements, with_failures
from momlint.routed.questions.failures import Cut, Kept, Smallest, Survey
from momlint.routed.questions.question import Question, Undecided
from momlint.routed.smt.encode import Cuts, Starts, cuts, products
from momlint.routed.smt.solve import severed
from momlint.solving.limits import GaveUp
from momlint.solving.session import Some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.form import Overlay
    from momlint.solving.session import Session

_KINDS: tuple[ElementKind, ...] = ("link", "broker", "group")


Opener: TypeAlias = "Callable[[Cuts], Session]"
ScriptOpener: TypeAlias = "Callable[[FailureScript], Session]"


def singles(overlay: Overlay, elements: Elements, asked: Sequence[int]) -> tuple[Overlay, Question]:
    """The question that decides a survey: nothing fails in colour 0, and in colour i + 1 ``asked[i]``."""
    alone = with_failures(overlay, elements, [(), *((element,) for element in asked)])
    colours = np.arange(alone.colours, dtype=np.int32)
    return alone, Question("connected", overlay.pair_source, overlay.pair_dest, colours)


def survey(
    overlay: Overlay,
    elements: Elements,
    asked: Sequence[int],
    open_session: Opener,
    traps: int | None,
    guesses: Survey = (),
) -> Survey | Undecided:
    """Which of the elements `asked` cut needed pairs, each failing alone; `traps` and `guesses` as for `SmtEngine`."""
    colour_of = {element: colour for colour, element in enumerate(asked, 1)}
    likely = [(colour_of[cut.element], cut.source) for cut in guesses if cut.element in colour_of]
    alone, question = singles(overlay, elements, asked)
    pairs: dict[int, int] = {}
    first: dict[int, tuple[int, int]] = {}
    models = 0
    try:
        for section in cuts(alone, question):
            for found in severed(section, open_session(section), by_failure=True, guesses=likely):
                models += 1
                if traps is not None and models > traps:
                    return Undecided(f"more than {traps} cuts were found, and the search was stopped")
                for apart in found:
                    here = apart.sources[0], apart.dests[0]
                    for colour in apart.colours:
                        element = asked[colour - 1]
                        pairs[element] = pairs.get(element, 0) + len(apart.sources) * len(apart.dests)
                        first[element] = min(first.get(element, here), here)
    except GaveUp as reason:
        return Undecided(str(reason))
    return tuple(Cut(element, pairs[element], *first[element]) for element in sorted(pairs))


@dataclass(frozen=True, slots=True)
class FailureScript:
    """What ``failures.smt2.j2`` loops over.

    `brokers`: how many, with the second ones of `starts`. `symbols`: what may fail. `mortal`: (broker, the failures
    that take it down). `arcs`: (the symbol of the tail in the set and up, head, the failures of the link). `needs`:
    (sources' symbols, destinations' symbols) of needed pairs, each source with each destination. `counters`: (kind, its
    symbols, how many of them may fail).
    """

    brokers: int
    budget: str
    symbols: list[str]
    mortal: list[tuple[int, list[str]]]
    arcs: list[tuple[str, int, list[str]]]
    needs: list[tuple[list[str], list[str]]]
    counters: list[tuple[str, list[str], int]]
    starts: Starts

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
    starts = Starts.of(overlay, overlay.pair_source[connected])
    broker_failures += [broker_failures[broker] for _, broker in starts.second]
    held = [f"a{u}" if broker_failures[u] else f"b{u}" for u in range(starts.brokers)]
    arcs = [
        (held[tail], head, link_failures[link])
        for tail, head, link in zip(
            starts.start[overlay.arc_tail].tolist(), overlay.arc_head.tolist(), overlay.arc_link.tolist(), strict=True
        )
        if tail >= 0
    ]
    return FailureScript(
        brokers=starts.brokers,
        budget=", ".join(f"{most} {kind}{'s' if most > 1 else ''}" for kind, _, most in counters),
        symbols=[name for _, symbols, _ in counters for name in symbols],
        mortal=[(u, failures) for u, failures in enumerate(broker_failures) if failures],
        arcs=arcs,
        needs=[
            ([held[s] for s in sources], [f"b{d}" for d in dests])
            for sources, dests in products(starts.start[overlay.pair_source[connected]], overlay.pair_dest[connected])
        ],
        counters=counters,
        starts=starts,
    )


def symbol(elements: Elements, element: int) -> str:
    """What a script calls the failure of an element: ``link_3``, ``broker_0``, ``group_1``."""
    return f"{elements.kind(element)}_{elements.index(element)}"


def smallest(
    overlay: Overlay,
    elements: Elements,
    promise: Tolerate,
    at_least: int,
    connected: NDArray[np.bool_],
    open_script: ScriptOpener,
) -> Smallest | Kept | Undecided:
    """The smallest failure within `promise` that cuts a needed pair; see `FailureEngine.smallest`."""
    if not connected.any():
        return Kept()
    try:
        for size in range(at_least, elements.largest(promise) + 1):
            for split in elements.splits(promise, size):
                asked = script(overlay, elements, split, connected)
                first = _first(elements, asked, open_script(asked))
                if first is not None:
                    return Smallest(first)
    except GaveUp as reason:
        return Undecided(str(reason))
    return Kept()


def _first(elements: Elements, script: FailureScript, session: Session) -> tuple[int, ...] | None:
    """The first failure, element by element: is there one with a smaller element in this place? By bisection."""
    element_of = {symbol(elements, element): element for element in range(len(elements))}

    def ask(some_of: Sequence[int] = ()) -> list[int] | None:
        model = session.find(Some([symbol(elements, element) for element in some_of]) if some_of else None)
        return None if model is None else sorted(element_of[script.symbols[i]] for i in model.true(script.symbols))

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
        session.require(symbol(elements, best[place]))
    return tuple(best)
