"""MOM407: a loop is possible while brokers change from one colour to the next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.errors import ReplayError
from momlint.findings import Draft, RelatedDraft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay.sweeps import loops_of
from momlint.routed.overlay.transients import MixedLoops, closes
from momlint.words import arrow, counted

#: How many colours are listed as related places; the message counts all.
RELATED_COLOURS = 20


def find(context: Context) -> Iterator[Draft]:
    """One draft an estate, at its ``colours``; with the first colour, in it the first destination, and a cycle."""
    place = context.estate.section_places.get("failures.colours")
    if place is None or not has_normal(context):
        return
    overlay = context.declared_overlay
    loops = loops_of(overlay, context.swept("loops", overlay, "whether MOM407 applies"))
    if not loops.size:
        return
    colours, first = np.unique(loops.colour, return_index=True)
    counts = np.diff(np.append(first, loops.size)).tolist()
    cycles = [replayed(context, loops, index) for index in first[:RELATED_COLOURS].tolist()]
    witness = Witness(
        colour=context.colour_name(int(colours[0])), destination=context.name(int(loops.dest[0])), walk=cycles[0]
    )
    related = []
    for colour, index, cycle, count in zip(colours.tolist(), first.tolist(), cycles, counts, strict=False):
        dest = context.name(int(loops.dest[index]))
        more = f", and {counted(count - 1, 'other destination')}" if count > 1 else ""
        related.append(
            RelatedDraft(
                context.estate.colours[colour].place,
                f"colour `{context.colour_name(colour)}`: {arrow(cycle)}, for `{dest}`{more}",
            )
        )
    changing = f"{len(colours):,} of {counted(len(context.estate.colours), 'colour')}"
    yield Draft(
        "MOM407",
        place,
        f"while brokers change to colour `{witness.colour}`, a message for `{witness.destination}` can loop",
        label=f"loops are possible in {changing}, for {counted(loops.size, 'destination')} in all",
        help="`momlint check --explain-transients` shows an order of updates that avoids loops, where there is one",
        data={
            "colour": str(witness.colour),
            "destination": str(witness.destination),
            "colours": len(colours),
            "destinations": loops.size,
        },
        witness=witness,
        related=related,
    )


def has_normal(context: Context) -> bool:
    """Whether the estate says what its normal entries are, completely: else there is no change to look at."""
    sections = ("brokers", "links", "routing.tables", "failures.colours", "failures.recovery")
    return context.is_whole(*sections) and (not context.rows_are_recovery or bool(context.without_failure.any()))


def replayed(context: Context, loops: MixedLoops, index: int) -> tuple[str, ...]:
    """The names on the index-th cycle. Raises `ReplayError` where a hop of it is neither entry's."""
    cycle = loops.cycle(index)
    if not closes(context.declared_overlay, loops, index, cycle):
        raise ReplayError(f"a cycle of mixed colours does not replay: {arrow(context.names(cycle))}")
    return context.names(cycle)
