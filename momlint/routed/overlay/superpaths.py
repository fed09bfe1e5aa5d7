"""Which needed pairs must be proved themselves, and which come with another's proof.

The sources (paper 001, "sub-path detection") drop a pair (a, b) once some proved path passes a and then b.
That is right only if a's own message for b takes the same way, which tables made by hand need not respect;
here a pair is dropped only then. The other direction is never taken for granted.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.ragged import distinct
from momlint.routed.overlay.tables import NEVER, count_hops, usable_hops

#: 64-bit words of the largest temporary array.
_BLOCK = 1 << 21


def super_paths(overlay: Overlay, colour: int = 0) -> NDArray[np.bool_]:
    """bool[P]: which needed pairs are super-paths; another needed pair's walk covers the others.

    A pair (a, b) is covered by (s, d) ≠ (a, b) if the walk from s arrives at d, passes a and then b, and
    between them is the walk that b's own column takes from a. So a proof for the super-paths is one for all
    pairs; a pair whose walk does not arrive is always a super-path.

    For instance, on the line 1 – 2 – 3, with a link 1 – 3 as well that only the entry of 1 for 2 uses::

        pair    walk         covered by
        1 → 3   1, 2, 3      none: a super-path
        2 → 3   2, 3         1 → 3, which passes 2 and then 3
        1 → 2   1, 3, 2      none: 1 → 3 passes 1 and then 2, but not by way of 3; a super-path
        3 → 2   3, 2         1 → 2
    """
    if not overlay.pair_source.size:
        return np.ones(0, bool)
    source, dest = overlay.pair_source, overlay.pair_dest
    walks = _Walks(overlay, colour)
    covered = np.zeros((overlay.n, walks.words), np.uint64)  # row a, bit b
    columns = distinct(dest)
    step = max(1, _BLOCK // (overlay.n * walks.words))
    for first in range(0, columns.size, step):
        block = columns[first : first + step]
        passed, further = walks.passed(block, source, dest)
        agree = walks.agreeing(block)
        # A walk that comes from further away covers all that agrees; one's own walk, all but the pair itself.
        row, at = np.nonzero(further)
        np.bitwise_or.at(covered, at, agree[row, at])
        row, at = np.nonzero(passed & ~further)
        np.bitwise_or.at(covered, at, agree[row, at] & ~walks.single[block[row]])
    own = covered[source, dest >> 6] >> (dest & 63).astype(np.uint64)
    return np.asarray(own & np.uint64(1) == 0)


class _Walks:
    """The walks of one colour, for blocks of destinations; sets of brokers are rows of `words` 64-bit words."""

    def __init__(self, overlay: Overlay, colour: int) -> None:
        n = self.n = overlay.n
        self.usable = usable_hops(overlay, colour)
        self.hops = count_hops(self.usable, np.arange(n))
        # same[hop_of[d, loc]]: bit b says that loc's next hop for b is the one for d. Kept for hops in use only.
        dest, loc = np.nonzero(self.usable != NO_HOP)
        used, which = np.unique(overlay.keys.pair(loc, self.usable[dest, loc]), return_inverse=True)
        self.same = _bits(used.size, n, which, dest)
        self.hop_of = np.full((n, n), -1, np.int32)
        self.hop_of[dest, loc] = which
        #: row b: the set of b alone
        self.single = _bits(n, n, np.arange(n), np.arange(n))
        self.words = self.same.shape[1]

    def passed(
        self, block: NDArray[np.int32], source: NDArray[np.int32], dest: NDArray[np.int32]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """bool[block, N] each: the brokers that walks of needed pairs to ``block[i]`` pass, and pass from elsewhere.

        All of these walks arrive.
        """
        chosen = np.zeros(self.n, bool)
        chosen[block] = True
        asked = chosen[dest]
        row, start = np.searchsorted(block, dest[asked]), source[asked]
        arrives = self.hops[block][row, start] != NEVER
        passed = np.zeros((block.size, self.n), bool)
        passed[row[arrives], start[arrives]] = True
        further = np.zeros_like(passed)
        for row, at in reversed(self._by_hops(block)):
            coming = passed[row, at]
            onward = self.usable[block[row[coming]], at[coming]]
            passed[row[coming], onward] = True
            further[row[coming], onward] = True
        return passed, further

    def agreeing(self, block: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Sets [block, N]: the brokers b on the walk from a to ``block[i]`` to which b's own column leads a alike."""
        agree = np.zeros((block.size, self.n, self.words), np.uint64)
        for row, at in self._by_hops(block):
            onward = self.usable[block[row], at]
            agree[row, at] = (agree[row, onward] | self.single[onward]) & self.same[self.hop_of[block[row], at]]
        return agree

    def _by_hops(self, block: NDArray[np.int32]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """(row of `block`, broker) of all that arrive, those one hop away first."""
        count = self.hops[block].ravel()
        order = np.argsort(count, kind="stable").astype(np.int64)
        levels = np.searchsorted(count[order], np.arange(1, int(count.max()) + 2))
        place = Packing(self.n)
        return [place.split(order[first:last]) for first, last in pairwise(levels.tolist())]


def _bits(rows: int, width: int, row: NDArray[np.integer], bit: NDArray[np.integer]) -> NDArray[np.uint64]:
    """uint64[rows, words] with bit ``bit[i]`` of row ``row[i]`` set, for each i."""
    words = max(1, -(-width // 64))
    dense = np.zeros((rows, words * 64), bool)
    dense[row, bit] = True
    return np.packbits(dense, axis=1, bitorder="little").view(np.uint64)
