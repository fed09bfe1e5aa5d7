"""One overlay in parts: the works that questions, surveys and latencies become, and how their answers are put together.

A question goes by blocks of destinations, and by blocks of colours where one destination is more than a shard; a survey
by elements; latencies by pairs. What fails in a part fails in the whole, so that verdicts are unions, and the root
causes are told from them by whoever asked, as if nothing had been in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from momlint.fleet.work import Common, Fault, Work
from momlint.routed.ask import QUESTION_SECONDS, in_time
from momlint.routed.graph import GraphEngine
from momlint.routed.overlay.columns import Block, Network
from momlint.routed.overlay.elements import Elements
from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.latency import Timings, timings
from momlint.routed.overlay.sweeps import SweepKind, Swept, sweep, unswept
from momlint.routed.overlay.tables import NEVER
from momlint.routed.questions.failures import Cut, Survey
from momlint.routed.questions.question import Kind, Proved, Question, Refuted, Undecided, Verdict
from momlint.routed.recovery.parquet import Piece, PieceRows, lost_piece, read_piece
from momlint.routed.smt import SmtEngine

T = TypeVar("T")

Ids: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a part of a question: int64, the failing keys, sorted; or why there is none."""

    failing: NDArray[np.int64]
    undecided: str | None = None


@dataclass(frozen=True, slots=True)
class Cuts:
    """The answer to a part of a survey: int64 each, one item an element that cuts; or why there is none."""

    element: NDArray[np.int64]
    pairs: NDArray[np.int64]
    source: NDArray[np.int64]
    dest: NDArray[np.int64]
    undecided: str | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """The latencies of a part: the arrays of `Timings` without its pairs, or why there are none.

    Latencies are whole numbers of `Timings.delays.unit`, as text where int64 is too small for them.
    """

    hops: NDArray[np.int32]
    latency: NDArray[np.int64]
    pair: NDArray[np.int64]
    colour: NDArray[np.int32]
    colour_source: NDArray[np.int32]
    colour_dest: NDArray[np.int32]
    colour_hops: NDArray[np.int32]
    colour_latency: NDArray[np.int64]
    large: tuple[str, ...] = ()
    undecided: str | None = None


@dataclass(slots=True)
class OfOverlay:
    """What the works on one overlay share; the overlay is sent once, under `key`."""

    key: str
    overlay: Overlay | None
    _network: Network | None = None

    @property
    def common(self) -> Common:
        """The overlay."""
        return Common(self.key, self.overlay)

    def bind(self, common: Any) -> None:
        """Take it back."""
        self.overlay = common

    def __getstate__(self) -> tuple[str]:
        return (self.key,)

    def __setstate__(self, state: tuple[str]) -> None:
        self.key, self.overlay, self._network = state[0], None, None

    def given(self) -> Overlay:
        """The overlay, which is there."""
        assert self.overlay is not None
        return self.overlay

    @property
    def network(self) -> Network:
        """That of the overlay, made once."""
        if self._network is None:
            self._network = Network(self.given())
        return self._network


def _answer(name: str, timeout: float | None, ask: Callable[[GraphEngine | SmtEngine], T | Undecided]) -> T | Undecided:
    """What the engine of this name says within so many seconds, as in `Ask`."""
    engine = GraphEngine() if name == "graph" else SmtEngine.named(name, timeout)
    return in_time(name, timeout or QUESTION_SECONDS, lambda: ask(engine))


# -- recovery tables --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadPieces(Work[PieceRows]):
    """The recovery tables that `path` names: unit i reads ``pieces[i]``."""

    path: str
    pieces: tuple[Piece, ...]
    brokers: tuple[str, ...]
    colours: tuple[str, ...]
    result_type: ClassVar[type[Any]] = PieceRows

    @property
    def units(self) -> int:
        """The pieces."""
        return len(self.pieces)

    def run(self, unit: int) -> PieceRows:
        """Read one."""
        return read_piece(self.pieces[unit], self.path, self.brokers, self.colours)

    def undecided(self, unit: int, fault: Fault) -> PieceRows:
        """No rows, and why."""
        return lost_piece(self.pieces[unit], fault.reason)


