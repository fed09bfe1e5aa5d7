"""From links that are dead to the colour that is for them, as brokers of the recovery protocol do it."""

from __future__ import annotations

from collections.abc import Sequence


class ColourMap:
    """`downs`: of each colour, the links that carry nothing in it, those of failed brokers included."""

    def __init__(self, downs: Sequence[frozenset[int]]) -> None:
        self.downs = tuple(downs)
        self._exact: dict[frozenset[int], int] = {}
        for number, down in enumerate(self.downs):
            self._exact.setdefault(down, number)

    def exactly(self, down: frozenset[int]) -> int | None:
        """The colour of exactly these links, where there is one."""
        return self._exact.get(down)

    def of(self, down: frozenset[int]) -> int:
        """The colour of exactly these links; else the one with fewest links more, else the one with most of them."""
        exact = self._exact.get(down)
        if exact is not None:
            return exact
        more = [number for number, other in enumerate(self.downs) if other > down]
        if more:
            return min(more, key=lambda number: (len(self.downs[number]), number))
        return self.within(down)

    def within(self, down: frozenset[int]) -> int:
        """The colour with most of these links and no others."""
        fewer = [number for number, other in enumerate(self.downs) if other <= down]
        return max(fewer, key=lambda number: (len(self.downs[number]), -number), default=0)

    def telling(self, down: frozenset[int], own: frozenset[int]) -> int:
        """The colour in which a broker tells that `down` are the dead ones of its links `own`.

        One that says just that of these links, and least of others; else the one with most of them and no others.
        """
        just = [number for number, other in enumerate(self.downs) if other & own == down]
        if just:
            return min(just, key=lambda number: (len(self.downs[number]), number))
        return self.within(down)
