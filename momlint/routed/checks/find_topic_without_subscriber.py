"""MOM201: a topic that nobody subscribes to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context


def find(context: Context) -> Iterator[Draft]:
    """One draft a topic, at its name; none where a subscriber is named that does not exist (MOM104)."""
    for index in np.flatnonzero(context.needs.subscribers == 0).tolist():
        topic = context.estate.topics[index]
        if not topic.incomplete:
            yield Draft(
                "MOM201",
                context.topic_place(index),
                f"topic `{topic.name}` has no subscriber",
                label="nobody receives what is published on it",
                help="list the brokers that subscribe under `subscribers`, or remove the topic",
                data={"topic": topic.name},
            )
