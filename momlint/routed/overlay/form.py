"""The one intermediate form that every engine, template and check reads.

An `Overlay` is arrays of dense integers. Next hops are a base, one column a destination, and for each colour only
the entries that differ (`deltas`); it is never expanded to colours × brokers². Each entry remembers which given row
it came from, so that a verdict leads back to a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.keys import Keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: No next hop: the message stops here.
NO_HOP = -1
#: The entry was computed, it stands in no row the user gave.
NO_ROW = -1


@dataclass(frozen=True, slots=True)
class Overlay:
    """Brokers, links, next hops and needed pairs of one estate, as arrays.

    With N brokers, L links, A arcs (an undirected link is two arcs, a one-way link one), C colours, D deltas and
    P needed pairs:

    =================  ========  ==========================================================================
    field              shape     meaning
    =================  ========  ==========================================================================
    ``arc_tail``       int32[A]  arcs, sorted by (tail, head, cost, link)
    ``arc_head``       int32[A]
    ``arc_cost``       f64[A]    positive; unit: whatever ``cost`` means to the user
    ``arc_latency``    f64[A]    milliseconds
    ``arc_link``       int32[A]  dense link id
    ``base``           int32[N,N] ``base[dest, loc]`` is the next hop as given or computed, `NO_HOP` without
                       one; it may be wrong in any way (a broker that is no neighbour, ``loc`` itself)
    ``base_row``       int32[N,N] the row it came from, or `NO_ROW`
    ``delta_key``      int64[D]  sorted, unique: ``(colour * N + dest) * N + loc``
    ``delta_next``     int32[D]  the next hop in that colour (may be `NO_HOP`)
    ``delta_row``      int32[D]  the row it came from, or `NO_ROW`
    ``failed_link``    bool[C,L] what has failed in each colour
    ``failed_broker``  bool[C,N]
    ``pair_source``    int32[P]  needed pairs without repeats, sorted by (source, destination)
    ``pair_dest``      int32[P]
    ``transit``        bool[N]   the broker passes messages on for others; None where all do
    =================  ========  ==========================================================================

    Colour 0 is the first colour; an estate that declares no colours has one, in which nothing has failed.

    A broker without transit takes in and hands out its own messages only. An entry that would make it pass one on is
    `NO_HOP` with the row it came from: nobody can follow it.

    How a message moves, for engines and replay alike: at ``loc`` ≠ ``dest`` in colour ``c`` the entry is the delta
    if there is one, else the base. Where the entry is `NO_HOP`, or there is no live arc from ``loc`` to it in ``c``
    (an arc is live when neither its link nor either of its ends has failed), the message stops. An entry equal to
    ``loc`` keeps the message at ``loc`` for ever: a loop of one. At ``dest`` it has arrived.
    """

    n: int
    arc_tail: NDArray[np.int32]
    arc_head: NDArray[np.int32]
    arc_cost: NDArray[np.float64]
    arc_latency: NDArray[np.float64]
    arc_link: NDArray[np.int32]
    links: int
    base: NDArray[np.int32]
    base_row: NDArray[np.int32]
    delta_key: NDArray[np.int64]
    delta_next: NDArray[np.int32]
    delta_row: NDArray[np.int32]
    failed_link: NDArray[np.bool_]
    failed_broker: NDArray[np.bool_]
    pair_source: NDArray[np.int32]
    pair_dest: NDArray[np.int32]
    transit: NDArray[np.bool_] | None = None

    @property
    def colours(self) -> int:
        """C, at least 1."""
        return int(self.failed_link.shape[0])

    @property
    def changes(self) -> bool:
        """Whether messages move otherwise in any colour than by the base with nothing failed."""
        return bool(self.delta_key.size or self.failed_link.any() or self.failed_broker.any())

    @property
    def keys(self) -> Keys:
        """How colours, destinations and brokers are packed into one number, as in ``delta_key``."""
        return Keys(self.n)
