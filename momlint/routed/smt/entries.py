"""Table entries as the states of a script: what the engine asks a solver about walks that arrive.

A colour differs from the base in a few entries towards a destination, and a walk in that colour is a walk of the base
until it comes to one of them. So colours need no symbol, and nothing has to choose between them: each entry has one
Boolean, "who comes here is trapped", each hop one implication, and all colours of several destinations are one set of
implications (docs/adr/0021-one-symbol-an-entry.md has the argument).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.keys import Keys, Packing
from momlint.routed.overlay.ragged import among, distinct, ramp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.smt.encode import Walks

#: No cell and no entry.
_NONE = -1


class Entries:
    """The entries towards the destinations of `walks`, numbered, and which of them hands on to which.

    A cell is ``destination * n + broker``, the destination by its index; cells are the entries of the base, by the same
    number, and that of the destination itself stands for arriving. After them come those of colours: a colour has one
    wherever its hop is not the base's, be it another one or none. In a colour, a hop leads to the entry that the
    message meets next: the first one of the colour on the base's walk from there, and without any, the base's. Entries
    of colours at one broker that lead to the same entry of the base are one.

    `asked`: int64, ascending, the entries at which a walk that is asked may come to what decides it. `met`: bool,
    of all numbers those that such a walk may meet. `tail`, `head`: int64, of these each that hands on, and to which.
    """

    def __init__(self, walks: Walks) -> None:
        self._walks = walks
        moves = walks.moves
        rows, self._n = moves.base.shape
        cells = moves.base.size
        self._place, self._with_colour = Packing(self._n), Packing(len(walks.colours))
        place = self._place
        column = np.arange(rows, dtype=np.int64)[:, None]
        #: int64[cells]: where the base's hop leads, `_NONE` where there is none
        self._next = np.where(moves.base >= 0, place.pack(column, moves.base), _NONE).ravel()
        delta = self._with_colour.pack(place.pack(moves.delta_dest, moves.delta_loc), moves.delta_colour)
        #: int64, ascending, (cell, index of the colour) packed: where a colour's hop is not the base's
        self._own = distinct(np.concatenate((moves.but, delta)))
        cell, colour = self._with_colour.split(self._own)
        to = np.full(len(self._own), _NONE)
        to[np.searchsorted(self._own, delta)] = place.pack(moves.delta_dest, moves.delta_hop)

        meets = self._meets(to, colour)
        back = meets == _NONE  # to the base for good, or nowhere
        alike, which = _numbered(Packing(cells + 1).pack(cell[back], to[back] + 1))
        #: int64, which entry each of `_own` is
        self._entry = np.empty(len(self._own), np.int64)
        self._entry[back] = cells + which
        self._entry[~back] = cells + len(alike) + np.arange(np.count_nonzero(~back))
        head = np.concatenate((self._next, Packing(cells + 1).second(alike) - 1, self._entry[meets[~back]]))

        self._wanted = np.zeros(cells, np.bool_)
        lengths = [len(sources) for sources in walks.sources]
        sources = np.array([source for some in walks.sources for source in some], np.int64)
        self._wanted[place.pack(np.repeat(np.arange(rows), lengths), sources)] = True
        passed = _onward(np.flatnonzero(self._wanted), self._next)
        self.asked = distinct(np.concatenate((np.flatnonzero(self._wanted), self._entry[passed[cell]])))
        self.met = _onward(self.asked, head)
        self.tail = np.flatnonzero(self.met & (head != _NONE))
        self.head = head[self.tail]

    def _meets(self, to: NDArray[np.int64], colour: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first of `_own` that a message meets which is handed to the cells `to` in the colours; `_NONE`: none."""
        found = np.full(len(to), _NONE)
        going = np.flatnonzero(to != _NONE)
        at, colour = to[going], colour[going]
        # Who comes back to where it was has gone round: to a place that is chosen anew when the walk is twice as long.
        before, steps = at, 0
        while len(going):
            key = self._with_colour.pack(at, colour)
            index = np.minimum(np.searchsorted(self._own, key), len(self._own) - 1)
            hit = self._own[index] == key
            found[going[hit]] = index[hit]
            onward = self._next[at]
            on = ~hit & (onward != _NONE) & (onward != before)
            going, at, colour, before = going[on], onward[on], colour[on], before[on]
            steps += 1
            if steps & (steps - 1) == 0:
                before = at
        return found

    @property
    def entries(self) -> list[int]:
        """Those met, ascending."""
        return np.flatnonzero(self.met).tolist()

    @property
    def hops(self) -> list[tuple[int, int]]:
        """(an entry, the one that it hands on to)."""
        return list(zip(self.tail.tolist(), self.head.tolist(), strict=True))

    @property
    def arrived(self) -> list[int]:
        """The entries that stand for arriving."""
        cells = [self._place.pack(row, dest) for row, dest in enumerate(self._walks.dests)]
        return [cell for cell in cells if self.met[cell]]

    def failing(self, trapped: NDArray[np.int64]) -> NDArray[np.int64]:
        """The keys asked of the walks that come to one of these entries first, all of which do not arrive."""
        walks, place, cells = self._walks, self._place, len(self._next)
        common = trapped[trapped < cells]
        common = common[self._wanted[common]]
        cell, colour = self._with_colour.split(self._upstream(self._own[among(self._entry, trapped)]))
        rows = place.first(common)
        if len(common):
            # The same in all colours in which the walk meets nothing else.
            of_these = among(place.first(self._with_colour.first(self._own)), distinct(rows))
            elsewhere = np.sort(self._upstream(self._own[of_these]))
            index, differing = np.nonzero(walks.differs[rows])
            same = ~among(self._with_colour.pack(common[index], differing), elsewhere)
            cell = np.concatenate((cell, common[index[same]]))
            colour = np.concatenate((colour, differing[same]))
        colour = np.array(walks.colours, np.int64)[colour]
        times = np.array([len(walks.plain[row]) for row in rows.tolist()], np.int64)
        plain = [c for row in rows.tolist() for c in walks.plain[row]]
        cell = np.concatenate((cell, np.repeat(common, times)))
        colour = np.concatenate((colour, np.array(plain, np.int64)))

        source = place.second(cell)
        asked = self._wanted[cell] & ~among(place.pack(colour, source), self._absent)
        dest = np.array(walks.dests, np.int64)[place.first(cell[asked])]
        return Keys(self._n).pack(colour[asked], dest, source[asked])

    @cached_property
    def _absent(self) -> NDArray[np.int64]:
        """(colour, broker) packed, ascending: what has failed is not asked."""
        packed = [self._place.pack(colour, broker) for colour, broker in self._walks.absent]
        return np.array(sorted(packed), np.int64)

    @cached_property
    def _before(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The cells with a hop of the base, by where it leads; and where."""
        cells = np.flatnonzero(self._next != _NONE)
        cells = cells[np.argsort(self._next[cells], kind="stable")]
        return cells, self._next[cells]

    def _upstream(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """(cell, colour) packed, once each: from where the walk in the colour meets one of `own` first, and these."""
        cells, to = self._before
        found = [own]
        while len(own):
            cell, colour = self._with_colour.split(own)
            begin = np.searchsorted(to, cell)
            times = np.searchsorted(to, cell, side="right") - begin
            before = cells[np.repeat(begin, times) + ramp(times)]
            own = self._with_colour.pack(before, np.repeat(colour, times))
            own = own[~among(own, self._own)]
            found.append(own)
        return np.concatenate(found)


def _numbered(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The values, sorted and without repeats, and for each value its place among them."""
    alike = distinct(values)
    return alike, np.searchsorted(alike, values)


def _onward(start: NDArray[np.int64], to: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where one comes by from `start` when each place leads on to another, or to none."""
    passed = np.zeros(len(to), np.bool_)
    at = start
    while len(at):
        passed[at] = True
        at = to[at]
        at = distinct(at[at != _NONE])
        at = at[~passed[at]]
    return passed
