"""How much condensing saves, by the formulas of the thesis and by counting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.super_tables import RecoveryTable


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of one estate's recovery tables; arrays have one element a broker.

    `rows`: int64[N], rows of the super routing table. `bound`: int64[N], formula 6-1. `listed`: int64[N], colours
    written in those rows when every row lists all of its colours. `plain_tables`: routing tables a broker would
    keep without condensing, one a colour (6-4: links + 1 for single links). `plain_entries`: entries in them,
    ``plain_tables * (N - 1)`` (6-5, 6-8, 6-9).
    """

    rows: NDArray[np.int64]
    bound: NDArray[np.int64]
    listed: NDArray[np.int64]
    plain_tables: int
    plain_entries: int


def neighbour_counts(n: int, arc_tail: NDArray[np.int32], arc_head: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[N]: how many brokers each broker has an arc to; parallel links count once."""
    apart = arc_tail != arc_head
    pairs = np.unique(Keys(n).pair(arc_tail[apart], arc_head[apart]))
    return np.bincount(Keys(n).split_pair(pairs)[0], minlength=n)


def row_bound(n: int, neighbours: NDArray[np.integer]) -> NDArray[np.int64]:
    """The most rows a super routing table can have: (N − 1) × neighbours (thesis 6-1, paper 1).

    A row is a destination and a next hop, and a next hop is a neighbour. `neighbours`: how many each broker has.
    """
    return np.asarray(neighbours, np.int64) * (n - 1)


def sizes(table: RecoveryTable, n: int, neighbours: NDArray[np.integer]) -> Sizes:
    """Count the rows of `table` beside what the formulas say."""
    return Sizes(
        rows=np.bincount(table.broker, minlength=n),
        bound=row_bound(n, neighbours),
        listed=np.bincount(table.broker, weights=table.set_sizes, minlength=n).astype(np.int64),
        plain_tables=table.colours,
        plain_entries=table.colours * (n - 1),
    )
