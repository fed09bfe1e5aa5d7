"""Who takes parts of what is asked about one large overlay: a runner, if the question is worth the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from momlint.fleet.expected import A_BYTE_OF_TABLES, size_of
from momlint.fleet.parts import (
    DecideParts,
    OfOverlay,
    ReadPieces,
    SurveyParts,
    SweepParts,
    TimeParts,
    blocks_of_pairs,
    whole_survey,
    whole_timings,
    whole_verdict,
)
from momlint.fleet.shards import TARGET
from momlint.fleet.work import Runner, new_key
from momlint.routed.overlay.arcs import is_two_way, surely_whole
from momlint.routed.overlay.columns import blocks
from momlint.routed.questions.question import Question
from momlint.routed.questions.spread import Decided, Surveyed, Timed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.sweeps import SweepKind, Swept
    from momlint.routed.recovery.parquet import Piece, PieceRows

#: CPU seconds by bench/bench_fleet.py: graph takes so long for each entry and delta, …
GRAPH_ENTRY = 0.4e-6
#: … and so long for each arc and colour where it searches for paths;
GRAPH_ARC = 0.1e-6
#: a survey of one failure by graph, each broker and arc; latencies, each pair and colour in which it may differ.
GRAPH_SURVEY = 1e-9
PAIR_AND_COLOUR = 0.05e-6
#: A sweep, each entry and delta.
SWEEP_ENTRY = 0.6e-6
#: What takes less is done where it is asked: the overlay and the question have to travel.
FROM = 3.0


class Parts:
    """Spreads questions over a runner (a `momlint.routed.questions.spread.Spread`).

    `least`: a question that takes less than so many CPU seconds is not spread. `target`: seconds of a part.
    """

    def __init__(self, runner: Runner, least: float = FROM, target: float = TARGET) -> None:
        self._runner = runner
        self._least = least
        self._target = target
        self._shared: list[OfOverlay] = []

    def read(
        self, path: str, pieces: Sequence[Piece], brokers: Sequence[str], colours: Sequence[str]
    ) -> Sequence[PieceRows] | None:
        """As `momlint.routed.recovery.parquet.read_piece`, of all `pieces`."""
        size = sum(size_of(file) for file in {piece.file for piece in pieces})
        seconds, rows = size * A_BYTE_OF_TABLES, sum(piece.rows for piece in pieces)
        if seconds < self._least or len(pieces) < 2 or not rows:
            return None
        work = ReadPieces(path, tuple(pieces), tuple(brokers), tuple(colours))
        return list(self._runner.run(work, [seconds * piece.rows / rows for piece in pieces]))

    def decide(self, engine: str, timeout: float | None, overlay: Overlay, question: Question) -> Decided | None:
        """As `Engine.decide`, by blocks of destinations and of colours."""
        if engine == "nusmv" or not len(question.dests) or not len(question.colours):
            return None
        dests = len(np.unique(question.dests))
        seconds = _seconds(engine, overlay, question)
        if seconds < self._least:
            return None
        parts = max(self._runner.takers, round(seconds / self._target), 2)
        if engine == "graph" and question.kind == "connected":
            # The search is one for all pairs; only colours divide it.
            pairs = [np.arange(len(question.dests))]
        else:
            pairs = blocks_of_pairs(question.dests, dests / parts)
        colours = np.array_split(question.colours, min(len(question.colours), max(1, round(parts / len(pairs)))))
        work = DecideParts(
            self._of(overlay),
            engine,
            timeout,
            question.kind,
            question.bound,
            question.sources,
            question.dests,
            pairs,
            colours,
        )
        answers = list(self._runner.run(work, [seconds / work.units] * work.units))
        return Decided(whole_verdict(answers), tuple(one.undecided for one in answers if one.undecided is not None))

    def survey(
        self, engine: str, timeout: float | None, overlay: Overlay, elements: Elements, asked: Sequence[int]
    ) -> Surveyed | None:
        """As `FailureEngine.survey`, by elements."""
        from momlint.routed.smt import expected_survey_seconds

        if engine != "graph":
            seconds = expected_survey_seconds(overlay, elements, asked, ())
        else:
            seconds = len(asked) * (overlay.n + len(overlay.arc_tail)) * GRAPH_SURVEY
        if seconds < self._least or len(asked) < 2:
            return None
        count = min(len(asked), max(self._runner.takers, round(seconds / self._target), 2))
        blocks = [block.tolist() for block in np.array_split(np.asarray(asked), count)]
        work = SurveyParts(self._of(overlay), engine, timeout, elements, blocks)
        found = list(self._runner.run(work, [seconds / count] * count))
        return Surveyed(whole_survey(found), tuple(one.undecided for one in found if one.undecided is not None))

    def timings(
        self,
        overlay: Overlay,
        processing: Sequence[float],
        sources: NDArray[np.integer],
        dests: NDArray[np.integer],
        takeover: Mapping[int, tuple[int, ...]],
        unknown: NDArray[np.integer],
    ) -> Timed | None:
        """As `momlint.routed.overlay.latency.timings`, by pairs."""
        seconds = len(sources) * overlay.colours * PAIR_AND_COLOUR
        if seconds < self._least or len(sources) < 2:
            return None
        count = min(len(sources), max(self._runner.takers, round(seconds / self._target), 2))
        bounds = np.linspace(0, len(sources), count + 1).astype(int).tolist()
        work = TimeParts(
            self._of(overlay),
            list(processing),
            sources.astype(np.int32),
            dests.astype(np.int32),
            dict(takeover),
            unknown,
            bounds,
        )
        found = list(self._runner.run(work, [seconds / count] * count))
        return Timed(whole_timings(work, found), tuple(one.undecided for one in found if one.undecided is not None))

    def sweep(self, kind: SweepKind, timeout: float | None, overlay: Overlay) -> list[Swept] | None:
        """As `momlint.routed.overlay.sweeps.sweep`, of all blocks of destinations."""
        size = overlay.base.size + overlay.delta_key.size
        seconds = size * SWEEP_ENTRY
        if seconds < self._least:
            return None
        found = list(blocks(overlay, max(1, -(-size // max(self._runner.takers, round(seconds / self._target), 2)))))
        work = SweepParts(self._of(overlay), kind, timeout, found)
        return list(self._runner.run(work, [seconds / len(found)] * len(found)))

    def _of(self, overlay: Overlay) -> OfOverlay:
        for shared in self._shared:
            if shared.overlay is overlay:
                return shared
        self._shared.append(OfOverlay(new_key(), overlay))
        return self._shared[-1]


def _seconds(engine: str, overlay: Overlay, question: Question) -> float:
    """About how many CPU seconds a question takes."""
    if engine == "graph":
        if question.kind == "connected":
            # Where it is plain that nothing is cut, nobody searches.
            plain = surely_whole(overlay, question.colours) if is_two_way(overlay) else np.zeros(1, np.bool_)
            return (len(question.colours) - int(plain.sum())) * len(overlay.arc_tail) * GRAPH_ARC
        part = len(question.colours) / overlay.colours * len(np.unique(question.dests)) / overlay.n
        return (overlay.base.size + part * overlay.delta_key.size) * GRAPH_ENTRY
    from momlint.routed.smt import expected_seconds

    # The estimate stops counting at ten seconds, so that one destination stands for all.
    dests, first = np.unique(question.dests, return_index=True)
    sample = np.flatnonzero(question.dests == question.dests[first[len(first) // 2]])
    one = Question(question.kind, question.sources[sample], question.dests[sample], question.colours, question.bound)
    return len(dests) * expected_seconds(overlay, one)
