"""Random small relayed overlays whose mends are held to brute force over every smaller set of changes.

The estates, their changes and what is right are told here without momlint: a link goes, or one way of it, one of its
filters goes, its limit on hops is another; right is what loops nowhere, comes once, and comes wherever it came before.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import NamedTuple

import pytest
import yaml

from momlint.findings import Severity
from momlint.lint import Options
from tests.budget import one_in
from tests.mending.test_damages import found, mend
from tests.relayed.brute import published

A_BLOCK, BLOCKS = 6, 6
#: A topic for each thing that filters tell apart.
_TOPICS = ("a/x", "b/x", "c/x")
_FILTERS = ("#", "#", "a/#", "b/#")


class Link(NamedTuple):
    """A link of the overlay, one way or `both`; without `topics` it does not exist."""

    name: str
    ends: tuple[str, str]
    topics: tuple[str, ...]
    both: bool = True
    hops: int | None = None

    @property
    def ways(self) -> int:
        return (1 + self.both) if self.topics else 0

    def text(self) -> str:
        tail, head = self.ends
        ends = f"between: [{tail}, {head}]" if self.both else f"from: {tail}, to: {head}"
        hops = f", max_hops: {self.hops}" if self.hops is not None else ""
        topics = ", ".join(f'{{filter: "{one}"}}' for one in self.topics)
        return f"  - {{id: {self.name}, {ends}{hops}, topics: [{topics}]}}"

    def changes(self) -> Iterator[Link]:
        """All that can be made of it by one change."""
        yield self._replace(topics=())
        if self.both:
            yield self._replace(both=False)
            yield self._replace(both=False, ends=self.ends[::-1])
        if len(self.topics) > 1:
            for topic in self.topics:
                yield self._replace(topics=tuple(one for one in self.topics if one != topic))
        for hops in range(1, self.hops or 1):
            yield self._replace(hops=hops)


def random_links(rng: random.Random) -> tuple[str, list[Link]]:
    names = [f"n{number}" for number in range(rng.randint(3, 4))]
    guard = rng.choice(["{split_horizon: connection}", "{split_horizon: connection}", "{}", "{visited: broker}"])
    links = []
    for _ in range(rng.randint(len(names) - 1, len(names) + 1)):
        tail, head = rng.sample(names, 2)
        topics = ("a/#", "b/#") if rng.random() < 0.2 else (rng.choice(_FILTERS),)
        hops = rng.randint(1, 3) if guard == "{visited: broker}" else None
        links.append(Link(f"l{len(links)}", (tail, head), topics, rng.random() < 0.6, hops))
    brokers = ", ".join(f"{name}: " for name in names)
    return f"momlint: 1\nbrokers: {{{brokers}}}\nrouting: {{protocol: relay, guard: {guard}}}\n", links


def text_of(head: str, links: list[Link]) -> str:
    kept = [one.text() for one in links if one.topics]
    return head + ("links:\n" + "\n".join(kept) if kept else "links: []") + "\n"


def links_of(text: str) -> list[Link]:
    """The links as they stand there."""
    return [
        Link(
            one["id"],
            tuple(one.get("between") or (one["from"], one["to"])),
            tuple(entry["filter"] for entry in one["topics"]),
            "between" in one,
            one.get("max_hops"),
        )
        for one in yaml.safe_load(text)["links"]
    ]


class Judged(NamedTuple):
    """`is_clean`: nothing goes round or comes twice. `come`: (origin, topic, broker) of what comes somewhere."""

    is_clean: bool
    come: frozenset[tuple[str, str, str]]


def judged(text: str) -> Judged:
    come, is_clean = set(), True
    for origin, topic in product(yaml.safe_load(text)["brokers"], _TOPICS):
        one = published(text, origin, topic)
        is_clean = is_clean and not (one.loops or one.grows or one.many) and max(one.arrivals.values(), default=0) < 2
        come |= {(origin, topic, broker) for broker, _ in one.arrivals if broker != origin}
    return Judged(is_clean, frozenset(come))


def smaller(links: list[Link], size: int) -> Iterator[tuple[int, list[Link]]]:
    """The links with every set of `size` changes; how many ways go with each."""
    for places in combinations(range(len(links)), size):
        for several in product(*(list(links[place].changes()) for place in places)):
            changed = dict(zip(places, several, strict=True))
            lost = sum(links[place].ways - new.ways for place, new in changed.items())
            yield lost, [changed.get(number, link) for number, link in enumerate(links)]


@pytest.mark.parametrize("block", one_in(BLOCKS, range(BLOCKS)))
def test_no_smaller_set_does_as_much(block: int) -> None:
    rng = random.Random(f"smallest {block}")
    sizes: Counter[int] = Counter()
    while sum(sizes.values()) < A_BLOCK:
        head, links = random_links(rng)
        text = text_of(head, links)
        before = judged(text)
        if before.is_clean:
            continue
        mended, after = mend(text)
        now, kept = judged(after), links_of(after)
        assert now.come >= before.come, text
        left = [one for one in found(after, Options()) if one.severity is not Severity.NOTE]
        assert bool(left) != now.is_clean, text
        changed = sum((Counter(links) - Counter(kept)).values())
        lost = sum(link.ways for link in links) - sum(link.ways for link in kept)
        sizes[changed] += 1
        if any("fewer might do" in note for note in mended.notes):
            continue
        # What is not mended whole is held to every change by itself and to every two.
        for size in range(1, changed if now.is_clean else 3):
            for less, several in smaller(links, size):
                one = judged(text_of(head, several))
                does = one.is_clean and one.come >= before.come
                assert not does or (now.is_clean and less > lost), (text, after, several)
    assert set(sizes) - {0}, sizes
