"""MOM203: a broker without any link."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context


def find(context: Context) -> Iterator[Draft]:
    """One draft a broker; none for an overlay of one, nor for a broker that a wrong hop already names (MOM304)."""
    o = context.overlay
    if o.n == 1 or not context.is_whole("links"):
        return
    linked = np.zeros(o.n, dtype=np.bool_)
    linked[o.arc_tail] = linked[o.arc_head] = True
    alone = np.flatnonzero(~linked).tolist()
    if not alone:
        return
    named = {
        cause.subject[0] for cause in context.causes.needed if cause.kind == "not-neighbour" and cause.scope == "broker"
    }
    for broker in alone:
        if broker not in named:
            yield Draft(
                "MOM203",
                context.broker_place(broker),
                f"broker `{context.name(broker)}` has no link",
                label="no message reaches it or leaves it",
                help="add a link to it, or remove it from `brokers`",
                data={"broker": context.name(broker)},
            )
