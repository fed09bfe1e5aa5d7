"""One overlay in parts: every verdict is that of the whole."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.fleet import Processes, Serial, ShardLimits, check_files
from momlint.fleet.parts import blocks_of_pairs
from momlint.fleet.spread import Parts
from momlint.lint import Options, lint_files
from momlint.routed.graph import GraphEngine
from momlint.routed.overlay.columns import Block, Network
from momlint.routed.overlay.elements import Elements
from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.latency import timings
from momlint.routed.overlay.sweeps import SweepKind, loops_of, sweep
from momlint.routed.overlay.transients import mixed_loops
from momlint.routed.questions.question import Kind, Proved, Question, Refuted
from momlint.routed.smt import SmtEngine
from tests.fleet.estates import large_estate
from tests.fleet.reports import rendered
from tests.strategies import any_overlays

LIMITS = ShardLimits(seconds=120.0)


def parts() -> Parts:
    """Parts that spread everything, finely."""
    return Parts(Serial(), least=0.0, target=1e-6)


def ask(overlay: Overlay, kind: Kind) -> Question:
    colours = np.arange(overlay.colours, dtype=np.int32)
    return Question(kind, overlay.pair_source, overlay.pair_dest, colours, 2 if kind == "arrive-within" else None)


def keys(verdict: object) -> list[int]:
    if isinstance(verdict, Refuted):
        return verdict.failing.tolist()
    assert isinstance(verdict, Proved)
    return []


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(any_overlays(), st.sampled_from(["arrive", "arrive-within", "connected"]))
def test_questions_to_graph(overlay: Overlay, kind: Kind) -> None:
    found = parts().decide("graph", None, overlay, ask(overlay, kind))
    if found is None:
        assert not overlay.pair_source.size
        return
    assert found.undecided == ()
    assert keys(found.verdict) == keys(GraphEngine().decide(overlay, ask(overlay, kind)))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=15)
@given(any_overlays(), st.sampled_from(["arrive", "arrive-within", "connected"]))
def test_questions_to_smt(overlay: Overlay, kind: Kind) -> None:
    found = parts().decide("smt", None, overlay, ask(overlay, kind))
    if found is not None:
        assert keys(found.verdict) == keys(SmtEngine().decide(overlay, ask(overlay, kind)))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(any_overlays())
def test_surveys(overlay: Overlay) -> None:
    elements = Elements(overlay.links, overlay.n)
    asked = range(len(elements))
    found = parts().survey("graph", None, overlay, elements, asked)
    if found is not None:
        assert found.survey == GraphEngine().survey(overlay, elements, asked)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(any_overlays(), st.data())
def test_latencies(overlay: Overlay, data: st.DataObject) -> None:
    # Above 2 ** 53 whole units do not fit int64 sums: then Python's integers have to travel as well.
    largest = data.draw(st.sampled_from([3.0, 1e16]))
    processing = data.draw(st.lists(st.floats(0, largest), min_size=overlay.n, max_size=overlay.n))
    takeover = {0: (overlay.n - 1,)} if overlay.n > 1 else {}
    unknown = np.zeros(0, np.int64)
    given_ = (overlay, processing, overlay.pair_source, overlay.pair_dest, takeover, unknown)
    found = parts().timings(*given_)
    if found is None:
        assert overlay.pair_source.size < 2
        return
    whole = timings(*given_)
    assert found.timings.delays.unit == whole.delays.unit
    for name in ("hops", "latency", "pair", "colour", "colour_source", "colour_dest", "colour_hops", "colour_latency"):
        assert getattr(found.timings, name).tolist() == getattr(whole, name).tolist(), name


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(any_overlays(), st.sampled_from(["longer", "dead", "loops"]))
def test_sweeps(overlay: Overlay, kind: SweepKind) -> None:
    found = parts().sweep(kind, None, overlay)
    whole = sweep(kind, overlay, Block(0, overlay.n), Network(overlay))
    if kind == "loops":
        mine, other = loops_of(overlay, found), mixed_loops(overlay)
        assert mine.columns.tolist() == other.columns.tolist()
        assert [mine.core(i) for i in range(mine.size)] == [other.core(i) for i in range(other.size)]
        return
    assert all(part.undecided is None for part in found)
    rows = [zip(part.key.tolist(), (part.row if kind == "dead" else part.key).tolist(), strict=True) for part in found]
    expected = zip(whole.key.tolist(), (whole.row if kind == "dead" else whole.key).tolist(), strict=True)
    assert sorted(chain.from_iterable(rows)) == sorted(expected)


@given(st.lists(st.integers(0, 9)).map(lambda ids: np.array(ids, np.int32)), st.floats(0.1, 12))
def test_blocks_are_of_whole_destinations(dests: np.ndarray, size: float) -> None:
    blocks = blocks_of_pairs(dests, size)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(dests)))
    seen: set[int] = set()
    for block in blocks:
        mine = set(dests[block].tolist())
        assert seen.isdisjoint(mine)
        seen |= mine


def test_a_question_that_is_cheap_is_not_spread() -> None:
    n = 3
    hop = np.array([[-1, 0, 0], [1, -1, 1], [2, 2, -1]], np.int32)
    ends = np.array([0, 0, 1, 1, 2, 2], np.int32), np.array([1, 2, 0, 2, 0, 1], np.int32)
    ones, link = np.ones(6), np.array([0, 1, 0, 2, 1, 2], np.int32)
    pairs = ends
    none = np.zeros(0, np.int64)
    calm = np.zeros((1, 3), bool)
    overlay = Overlay(
        n, *ends, ones, ones, link, 3, hop, np.full((n, n), -1, np.int32), none, none.astype(np.int32),
        none.astype(np.int32), calm, calm, *pairs,
    )  # fmt: skip
    cautious = Parts(Serial())
    assert cautious.decide("graph", None, overlay, ask(overlay, "arrive")) is None
    assert cautious.survey("graph", None, overlay, Elements(3, 3), range(6)) is None
    assert cautious.sweep("longer", None, overlay) is None
    assert cautious.timings(overlay, [0.0] * 3, *pairs, {}, none) is None
    assert parts().decide("nusmv", None, overlay, ask(overlay, "arrive")) is None


@pytest.mark.parametrize(
    "engine", [pytest.param("auto", marks=pytest.mark.slow), "graph", pytest.param("smt", marks=pytest.mark.slow)]
)
def test_the_report_of_one_overlay_is_that_of_the_whole(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "torus.mom.yaml"
    path.write_text(large_estate(4, 5, 60, damaged=3))
    options = Options(engine=engine)  # type: ignore[arg-type]
    alone = lint_files([str(path)], options)
    assert {"MOM302", "MOM601"} <= {finding.code for finding in alone.findings}
    with Processes(2, LIMITS) as pool:
        together = check_files([str(path)], options, pool, limits=LIMITS, large=0.0, least=0.0)
    assert rendered(together) == rendered(alone)


@pytest.mark.slow
def test_one_estate_after_the_other_by_the_same_processes(tmp_path: Path) -> None:
    # What a process keeps of the first is not taken for the second.
    with Processes(1, LIMITS) as pool:
        for seed in (5, 6, 7):
            path = tmp_path / f"{seed}.mom.yaml"
            path.write_text(large_estate(3, 4, 30, seed=seed, damaged=6))
            together = check_files([str(path)], Options(), pool, limits=LIMITS, large=0.0, least=0.0)
            assert rendered(together) == rendered(lint_files([str(path)], Options()))
