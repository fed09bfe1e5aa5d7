"""Which needed pairs must be proved themselves, and which come with another's proof.

The sources (paper 001, "sub-path detection") drop a pair (a, b) once some proved path passes a and then b.
That is right only if a's own message for b takes the same way, which tables made by hand need not respect;
here a pair is dropped only then. The other direction is never taken for granted.
"""

from __future__ import annotations

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
    """
    n = overlay.n
    pairs = overlay.pair_source.size
    if not pairs:
        return np.ones(0, bool)
    usable = usable_hops(overlay, colour)
    hops = count_hops(usable, np.arange(n))
    source, dest = overlay.pair_source, overlay.pair_dest

    # same[loc, v]: bit b says that loc's next hop for b is v. Kept for the hops in use only.
    at, loc = np.nonzero(usable != NO_HOP)
    via = usable[at, loc]
    used, which = np.unique(overlay.keys.pair(loc, via), return_inverse=True)
    same = _bits(used.size, n, which, at)
    hop_of = np.full((n, n), -1, np.int32)
    hop_of[at, loc] = which

    words = same.shape[1]
    covered = np.zeros((n, words), np.uint64)  # row a, bit b
    single = _bits(n, n, np.arange(n), np.arange(n))
    columns = distinct(dest)
    step = max(1, _BLOCK // (n * words))
    for first in range(0, columns.size, step):
        block = columns[first : first + step]
        count = hops[block]
        # needed[i, a]: a needed source's walk to block[i] passes a; strictly: a is not that source itself.
        needed = np.zeros((block.size, n), bool)
        chosen = np.zeros(n, bool)
        chosen[block] = True
        mine = chosen[dest]
        i = np.searchsorted(block, dest[mine])
        arriving = count[i, source[mine]] != NEVER
        needed[i[arriving], source[mine][arriving]] = True
        strictly = np.zeros_like(needed)
        cells = Packing(n)  # (i, a), as in `order`
        order = np.argsort(count, axis=None, kind="stable")
        levels = np.searchsorted(count.ravel()[order], np.arange(int(count.max()) + 2))
        for level in range(levels.size - 2, 0, -1):
            i, a = cells.split(order[levels[level] : levels[level + 1]])
            passing = needed[i, a]
            i, parent = i[passing], usable[block[i[passing]], a[passing]]
            needed[i, parent] = True
            strictly[i, parent] = True
        # agree[i, a]: the brokers b on the walk from a to block[i] to which their own column leads alike.
        agree = np.zeros((block.size, n, words), np.uint64)
        for level in range(1, levels.size - 1):
            i, a = cells.split(order[levels[level] : levels[level + 1]])
            d = block[i]
            parent = usable[d, a]
            agree[i, a] = (agree[i, parent] | single[parent]) & same[hop_of[d, a]]
        # The pair itself, (a, block[i]), is covered only by a walk that comes from further away.
        i = np.arange(block.size)
        for passed, keep_own in ((strictly, True), (needed & ~strictly, False)):
            which_i, which_a = np.nonzero(passed)
            bits = agree[which_i, which_a]
            if not keep_own:
                bits &= ~single[block[which_i]]
            np.bitwise_or.at(covered, which_a, bits)
    own = covered[source, dest >> 6] >> (dest & 63).astype(np.uint64)
    return np.asarray(own & np.uint64(1) == 0)


def _bits(rows: int, width: int, row: NDArray[np.integer], bit: NDArray[np.integer]) -> NDArray[np.uint64]:
    """uint64[rows, words] with bit ``bit[i]`` of row ``row[i]`` set, for each i."""
    words = max(1, -(-width // 64))
    dense = np.zeros((rows, words * 64), bool)
    dense[row, bit] = True
    return np.packbits(dense, axis=1, bitorder="little").view(np.uint64)
