"""Latencies in all colours: against walking every pair in every colour with fractions, and by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.latency import Timings, timings
from tests.oracles import Oracle
from tests.strategies import F, L, make_overlay, overlays, scrambles


def walked(
    overlay: Overlay, oracle: Oracle, processing: list[float], colour: int, source: int, dest: int
) -> tuple[int, Fraction] | None:
    """Hops and milliseconds, or None; one message, arc by arc."""
    brokers, end = oracle.walk(colour, source, dest)
    if end != "arrived":
        return None
    total = sum((Fraction(str(processing[at])) for at in brokers), Fraction(0))
    for at, to in pairwise(brokers):
        arcs = [arc for arc in oracle.live_arcs(colour) if (arc.tail, arc.head) == (at, to)]
        total += Fraction(str(min(arcs, key=lambda arc: (arc.cost, arc.link)).latency))
    return len(brokers) - 1, total


def placed(oracle: Oracle, colour: int, broker: int, takeover: dict[int, tuple[int, ...]]) -> int:
    failed = oracle.failed_brokers[colour]
    return next((host for host in (broker, *takeover.get(broker, ())) if host not in failed), -1)


def told(found: Timings) -> dict[tuple[int, int], tuple[int, Fraction] | None]:
    """What `found` says of (pair, colour), expanded."""
    unit = found.delays.unit
    said: dict[tuple[int, int], tuple[int, Fraction] | None] = {}
    for pair in range(found.source.size):
        hops, latency = int(found.hops[pair]), int(found.latency[pair]) * unit
        for colour in range(found.colours):
            said[pair, colour] = None if hops < 0 else (hops, latency)
    for index in range(found.pair.size):
        hops, latency = int(found.colour_hops[index]), int(found.colour_latency[index]) * unit
        said[int(found.pair[index]), int(found.colour[index])] = None if hops < 0 else (hops, latency)
    return said


@pytest.mark.parametrize("block", [1, 7, 1 << 21])
@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_every_walk(block: int, data: st.DataObject) -> None:
    overlay: Overlay = data.draw(
        scrambles(max_n=6, max_colours=4) | overlays(max_n=8, max_colours=5).map(lambda case: case.overlay)
    )
    n = overlay.n
    broker = st.integers(0, n - 1)
    processing = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.2, 2.0, 1e-9]), min_size=n, max_size=n))
    adopters = st.lists(broker, min_size=1, max_size=3, unique=True).map(tuple)
    takeover = data.draw(st.dictionaries(broker, adopters, max_size=n))
    unknown = data.draw(st.sets(st.integers(0, overlay.colours - 1), max_size=1))
    pairs = data.draw(st.lists(st.tuples(broker, broker), max_size=12, unique=True).map(sorted))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("momlint.routed.overlay.latency._BLOCK", block)
        found = timings(
            overlay,
            processing,
            np.array([s for s, _ in pairs], np.int32),
            np.array([d for _, d in pairs], np.int32),
            takeover,
            np.array(sorted(unknown), np.int64),
        )
    oracle = Oracle(overlay)
    assert np.array_equal(np.lexsort((found.colour, found.pair)), np.arange(found.pair.size))
    assert len({*zip(found.pair.tolist(), found.colour.tolist(), strict=True)}) == found.pair.size
    said = told(found)
    excepted = {*zip(found.pair.tolist(), found.colour.tolist(), strict=True)}
    for number, (source, dest) in enumerate(pairs):
        as_base = [colour for colour in range(found.colours) if (number, colour) not in excepted]
        assert found.first_as_base[number] == min(as_base, default=found.colours)
        for colour in range(found.colours):
            at, to = placed(oracle, colour, source, takeover), placed(oracle, colour, dest, takeover)
            truth = None if -1 in {at, to} or colour in unknown else walked(overlay, oracle, processing, colour, at, to)
            assert said[number, colour] == truth, (source, dest, colour)


def one(overlay: Overlay, processing: list[float], source: int, dest: int) -> Timings:
    return timings(overlay, processing, np.array([source], np.int32), np.array([dest], np.int32))


def test_every_broker_on_the_way_counts() -> None:
    """0 -5- 1 -7- 2 with 1, 2 and 4 ms of work: 1 + 5 + 2 + 7 + 4 = 19."""
    overlay = make_overlay(3, [L(0, 1, 1, 5.0), L(1, 2, 1, 7.0)], {(2, 0): 1, (2, 1): 2})
    assert told(one(overlay, [1.0, 2.0, 4.0], 0, 2)) == {(0, 0): (2, Fraction(19))}
    assert told(one(overlay, [1.0, 2.0, 4.0], 2, 2)) == {(0, 0): (0, Fraction(4))}


def test_decimals_add_up() -> None:
    overlay = make_overlay(3, [L(0, 1, 1, 0.1), L(1, 2, 1, 0.2)], {(2, 0): 1, (2, 1): 2})
    found = one(overlay, [0.0] * 3, 0, 2)
    assert found.latency[0] <= found.delays.within(0.3)
    assert found.latency[0] > found.delays.within(0.29999)
    assert 0.1 + 0.2 > 0.3


def test_tiny_and_huge_numbers_stay_exact() -> None:
    overlay = make_overlay(3, [L(0, 1, 1, 1e-9), L(1, 2, 1, 1e12)], {(2, 0): 1, (2, 1): 2})
    found = one(overlay, [0.0, 0.1, 0.0], 0, 2)
    assert found.delays.arc.dtype == object
    assert int(found.latency[0]) * found.delays.unit == Fraction("1000000000000.100000001")


def test_parallel_links_the_cheapest_then_the_next() -> None:
    """The cheap link takes 9 ms, the dear one 2; when the cheap one fails the next hop stays, the time does not."""
    overlay = make_overlay(
        2, [L(0, 1, 2, 2.0), L(0, 1, 1, 9.0)], {(1, 0): 1}, colours=[F(), F(links=[1]), F(links=[0, 1])]
    )
    assert told(one(overlay, [0.0, 0.0], 0, 1)) == {
        (0, 0): (1, Fraction(9)),
        (0, 1): (1, Fraction(2)),
        (0, 2): None,
    }
