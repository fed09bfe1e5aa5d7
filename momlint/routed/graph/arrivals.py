"""Which walks fail, in all colours, without expanding them to colours × brokers².

The base, read as if nothing had failed, is a forest for each destination (or has loops and dead ends, if it
is damaged); pointer doubling gives the hops of every walk by it. A colour differs from that only at its
*turns*: the entries with a delta, and those whose base hop has failed in it. So

1. each turn is followed, all at once in one array, by base hops until it arrives, ends, loops, or meets the
   next turn of its colour; turns that lead to turns are then resolved by pointer doubling among themselves;
2. a source whose base walk meets no turn fares as in the base. Any other fares as the first turn it meets,
   plus the hops up to there. Where a turn fares as the base did there, nothing changes; else the sources
   upstream of it (as far as the next turns) are visited.

So the time goes with the entries, the deltas and the failing pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.arcs import Hops
from momlint.routed.overlay.columns import Block, blocks, towards
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.ragged import distinct, ramp
from momlint.routed.overlay.tables import NEVER, count_hops, only_along
from momlint.routed.questions.question import Question

#: Hops of a walk that never arrives; twice it still fits int32.
_NEVER = np.int32(1 << 29)
#: Colours whose turns are gathered together.
_COLOURS = 1024
#: Entries of the look-up table from (colour, destination, broker) to a turn.
_TABLE = 1 << 22
#: Cells and deltas of the destinations that are looked at together.
_ENTRIES = 1 << 23


def failing_walks(overlay: Overlay, question: Question, bound: int) -> NDArray[np.int64]:
    """The sorted keys ``(colour * n + dest) * n + source`` of the pairs that need more than `bound` hops."""
    apart = question.sources != question.dests
    if not apart.any() or not question.colours.size:
        return np.zeros(0, np.int64)
    sources, dests = question.sources[apart], question.dests[apart]
    colours = np.sort(question.colours).astype(np.int64)
    parts = list(blocks(overlay, _ENTRIES))
    if len(parts) == 1:
        return _failing_towards(overlay, sources, dests, colours, bound)
    found = []
    for block in parts:
        inside = (dests >= block.first) & (dests < block.last)
        if inside.any():
            some = dests[inside]
            asked = towards(overlay, Block(int(some.min()), int(some.max()) + 1))
            found.append(_failing_towards(asked, sources[inside], some, colours, bound))
    return np.sort(np.concatenate(found))


def _failing_towards(
    overlay: Overlay,
    sources: NDArray[np.int32],
    dests: NDArray[np.int32],
    colours: NDArray[np.int64],
    bound: int,
) -> NDArray[np.int64]:
    base = _Base(overlay, sources, dests, bound)
    found = []
    for first in range(0, colours.size, _COLOURS):
        block = colours[first : first + _COLOURS]
        gained, lost = _changes(base, block)
        found.append(_failing(base, block, gained, lost))
    return np.concatenate(found)


class _Base:
    """The base with nothing failed, for the destinations asked: row i of its arrays is ``dests[i]``."""

    def __init__(self, overlay: Overlay, sources: NDArray[np.int32], dests: NDArray[np.int32], bound: int) -> None:
        n = self.n = overlay.n
        self.overlay = overlay
        self.bound = bound
        self.dests = distinct(dests)
        self.row_of = np.full(n, -1, np.int32)
        self.row_of[self.dests] = np.arange(self.dests.size, dtype=np.int32)
        self.asked = np.zeros((self.dests.size, n), bool)
        self.asked[self.row_of[dests], sources] = True
        self.hop = only_along(overlay.base[self.dests], self.dests, overlay.arc_tail, overlay.arc_head)
        count = count_hops(self.hop, self.dests)
        self.hops = np.where(count == NEVER, _NEVER, count)
        row, loc = np.nonzero(self.asked & (self.hops > bound))
        #: asked and failing in the base: (dest, source) as dest * n + source, sorted
        self.failing = overlay.keys.cell(self.dests[row], loc)
        #: places in `hop` and the like: a row and a broker
        self.place = Packing(n)
        self._upstream: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None
        self._below: NDArray[np.int32] | None = None
        self._users: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None
        self._network: Hops | None = None

    @property
    def network(self) -> Hops:
        """The hops of the unfailed overlay; made when a colour needs them."""
        if self._network is None:
            self._network = Hops.of(self.overlay)
        return self._network

    @property
    def users(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """``(start, places)``: hop h is used at ``places[start[h]:start[h + 1]]``, as row and broker packed."""
        if self._users is None:
            row, loc = np.nonzero(self.hop != NO_HOP)
            hop = self.network.index[loc, self.hop[row, loc]]
            order = np.argsort(hop, kind="stable")
            start = np.searchsorted(hop[order], np.arange(self.network.tail.size + 1))
            self._users = start, self.place.pack(row, loc)[order]
        return self._users

    @property
    def upstream(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """``(start, locs)``: the brokers whose base hop leads to place p."""
        if self._upstream is None:
            row, loc = np.nonzero(self.hop != NO_HOP)
            to = self.place.pack(row, self.hop[row, loc])
            order = np.argsort(to, kind="stable")
            self._upstream = np.searchsorted(to[order], np.arange(self.hop.size + 1)), loc[order]
        return self._upstream

    @property
    def below(self) -> NDArray[np.int32]:
        """int32[rows, N]: how many hops the longest walk has behind it when it comes through a broker."""
        if self._below is None:
            below = np.zeros(self.hop.size, np.int32)
            hops = self.hops.ravel()
            order = np.argsort(hops, kind="stable")
            order = order[: np.searchsorted(hops[order], _NEVER)]
            levels = np.searchsorted(hops[order], np.arange(int(hops[order[-1]]) + 2))
            for level in range(levels.size - 2, 0, -1):
                place = order[levels[level] : levels[level + 1]]
                parent = place - self.place.second(place) + self.hop.ravel()[place]
                np.maximum.at(below, parent, below[place] + 1)
            self._below = below.reshape(self.hop.shape)
        return self._below


@dataclass(frozen=True, slots=True)
class _Turns:
    """The places where a block of colours departs from the base, sorted by (colour, row, loc).

    `case` numbers the (colour, row) pairs from 0, in order. `hop`: the next hop taken, `NO_HOP` where the
    message stops.
    """

    colour: NDArray[np.int64]
    row: NDArray[np.int64]
    loc: NDArray[np.int64]
    hop: NDArray[np.int32]
    case: NDArray[np.int64]

    def part(self, chosen: slice) -> _Turns:
        """Some turns that follow each other, whole cases; renumbered from 0."""
        case = self.case[chosen]
        return _Turns(self.colour[chosen], self.row[chosen], self.loc[chosen], self.hop[chosen], case - case[0])


def _changes(base: _Base, colours: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys of asked pairs that fail in a colour and not in the base, and the other way about."""
    none = np.zeros(0, np.int64)
    if not base.overlay.changes:
        return none, none
    turns = _turns(base, colours)
    gained, lost = [], []
    if turns.case.size:
        room = max(1, _TABLE // base.n)
        # The table is made once and cleared after each use: only the turns' own places are ever written.
        cases = int(turns.case[-1]) + 1
        table = np.full(min(room, cases) * base.n, -1, np.int32)
        edges = np.searchsorted(turns.case, np.arange(0, cases + room, room))
        for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            part = turns.part(slice(begin, end))
            places = base.place.pack(part.case, part.loc)
            table[places] = np.arange(places.size, dtype=np.int32)
            hops = _follow(base, part, table)
            more, less = _visit_upstream(base, part, hops, table)
            gained.append(more)
            lost.append(less)
            table[places] = -1
    return np.concatenate([none, *gained]), np.concatenate([none, *lost])


def _turns(base: _Base, colours: NDArray[np.int64]) -> _Turns:
    """All turns of these colours (ascending) towards the destinations asked."""
    overlay, keys = base.overlay, base.overlay.keys
    begin = np.searchsorted(overlay.delta_key, keys.in_colour(colours, 0))
    end = np.searchsorted(overlay.delta_key, keys.in_colour(colours + 1, 0))
    chosen = np.repeat(begin, end - begin) + ramp(end - begin)
    which = np.repeat(np.arange(colours.size), end - begin)  # the colour, as an index into the block
    _, dest, loc = keys.split(overlay.delta_key[chosen])
    row = base.row_of[dest].astype(np.int64)
    wanted = (row >= 0) & (loc != dest)
    if not wanted.all():
        chosen, which, row, loc = chosen[wanted], which[wanted], row[wanted], loc[wanted]
    hop = overlay.delta_next[chosen]
    case_of = Packing(base.dests.size)  # of a colour, as an index, and a row
    key = base.place.pack(case_of.pack(which, row), loc)

    harmed = overlay.failed_link[colours].any() or overlay.failed_broker[colours].any()
    if hop.size or harmed:
        dead = base.network.dead(overlay, colours)
        index = base.network.index[loc, hop]  # NO_HOP reads the last column; masked below
        usable = (hop != NO_HOP) & (hop != loc) & (index >= 0)
        usable &= ~dead[which, index] if dead.shape[1] else usable
        hop = np.where(usable, hop, np.int32(NO_HOP))
        if harmed:
            # Base hops that failed and that no delta replaces.
            start, entries = base.users
            which_hit, hop_hit = np.nonzero(dead)
            times = start[hop_hit + 1] - start[hop_hit]
            place = entries[np.repeat(start[hop_hit], times) + ramp(times)]
            cut = base.place.pack(case_of.pack(np.repeat(which_hit, times), 0), place)
            if key.size:
                at = np.minimum(np.searchsorted(key, cut), key.size - 1)
                cut = cut[key[at] != cut]
            if cut.size:
                key = np.concatenate((key, cut))
                hop = np.concatenate((hop, np.full(cut.size, NO_HOP, np.int32)))
                order = np.argsort(key, kind="stable")
                key, hop = key[order], hop[order]
                case, loc = base.place.split(key)
                which, row = case_of.split(case)
    case = base.place.first(key)
    number = np.cumsum(np.concatenate(([0], case[1:] != case[:-1]))) if case.size else case
    return _Turns(colours[which], row, loc, hop, number)


def _follow(base: _Base, turns: _Turns, table: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32: the hops from each turn to the destination, `_NEVER` if the message does not arrive."""
    n = base.n
    size = turns.loc.size
    stopped, arrived = size, size + 1
    onward = np.full(size + 2, stopped)  # the next turn, or one of the two ends
    onward[arrived] = arrived
    hops = np.zeros(size + 2, np.int32)  # the hops up to there
    hop, base_hop = turns.hop, base.hop.ravel()
    going = np.flatnonzero(hop != NO_HOP)
    here = hop[going].astype(np.int64)
    row = turns.row[going]
    dest = base.dests[row]
    column, start = base.place.pack(row, 0), base.place.pack(turns.case[going], 0)
    mark = np.full(going.size, -1, np.int64)  # Brent: a walk that comes back to its mark is in a loop
    step = 1
    while going.size:
        turn = table[start + here]
        home = here == dest
        ended = home | (turn >= 0)
        if ended.any():
            hops[going[ended]] = step
            onward[going[ended]] = np.where(home[ended], arrived, turn[ended])
        after = base_hop[column + here].astype(np.int64)
        keep = np.flatnonzero(~ended & (after != NO_HOP) & (after != mark))
        if step & (step - 1) == 0:
            mark = here
        going, here, mark = going[keep], after[keep], mark[keep]
        dest, column, start = dest[keep], column[keep], start[keep]
        step += 1
    span = 1
    while span < n:  # a walk that arrives passes fewer than n turns
        further = onward[onward]
        if np.array_equal(further, onward):
            break
        hops += hops[onward]
        onward = further
        span *= 2
    return np.where(onward[:size] == arrived, hops[:size], _NEVER)


def _visit_upstream(
    base: _Base, turns: _Turns, hops: NDArray[np.int32], table: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of the turns and the sources that come through them: the keys that begin, and that cease, to fail."""
    n, bound = base.n, base.bound
    before = base.hops[turns.row, turns.loc]
    if bound >= n - 1:
        differs = (before == _NEVER) != (hops == _NEVER)
    else:
        differs = (before != hops) & ((before <= bound) | (hops <= bound))
        if differs.any():
            # All that come through arrive in time, then as now.
            furthest = base.below[turns.row, turns.loc]
            differs &= np.maximum(before, hops) + furthest > bound
    turn = np.flatnonzero(differs)
    gained, lost = [], []
    loc = turns.loc[turn]
    depth = 0
    while turn.size:
        row = turns.row[turn]
        now = hops[turn] + depth > bound
        then = base.hops[row, loc] > bound
        key = base.overlay.keys.pack(turns.colour[turn], base.dests[row], loc)
        asked = base.asked[row, loc]
        gained.append(key[now & ~then & asked])
        lost.append(key[then & ~now & asked])
        start, locs = base.upstream
        place = base.place.pack(row, loc)
        times = start[place + 1] - start[place]
        turn = np.repeat(turn, times)
        loc = locs[np.repeat(start[place], times) + ramp(times)]
        keep = np.flatnonzero(table[base.place.pack(turns.case[turn], loc)] < 0)
        turn, loc = turn[keep], loc[keep]
        depth += 1
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *gained]), np.concatenate([none, *lost])


def _failing(
    base: _Base, colours: NDArray[np.int64], gained: NDArray[np.int64], lost: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The base's failing pairs in each colour, and the changes; pairs with a failed end left out."""
    keys, failed = base.overlay.keys, base.overlay.failed_broker
    key = gained
    if base.failing.size:
        every = keys.in_colour(colours[:, None], base.failing).ravel()
        if lost.size:
            lost = np.sort(lost)
            at = np.minimum(np.searchsorted(lost, every), lost.size - 1)
            every = every[lost[at] != every]
        key = np.concatenate((every, gained))
    if key.size and failed[colours].any():
        colour, dest, source = keys.split(key)
        key = key[~(failed[colour, dest] | failed[colour, source])]
    return np.sort(key)