# -- questions ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class DecideParts(Work[Answer]):
    """A question in blocks: unit i asks `pairs[i // len(colours)]` (indices) in `colours[i % len(colours)]`."""

    shared: OfOverlay
    engine: str
    timeout: float | None
    kind: Kind
    bound: int | None
    sources: Ids
    dests: Ids
    pairs: list[NDArray[np.int64]]
    colours: list[Ids]
    result_type: ClassVar[type[Any]] = Answer

    @property
    def units(self) -> int:
        """Blocks of pairs × blocks of colours."""
        return len(self.pairs) * len(self.colours)

    @property
    def common(self) -> Common:
        """The overlay."""
        return self.shared.common

    def bind(self, common: Any) -> None:
        """Take the overlay."""
        self.shared.bind(common)

    def question(self, unit: int) -> Question:
        """The part of the question that is the unit's."""
        pairs, colours = divmod(unit, len(self.colours))
        chosen = self.pairs[pairs]
        return Question(self.kind, self.sources[chosen], self.dests[chosen], self.colours[colours], self.bound)

    def run(self, unit: int) -> Answer:
        """Ask an engine."""
        verdict = _answer(
            self.engine, self.timeout, lambda engine: engine.decide(self.shared.given(), self.question(unit))
        )
        none = np.zeros(0, np.int64)
        if isinstance(verdict, Undecided):
            return Answer(none, verdict.reason)
        return Answer(verdict.failing if isinstance(verdict, Refuted) else none)

    def undecided(self, unit: int, fault: Fault) -> Answer:
        """No answer, and why."""
        return Answer(np.zeros(0, np.int64), f"part {unit + 1} of {self.units}: {fault.reason}")


def blocks_of_pairs(dests: Ids, size: float) -> list[NDArray[np.int64]]:
    """The pairs (indices) in blocks of whole destinations, ascending, each of about `size` destinations or more."""
    order = np.argsort(dests, kind="stable")
    distinct, first = np.unique(dests[order], return_index=True)
    blocks = max(1, min(len(distinct), round(len(distinct) / max(size, 1.0))))
    bounds = np.append(first, len(order))[np.linspace(0, len(distinct), blocks + 1).astype(np.int64)]
    return [np.sort(order[begin:end]) for begin, end in pairwise(bounds.tolist())]


def whole_verdict(answers: Sequence[Answer]) -> Verdict:
    """The verdict on all parts that have one."""
    failing = np.sort(np.concatenate([answer.failing for answer in answers]))
    return Refuted(failing) if failing.size else Proved()


# -- surveys of failures --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class SurveyParts(Work[Cuts]):
    """A survey by elements: unit i is that of ``asked[i]``."""

    shared: OfOverlay
    engine: str
    timeout: float | None
    elements: Elements
    asked: list[list[int]]
    result_type: ClassVar[type[Any]] = Cuts

    @property
    def units(self) -> int:
        """Blocks of elements."""
        return len(self.asked)

    @property
    def common(self) -> Common:
        """The overlay."""
        return self.shared.common

    def bind(self, common: Any) -> None:
        """Take the overlay."""
        self.shared.bind(common)

    def run(self, unit: int) -> Cuts:
        """Ask an engine."""
        asked = self.asked[unit]
        found = _answer(
            self.engine, self.timeout, lambda engine: engine.survey(self.shared.given(), self.elements, asked)
        )
        if isinstance(found, Undecided):
            return _no_cuts(found.reason)
        rows = np.array([(cut.element, cut.pairs, cut.source, cut.dest) for cut in found], np.int64).reshape(-1, 4)
        return Cuts(*np.ascontiguousarray(rows.T))

    def undecided(self, unit: int, fault: Fault) -> Cuts:
        """No answer, and why."""
        return _no_cuts(f"part {unit + 1} of {self.units}: {fault.reason}")


def _no_cuts(reason: str) -> Cuts:
    none = np.zeros(0, np.int64)
    return Cuts(none, none, none, none, reason)


def whole_survey(parts: Sequence[Cuts]) -> Survey:
    """The survey of all parts that have one."""
    return tuple(
        Cut(*row)
        for part in parts
        for row in zip(
            part.element.tolist(), part.pairs.tolist(), part.source.tolist(), part.dest.tolist(), strict=True
        )
    )


