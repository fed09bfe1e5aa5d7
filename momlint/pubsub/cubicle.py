"""The clients in the language of Cubicle, an SMT-based model checker of array systems, for people who have it.

What a client does to itself is followed path by path: each time something is asked of it that is not known yet, there
is a path for every answer. A path is a conjunction of what was asked, and what is different afterwards; a client's step
is a transition for each path, what happens to everybody a `case` for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from momlint.pubsub.form import All, Any, Atom, Clients, Constant, Formula, Negation, Step, atoms
from momlint.rendering import template

if TYPE_CHECKING:
    from momlint.pubsub.form import Property

#: A value of an array: a constructor of its type.
Value: TypeAlias = str
TRUE, FALSE = "True", "False"


class Path(NamedTuple):
    """`asked`: array → the value it must have; `changed`: array → the value it has afterwards."""

    asked: dict[str, Value]
    changed: dict[str, Value]


class Change(NamedTuple):
    """What a transition does to an array: the first of `cases` whose condition holds, else nothing."""

    array: str
    cases: tuple[tuple[str, Value], ...]


@dataclass(slots=True)
class Transition:
    """`client`: whether one acts; `requires`: literals; `everybody`: what must hold of every client, alternatives."""

    name: str
    what: str
    client: bool
    requires: list[str]
    everybody: list[str] = field(default_factory=list)
    assigns: list[tuple[str, Value]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


class Unsafe(NamedTuple):
    """A way to violate a property: its title, the clients' names, literals."""

    what: str
    clients: str
    literals: tuple[str, ...]


def render(form: Clients, name: str) -> str:
    """All properties of the clients as one Cubicle file."""
    return template("clients.cub.j2").render(m=Model(form), name=_comment(name))


class _Abandoned(Exception):
    """This path cannot be taken."""


class _Client:
    """One client on one path: what was asked of it so far, and what has changed."""

    def __init__(self, domains: dict[str, tuple[Value, ...]], answers: Sequence[int]) -> None:
        self._domains = domains
        self._answers = list(answers)
        self.open: list[int] = []  # of each question: which answer this path has
        self.path = Path({}, {})

    def get(self, array: str) -> Value:
        """Its value; a question where that is not known."""
        if array in self.path.changed:
            return self.path.changed[array]
        if array not in self.path.asked:
            number = self._answers[len(self.open)] if len(self.open) < len(self._answers) else 0
            self.open.append(number)
            self.path.asked[array] = self._domains[array][number]
        return self.path.asked[array]

    def set(self, array: str, value: Value) -> None:
        """Its value from now on."""
        self.path.changed[array] = value


