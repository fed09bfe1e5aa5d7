"""The availability table: against every state of every element, and by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from momlint.routed.checks.report_availability import explain, served
from momlint.routed.overlay.probabilities import weights
from tests.routed.checks.timed_estates import CHANCES, Plain, context_of, random_text


def chance_of(plain: Plain, colour: int) -> Fraction:
    """Exactly this has failed; factor by factor."""
    chance = Fraction(1)
    links, brokers = plain.oracle.failed_links[colour], plain.oracle.failed_brokers[colour]
    for index, link in enumerate(plain.estate.links):
        up = Fraction(1) if link.availability is None else Fraction(str(link.availability))
        chance *= 1 - up if index in links else up
    for index, broker in enumerate(plain.estate.brokers):
        up = Fraction(1) if broker.availability is None else Fraction(str(broker.availability))
        chance *= 1 - up if index in brokers else up
    return chance


@pytest.mark.parametrize(("seed", "every"), [*((seed, False) for seed in range(200)), *((s, True) for s in range(25))])
def test_every_colour(seed: int, every: bool) -> None:
    """With `every` set of failures covered, the sum goes over every state of the estate, and both bounds are it."""
    context = context_of(random_text(seed, every_failure=every))
    plain = Plain(context)
    rows, chances = served(context)
    states = [
        (frozenset(plain.oracle.failed_links[c]), frozenset(plain.oracle.failed_brokers[c]))
        for c in range(plain.oracle.colours)
    ]
    first = [colour for colour, state in enumerate(states) if state not in states[:colour]]
    covered = sum((chance_of(plain, colour) for colour in first), Fraction(0))
    assert chances.probability(chances.covered) == covered
    if every:
        assert covered == 1
    wanted = []
    for topic in context.estate.topics:
        for source, dest in product(topic.publishers, topic.subscribers):
            total = Fraction(0)
            for colour in first:
                way = plain.way(colour, source, dest)
                if way is None or (topic.max_hops is not None and len(way.walk) - 1 > topic.max_hops):
                    continue
                if topic.max_latency_ms is not None and way.ms > Fraction(str(topic.max_latency_ms)):
                    continue
                total += chance_of(plain, colour)
            wanted.append((topic.name, source, dest, total, total + 1 - covered))
    assert [
        (row.topic, row.source, row.dest, chances.probability(row.at_least), chances.probability(row.at_most))
        for row in rows
    ] == wanted


@given(
    available=st.lists(st.sampled_from([None, *map(float, CHANCES)]), max_size=7),
    data=st.data(),
)
def test_weights_of_every_state(available: list[float | None], data: st.DataObject) -> None:
    size = len(available)
    states = [[i for i in range(size) if bits >> i & 1] for bits in range(2**size)]
    found = weights(available, states)
    assert found.covered == found.whole
    some = data.draw(st.lists(st.sampled_from(states), max_size=6))
    part = weights(available, some)
    for place, (state, weight) in enumerate(zip(some, part.weight, strict=True)):
        chance = Fraction(1)
        for index, value in enumerate(available):
            up = Fraction(1) if value is None else Fraction(str(value))
            chance *= 1 - up if index in state else up
        assert part.probability(weight) == (chance if state not in some[:place] else 0)


def test_many_elements_lose_no_digit() -> None:
    """As floats, 0.999999 to the power of 2000 and the sum of its single failures are right to 13 digits or so."""
    found = weights([0.999999] * 2000, [[], *([index] for index in range(2000))])
    up = Fraction("0.999999")
    assert found.probability(found.covered) == up**2000 + 2000 * up**1999 * (1 - up)


TWO_WAYS = """\
momlint: 1
name: two-ways
brokers: {a: {availability: 0.99}, b: , c: {availability: 0.9}}
links:
  - {between: [a, b], availability: 0.8, latency_ms: 1}
  - {between: [b, c], availability: 0.5, latency_ms: 1}
  - {between: [c, a], latency_ms: 1}
topics:
  any: {publishers: [a], subscribers: [b]}
  quick: {publishers: [a], subscribers: [b], max_latency_ms: 1}
  local: {publishers: [a], subscribers: [a]}
failures:
  colours: {ok: [], cut: [a--b], dead: [a]}
"""


def test_by_hand() -> None:
    """ok: 0.99 · 0.9 · 0.8 · 0.5 = 0.3564; cut: 0.99 · 0.9 · 0.2 · 0.5 = 0.0891; dead: 0.01 · 0.9 · 0.8 · 0.5 = 0.0036.

    Together 0.4491, and 0.5509 is open. `any` is served in ok and cut, `quick` in ok, `local` in ok and cut.
    """
    assert list(explain(context_of(TWO_WAYS))) == [
        "1 link and 1 broker without `availability` are assumed never to fail",
        "3 colours cover 0.449100000 of all cases",
        "topic  subscription  served at least      at most",
        "any    a → b             0.445500000  0.996400000",
        "quick  a → b             0.356400000  0.907300000",
        "local  a → a             0.445500000  0.996400000",
    ]
    adopted = TWO_WAYS.replace("  colours:", "  takeover: {a: c}\n  colours:")
    assert list(explain(context_of(adopted)))[3:] == [
        "any    a → b             0.449100000  1.000000000",
        "quick  a → b             0.360000000  0.910900000",
        "local  a → a             0.449100000  1.000000000",
    ]


def test_bounds_are_rounded_outwards() -> None:
    text = TWO_WAYS.replace("availability: 0.8", "availability: 0.8000000001")
    (row,) = [line for line in explain(context_of(text)) if line.startswith("quick")]
    # 0.99 · 0.9 · 0.8000000001 · 0.5 = 0.35640000004455
    assert row.split()[4] == "0.356400000"
    assert row.split()[5] == "0.907300001"


def test_without_numbers_there_is_nothing_to_say() -> None:
    text = "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\n"
    assert list(explain(context_of(text))) == ["no link and no broker has an `availability`: nothing ever fails"]


def test_without_topics_all_pairs() -> None:
    text = "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b], availability: 0.5}]\n"
    assert list(explain(context_of(text))) == [
        "0 links and 2 brokers without `availability` are assumed never to fail",
        "1 colour covers 0.500000000 of all cases",
        "topic  subscription  served at least      at most",
        "(any)  a → b             0.500000000  1.000000000",
        "(any)  b → a             0.500000000  1.000000000",
    ]
