"""Both engines against brute force on random relayed overlays: reach, copies and loops, for topics of every class."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.estate.resolved import Estate
from momlint.relayed.filters import Classes
from momlint.relayed.form import Form
from momlint.relayed.search import copies, start
from tests.budget import ALL
from tests.relayed.brute import SEPARATORS, matches, published, random_filter, random_overlay, random_topic

A_BLOCK = 25
#: Blocks of overlays: all (3,000 overlays), and those of a fast run.
BLOCKS = (120, 6)
#: So many topics of each overlay are followed by brute force, beside some at random.
TOPICS = 12


def estate_of(text: str) -> Estate:
    (loaded,) = open_bytes(text.encode(), "estate.yaml", Access.of("estate.yaml")).estates
    assert loaded.problems == []
    assert loaded.estate is not None
    return loaded.estate


@pytest.mark.parametrize("block", range(BLOCKS[0] if ALL else BLOCKS[1]))
def test_the_same_as_by_brute_force(block: int) -> None:
    rng = random.Random(f"relay {block}")
    seen: Counter[str] = Counter()
    for _ in range(A_BLOCK):
        text = random_overlay(rng)
        estate = estate_of(text)
        form = Form(estate)
        if form.classes.cut:
            seen["cut"] += 1
            continue
        seen["overlays"] += 1
        samples = [form.classes.examples[klass] for klass in form.used()]
        samples = rng.sample(samples, min(TOPICS, len(samples)))
        samples += [random_topic(rng, estate.syntax) for _ in range(3)]
        for broker, about in enumerate(estate.brokers):
            for topic in samples:
                expected = published(text, about.id, topic)
                if expected.many:
                    continue
                counted = copies(form, start(form, broker, form.classes.class_of(topic)), topic)
                endless = expected.loops or expected.grows
                assert (counted is None) == endless, (text, about.id, topic)
                seen["endless" if endless else "counted"] += 1
                if counted is not None:
                    arrivals = Counter({(estate.brokers[at].id, called): n for (at, called), n in counted.items()})
                    assert arrivals == expected.arrivals + Counter({(about.id, topic): 1}), (text, about.id, topic)
    assert seen["endless"]
    assert seen["counted"]
    # Where renaming has no end of kinds, momlint says that it does not know; that is rare.
    assert seen["cut"] <= seen["overlays"] / 4, seen


@pytest.mark.parametrize("syntax", sorted(SEPARATORS))
def test_filters_match_what_regular_expressions_match(syntax: str) -> None:
    rng = random.Random(f"filters {syntax}")
    for _ in range(3000 if ALL else 600):
        pattern, topic = random_filter(rng, syntax), random_topic(rng, syntax)
        classes = Classes(syntax, {0: [pattern]})  # type: ignore[arg-type]
        matched = classes.filters[pattern] in classes.matched[classes.class_of(topic)]
        assert matched == matches(syntax, pattern, topic), (pattern, topic)
