"""The engine: questions as specifications, NuSMV's answers as one verdict, its counterexamples replayed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from momlint.errors import InternalError
from momlint.rendering import template
from momlint.routed.questions.question import Proved, Refuted, Undecided
from momlint.routed.smv.models import Model
from momlint.routed.specs.vocabulary import Names
from momlint.solving.limits import GaveUp
from momlint.solving.nusmv import DEFAULT_MEMORY, Checked, find_nusmv, run

if TYPE_CHECKING:
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.question import Question, Verdict
    from momlint.solving.nusmv import Counterexample

#: Specifications in one run.
_BATCH = 20_000


class SmvEngine:
    """Decides ``arrive`` questions by asking NuSMV or nuXmv.

    `program`: its path; else the environment variable MOMLINT_NUSMV names it, else it is looked for on PATH.
    `timeout`: seconds for one question, None for no limit; `memory`: MiB for one process.

    Raises `UsageError` where there is no such program.
    """

    name = "nusmv"

    def __init__(self, program: str | None = None, timeout: float | None = None, memory: int = DEFAULT_MEMORY) -> None:
        self._program = find_nusmv(program)
        self._timeout = timeout
        self._memory = memory

    def decide(self, overlay: Overlay, question: Question) -> Verdict:
        """All failing keys of `question`, or that there are none, or why NuSMV gave up.

        A question of another kind than ``arrive`` is `Undecided`: the model knows neither links nor lengths. Raises
        `InternalError` where NuSMV does not accept the model, or a counterexample is not a walk of the overlay.
        """
        if question.kind != "arrive":
            return Undecided(f"the NuSMV engine answers whether messages arrive, not `{question.kind}`")
        if not question.sources.size or not question.colours.size:
            return Proved()
        try:
            return _Session(overlay, question, self._ask).verdict()
        except GaveUp as reason:
            return Undecided(str(reason))

    @property
    def _ask(self) -> Callable[[str, bool], list[Checked]]:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout

        def ask(model: str, traces: bool) -> list[Checked]:
            left = None
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise GaveUp(f"NuSMV did not answer within {self._timeout:g} s")
            try:
                return run(self._program, model, traces=traces, timeout=left, memory=self._memory)
            except GaveUp:
                if deadline is not None and time.monotonic() >= deadline:
                    raise GaveUp(f"NuSMV did not answer within {self._timeout:g} s") from None
                raise

        return ask


class _Session:
    """One question, in up to three rounds, each in its own process."""

    def __init__(self, overlay: Overlay, question: Question, ask: Callable[[str, bool], list[Checked]]) -> None:
        self.overlay = overlay
        self.ask = ask
        self.n = overlay.n
        names = Names(tuple(str(i) for i in range(overlay.n)), tuple(f"c{i}" for i in range(overlay.colours)))
        self.model = Model(overlay, names)
        self.pairs = list(zip(question.sources.tolist(), question.dests.tolist(), strict=True))
        self.colours: list[int] = question.colours.tolist()
        self.columns = list(self.model.columns())

    def verdict(self) -> Verdict:
        # Healthy tables are the usual case, and one specification for all of them takes a fraction of the time of one
        # a pair.
        everything = f"(asked & expected & loc = src{self._in(self.colours)}) -> AF (loc = dest)"
        (whole,) = self._run([everything], traces=True)
        if whole.holds:
            return Proved()
        self._replay(whole)
        pairs = [
            pair
            for pair, answer in zip(
                self.pairs, self._run([self._pair(p, self.colours) for p in self.pairs], traces=True), strict=True
            )
            if not answer.holds and self._replay(answer)
        ]
        colours = self.colours
        if len(colours) > 1:
            by_colour = [f"(asked & expected & loc = src{self._in([c])}) -> AF (loc = dest)" for c in self.colours]
            answers = self._run(by_colour, traces=False)
            colours = [c for c, answer in zip(self.colours, answers, strict=True) if not answer.holds]
        keys = [(c, s, d) for c in colours for s, d in pairs]
        if len(colours) > 1 and len(pairs) > 1:
            answers = self._run([self._pair((s, d), [c]) for c, s, d in keys], traces=False)
            keys = [key for key, answer in zip(keys, answers, strict=True) if not answer.holds]
        failing = sorted(self.overlay.keys.pack(c, d, s) for c, s, d in keys)
        if not failing:
            raise InternalError("NuSMV refutes a question for no pair in particular; please report it with the estate")
        return Refuted(np.array(failing, np.int64))

    def _in(self, colours: Sequence[int]) -> str:
        if not self.model.has_colours or len(colours) == self.overlay.colours:
            return ""
        return f" & {self.model.one_of_colours(colours)}"

    def _pair(self, pair: tuple[int, int], colours: Sequence[int]) -> str:
        source, dest = pair
        return f"(src = {source} & dest = {dest} & loc = {source} & expected{self._in(colours)}) -> AF (loc = {dest})"

    def _run(self, specs: Sequence[str], *, traces: bool) -> list[Checked]:
        answers: list[Checked] = []
        for first in range(0, len(specs), _BATCH):
            answers += self.ask(self._text(specs[first : first + _BATCH]), traces)
        return answers

    def _text(self, specs: Sequence[str]) -> str:
        dests: dict[int, list[str]] = {}
        for source, dest in self.pairs:
            dests.setdefault(source, []).append(str(dest))
        return template("arrive.smv.j2").render(
            **self.model.common(),
            columns=self.columns,
            asked=[(f"src = {s}", f"dest in {{{', '.join(ds)}}}") for s, ds in dests.items()],
            exempt=list(self._exempt()),
            specs=specs,
        )

    def _exempt(self) -> Iterator[tuple[str, str]]:
        for colour, down in enumerate(self.overlay.failed_broker):
            if down.any():
                which = self.model.one_of_colours([colour]) if self.model.has_colours else "TRUE"
                yield which, f"{{{', '.join(map(str, np.flatnonzero(down).tolist()))}}}"

    def _replay(self, answer: Checked) -> bool:
        """Follow the counterexample on the overlay itself. Raises `InternalError` where that goes another way."""
        from momlint.routed.overlay.following import walk

        found = answer.counterexample
        if found is not None:
            colour, source, dest, told = read_walk(found)
            replayed = walk(self.overlay, colour, source, dest)
            # The model's message stays where the overlay's stops, or goes in a circle of one.
            shown = replayed.brokers
            if len(shown) > 1 and shown[-1] == shown[-2]:
                shown = shown[:-1]
            if replayed.end != "arrived" and shown == told:
                return True
        raise InternalError(
            f"NuSMV's counterexample to {answer.text} is no walk of the overlay; please report it with the estate"
        )


def read_walk(found: Counterexample) -> tuple[int, int, int, tuple[int, ...]]:
    """(colour, source, destination, walk) of a counterexample whose brokers are dense ids and whose colours are c0,
    c1 ….

    The walk is as `momlint.routed.overlay.Walk` has it: a loop of several brokers is closed by its first one.
    """
    first = found.states[0]
    locs = [int(state["loc"]) for state in found.states]
    start = locs[0]
    walk = [start]
    for loc in locs[1:]:
        if loc == walk[-1]:
            break
        walk.append(loc)
        if loc in walk[:-1]:
            break
    else:
        if found.loop is not None and locs[found.loop] != walk[-1]:
            walk.append(locs[found.loop])
    # A variable with a single value is a constant to NuSMV, which it does not print.
    colour = int(first.get("colour", "c0").removeprefix("c"))
    return colour, int(first.get("src", start)), int(first["dest"]), tuple(walk)