class Model:
    """The parts of the file, in the order of the template."""

    def __init__(self, form: Clients) -> None:
        self.form = form
        self.states = {
            (number, state): f"{_upper(role.name)}_{_word(name)}_{number}_{state}"
            for number, role in enumerate(form.roles)
            for state, name in enumerate(role.states)
        }
        self.kinds = [f"M{number}_{_word(one.name)}" for number, one in enumerate(form.messages)]
        self.workers = [f"Worker{number}" for number in range(form.broker.workers)]
        self.retained = {topic: f"Retained{topic}" for topic in range(len(form.topics)) if form.retained_on(topic)}
        asked = {
            (atom.kind, atom.number)
            for formula in self.formulas()
            for atom in atoms(formula)
            if atom.kind in ("ever", "received", "twice", "late", "missed")
        }
        asked |= {("received", number) for kind, number in asked if kind == "twice"}
        self.remembered = {one: f"{_upper(one[0])}{one[1]}" for one in sorted(asked)}
        self.domains: dict[str, tuple[Value, ...]] = {
            "State": tuple(self.states.values()),
            "Connected": (TRUE, FALSE),
        }
        booleans = [f"On{topic}" for topic in range(len(form.topics))]
        booleans += [f"Queued{number}" for number in range(len(form.messages)) if form.broker.persistent]
        booleans += self.remembered.values()
        for number in range(form.broker.workers):
            booleans += [] if form.broker.live else [f"Listed{number}"]
            booleans += [f"Done{number}"] if form.broker.live and form.broker.each else []
            booleans += [f"Awaiting{number}"] if any(kind == "missed" for kind, _ in self.remembered) else []
        self.domains |= dict.fromkeys(booleans, (FALSE, TRUE))

    def formulas(self) -> Iterator[Formula]:
        """All that is asked of clients."""
        for role in self.form.roles:
            yield from (step.condition for step in role.steps)
        for asked in self.form.properties:
            yield from asked.never

    @property
    def booleans(self) -> list[str]:
        """The arrays of truth values."""
        return [name for name in self.domains if name != "State"]

    @property
    def starts(self) -> list[tuple[str, str]]:
        """(state, connected) of each role at the start."""
        return [
            (self.states[number, role.start], FALSE if role.offline else TRUE)
            for number, role in enumerate(self.form.roles)
            if role.count != 0
        ]

    @property
    def initially_false(self) -> list[str]:
        """Arrays that are false of everybody at the start."""
        return [name for name in self.booleans if name != "Connected"]

    @property
    def counts(self) -> list[str]:
        """Comments on what Cubicle cannot be told."""
        return [
            f"exactly {role.count} of role {_comment(role.name)}: Cubicle takes any number"
            for role in self.form.roles
            if role.count is not None
        ]

    # -- properties

    def unsafe(self) -> Iterator[Unsafe]:
        """Every way to violate a property."""
        for asked in self.form.properties:
            names = [f"z{number + 1}" for number in range(len(asked.never))]
            ways: list[tuple[str, ...]] = [()]
            for name, formula in zip(names, asked.never, strict=True):

                def ask(client: _Client, formula: Formula = formula) -> None:
                    if not self.holds(formula, client):
                        raise _Abandoned

                found = [_literals(path.asked, name) for path in self.paths(ask)]
                ways = [
                    (*before, *(after or (f"State[{name}] = State[{name}]",))) for before in ways for after in found
                ]
            for way in ways:
                yield Unsafe(_comment(self.title(asked)), " ".join(names), way)

    @staticmethod
    def title(asked: Property) -> str:
        """What a comment calls it."""
        return asked.title

    # -- transitions

    def transitions(self) -> Iterator[Transition]:
        """Every one, with a name of its own."""
        for number, one in enumerate(self._transitions(), 1):
            one.name = f"t{number}_{one.name}"
            yield one

    def _transitions(self) -> Iterator[Transition]:
        form = self.form
        for number, role in enumerate(form.roles):
            for index, step in enumerate(role.steps):
                if step.verb != "on":
                    yield from self.step(number, index, step)
        crashing = {number for number, role in enumerate(form.roles) if role.crash}

        def crash(client: _Client) -> None:
            if client.get("Connected") != TRUE or self.role_of(client) not in crashing:
                raise _Abandoned
            client.set("Connected", FALSE)

        if crashing:
            yield from self.acting("crash", "goes offline, unnoticed", crash)
        for worker in range(form.broker.workers):
            for message in range(len(form.messages)):
                yield from self.working(worker, message)

    def acting(
        self,
        name: str,
        what: str,
        do: Callable[[_Client], None],
        requires: Sequence[str] = (),
        assigns: Sequence[tuple[str, Value]] = (),
        everybody: Callable[[_Client], None] | None = None,
    ) -> Iterator[Transition]:
        """A transition for each path of a client that acts; `everybody`: what happens to all, the one who acts too."""
        for path in self.paths(do):
            # What happens to everybody touches other arrays than what the client does.
            changes = [Change(array, (("j = x", value),)) for array, value in path.changed.items()]
            changes += self.changes(everybody) if everybody is not None else []
            yield Transition(
                name, what, True, [*requires, *_literals(path.asked, "x")], assigns=list(assigns), changes=changes
            )

    def step(self, number: int, index: int, step: Step) -> Iterator[Transition]:
        role = self.form.roles[number]
        name = f"{_word(role.name).lower()}_{index + 1}"
        noun = {"subscribe": self.form.topics, "unsubscribe": self.form.topics}.get(step.verb)
        if noun is None:
            noun = tuple(one.name for one in self.form.messages) if step.verb == "publish" else ()
        what = _comment(f"{role.name}: {step.verb} {noun[step.object]}" if noun else f"{role.name}: {step.verb}")

        def go(client: _Client) -> None:
            mine = [
                state for (of, state), value in self.states.items() if of == number and value == client.get("State")
            ]
            if not mine or mine[0] not in step.sources:
                raise _Abandoned
            if (client.get("Connected") == TRUE) == (step.verb == "connect") or not self.holds(step.condition, client):
                raise _Abandoned
            if step.target is not None:
                client.set("State", self.states[number, step.target])

        if step.verb == "publish":
            yield from self.publishing(name, what, go, step.object)
            return
        if step.verb == "subscribe" and step.object in self.retained:
            variable = self.retained[step.object]
            for kept in (None, *self.form.retained_on(step.object)):

                def subscribe(client: _Client, kept: int | None = kept) -> None:
                    go(client)
                    self.subscribed(client, step.object)
                    if kept is not None:
                        self.receive(client, kept)

                value = "Idle" if kept is None else self.kinds[kept]
                yield from self.acting(name, what, subscribe, [f"{variable} = {value}"])
            return

        def do(client: _Client) -> None:
            go(client)
            self.simply(client, step)

        yield from self.acting(name, what, do)

    def simply(self, client: _Client, step: Step) -> None:
        """What a step does that neither publishes nor receives what is retained."""
        match step.verb:
            case "subscribe":
                self.subscribed(client, step.object)
            case "unsubscribe":
                client.set(f"On{step.object}", FALSE)
            case "disconnect":
                client.set("Connected", FALSE)
                for topic in range(len(self.form.topics)) if not self.form.broker.persistent else ():
                    client.set(f"On{topic}", FALSE)
            case "connect":
                client.set("Connected", TRUE)
                for message in range(len(self.form.messages)) if self.form.broker.persistent else ():
                    if client.get(f"Queued{message}") == TRUE:
                        client.set(f"Queued{message}", FALSE)
                        self.receive(client, message)

    def publishing(self, name: str, what: str, go: Callable[[_Client], None], message: int) -> Iterator[Transition]:
        kind = self.form.messages[message]
        for worker, variable in enumerate(self.workers):

            def copy(client: _Client, worker: int = worker) -> None:
                on_list = client.get(f"On{kind.topic}")
                if not self.form.broker.live:
                    client.set(f"Listed{worker}", on_list)
                if ("missed", message) in self.remembered and on_list == TRUE:
                    client.set(f"Awaiting{worker}", client.get("Connected"))

            busy = [f"{other} <> Idle" for other in self.workers[:worker]]
            assigns = [(variable, self.kinds[message])]
            assigns += [(self.retained[kind.topic], self.kinds[message])] if kind.retained else []
            yield from self.acting(name, what, go, [*busy, f"{variable} = Idle"], assigns, copy)

    def working(self, worker: int, message: int) -> Iterator[Transition]:
        broker = self.form.broker
        variable, kind = self.workers[worker], self.kinds[message]
        name = f"worker_{worker + 1}_{_word(self.form.messages[message].name).lower()}"
        what = _comment(f"worker {worker + 1}: {self.form.messages[message].name}")
        holding = [f"{variable} = {kind}"]

        def notified(client: _Client) -> None:
            if self.is_target(client, worker, message):
                self.served(client, worker, message)
            self.forget(client, worker, message)

        if not broker.each:
            yield Transition(name, what, False, holding, [], [(variable, "Idle")], self.changes(notified))
            return

        def hand(client: _Client) -> None:
            if not self.is_target(client, worker, message):
                raise _Abandoned
            self.served(client, worker, message)
            client.set(f"Done{worker}" if broker.live else f"Listed{worker}", TRUE if broker.live else FALSE)

        def lose(client: _Client) -> None:
            if not self.is_target(client, worker, message) or client.get("Connected") != TRUE:
                raise _Abandoned
            self.served(client, worker, message)

        yield from self.acting(name, f"{what}, to one", hand, holding)
        if broker.acknowledged:
            yield from self.acting(name, f"{what}, to one; the acknowledgement gets lost", lose, holding)

        def idle(client: _Client) -> None:
            self.forget(client, worker, message)

        def no_target(client: _Client) -> None:
            if self.is_target(client, worker, message):
                raise _Abandoned

        everybody = [] if broker.abort else [" && ".join(_literals(one.asked, "z")) for one in self.paths(no_target)]
        yield Transition(name, f"{what}, done", False, holding, everybody, [(variable, "Idle")], self.changes(idle))

    # -- one client

    def is_target(self, client: _Client, worker: int, message: int) -> bool:
        if not self.form.broker.live:
            return client.get(f"Listed{worker}") == TRUE
        if client.get(f"On{self.form.messages[message].topic}") != TRUE:
            return False
        return not self.form.broker.each or client.get(f"Done{worker}") == FALSE

    def served(self, client: _Client, worker: int, message: int) -> None:
        connected = client.get("Connected") == TRUE
        if (connected or self.form.broker.persistent) and ("missed", message) in self.remembered:
            client.set(f"Awaiting{worker}", FALSE)
        if connected:
            self.receive(client, message)
        elif self.form.broker.persistent:
            client.set(f"Queued{message}", TRUE)

    def forget(self, client: _Client, worker: int, message: int) -> None:
        missed = self.remembered.get(("missed", message))
        if missed is not None and client.get(f"Awaiting{worker}") == TRUE:
            client.set(missed, TRUE)
        for array in (f"Listed{worker}", f"Done{worker}", f"Awaiting{worker}"):
            if array in self.domains:
                client.set(array, FALSE)

    def subscribed(self, client: _Client, topic: int) -> None:
        client.set(f"On{topic}", TRUE)
        ever = self.remembered.get(("ever", topic))
        if ever is not None:
            client.set(ever, TRUE)

    def receive(self, client: _Client, message: int) -> None:
        role = self.role_of(client)
        state = client.get("State")
        for step in self.form.roles[role].steps:
            if (
                step.verb != "on"
                or step.object != message
                or state not in {self.states[role, one] for one in step.sources}
            ):
                continue
            if self.holds(step.condition, client):
                target = state if step.target is None else self.states[role, step.target]
                break
        else:
            target = state
        received, twice, late = (self.remembered.get((kind, message)) for kind in ("received", "twice", "late"))
        if twice is not None and received is not None and client.get(received) == TRUE:
            client.set(twice, TRUE)
        if received is not None:
            client.set(received, TRUE)
        if late is not None and client.get(f"On{self.form.messages[message].topic}") == FALSE:
            client.set(late, TRUE)
        client.set("State", target)

    def role_of(self, client: _Client) -> int:
        value = client.get("State")
        return next(role for (role, _), other in self.states.items() if other == value)

    def holds(self, formula: Formula, client: _Client) -> bool:
        match formula:
            case Constant(value):
                return value
            case Negation(part):
                return not self.holds(part, client)
            case All(parts):
                return all(self.holds(part, client) for part in parts)
            case Any(parts):
                return any(self.holds(part, client) for part in parts)
            case Atom(kind, number, states):
                if kind == "state":
                    return client.get("State") in {self.states[one] for one in states}
                if kind == "role":
                    return self.role_of(client) == number
                if kind == "connected":
                    return client.get("Connected") == TRUE
                if kind == "subscribed":
                    return client.get(f"On{number}") == TRUE
                return client.get(self.remembered[kind, number]) == TRUE

    # -- paths

    def paths(self, do: Callable[[_Client], None]) -> list[Path]:
        """Every path of a client that `do` does not abandon; what it leaves as it is, is not in `changed`."""
        found = []
        answers: list[int] = []
        while True:
            client = _Client(self.domains, answers)
            try:
                do(client)
            except _Abandoned:
                pass
            else:
                asked, changed = client.path
                found.append(Path(asked, {name: value for name, value in changed.items() if asked.get(name) != value}))
            answers = client.open
            order = [len(self.domains[name]) for name in client.path.asked]
            while answers and answers[-1] + 1 == order[len(answers) - 1]:
                answers.pop()
            if not answers:
                return found
            answers[-1] += 1

    def changes(self, do: Callable[[_Client], None]) -> list[Change]:
        """What happens to everybody, array by array."""
        cases: dict[str, list[tuple[str, Value]]] = {}
        for path in self.paths(do):
            condition = " && ".join(_literals(path.asked, "j")) or "j = j"
            for array, value in path.changed.items():
                cases.setdefault(array, []).append((condition, value))
        return [Change(array, tuple(found)) for array, found in cases.items()]


def _literals(asked: dict[str, Value], client: str) -> tuple[str, ...]:
    return tuple(f"{array}[{client}] = {value}" for array, value in asked.items())


def _word(name: str) -> str:
    """Letters, digits and underscores of a name."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _upper(name: str) -> str:
    """… as a constructor, which begins with a capital."""
    word = _word(name)
    return word[:1].upper() + word[1:] if word[:1].isalpha() else f"N{word}"


def _comment(text: str) -> str:
    """On one line, and nothing that ends a comment or begins one."""
    return re.sub(r"\(\*|\*\)", "( *", "".join(c if c.isprintable() else "�" for c in " ".join(text.split())))
