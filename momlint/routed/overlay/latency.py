"""How long messages take, exactly, for many pairs in all colours, without walking every pair in every colour.

The latency of a walk is what its links take (``latency_ms``) and what its brokers take (``processing_ms``): every
broker on it, the first, which takes the message from its publisher, and the last, which hands it to its subscriber,
included. Of parallel links a message takes the cheapest live one, of equally cheap ones the first.

Sums are exact: each number is the decimal that the user wrote, a whole multiple of one common unit, so that links of
0.1 and 0.2 ms do not break a budget of 0.3 (see `momlint.routed.overlay.costs`).

A pair is walked once by the base, and once more in each colour in which that walk meets an entry that differs or a
link that has failed, or in which an end has failed; in all other colours its walk is the base's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.decimals import decimal_of
from momlint.records import dataclass
from momlint.routed.overlay.arcs import Hops, dead_arcs
from momlint.routed.overlay.costs import INT64_SAFE
from momlint.routed.overlay.following import cheapest_live_arcs, entries
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.ragged import distinct, ramp
from momlint.routed.overlay.tables import NEVER

#: Elements of the largest temporary arrays.
_BLOCK = 1 << 21


@dataclass(frozen=True, slots=True)
class Delays:
    """``arc[i] * unit`` and ``broker[i] * unit`` milliseconds, exactly.

    `arc`: whole[A], `broker`: whole[N]; int64, or Python integers where the sum of a walk might not fit.
    """

    arc: NDArray[Any]
    broker: NDArray[Any]
    unit: Fraction

    @classmethod
    def of(cls, overlay: Overlay, processing: Sequence[float]) -> Delays:
        """The delays of an overlay's arcs, and of its brokers by `processing`: milliseconds, one for each."""
        values, inverse = np.unique(
            np.concatenate((overlay.arc_latency, np.asarray(processing, np.float64))), return_inverse=True
        )
        fractions = [decimal_of(value) for value in values.tolist()]
        down = math.lcm(*(f.denominator for f in fractions))
        scaled = [int(f * down) for f in fractions]
        common = math.gcd(*scaled) or 1
        whole = [value // common for value in scaled]
        # A walk passes each broker once at most, and an arc for each.
        kind = np.int64 if 2 * max(overlay.n, 1) * max(whole, default=0) < INT64_SAFE else np.object_
        delays = np.array(whole, kind)[inverse]
        arcs = overlay.arc_latency.size
        return cls(delays[:arcs], delays[arcs:], Fraction(common, down))

    def within(self, milliseconds: float) -> int:
        """The largest whole number of units that is no more than `milliseconds`."""
        return int(decimal_of(milliseconds) // self.unit)


@dataclass(frozen=True)
class Timings:
    """Hops and latencies of P pairs in all colours: the base walk's, but for E listed exceptions.

    ``source``, ``dest``: int32[P], the brokers where the clients are at home; they may be the same. ``hops``:
    int32[P], by the base, `NEVER` for a walk that does not arrive; ``latency``: whole[P] in units of ``delays.unit``
    (0 for one that does not arrive).

    ``pair``: int64[E] and ``colour``: int32[E], sorted by (pair, colour), unique: what is not as in the base.
    ``colour_source``, ``colour_dest``: int32[E], the brokers where the clients are in that colour, -1 where their
    broker has failed and nobody has adopted them. ``colour_hops``, ``colour_latency``: int32[E] and whole[E].
    """

    colours: int
    delays: Delays
    source: NDArray[np.int32]
    dest: NDArray[np.int32]
    hops: NDArray[np.int32]
    latency: NDArray[Any]
    pair: NDArray[np.int64]
    colour: NDArray[np.int32]
    colour_source: NDArray[np.int32]
    colour_dest: NDArray[np.int32]
    colour_hops: NDArray[np.int32]
    colour_latency: NDArray[Any]

    @cached_property
    def start(self) -> NDArray[np.intp]:
        """intp[P + 1]: the exceptions of pair p are ``start[p]:start[p + 1]``."""
        return np.searchsorted(self.pair, np.arange(self.source.size + 1))

    @cached_property
    def first_as_base(self) -> NDArray[np.int64]:
        """int64[P]: the first colour in which the pair walks as in the base, ``colours`` where there is none."""
        # Exceptions are sorted: as long as the i-th is colour i, no colour before it is as the base.
        rank = np.arange(self.pair.size) - self.start[self.pair]
        leading = np.zeros(self.source.size, np.int64)
        np.add.at(leading, self.pair[self.colour == rank], 1)
        return leading


def timings(
    overlay: Overlay,
    processing: Sequence[float],
    sources: NDArray[np.integer],
    dests: NDArray[np.integer],
    takeover: Mapping[int, tuple[int, ...]] | None = None,
    unknown: NDArray[np.integer] | None = None,
) -> Timings:
    """How long a message takes for each (source, dest), in every colour.

    `processing`: milliseconds of each broker. `takeover`: failed broker → the one that adopts its clients, for as long
    as the colour lasts; one that has failed in the same colour adopts nobody. `unknown`: colours to leave out; they
    are listed as exceptions in which nobody is anywhere.
    """
    delays = Delays.of(overlay, processing)
    network = Hops.of(overlay)
    source, dest = sources.astype(np.int32), dests.astype(np.int32)
    column, first_arc = _base(overlay, network)
    hops, latency, visited = _walk_base(overlay, column, first_arc, delays, source, dest)

    left_out = np.zeros(overlay.colours, np.bool_)
    left_out[unknown if unknown is not None else []] = True
    if not overlay.changes and not left_out.any():
        none, few = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return Timings(overlay.colours, delays, source, dest, hops, latency, none, few, few, few, few, latency[:0])
    parts = []
    touches = _Touches(overlay, network, column, first_arc, visited)
    for first, last in _blocks(touches.counted(source, dest)):
        pairs = slice(first, last)
        parts.append(touches.met(source[pairs], dest[pairs], first))
    every = np.repeat(np.arange(source.size), int(left_out.sum()))
    parts.append((every, np.tile(np.flatnonzero(left_out), source.size)))
    pair, colour = _merged(overlay, [*parts, with_failed_end(overlay, source, dest)])
    at = np.where(left_out[colour], np.int32(-1), placed(overlay, colour, source[pair], takeover))
    to = np.where(left_out[colour], np.int32(-1), placed(overlay, colour, dest[pair], takeover))
    colour_hops = np.full(pair.size, NEVER, np.int32)
    colour_latency = np.zeros(pair.size, latency.dtype)
    # In the order of the deltas: looking them up is then a matter of what is in the cache.
    order = np.argsort(overlay.keys.column(colour, to), kind="stable")
    for begin in range(0, pair.size, _BLOCK):
        block = order[begin : begin + _BLOCK]
        colour_hops[block], colour_latency[block] = _walk_in_colour(
            overlay, network, delays, colour[block], at[block], to[block]
        )
    return Timings(
        overlay.colours,
        delays,
        source,
        dest,
        hops,
        latency,
        pair,
        colour.astype(np.int32),
        at,
        to,
        colour_hops,
        colour_latency,
    )


def _base(overlay: Overlay, network: Hops) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """int32[dest, loc]: the base's next hop over a declared link, else `NO_HOP`; and the arc taken (-1)."""
    n = overlay.n
    at = np.arange(n)[None, :]
    hop = overlay.base
    index = np.where(hop == NO_HOP, np.int32(-1), network.index[at, np.maximum(hop, 0)])
    index[hop == at] = -1
    np.fill_diagonal(index, -1)
    column = np.where(index >= 0, hop, np.int32(NO_HOP))
    return column, np.where(index >= 0, network.start[index], -1)


def _walk_base(
    overlay: Overlay,
    column: NDArray[np.int32],
    first_arc: NDArray[np.intp],
    delays: Delays,
    source: NDArray[np.int32],
    dest: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[Any], NDArray[np.bool_]]:
    """Hops, latencies, and bool[dest, loc]: some walk reads this entry."""
    n = overlay.n
    hops = np.full(source.size, NEVER, np.int32)
    total = delays.broker[source]
    visited = np.zeros((n, n), np.bool_)
    going, loc = np.arange(source.size), source.astype(np.int64)
    for step in range(max(n, 1)):
        home = loc == dest[going]
        hops[going[home]] = step
        going, loc = going[~home], loc[~home]
        if not going.size:
            break
        to = dest[going]
        visited[to, loc] = True
        arc = first_arc[to, loc]
        moves = arc >= 0
        going, loc, arc = going[moves], column[to, loc][moves].astype(np.int64), arc[moves]
        total[going] += delays.arc[arc] + delays.broker[loc]
    total[hops == NEVER] = 0
    return hops, total, visited


class _Touches:
    """For each entry of the base that is visited: the colours in which a message there does something else."""

    def __init__(
        self,
        overlay: Overlay,
        network: Hops,
        column: NDArray[np.int32],
        first_arc: NDArray[np.intp],
        visited: NDArray[np.bool_],
    ) -> None:
        self.n, self.keys = overlay.n, overlay.keys
        self.column = column
        colour, cell = self.keys.colour_and_cell(overlay.delta_key)
        seen = visited.ravel()
        keep = seen[cell]
        more_colour, more_cell = _over_failed_arcs(overlay, first_arc, seen)
        # Sorted by cell, then colour; an entry that differs over a link that has failed counts once.
        touch = Packing(overlay.colours)  # of a cell and a colour
        touches = np.concatenate((touch.pack(cell[keep], colour[keep]), touch.pack(more_cell, more_colour)))
        cell, self.colour = touch.split(distinct(touches))
        self.start = np.searchsorted(cell, np.arange(self.keys.cells + 1))

    def counted(self, source: NDArray[np.int32], dest: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64[P]: how many touches each pair's walk meets, repeats included."""
        number = np.diff(self.start)
        found = np.zeros(source.size, np.int64)
        for going, cell in self._steps(source, dest):
            found[going] += number[cell]
        return found

    def met(
        self, source: NDArray[np.int32], dest: NDArray[np.int32], offset: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs (numbered from `offset`) and the colours in which they are touched, with repeats."""
        pairs: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        colours: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        for going, cell in self._steps(source, dest):
            times = self.start[cell + 1] - self.start[cell]
            pairs.append(np.repeat(going + offset, times))
            colours.append(self.colour[np.repeat(self.start[cell], times) + ramp(times)])
        return np.concatenate(pairs), np.concatenate(colours)

    def _steps(
        self, source: NDArray[np.int32], dest: NDArray[np.int32]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int64]]]:
        """The walks of all pairs at once: which are under way, and the entries (``dest * n + loc``) they read."""
        going, loc = np.arange(source.size), source.astype(np.int64)
        for _ in range(max(self.n, 1)):
            away = loc != dest[going]
            going, loc = going[away], loc[away]
            if not going.size:
                return
            to = dest[going].astype(np.int64)
            yield going, self.keys.cell(to, loc)
            loc = self.column[to, loc].astype(np.int64)
            moves = loc != NO_HOP
            going, loc = going[moves], loc[moves]


def _over_failed_arcs(
    overlay: Overlay, first_arc: NDArray[np.intp], seen: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Colours and cells (``dest * n + loc``, of `seen` ones) whose arc in the base has failed in that colour."""
    used = np.flatnonzero(seen & (first_arc.ravel() >= 0))
    arc_of = first_arc.ravel()[used]
    order = np.argsort(arc_of, kind="stable")
    used, arc_of = used[order], arc_of[order]
    start = np.searchsorted(arc_of, np.arange(overlay.arc_tail.size + 1))
    number = np.diff(start)
    colours: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    cells: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    step = max(1, _BLOCK // max(overlay.arc_tail.size, 1))
    for first in range(0, overlay.colours if overlay.arc_tail.size else 0, step):
        block = np.arange(first, min(first + step, overlay.colours))
        which, arc = np.nonzero(dead_arcs(overlay, block))
        times = number[arc]
        colours.append(np.repeat(block[which], times).astype(np.int64))
        cells.append(used[np.repeat(start[arc], times) + ramp(times)].astype(np.int64))
    return np.concatenate(colours), np.concatenate(cells)


def with_failed_end(
    overlay: Overlay, source: NDArray[np.int32], dest: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs (indices) and the colours in which the broker at an end has failed; twice where both have.

    int64 each, as long as the sum over all failed brokers of the pairs that they are an end of.
    """
    failed_colour, failed = np.nonzero(overlay.failed_broker)
    pairs, colours = [], []
    for end in (source, dest):
        order = np.argsort(end, kind="stable")
        start = np.searchsorted(end[order], np.arange(overlay.n + 1))
        times = start[failed + 1] - start[failed]
        pairs.append(order[np.repeat(start[failed], times) + ramp(times)].astype(np.int64))
        colours.append(np.repeat(failed_colour, times).astype(np.int64))
    return np.concatenate(pairs), np.concatenate(colours)


def _merged(
    overlay: Overlay, parts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct (pair, colour), sorted. Parts hold repeats; each is cut down before they are put together."""
    in_colour = Packing(overlay.colours)  # of a pair and a colour
    packed = [distinct(in_colour.pack(pair, colour)) for pair, colour in parts]
    return in_colour.split(distinct(np.concatenate(packed)))


def placed(
    overlay: Overlay,
    colour: NDArray[np.int64],
    broker: NDArray[np.int32],
    takeover: Mapping[int, tuple[int, ...]] | None,
) -> NDArray[np.int32]:
    """int32: where the clients of each `broker` are in each `colour` (arrays of one length); -1: down with it.

    At home as long as their broker lives, else at the first of its adopters that is alive; the adopters' adopters are
    not asked. It is a function of the colour alone, so in the colour that follows clients are at home again where their
    broker is back, whatever came before.
    """
    at = broker.astype(np.int32)
    homeless = np.flatnonzero(overlay.failed_broker[colour, broker])
    most = max(map(len, (takeover or {}).values()), default=0)
    adopters = np.full((overlay.n, most), -1, np.int32)
    for failed, adopted in (takeover or {}).items():
        adopters[failed, : len(adopted)] = adopted
    at[homeless] = -1
    for turn in range(most):
        waiting = homeless[at[homeless] < 0]
        offered = adopters[broker[waiting], turn]
        alive = (offered >= 0) & ~overlay.failed_broker[colour[waiting], np.maximum(offered, 0)]
        at[waiting[alive]] = offered[alive]
    return at


def _walk_in_colour(
    overlay: Overlay,
    network: Hops,
    delays: Delays,
    colour: NDArray[np.int64],
    source: NDArray[np.int32],
    dest: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    hops = np.full(source.size, NEVER, np.int32)
    total = np.zeros(source.size, delays.broker.dtype)
    going = np.flatnonzero((source >= 0) & (dest >= 0))
    loc = source[going].astype(np.int64)
    total[going] = delays.broker[loc]
    for step in range(max(overlay.n, 1)):
        home = loc == dest[going]
        hops[going[home]] = step
        going, loc = going[~home], loc[~home]
        if not going.size:
            break
        hop = entries(overlay, colour[going], dest[going].astype(np.int64), loc)
        arc = cheapest_live_arcs(overlay, network, colour[going], loc, hop)
        moves = arc >= 0
        going, loc, arc = going[moves], hop[moves].astype(np.int64), arc[moves]
        total[going] += delays.arc[arc] + delays.broker[loc]
    total[hops == NEVER] = 0
    return hops, total


def _blocks(size: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of pairs whose touches together are no more than a block, or of one pair."""
    upto = np.cumsum(size)
    first, held = 0, 0
    while first < size.size:
        last = max(int(np.searchsorted(upto, held + _BLOCK, "right")), first + 1)
        yield first, last
        first, held = last, int(upto[last - 1])


__all__ = ["Delays", "Timings", "placed", "timings", "with_failed_end"]
