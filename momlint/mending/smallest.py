"""Of changes that could be made, the fewest that do most: what several findings share is changed once.

First each by itself; then, as long as it gets better, one more beside those that are taken; then every set of fewer, as
far as the number of trials goes. A change may have to wait for others before anything is mended: it is kept for the
time being where less goes round with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple

from momlint.mending.candidates import Candidate

#: So many sets are tried, each of which takes a check.
MOST_TRIALS = 400


class Tried(NamedTuple):
    """What came of a set of candidates: `left`, how much is found, then how much goes round; `mends`: it is better than
    nothing, and may be taken.
    """

    left: tuple[int, int]
    mends: bool


class Chosen(NamedTuple):
    """Candidates that go together, and what comes of them."""

    taken: tuple[Candidate, ...]
    tried: Tried


class Smallest:
    """The search. `tries`: what comes of candidates together, None where they are out of the question."""

    def __init__(
        self,
        pool: Iterable[Candidate],
        tries: Callable[[tuple[Candidate, ...]], Tried | None],
        start: tuple[int, int],
        trials: int = MOST_TRIALS,
    ) -> None:
        """`start`: `Tried.left` without any."""
        self._pool = list(pool)
        self._tries = tries
        self._start = start
        self._trials = trials
        self._rank = {one: number for number, one in enumerate(self._pool)}

    def run(self) -> tuple[Candidate, ...]:
        """The best set that was found; empty where none is any good."""
        best = Chosen((), Tried(self._start, False))
        good: Chosen | None = None
        while self._pool and best.tried.left > (0, 0):
            more = self._best((*best.taken, one) for one in self._pool if one not in best.taken)
            if more is None or more.tried.left >= best.tried.left:
                break
            best = more
            good = best if best.tried.mends else good
        if good is None:
            return ()
        for size in range(1, len(good.taken)):
            fewer = self._best(combinations(self._pool, size))
            if fewer is not None and fewer.tried.mends and self._key(fewer) < self._key(good):
                good = fewer
        return good.taken

    def _best(self, sets: Iterable[tuple[Candidate, ...]]) -> Chosen | None:
        best: Chosen | None = None
        for several in sets:
            if not self._trials:
                break
            self._trials -= 1
            tried = self._tries(several)
            if tried is not None:
                found = Chosen(several, tried)
                if best is None or self._key(found) < self._key(best):
                    best = found
        return best

    def _key(self, chosen: Chosen) -> tuple[bool, tuple[int, int], int, int, int]:
        """Whether it mends, what is left, what is taken away, how many places change, how likely the candidates are."""
        steps = {step for one in chosen.taken for step in one.steps}
        return (
            not chosen.tried.mends,
            chosen.tried.left,
            sum(one.lost for one in chosen.taken),
            len(steps),
            sum(self._rank[one] for one in chosen.taken),
        )


__all__ = ["MOST_TRIALS", "Smallest", "Tried"]
