"""MOM406: after a failure a message arrives, by a longer way than the shortest that is left."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import row
from momlint.routed.diagnosis.wording import colour_names, in_colours
from momlint.routed.overlay.ragged import distinct
from momlint.words import arrow


def find(context: Context) -> Iterator[Draft]:
    """One draft a row. The witness is the first needed pair whose walk uses it, else the row's own pair."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links"):
        return
    for misuse in facts.longer:
        affected, keys = facts.affected_through(misuse)
        witness, walk = context.walk_of(keys if len(keys) else misuse.keys)
        colours = distinct(context.overlay.keys.colour_of(misuse.keys)).tolist()
        names = colour_names(context, colours)
        at, via = int(facts.table.broker[misuse.row]), int(facts.table.via[misuse.row])
        dest = int(facts.table.to[misuse.row])
        colour = next(c for c in colours if context.colour_name(c) == witness.colour)
        column = facts.towards.column(colour, dest)
        shortest = [walk.brokers[0]]
        while shortest[-1] != dest:
            shortest.append(column.nearest[shortest[-1]])
        better = context.name(column.nearest[at])
        yield Draft(
            "MOM406",
            context.row_place(misuse.row),
            f"broker `{context.name(at)}` sends `{context.name(dest)}` to `{context.name(via)}` in "
            f"{in_colours(names)}, a longer path than via `{better}`",
            label=f"the shortest path left is {arrow(context.names(shortest))}",
            help=f"use `{better}` as next hop in {in_colours(names)}",
            data={
                "broker": context.name(at),
                "via": context.name(via),
                "destinations": (context.name(dest),),
                "colours": names,
                "better": better,
                "shortest": context.names(shortest),
            },
            witness=witness,
            steps=context.steps(walk),
            affected=affected,
            about=[frozenset({row(misuse.row)})],
            related=context.colour_defined(witness),
        )
