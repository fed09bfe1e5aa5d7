"""An order in which brokers can change from one colour to the next, one after the other, so that nothing ever loops.

A broker changes its whole table at once, so one order has to suit every destination. For a single destination there
always is one (against the stream, from the destination outwards); for several there may be none, and to decide that
is NP-hard in general. Here:

* a broker that is in no core (`momlint.routed.overlay.transients`) is on no cycle of any mix: it changes when it likes;
* brokers that share no core are independent of each other and are ordered apart;
* two brokers of which one's new way leads to the other, and the other's old way back, must change in one order: the
  other first. When such orders contradict each other, there is none: that is the short proof;
* else sets of changed brokers are searched, from none to all, and none is looked at twice. A broker whose new ways
  pass changed brokers only can never be on a cycle again, and hinders nobody by changing now: it does, without a
  choice. When all sets are used up there is no order; after `MOST_SETS` of them nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from momlint.routed.overlay.transients import Core

#: Sets of changed brokers that are looked at for brokers that hang together; 12 brokers have no more than these.
MOST_SETS = 4096


class Precedence(NamedTuple):
    """`first` must change before `second`: else, for `dest`, `second` sends to `first` and it sends back."""

    first: int
    second: int
    dest: int


@dataclass(frozen=True, slots=True)
class Order:
    """The answer: `verdict`, and with ``found`` the `brokers` in the order in which to change.

    Brokers not listed change at any time, before, after or in between. For ``none``, `conflict` are precedences that
    go round in a circle, empty where all `sets` were searched in vain. ``unknown``: the search was given up.
    `involved`: the brokers that have to be ordered, ascending; for ``none`` and ``unknown`` those that hang together
    and have no order.
    """

    verdict: Literal["found", "none", "unknown"]
    brokers: tuple[int, ...] = ()
    involved: tuple[int, ...] = ()
    conflict: tuple[Precedence, ...] = ()
    sets: int = 0


def update_order(cores: Sequence[Core], most_sets: int = MOST_SETS) -> Order:
    """An order for all `cores` of one colour, from its normal entries to the colour's; backwards it serves the return.

    Every prefix of the order is free of loops for every destination. Raises nothing; what is not found within
    `most_sets` is ``unknown``.
    """
    found: list[int] = []
    sets = 0
    unknown: Order | None = None
    for brokers, their_cores in _components(cores):
        part = _ordered(brokers, their_cores, most_sets)
        if part.verdict == "none":
            return part
        if part.verdict == "unknown":
            unknown = unknown or part
        found += part.brokers
        sets += part.sets
    return unknown or Order("found", tuple(found), tuple(sorted(found)), sets=sets)


def precedences(cores: Iterable[Core]) -> list[Precedence]:
    """What two brokers' ways alone demand, sorted; of several destinations the first."""
    demanded: dict[tuple[int, int], int] = {}
    for core in cores:
        for second, first in core.after.items():
            if core.before.get(first) == second:
                demanded.setdefault((first, second), core.dest)
    return sorted(Precedence(first, second, dest) for (first, second), dest in demanded.items())


def _components(cores: Sequence[Core]) -> Iterator[tuple[list[int], list[Core]]]:
    """Brokers that hang together by cores, ascending, with those cores; by smallest broker."""
    parent: dict[int, int] = {}

    def root(at: int) -> int:
        while parent.setdefault(at, at) != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    firsts = []
    for core in cores:
        members = sorted(_members(core))
        firsts.append(members[0])
        for member in members:
            one, other = root(members[0]), root(member)
            parent[max(one, other)] = min(one, other)
    parts: dict[int, tuple[list[int], list[Core]]] = {}
    for broker in sorted(parent):
        parts.setdefault(root(broker), ([], []))[0].append(broker)
    for core, first in zip(cores, firsts, strict=True):
        parts[root(first)][1].append(core)
    yield from parts.values()


def _members(core: Core) -> set[int]:
    return {*core.before, *core.after, *core.before.values(), *core.after.values()}


def _ordered(brokers: list[int], cores: list[Core], most_sets: int) -> Order:
    demanded = precedences(cores)
    circle = _circle(demanded)
    if circle:
        return Order("none", involved=tuple(brokers), conflict=circle)
    search = _Search(brokers, cores)
    found = search.run(_topological(brokers, demanded), most_sets)
    if found is not None:
        return Order("found", found, tuple(brokers), sets=search.seen)
    return Order("unknown" if search.gave_up else "none", involved=tuple(brokers), sets=search.seen)


