"""How likely each colour is, exactly: that what it names has failed, and nothing else.

Links and brokers fail independently of each other, each with the probability 1 - ``availability``. The probability of a
colour is a product of as many factors as there are elements, and there are many colours; as floats the products of
neighbouring colours would differ in their last digits only. Every availability is the decimal that the user wrote, so
all probabilities are whole multiples of one unit, and the colours' multiples follow from that of the case without
failures by a few multiplications and exact divisions each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from momlint.decimals import decimal_of


@dataclass(frozen=True)
class Weights:
    """``weight[c] / whole`` is the probability of colour c, exactly; all colours together have ``covered / whole``.

    Two colours that name the same failure are one event: the later has weight 0.
    """

    weight: tuple[int, ...]
    whole: int

    @cached_property
    def covered(self) -> int:
        """The sum of all weights."""
        return sum(self.weight)

    def probability(self, weight: int) -> Fraction:
        """A sum of weights as a probability."""
        return Fraction(weight, self.whole)


def weights(availability: Sequence[float | None], failed: Sequence[Sequence[int]]) -> Weights:
    """The weights of colours in which the elements ``failed[c]`` (indices, distinct) have failed and no others.

    `availability`: of each element, from 0 to 1; None counts as 1, so that a colour that fails such an element has
    weight 0.
    """
    up: list[int] = []
    down: list[int] = []
    whole = 1
    for value in availability:
        given = decimal_of(1.0 if value is None else value)
        up.append(given.numerator)
        down.append(given.denominator - given.numerator)
        whole *= given.denominator
    never = {index for index, value in enumerate(up) if not value}
    others_up = math.prod(value for value in up if value)
    seen: set[frozenset[int]] = set()
    found = []
    for elements in failed:
        event = frozenset(elements)
        # What is never up has failed in every case that can be.
        if event in seen or not never <= event:
            found.append(0)
        else:
            rest = others_up // math.prod(up[index] for index in event - never)
            found.append(rest * math.prod(down[index] for index in event))
        seen.add(event)
    return Weights(tuple(found), whole)
