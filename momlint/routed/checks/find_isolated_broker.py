"""MOM203: a broker without any link."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import broker as broker_subject


def find(context: Context) -> Iterator[Draft]:
    """One draft a broker; none for an overlay of one."""
    o = context.overlay
    if o.n == 1 or not context.is_whole("links"):
        return
    linked = np.zeros(o.n, dtype=np.bool_)
    linked[o.arc_tail] = linked[o.arc_head] = True
    for broker in np.flatnonzero(~linked).tolist():
        yield Draft(
            "MOM203",
            context.broker_place(broker),
            f"broker `{context.name(broker)}` has no link",
            label="no message reaches it or leaves it",
            help="add a link to it, or remove it from `brokers`",
            data={"broker": context.name(broker)},
            about=[frozenset({broker_subject(broker)})],
        )
