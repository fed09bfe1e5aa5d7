"""MOM405: no row for a destination that is reachable in that colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.recovery_facts import Gap
from momlint.routed.overlay.form import NO_HOP, NO_ROW
from momlint.words import counted, listed


def find(context: Context) -> Iterator[Draft]:
    """One draft a place: the row that lacks a colour, the table that lacks a row, or the colour no row names."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links", "failures.recovery"):
        return
    for gap in facts.gaps:
        keys = facts.affected_by_gap(gap)
        affected = context.affected(keys)
        witness = context.witness(keys)[0] if len(keys) else None
        colour = str(context.colour_name(gap.colour))
        draft = _gap(context, gap, colour)
        related = context.colour_defined(witness) if witness is not None and gap.broker >= 0 else ()
        names = facts.subjects_of_gap(gap)
        if gap.broker < 0:
            # Where the colour repeats another, rows stand under the name that was given first.
            names |= {("repeated-colour", gap.colour)}
        yield replace(draft, witness=witness, affected=affected, related=related, about=[names])


def _gap(context: Context, gap: Gap, colour: str) -> Draft:
    """The draft without what walks lose by it."""
    facts = context.recovery
    assert facts is not None
    if gap.broker < 0:
        return Draft(
            "MOM405",
            context.estate.colours[gap.colour].place,
            f"no broker has a row for colour `{colour}`",
            label="destinations are reachable in it, but no row leads to them",
            help="let `momlint plan` make the rows of this colour",
            data={"colour": colour},
        )
    broker = context.name(gap.broker)
    names = context.names(to for _, to, _, _ in gap.cells)
    entries = sum(count for _, _, _, count in gap.cells)
    _, to, first, _ = gap.cells[0]
    nearest = facts.towards.column(first, to).nearest[gap.broker]
    way = f"; the shortest path is via `{context.name(nearest)}`" if nearest != NO_HOP else ""
    at = context.tables_place(gap.broker) if gap.row == NO_ROW else context.row_place(gap.row)
    where = "this table lacks it" if gap.row == NO_ROW else "this row lacks the colour"
    if entries > 1:
        missing = counted(entries, "entry", "entries")
        where = f"this table lacks {missing}" if gap.row == NO_ROW else f"this row lacks {missing}"
    colour = str(context.colour_name(first))
    return Draft(
        "MOM405",
        at,
        f"broker `{broker}` has no row for {listed(names)} in colour `{colour}`",
        label=where,
        help=f"add colour `{colour}` to a row for `{context.name(to)}`{way}",
        data={"broker": broker, "destinations": names, "colour": colour, "entries": entries},
    )
