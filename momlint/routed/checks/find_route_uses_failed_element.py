"""MOM403: a row sends messages over a link, or to a broker, that has failed in the row's own colour."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import LAST_RANK, Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import hop, row
from momlint.routed.diagnosis.wording import colour_names, in_colours, other_ways, them
from momlint.routed.overlay.ragged import distinct
from momlint.words import listed


def find(context: Context) -> Iterator[Draft]:
    """One draft a row, for all the colours in which it does."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links"):
        return
    o = context.overlay
    lost: dict[int, list[int]] = {}
    for cause in context.causes.needed:
        if cause.kind == "failed-hop":
            lost.setdefault(cause.subject[0], []).extend(cause.keys)
    for misuse in facts.dead:
        colours = distinct(o.keys.colour_of(misuse.keys)).tolist()
        first = colours[0]
        at, to = int(facts.table.broker[misuse.row]), int(facts.table.via[misuse.row])
        dest = int(facts.table.to[misuse.row])
        what = (
            f"broker `{context.name(to)}` has failed"
            if o.failed_broker[first, to]
            else f"the link between `{context.name(at)}` and `{context.name(to)}` has failed"
        )
        keys = np.array(sorted(lost.get(misuse.row, [])), np.int64)
        witness, _ = context.witness(keys) if len(keys) else context.walk_of(misuse.keys)
        affected = context.affected(context.causes.lost_by(misuse.row))
        also, elsewhere = other_ways(context, misuse.row, "failed-hop")
        names = colour_names(context, colours)
        yield Draft(
            "MOM403",
            context.row_place(misuse.row),
            f"broker `{context.name(at)}` sends `{context.name(dest)}` to `{context.name(to)}` in "
            f"{in_colours(names)}, where {what}",
            label="this hop has failed in the row's own colour",
            help=f"take {listed(names)} out of the row's colours; add a row with another next hop for {them(names)}",
            data={
                "broker": context.name(at),
                "via": context.name(to),
                "destinations": (context.name(dest),),
                "colours": names,
                **({"also": also} if also else {}),
            },
            witness=witness,
            affected=affected,
            # What no message needs says nothing of other rows over the same hop.
            about=[frozenset({row(misuse.row), hop(at, to)} if len(keys) else {row(misuse.row)})],
            rank=int(keys[0]) if len(keys) else LAST_RANK,
            related=[*context.colour_defined(witness), *elsewhere],
        )
