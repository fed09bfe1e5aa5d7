"""Which topic needs which pair, against loops over dictionaries; and the idioms below it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate.resolved import Topic
from momlint.findings import Affected, Place
from momlint.routed.diagnosis.topic_names import TopicNames
from momlint.routed.overlay.needs import Needs
from momlint.routed.overlay.ragged import distinct

NOWHERE = Place(0, ())


def topic(name: str, publishers: tuple[int, ...], subscribers: tuple[int, ...]) -> Topic:
    return Topic(name, NOWHERE, publishers, subscribers)


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, list[Topic], list[int]]:
    """Brokers, topics, and some pairs; 300 brokers make pairs that need more than 16 bits."""
    n = draw(st.sampled_from([1, 2, 5, 300]))
    brokers = st.lists(st.integers(0, n - 1), max_size=3, unique=True)
    topics = draw(st.lists(st.tuples(brokers, brokers), max_size=6))
    needed = [s * n + d for publishers, subscribers in topics for s in publishers for d in subscribers]
    some = st.sampled_from(needed) if needed else st.nothing()
    asked = draw(st.lists(some | st.integers(0, n * n - 1), max_size=6))
    return n, [topic(f"t{i}", tuple(p), tuple(s)) for i, (p, s) in enumerate(topics)], asked


@settings(deadline=None)
@given(cases())
def test_needs_against_loops(case: tuple[int, list[Topic], list[int]]) -> None:
    n, topics, asked = case
    needs = Needs.of(n, topics)
    wanted = [
        (s * n + d, index)
        for index, one in enumerate(topics)
        for s in one.publishers
        for d in one.subscribers
        if s != d
    ]
    assert list(zip(needs.pair.tolist(), needs.topic.tolist(), strict=True)) == wanted
    assert needs.pairs.tolist() == sorted({pair for pair, _ in wanted})
    assert needs.publishers.tolist() == [len(one.publishers) for one in topics]
    assert needs.subscribers.tolist() == [len(one.subscribers) for one in topics]
    expected = sorted({index for pair, index in wanted if pair in asked})
    assert needs.topics_of(np.array(asked, np.int64)).tolist() == expected
    for pair in asked:
        assert needs.topics_of_pair(pair).tolist() == [index for other, index in wanted if other == pair]


def test_names_of_topics_are_like_their_tuple() -> None:
    topics = [topic(name, (), ()) for name in "abcde"]
    names = TopicNames(topics, np.array([0, 2, 3]))
    assert names == ("a", "c", "d")
    expected = ("a", "c", "d")
    assert expected == names
    assert names != ("a", "c")
    assert names != ["a", "c", "d"]
    assert names == TopicNames(topics[:4], np.array([0, 2, 3]))
    assert (len(names), names[1], names[-1], names[:2], list(names)) == (3, "c", "d", ("a", "c"), ["a", "c", "d"])
    assert repr(names) == "('a', 'c', 'd')"
    assert not TopicNames(topics, np.array([], np.int64))
    with pytest.raises(IndexError):
        names[3]
    assert hash(names) == hash(("a", "c", "d"))
    assert type(pickle.loads(pickle.dumps(names))) is tuple


def test_affected_is_equal_and_hashed_alike_with_names_and_tuples() -> None:
    names = TopicNames([topic("a", (), ())], np.array([0]))
    assert Affected(names, 1) == Affected(("a",), 1)
    assert len({Affected(names, 1), Affected(("a",), 1), Affected(("b",), 1)}) == 2


@given(st.lists(st.integers(-5, 5)))
def test_distinct(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))
