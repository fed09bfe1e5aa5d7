"""Mends of random relayed overlays, judged by brute force.

Nothing that arrived is lost, nothing new goes round or comes twice; and as little is taken away as can be.
"""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest
import yaml

from momlint.lint import Options, lint_bytes
from tests.budget import ALL
from tests.mending.test_damages import mend
from tests.relayed.brute import Found, matches, published, random_filter, random_overlay, random_topic

A_BLOCK = 30
BLOCKS = 8 if ALL else 1


def with_wants(rng: random.Random, text: str) -> str:
    """Sometimes it is said who wants what."""
    estate = yaml.safe_load(text)
    if rng.random() < 0.5:
        return text
    syntax = estate["routing"].get("syntax", "mqtt")
    names = list(estate["brokers"])
    wants = "".join(
        f'  - {{at: {rng.choice(names)}, filter: "{random_filter(rng, syntax)}"}}\n' for _ in range(rng.randint(1, 3))
    )
    return f"{text}subscriptions:\n{wants}"


def is_wanted(estate: dict[str, object], broker: str, topic: str) -> bool:
    wants = estate.get("subscriptions")
    routing = estate["routing"]
    assert isinstance(routing, dict)
    syntax = routing.get("syntax", "mqtt")
    return not isinstance(wants, list) or any(
        one["at"] == broker and matches(syntax, one["filter"], topic) for one in wants
    )


def assert_no_worse(before: str, after: str, rng: random.Random) -> None:
    estate = yaml.safe_load(before)
    syntax = estate["routing"].get("syntax", "mqtt")
    for _ in range(25):
        origin, topic = rng.choice(list(estate["brokers"])), random_topic(rng, syntax)
        was, now = published(before, origin, topic), published(after, origin, topic)
        if was.many or was.grows or now.many:
            continue
        assert not now.grows
        assert was.loops or not now.loops
        for place, copies in was.arrivals.items():
            if place != (origin, topic) and is_wanted(estate, *place):
                assert now.arrivals[place] >= 1, (origin, topic, place)
                assert was.loops or now.loops or now.arrivals[place] <= max(copies, 1), (origin, topic, place)


def codes(text: str) -> list[str]:
    return [one.code for one in lint_bytes(text.encode(), "estate.yaml", Options()).findings]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_never_worse(block: int) -> None:
    rng = random.Random(4200 + block)
    gone = 0
    for _ in range(A_BLOCK):
        text = with_wants(rng, random_overlay(rng))
        if re.search(r'(?:strip|add): "[^"]*[^"/.]"', text):
            continue  # tokens are characters then, and brute force takes its time
        if text.count("{id: l") > 5:
            continue  # copies of copies: what is tried for one of them takes a minute
        mended, after = mend(text)
        if not mended.gone:
            assert after == text
            continue
        gone += 1
        assert len(codes(after)) <= len(codes(text))
        assert_no_worse(text, after, rng)
        again, same = mend(after)
        assert (again.contents, same) == ({}, after), "a second time changes nothing"
    assert gone >= A_BLOCK // 12


# -- as little as can be --------------------------------------------------------------------------------------------


def tree_with_more(rng: random.Random, more: int) -> list[str]:
    """Links of a tree of brokers, and some more that close cycles, in any order; each a connection of its own."""
    count = rng.randint(4, 5)
    links = [(rng.randrange(one), one) for one in range(1, count)]
    free = [pair for pair in combinations(range(count), 2) if pair not in links]
    links += rng.sample(free, min(more, len(free)))
    rng.shuffle(links)
    return [f'  - {{between: [n{a}, n{b}], topics: [{{filter: "#"}}]}}' for a, b in links]


def written(links: list[str]) -> str:
    names = sorted({name for link in links for name in yaml.safe_load(link)[0]["between"]})
    head = f"momlint: 1\nbrokers: {{{', '.join(f'{name}: ' for name in names)}}}\n"
    guard = "routing: {protocol: relay, guard: {split_horizon: connection}}\n"
    return f"{head}{guard}links:\n" + "\n".join(links) + "\n"


def is_right(text: str, names: list[str]) -> bool:
    """Everybody gets one copy of what anybody publishes."""
    if not all(name in yaml.safe_load(text)["brokers"] for name in names):
        return False
    for origin in names:
        found: Found = published(text, origin, "t")
        if found.loops or any(found.arrivals[name, "t"] != 1 for name in names if name != origin):
            return False
    return True


