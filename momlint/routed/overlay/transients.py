"""Loops that are possible while brokers change from one colour to the next (mixed colours).

When a failure comes or goes, every broker changes from its normal entries to those of the colour, or back, at a
moment of its own. If each uses either, a loop is possible for a destination exactly when the union of the two
columns has a cycle: a simple cycle passes each broker once, so one mix of brokers realises it. No mix is ever tried.

Only a broker whose entry differs has two next hops, so the union is searched on these entries alone: each of the two
is followed through the base up to the next entry that differs, for all colours and destinations in one numpy array;
then entries all of whose ways lead out of the graph are taken away until none is left to take (peeling). What stays
has cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.arcs import Hops
from momlint.routed.overlay.columns import Block, Network, blocks, towards
from momlint.routed.overlay.following import entry, live_arc
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.ragged import Finder, distinct, ramp, segment_starts

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Entries looked at together.
_RUN = 1 << 21
#: Not an entry: the way leads to the destination, or the message is dropped.
_OUT = -1

#: ``failed``: while the failure lasts, so that its elements carry nothing. ``back``: all elements work again, and
#: some brokers still use the colour's entries.
Phase = Literal["failed", "back"]


class Core(NamedTuple):
    """What peeling leaves of one colour and destination.

    `before` and `after`: broker → the next broker of the core by its normal entry, and by the colour's; a broker is
    absent from one of them where that way leads out. Ways pass other brokers in between, all by their normal entries.
    """

    colour: int
    dest: int
    before: dict[int, int]
    after: dict[int, int]


@dataclass(frozen=True)
class MixedLoops:
    """The colours and destinations for which mixed colours can loop, in one phase.

    ``colour``, ``dest``: int32[K], sorted, unique. ``start``: intp[K + 1]; the entries left of the k-th are
    ``start[k]:start[k + 1]`` of ``loc`` (int32[M], broker), ``before`` and ``after`` (int32[M]: which of the M entries
    follows, by the normal entry and by the colour's; -1 where the way leads out).

    Where the normal column or the colour's loops by itself for a destination, that is another fault (MOM302, MOM306)
    and not listed here.
    """

    overlay: Overlay
    phase: Phase
    colour: NDArray[np.int32]
    dest: NDArray[np.int32]
    start: NDArray[np.intp]
    loc: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]

    @property
    def size(self) -> int:
        """K."""
        return int(self.colour.size)

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """int64[K]: the columns that loop, ``colour * n + dest``."""
        return self.overlay.keys.column(self.colour, self.dest)

    def core(self, index: int) -> Core:
        """The entries left of the index-th."""
        part = slice(int(self.start[index]), int(self.start[index + 1]))
        loc = self.loc[part].tolist()
        broker = self.loc
        ways: list[dict[int, int]] = []
        for following in (self.before[part].tolist(), self.after[part].tolist()):
            ways.append({at: int(broker[to]) for at, to in zip(loc, following, strict=True) if to != _OUT})
        return Core(int(self.colour[index]), int(self.dest[index]), ways[0], ways[1])

    def cores(self, colour: int) -> Iterator[Core]:
        """The cores of one colour, by destination."""
        first, last = np.searchsorted(self.colour, (colour, colour + 1))
        for index in range(int(first), int(last)):
            yield self.core(index)

    def cycle(self, index: int) -> tuple[int, ...]:
        """A cycle of the index-th as a closed walk of brokers, ``(1, 3, 1)``, from its smallest broker on.

        Of several cycles the one met first from the smallest broker of the core, normal entries first. Every hop is
        read from the overlay again, so what is returned is a replay.
        """
        core = self.core(index)
        at = min({*core.before, *core.after})
        order: dict[int, tuple[int, bool]] = {}  # broker → (its place on the way, by its normal entry)
        while at not in order:
            by_normal = at in core.before
            order[at] = (len(order), by_normal)
            at = core.before[at] if by_normal else core.after[at]
        first = order[at][0]
        brokers: list[int] = []
        for broker, (place, by_normal) in order.items():
            if place >= first:
                brokers += self._way(core, broker, by_normal)
        least = brokers.index(min(brokers))
        return (*brokers[least:], *brokers[: least + 1])

    def _way(self, core: Core, at: int, by_normal: bool) -> list[int]:
        """The brokers from `at`, included, up to the next one of the core, not included."""
        o = self.overlay
        goal = core.before[at] if by_normal else core.after[at]
        way = [at]
        hop = int(o.base[core.dest, at]) if by_normal else entry(o, core.colour, core.dest, at)[0]
        while hop != goal:
            assert hop not in {NO_HOP, core.dest}
            assert len(way) <= o.n
            way.append(hop)
            hop = int(o.base[core.dest, hop])
        return way


def mixed_loops(overlay: Overlay, phase: Phase = "back", within: MixedLoops | None = None) -> MixedLoops:
    """Where a loop is possible while each broker uses its normal entries (the base) or those of a colour.

    In the phase ``failed`` hops over a failed element drop the message; in ``back`` every declared link carries. What
    loops in ``failed`` loops in ``back`` too; `within` a result for ``back``, only its colours and destinations are
    looked at.
    """
    network = Network(overlay)
    return joined(overlay, [left_in(overlay, block, network, phase, within) for block in blocks(overlay)], phase)


def left_in(
    overlay: Overlay, block: Block, network: Network, phase: Phase = "back", within: MixedLoops | None = None
) -> Left:
    """What `mixed_loops` finds for the destinations of `block`."""
    part = towards(overlay, block)
    column = _base_column(overlay, block, network.hops)
    alone = _looping_columns(column)
    group = part.keys.column_of(part.delta_key)
    chosen = np.flatnonzero(~alone[part.keys.split_column(group)[1] - block.first])
    if within is not None:
        chosen = chosen[np.isin(group[chosen], within.columns)]
    # Runs end where a colour's destination does: no cycle crosses.
    found = [
        _Union(part, block, network, column, chosen[first:last], phase).looping()
        for first, last in _runs(group[chosen])
    ]
    return _one_after_the_other(found)


class Left(NamedTuple):
    """Entries left after peeling, by group (``colour * n + dest``); `before` and `after` index these entries."""

    group: NDArray[np.int64]
    loc: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]


def _one_after_the_other(parts: Sequence[Left]) -> Left:
    none = np.zeros(0, np.int32)
    sizes = np.cumsum([0, *(part.loc.size for part in parts)])

    def shifted(index: NDArray[np.int32], by: int) -> NDArray[np.int32]:
        return np.where(index == _OUT, np.int32(_OUT), index + np.int32(by))

    pairs = list(zip(parts, sizes.tolist(), strict=False))
    return Left(
        np.concatenate([np.zeros(0, np.int64), *(part.group for part in parts)]),
        np.concatenate([none, *(part.loc for part in parts)]),
        np.concatenate([none, *(shifted(part.before, by) for part, by in pairs)]),
        np.concatenate([none, *(shifted(part.after, by) for part, by in pairs)]),
    )


def joined(overlay: Overlay, parts: Sequence[Left], phase: Phase = "back") -> MixedLoops:
    """What was found in blocks of destinations, as one."""
    group, loc, before, after = _one_after_the_other(parts)
    if len(parts) > 1:
        order = np.argsort(group, kind="stable")
        # Where each entry has gone; the last is for _OUT.
        place = np.full(order.size + 1, _OUT, np.int32)
        place[order] = np.arange(order.size, dtype=np.int32)
        group, loc, before, after = group[order], loc[order], place[before[order]], place[after[order]]
    starts = segment_starts(group)
    colour, dest = overlay.keys.split_column(group[starts])
    return MixedLoops(
        overlay,
        phase,
        colour.astype(np.int32),
        dest.astype(np.int32),
        np.append(starts, group.size),
        loc,
        before,
        after,
    )


def _runs(group: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    first = 0
    while first < group.size:
        last = first + _RUN
        if last < group.size:
            last = int(np.searchsorted(group, group[last], "left"))
            if last <= first:  # one group is larger than a block; it stays whole
                last = int(np.searchsorted(group, group[first], "right"))
        yield first, min(last, group.size)
        first = last


def _base_column(overlay: Overlay, block: Block, network: Hops) -> NDArray[np.int32]:
    """int32[dest, loc]: the normal next hop over a declared link; `NO_HOP` at the destination and where it drops."""
    n = overlay.n
    at = np.arange(n, dtype=np.int32)[None, :]
    base = overlay.base[block.first : block.last]
    declared = np.zeros((n, n + 1), np.bool_)
    declared[network.tail, network.head] = True
    # A message that stays where it is loops as well: kept, unlike in `usable_hops`.
    column = np.where(declared[at, base] | (base == at), base, np.int32(NO_HOP))
    column[np.arange(column.shape[0]), np.arange(*block)] = NO_HOP
    return column


def _looping_columns(column: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[dest]: the normal column loops by itself, by pointer doubling."""
    rows, n = column.shape
    if not n:
        return np.zeros(0, np.bool_)
    end = column == NO_HOP
    pointer = Keys(n).cell(np.arange(rows)[:, None], np.where(end, np.arange(n), column)).ravel()
    span = 1
    while span < n:
        pointer = pointer[pointer]
        span *= 2
    arrived: NDArray[np.bool_] = end.ravel()[pointer].reshape(rows, n)
    return np.logical_not(arrived.all(axis=1))


def _dead_hops(network: Network) -> NDArray[np.bool_]:
    """bool[C, H + 1]: the hops that carry nothing in each colour; the last column, for index -1, is false."""
    dead = np.zeros((network.overlay.colours, network.hops.tail.size + 1), np.bool_)
    dead[network.dead.colour, network.dead.hop] = True
    return dead


class _Union:
    """The union of two columns on some delta entries (whole groups of colour and destination)."""

    def __init__(
        self,
        overlay: Overlay,
        block: Block,
        network: Network,
        column: NDArray[np.int32],
        chosen: NDArray[np.intp],
        phase: Phase,
    ) -> None:
        """`overlay`: with the deltas of `block`, of which these are `chosen`. `column`: the block's normal entries."""
        self.n = overlay.n
        self.overlay = overlay
        self.network = network.hops
        self.column = column
        self.first = block.first
        self.phase = phase
        self.key = overlay.delta_key[chosen]
        self.finder = Finder(self.key)
        self.group, self.loc = overlay.keys.column_and_loc(self.key)
        self.colour, self.dest = overlay.keys.split_column(self.group)
        self.dead = _dead_hops(network) if phase == "failed" else None
        entries = np.arange(chosen.size)
        before = self._carried(entries, column[self.dest - self.first, self.loc])
        self.before = self._follow(entries, before)
        hop = overlay.delta_next[chosen]
        known = (hop != NO_HOP) & (self.dest != self.loc)
        declared = known & (self.network.index[self.loc, np.maximum(hop, 0)] >= 0)
        after = np.where(declared | (known & (hop == self.loc)), hop, np.int32(NO_HOP))
        self.after = self._follow(entries, self._carried(entries, after))

    def _carried(self, entries: NDArray[np.intp], hop: NDArray[np.int32]) -> NDArray[np.int32]:
        """`hop` from each entry's broker, `NO_HOP` where it is dead in this phase."""
        return self._alive(self.colour[entries], self.loc[entries], hop)

    def _alive(self, colour: NDArray[np.int64], loc: NDArray[np.int64], hop: NDArray[np.int32]) -> NDArray[np.int32]:
        if self.dead is None:
            return hop
        # Without a hop there is nothing to die; a message that stays needs its broker only.
        dead = self.dead[colour, self.network.index[loc, np.maximum(hop, 0)]]
        dead |= (hop == loc) & self.overlay.failed_broker[colour, loc]
        return np.where(dead, np.int32(NO_HOP), hop)

    def _follow(self, entries: NDArray[np.intp], hop: NDArray[np.int32]) -> NDArray[np.int32]:
        """Through the base to the next entry of the same group: its index, or `_OUT`."""
        reached = np.full(entries.size, _OUT, np.int32)
        going = np.flatnonzero((hop != NO_HOP) & (hop != self.dest[entries]))
        loc = hop[going].astype(np.int64)
        for _ in range(self.n):
            if not going.size:
                break
            key = self.overlay.keys.in_column(self.group[entries[going]], loc)
            at = self.finder.find(key)
            met = at >= 0
            reached[going[met]] = at[met]
            going, loc = going[~met], loc[~met]
            colour, dest = self.colour[entries[going]], self.dest[entries[going]]
            onward = self._alive(colour, loc, self.column[dest - self.first, loc])
            moves = (onward != NO_HOP) & (onward != dest)
            going, loc = going[moves], onward[moves].astype(np.int64)
        return reached

    def looping(self) -> Left:
        """The entries left in groups that have a cycle, and none in the colour's column alone."""
        left = _peeled(self.before, self.after)
        by_itself = _peeled(np.full_like(self.after, _OUT), np.where(left, self.after, np.int32(_OUT)))
        left &= ~np.isin(self.group, self.group[by_itself])
        index = np.flatnonzero(left)
        place = np.full(self.key.size + 1, _OUT, np.int32)  # the last is for _OUT
        place[index] = np.arange(index.size, dtype=np.int32)
        return Left(
            self.group[index],
            self.loc[index].astype(np.int32),
            place[self.before[index]],
            place[self.after[index]],
        )


def _peeled(before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[M]: the entries from which a cycle can be reached and that can be reached from one; false: no cycle.

    First entries without a way onwards are taken away until all have one, then, of what is left, those without a way
    into them; each entry and each way is handled once.
    """
    size = before.size
    tail = np.concatenate((np.arange(size), np.arange(size)))
    head = np.concatenate((before, after))
    inside = head != _OUT
    tail, head = tail[inside], head[inside].astype(np.intp)
    left = _without_ends(tail, head, np.ones(size, np.bool_))
    if left.any():
        kept = left[tail] & left[head]
        left = _without_ends(head[kept], tail[kept], left)
    return left


def _without_ends(tail: NDArray[np.intp], head: NDArray[np.intp], left: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`left` without the entries all of whose ways out (from tail to head) lead to entries taken away before."""
    left = left.copy()
    ways = np.bincount(tail, minlength=left.size)
    order = np.argsort(head, kind="stable")
    into = tail[order]
    start = np.searchsorted(head[order], np.arange(left.size + 1))
    ends = np.flatnonzero(left & (ways == 0))
    while ends.size:
        left[ends] = False
        times = start[ends + 1] - start[ends]
        sources = into[np.repeat(start[ends], times) + ramp(times)]
        np.subtract.at(ways, sources, 1)
        sources = distinct(sources)
        ends = sources[(ways[sources] == 0) & left[sources]]
    return left


def closes(overlay: Overlay, loops: MixedLoops, index: int, cycle: tuple[int, ...]) -> bool:
    """Whether every hop of `cycle` is a normal entry or the colour's, over a link that carries in this phase."""
    colour, dest = int(loops.colour[index]), int(loops.dest[index])
    for at, to in pairwise(cycle):
        if at == dest or to not in {int(overlay.base[dest, at]), entry(overlay, colour, dest, at)[0]}:
            return False
        declared = bool(((overlay.arc_tail == at) & (overlay.arc_head == to)).any())
        if at != to and not (declared if loops.phase == "back" else live_arc(overlay, colour, at, to) is not None):
            return False
    return len(cycle) > 1 and cycle[0] == cycle[-1]
