"""MOM302: a message that a topic needs goes round for ever."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import arrow, destinations, in_colour, needed_by


def find(context: Context) -> Iterator[Draft]:
    """One draft for each row that closes a cycle, at the row that does not bring the message nearer."""
    for cause in context.causes.needed:
        if cause.kind != "loop" or cause.subject[0] in context.excused_rows:
            continue
        keys = cause.key_array
        witness, walk = context.witness(keys)
        affected = context.affected(keys)
        entry = cause.entries[0]
        row = cause.subject[0]
        closing = walk.rows[-1]
        related = []
        if closing != row and context.has_row(closing):
            related.append(
                RelatedDraft(context.row_place(closing), f"the loop closes here: back to `{witness.walk[-1]}`")
            )
        related += [
            RelatedDraft(context.row_place(other), f"broker `{context.name(at)}` does not bring it nearer either")
            for at, other in entry.rivals
            if context.has_row(other) and other not in {row, closing}
        ]
        at, to = context.name(entry.location), context.name(entry.hop)
        what = (
            f"sends what is for {destinations(context, cause)} to itself"
            if at == to
            else f"sends what is for {destinations(context, cause)} to `{to}`, which is not nearer"
        )
        yield Draft(
            "MOM302",
            context.row_place(row),
            f"forwarding loop{in_colour(witness)}: {needed_by(affected, witness)}: broker `{at}` {what}, and it "
            f"comes back: {arrow(witness.walk)}",
            help=f"let broker `{at}` use a neighbour that is nearer to {destinations(context, cause)}",
            witness=witness,
            affected=affected,
            related=[*related, *context.colour_defined(witness)],
        )
