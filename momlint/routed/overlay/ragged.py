"""Idioms for runs of unequal length in flat numpy arrays, and for sorted keys."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", np.int32, np.int64, np.intp)


def segment_starts(values: NDArray[np.integer]) -> NDArray[np.intp]:
    """Where each run of equal values begins, for ``reduceat``; empty for an empty array."""
    if not values.size:
        return np.zeros(0, np.intp)
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))


def distinct(values: NDArray[T]) -> NDArray[T]:
    """The values, sorted and without repeats.

    Like ``np.unique``, which for this loads ``numpy.ma`` (a tenth of the time of checking a small file), and hashes
    before it sorts, which is slower for millions of keys.
    """
    ordered = np.sort(values, axis=None)
    return ordered[segment_starts(ordered)]


def ramp(times: NDArray[np.integer]) -> NDArray[np.intp]:
    """0, 1, … times[0] - 1, 0, 1, … times[1] - 1, and so on.

    ``np.repeat(start, times) + ramp(times)`` are the places of runs that begin at `start`.
    """
    first: NDArray[np.intp] = np.cumsum(times) - times
    return np.arange(int(times.sum())) - np.repeat(first, times)


def without(values: NDArray[np.int64], gone: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values that are not in `gone`, sorted and without repeats; like ``np.setdiff1d``, and see `distinct`."""
    values = distinct(values)
    return values[~among(values, distinct(gone))]


class Finder:
    """Finds many numbers in one sorted array. Most of those that are not in it are told by a small table at once."""

    def __init__(self, ordered: NDArray[np.int64]) -> None:
        bits = min(max(int(ordered.size).bit_length() + 3, 8), 24)
        self._ordered = ordered
        self._mask = np.int64((1 << bits) - 1)
        self._some = np.zeros(1 << bits, np.bool_)
        self._some[ordered & self._mask] = True

    def find(self, values: NDArray[np.int64]) -> NDArray[np.intp]:
        """Where each value stands, -1 where it does not."""
        place = np.full(values.size, -1, np.intp)
        maybe = np.flatnonzero(self._some[values & self._mask])
        if maybe.size:
            chosen = values[maybe]
            at = np.minimum(np.searchsorted(self._ordered, chosen), self._ordered.size - 1)
            here = self._ordered[at] == chosen
            place[maybe[here]] = at[here]
        return place

    def has(self, values: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each value is in the array."""
        return self.find(values) >= 0


def among(values: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each value is in the sorted array."""
    if not ordered.size:
        return np.zeros(values.size, np.bool_)
    place = np.minimum(np.searchsorted(ordered, values), ordered.size - 1)
    return np.asarray(ordered[place] == values, np.bool_)
