"""MOM304: a row hands messages to a broker to which there is no link."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Affected, Draft, RelatedDraft, Witness
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import arrow, counted, needed_by

#: How many further rows are listed as related places; the message counts all.
RELATED_ROWS = 20


def find(context: Context) -> Iterator[Draft]:
    """One draft for each hop that is no link, or for a broker all of whose hops are none, needed or not."""
    if not context.is_whole("brokers", "links"):
        return
    for cause in context.causes.needed:
        if cause.kind == "not-neighbour" and not context.excused_rows.issuperset(cause.rows):
            yield _draft(context, cause)


def _draft(context: Context, cause: Cause) -> Draft:
    keys = cause.key_array
    witness: Witness | None = None
    affected = Affected()
    breaks = "no topic needs it today"
    if not context.causes.pathless.isdisjoint(cause.rows):
        breaks = "and what takes it has no path even so (MOM301)"
    if len(keys):
        witness, _ = context.witness(keys)
        affected = context.affected(keys)
        breaks = f"{needed_by(affected, witness)}: {arrow(witness.walk)}"
    first = cause.rows[0]
    rows = counted(len(cause.rows), "row uses", "rows use")
    if cause.scope == "broker":
        broker = context.name(cause.subject[0])
        message = f"every hop at broker `{broker}` is broken, {rows} hops at it that are no links; {breaks}"
        fix = f"declare the links of broker `{broker}`, or route around it"
    else:
        # The first row that uses the hop, which need not be one that a topic needs.
        location, via = context.row_hop(first)
        at, to = context.name(location), context.name(via)
        message = f"broker `{at}` has no link to its next hop `{to}` (hop {at}–{to}, {rows} it); {breaks}"
        fix = f"declare a link between `{at}` and `{to}`, or use a neighbour of `{at}` as next hop"
    related = [
        RelatedDraft(context.row_place(row), "this row uses it too" if cause.scope == "hop" else "this row too")
        for row in cause.rows[1 : 1 + RELATED_ROWS]
    ]
    return Draft(
        "MOM304",
        context.row_place(first),
        message,
        help=fix,
        witness=witness,
        affected=affected,
        related=related,
    )
