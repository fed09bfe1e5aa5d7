"""The condensed super routing tables of all brokers, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RecoveryTable:
    """Rows (destination, next hop, set of colours) of every broker's super routing table (thesis Table 6-4).

    With R rows, C colours and K listed ids:

    ============  =========  ============================================================================
    field         shape      meaning
    ============  =========  ============================================================================
    ``broker``    int32[R]   whose table the row stands in
    ``to``        int32[R]   the destination
    ``via``       int32[R]   the next hop
    ``inverted``  bool[R]    the row's run lists the colours in which it does *not* hold
    ``start``     int64[R+1] run r is ``listed[start[r]:start[r + 1]]``
    ``listed``    int32[K]   dense colour ids, strictly ascending in each run
    ``position``  int32[R]   where the row was read: a line of CSV, a row of Parquet (both from 1), an index of
                             ``Estate.recovery_rows``; 0, 1, 2 … where the table was computed
    ============  =========  ============================================================================

    A row is inverted exactly when it holds in more than half of the colours: most rows hold in all colours but
    a few, and so the arrays stay as short as the differences between colours.
    """

    colours: int
    broker: NDArray[np.int32]
    to: NDArray[np.int32]
    via: NDArray[np.int32]
    inverted: NDArray[np.bool_]
    start: NDArray[np.int64]
    listed: NDArray[np.int32]
    position: NDArray[np.int32]

    @property
    def rows(self) -> int:
        """R."""
        return int(self.broker.size)

    @property
    def set_sizes(self) -> NDArray[np.int64]:
        """int64[R]: in how many colours each row holds."""
        lengths = np.diff(self.start)
        return np.where(self.inverted, self.colours - lengths, lengths)

    def colours_of(self, row: int) -> NDArray[np.int32]:
        """The colours in which the row holds, ascending: int32[set_sizes[row]]."""
        run = self.listed[self.start[row] : self.start[row + 1]]
        if not self.inverted[row]:
            return run
        inside = np.ones(self.colours, bool)
        inside[run] = False
        return np.flatnonzero(inside).astype(np.int32)
