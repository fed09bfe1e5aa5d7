"""From next hops in every colour to super routing tables, without ever writing out a table for a colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay import NO_HOP
from momlint.routed.overlay.colour_sets import compact, first_absent, gather, starts_of
from momlint.routed.overlay.keys import Keys, Packing
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
    keys, group_of = Keys(n), Packing(n)  # a group: what a broker sends to a destination by one next hop
    key, hop = delta_key, delta_next
    _, dest, loc = keys.split(key)
    differs = hop != base[dest, loc]
    if not differs.all():  # a delta that repeats the base says nothing new
        key, hop, dest, loc = key[differs], hop[differs], dest[differs], loc[differs]
    colour = keys.colour_of(key).astype(np.int32)
    pair = keys.pair(loc, dest)

    # Keys ascend by colour, so a stable sort leaves every run of colours ascending.
    by_pair = np.argsort(pair, kind="stable")
    in_pair = np.bincount(pair, minlength=keys.cells)
    given = np.flatnonzero(base.T.ravel() != NO_HOP)
    base_start, base_list = gather(starts_of(in_pair), colour[by_pair], given)

    leads = np.flatnonzero(hop != NO_HOP)
    group = group_of.pack(pair[leads], hop[leads])
    by_group = np.argsort(group, kind="stable")
    group = group[by_group]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    delta_start = np.append(first, group.size)
    delta_list = colour[leads][by_group]
    delta_pair, delta_hop = group_of.split(group[first])

    row_pair = np.concatenate((given, delta_pair))
    via = np.concatenate((base.T.ravel()[given], delta_hop.astype(np.int32)))
    inverted = np.zeros(row_pair.size, bool)
    inverted[: given.size] = True
    start = np.concatenate((base_start, base_start[-1] + delta_start[1:]))
    start, listed, inverted = compact(start, np.concatenate((base_list, delta_list)), inverted, colours)

    broker, to = keys.split_pair(row_pair)
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
