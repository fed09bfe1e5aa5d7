"""Where a message really goes: the transition function of the explicit models (ctl, smv).

An entry of the tables that cannot be used moves nobody; here every broker has exactly one successor in every colour,
and a message that has arrived or stopped stays where it is. The condensed form is kept: a base, and what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.keys import Keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

from momlint.routed.overlay.form import Overlay


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The successor of every broker, for each destination and colour.

    ``base[dest, loc]``: int32[N,N], the successor when nothing has failed and no delta applies; ``loc`` itself at the
    destination and wherever the message stops. ``key``: int64[E], sorted, unique ``(colour * N + dest) * N + loc``
    where a colour's successor is another, which is ``next``: int32[E].
    """

    n: int
    colours: int
    base: NDArray[np.int32]
    key: NDArray[np.int64]
    next: NDArray[np.int32]

    def column(self, colour: int, dest: int) -> NDArray[np.int32]:
        """int32[N]: the successors of all brokers for one destination in one colour."""
        found: NDArray[np.int32] = self.base[dest].copy()
        first = Keys(self.n).pack(colour, dest, 0)
        start, end = np.searchsorted(self.key, (first, first + self.n))
        found[self.key[start:end] - first] = self.next[start:end]
        return found


def moves(overlay: Overlay) -> Moves:
    """The successors that the overlay's docstring describes, with stopping as staying."""
    n, colours, keys = overlay.n, overlay.colours, overlay.keys
    pair, first_arc = np.unique(keys.pair(overlay.arc_tail, overlay.arc_head), return_index=True)
    number = np.full(keys.cells, -1, np.int32)
    number[pair] = np.arange(pair.size)

    stay = np.arange(n, dtype=np.int32)
    loc = np.broadcast_to(stay, (n, n))
    base = np.where(overlay.base >= 0, overlay.base, loc)
    base[stay, stay] = stay
    base = np.where(number[keys.pair(loc, base)] >= 0, base, loc).astype(np.int32)

    dead = _dead_pairs(overlay, pair, first_arc)
    stopped, hops = [], []
    # What stands in the base and has failed in a colour: the message stays, unless that colour has its own entry.
    by_pair = np.argsort(number[keys.pair(loc, base)], axis=None, kind="stable")
    sorted_pairs = number[keys.pair(loc, base)].ravel()[by_pair]
    for colour, which in zip(*np.nonzero(dead), strict=True):
        start, end = np.searchsorted(sorted_pairs, (which, which + 1))
        cells = by_pair[start:end].astype(np.int64)
        stopped.append(keys.in_colour(int(colour), cells))
        hops.append(keys.loc_of(cells).astype(np.int32))
    failed = np.concatenate(stopped) if stopped else np.zeros(0, np.int64)
    stays = np.concatenate(hops) if hops else np.zeros(0, np.int32)

    colour, dest, at = keys.split(overlay.delta_key)
    hop = np.where(overlay.delta_next >= 0, overlay.delta_next, at)
    which = number[keys.pair(at, hop)]
    usable = (which >= 0) & ~dead[colour, np.maximum(which, 0)] if pair.size else np.zeros(hop.size, bool)
    hop = np.where(usable & (at != dest), hop, at).astype(np.int32)

    # The colour's own entries win, so they come first and `unique` keeps the first.
    key = np.concatenate((overlay.delta_key, failed))
    key, first = np.unique(key, return_index=True)
    hop = np.concatenate((hop, stays))[first]
    differs = hop != base.ravel()[keys.cell_of(key)] if key.size else np.zeros(0, bool)
    return Moves(n, colours, base, key[differs], hop[differs])


def _dead_pairs(overlay: Overlay, pair: NDArray[np.int64], first_arc: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[C, P]: no arc of the pair of neighbours is live in that colour (parallel links share a pair)."""
    if not pair.size:
        return np.zeros((overlay.colours, 0), bool)
    dead = overlay.failed_link[:, overlay.arc_link]
    dead = np.logical_and.reduceat(dead, first_arc, axis=1)
    tail, head = overlay.keys.split_pair(pair)
    result: NDArray[np.bool_] = dead | overlay.failed_broker[:, tail] | overlay.failed_broker[:, head]
    return result