@pytest.mark.parametrize("more", [1, 2, 3])
def test_as_few_links_as_can_be(more: int) -> None:
    """Every smaller set of links to leave out is tried, and does not do."""
    rng = random.Random(more)
    for _ in range(4 if more < 3 else 2):
        links = tree_with_more(rng, more)
        text = written(links)
        names = list(yaml.safe_load(text)["brokers"])
        mended, after = mend(text)
        assert not is_right(text, names)
        assert is_right(after, names)
        assert mended.left == []
        kept = [link for link in links if link in after.splitlines()]
        assert [line for line in text.splitlines() if line not in links] == [
            line for line in after.splitlines() if line not in links
        ]
        fewest = next(
            count
            for count in range(len(links) + 1)
            if any(is_right(written(list(rest)), names) for rest in combinations(links, len(links) - count))
        )
        assert len(links) - len(kept) == fewest


# -- limits on hops -------------------------------------------------------------------------------------------------

CHAIN = """\
momlint: 1
brokers: {a: , b: , c: , d: }
routing: {protocol: relay, syntax: amqp, guard: {visited: broker}}
links:
  - {from: a, to: b, max_hops: 1}   # the first
  - from: b
    to: c
    max_hops: 1  # too few
  - {from: c, to: d}
publications: [{at: a, filter: "x.#"}]
subscriptions: [{at: d, filter: "x.y"}]
"""


def test_limits_are_raised() -> None:
    mended, after = mend(CHAIN)
    assert after == CHAIN.replace("max_hops: 1  # too few", "max_hops: 2  # too few")
    assert [one.code for one in mended.gone if one.code != "MOM805"] == ["MOM803"]


MESH = """\
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: amqp, guard: {visited: broker}}
links:
  - {between: [a, b], max_hops: 2}
  - {between: [b, c], max_hops: 2}
  - {between: [a, c], max_hops: 2}
"""


def test_limits_are_lowered() -> None:
    """In a full mesh the second hop brings a second copy to everybody, so that all limits go down."""
    _, after = mend(MESH)
    assert after == MESH.replace("max_hops: 2", "max_hops: 1")


FILTERS = {
    "a filter more": (
        'links: [{from: a, to: b, topics: [{filter: "plant/#"}]}]\n',
        'links: [{from: a, to: b, topics: [{filter: "plant/#"}, {filter: alarm/+}]}]\n',
    ),
    "a filter more, one a line": (
        'links:\n  - from: a\n    to: b\n    topics:\n      - filter: "plant/#"  # from the plant\n',
        'links:\n  - from: a\n    to: b\n    topics:\n      - filter: "plant/#"  # from the plant\n'
        "      - {filter: alarm/+}\n",
    ),
    "what is denied": (
        'links: [{from: a, to: b, topics: [{filter: "alarm/#", deny: true}, {filter: "#"}]}]\n',
        'links: [{from: a, to: b, topics: [{filter: "#"}]}]\n',
    ),
    "the other way": (
        "links:\n  - {from: b, to: a, id: up}  # both, please\n",
        "links:\n  - {between: [b, a], id: up}  # both, please\n",
    ),
    "first what comes last": (
        'links: [{from: a, to: b, topics: [{filter: "#", add: all/}, {filter: "alarm/+"}]}]\n',
        'links: [{from: a, to: b, topics: [{filter: "alarm/+"}, {filter: "#", add: all/}]}]\n',
    ),
    "wildcards of another syntax": (
        'links: [{from: a, to: b, topics: [{filter: "alarm/*"}]}]  # of a > b\n',
        'links: [{from: a, to: b, topics: [{filter: "alarm/+"}]}]  # of a > b\n',
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_and_directions(name: str) -> None:
    wrong, right = FILTERS[name]
    head = "momlint: 1\nbrokers: {a: , b: }\nrouting: {protocol: relay, guard: {split_horizon: link}}\n"
    wants = 'publications: [{at: a, filter: "alarm/+"}, {at: a, filter: "plant/#"}]\n'
    wants += 'subscriptions: [{at: b, filter: "alarm/+"}]\n'
    mended, after = mend(f"{head}{wrong}{wants}")
    assert after == f"{head}{right}{wants}"
    assert mended.gone
    assert_arrives(after)


def assert_arrives(text: str) -> None:
    assert published(text, "a", "alarm/x").arrivals == {("b", "alarm/x"): 1}