# -- sweeps of columns ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class SweepParts(Work[Swept]):
    """A sweep by destinations: unit i is that of ``blocks[i]``."""

    shared: OfOverlay
    kind: SweepKind
    timeout: float | None
    blocks: list[Block]
    result_type: ClassVar[type[Any]] = Swept

    @property
    def units(self) -> int:
        """Blocks of destinations."""
        return len(self.blocks)

    @property
    def common(self) -> Common:
        """The overlay."""
        return self.shared.common

    def bind(self, common: Any) -> None:
        """Take the overlay."""
        self.shared.bind(common)

    def run(self, unit: int) -> Swept:
        """Look through the columns of one block."""
        shared, block = self.shared, self.blocks[unit]
        found = in_time(
            "graph",
            self.timeout or QUESTION_SECONDS,
            lambda: sweep(self.kind, shared.given(), block, shared.network),
        )
        return unswept(found.reason) if isinstance(found, Undecided) else found

    def undecided(self, unit: int, fault: Fault) -> Swept:
        """Nothing, and why."""
        return unswept(f"part {unit + 1} of {self.units}: {fault.reason}")


# -- latencies ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TimeParts(Work[Times]):
    """Latencies by pairs: unit i is those from ``bounds[i]`` up to ``bounds[i + 1]``."""

    shared: OfOverlay
    processing: Sequence[float]
    sources: Ids
    dests: Ids
    takeover: Mapping[int, tuple[int, ...]]
    unknown: NDArray[np.integer]
    bounds: list[int] = field(default_factory=list)
    result_type: ClassVar[type[Any]] = Times

    @property
    def units(self) -> int:
        """Blocks of pairs."""
        return len(self.bounds) - 1

    @property
    def common(self) -> Common:
        """The overlay."""
        return self.shared.common

    def bind(self, common: Any) -> None:
        """Take the overlay."""
        self.shared.bind(common)

    def run(self, unit: int) -> Times:
        """Walk the pairs of one block."""
        part = slice(self.bounds[unit], self.bounds[unit + 1])
        found = timings(
            self.shared.given(), self.processing, self.sources[part], self.dests[part], self.takeover, self.unknown
        )
        small = found.latency.dtype != np.object_
        none = np.zeros(0, np.int64)
        return Times(
            found.hops,
            found.latency if small else none,
            found.pair,
            found.colour,
            found.colour_source,
            found.colour_dest,
            found.colour_hops,
            found.colour_latency if small else none,
            () if small else tuple(map(str, [*found.latency.tolist(), *found.colour_latency.tolist()])),
        )

    def undecided(self, unit: int, fault: Fault) -> Times:
        """Pairs that do not arrive, and why: what is said of those is another check's business."""
        count = self.bounds[unit + 1] - self.bounds[unit]
        none, few = np.zeros(0, np.int64), np.zeros(0, np.int32)
        hops = np.full(count, NEVER, np.int32)
        reason = f"part {unit + 1} of {self.units}: {fault.reason}"
        return Times(hops, np.zeros(count, np.int64), none, few, few, few, few, none, (), reason)


def whole_timings(work: TimeParts, parts: Sequence[Times]) -> Timings:
    """The latencies of all pairs."""
    from momlint.routed.overlay.latency import Delays

    overlay = work.shared.given()
    base, colours = zip(*(_latencies(part) for part in parts), strict=True)
    return Timings(
        overlay.colours,
        Delays.of(overlay, work.processing),
        work.sources.astype(np.int32),
        work.dests.astype(np.int32),
        np.concatenate([part.hops for part in parts]),
        np.concatenate(base),
        np.concatenate([part.pair + first for part, first in zip(parts, work.bounds, strict=False)]),
        np.concatenate([part.colour for part in parts]),
        np.concatenate([part.colour_source for part in parts]),
        np.concatenate([part.colour_dest for part in parts]),
        np.concatenate([part.colour_hops for part in parts]),
        np.concatenate(colours),
    )


def _latencies(part: Times) -> tuple[NDArray[Any], NDArray[Any]]:
    if not part.large:
        return part.latency, part.colour_latency
    whole = np.array([int(text) for text in part.large], np.object_)
    return whole[: len(part.hops)], whole[len(part.hops) :]
