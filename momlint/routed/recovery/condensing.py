"""From next hops in every colour to super routing tables, without ever writing out a table for a colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay import NO_HOP
from momlint.routed.overlay.colour_sets import compact, first_absent, gather, starts_of
from momlint.routed.overlay.super_tables import RecoveryTable


def condense(
    n: int,
    colours: int,
    base: NDArray[np.int32],
    delta_key: NDArray[np.int64],
    delta_next: NDArray[np.int32],
) -> RecoveryTable:
    """The super routing tables of all brokers from base + deltas (arrays as in `momlint.routed.overlay.Overlay`).

    The condenser of thesis 6.1.2 goes through the tables of all colours and joins equal entries. Here the base
    gives one row an entry, which holds in every colour but those that have a delta there, and the deltas, grouped
    by next hop, give the others: time and memory grow with n² and the number of deltas. An entry without a next
    hop is in no row.

    Rows are in the order in which the thesis's condenser appends them: by broker, then by the first colour in
    which the row holds, then by destination. So stand the rows of Tables 6-4 (paper Table IV) and 6-9, and of
    FORMAT.md; the rows of Table 6-7 are printed by destination.
    """
    key, hop = delta_key, delta_next
    dest, loc = key // n % n, key % n
    differs = hop != base[dest, loc]
    if not differs.all():  # a delta that repeats the base says nothing new
        key, hop, dest, loc = key[differs], hop[differs], dest[differs], loc[differs]
    colour = (key // (n * n)).astype(np.int32)
    cell = loc * n + dest

    # Keys ascend by colour, so a stable sort leaves every run of colours ascending.
    by_cell = np.argsort(cell, kind="stable")
    in_cell = np.bincount(cell, minlength=n * n)
    given = np.flatnonzero(base.T.ravel() != NO_HOP)
    base_start, base_list = gather(starts_of(in_cell), colour[by_cell], given)

    leads = np.flatnonzero(hop != NO_HOP)
    group = cell[leads] * n + hop[leads]
    by_group = np.argsort(group, kind="stable")
    group = group[by_group]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    delta_start = np.append(first, group.size)
    delta_list = colour[leads][by_group]
    delta_cell, delta_hop = np.divmod(group[first], n)

    row_cell = np.concatenate((given, delta_cell))
    via = np.concatenate((base.T.ravel()[given], delta_hop.astype(np.int32)))
    inverted = np.zeros(row_cell.size, bool)
    inverted[: given.size] = True
    start = np.concatenate((base_start, base_start[-1] + delta_start[1:]))
    start, listed, inverted = compact(start, np.concatenate((base_list, delta_list)), inverted, colours)

    broker, to = np.divmod(row_cell, n)
    order = np.lexsort((to, first_colours(start, listed, inverted, colours), broker))
    lengths = np.diff(start)
    alive = np.where(inverted, True, lengths > 0)  # every colour overrides the base: its row holds nowhere
    order = order[alive[order]]
    start, listed = gather(start, listed, order)
    return RecoveryTable(
        colours,
        broker[order].astype(np.int32),
        to[order].astype(np.int32),
        via[order],
        inverted[order],
        start,
        listed,
        np.arange(order.size, dtype=np.int32),
    )


def first_colours(
    start: NDArray[np.int64], listed: NDArray[np.int32], inverted: NDArray[np.bool_], colours: int
) -> NDArray[np.int64]:
    """The first colour in which each row holds; `colours` for a row that holds in none."""
    result = first_absent(start, listed)  # right for inverted rows
    plain = np.flatnonzero(~inverted)
    filled = plain[start[plain] < start[plain + 1]]
    result[plain] = colours
    result[filled] = listed[start[filled]]
    return result
