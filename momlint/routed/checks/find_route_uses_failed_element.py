"""MOM403: a row sends messages over a link, or to a broker, that has failed in the row's own colour."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import affected_words, listed
from momlint.routed.overlay.ragged import distinct


def find(context: Context) -> Iterator[Draft]:
    """One draft a row, for all the colours in which it does."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links"):
        return
    o, n = context.overlay, context.overlay.n
    lost: dict[int, list[int]] = {}
    for cause in context.causes.needed:
        if cause.kind == "failed-hop":
            lost.setdefault(cause.subject[0], []).extend(cause.keys)
    for misuse in facts.dead:
        if misuse.row in context.excused_rows:
            continue
        colours = distinct(misuse.keys // (n * n)).tolist()
        first = colours[0]
        at, to = int(facts.table.broker[misuse.row]), int(facts.table.via[misuse.row])
        dest = int(facts.table.to[misuse.row])
        what = (
            f"broker `{context.name(to)}` has failed"
            if o.failed_broker[first, to]
            else f"the link {context.name(at)}–{context.name(to)} has failed"
        )
        keys = np.array(sorted(lost.get(misuse.row, [])), np.int64)
        witness, _ = context.witness(keys) if len(keys) else context.walk_of(misuse.keys)
        affected = context.affected(keys)
        names = [str(context.colour_name(colour)) for colour in colours]
        yield Draft(
            "MOM403",
            context.row_place(misuse.row),
            f"broker `{context.name(at)}` sends what is for `{context.name(dest)}` to `{context.name(to)}` in "
            f"{'colour' if len(colours) == 1 else 'colours'} {listed(names)}, in which {what}"
            + affected_words(affected),
            help=f"take {listed(names)} out of the row's colours, and give them a way round",
            witness=witness,
            affected=affected,
            related=context.colour_defined(witness),
        )
