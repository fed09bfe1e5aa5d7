"""MOM601 against walking every pair of every topic in every colour."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest

from momlint.decimals import written
from momlint.lint import Options, lint_bytes, merge
from momlint.routed.checks.find_latency_budget_exceeded import find
from tests.routed.checks.timed_estates import Plain, context_of, random_text


class Late(NamedTuple):
    topic: str
    colour: str
    walk: tuple[str, ...]
    pairs: int


def expected(text: str) -> list[Late]:
    context = context_of(text)
    plain = Plain(context)
    found = []
    for topic in context.estate.topics:
        if topic.max_latency_ms is None:
            continue
        budget = Fraction(str(topic.max_latency_ms))
        late = []
        for source in topic.publishers:
            for dest in topic.subscribers:
                for colour in range(plain.oracle.colours):
                    way = plain.way(colour, source, dest)
                    if way is not None and way.ms > budget:
                        late.append((-way.ms, colour, source, dest, way.walk))
        if late:
            # The slowest pair; of equally slow ones the first colour's, then the first pair.
            _, colour, _, _, walk = min(late)
            pairs = {(source, dest) for _, _, source, dest, _ in late}
            names = tuple(context.estate.brokers[at].id for at in walk)
            found.append(Late(topic.name, f"c{colour}", names, len(pairs)))
    return found


@pytest.mark.parametrize("seed", range(300))
def test_every_walk(seed: int) -> None:
    text = random_text(seed)
    found = []
    for draft in find(context_of(text)):
        assert draft.witness is not None
        assert draft.affected is not None
        (topic,) = draft.affected.topics
        assert draft.place.path == ("topics", topic, "max_latency_ms")
        found.append(Late(topic, draft.witness.colour or "", draft.witness.walk, draft.affected.pairs))
    assert found == expected(text)


def test_random_estates_are_late_now_and_then() -> None:
    late = [bool(expected(random_text(seed))) for seed in range(300)]
    assert 60 < sum(late) < 240


def test_many_topics_ask_no_more_than_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty thousand topics on two pairs are two pairs to time."""
    import momlint.routed.checks.find_latency_budget_exceeded as check

    asked = []
    timed = check.timed
    monkeypatch.setattr(check, "timed", lambda context, pairs: asked.append(len(pairs)) or timed(context, pairs))
    lines = ["momlint: 1", "brokers: {a: , b: , c: }", "links:"]
    lines += [f"  - {{between: [{a}, {b}], latency_ms: 1}}" for a, b in ("ab", "bc", "ca")]
    lines.append("topics:")
    lines += [
        f"  t{i}: {{publishers: [a], subscribers: [{'bc'[i % 2]}], max_latency_ms: {i % 3}}}" for i in range(20_000)
    ]
    report = merge([lint_bytes("\n".join(lines).encode(), "x.yaml", Options(select=("MOM601",)))], Options())
    assert asked == [2]
    assert len(report.findings) == len([i for i in range(20_000) if i % 3 == 0])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3, 10), "0.3"),
        (Fraction(12), "12"),
        (Fraction(1000), "1000"),
        (Fraction(0), "0"),
        (Fraction(1, 1024), "0.0009765625"),
        (Fraction("1000000000000.100000001"), "1000000000000.100000001"),
    ],
)
def test_written(value: Fraction, text: str) -> None:
    assert written(value) == text
