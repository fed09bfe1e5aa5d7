"""The engine smt: the same question to a solver, which chooses when things happen, and in which order.

One script for each order in which elements fail (templates/flooding.smt2.j2), with a moment for everything that can
happen then. Nothing is left out and nothing is decided beforehand, other than in `explore`, with which it shares the
form alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from momlint.rendering import template
from momlint.routed.flooding.world import LARGEST, Element, Fault, Step, Story, World
from momlint.solving.choose import open_session
from momlint.solving.limits import SolverLimits
from momlint.solving.session import Model


class _Notice(NamedTuple):
    """What may be told when a port notices. `epoch`: after so many strikes. `closes`: it takes the link for dead."""

    id: str
    port: int
    origin: int
    epoch: int
    closes: bool


class _Copy(NamedTuple):
    """`change`: the notice with which the port opened, where a copy goes out because of that."""

    id: str
    notice: _Notice
    port: int
    change: str | None = None


class _Way(NamedTuple):
    """How a broker comes to have something to tell: a Boolean and a moment."""

    flag: str
    time: str


class _View(NamedTuple):
    """What a broker can hold in the end. `links`: of which it may hear that they are dead; sets of them by colour."""

    broker: int
    links: tuple[int, ...]
    holds: tuple[tuple[int, tuple[frozenset[int], ...]], ...]
    wrong: tuple[frozenset[int], ...]

    @property
    def colours(self) -> list[int]:
        """Those that it can hold."""
        return [colour for colour, _ in self.holds]


def decide(
    world: World, wanted: Collection[Fault], limits: SolverLimits, solver: str = "z3", *, first: bool = False
) -> dict[Fault, Story]:
    """A story for each of the faults that there is one for; with `first`, for the first. Raises `GaveUp`."""
    found: dict[Fault, Story] = {}
    for sequence in world.sequences():
        script = _Script(world, sequence)
        left = [fault for fault in wanted if fault not in found]
        if not left or (first and found):
            break
        if script.notices:
            found |= script.stories(left, limits, solver)
    return found


class _Script:
    def __init__(self, world: World, sequence: tuple[Element, ...]) -> None:
        self.world = world
        self.sequence = sequence
        self.strikes = len(sequence)
        down: frozenset[Element] = frozenset()
        downs = [down]
        for element in sequence:
            down ^= {element}
            downs.append(down)
        self.works = [world.works(one) for one in downs]
        self.alive = [[Element(False, b) not in one for b in range(world.n)] for one in downs]
        self.notices = list(self._notices())
        self.origins = sorted({notice.origin for notice in self.notices})
        self.copies = [
            copy
            for notice in self.notices
            for port in range(2 * len(world.links))
            for copy in self._copies(notice, port)
        ]
        self._of: dict[tuple[str, int], list[_Copy]] = {}
        self._to: dict[tuple[int, int], list[_Copy]] = {}
        self._changes: dict[int, list[_Notice]] = {}
        for copy in self.copies:
            self._of.setdefault((copy.notice.id, copy.port), []).append(copy)
            self._to.setdefault((copy.notice.origin, world.end(copy.port ^ 1)), []).append(copy)
        for notice in self.notices:
            self._changes.setdefault(notice.port, []).append(notice)

    def _notices(self) -> Iterator[_Notice]:
        for broker, ports in enumerate(self.world.ports):
            for port in ports:
                for epoch in range(1, self.strikes + 1):
                    closes = not self.works[epoch][port // 2]
                    was_dead = any(not works[port // 2] for works in self.works[:epoch])
                    if self.alive[epoch][broker] and (closes or was_dead):
                        yield _Notice(f"{port}_{epoch}", port, broker, epoch, closes)

    def _copies(self, notice: _Notice, port: int) -> Iterator[_Copy]:
        name = f"{notice.id}_{port}"
        manners = self.world.manners
        if manners.retransmit:
            # One that is news, and one that comes late: that makes a difference to those only who believe it then, or
            # do not acknowledge it, or take its acknowledgement for another's.
            plain = manners.newest and manners.matched and manners.acknowledge == "always"
            for number in range(1 if plain else 2):
                yield _Copy(f"{name}_{number}", notice, port)
            return
        yield _Copy(f"{name}_0", notice, port)
        for change in self.notices:
            if change.port == port and not change.closes and change.origin != notice.origin:
                yield _Copy(f"{name}_x{change.id}", notice, port, change.id)

    # -- moments ------------------------------------------------------------------------------------------------------

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Of each moment: of two that are equal, the one with the smaller rank comes first."""
        names = [self.strike(one) for one in range(1, self.strikes + 1)]
        names += [f"tc_{notice.id}" for notice in self.notices]
        for kind in ("ts", "tr", "tk"):
            names += [f"{kind}_{copy.id}" for copy in self.copies]
        return {name: rank for rank, name in enumerate(names)}

    def strike(self, number: int) -> str:
        """The moment of a strike, from 1; before all is ``begin``, after all ``end``."""
        return "begin" if number < 1 else "end" if number > self.strikes else f"T_{number}"

    def before(self, one: str, other: str) -> str:
        """That a moment is before another."""
        if one == other:
            return "false"
        if one == "begin" or other == "end":
            return "true"
        if one == "end" or other == "begin":
            return "false"
        return f"({'bvule' if self.ranks[one] < self.ranks[other] else 'bvult'} {one} {other})"

    def shut_by(self, port: int, time: str, notice: _Notice) -> str:
        """That a port is shut when its broker begins to tell a notice, which may be that it shuts."""
        parts = [
            f"ch_{one.id}" if time == f"tc_{one.id}" else f"(and ch_{one.id} {self.before(f'tc_{one.id}', time)})"
            for one in self._changes.get(port, [])
        ]
        return f"(xor {' '.join(parts)} false false)"

    # -- who tells whom -----------------------------------------------------------------------------------------------

    def all_ways(self, notice: _Notice, broker: int) -> list[_Way]:
        """How a broker comes to know a notice as news."""
        if broker == notice.origin:
            return [_Way(f"ch_{notice.id}", f"tc_{notice.id}")]
        return [
            _Way(f"nw_{copy.id}", f"tr_{copy.id}")
            for copy in self._to.get((notice.origin, broker), [])
            if copy.notice.id == notice.id
        ]

    def ways(self, notice: _Notice, port: int) -> list[_Way]:
        """How it comes to be told out of a port: news that came in there are not."""
        broker = self.world.end(port)
        if broker == notice.origin:
            return self.all_ways(notice, broker)
        return [
            _Way(f"nw_{copy.id}", f"tr_{copy.id}")
            for copy in self._to.get((notice.origin, broker), [])
            if copy.notice.id == notice.id and copy.port != port ^ 1
        ]

    def ports_that_change(self, broker: int) -> list[int]:
        return [port for port in self.world.ports[broker] if self._changes.get(port)]

    def sayings(self, broker: int) -> list[tuple[frozenset[int], frozenset[int]]]:
        """What a broker tells, by which of its links it takes for dead."""
        links = [port // 2 for port in self.ports_that_change(broker)]
        return [(dead, self.world.told(broker, dead)) for dead in _subsets(links)]

    @cached_property
    def _sayable(self) -> dict[int, frozenset[int]]:
        return {
            broker: frozenset().union(*(said for _, said in self.sayings(broker)))
            if broker in self.origins
            else frozenset()
            for broker in range(self.world.n)
        }

    # -- ends ---------------------------------------------------------------------------------------------------------

    def _parts(self) -> dict[int, int]:
        """Of each broker that works in the end, the least that it is connected with."""
        part = {broker: broker for broker in range(self.world.n) if self.alive[-1][broker]}
        for _ in part:
            for link, (one, other) in enumerate(self.world.links):
                if self.works[-1][link]:
                    part[one] = part[other] = min(part[one], part[other])
        return part

    def views(self) -> tuple[list[_View], list[tuple[_View, _View]]]:
        """What each broker can hold, and which of them are connected; nothing where what fails has no colour."""
        world, works = self.world, self.works[-1]
        dead = frozenset(link for link, one in enumerate(works) if not one)
        if world.colours.exactly(dead) is None:
            return [], []
        part = self._parts()
        found: dict[int, _View] = {}
        for broker in part:
            own = world.own[broker]
            links = tuple(sorted(frozenset().union(*(self._sayable[o] for o in self.origins if o != broker)) - own))
            near = frozenset().union(*(world.own[other] for other in part if part[other] == part[broker]))
            holds: dict[int, list[frozenset[int]]] = {}
            wrong = []
            for seen in _subsets(links):
                view = (dead & own) | seen
                colour = world.colours.of(view)
                holds.setdefault(colour, []).append(seen)
                if world.colours.exactly((dead & near) | (view - near)) not in (None, colour):
                    wrong.append(seen)
            cases = tuple((colour, tuple(sets)) for colour, sets in holds.items())
            found[broker] = _View(broker, links, cases, tuple(wrong))
        together = [(found[a], found[b]) for a, b in combinations(found, 2) if part[a] == part[b]]
        return list(found.values()), together

    # -- asking -------------------------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Bits of a moment: there are as many as there is to happen."""
        return max(3, len(self.ranks).bit_length())

    def text(self) -> str:
        """The script."""
        world, manners = self.world, self.world.manners
        views, together = self.views()
        final = [
            (port, not self.works[-1][port // 2])
            for broker in range(world.n)
            if self.alive[-1][broker]
            for port in world.ports[broker]
        ]
        return template("flooding.smt2.j2").render(
            width=self.width,
            strikes=self.strikes,
            brokers=world.n,
            notices=self.notices,
            origins=self.origins,
            copies=self.copies,
            final=final,
            open_ports=[port for port, is_shut in final if not is_shut],
            views=views,
            together=together,
            largest=LARGEST,
            losses=world.bound.losses,
            naive=manners.wrap == "naive",
            acknowledge=manners.acknowledge,
            matched=manners.matched,
            retransmit=manners.retransmit,
            newest=manners.newest,
            keep=manners.keep,
            effect="nw" if manners.newest else "ar",
            before=self.before,
            strike=self.strike,
            shut_by=self.shut_by,
            end=world.end,
            q_other=lambda port: port ^ 1,
            changes_of=lambda port: self._changes.get(port, []),
            notices_of=lambda origin: [notice for notice in self.notices if notice.origin == origin],
            copies_of=lambda notice, port: self._of[notice.id, port],
            copies_to=lambda origin, broker: self._to.get((origin, broker), []),
            copies_into=lambda broker: [
                copy for origin in self.origins if origin != broker for copy in self._to.get((origin, broker), [])
            ],
            ways=self.ways,
            all_ways=self.all_ways,
            dead_epochs=lambda port: [e for e, works in enumerate(self.works) if e and not works[port // 2]],
            ports_that_change=self.ports_that_change,
            sayings=self.sayings,
            sayable=lambda broker: sorted(self._sayable[broker]),
        )

    def stories(self, wanted: Collection[Fault], limits: SolverLimits, solver: str) -> dict[Fault, Story]:
        """A story for each of the faults that there is one for."""
        session = open_session(solver, self.text(), limits)
        found: dict[Fault, Story] = {}
        for fault in wanted:
            model = session.find(fault)
            if model is not None:
                found[fault] = self._story(fault, model)
        return found

    def _number(self, model: Model, name: str, width: int) -> int:
        return sum(1 << bit for bit in model.true([f"{name}_b{bit}" for bit in range(width)]))

    def _story(self, fault: Fault, model: Model) -> Story:
        def when(name: str) -> tuple[int, int]:
            return self._number(model, name, self.width), self.ranks[name]

        def holds(name: str) -> bool:
            return bool(model.true([name]))

        timed = [(when(self.strike(i + 1)), Step("strike", element=one)) for i, one in enumerate(self.sequence)]
        version: dict[str, int] = {}
        for origin in self.origins:
            made = sorted(
                (when(f"tc_{one.id}"), one) for one in self.notices if one.origin == origin and holds(f"ch_{one.id}")
            )
            for number, (moment, notice) in enumerate(made, 1):
                version[notice.id] = number
                timed.append((moment, Step("notice", notice.port, origin, number)))
        for copy in self.copies:
            if copy.notice.id not in version:
                continue
            about = (copy.port, copy.notice.origin, version[copy.notice.id])
            came, name = holds(f"ar_{copy.id}"), copy.id
            if came and self.world.manners.retransmit:
                timed.append((when(f"ts_{name}"), Step("send", *about)))
            if came or (not self.world.manners.retransmit and holds(f"lo_{name}")):
                timed.append((when(f"tr_{name}"), Step("arrive" if came else "lose", *about)))
            if holds(f"aw_{name}") or holds(f"ul_{name}"):
                timed.append((when(f"tk_{name}"), Step("answered" if holds(f"aw_{name}") else "unanswered", *about)))
        numbers = [
            self._number(model, f"start_{broker}", 8) if broker in self.origins else 1 for broker in range(self.world.n)
        ]
        return Story(fault, tuple(numbers), tuple(step for _, step in sorted(timed, key=lambda one: one[0])))


def _subsets(links: Collection[int]) -> list[frozenset[int]]:
    return [frozenset(some) for count in range(len(links) + 1) for some in combinations(sorted(links), count)]
