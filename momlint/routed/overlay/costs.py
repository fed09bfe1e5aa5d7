"""Costs as exact integers, so that equal sums are equal.

Least-cost paths with a tie-break compare sums for equality, and binary floating point gets that wrong for the
decimals people write: ``0.1 + 0.2 != 0.3``. A tolerance would repair that case and break others (two routes
that truly differ by less than it; a link so cheap that both directions look tight, which is a loop). So
nothing is compared as a float: every cost is the decimal that the user wrote, a whole multiple of one common
unit.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.decimals import decimal_of
from momlint.records import dataclass

#: Whole numbers below this are exact in float64.
FLOAT_EXACT = 2**53
#: Sums stay below this, so that adding two of them cannot overflow int64.
INT64_SAFE = 2**62


@dataclass(frozen=True, slots=True)
class ExactCosts:
    """``cost[i] == whole[i] * unit``, exactly.

    `whole`: int64[A], or object[A] of Python integers where a path's sum might not fit. `infinite`: more than
    any simple path over these arcs can cost, in units; it stands for "unreachable".
    """

    whole: NDArray[Any]
    unit: Fraction
    infinite: int

    def as_float(self, whole: NDArray[Any]) -> NDArray[np.float64]:
        """Sums of `whole` as float64, each the float nearest to its exact value; `infinite` and above as inf.

        Both sides of a comparison may come from different sets of arcs: equal costs give equal floats.
        """
        reached = np.asarray(whole < self.infinite, bool)
        result = np.full(whole.shape, np.inf)
        up, down = self.unit.numerator, self.unit.denominator
        if self.infinite * up < FLOAT_EXACT and down < FLOAT_EXACT:
            result[reached] = whole[reached].astype(np.float64) * up / down
        else:
            result[reached] = [_quotient(int(value) * up, down) for value in whole[reached].tolist()]
        return result


@lru_cache(1 << 14)
def _quotient(up: int, down: int) -> float:
    try:
        return up / down
    except OverflowError:  # a sum of finite costs stays finite: inf would read as unreachable
        return sys.float_info.max


def exact_costs(n: int, cost: NDArray[np.float64]) -> ExactCosts:
    """The costs of arcs among `n` brokers, as whole multiples of their greatest common unit.

    A float stands for the shortest decimal that reads back as it (``repr``), which is what the user wrote.
    Raises ValueError for a cost that is not a positive finite number.
    """
    if cost.size and not (np.isfinite(cost) & (cost > 0)).all():
        raise ValueError("costs must be positive finite numbers")
    distinct, inverse = np.unique(cost, return_inverse=True)
    fractions = [decimal_of(value) for value in distinct.tolist()]
    down = math.lcm(*(f.denominator for f in fractions))
    scaled = [int(f * down) for f in fractions]
    common = math.gcd(*scaled) or 1
    whole = [value // common for value in scaled]
    infinite = max(n, 1) * max(whole, default=1)
    kind = np.int64 if 2 * infinite < INT64_SAFE else np.object_
    return ExactCosts(np.array(whole, kind)[inverse], Fraction(common, down), infinite)
