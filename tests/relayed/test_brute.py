"""Both engines against brute force on random relayed overlays: reach, copies and loops, for topics of every class."""

from __future__ import annotations

import random

import pytest

from momlint.access import Access
from momlint.estate import Estate
from momlint.estate.opening import open_bytes
from momlint.relayed.classes import Classes, TopicClass
from momlint.relayed.form import Relay, relay_of
from momlint.relayed.graph import fate
from momlint.relayed.patterns import Tokens, TooLarge
from momlint.relayed.smt import decide
from tests.budget import ALL
from tests.relayed.brute import matches, published, random_filter, random_overlay, random_topic

A_BLOCK = 25
#: Blocks of overlays: all, and those of a fast run.
BLOCKS = (130, 6)


def estate_of(text: str) -> Estate:
    (loaded,) = open_bytes(text.encode(), "estate.yaml", Access.of("estate.yaml")).estates
    assert loaded.problems == []
    assert loaded.estate is not None
    return loaded.estate


def holds(classes: Classes, found: TopicClass, topic: Tokens) -> bool:
    sets = classes.sets
    return all(sets.matches(one, topic) for one in found.topics.inside) and not any(
        sets.matches(one, topic) for one in found.topics.outside
    )


def by_graph(relay: Relay, found: TopicClass, topic: Tokens) -> tuple[bool, dict[tuple[str, str], int]]:
    result = fate(relay, found)
    language = relay.language
    arrivals: dict[tuple[str, str], int] = {}
    for (broker, called), count in result.arrivals.items():
        key = relay.names[broker], language.text((*called.add, *topic[called.cut :]))
        arrivals[key] = arrivals.get(key, 0) + count
    return bool(result.cycles), arrivals


def by_smt(relay: Relay, found: TopicClass, topic: Tokens) -> tuple[bool, dict[tuple[str, str], int]]:
    answer = decide(relay, found)
    arrivals: dict[tuple[str, str], int] = {}
    for (broker, called), count in answer.arrivals.items():
        key = relay.names[broker], relay.language.text((*called.add, *topic[called.cut :]))
        arrivals[key] = arrivals.get(key, 0) + count
    return answer.loops, arrivals


# Blocks 4 and 5 have overlays that a brute force takes half a minute for.
@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, marks=pytest.mark.slow) if block in (4, 5) else block
        for block in range(BLOCKS[0] if ALL else BLOCKS[1])
    ],
)
def test_the_same_as_by_brute_force(block: int) -> None:
    rng = random.Random(f"relay {block}")
    seen: set[str] = set()
    too_large: set[str] = set()
    for _ in range(A_BLOCK):
        text = random_overlay(rng, dollars=True)
        relay = relay_of(estate_of(text))
        classes = Classes(relay)
        for origin in range(len(relay.names)):
            try:
                found = list(classes.of(origin))
            except TooLarge:
                # Of renames that cut something with every turn there may be no end of classes: MOM901.
                too_large.add(text)
                continue
            samples = {one.example for one in found}
            samples |= {relay.language.tokens(random_topic(rng, relay.language.syntax, dollars=True)) for _ in range(4)}
            for topic in sorted(samples):
                if topic[0].startswith("$") and not relay.language.dollars:
                    continue  # of such topics no filter speaks, so that none is told from others
                # Classes are a partition: every topic is of exactly one.
                (one,) = [each for each in found if holds(classes, each, topic)]
                expected = published(text, relay.names[origin], relay.language.text(topic))
                if expected.many:
                    continue
                growth = fate(relay, one).growth
                if growth and not expected.grows:
                    # It gets shorter with every turn instead, so that there is no end of classes.
                    assert any(entry.strip for step in growth for entry in relay.arcs[step.arc].entries)
                    continue
                assert bool(growth) == expected.grows, (text, relay.names[origin], topic)
                if growth:
                    seen.add("grows")
                    continue
                loops, arrivals = by_graph(relay, one, topic)
                assert loops == expected.loops, (text, relay.names[origin], topic)
                seen.add("loops" if loops else "counted")
                if not loops:
                    assert arrivals == expected.arrivals, (text, relay.names[origin], topic)
                if topic == one.example and sum(arrivals.values()) < 40:
                    said = by_smt(relay, one, topic)
                    assert said[0] == loops
                    assert loops or said[1] == arrivals
    assert {"loops", "counted"} <= seen
    assert len(too_large) <= A_BLOCK // 5


@pytest.mark.parametrize("syntax", ["mqtt", "amqp", "nats", "jms", "kafka"])
@pytest.mark.parametrize("glued", [False, True])
def test_filters_match_what_regular_expressions_match(syntax: str, glued: bool) -> None:
    from momlint.relayed.patterns import Language, Sets, whole

    rng = random.Random(f"filters {syntax} {glued}")
    language = Language(syntax, glued=glued)  # type: ignore[arg-type]
    sets = Sets(language)
    for _ in range(3000 if ALL else 600):
        pattern, topic = random_filter(rng, syntax, dollars=True), random_topic(rng, syntax, dollars=True)
        assert sets.matches(whole(language.filter(pattern)), language.tokens(topic)) == matches(
            syntax, pattern, topic
        ), (pattern, topic)
