"""Its form: messages, roles with their automata, the broker, properties; names as dense ids, places kept.

States are numbered role by role, topics in the order in which messages name them, messages and roles in the order of
the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from momlint.findings import Place

#: A property without a name is called by its formulas, up to so many characters of them.
_LONGEST = 60

Verb: TypeAlias = Literal["local", "subscribe", "unsubscribe", "publish", "disconnect", "connect", "on"]
#: What a formula may ask of a client. `number`: of a role for ``role``, a topic for ``subscribed`` and ``ever``, a
#: message for ``received``, ``twice``, ``late`` and ``missed``.
Kind: TypeAlias = Literal["state", "role", "connected", "subscribed", "ever", "received", "twice", "late", "missed"]
#: The kinds that ask of what properties remember, and not of what the client does.
REMEMBERED: tuple[Kind, ...] = ("ever", "received", "twice", "late", "missed")


class Constant(NamedTuple):
    """``true`` or ``false``."""

    value: bool


class Atom(NamedTuple):
    """One question about a client; `states`: (role, state) of which one is meant, for the kind ``state``.

    `start`, `end`: where it stands in the text of the formula, `end` exclusive.
    """

    kind: Kind
    number: int = 0
    states: frozenset[tuple[int, int]] = frozenset()
    start: int = 0
    end: int = 0


class Negation(NamedTuple):
    """``not``."""

    part: Formula


class All(NamedTuple):
    """``and``."""

    parts: tuple[Formula, ...]


class Any(NamedTuple):
    """``or``."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Constant | Atom | Negation | All | Any


def atoms(formula: Formula) -> Iterator[Atom]:
    """Every question in a formula, from left to right."""
    if isinstance(formula, Atom):
        yield formula
    elif isinstance(formula, Negation):
        yield from atoms(formula.part)
    elif isinstance(formula, All | Any):
        for part in formula.parts:
            yield from atoms(part)


MoveKind: TypeAlias = Literal["step", "crash", "notify", "hand", "idle"]


class Move(NamedTuple):
    """What happens next. `client`: who does it, or is handed a message; `step`: of its role; `worker`: which one.

    `lost`: the acknowledgement of what is handed over gets lost.
    """

    kind: MoveKind
    client: int = -1
    step: int = -1
    worker: int = -1
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A kind of message; `topic` a dense id."""

    name: str
    topic: int
    retained: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a role; `sources` and `target` are states of the role, `target` None for the same state.

    `object`: a topic for ``subscribe`` and ``unsubscribe``, a message for ``publish`` and ``on``. `place`: of the
    item of `steps`.
    """

    sources: frozenset[int]
    target: int | None
    verb: Verb
    object: int
    condition: Formula
    place: Place


@dataclass(frozen=True, slots=True)
class Role:
    """Clients that follow one automaton; `count` None for any number."""

    name: str
    states: tuple[str, ...]
    start: int
    count: int | None
    offline: bool
    crash: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Broker:
    """How messages are handed out; see docs/clients.md."""

    workers: int = 1
    live: bool = False
    each: bool = False
    abort: bool = False
    acknowledged: bool = False
    persistent: bool = False


@dataclass(frozen=True, slots=True)
class Property:
    """No clients, each another one, ever satisfy the formulas `never`; `texts` as written, `place` of its item."""

    name: str
    never: tuple[Formula, ...]
    texts: tuple[str, ...]
    place: Place
    never_place: Place

    @property
    def title(self) -> str:
        """``property `one leader```; by its formulas where it has no name."""
        if self.name:
            return f"property `{self.name}`"
        never = ", ".join(self.texts)
        return f"property `never: {never if len(never) <= _LONGEST else never[: _LONGEST - 1] + '…'}`"


@dataclass(frozen=True, slots=True)
class Clients:
    """All that a section says. `lost`: how many properties could not be read."""

    topics: tuple[str, ...]
    messages: tuple[Message, ...]
    roles: tuple[Role, ...]
    broker: Broker
    properties: tuple[Property, ...]
    lost: int = 0

    @property
    def exact(self) -> bool:
        """Whether the number of clients is given."""
        return all(role.count is not None for role in self.roles)

    def retained_on(self, topic: int) -> list[int]:
        """The messages that the broker retains on a topic."""
        return [index for index, one in enumerate(self.messages) if one.retained and one.topic == topic]
