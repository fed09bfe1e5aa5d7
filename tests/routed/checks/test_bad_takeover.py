"""MOM409: against a plain reading of who is where, and the thesis's three brokers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from momlint.findings import Draft
from momlint.routed.checks.find_bad_takeover import find
from momlint.routed.overlay.latency import placed
from tests.routed.checks.timed_estates import Plain, context_of, random_text


def expected(text: str) -> tuple[set[tuple[str, str]], dict[str, tuple[int, tuple[str, ...]]]]:
    """(kind, entry) of what is wrong with the mapping, and entry → (pairs out of reach, topics)."""
    context = context_of(text)
    estate, plain = context.estate, Plain(context)
    colours = range(plain.oracle.colours)
    failed = plain.oracle.failed_brokers
    name = {index: broker.id for index, broker in enumerate(estate.brokers)}
    kinds: set[tuple[str, str]] = set()
    if not estate.takeover:
        return kinds, {}
    for broker, (adopter,) in estate.takeover.items():
        if broker == adopter:
            kinds.add(("itself", name[broker]))
        elif any({broker, adopter} <= failed[c] for c in colours):
            kinds.add(("together", name[broker]))
        if all(broker in failed[c] for c in colours):
            kinds.add(("never back", name[broker]))
    clients = {b for topic in estate.topics for b in (*topic.publishers, *topic.subscribers)}
    for broker in clients:
        if broker not in estate.takeover and any(broker in failed[c] for c in colours):
            kinds.add(("nobody", name[broker]))
    lost: dict[str, tuple[set[tuple[int, int]], set[str]]] = {}
    for topic in estate.topics:
        for source, dest in product(topic.publishers, topic.subscribers):
            for colour in colours:
                at, to = plain.place(colour, source), plain.place(colour, dest)
                if (at, to) == (source, dest) or None in {at, to} or source == dest:
                    continue
                # Tables heal themselves in these estates: what does not arrive is cut off.
                if at != to and plain.way(colour, source, dest) is None:
                    culprit = name[source if source in failed[colour] else dest]
                    pairs, topics = lost.setdefault(culprit, (set(), set()))
                    pairs.add((source, dest))
    for pairs, topics in lost.values():
        topics.update(
            topic.name
            for topic in estate.topics
            if any((s, d) in pairs for s, d in product(topic.publishers, topic.subscribers))
        )
    order = [topic.name for topic in estate.topics]
    return kinds, {
        entry: (len(pairs), tuple(sorted(topics, key=order.index))) for entry, (pairs, topics) in lost.items()
    }


def told(drafts: list[Draft]) -> tuple[set[tuple[str, str]], dict[str, tuple[int, tuple[str, ...]]]]:
    kinds = set()
    lost = {}
    for draft in drafts:
        path = draft.place.path
        assert path[:2] == ("failures", "takeover")
        if "no broker takes over" in draft.message:
            assert len(path) == 2
            kinds |= {("nobody", related.message.split("`")[1]) for related in draft.related}
        elif "takes over from itself" in draft.message:
            kinds.add(("itself", str(path[2])))
        elif "fail together" in draft.message:
            kinds.add(("together", str(path[2])))
        elif "fails in every colour" in draft.message:
            kinds.add(("never back", str(path[2])))
        else:
            assert draft.affected is not None
            assert str(path[2]) not in lost
            lost[str(path[2])] = (draft.affected.pairs, draft.affected.topics)
    return kinds, lost


@pytest.mark.parametrize("seed", range(400))
def test_plain_reading(seed: int) -> None:
    text = random_text(seed)
    assert told(list(find(context_of(text)))) == expected(text)


def test_random_estates_have_every_fault() -> None:
    seen: set[str] = set()
    lost = 0
    for seed in range(400):
        kinds, out_of_reach = expected(random_text(seed))
        seen |= {kind for kind, _ in kinds}
        lost += bool(out_of_reach)
    assert seen == {"itself", "together", "never back", "nobody"}
    assert lost > 20


THREE = """\
momlint: 1
brokers: {1: , 2: , 3: }
links: [{between: [1, 2]}, {between: [2, 3]}, {between: [3, 1]}]
topics:
  T1: {publishers: [1], subscribers: [1]}
  T2: {publishers: [2], subscribers: [2]}
  T3: {publishers: [3], subscribers: [3]}
failures:
  colours: {s0: [], s1: [1], s2: [2], s3: [3]}
  takeover: {1: 2, 2: 3, 3: 1}
"""


def places(text: str, colour: int) -> list[int]:
    """Where the clients of brokers 1, 2, 3 are; 0 for nowhere."""
    context = context_of(text)
    brokers = np.arange(context.overlay.n, dtype=np.int32)
    colours = np.full(brokers.size, colour)
    return (placed(context.overlay, colours, brokers, context.estate.takeover) + 1).tolist()


def test_the_thesis_ring() -> None:
    """Thesis 5.1: in s1, s2, s3 the failed broker's end nodes are on the next of the ring, the others at home."""
    assert [places(THREE, colour) for colour in range(4)] == [[1, 2, 3], [2, 2, 3], [1, 3, 3], [1, 2, 1]]
    assert list(find(context_of(THREE))) == []


def test_when_the_failure_moves_from_1_to_3() -> None:
    """End node 1 returns to broker 1, and end node 3 goes to broker 1."""
    before, after = places(THREE, 1), places(THREE, 3)
    assert (before[0], after[0]) == (2, 1)
    assert (before[2], after[2]) == (3, 1)


@pytest.mark.parametrize("seed", range(60))
def test_clients_come_back_whatever_came_before(seed: int) -> None:
    """For every two colours in sequence: who was away and whose broker is back, is home."""
    context = context_of(random_text(seed))
    brokers = np.arange(context.overlay.n, dtype=np.int32)
    there = [
        placed(context.overlay, np.full(brokers.size, colour), brokers, context.estate.takeover)
        for colour in range(context.overlay.colours)
    ]
    for before, after in product(range(context.overlay.colours), repeat=2):
        back = context.overlay.failed_broker[before] & ~context.overlay.failed_broker[after]
        assert (there[after][back] == brokers[back]).all()
        up = ~context.overlay.failed_broker[after]
        assert up[there[after][there[after] >= 0]].all(), "nobody hangs on a broker that has failed"


def test_an_adopter_of_an_adopter_is_not_asked() -> None:
    text = THREE.replace("colours: {", "colours: {s12: [1, 2], ")
    (draft,) = find(context_of(text))
    assert draft.message == "broker `1` and its adopter `2` fail together in colour `s12`"
    assert draft.place.path == ("failures", "takeover", "1")
    assert places(text, 0) == [0, 3, 3]


def test_the_temporal_model_says_the_same() -> None:
    """A step after a broker has failed, `momlint.routed.specs` has its end nodes where `placed` has them."""
    from momlint.routed.specs.formula import Attached
    from momlint.routed.specs.takeover import Takeover
    from momlint.routed.specs.vocabulary import names_of

    context = context_of(THREE)
    model = Takeover(names_of(context.estate))
    for colour in range(4):
        for number, end in enumerate(model.ends.nodes):
            where = [broker for broker in range(3) if model.atom(Attached(number, broker))[colour, 0]]
            assert where == [places(THREE, colour)[end.home] - 1]
