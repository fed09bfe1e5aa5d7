"""The next hops of one colour, and how far each message gets by them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay.arcs import live_arcs
from momlint.routed.overlay.form import NO_HOP, Overlay

T = TypeVar("T", bound=np.generic)

#: `hop_count` of a message that does not arrive.
NEVER = -1


def next_hops(overlay: Overlay, colour: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The entries of `colour` and the rows they stand in, as given: int32[dest, loc] each, usable or not."""
    cells = overlay.n * overlay.n
    hop, row = overlay.base.copy(), overlay.base_row.copy()
    begin, end = np.searchsorted(overlay.delta_key, [colour * cells, (colour + 1) * cells])
    at = overlay.delta_key[begin:end] - colour * cells
    hop.reshape(-1)[at] = overlay.delta_next[begin:end]
    row.reshape(-1)[at] = overlay.delta_row[begin:end]
    return hop, row


def usable_hops(overlay: Overlay, colour: int) -> NDArray[np.int32]:
    """int32[dest, loc]: where a message really goes in `colour`; `NO_HOP` where it does not move.

    That is, entries without a live arc (a broker that is no neighbour, a failed element, ``loc`` itself) and
    those at the destination are left out.
    """
    hop, _ = next_hops(overlay, colour)
    live = live_arcs(overlay, colour)
    return only_along(hop, np.arange(overlay.n), overlay.arc_tail[live], overlay.arc_head[live])


def only_along(
    hop: NDArray[np.int32],
    dests: NDArray[np.integer],
    tail: NDArray[np.int32],
    head: NDArray[np.int32],
) -> NDArray[np.int32]:
    """`hop` (int32[len(dests), loc]), with `NO_HOP` at ``loc = dest`` and where no arc leads to it."""
    n = hop.shape[1]
    beside = np.zeros((n, n + 1), bool)  # the last column is for NO_HOP
    beside[tail, head] = True
    np.fill_diagonal(beside, False)
    moved = np.where(beside[np.arange(n)[None, :], hop], hop, np.int32(NO_HOP))
    moved[np.arange(dests.size), dests] = NO_HOP
    return moved


def hop_count(overlay: Overlay, colour: int) -> NDArray[np.int32]:
    """int32[dest, loc]: the hops a message takes, 0 at the destination, `NEVER` if it does not arrive."""
    return count_hops(usable_hops(overlay, colour), np.arange(overlay.n))


def count_hops(usable: NDArray[np.int32], dests: NDArray[np.integer]) -> NDArray[np.int32]:
    """`hop_count` of `usable` (int32[len(dests), loc], from `only_along`)."""
    return sum_along(usable, dests, (usable != NO_HOP).astype(np.int32), NEVER)


def sum_along(usable: NDArray[np.int32], dests: NDArray[np.integer], step: NDArray[T], never: int) -> NDArray[T]:
    """What a message collects by the hops `usable` (as for `count_hops`), by pointer doubling.

    `step`: what each hop gives, 0 where there is none; sums of twice as many as there are brokers have to fit. `never`:
    for messages that do not arrive.
    """
    rows, n = usable.shape
    start = (np.arange(rows, dtype=np.int64) * n)[:, None]
    own = start + np.arange(n)
    kind = np.int32 if rows * n < 2**31 else np.int64
    pointer = np.where(usable != NO_HOP, start + usable, own).astype(kind).ravel()
    total = step.ravel()
    span = 1
    while span < n:  # a walk that arrives does so in less than n hops
        onward = pointer[pointer]
        if np.array_equal(onward, pointer):
            break
        total = total + total[pointer]
        pointer = onward
        span *= 2
    home = (start + dests.astype(np.int64)[:, None]).astype(kind)
    return np.where(pointer.reshape(rows, n) == home, total.reshape(rows, n), step.dtype.type(never))
