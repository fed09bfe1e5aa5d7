"""A reader and a walker for the examples that share nothing with momlint: PyYAML, dictionaries, one loop."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Hand:
    """An estate as dictionaries of text; ``next[location][destination]`` is what the tables give."""

    brokers: list[str]
    links: list[tuple[str, str]]
    next: dict[str, dict[str, str]]
    topics: dict[str, tuple[list[str], list[str]]]
    raw: dict[str, Any]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(source, destination) of every topic, without repeats, in the order of `brokers`."""
        found = {(s, d) for senders, takers in self.topics.values() for s in senders for d in takers if s != d}
        return sorted(found, key=lambda pair: [self.brokers.index(broker) for broker in pair])

    def walk(self, source: str, dest: str) -> tuple[str, ...]:
        """The brokers a message passes, ending where it arrives, stops, or would repeat itself.

        A hop that is no link is not taken.
        """
        linked = {frozenset(link) for link in self.links}
        path = [source]
        while path[-1] != dest:
            here = path[-1]
            hop = self.next.get(here, {}).get(dest)
            if hop is None or frozenset((here, hop)) not in linked:
                break
            path.append(hop)
            if hop in path[:-1]:
                break
        return tuple(path)

    def broken(self, pairs: list[tuple[str, str]] | None = None) -> list[tuple[str, str]]:
        """Those of `pairs` (the topics' pairs by default) whose walk does not end at the destination."""
        return [(s, d) for s, d in (self.pairs if pairs is None else pairs) if self.walk(s, d)[-1] != d]


def read(path: Path) -> Hand:
    """Read an example; every scalar is text."""
    raw: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    tables = raw["routing"].get("tables", {})
    return Hand(
        brokers=list(raw["brokers"]),
        links=[(link["between"][0], link["between"][1]) for link in raw["links"]],
        next={here: {to: hop for hop, dests in row.items() for to in dests} for here, row in tables.items()},
        topics={name: (topic["publishers"], topic["subscribers"]) for name, topic in raw["topics"].items()},
        raw=raw,
    )


def super_paths(hand: Hand, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of `pairs` that are no sub-path of another: what is left to prove. Brute force.

    (a, b) is a sub-path of (s, d) when the walk of (s, d) passes a and later b, and the walk of (a, b) by the
    tables' own entries for b is exactly that part of it.
    """
    covered: set[tuple[str, str]] = set()
    for pair in pairs:
        path = hand.walk(*pair)
        for i in range(len(path)):
            for j in range(i + 1, len(path)):
                part = (path[i], path[j])
                if part != pair and hand.walk(*part) == path[i : j + 1]:
                    covered.add(part)
    return [pair for pair in pairs if pair not in covered]
