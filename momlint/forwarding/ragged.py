"""Two idioms for runs of unequal length in flat numpy arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def segment_starts(values: NDArray[np.integer]) -> NDArray[np.intp]:
    """Where each run of equal values begins, for ``reduceat``; empty for an empty array."""
    if not values.size:
        return np.zeros(0, np.intp)
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))


def ramp(times: NDArray[np.integer]) -> NDArray[np.intp]:
    """0, 1, … times[0] - 1, 0, 1, … times[1] - 1, and so on.

    ``np.repeat(start, times) + ramp(times)`` are the places of runs that begin at `start`.
    """
    first: NDArray[np.intp] = np.cumsum(times) - times
    return np.arange(int(times.sum())) - np.repeat(first, times)
