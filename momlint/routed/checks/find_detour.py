"""MOM305: a table's path is longer than the shortest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.blame import Columns
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import row as row_subject
from momlint.routed.overlay.detours import longer_entries, walks_through
from momlint.routed.overlay.form import NO_ROW
from momlint.routed.overlay.ragged import distinct
from momlint.routed.overlay.tables import next_hops
from momlint.words import arrow, listed


def find(context: Context) -> Iterator[Draft]:
    """One draft for each given row that is on no shortest path, while nothing has failed.

    The witness is the first needed pair whose walk uses the row, else the row's own broker and destination. Detours
    after a failure are MOM406.
    """
    if not context.without_failure.any() or not context.has_rows or not context.is_whole("brokers", "links"):
        return
    o = context.overlay
    colour = int(np.argmax(context.without_failure))
    _, row_of = next_hops(o, colour)
    longer = longer_entries(o, colour) & (row_of != NO_ROW)
    if not longer.any():
        return
    pair, place = walks_through(o, colour, longer, o.pair_source, o.pair_dest)
    used_row = row_of[o.pair_dest[pair], place]
    dest_of, loc_of = np.nonzero(longer)
    entry_row = row_of[dest_of, loc_of]
    columns = Columns(o)
    columns.enter(colour)
    for row in distinct(entry_row).tolist():
        pairs = distinct(pair[used_row == row])
        of_row = entry_row == row
        dests = distinct(dest_of[of_row]).tolist()
        location = int(loc_of[of_row][0])
        if len(pairs):
            keys = o.keys.pack(colour, o.pair_dest[pairs], o.pair_source[pairs])
        else:
            keys = o.keys.pack(colour, dest_of[of_row], loc_of[of_row])
        witness, walk = context.walk_of(keys)
        affected = context.affected(keys)
        source, dest = walk.brokers[0], walk.brokers[-1]
        better = _shortest_walk(columns, source, dest)
        via = int(columns.paths.next[dest, location])
        to = context.name(context.row_hop(row)[1])
        names = context.names(dests)
        yield Draft(
            "MOM305",
            context.row_place(row),
            f"broker `{context.name(location)}` sends {listed(names)} to `{to}`, a longer path than via "
            f"`{context.name(via)}`",
            label=f"the shortest path is {arrow(context.names(better))}",
            help=f"use `{context.name(via)}` as next hop, or set link costs that make this path the shortest",
            data={
                "broker": context.name(location),
                "via": to,
                "destinations": names,
                "better": context.name(via),
                "shortest": context.names(better),
            },
            witness=witness,
            steps=context.steps(walk),
            affected=affected,
            about=[frozenset({row_subject(row)})],
        )


def _shortest_walk(columns: Columns, source: int, dest: int) -> list[int]:
    walk = [source]
    while walk[-1] != dest:
        walk.append(int(columns.paths.next[dest, walk[-1]]))
    return walk
