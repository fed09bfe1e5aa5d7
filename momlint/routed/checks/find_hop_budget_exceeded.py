"""MOM602: a message needs more hops than its topic allows."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

import numpy as np

from momlint.findings import Affected, Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay.ragged import distinct, without
from momlint.routed.questions.question import Question
from momlint.words import counted


def find(context: Context) -> Iterator[Draft]:
    """One draft a topic, at its ``max_hops``; pairs that do not arrive at all are left to the rules that say why."""
    n = context.overlay.n
    if not context.is_whole("brokers", "links", "routing.tables"):
        return
    allowed = list(map(attrgetter("max_hops"), context.estate.topics))
    if allowed.count(None) == len(allowed):
        return
    bounds = np.array([-1 if bound is None else bound for bound in allowed], dtype=np.int64)
    needs = context.needs
    bound_of = bounds[needs.topic]
    late: dict[int, list[int]] = {}
    for bound in distinct(bound_of[bound_of >= 0]).tolist():
        if bound >= n - 1:
            continue  # a walk that arrives has at most n - 1 hops
        pairs = distinct(needs.pair[bound_of == bound])
        source, dest = context.overlay.keys.split_pair(pairs)
        question = Question("arrive-within", source.astype(np.int32), dest.astype(np.int32), context.all_colours, bound)
        failing = context.refuted(question, f"whether topics arrive within {counted(bound, 'hop')}")
        failing = without(failing, context.broken)
        for key, pair in zip(failing.tolist(), context.overlay.keys.pair_of(failing).tolist(), strict=True):
            for topic in needs.topics_of_pair(pair).tolist():
                if bounds[topic] == bound:
                    late.setdefault(topic, []).append(key)
    for index in sorted(late):
        topic = context.estate.topics[index]
        keys = np.array(sorted(late[index]), dtype=np.int64)
        witness, walk = context.walk_of(keys)
        hops = len(walk.brokers) - 1
        pairs_late = len(context.pairs_of(keys))
        yield Draft(
            "MOM602",
            topic.hops_place,
            f"topic `{topic.name}` allows {counted(topic.max_hops or 0, 'hop')}, and `{witness.source}` to "
            f"`{witness.destination}` takes {hops}",
            label="exceeded",
            help="allow more hops, or shorten the way",
            data={"topic": topic.name, "allowed_hops": topic.max_hops or 0, "takes_hops": hops},
            witness=witness,
            steps=context.steps(walk),
            affected=Affected((topic.name,), pairs_late),
            related=context.colour_defined(witness),
        )
