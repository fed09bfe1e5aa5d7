"""The engine graph: every order in which links fail, ports notice and notices travel.

What brokers know of one broker's links does not depend on what they know of another's. So the search goes through the
orders in which elements fail and ports notice it, and keeps for each broker that tells something every state that its
notices can be in; what is lost altogether is counted when their ends are put together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple, TypeAlias

from momlint.routed.flooding.world import LARGEST, Element, Fault, Step, Story, Tick, World

_Table: TypeAlias = tuple[tuple[bool, ...], ...]
_Steps: TypeAlias = tuple[Step, ...]


class _State(NamedTuple):
    """The notices of one broker. `start`: which of the tables of newer numbers holds.

    By broker: the version that it `known`s, and the one whose `content` it believes. By port: the version that is not
    acknowledged, and as bits those of which copies, and of which acknowledgements of copies that went out there, are
    under way. `cost`: what was lost.
    """

    start: int
    known: tuple[int, ...]
    content: tuple[int, ...]
    waiting: tuple[int, ...]
    flying: tuple[int, ...]
    answers: tuple[int, ...]
    cost: int


#: How each state came about: from which other, by which steps, and whether within the same stage.
_Stage: TypeAlias = dict[_State, "tuple[_State | None, _Steps, bool]"]


class _End(NamedTuple):
    """Where the notices of one broker can end: what each believes, whether an answer is waited for, at which cost."""

    content: tuple[int, ...]
    waits: bool
    cost: int
    state: _State


@dataclass(slots=True)
class _Scene:
    """What has failed and what ports take links for. `told`: of each broker, what each of its notices says."""

    down: frozenset[Element]
    works: tuple[bool, ...]
    shut: frozenset[int]
    told: tuple[tuple[frozenset[int], ...], ...]


def explore(
    world: World, wanted: Collection[Fault], tick: Tick, *, first: bool = False, reduced: bool = True
) -> dict[Fault, Story]:
    """A story for each of the faults that there is one for; with `first`, for the first that is found.

    `reduced`: without the orders that make no difference; else with all, for tests.
    """
    search = _Search(world, frozenset(wanted), tick, first=first, reduced=reduced)
    for sequence in world.sequences():
        search.run(sequence)
        if search.done:
            break
    return search.found


@cache
def newer_tables(most: int, naive: bool) -> tuple[tuple[int, _Table], ...]:
    """Which of `most` notices are newer than which, 0 the one before: every possible table, with a first number."""
    found: dict[_Table, int] = {}
    for start in range(1, LARGEST + 1):
        numbers = [(start + one - 1) % LARGEST + 1 for one in range(most + 1)]
        table = tuple(
            tuple(one > other if naive else 0 < (one - other) % LARGEST <= LARGEST // 2 for other in numbers)
            for one in numbers
        )
        found.setdefault(table, start)
    return tuple((start, table) for table, start in found.items())


class _Search:
    def __init__(self, world: World, wanted: frozenset[Fault], tick: Tick, *, first: bool, reduced: bool) -> None:
        self.world = world
        self.wanted = wanted
        self.tick = tick
        self.first = first
        self.found: dict[Fault, Story] = {}
        manners = world.manners
        self.manners = manners
        #: Whether what is not newer can be taken in and acknowledged at once: it makes no difference when.
        self.eager = (
            reduced and manners.acknowledge == "always" and manners.matched and manners.retransmit and manners.newest
        )
        self.sequence: tuple[Element, ...] = ()
        self.tables: list[tuple[tuple[int, _Table], ...]] = []
        self.spine: list[Step] = []
        self.stages: list[dict[int, _Stage]] = []
        self.scene = _Scene(frozenset(), (), frozenset(), ())

    @property
    def done(self) -> bool:
        return bool(self.found) if self.first else self.wanted <= self.found.keys()

    # -- failures and ports -------------------------------------------------------------------------------------------

    def run(self, sequence: tuple[Element, ...]) -> None:
        """All runs in which these elements fail or come back."""
        world = self.world
        self.sequence = sequence
        naive = self.manners.wrap == "naive"
        self.tables = [newer_tables(self._most(broker), naive) for broker in range(world.n)]
        self.scene = _Scene(frozenset(), world.works(frozenset()), frozenset(), ((frozenset(),),) * world.n)
        none, nowhere = (0,) * world.n, (0,) * (2 * len(world.links))
        self.spine = []
        self.stages = [
            {
                origin: {
                    _State(start, none, none, nowhere, nowhere, nowhere, 0): (None, (), False)
                    for start in range(len(self.tables[origin]))
                }
                for origin in range(world.n)
            }
        ]
        self._continue(0)

    def _most(self, broker: int) -> int:
        """How often the ports of a broker can change, at most."""
        return sum(
            len([link for link in self.world.own[broker] if self._concerns(element, link)])
            for element in self.sequence
            if element != Element(False, broker)
        )

    def _concerns(self, element: Element, link: int) -> bool:
        return element.number == link if element.is_link else element.number in self.world.links[link]

    def _continue(self, struck: int) -> None:
        self.tick()
        scene = self.scene
        if struck < len(self.sequence):
            self._strike(struck)
            self.scene = scene
        changes = [
            port
            for broker, ports in enumerate(self.world.ports)
            if Element(False, broker) not in scene.down
            for port in ports
            if scene.works[port >> 1] == (port in scene.shut)
        ]
        if struck == len(self.sequence) and not changes:
            self._judge()
        for port in changes:
            if self.done:
                return
            self._notice(port, struck)
            self.scene = scene

    def _push(self, step: Step, stage: dict[int, _Stage], struck: int) -> None:
        for origin, seeds in stage.items():
            if len(self.scene.told[origin]) > 1:
                self._close(origin, seeds)
        self.spine.append(step)
        self.stages.append(stage)
        self._continue(struck)
        self.stages.pop()
        self.spine.pop()

    def _strike(self, struck: int) -> None:
        element = self.sequence[struck]
        down = self.scene.down ^ {element}
        works = self.world.works(down)
        self.scene = _Scene(down, works, self.scene.shut, self.scene.told)
        stage: dict[int, _Stage] = {}
        for origin, states in self.stages[-1].items():
            seeds: _Stage = {}
            for state in states:
                flying = tuple(bits if works[port >> 1] else 0 for port, bits in enumerate(state.flying))
                answers = tuple(bits if works[port >> 1] else 0 for port, bits in enumerate(state.answers))
                new, steps = self._tidied(origin, state._replace(flying=flying, answers=answers))
                seeds.setdefault(new, (state, steps, False))
            stage[origin] = seeds
        self._push(Step("strike", element=element), stage, struck + 1)

    def _notice(self, port: int, struck: int) -> None:
        """A port changes: its broker tells it."""
        world, old = self.world, self.scene
        broker = world.end(port)
        shut = old.shut ^ {port}
        dead = frozenset(one >> 1 for one in world.ports[broker] if one in shut)
        said = (*old.told[broker], world.told(broker, dead))
        told = tuple(said if one == broker else other for one, other in enumerate(old.told))
        self.scene = _Scene(old.down, old.works, shut, told)
        version = len(said) - 1
        stage: dict[int, _Stage] = {}
        for origin, states in self.stages[-1].items():
            seeds: _Stage = {}
            for state in states:
                work = _Work(self, origin, state)
                if port in shut and not self.manners.keep:
                    work.waiting[port] = 0
                if origin == broker:
                    for out in world.ports[broker]:
                        work.tell(out, version)
                if port not in shut and not self.manners.retransmit and work.waiting[port]:
                    work.put(port, work.waiting[port])
                new, steps = self._tidied(origin, work.state(), work.steps)
                seeds.setdefault(new, (state, steps, False))
            stage[origin] = seeds
        self._push(Step("notice", port, broker, version), stage, struck)

    # -- notices ------------------------------------------------------------------------------------------------------

    def newer(self, origin: int, state: _State, version: int, broker: int) -> bool:
        """Whether a version is newer than what a broker knows; nobody tells a broker of itself."""
        return broker != origin and self.tables[origin][state.start][1][version][state.known[broker]]

    def _close(self, origin: int, states: _Stage) -> None:
        """Add everything that can become of these states without a failure and a port that notices."""
        queue = list(states)
        for number, state in enumerate(queue):
            if not number % 512:
                self.tick()
            for new, steps in self._eagerly(origin, state) if self.eager else self._freely(origin, state):
                if new not in states:
                    states[new] = (state, steps, True)
                    queue.append(new)

    def _tidied(self, origin: int, state: _State, steps: _Steps | list[Step] = ()) -> tuple[_State, _Steps]:
        """What is not newer has come and is acknowledged."""
        if not self.eager or len(self.scene.told[origin]) == 1:
            return state, tuple(steps)
        works, shut = self.scene.works, self.scene.shut
        waiting, flying, done = list(state.waiting), list(state.flying), list(steps)
        for port, version in enumerate(waiting):
            if not works[port >> 1] or not (version or flying[port]):
                continue
            there = self.world.end(port ^ 1)
            for late in _versions(flying[port]):
                if not self.newer(origin, state, late, there):
                    flying[port] &= ~(1 << late)
                    done += (Step("arrive", port, origin, late), Step("answered", port, origin, late))
            if version and port not in shut and not self.newer(origin, state, version, there):
                waiting[port] = 0
                done += (Step(kind, port, origin, version) for kind in ("send", "arrive", "answered"))
        return state._replace(waiting=tuple(waiting), flying=tuple(flying)), tuple(done)

    def _eagerly(self, origin: int, state: _State) -> Iterator[tuple[_State, _Steps]]:
        """A newer notice comes and is acknowledged."""
        works, shut = self.scene.works, self.scene.shut
        for port, version in enumerate(state.waiting):
            if not works[port >> 1]:
                continue
            there = self.world.end(port ^ 1)
            ready = list(_versions(state.flying[port]))
            fresh = version and port not in shut
            for chosen in [*ready, version] if fresh and version not in ready else ready:
                if self.newer(origin, state, chosen, there):
                    work = _Work(self, origin, state)
                    if chosen in ready:
                        work.flying[port] &= ~(1 << chosen)
                    else:
                        work.steps.append(Step("send", port, origin, chosen))
                    work.steps.append(Step("arrive", port, origin, chosen))
                    work.take(port, chosen)
                    work.steps.append(Step("answered", port, origin, chosen))
                    if version == chosen:
                        work.waiting[port] = 0
                    yield self._tidied(origin, work.state(), work.steps)

    def _freely(self, origin: int, state: _State) -> Iterator[tuple[_State, _Steps]]:
        """A copy goes out, comes or is lost, or its acknowledgement."""
        works, shut, manners = self.scene.works, self.scene.shut, self.manners
        spare = state.cost < self.world.bound.losses
        for port, version in enumerate(state.waiting):
            if not works[port >> 1]:
                continue
            flying = state.flying[port]
            if manners.retransmit and version and port not in shut and not flying >> version & 1:
                work = _Work(self, origin, state)
                work.put(port, version)
                yield work.state(), (Step("send", port, origin, version),)
            for chosen in _versions(flying):
                work = _Work(self, origin, state)
                work.flying[port] &= ~(1 << chosen)
                if spare and not manners.retransmit:
                    lost = work.state()._replace(cost=state.cost + 1)
                    yield lost, (Step("lose", port, origin, chosen),)
                work.steps.append(Step("arrive", port, origin, chosen))
                isnew = self.newer(origin, state, chosen, self.world.end(port ^ 1))
                work.take(port, chosen)
                if manners.acknowledge == "always" or (manners.acknowledge == "new" and isnew):
                    work.answers[port] |= 1 << chosen
                yield work.state(), tuple(work.steps)
            for chosen in _versions(state.answers[port]):
                work = _Work(self, origin, state)
                work.answers[port] &= ~(1 << chosen)
                if spare:
                    lost = work.state()._replace(cost=state.cost + 1)
                    yield lost, (Step("unanswered", port, origin, chosen),)
                if work.waiting[port] == chosen or not manners.matched:
                    work.waiting[port] = 0
                yield work.state(), (Step("answered", port, origin, chosen),)

    # -- ends ---------------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """Nothing fails any more, and every port has noticed: put together what the notices can have come to."""
        tellers = [origin for origin in range(self.world.n) if len(self.scene.told[origin]) > 1]
        ends = [list(self._ends(origin)) for origin in tellers]
        for chosen in product(*ends):
            if sum(end.cost for end in chosen) > self.world.bound.losses:
                continue
            faults: list[Fault] = ["waiting"] if any(end.waits for end in chosen) else []
            if self._wrong({origin: end.content for origin, end in zip(tellers, chosen, strict=True)}):
                faults.append("colour")
            for fault in faults:
                if fault in self.wanted and fault not in self.found:
                    self.found[fault] = self._story(fault, dict(zip(tellers, chosen, strict=True)))
            if self.done:
                return

    def _ends(self, origin: int) -> Iterator[_End]:
        best: dict[tuple[tuple[int, ...], bool], _End] = {}
        for state in self.stages[-1][origin]:
            waits = self._settled(origin, state)
            if waits is not None:
                key = (state.content, waits)
                if key not in best or state.cost < best[key].cost:
                    best[key] = _End(state.content, waits, state.cost, state)
        yield from best.values()

    def _settled(self, origin: int, state: _State) -> bool | None:
        """Whether an answer is waited for when nothing can happen any more; None where something can."""
        if any(state.flying) or any(state.answers):
            return None
        waits = False
        for port, version in enumerate(state.waiting):
            if version and self.scene.works[port >> 1] and port not in self.scene.shut:
                there = self.world.end(port ^ 1)
                if self.manners.retransmit and (
                    self.manners.acknowledge == "always"
                    or self.newer(origin, state, version, there)
                    or (there != origin and not self.manners.newest and state.content[there] != version)
                ):
                    return None
                waits = True
        return waits

    def _wrong(self, contents: Mapping[int, tuple[int, ...]]) -> bool:
        world, scene = self.world, self.scene
        if world.colours.exactly(frozenset(link for link, works in enumerate(scene.works) if not works)) is None:
            return False
        living = [one for one in range(world.n) if Element(False, one) not in scene.down]
        views = {}
        for broker in living:
            dead = {link for link in world.own[broker] if not scene.works[link]}
            for origin, content in contents.items():
                if origin != broker:
                    dead |= scene.told[origin][content[broker]] - world.own[broker]
            views[broker] = frozenset(dead)
        for part in _parts(world, living, scene.works):
            near = frozenset().union(*(world.own[broker] for broker in part))
            truth = frozenset(link for link in near if not scene.works[link])
            held = set()
            for broker in part:
                colour = world.colours.of(views[broker])
                held.add(colour)
                # Of links that nobody can tell it of any more, what it last heard is right.
                if world.colours.exactly(truth | (views[broker] - near)) not in (None, colour):
                    return True
            if len(held) > 1:
                return True
        return False

    def _story(self, fault: Fault, ends: Mapping[int, _End]) -> Story:
        """The steps that lead to these ends, one after the other."""
        parts: list[list[Step]] = [[] for _ in self.stages]
        numbers = [1] * self.world.n
        for origin, end in ends.items():
            numbers[origin] = self.tables[origin][end.state.start][0]
            here: _State | None = end.state
            depth = len(self.stages) - 1
            made: list[_Steps] = []
            while here is not None:
                before, steps, same = self.stages[depth][origin][here]
                made.append(steps)
                if not same:
                    parts[depth] += [step for one in reversed(made) for step in one]
                    made = []
                    depth -= 1
                here = before
        steps_of = [*parts[0]]
        for step, part in zip(self.spine, parts[1:], strict=True):
            # A late copy of what the broker told before has gone out by then.
            late = [one for one in part if step.kind == "notice" and self._precedes(one, step)]
            steps_of += [*late, step, *(one for one in part if one not in late)]
        return Story(fault, tuple(numbers), tuple(steps_of))

    def _precedes(self, one: Step, notice: Step) -> bool:
        own = one.origin == notice.origin and self.world.end(one.port) == notice.origin
        return own and one.kind == "send" and one.version < notice.version


class _Work:
    """A state that is being changed; `steps`: what was seen of it."""

    def __init__(self, search: _Search, origin: int, state: _State) -> None:
        self.search = search
        self.origin = origin
        self.old = state
        self.known, self.content = list(state.known), list(state.content)
        self.waiting, self.flying, self.answers = list(state.waiting), list(state.flying), list(state.answers)
        self.steps: list[Step] = []

    def state(self) -> _State:
        return self.old._replace(
            known=tuple(self.known),
            content=tuple(self.content),
            waiting=tuple(self.waiting),
            flying=tuple(self.flying),
            answers=tuple(self.answers),
        )

    def put(self, port: int, version: int) -> None:
        """A copy goes out, and is lost where the link does not work."""
        if self.search.scene.works[port >> 1]:
            self.flying[port] |= 1 << version

    def tell(self, port: int, version: int) -> None:
        """The version waits at a port from now on."""
        search = self.search
        is_open = port not in search.scene.shut
        if not is_open and not search.manners.keep:
            return
        before = self.waiting[port]
        if search.eager and before and is_open and search.scene.works[port >> 1]:
            there = search.world.end(port ^ 1)
            # A copy of what was told before may come late; what is not newer makes no difference.
            if search.newer(self.origin, self.old, before, there) and not self.flying[port] >> before & 1:
                self.flying[port] |= 1 << before
                self.steps.append(Step("send", port, self.origin, before))
        self.waiting[port] = version
        if is_open and not search.manners.retransmit:
            self.put(port, version)

    def take(self, port: int, version: int) -> None:
        """A copy that went out of `port` comes: it is believed and told, if it is newer."""
        search = self.search
        there = search.world.end(port ^ 1)
        if search.newer(self.origin, self.old, version, there):
            self.known[there] = self.content[there] = version
            for out in search.world.ports[there]:
                if out != port ^ 1:
                    self.tell(out, version)
        elif not search.manners.newest and there != self.origin:
            self.content[there] = version


def _versions(bits: int) -> Iterator[int]:
    version = 0
    while bits:
        if bits & 1:
            yield version
        bits >>= 1
        version += 1


def _parts(world: World, living: list[int], works: tuple[bool, ...]) -> list[set[int]]:
    """Brokers that are connected."""
    parts: list[set[int]] = [{broker} for broker in living]
    for link, ends in enumerate(world.links):
        if works[link]:
            touched = [part for part in parts if not part.isdisjoint(ends)]
            parts = [part for part in parts if part.isdisjoint(ends)] + [set().union(*touched)]
    return parts
