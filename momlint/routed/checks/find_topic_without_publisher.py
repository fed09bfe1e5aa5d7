"""MOM202: a topic that nobody publishes on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context


def find(context: Context) -> Iterator[Draft]:
    """One draft a topic, at its name; none where a publisher is named that does not exist (MOM104)."""
    for index in np.flatnonzero(context.needs.publishers == 0).tolist():
        topic = context.estate.topics[index]
        if not topic.incomplete:
            yield Draft(
                "MOM202",
                context.topic_place(index),
                f"topic `{topic.name}` has no publisher",
                label="its subscribers never receive anything",
                help="list the brokers that publish under `publishers`, or remove the topic",
                data={"topic": topic.name},
            )
