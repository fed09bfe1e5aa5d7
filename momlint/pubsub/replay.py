"""An interpreter of the form, one client after the other, that replays every trace before anybody sees it.

It shares nothing with what searches: no compiled model, no bit masks, no merged messages. A move that the rules do not
allow raises `ReplayError`; each move that they allow is told in a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations

from momlint.errors import ReplayError
from momlint.pubsub.form import All, Any, Atom, Clients, Constant, Formula, Move, Negation, Step
from momlint.words import joined


@dataclass(slots=True)
class _Client:
    name: str
    role: int
    state: int
    connected: bool
    lists: set[int] = field(default_factory=set)
    queue: set[int] = field(default_factory=set)
    ever: set[int] = field(default_factory=set)
    received: set[int] = field(default_factory=set)
    twice: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)
    missed: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Task:
    """What a worker holds. `copy`: the list at publication; `awaiting`: who was connected and on it, and has not had
    it handed or queued; `done`: whom it was handed to, each once."""

    message: int
    copy: frozenset[int]
    awaiting: set[int]
    done: set[int] = field(default_factory=set)


class Run:
    """A run of clients with these roles. `taken`: (role, step) of every step taken so far, in order."""

    def __init__(self, form: Clients, roles: Sequence[int]) -> None:
        self.form = form
        names = clientjoined(form, roles)
        self.clients = [
            _Client(name, role, form.roles[role].start, not form.roles[role].offline)
            for name, role in zip(names, roles, strict=True)
        ]
        self.workers: list[_Task | None] = [None] * form.broker.workers
        self.retained: dict[int, int] = {}
        self.taken: list[tuple[int, int]] = []

    @property
    def names(self) -> tuple[str, ...]:
        """What the clients are called."""
        return tuple(client.name for client in self.clients)

    # -- questions ----------------------------------------------------------------------------------------------------

    def holds(self, formula: Formula, client: int) -> bool:
        """Whether a client satisfies the formula now."""
        match formula:
            case Constant(value):
                return value
            case Negation(part):
                return not self.holds(part, client)
            case All(parts):
                return all(self.holds(part, client) for part in parts)
            case Any(parts):
                return any(self.holds(part, client) for part in parts)
            case Atom(kind, index, states):
                one = self.clients[client]
                match kind:
                    case "state":
                        return (one.role, one.state) in states
                    case "role":
                        return one.role == index
                    case "connected":
                        return one.connected
                    case "subscribed":
                        return index in one.lists
                    case "ever":
                        return index in one.ever
                    case "received":
                        return index in one.received
                    case "twice":
                        return index in one.twice
                    case "late":
                        return index in one.late
                    case "missed":
                        return index in one.missed

    def violates(self, never: Sequence[Formula]) -> bool:
        """Whether clients, each another one, satisfy these formulas now."""
        fitting = [[one for one in range(len(self.clients)) if self.holds(formula, one)] for formula in never]
        if len(never) == 1:
            return bool(fitting[0])
        everybody = sorted({one for some in fitting for one in some})
        return any(
            all(one in some for one, some in zip(chosen, fitting, strict=True))
            for chosen in permutations(everybody, len(never))
        )

    # -- moves --------------------------------------------------------------------------------------------------------

    def do(self, move: Move) -> str:
        """Make the move and tell it. Raises `ReplayError` where it is not allowed."""
        match move.kind:
            case "step":
                return self._step(move)
            case "crash":
                return self._crash(move.client)
            case "notify":
                return self._notify(move.worker)
            case "hand":
                return self._hand(move)
            case "idle":
                return self._idle(move.worker)

    def _step(self, move: Move) -> str:
        client = self.clients[move.client]
        steps = self.form.roles[client.role].steps
        step = steps[move.step]
        connected = client.connected == (step.verb != "connect")
        if step.verb == "on" or not connected or not self._fits(step, move.client):
            raise ReplayError(f"{client.name} cannot take step {move.step + 1} of its role")
        before = client.state
        self._go(move.client, move.step)
        way = self._way(client, before)
        match step.verb:
            case "subscribe":
                client.lists.add(step.object)
                client.ever.add(step.object)
                told = f"{client.name} subscribes to {self.form.topics[step.object]}{way}"
                kept = self.retained.get(step.object)
                if kept is None:
                    return told
                return f"{told} and at once receives the retained {self._receive(move.client, kept)}"
            case "unsubscribe":
                client.lists.discard(step.object)
                return f"{client.name} unsubscribes from {self.form.topics[step.object]}{way}"
            case "publish":
                return f"{client.name} publishes {self._publish(step.object, move.worker, way)}"
            case "disconnect":
                client.connected = False
                if not self.form.broker.persistent:
                    client.lists.clear()
                return f"{client.name} disconnects{way}"
            case "connect":
                client.connected = True
                queued = [one for one in range(len(self.form.messages)) if one in client.queue]
                client.queue.clear()
                told = f"{client.name} connects{way}"
                if not self.form.broker.persistent or not queued:
                    return told
                received = joined([self._receive(move.client, one) for one in queued])
                return f"{told} and receives what was queued: {received}"
            case _:
                return f"{client.name} goes on by itself{way}" if way else f"{client.name} stays {self._state(client)}"

    def _publish(self, message: int, worker: int, way: str) -> str:
        if self.workers[worker] is not None:
            raise ReplayError(f"worker {worker + 1} is not idle")
        kind = self.form.messages[message]
        on_list = frozenset(number for number, one in enumerate(self.clients) if kind.topic in one.lists)
        self.workers[worker] = _Task(message, on_list, {one for one in on_list if self.clients[one].connected})
        if kind.retained:
            self.retained[kind.topic] = message
        told = f"{kind.name}{way}; {self._worker(worker)} takes it"
        if self.form.broker.live:
            return told
        everybody = joined([self.clients[one].name for one in sorted(on_list)])
        return f"{told} for {everybody}" if on_list else f"{told} for nobody: no one is on the list"

    def _crash(self, number: int) -> str:
        client = self.clients[number]
        if not client.connected or not self.form.roles[client.role].crash:
            raise ReplayError(f"{client.name} cannot go offline")
        client.connected = False
        return f"{client.name} goes offline, and the broker does not notice"

    def _task(self, worker: int) -> _Task:
        task = self.workers[worker]
        if task is None:
            raise ReplayError(f"worker {worker + 1} holds no message")
        return task

    def _targets(self, task: _Task) -> list[int]:
        topic = self.form.messages[task.message].topic
        return [
            number
            for number, client in enumerate(self.clients)
            if number not in task.done and (topic in client.lists if self.form.broker.live else number in task.copy)
        ]

    def _notify(self, worker: int) -> str:
        task = self._task(worker)
        if self.form.broker.each:
            raise ReplayError("one target a step, not all at once")
        told, queued, lost = [], [], []
        for number in self._targets(task):
            client = self.clients[number]
            if client.connected:
                before = client.name
                text = self._receive(number, task.message).removeprefix(self.form.messages[task.message].name)
                told.append(f"{before}{text}")
                task.awaiting.discard(number)
            elif self.form.broker.persistent:
                client.queue.add(task.message)
                queued.append(client.name)
                task.awaiting.discard(number)
            else:
                lost.append(client.name)
        self._free(worker, task)
        name = self.form.messages[task.message].name
        parts = [f"hands {name} to {joined(told)}"] if told else []
        parts += [f"queues {name} for {joined(queued)}"] if queued else []
        parts += [f"drops it for {joined(lost)}, who is offline"] if len(lost) == 1 else []
        parts += [f"drops it for {joined(lost)}, who are offline"] if len(lost) > 1 else []
        return f"{self._worker(worker)} {joined(parts) if parts else f'hands {name} to nobody'}"

    def _hand(self, move: Move) -> str:
        task = self._task(move.worker)
        if not self.form.broker.each or move.client not in self._targets(task):
            raise ReplayError(f"{self.clients[move.client].name} is no target of worker {move.worker + 1}")
        client = self.clients[move.client]
        name = self.form.messages[task.message].name
        if move.lost and not (self.form.broker.acknowledged and client.connected):
            raise ReplayError("no acknowledgement can get lost here")
        if not move.lost:
            task.done.add(move.client)
        if client.connected:
            task.awaiting.discard(move.client)
            text = self._receive(move.client, task.message).removeprefix(name)
            end = "; the acknowledgement gets lost" if move.lost else ""
            return f"{self._worker(move.worker)} hands {name} to {client.name}{text}{end}"
        if self.form.broker.persistent:
            client.queue.add(task.message)
            task.awaiting.discard(move.client)
            return f"{self._worker(move.worker)} queues {name} for {client.name}"
        return f"{self._worker(move.worker)} skips {client.name}, who is offline"

    def _idle(self, worker: int) -> str:
        task = self._task(worker)
        left = self._targets(task)
        if not self.form.broker.each or (left and not self.form.broker.abort):
            raise ReplayError(f"worker {worker + 1} is not done")
        self._free(worker, task)
        if left:
            without = joined([self.clients[one].name for one in left])
            return f"{self._worker(worker)} gives up on {self.form.messages[task.message].name}, without {without}"
        return f"{self._worker(worker)} is done with {self.form.messages[task.message].name}"

    def _free(self, worker: int, task: _Task) -> None:
        for number in task.awaiting:
            self.clients[number].missed.add(task.message)
        self.workers[worker] = None

    # -- one client ---------------------------------------------------------------------------------------------------

    def _fits(self, step: Step, number: int) -> bool:
        return self.clients[number].state in step.sources and self.holds(step.condition, number)

    def _go(self, number: int, index: int) -> None:
        client = self.clients[number]
        target = self.form.roles[client.role].steps[index].target
        self.taken.append((client.role, index))
        if target is not None:
            client.state = target

    def _receive(self, number: int, message: int) -> str:
        """Hand a message to a client; gives its name, and what is remarkable about it."""
        client = self.clients[number]
        before = client.state
        steps = self.form.roles[client.role].steps
        for index, step in enumerate(steps):
            if step.verb == "on" and step.object == message and self._fits(step, number):
                self._go(number, index)
                break
        remarks = []
        if message in client.received:
            client.twice.add(message)
            remarks.append("once more")
        client.received.add(message)
        topic = self.form.messages[message].topic
        if topic not in client.lists:
            client.late.add(message)
            remarks.append(f"though it is not on the list of {self.form.topics[topic]}")
        said = "".join(f", {remark}," for remark in remarks).removesuffix(",").replace(",,", ",")
        return f"{self.form.messages[message].name}{self._way(client, before)}{said}"

    def _state(self, client: _Client) -> str:
        return self.form.roles[client.role].states[client.state]

    def _way(self, client: _Client, before: int) -> str:
        """`` (init → ready)``, or nothing."""
        if client.state == before:
            return ""
        return f" ({self.form.roles[client.role].states[before]} → {self._state(client)})"

    def _worker(self, worker: int) -> str:
        return "the worker" if len(self.workers) == 1 else f"worker {worker + 1}"


def clientjoined(form: Clients, roles: Sequence[int]) -> list[str]:
    """``candidate A``, ``candidate B``: each client by its role and a letter."""
    counts: dict[int, int] = {}
    names = []
    for role in roles:
        number = counts[role] = counts.get(role, 0) + 1
        names.append(f"{form.roles[role].name} {_letters(number)}")
    return names


def _letters(number: int) -> str:
    """A, B, … Z, AA, AB, … for 1, 2, …"""
    found = ""
    while number:
        number, digit = divmod(number - 1, 26)
        found = chr(ord("A") + digit) + found
    return found