class _Search:
    """Depth first over sets of changed brokers."""

    def __init__(self, brokers: list[int], cores: list[Core]) -> None:
        self.bit = {broker: 1 << place for place, broker in enumerate(brokers)}
        self.cores_of: dict[int, list[Core]] = {broker: [] for broker in brokers}
        for core in cores:
            for broker in _members(core):
                self.cores_of[broker].append(core)
        self.seen = 0
        self.gave_up = False

    def run(self, brokers: Sequence[int], most_sets: int) -> tuple[int, ...] | None:
        """A whole order, candidates tried in the order of `brokers`; None where there is none or it was given up."""
        known: set[int] = set()
        order: list[int] = []
        # Each level: how long the order was before it, the set, and what is left to try.
        levels: list[tuple[int, int, Iterator[int]]] = []

        def enter(changed: int) -> bool:
            """Go to this set; true when all have changed."""
            length = len(order)
            changed = self._settle(brokers, changed, order)
            if len(order) == len(brokers):
                return True
            if changed not in known:
                known.add(changed)
                self.seen += 1
                levels.append((length, changed, self._candidates(brokers, changed)))
            else:
                del order[length:]
            return False

        if enter(0):
            return tuple(order)
        while levels:
            if self.seen > most_sets:
                self.gave_up = True
                return None
            length, changed, candidates = levels[-1]
            broker = next(candidates, None)
            if broker is None:
                levels.pop()
                # The broker chosen to come here stands before what this level settled.
                del order[max(length - 1, 0) :]
                continue
            order.append(broker)
            depth = len(levels)
            if enter(changed | self.bit[broker]):
                return tuple(order)
            if len(levels) == depth:
                order.pop()
        return None

    def _settle(self, brokers: Sequence[int], changed: int, order: list[int]) -> int:
        """Change every broker whose new ways pass changed brokers only, until there is none."""
        moved = True
        while moved:
            moved = False
            for broker in brokers:
                if not changed & self.bit[broker] and all(
                    self._is_final(core, broker, changed) for core in self.cores_of[broker]
                ):
                    changed |= self.bit[broker]
                    order.append(broker)
                    moved = True
        return changed

    def _is_final(self, core: Core, broker: int, changed: int) -> bool:
        at = core.after.get(broker)
        while at is not None:
            if not changed & self.bit[at]:
                return False
            at = core.after.get(at)
        return True

    def _candidates(self, brokers: Sequence[int], changed: int) -> Iterator[int]:
        for broker in brokers:
            if not changed & self.bit[broker] and not any(
                self._loops(core, broker, changed) for core in self.cores_of[broker]
            ):
                yield broker

    def _loops(self, core: Core, broker: int, changed: int) -> bool:
        """Whether `broker` lies on a cycle once it changes as well; there is none before."""
        at = core.after.get(broker)
        while at is not None and at != broker:
            at = (core.after if changed & self.bit[at] else core.before).get(at)
        return at == broker


def _circle(demanded: Sequence[Precedence]) -> tuple[Precedence, ...]:
    """Precedences that contradict each other, as a circle; empty where they do not."""
    onward: dict[int, list[Precedence]] = {}
    for one in demanded:
        onward.setdefault(one.first, []).append(one)
    done: set[int] = set()
    for start in sorted(onward):
        way: list[Precedence] = []
        on_way = {start: 0}
        work = [iter(onward[start] if start not in done else ())]
        while work:
            step = next(work[-1], None)
            if step is None:
                work.pop()
                if way:
                    gone = way.pop().second
                    del on_way[gone]
                    done.add(gone)
            elif step.second in on_way:
                return (*way[on_way[step.second] :], step)
            elif step.second not in done:
                way.append(step)
                on_way[step.second] = len(way)
                work.append(iter(onward.get(step.second, ())))
        done.add(start)
    return ()


def _topological(brokers: Sequence[int], demanded: Sequence[Precedence]) -> list[int]:
    """`brokers` so that every precedence is kept, the smallest first where there is a choice."""
    from heapq import heapify, heappop, heappush

    waits = dict.fromkeys(brokers, 0)
    then: dict[int, list[int]] = {}
    for one in demanded:
        waits[one.second] += 1
        then.setdefault(one.first, []).append(one.second)
    free = [broker for broker, number in waits.items() if not number]
    heapify(free)
    order = []
    while free:
        broker = heappop(free)
        order.append(broker)
        for later in then.get(broker, ()):
            waits[later] -= 1
            if not waits[later]:
                heappush(free, later)
    return order
