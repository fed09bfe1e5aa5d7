"""The semantics, written a second time from the page in docs/clients.md alone: plain dictionaries, no sharing.

A configuration is a tuple (workers, retained, clients). Everything that any formula of the document names is
remembered, nothing is merged, every client has a place of its own. Breadth first, so the first hit is a shortest trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations
from typing import Any

import yaml

IDLE = None


class TooMany(Exception):
    """More configurations than the test has time for."""


class Client(tuple):
    """(role, state, online, lists, queue, facts); facts like ("received", "m")."""


class Oracle:
    def __init__(self, text: str) -> None:
        section = yaml.safe_load(text)["pubsub"]
        self.messages = {
            name: {"topic": "main", "retained": False, **(entry or {})} for name, entry in section["messages"].items()
        }
        given = {"workers": 1, "list": "snapshot", "notify": "atomic", "on_error": "skip", "qos": 0, "session": "clean"}
        self.broker = {**given, **(section.get("broker") or {})}
        self.roles = {
            name: {"count": "any", "offline": False, "crash": False, "steps": [], **entry}
            for name, entry in section["clients"].items()
        }
        # YAML 1.1 reads `on` as a key only; here it stands within a text.
        self.properties = [
            one["never"] if isinstance(one["never"], list) else [one["never"]] for one in section["properties"]
        ]
        formulas = [f for p in self.properties for f in p]
        formulas += [step.get("if", "") for role in self.roles.values() for step in role["steps"]]
        self.mentioned = set(re.findall(r"\w+\(\w+\)", " ".join(formulas)))
        self.states = {state for role in self.roles.values() for state in self.states_of(role)}
        self.compiled: dict[str, Any] = {}
        #: (role, number of the step) of every step that was ever taken in what was looked at.
        self.taken: set[tuple[str, int]] = set()

    @staticmethod
    def states_of(role: dict[str, Any]) -> set[str]:
        found = {role["start"]}
        for step in role["steps"]:
            found |= set(step["from"] if isinstance(step["from"], list) else [step["from"]])
            found |= {step["to"]} if "to" in step else set()
        return found

    # -- formulas: Python's own `and`, `or`, `not`

    def holds(self, formula: str, client: tuple[Any, ...]) -> bool:
        role, state, online, lists, _queue, facts = client
        code = self.compiled.get(formula)
        if code is None:

            def word(match: re.Match[str]) -> str:
                name, argument = match[1], match[3]
                if name in ("and", "or", "not") and argument is None:
                    return name
                if name == "true":
                    return "True"
                if argument is not None:
                    return f"ask({name!r}, {argument!r})"
                return f"is_({name!r})"

            expression = re.sub(r"([\w.]+)(\((\w+)\))?", word, formula)
            code = self.compiled[formula] = compile(expression, formula, "eval")

        def ask(name: str, argument: str) -> bool:
            if name == "subscribed":
                return argument in lists
            return (name, argument) in facts

        def is_(name: str) -> bool:
            if name == "connected":
                return online
            if name == "subscribed":
                return bool(lists)
            if "." in name:
                return (role, state) == tuple(name.split("."))
            return name in (role, state)

        return bool(eval(code, {"ask": ask, "is_": is_}))

    def fact(self, facts: frozenset[Any], name: str, argument: str) -> frozenset[Any]:
        needed = f"{name}({argument})" in self.mentioned or (
            name == "received" and f"twice({argument})" in self.mentioned
        )
        return facts | {(name, argument)} if needed else facts

    def fits(self, step: dict[str, Any], client: tuple[Any, ...]) -> bool:
        sources = step["from"] if isinstance(step["from"], list) else [step["from"]]
        return client[1] in sources and ("if" not in step or self.holds(step["if"], client))

    def receive(self, client: tuple[Any, ...], message: str) -> tuple[Any, ...]:
        role, state, online, lists, queue, facts = client
        for number, step in enumerate(self.roles[role]["steps"]):
            if step["do"] == f"on {message}" and self.fits(step, client):
                self.taken.add((role, number))
                state = step.get("to", state)
                break
        if ("received", message) in facts:
            facts = self.fact(facts, "twice", message)
        facts = self.fact(facts, "received", message)
        if self.messages[message]["topic"] not in lists:
            facts = self.fact(facts, "late", message)
        return (role, state, online, lists, queue, facts)

    # -- steps

    def start(self, roles: tuple[str, ...]) -> tuple[Any, ...]:
        clients = tuple(
            (name, self.roles[name]["start"], not self.roles[name]["offline"], frozenset(), frozenset(), frozenset())
            for name in roles
        )
        return ((IDLE,) * self.broker["workers"], (), clients)

    def successors(self, config: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        workers, retained, clients = config
        for who, client in enumerate(clients):
            for number, step in enumerate(self.roles[client[0]]["steps"]):
                verb, _, what = step["do"].partition(" ")
                if verb == "on" or client[2] == (verb == "connect") or not self.fits(step, client):
                    continue
                for after in self.act(config, who, verb, what, step.get("to", client[1])):
                    self.taken.add((client[0], number))
                    yield after
            if self.roles[client[0]]["crash"] and client[2]:
                yield workers, retained, _with(clients, who, (*client[:2], False, *client[3:]))
        for which, task in enumerate(workers):
            if task is not IDLE:
                yield from self.work(config, which, task)

    def act(self, config: tuple[Any, ...], who: int, verb: str, what: str, to: str) -> Iterator[tuple[Any, ...]]:
        workers, retained, clients = config
        role, _, online, lists, queue, facts = clients[who]
        moved = (role, to, online, lists, queue, facts)
        if verb == "subscribe":
            moved = (role, to, online, lists | {what}, queue, self.fact(facts, "ever_subscribed", what))
            last = dict(retained).get(what)
            if last is not None:
                moved = self.receive(moved, last)
        elif verb == "unsubscribe":
            moved = (role, to, online, lists - {what}, queue, facts)
        elif verb == "disconnect":
            moved = (role, to, False, lists if self.broker["session"] == "persistent" else frozenset(), queue, facts)
        elif verb == "connect":
            moved = (role, to, True, lists, frozenset() if self.broker["session"] == "persistent" else queue, facts)
            if self.broker["session"] == "persistent":
                for message in self.messages:
                    if message in queue:
                        moved = self.receive(moved, message)
        if verb != "publish":
            yield workers, retained, _with(clients, who, moved)
            return
        topic = self.messages[what]["topic"]
        if self.messages[what]["retained"]:
            retained = tuple(sorted({**dict(retained), topic: what}.items()))
        copy = frozenset(number for number, one in enumerate(clients) if topic in one[3])
        owed = (
            frozenset(number for number in copy if clients[number][2])
            if f"missed({what})" in self.mentioned
            else frozenset()
        )
        task = (what, copy if self.broker["list"] == "snapshot" else frozenset(), frozenset(), owed)
        for which, held in enumerate(workers):
            if held is IDLE:
                yield _with(workers, which, task), retained, _with(clients, who, moved)

    def targets(self, task: tuple[Any, ...], clients: tuple[Any, ...]) -> list[int]:
        message, copy, done, _ = task
        topic = self.messages[message]["topic"]
        live = self.broker["list"] == "live"
        return [n for n, one in enumerate(clients) if (topic in one[3] if live else n in copy) and n not in done]

    def free(self, config: tuple[Any, ...], which: int, task: tuple[Any, ...]) -> tuple[Any, ...]:
        workers, retained, clients = config
        for number in task[3]:
            *rest, facts = clients[number]
            clients = _with(clients, number, (*rest, self.fact(facts, "missed", task[0])))
        return _with(workers, which, IDLE), retained, clients

    def work(self, config: tuple[Any, ...], which: int, task: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        workers, retained, clients = config
        message, copy, done, owed = task
        targets = self.targets(task, clients)
        persistent = self.broker["session"] == "persistent"
        if self.broker["notify"] == "atomic":
            for number in targets:
                if clients[number][2]:
                    clients, owed = _with(clients, number, self.receive(clients[number], message)), owed - {number}
                elif persistent:
                    role, state, online, lists, queue, facts = clients[number]
                    clients = _with(clients, number, (role, state, online, lists, queue | {message}, facts))
                    owed = owed - {number}
            yield self.free((workers, retained, clients), which, (message, copy, done, owed))
            return
        for number in targets:
            role, state, online, lists, queue, facts = clients[number]
            if online:
                after = _with(clients, number, self.receive(clients[number], message))
                left = owed - {number}
                yield _with(workers, which, (message, copy, done | {number}, left)), retained, after
                if int(self.broker["qos"]) == 1:
                    yield _with(workers, which, (message, copy, done, left)), retained, after
            elif persistent:
                after = _with(clients, number, (role, state, online, lists, queue | {message}, facts))
                yield _with(workers, which, (message, copy, done | {number}, owed - {number})), retained, after
            else:
                yield _with(workers, which, (message, copy, done | {number}, owed)), retained, clients
        if not targets or self.broker["on_error"] == "abort":
            yield self.free(config, which, task)

    # -- verdicts

    def violates(self, config: tuple[Any, ...], never: list[str]) -> bool:
        clients = config[2]
        return any(
            all(self.holds(formula, one) for formula, one in zip(never, chosen, strict=True))
            for chosen in permutations(clients, len(never))
        )

    def canonical(self, config: tuple[Any, ...]) -> tuple[Any, ...]:
        """Clients are alike: one order of those that there are."""
        workers, retained, clients = config

        def look(number: int) -> Any:
            role, state, online, lists, queue, facts = clients[number]
            tasks = tuple(
                (number in task[1], number in task[2], number in task[3]) if task is not IDLE else ()
                for task in workers
            )
            return (role, state, online, sorted(lists), sorted(queue), sorted(facts), tasks)

        order = sorted(range(len(clients)), key=look)
        place = {old: new for new, old in enumerate(order)}
        moved = tuple(
            IDLE if task is IDLE else (task[0], *(frozenset(place[n] for n in part) for part in task[1:]))
            for task in workers
        )
        return moved, retained, tuple(clients[number] for number in order)

    def splits(self, clients: int) -> Iterator[tuple[str, ...]]:
        fixed = [name for name, role in self.roles.items() if role["count"] != "any" for _ in range(role["count"])]
        free = [name for name, role in self.roles.items() if role["count"] == "any"]
        if clients >= len(fixed):
            for more in combinations_with_replacement(free, clients - len(fixed)):
                yield (*fixed, *more)

    def shortest(self, never: list[str], clients: int, most: int = 100_000) -> int | None:
        """The steps of a shortest trace with so many clients; None where there is none. Raises `TooMany`."""
        layer = list(dict.fromkeys(self.canonical(self.start(roles)) for roles in self.splits(clients)))
        known = set(layer)
        steps = 0
        while layer:
            for config in layer:
                if self.violates(config, never):
                    return steps
            after = []
            for config in layer:
                for found in self.successors(config):
                    one = self.canonical(found)
                    if one not in known:
                        known.add(one)
                        after.append(one)
            if len(known) > most:
                raise TooMany
            layer, steps = after, steps + 1
        return None


def _with(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    return (*items[:index], item, *items[index + 1 :])
