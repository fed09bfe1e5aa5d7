"""MOM201: a topic that nobody subscribes to."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.checks.context import Context
from momlint.findings import Draft


def find(context: Context) -> Iterator[Draft]:
    """One draft a topic, at its name; none where a subscriber is named that does not exist (MOM104)."""
    for index, topic in enumerate(context.estate.topics):
        if not topic.subscribers and not topic.incomplete:
            yield Draft(
                "MOM201",
                context.topic_place(index),
                f"topic `{topic.name}` has no subscriber: what is published on it goes nowhere",
                help="name its subscribers' brokers under `subscribers`, or remove the topic",
            )
