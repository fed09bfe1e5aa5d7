"""Sets of colours in bulk: one flat array of sorted ids, and where each row's run of them starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay.ragged import ramp

#: Elements of the largest temporary array.
BLOCK = 1 << 22


def starts_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """int64[R + 1]: where each run starts, and where the last ends."""
    start = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=start[1:])
    return start


def gather(
    start: NDArray[np.int64], listed: NDArray[np.int32], rows: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The runs of `rows`, in that order, as a new pair of start and flat array."""
    lengths = np.diff(start)[rows]
    return starts_of(lengths), listed[np.repeat(start[rows], lengths) + ramp(lengths)]


def complement(start: NDArray[np.int64], listed: NDArray[np.int32], colours: int) -> NDArray[np.int32]:
    """The flat array of the runs' complements in ``range(colours)``; run r has ``colours - len`` elements."""
    rows = start.size - 1
    lengths = np.diff(start)
    step = max(1, BLOCK // max(colours, 1))
    parts = []
    for first in range(0, rows, step):
        block = slice(first, min(first + step, rows))
        outside = np.ones((block.stop - first, colours), bool)
        inside = listed[start[block.start] : start[block.stop]]
        outside[np.repeat(np.arange(block.stop - first), lengths[block]), inside] = False
        parts.append(np.nonzero(outside)[1].astype(np.int32))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def compact(
    start: NDArray[np.int64], listed: NDArray[np.int32], inverted: NDArray[np.bool_], colours: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """The same sets, each in the form `RecoveryTable` asks for: inverted if it has more than half of all colours."""
    lengths = np.diff(start)
    size = np.where(inverted, colours - lengths, lengths)
    wanted = 2 * size > colours
    turned = wanted != inverted
    if not turned.any():
        return start, listed, inverted
    chosen = np.flatnonzero(turned)
    new_lengths = np.where(turned, colours - lengths, lengths)
    new_start = starts_of(new_lengths)
    result = np.empty(int(new_start[-1]), np.int32)
    kept = np.flatnonzero(~turned)
    for rows, values in (
        (kept, gather(start, listed, kept)[1]),
        (chosen, complement(*gather(start, listed, chosen), colours)),
    ):
        into = new_lengths[rows]
        result[np.repeat(new_start[rows], into) + ramp(into)] = values
    return new_start, result, wanted


def first_absent(start: NDArray[np.int64], listed: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each run the smallest number from 0 on that is not in it.

    A run ascends strictly, so its i-th element is i exactly as long as nothing has been left out.
    """
    lengths = np.diff(start)
    row = np.repeat(np.arange(lengths.size), lengths)
    return np.bincount(row[listed == ramp(lengths)], minlength=lengths.size)
