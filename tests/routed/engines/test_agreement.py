"""graph, smt and a brute-force walker say the same of every pair, in every colour, sound or damaged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.routed.graph import GraphEngine
from momlint.routed.overlay.form import Overlay
from momlint.routed.questions.question import Question, Refuted, Verdict
from momlint.routed.smt import SmtEngine
from tests.oracles import Oracle
from tests.strategies import any_overlays, question


def failing(verdict: Verdict) -> list[int]:
    return verdict.failing.tolist() if isinstance(verdict, Refuted) else []


def by_hand(overlay: Overlay, asked: Question) -> list[int]:
    return Oracle(overlay).failing(asked)


@pytest.mark.slow
@settings(max_examples=2200, deadline=None, suppress_health_check=list(HealthCheck))
@given(any_overlays(), st.sampled_from(["arrive", "connected"]), st.sets(st.integers(0, 11), max_size=4))
def test_three_ways_to_one_verdict(overlay: Overlay, kind: str, stubs: set[int]) -> None:
    """N up to 12; loops, black holes, missing entries, non-neighbours, self-loops, several faults at once."""
    if kind == "connected" and stubs:
        # Next hops are no matter here; those that lead through a stub would be none (see `Overlay`).
        overlay = replace(overlay, transit=~np.isin(np.arange(overlay.n), sorted(stubs)))
    asked = question(kind, overlay)  # type: ignore[arg-type]
    expected = by_hand(overlay, asked)
    assert failing(GraphEngine().decide(overlay, asked)) == expected
    assert failing(SmtEngine().decide(overlay, asked)) == expected
