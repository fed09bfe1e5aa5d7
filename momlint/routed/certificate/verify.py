"""The checker of certificates: small, exact, and on its own.

It computes no path and follows no walk, and shares no code with the engines, the planner or the overlay they work on.
A message for d may take a live arc to d, and to any broker that passes messages on. With D(v) the potential of broker v
for d in a state (a colour, or something else that has failed), w(v, u) the cost of the cheapest arc to u that it may
take, and f(v) the next hop, it checks for every v ≠ d:

* it arrives: D(d) = 0 and D(v) = w(v, f(v)) + D(f(v)). Costs are positive, so D falls with every hop, and a walk along
  which it falls to 0 has come to d, without a loop. Where next hops are computed: D(v) = min over u of w(v, u) + D(u);
* it is cut off: v is marked `CUT`, and so is every broker that such an arc leads to from v. No way leads out of the
  marked brokers, and d is none of them;
* shortest, where claimed: D(v) ≤ w(v, u) + D(u) for every such arc, and every broker has a potential or is cut off;
* the tie-break, where claimed: f(v) is the smallest u with D(v) = w(v, u) + D(u).

Each is a condition on one broker and its neighbours. In a state it has to be looked at only where something near
differs from the base: a potential, a next hop, a link that has failed. The base is checked once, with nothing failed;
a cell that is wrong there is looked at in every state. So the time grows with what differs between states, and the
memory with brokers² and the size of the certificate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from momlint.routed.certificate.form import CUT, NONE, Potentials, Refused
from momlint.routed.certificate.given import NO_HOP, Bools, Given, Ints, NextHops

#: Cells looked at together.
_BLOCK = 1 << 17


def verify(given: Given, claim: Potentials, hops: NextHops | None, levels: Ints, states: Ints) -> tuple[Ints, NextHops]:
    """Check the potentials `claim` in `states` (ascending), along `hops`, or without them as distances.

    `levels`: what is claimed of each destination, see `Record`. Returns how many needed pairs are cut off in each of
    `states` (int64, pairs with a failed end not counted), and the smallest next hops on shortest paths in them; their
    base are those with nothing failed, to be relied on where a state says so. Raises `Refused`.
    """
    n, cells = given.n, np.arange(given.n**2)
    if (claim.base[:: n + 1] != 0).any() or (claim.cells % (n + 1) == 0).any():
        raise Refused("the potential of a destination for itself is not 0")
    never = 1 + int(max(claim.base.max(), claim.values.max(initial=0))) + max(given.cost, default=0)
    kind: Any = np.int64 if never < 2**62 else np.object_
    base, values = claim.base.astype(kind), claim.values.astype(kind)
    look = _Look(given, base.copy(), None if hops is None else hops.base.copy(), np.array(given.cost, kind), never)
    back = np.argsort(given.head, kind="stable")
    into = np.searchsorted(given.head[back], np.arange(n + 1))
    grade, nearest = look(cells, np.zeros(given.tail.size, bool))
    always = cells[(grade < np.repeat(levels, n)) | (given.needed & (base == CUT))]
    cut = np.zeros(states.size, np.int64)
    keys, found = [cells[:0]], [nearest[:0]]
    for place, state in enumerate(states.tolist()):
        part = slice(*claim.bounds[state : state + 2])
        at = turned = claim.cells[part]
        look.value[at] = values[part]
        if hops is not None and look.hop is not None:
            here = slice(*np.searchsorted(hops.key, (state * n * n, (state + 1) * n * n)))
            turned = hops.key[here] - state * n * n
            look.hop[turned] = hops.next[here]
        gone, dead = given.down(state)
        item, arc = _runs(into, at % n)
        before = (at - at % n)[item] + given.tail[back[arc]]
        lost = (cells[::n, None] + given.tail[dead]).reshape(-1)
        near = np.sort(np.concatenate((at, turned, before, lost, always)))
        near = near[(np.diff(near, prepend=-1) > 0) & ~gone[near // n] & ~gone[near % n] & (near % (n + 1) != 0)]
        grade, hop = look(near, dead)
        for wrong in np.flatnonzero(grade < levels[near // n])[:1]:
            given.refuse(state, int(near[wrong]), int(grade[wrong]), int(look.value[near[wrong]]))
        cut[place] = np.count_nonzero(given.needed[near] & (look.value[near] == CUT))
        other = hop != nearest[near]
        keys.append(state * n * n + near[other])
        found.append(hop[other])
        look.value[at] = base[at]
        if hops is not None and look.hop is not None:
            look.hop[turned] = hops.base[turned]
    return cut, NextHops(nearest, np.concatenate(keys), np.concatenate(found))


class _Look:
    """A look at cells and their neighbours, with the potentials and next hops of one state."""

    def __init__(self, given: Given, value: NDArray[Any], hop: Ints | None, cost: NDArray[Any], never: int) -> None:
        self.given, self.value, self.hop, self.cost, self.never = given, value, hop, cost, never
        self.out = np.searchsorted(given.tail, np.arange(given.n + 1))

    def __call__(self, cells: Ints, dead: Bools) -> tuple[Ints, Ints]:
        """What holds at each cell: -1 nothing, or the level (see `Record`); the nearest neighbour or `NO_HOP`."""
        parts = [self._at(part, dead) for part in np.split(cells, range(_BLOCK, cells.size, _BLOCK))]
        return np.concatenate([grade for grade, _ in parts]), np.concatenate([nearest for _, nearest in parts])

    def _at(self, cells: Ints, dead: Bools) -> tuple[Ints, Ints]:
        item, arc = _runs(self.out, cells % self.given.n)
        head = self.given.head[arc]
        open_ = ~dead[arc] & (~self.given.stub[head] | (head == (cells // self.given.n)[item]))
        item, arc, head = item[open_], arc[open_], head[open_]
        claimed, far = self.value[cells], self.value[(cells - cells % self.given.n)[item] + head]
        through = np.where(far >= 0, far + self.cost[arc], self.never)
        best = own = _least(cells.size, item, through, self.never)
        tight = through == claimed[item]
        nearest = hop = _least(cells.size, item[tight], head[tight], self.given.n)
        if self.hop is not None:
            hop = self.hop[cells]
            along = head == hop[item]
            own = _least(cells.size, item[along], through[along], self.never)
        is_cut = (claimed == CUT) & (np.bincount(item[far != CUT], minlength=cells.size) == 0)
        holds = np.where(claimed >= 0, own == claimed, is_cut | ((claimed == NONE) & ~self.given.needed[cells]))
        shortest = holds & np.where(claimed >= 0, best == claimed, is_cut)
        smallest = shortest & (is_cut | (nearest == hop))
        nearest[nearest == self.given.n] = NO_HOP
        return holds.astype(np.int64) + shortest + smallest - 1, nearest


def _runs(first: Ints, index: Ints) -> tuple[Ints, Ints]:
    """For the runs ``first[i]:first[i + 1]`` of each i in `index`: whose run it is, and what is in it."""
    times = first[index + 1] - first[index]
    item = np.repeat(np.arange(index.size), times)
    return item, np.arange(item.size) + np.repeat(first[index] - np.cumsum(times) + times, times)


def _least(size: int, item: Ints, values: NDArray[Any], never: int) -> NDArray[Any]:
    """The least value of each item, `never` for none."""
    least = np.full(size, never, values.dtype)
    np.minimum.at(least, item, values)
    return least
