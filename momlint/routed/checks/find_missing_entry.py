"""MOM405: no row for a destination that is reachable in that colour."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, Place
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.recovery_facts import Gap
from momlint.routed.diagnosis.wording import affected_words, counted, listed
from momlint.routed.overlay.form import NO_HOP, NO_ROW


def find(context: Context) -> Iterator[Draft]:
    """One draft a place: the row that lacks a colour, the table that lacks a row, or the colour no row names."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links", "failures.recovery"):
        return
    repeated = context.repeated_colours if context.selects("MOM401") else {}
    for gap in facts.gaps:
        if gap.broker < 0 and gap.colour in repeated:
            continue  # rows stand under the name that was given first
        keys = facts.affected_by_gap(gap)
        affected = context.affected(keys)
        witness = context.witness(keys)[0] if len(keys) else None
        colour = str(context.colour_name(gap.colour))
        place, message, fix = _words(context, gap, colour)
        yield Draft(
            "MOM405",
            place,
            message + affected_words(affected),
            help=fix,
            witness=witness,
            affected=affected,
            related=context.colour_defined(witness) if witness is not None and gap.broker >= 0 else (),
        )


def _words(context: Context, gap: Gap, colour: str) -> tuple[Place, str, str]:
    facts = context.recovery
    assert facts is not None
    if gap.broker < 0:
        return (
            context.estate.colours[gap.colour].place,
            f"no row of any broker holds in colour `{colour}`, although destinations can be reached in it",
            "let `momlint plan` make the rows of this colour",
        )
    broker = context.name(gap.broker)
    dests = listed(context.names(to for _, to, _, _ in gap.cells))
    entries = sum(count for _, _, _, count in gap.cells)
    more = f" ({counted(entries, 'entry', 'entries')} in all)" if entries > 1 else ""
    _, to, first, _ = gap.cells[0]
    nearest = facts.towards.column(first, to).nearest[gap.broker]
    way = f"; the shortest way is by `{context.name(nearest)}`" if nearest != NO_HOP else ""
    at = context.tables_place(gap.broker) if gap.row == NO_ROW else context.row_place(gap.row)
    return (
        at,
        f"broker `{broker}` has no row for {dests} in colour `{context.colour_name(first)}`, in which "
        f"{'it' if len(gap.cells) == 1 else 'each of them'} can be reached{more}",
        f"add colour `{context.colour_name(first)}` to a row for `{context.name(to)}`{way}",
    )
