"""MOM306: a row that no topic needs today loops or ends nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import arrow, counted, destinations, in_colour


def find(context: Context) -> Iterator[Draft]:
    """One draft for each cause that breaks only pairs nobody needs, at the row that is wrong or leads into it."""
    if not context.is_whole("brokers", "links", "routing.tables", "failures.recovery"):
        return
    for cause in context.causes.latent:
        yield _draft(context, cause)


def _draft(context: Context, cause: Cause) -> Draft:
    keys = cause.latent_array
    witness, walk = context.witness(keys)
    affected = context.affected(keys)
    entry = cause.entries[0]
    related = []
    if cause.scope == "row":
        row = cause.subject[0]
    else:
        # The row that is missing has no line; the row that leads to where it is missing has.
        row = next(row for row in reversed(walk.rows) if context.has_row(row))
        related.append(
            RelatedDraft(
                context.tables_place(entry.location),
                f"`{context.name(entry.location)}` has no next hop for {destinations(context, cause)}",
            )
        )
    how = "loops" if entry.end == "loop" else f"ends at `{context.name(entry.stop)}`"
    return Draft(
        "MOM306",
        context.row_place(row),
        f"latent fault{in_colour(witness)}: no topic needs it today, but a message from `{witness.source}` for "
        f"`{witness.destination}` {how}: {arrow(witness.walk)} ({counted(affected.pairs, 'pair')})",
        help="correct the row before a topic needs it, or remove it",
        witness=witness,
        affected=affected,
        related=related,
    )
