"""MOM306: a row that no topic needs today loops or ends nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft
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
    place, advice = context.tables_place(entry.location), "add the row before a topic needs it"
    if cause.scope == "row":
        place = context.row_place(cause.subject[0])
        advice = "correct the row before a topic needs it, or remove it"
    if cause.scope != "row":
        what, label = f"broker `{at}` has no next hop for {listed(names)}", "the row is missing here"
    else:
        end = comes_back(names) if entry.end == "loop" else ends_at(names, to, context.name(entry.stop))
        what, label = f"broker `{at}` sends {listed(names)} to `{to}`, and {end}", no_nearer(to, names)
        if at == to:
            what, label = f"broker `{at}` sends {listed(names)} to itself", OWN_NEXT_HOP
    return Draft(
        "MOM306",
        place,
        f"{what}; no topic needs it today",
        label=label,
        help=advice,
        data={"broker": at, "via": to, "destinations": names},
        witness=witness,
        steps=context.steps(walk),
        affected=affected,
        about=latent_of(context, cause),
    )
