"""Of changes that could be made, the fewest that do most: what several findings share is changed once.

First each by itself; then, as long as it gets better, one more beside those that are taken, or any two; then every set
that changes fewer places and takes no more away, as far as the number of trials goes. A change may have to wait for
others before anything is mended: it is kept for the time being where less goes round with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from momlint.mending.candidates import Candidate, Step

#: So many sets are tried, each of which takes a check.
MOST_TRIALS = 400


class Tried(NamedTuple):
    """What came of a set of candidates: `left`, how much is found, then how much goes round; `mends`: it is better than
    nothing, and may be taken.
    """

    left: tuple[int, int]
    mends: bool


class Size(NamedTuple):
    """`lost`: how many links or ways less there are. `places`: how many places change."""

    lost: int
    places: int


class Chosen(NamedTuple):
    """Candidates that go together, and what comes of them."""

    taken: tuple[Candidate, ...]
    tried: Tried

    @property
    def size(self) -> Size:
        """How much it takes away, and how many places it changes."""
        return Size(sum(one.lost for one in self.taken), len({step for one in self.taken for step in one.steps}))


class Smallest:
    """The search. `tries`: what comes of candidates together, None where they are out of the question."""

    def __init__(
        self,
        pool: Iterable[Candidate],
        tries: Callable[[tuple[Candidate, ...]], Tried | None],
        start: tuple[int, int],
        trials: int = MOST_TRIALS,
    ) -> None:
        """`start`: `Tried.left` without any. `trials`: so many to find a set, and as many to find a smaller one."""
        self._pool = list(pool)
        self._tries = tries
        self._start = start
        self._trials = self._more = trials
        self._rank = {one: number for number, one in enumerate(self._pool)}
        self._known: dict[frozenset[Candidate], Tried | None] = {}
        #: Whether all sets were tried that had to be.
        self.is_through = True

    def run(self) -> Chosen | None:
        """The best set that was found; None where none is any good."""
        best = Chosen((), Tried(self._start, False))
        good: Chosen | None = None
        while self._pool and best.tried.left > (0, 0):
            more = self._best((*best.taken, one) for one in self._pool if one not in best.taken)
            if more is None or more.tried.left >= best.tried.left:
                break
            best = more
            good = best if best.tried.mends else good
        self._trials += self._more
        if good is None:
            # Perhaps two do what neither begins.
            pair = self._best(combinations(self._pool, 2))
            good = pair if pair is not None and pair.tried.mends else None
        return None if good is None else self.smaller(good.size, good.tried.left) or good

    def smaller(self, size: Size, left: tuple[int, int]) -> Chosen | None:
        """The best of all sets that change fewer places than `size`, take no more away and leave no more than `left`.

        None where there is none, or none was found; then, and where trials have run out, `is_through` is False.
        """
        best: Chosen | None = None
        for count in range(1, size.places):
            found = self._best(self._sets(count, size))
            if found is not None and found.tried.mends and found.tried.left <= left:
                best = found if best is None or self._key(found) < self._key(best) else best
        self.is_through = self.is_through and bool(self._trials or size.places == 1)
        return best

    def _sets(self, count: int, size: Size) -> Iterator[tuple[Candidate, ...]]:
        """Every set of so many that changes fewer places than `size`, and takes no more away."""

        def grown(
            start: int, taken: tuple[Candidate, ...], steps: frozenset[Step], gone: int
        ) -> Iterator[tuple[Candidate, ...]]:
            if len(taken) == count:
                yield taken
                return
            for number in range(start, len(self._pool)):
                one = self._pool[number]
                more = steps.union(one.steps)
                if len(more) < size.places and gone + one.lost <= size.lost:
                    yield from grown(number + 1, (*taken, one), more, gone + one.lost)

        return grown(0, (), frozenset(), 0)

    def _best(self, sets: Iterable[tuple[Candidate, ...]]) -> Chosen | None:
        best: Chosen | None = None
        for several in sets:
            if not self._trials:
                break
            tried = self._try(several)
            if tried is not None:
                found = Chosen(several, tried)
                if best is None or self._key(found) < self._key(best):
                    best = found
        return best

    def _try(self, several: tuple[Candidate, ...]) -> Tried | None:
        same = frozenset(several)
        if same not in self._known:
            self._trials -= 1
            self._known[same] = self._tries(several)
        return self._known[same]

    def _key(self, chosen: Chosen) -> tuple[bool, tuple[int, int], int, int, int]:
        """Whether it mends, what is left, what is taken away, how many places change, how likely the candidates are."""
        return (
            not chosen.tried.mends,
            chosen.tried.left,
            *chosen.size,
            sum(self._rank[one] for one in chosen.taken),
        )


__all__ = ["MOST_TRIALS", "Size", "Smallest", "Tried"]
