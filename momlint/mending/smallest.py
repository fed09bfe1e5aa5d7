"""Of changes that could be made, the fewest that do most: what several findings share is changed once.

First each by itself; then, as long as it gets better, one more beside those that are taken; then sets of fewer, as far
as the number of trials goes. Where no change does anything alone, two or three are tried together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Generic, NamedTuple, TypeVar

from momlint.mending.candidates import Candidate

S = TypeVar("S")
#: So many sets are tried, each of which takes a check.
MOST_TRIALS = 160


class Chosen(NamedTuple, Generic[S]):
    """Candidates that go together, and the state that they make."""

    taken: tuple[Candidate, ...]
    state: S


class Smallest(Generic[S]):
    """The search. `tried`: the state that candidates make together, None for one that is no better than without.

    `left`: how much is found in a state.
    """

    def __init__(
        self,
        pool: Sequence[Candidate],
        tried: Callable[[tuple[Candidate, ...]], S | None],
        left: Callable[[S], int],
        trials: int = MOST_TRIALS,
    ) -> None:
        self._pool = pool
        self._tried = tried
        self._left = left
        self._trials = trials
        self._rank = {one: number for number, one in enumerate(pool)}

    def run(self) -> Chosen[S] | None:
        """The best set that was found, None where none is any good."""
        best = self._best((one,) for one in self._pool)
        if best is None:
            for size in (2, 3):
                best = best or self._best(combinations(self._pool, size))
        if best is None:
            return None
        while self._left(best.state):
            more = self._best((*best.taken, one) for one in self._pool if one not in best.taken)
            if more is None or self._left(more.state) >= self._left(best.state):
                break
            best = more
        for size in range(1, len(best.taken)):
            fewer = self._best(combinations(self._pool, size))
            if fewer is not None and self._key(fewer) < self._key(best):
                best = fewer
        return best

    def _best(self, sets: Iterator[tuple[Candidate, ...]]) -> Chosen[S] | None:
        best: Chosen[S] | None = None
        for several in sets:
            if not self._trials:
                break
            self._trials -= 1
            state = self._tried(several)
            if state is not None:
                found = Chosen(several, state)
                if best is None or self._key(found) < self._key(best):
                    best = found
        return best

    def _key(self, chosen: Chosen[S]) -> tuple[int, int, int, int]:
        """What is left, what is taken away, how many places change, and how likely the candidates are."""
        steps = {step for one in chosen.taken for step in one.steps}
        return (
            self._left(chosen.state),
            sum(one.lost for one in chosen.taken),
            len(steps),
            sum(self._rank[one] for one in chosen.taken),
        )


__all__ = ["MOST_TRIALS", "Chosen", "Smallest"]
