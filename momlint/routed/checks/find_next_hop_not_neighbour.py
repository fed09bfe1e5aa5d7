"""MOM304: a row hands messages to a broker to which there is no link."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Affected, Draft, RelatedDraft, Witness
from momlint.routed.diagnosis.about import rows_of
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context
from momlint.words import counted

#: How many further rows are listed as related places; the message counts all.
RELATED_ROWS = 20


def find(context: Context) -> Iterator[Draft]:
    """One draft for each hop that is no link, or for a broker all of whose hops are none, needed or not."""
    if not context.is_whole("brokers", "links"):
        return
    for cause in context.causes.needed:
        if cause.kind == "not-neighbour":
            yield _draft(context, cause)


def _draft(context: Context, cause: Cause) -> Draft:
    keys = cause.key_array
    witness: Witness | None = None
    affected = Affected()
    label = "no topic needs this row today"
    if not context.causes.pathless.isdisjoint(cause.rows):
        label = "the pairs that use this row have no path anyway"
    if len(keys):
        witness, _ = context.witness(keys)
        affected = context.affected(keys)
        label = "" if len(cause.rows) == 1 else f"the first of {counted(len(cause.rows), 'such row')}"
    first = cause.rows[0]
    location, via = context.row_hop(first)
    at, to = context.name(location), context.name(via)
    if cause.scope == "broker":
        broker = context.name(cause.subject[0])
        message = f"broker `{broker}` has no link to any next hop in its tables"
        fix = f"declare the links of broker `{broker}`, or route around it"
    else:
        # The first row that uses the hop, which need not be one that a topic needs.
        message = f"broker `{at}` sends to `{to}`, but no link joins them"
        fix = f"declare a link between `{at}` and `{to}`, or use a neighbour of `{at}` as next hop"
    if context.causes.is_adjacent(location, via):
        message = f"broker `{at}` sends messages for others to `{to}`, which passes nothing on (`transit: false`)"
        fix = f"use a neighbour of `{at}` that passes messages on, or let `{to}` do so"
        label = label or "the next hop would have to pass messages on"
    related = [
        RelatedDraft(context.row_place(row), "this row uses it too" if cause.scope == "hop" else "this row too")
        for row in cause.rows[1 : 1 + RELATED_ROWS]
    ]
    return Draft(
        "MOM304",
        context.row_place(first),
        message,
        label=label or "uses a link that is not declared",
        help=fix,
        data={"broker": at, "via": to, "rows": len(cause.rows)},
        witness=witness,
        affected=affected,
        about=rows_of(context, cause),
        related=related,
    )
