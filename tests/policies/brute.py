"""What a policy says of an estate, by walking every message in every state; on the oracle of the contract's tests.

Shares nothing with momlint: it reads the text with PyYAML, and knows of a policy what the documentation says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from tests.contract.oracle import CALM, Estate, Failure, arcs, parse, promised, reach, states, tables_in, walked

#: The topics that break a policy, by name; the empty name stands for an estate without topics.
Broken = set[str]


class Model:
    """An estate, with the tags that the oracle does not know."""

    def __init__(self, text: str) -> None:
        self.estate: Estate = parse(text)
        data: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)
        brokers = {name: found or {} for name, found in data["brokers"].items()}
        self.tags = {name: set(found.get("tags", ())) for name, found in brokers.items()}
        self.site = {name: found.get("site", ("none", name)) for name, found in brokers.items()}
        self.topic_tags = {name: set(topic.get("tags", ())) for name, topic in (data.get("topics") or {}).items()}

    def chosen(self, tag: str | None) -> set[str] | None:
        """The topics with the tag, None where there are none to speak of."""
        if not self.estate.topics:
            return {""} if tag is None else None
        return {name for name in self.estate.topics if tag is None or tag in self.topic_tags[name]} or None

    def pairs(self, topics: set[str]) -> Iterator[tuple[str, str, set[str]]]:
        """Each pair that these topics need, and which of them do."""
        for (source, dest), names in self.estate.pairs.items():
            of = set(names) & topics if names else {""} & topics
            if of:
                yield source, dest, of

    def walks(self, topics: set[str]) -> Iterator[tuple[str, str, str, list[str], set[str]]]:
        """Every walk that a message of these topics takes in any state: publisher, subscriber, how it ends, the walk.

        Clients of failed brokers are with their adopters, if they have any that lives.
        """
        estate = self.estate
        full = arcs(estate, CALM)
        for colour, failure in states(estate):
            left, tables = arcs(estate, failure), tables_in(estate, colour, failure)
            for source, dest, of in self.pairs(topics):
                at, to = self.placed(source, failure), self.placed(dest, failure)
                if at is None or to is None:
                    continue
                end, walk, _ = walked(estate, tables, (full, left), at, to)
                yield source, dest, end, [*walk, to] if {source, dest} & failure[1] else walk, of

    def placed(self, broker: str, failure: Failure) -> str | None:
        if broker not in failure[1]:
            return broker
        return next((one for one in self.estate.takeover.get(broker, ()) if one not in failure[1]), None)


def leaves(model: Model, topic_tag: str | None, broker_tag: str) -> Broken:
    """Topics whose messages come to a broker without the tag."""
    topics = model.chosen(topic_tag)
    if topics is None:
        return set()
    outside = {name for name, tags in model.tags.items() if broker_tag not in tags}
    broken = {
        name
        for name in topics & set(model.estate.topics)
        if outside & {*model.estate.topics[name]["publishers"], *model.estate.topics[name]["subscribers"]}
    }
    for source, dest, _, walk, of in model.walks(topics):
        # Without topics, a client at every broker is no decision of anybody's.
        if not {source, dest} & outside and outside & set(walk):
            broken |= of
    return broken


def too_long(model: Model, topic_tag: str | None, most: int, between_sites: bool) -> Broken:
    """Topics with a walk of more hops."""
    broken: Broken = set()
    for source, dest, end, walk, of in model.walks(model.chosen(topic_tag) or set()):
        if between_sites and model.site[source] == model.site[dest]:
            continue
        if end == "arrives" and len(dict.fromkeys(walk)) - 1 > most:
            broken |= of
    return broken


def does_not_survive(model: Model, topic_tag: str | None, promise: tuple[int, int, int]) -> tuple[Broken, bool]:
    """Topics that lose messages in a failure, or in none; and whether a failure has no colour, where rows need one."""
    topics = model.chosen(topic_tag)
    if topics is None:
        return set(), False
    estate = replace(model.estate, promise=promise)
    full, broken, without_colour = arcs(estate, CALM), set[str](), False
    for failure in promised(estate):
        colours: list[str | None] = [name for name, one in estate.colours.items() if one == failure]
        if not estate.rows:
            colours = [None]
        without_colour |= not colours
        left = arcs(estate, failure)
        for source, dest, of in model.pairs(topics):
            if {source, dest} & failure[1]:
                continue
            if dest not in reach(left, source, estate.stubs):
                broken |= of
            for colour in colours:
                if walked(estate, tables_in(estate, colour, failure), (full, left), source, dest)[0] != "arrives":
                    broken |= of
    return broken, without_colour
