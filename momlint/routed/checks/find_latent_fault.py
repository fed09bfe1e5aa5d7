"""MOM306: a row that no topic needs today loops or ends nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.about import latent_of
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import OWN_NEXT_HOP, comes_back, destinations, ends_at, no_nearer
from momlint.words import listed


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
    names = destinations(context, cause)
    at, to = context.name(entry.location), context.name(entry.hop)
    related = []
    if cause.scope == "row":
        row = cause.subject[0]
    else:
        # The row that is missing has no line; the row that leads to where it is missing has.
        row = next(row for row in reversed(walk.rows) if context.has_row(row))
        related.append(
            RelatedDraft(
                context.tables_place(entry.location),
                f"`{context.name(entry.location)}` has no next hop for {listed(names)}",
            )
        )
    if cause.scope != "row":
        what, label = f"broker `{at}` has no next hop for {listed(names)}", "this row leads there"
    else:
        end = comes_back(names) if entry.end == "loop" else ends_at(names, to, context.name(entry.stop))
        what, label = f"broker `{at}` sends {listed(names)} to `{to}`, and {end}", no_nearer(to, names)
        if at == to:
            what, label = f"broker `{at}` sends {listed(names)} to itself", OWN_NEXT_HOP
    return Draft(
        "MOM306",
        context.row_place(row),
        f"{what}; no topic needs it today",
        label=label,
        help="correct the row before a topic needs it, or remove it",
        data={"broker": at, "via": to, "destinations": names},
        witness=witness,
        steps=context.steps(walk),
        affected=affected,
        about=latent_of(context, cause),
        related=related,
    )
