"""The two-dimensional look-up array that finds a row by colour and destination without a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay import NO_HOP
from momlint.routed.overlay.super_tables import RecoveryTable


@dataclass(frozen=True, slots=True)
class LookUp:
    """One broker's look-up array, destinations as rows and colours as columns (thesis formulas 6-2, 6-3, 6-10).

    `address`: uint[N, C], the address in the broker's super routing table, from 1 on as the thesis prints it; 0
    where no row holds, and for the broker itself. `next_hop`: int[N, C], what stands there; `NO_HOP` without a
    row, the broker itself in its own row. Both are whole, row after row, and of the smallest dtype that holds them: up
    to 128 brokers a place is a byte, so that more of the array stays in the processor's cache.
    """

    broker: int
    address: NDArray[np.unsignedinteger[Any]]
    next_hop: NDArray[np.signedinteger[Any]]


def look_up(table: RecoveryTable, broker: int, n: int) -> LookUp:
    """The look-up array of `broker` among `n` brokers. Of several rows for one place the first counts."""
    rows = np.flatnonzero(table.broker == broker)
    address = np.zeros((n, table.colours), np.min_scalar_type(rows.size))
    # The smallest that holds -1 (no hop) and the last broker.
    next_hop = np.full((n, table.colours), NO_HOP, np.min_scalar_type(-max(n, 2)))
    for number in range(rows.size, 0, -1):  # backwards, so that the first is the one that stays
        row = int(rows[number - 1])
        to, colours = table.to[row], table.colours_of(row)
        address[to, colours] = number
        next_hop[to, colours] = table.via[row]
    address[broker] = 0
    next_hop[broker] = broker
    return LookUp(broker, address, next_hop)
