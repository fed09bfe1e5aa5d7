"""MOM302: a message that a topic needs goes round for ever."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.about import rows_of
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import OWN_NEXT_HOP, comes_back, destinations, nearer_hop, no_nearer, other_ways
from momlint.words import listed


def find(context: Context) -> Iterator[Draft]:
    """One draft for each row that closes a cycle, at the row that does not bring the message nearer."""
    for cause in context.causes.needed:
        if cause.kind != "loop":
            continue
        keys = cause.key_array
        witness, walk = context.witness(keys)
        row = cause.subject[0]
        affected = context.affected(context.causes.lost_by(row))
        also, elsewhere = other_ways(context, row, "loop")
        entry = cause.entries[0]
        closing = walk.rows[-1]
        related = []
        if closing != row and context.has_row(closing):
            related.append(RelatedDraft(context.row_place(closing), f"this row sends it back to `{witness.walk[-1]}`"))
        related += [
            RelatedDraft(context.row_place(other), f"`{context.name(at)}` brings it no nearer either")
            for at, other in entry.rivals
            if context.has_row(other) and other not in {row, closing}
        ]
        at, to = context.name(entry.location), context.name(entry.hop)
        names = destinations(context, cause)
        if at == to:
            message, label = f"broker `{at}` sends {listed(names)} to itself", OWN_NEXT_HOP
        else:
            message = f"broker `{at}` sends {listed(names)} to `{to}`, and {comes_back(names)}"
            label = no_nearer(to, names)
        yield Draft(
            "MOM302",
            context.row_place(row),
            message,
            label=label,
            help=nearer_hop(at, names),
            data={"broker": at, "via": to, "destinations": names, **({"also": also} if also else {})},
            witness=witness,
            steps=context.steps(walk),
            affected=affected,
            about=rows_of(context, cause),
            rank=int(keys[0]),
            related=[*related, *context.colour_defined(witness), *elsewhere],
        )
