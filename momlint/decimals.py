"""Numbers as users write them: sums of decimals that are exact, and stand in a sentence as decimals.

0.1 + 0.2 is 0.3 here, and two ways of 0.3 ms are alike. This module imports nothing of momlint, as `momlint.words`.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction


def decimal_of(value: float) -> Fraction:
    """The shortest decimal that reads back as this float, which is what the user wrote."""
    return Fraction(Decimal(repr(float(value))))


def written(value: Fraction) -> str:
    """A sum of decimals as a decimal, with all its digits."""
    with localcontext() as exact:
        # A finite decimal: a power of ten of its denominator's digits makes it whole.
        exact.prec = len(str(value.numerator)) + 4 * len(str(value.denominator)) + 1
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():f}"
