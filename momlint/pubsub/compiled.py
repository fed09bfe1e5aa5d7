"""The compiled model: for one question, the form as numbered global states, numbered local states, and transitions.

A configuration is a global state (what each worker holds, which message each topic retains) and for each client a local
state (role, state, connected, lists, queue, what the question or a guard remembers, what workers still have for it). A
*transition* maps the global state, the local state of the client that acts, if one does, and those of all others, each
by itself: no map looks at another's result. So it has as many variants as it has cases, and a set that is a product of
sets has a product as its preimage.

Three things make it small, and change no trace's length:

* only what the question or a guard asks about is remembered;
* messages that behave alike are one (`alike`);
* local states that nothing tells apart, now or later, are one (`shrunk`: the coarsest congruence).

A worker is as good as another that is idle: the first idle one takes what is published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from momlint.pubsub.form import (
    All,
    Any,
    Atom,
    Clients,
    Constant,
    Formula,
    Kind,
    Move,
    Negation,
    Step,
    atoms,
)

Ints = NDArray[np.int32]
T = TypeVar("T")
#: No state: the transition cannot be taken from there.
NONE: Final = -1
#: More than these are not enumerated.
MOST_LOCAL = 40_000
MOST_GLOBAL = 4_000
MOST_WORKERS = 64

# What a worker still has for a client: bits of a number for each worker.
_LISTED = 1  # snapshot: it is in the copy (`each`: and has not had its turn)
_DONE = 2  # live, one by one: it has had its turn
_AWAITING = 4  # it was connected and on the list at publication, and has not had it handed or queued


class TooLarge(Exception):
    """The model has more states than are enumerated; the text is one clause for the user."""


class Question(NamedTuple):
    """Can clients, each another one, satisfy the formulas `never`? Or, with `step` (role, step), can it be taken?"""

    never: tuple[Formula, ...] = ()
    step: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """`world`: int32[G], the global state after it, `NONE` where it cannot be taken.

    `actor`, `others`: int32[L], the local states after it; `NONE` where the transition is impossible while such a
    client is there. `actor` is None where no client acts, `others` None where nothing happens to them. `move`: what it
    is, its client left open.
    """

    move: Move
    world: Ints
    actor: Ints | None
    others: Ints | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """A question about clients, compiled.

    `worlds`, `locals`: how many global and local states there are; the initial global state is 0. `starts`: the initial
    local state of each role. `counts`: how many clients each has, None for any number. `role_of`: int32[L], whose local
    state it is; for roles with any number of clients it may be any of those that are alike. `bad`: bool[k, L], which
    local states satisfy the k-th formula. `states`: for words, of each local state one `Local` that it stands for.
    """

    form: Clients
    question: Question
    worlds: tuple[World, ...]
    states: tuple[Local, ...]
    starts: tuple[int, ...]
    counts: tuple[int | None, ...]
    role_of: Ints
    bad: NDArray[np.bool_]
    transitions: tuple[Transition, ...]
    messages: tuple[int, ...]


class World(NamedTuple):
    """A global state. `workers`: the message that each holds, `NONE` for idle; `retained`: that of each topic."""

    workers: tuple[int, ...]
    retained: tuple[int, ...]


class Local(NamedTuple):
    """A local state; sets of topics and messages are bits. `taken`: whether the step asked about was taken.

    `work`: for each worker what it still has for the client.
    """

    role: int
    state: int
    connected: bool
    lists: int = 0
    queue: int = 0
    ever: int = 0
    received: int = 0
    twice: int = 0
    late: int = 0
    missed: int = 0
    taken: bool = False
    work: tuple[int, ...] = ()


#: What a map does with a local state; None for impossible.
LocalMap = Callable[[Local], Local | None]


class _Rule(NamedTuple):
    """A transition before states have numbers."""

    move: Move
    world: Callable[[World], World | None]
    actor: LocalMap | None
    others: LocalMap | None


def holds(formula: Formula, client: Local) -> bool:
    """Whether a local state satisfies the formula."""
    match formula:
        case Constant(value):
            return value
        case Negation(part):
            return not holds(part, client)
        case All(parts):
            return all(holds(part, client) for part in parts)
        case Any(parts):
            return any(holds(part, client) for part in parts)
        case Atom(kind, index, states):
            match kind:
                case "state":
                    return (client.role, client.state) in states
                case "role":
                    return client.role == index
                case "connected":
                    return client.connected
                case "subscribed":
                    return bool(client.lists >> index & 1)
                case "ever":
                    return bool(client.ever >> index & 1)
                case "received":
                    return bool(client.received >> index & 1)
                case "twice":
                    return bool(client.twice >> index & 1)
                case "late":
                    return bool(client.late >> index & 1)
                case "missed":
                    return bool(client.missed >> index & 1)


def compile_question(form: Clients, question: Question) -> Compiled:
    """Compile. Raises `TooLarge`."""
    return _Compiler(form, question).run()


class _Compiler:
    def __init__(self, form: Clients, question: Question) -> None:
        self.form = form
        self.question = question
        asked: dict[Kind, int] = {}
        guards = [step.condition for role in form.roles for step in role.steps]
        for formula in (*question.never, *guards):
            for atom in atoms(formula):
                asked[atom.kind] = asked.get(atom.kind, 0) | 1 << atom.number
        self.ever = asked.get("ever", 0)
        self.twice = asked.get("twice", 0)
        self.received = asked.get("received", 0) | self.twice
        self.late = asked.get("late", 0)
        self.missed = asked.get("missed", 0)
        self.same = self.alike()

    def alike(self) -> tuple[int, ...]:
        """For each message the first that behaves as it does.

        The same topic, retained alike, not remembered, and every role takes the same steps on receiving it. A queue
        hands out both of two messages, so that where clients have queues nothing may happen on receiving them.
        """
        form = self.form
        remembered = self.received | self.twice | self.late | self.missed
        first: dict[object, int] = {}
        found = []
        for index, message in enumerate(form.messages):
            key: object = index
            if not remembered >> index & 1:
                reactions = tuple(
                    tuple(
                        (step.sources, step.target, step.condition, self.question.step == (number, position))
                        for position, step in enumerate(role.steps)
                        if step.verb == "on" and step.object == index
                    )
                    for number, role in enumerate(form.roles)
                )
                if not any(reactions) or not form.broker.persistent:
                    key = message.topic, message.retained, reactions
            found.append(first.setdefault(key, index))
        return tuple(found)

    # -- rules --------------------------------------------------------------------------------------------------------

    def rules(self) -> list[_Rule]:
        """Every transition, in the order in which traces prefer them."""
        form = self.form
        rules: list[_Rule] = []
        for number, role in enumerate(form.roles):
            for index, step in enumerate(role.steps):
                if step.verb != "on":
                    rules += self.step_rules(number, index, step)
        crashing = {number for number, role in enumerate(form.roles) if role.crash}
        if crashing:
            rules.append(_Rule(Move("crash"), lambda world: world, self.crash(crashing), None))
        held = dict.fromkeys(
            self.same[step.object] for role in form.roles for step in role.steps if step.verb == "publish"
        )
        for worker in range(form.broker.workers):
            for message in held:
                rules += self.worker_rules(worker, message)
        return rules

    def step_rules(self, number: int, index: int, step: Step) -> list[_Rule]:
        move = Move("step", step=index)
        go = self.go(number, index, step)
        topic = step.object
        match step.verb:
            case "subscribe":
                kept: list[int] = list(dict.fromkeys(self.same[one] for one in self.form.retained_on(topic)))
                return [
                    _Rule(
                        move,
                        _where_retained(topic, value) if kept else _anywhere,
                        self.subscribe(go, topic, value),
                        None,
                    )
                    for value in (NONE, *kept)
                ]
            case "unsubscribe":
                return [
                    _Rule(move, _anywhere, _then(go, lambda one: one._replace(lists=one.lists & ~(1 << topic))), None)
                ]
            case "disconnect":
                keep = self.form.broker.persistent
                return [
                    _Rule(
                        move,
                        _anywhere,
                        _then(go, lambda one: one._replace(connected=False, lists=one.lists if keep else 0)),
                        None,
                    )
                ]
            case "connect":
                return [_Rule(move, _anywhere, _then(go, self.connect), None)]
            case "publish":
                message = self.same[step.object]
                return [
                    _Rule(
                        move._replace(worker=worker),
                        self.taken_by(worker, message),
                        _then(go, self.copied(worker, message)),
                        self.copied(worker, message),
                    )
                    for worker in range(self.form.broker.workers)
                ]
            case _:
                return [_Rule(move, _anywhere, go, None)]

    def go(self, number: int, index: int, step: Step) -> LocalMap:
        """The client in its new state; None where it cannot take the step."""
        online = step.verb != "connect"
        mine = self.question.step == (number, index)

        def moved(one: Local) -> Local | None:
            if one.role != number or one.connected != online or one.state not in step.sources:
                return None
            if not holds(step.condition, one):
                return None
            return self.moved(one, step, mine)

        return moved

    @staticmethod
    def moved(one: Local, step: Step, mine: bool) -> Local:
        state = one.state if step.target is None else step.target
        return one._replace(state=state, taken=one.taken or mine)

    def subscribe(self, go: LocalMap, topic: int, retained: int) -> LocalMap:
        def subscribed(one: Local) -> Local | None:
            found = go(one)
            if found is None:
                return None
            bit = 1 << topic
            found = found._replace(lists=found.lists | bit, ever=found.ever | bit & self.ever)
            return found if retained == NONE else self.receive(found, retained)

        return subscribed

    def connect(self, one: Local) -> Local:
        """Online, and what was queued is received."""
        queue = one.queue
        one = one._replace(connected=True, queue=0)
        for message in range(queue.bit_length()):
            if queue >> message & 1:
                one = self.receive(one, message)
        return one

    def crash(self, crashing: set[int]) -> LocalMap:
        return lambda one: one._replace(connected=False) if one.connected and one.role in crashing else None

    def taken_by(self, worker: int, message: int) -> Callable[[World], World | None]:
        """The first idle worker takes a message."""
        kind = self.form.messages[message]

        def taken(world: World) -> World | None:
            if world.workers[worker] != NONE or NONE in world.workers[:worker]:
                return None
            retained = world.retained
            if kind.retained:
                retained = (*retained[: kind.topic], message, *retained[kind.topic + 1 :])
            return World((*world.workers[:worker], message, *world.workers[worker + 1 :]), retained)

        return taken

    def copied(self, worker: int, message: int) -> Callable[[Local], Local]:
        """What a worker that takes a message has for a client."""
        topic = self.form.messages[message].topic
        listed = 0 if self.form.broker.live else _LISTED
        awaiting = _AWAITING if self.missed >> message & 1 else 0

        def copied(one: Local) -> Local:
            if not one.lists >> topic & 1:
                return one
            return self.with_work(one, worker, listed | (awaiting if one.connected else 0))

        return copied

    @staticmethod
    def with_work(one: Local, worker: int, work: int) -> Local:
        if one.work[worker] == work:
            return one
        return one._replace(work=(*one.work[:worker], work, *one.work[worker + 1 :]))

    def worker_rules(self, worker: int, message: int) -> list[_Rule]:
        broker = self.form.broker
        free, holding = _freed(worker, message), _holding(worker, message)
        if not broker.each:
            return [_Rule(Move("notify", worker=worker), free, None, self.notified(worker, message))]
        rules = [_Rule(Move("hand", worker=worker), holding, self.handed(worker, message, lost=False), None)]
        if broker.acknowledged:
            lost = self.handed(worker, message, lost=True)
            rules.append(_Rule(Move("hand", worker=worker, lost=True), holding, lost, None))
        rules.append(_Rule(Move("idle", worker=worker), free, None, self.idle(worker, message)))
        return rules

    def is_target(self, one: Local, worker: int, message: int) -> bool:
        work = one.work[worker]
        if not self.form.broker.live:
            return bool(work & _LISTED)
        return bool(one.lists >> self.form.messages[message].topic & 1) and not work & _DONE

    def served(self, one: Local, worker: int, message: int) -> Local:
        """A target has its turn: it receives, or the message is queued for it, or lost."""
        if one.connected:
            one = self.with_work(one, worker, one.work[worker] & ~_AWAITING)
            return self.receive(one, message)
        if self.form.broker.persistent:
            one = self.with_work(one, worker, one.work[worker] & ~_AWAITING)
            return one._replace(queue=one.queue | 1 << message)
        return one

    def notified(self, worker: int, message: int) -> LocalMap:
        def notified(one: Local) -> Local:
            if self.is_target(one, worker, message):
                one = self.served(one, worker, message)
            return self.forgotten(one, worker, message)

        return notified

    def forgotten(self, one: Local, worker: int, message: int) -> Local:
        """The worker has become idle."""
        if one.work[worker] & _AWAITING:
            one = one._replace(missed=one.missed | 1 << message)
        return self.with_work(one, worker, 0)

    def handed(self, worker: int, message: int, *, lost: bool) -> LocalMap:
        live = self.form.broker.live

        def handed(one: Local) -> Local | None:
            if not self.is_target(one, worker, message) or (lost and not one.connected):
                return None
            one = self.served(one, worker, message)
            if lost:
                return one
            work = one.work[worker]
            return self.with_work(one, worker, work | _DONE if live else work & ~_LISTED)

        return handed

    def idle(self, worker: int, message: int) -> LocalMap:
        abort = self.form.broker.abort

        def idle(one: Local) -> Local | None:
            if not abort and self.is_target(one, worker, message):
                return None
            return self.forgotten(one, worker, message)

        return idle

    def receive(self, one: Local, message: int) -> Local:
        """The rule *receive*."""
        for index, step in enumerate(self.form.roles[one.role].steps):
            here = step.verb == "on" and self.same[step.object] == message and one.state in step.sources
            if here and holds(step.condition, one):
                moved = self.moved(one, step, self.question.step == (one.role, index))
                break
        else:
            moved = one
        bit = 1 << message
        return moved._replace(
            received=one.received | bit & self.received,
            twice=one.twice | bit & one.received & self.twice,
            late=one.late | (0 if one.lists >> self.form.messages[message].topic & 1 else bit & self.late),
        )

    # -- numbers ------------------------------------------------------------------------------------------------------

    def run(self) -> Compiled:
        form = self.form
        workers = form.broker.workers
        if workers > MOST_WORKERS:
            raise TooLarge(f"{workers:,} workers are too many")
        rules = self.rules()
        first = World((NONE,) * workers, (NONE,) * len(form.topics))
        worlds = _closure([first], [rule.world for rule in rules], MOST_GLOBAL, "states of the broker")
        starts = [
            Local(number, role.start, not role.offline, work=(0,) * workers) for number, role in enumerate(form.roles)
        ]
        maps: list[LocalMap] = [one for rule in rules for one in (rule.actor, rule.others) if one is not None]
        present = [start for start, role in zip(starts, form.roles, strict=True) if role.count != 0]
        states = _closure(present, maps, MOST_LOCAL, "states of a client")
        world_number = {world: number for number, world in enumerate(worlds)}
        number = {state: index for index, state in enumerate(states)}
        transitions = [
            Transition(
                rule.move,
                _numbered(worlds, rule.world, world_number),
                None if rule.actor is None else _numbered(states, rule.actor, number),
                None if rule.others is None else _numbered(states, rule.others, number),
            )
            for rule in rules
        ]
        bad = np.array(
            [[holds(formula, state) for state in states] for formula in self.question.never]
            or [[state.taken for state in states]],
            bool,
        ).reshape(max(1, len(self.question.never)), len(states))
        counted = [NONE if role.count is None else index for index, role in enumerate(form.roles)]
        kinds = np.array([counted[state.role] for state in states], np.int32)
        label = shrunk(np.vstack((bad, kinds)), transitions)
        return self.reduced(worlds, states, [number.get(start, NONE) for start in starts], transitions, bad, label)

    def reduced(
        self,
        worlds: Sequence[World],
        states: Sequence[Local],
        starts: Sequence[int],
        transitions: Iterable[Transition],
        bad: NDArray[np.bool_],
        label: Ints,
    ) -> Compiled:
        """One local state for each label."""
        _, chosen = np.unique(label, return_index=True)
        kept: list[Transition] = []
        seen: set[tuple[bytes, bytes | None, bytes | None]] = set()
        for one in transitions:
            actor, others = _reduced_map(one.actor, label, chosen), _reduced_map(one.others, label, chosen)
            key = one.world.tobytes(), _bytes(actor), _bytes(others)
            if key in seen or (one.world == NONE).all() or (actor is not None and (actor == NONE).all()):
                continue
            if others is not None and (others == np.arange(others.size)).all():
                others = None
            seen.add(key)
            kept.append(Transition(one.move, one.world, actor, others))
        return Compiled(
            self.form,
            self.question,
            tuple(worlds),
            tuple(states[index] for index in chosen),
            tuple(NONE if start == NONE else int(label[start]) for start in starts),
            tuple(role.count for role in self.form.roles),
            np.array([states[index].role for index in chosen], np.int32),
            bad[:, chosen],
            tuple(kept),
            self.same,
        )


def shrunk(told_apart: NDArray[np.generic], transitions: Sequence[Transition]) -> Ints:
    """int32[L]: the same number for local states that nothing tells apart, now (`told_apart`, [rows, L]) or later."""
    maps = {one.tobytes(): one for step in transitions for one in (step.actor, step.others) if one is not None}
    columns = list(maps.values())
    label = _labels(np.ascontiguousarray(told_apart.T.astype(np.int32)))
    while True:
        after = [np.where(one == NONE, NONE, label[one]) for one in columns]
        refined = _labels(np.ascontiguousarray(np.stack([label, *after], axis=1)))
        if refined.max(initial=0) == label.max(initial=0):
            return refined
        label = refined


def _labels(rows: NDArray[np.int32]) -> Ints:
    """A number for each row, the same for equal rows, in the order in which they come."""
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], np.int32)


def _reduced_map(one: Ints | None, label: Ints, chosen: NDArray[np.intp]) -> Ints | None:
    if one is None:
        return None
    after = one[chosen]
    return np.where(after == NONE, NONE, label[after]).astype(np.int32)


def _bytes(one: Ints | None) -> bytes | None:
    return None if one is None else one.tobytes()


def _numbered(states: Sequence[T], map_: Callable[[T], T | None], number: dict[T, int]) -> Ints:
    after = (map_(state) for state in states)
    return np.array([NONE if one is None else number[one] for one in after], np.int32)


def _closure(first: Sequence[T], maps: Sequence[Callable[[T], T | None]], most: int, what: str) -> list[T]:
    """Everything that the maps lead to. Raises `TooLarge`."""
    found = dict.fromkeys(first)
    queue = list(found)
    for state in queue:
        for one in maps:
            after = one(state)
            if after is not None and after not in found:
                found[after] = None
                queue.append(after)
        if len(found) > most:
            raise TooLarge(f"there are more than {most:,} {what}")
    return queue


def _then(first: LocalMap, second: Callable[[Local], Local]) -> LocalMap:
    def both(one: Local) -> Local | None:
        found = first(one)
        return None if found is None else second(found)

    return both


def _anywhere(world: World) -> World:
    return world


def _where_retained(topic: int, message: int) -> Callable[[World], World | None]:
    return lambda world: world if world.retained[topic] == message else None


def _holding(worker: int, message: int) -> Callable[[World], World | None]:
    return lambda world: world if world.workers[worker] == message else None


def _freed(worker: int, message: int) -> Callable[[World], World | None]:
    def freed(world: World) -> World | None:
        if world.workers[worker] != message:
            return None
        return World((*world.workers[:worker], NONE, *world.workers[worker + 1 :]), world.retained)

    return freed


__all__ = ["NONE", "Compiled", "Local", "Question", "TooLarge", "Transition", "World", "compile_question"]
