"""MOM303: a message that a topic needs ends at a broker that is not its destination."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import arrow, destinations, in_colour, needed_by


def find(context: Context) -> Iterator[Draft]:
    """One draft for each wrong row, or for each hop or broker whose rows are missing."""
    for cause in context.causes.needed:
        if cause.kind == "black-hole" and cause.subject[0] not in context.excused_rows:
            yield _wrong_row(context, cause)
        elif (
            cause.kind == "missing" and not context.rows_are_recovery and context.is_whole("brokers", "routing.tables")
        ):
            # Rows missing from recovery tables are MOM405; one that could not be read is not missing.
            yield _missing_rows(context, cause)


def _wrong_row(context: Context, cause: Cause) -> Draft:
    keys = cause.key_array
    witness, walk = context.witness(keys)
    affected = context.affected(keys)
    entry = cause.entries[0]
    row = cause.subject[0]
    at, to, stop = context.name(entry.location), context.name(entry.hop), witness.walk[-1]
    related = []
    if len(walk.rows) and (last := walk.rows[-1]) != row and context.has_row(last):
        related.append(RelatedDraft(context.row_place(last), f"this row hands it to `{stop}`, where it stops"))
    related.append(
        RelatedDraft(
            context.tables_place(walk.brokers[-1]),
            f"the message stops at `{stop}`: it has no next hop for `{witness.destination}`",
        )
    )
    return Draft(
        "MOM303",
        context.row_place(row),
        f"black hole at {stop}{in_colour(witness)}: {needed_by(affected, witness)}: broker `{at}` sends what is for "
        f"{destinations(context, cause)} to `{to}`, which is not nearer, and it ends at `{stop}`: "
        f"{arrow(witness.walk)}",
        help=f"let broker `{at}` use a neighbour that is nearer to {destinations(context, cause)}",
        witness=witness,
        affected=affected,
        related=[*related, *context.colour_defined(witness)],
    )


def _missing_rows(context: Context, cause: Cause) -> Draft:
    keys = cause.key_array
    witness, walk = context.witness(keys)
    affected = context.affected(keys)
    needed = needed_by(affected, witness)
    stop, end = walk.brokers[-1], witness.walk[-1]
    related = []
    if len(walk.rows) and context.has_row(walk.rows[-1]):
        related.append(RelatedDraft(context.row_place(walk.rows[-1]), f"this row hands it to `{end}`"))
    if cause.scope == "broker":
        broker = context.name(cause.subject[0])
        message = (
            f"black hole at {end}{in_colour(witness)}: {needed}: every hop at broker `{broker}` is broken, it seems to "
            f"be missing from the tables: {arrow(witness.walk)}"
        )
        place = context.tables_place(cause.subject[0])
        fix = f"give the tables rows for broker `{broker}`, or route around it"
    else:
        at, to = context.name(cause.entries[0].location), context.name(cause.entries[0].hop)
        both = {entry.location for entry in cause.entries} == set(cause.subject)
        hop = f"hop {at}–{to} is broken in both directions" if both else f"broker `{at}` has no next hop"
        message = (
            f"black hole at {end}{in_colour(witness)}: {needed}: {hop} for {destinations(context, cause)}, and the "
            f"message ends there: {arrow(witness.walk)}"
        )
        place = context.tables_place(cause.entries[0].location)
        fix = f"add {destinations(context, cause)} to a row of broker `{at}`; the shortest way is by `{to}`"
        if both:
            related.append(
                RelatedDraft(context.tables_place(cause.subject[1]), f"`{to}` has no rows over this hop either")
            )
    if place == context.tables_place(stop) and related and related[0].place == place:
        related = related[1:]
    return Draft(
        "MOM303",
        place,
        message,
        help=fix,
        witness=witness,
        affected=affected,
        related=[*related, *context.colour_defined(witness)],
    )
