"""An overlay by its columns: what is to be known of each destination alone is looked at block by block.

A walk stays in the column of its destination, so whatever is asked of walks can be asked of some destinations at a
time: in blocks that a processor's cache holds, and by as many as there are (`momlint.fleet`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.arcs import Hops, dead_arcs
from momlint.routed.overlay.costs import ExactCosts, exact_costs
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.ragged import Finder, ramp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay

#: Cells and deltas of a block, about.
_BLOCK = 1 << 20
#: Colours whose dead hops are looked at together.
_COLOURS = 256


class Block(NamedTuple):
    """The destinations from `first` to before `last`."""

    first: int
    last: int


def towards(overlay: Overlay, block: Block) -> Overlay:
    """The overlay with the deltas of these destinations only; it shares all else."""
    if block == (0, overlay.n):
        return overlay
    keys = overlay.keys
    colours = np.arange(overlay.colours)
    begin = np.searchsorted(overlay.delta_key, keys.in_colour(colours, keys.cell(block.first, 0)))
    times = np.searchsorted(overlay.delta_key, keys.in_colour(colours, keys.cell(block.last, 0))) - begin
    chosen = np.repeat(begin, times) + ramp(times)
    return replace(
        overlay,
        delta_key=overlay.delta_key[chosen],
        delta_next=overlay.delta_next[chosen],
        delta_row=overlay.delta_row[chosen],
    )


def blocks(overlay: Overlay, size: int | None = None) -> Iterator[Block]:
    """All destinations, in blocks of about `size` cells and deltas, or of as many as fit a processor's cache."""
    number = max(1, -(-(overlay.base.size + overlay.delta_key.size) // (size or _BLOCK)))
    step = max(1, -(-overlay.n // number))
    for first in range(0, overlay.n, step):
        yield Block(first, min(first + step, overlay.n))


class DeadHops(NamedTuple):
    """Hops that carry nothing in a colour: int64[K] each, sorted."""

    colour: NDArray[np.int64]
    hop: NDArray[np.int64]


@dataclass(frozen=True)
class Network:
    """What columns have in common; each part is made when it is first needed."""

    overlay: Overlay

    @cached_property
    def hops(self) -> Hops:
        """The hops of all arcs."""
        return Hops.of(self.overlay)

    @cached_property
    def costs(self) -> ExactCosts:
        """The costs of all arcs."""
        return exact_costs(self.overlay.n, self.overlay.arc_cost)

    @cached_property
    def dead(self) -> DeadHops:
        """The hops all of whose arcs are dead."""
        return self._marked(cheapest=False)

    @cached_property
    def _dead_finder(self) -> Finder:
        return Finder(Packing(self.hops.tail.size).pack(*self.dead))

    def is_dead(self, colour: NDArray[np.int64], hop: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether hops are among `dead`; arrays of one length."""
        return self._dead_finder.has(Packing(self.hops.tail.size).pack(colour, hop))

    @cached_property
    def dearer(self) -> DeadHops:
        """The hops the cheapest arc of which is dead: there may be others, at another cost."""
        return self._marked(cheapest=True)

    def _marked(self, *, cheapest: bool) -> DeadHops:
        overlay, hops = self.overlay, self.hops
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for start in range(0, overlay.colours, _COLOURS):
            block = np.arange(start, min(start + _COLOURS, overlay.colours))
            dead = dead_arcs(overlay, block)[:, hops.start[:-1]] if cheapest else hops.dead(overlay, block)
            colour, hop = np.nonzero(dead)
            found.append((block[colour], hop))
        return DeadHops(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
