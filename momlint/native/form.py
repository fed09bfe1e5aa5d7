"""What a native file says of the overlay, in words that all families share; nothing of any one product's syntax.

Places are 0-based lines and columns, in characters, of one of the texts that a file is made of (it may include others).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from momlint.findings import Position, Problem, Related, Span
from momlint.source.decoding import Text

#: What a file may be called in a manifest.
Kind: TypeAlias = Literal["mosquitto", "vernemq", "nanomq", "emqx", "rabbitmq", "nats", "activemq", "artemis", "mm2"]
#: Kinds whose files make one estate together.
Family: TypeAlias = Literal["mqtt", "amqp", "nats", "jms", "artemis", "kafka"]

FAMILY_OF: dict[Kind, Family] = {
    "mosquitto": "mqtt",
    "vernemq": "mqtt",
    "nanomq": "mqtt",
    "emqx": "mqtt",
    "rabbitmq": "amqp",
    "nats": "nats",
    "activemq": "jms",
    "artemis": "artemis",
    "mm2": "kafka",
}


class At(NamedTuple):
    """A place: the number of the text (0 is the file itself, then what it includes), and where in it."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: int = 0

    @property
    def span(self) -> Span:
        """The place as findings have it, 1-based."""
        return Span(Position(self.line + 1, self.column + 1), Position(self.end_line + 1, self.end_column + 1))

    def to(self, other: At) -> At:
        """From here to the end of `other`, which is in the same text."""
        return At(self.line, self.column, other.end_line, other.end_column, self.text)


class Token(NamedTuple):
    """A word of a file and where it stands."""

    text: str
    at: At


TOP = At(0, 0, 0, 0)


class Address(NamedTuple):
    """Where a link leads, as it is written; `host` in lower case, `port` None where none is given.

    `path`: what an address names within a host, as the virtual host of a broker.
    """

    text: str
    host: str
    port: int | None
    at: At
    path: str = ""


class Pass(NamedTuple):
    """What a link lets pass, and how it renames it: a prefix is cut where the topic has it, then one is added.

    `denied`: what matches does not pass.
    """

    filter: str
    strip: str
    add: str
    at: At
    denied: bool = False


@dataclass(slots=True)
class Broker:
    """A broker that a file declares: `key` tells it from the others of the file, empty for the only one.

    `hosts`: under which names it is known; `ports`: where it listens.
    """

    key: str
    at: At
    hosts: set[str] = field(default_factory=set)
    ports: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Link:
    """A link from or to a broker of the file. `id`: unique in the file.

    It leads to `other`, a broker by its file and key, or to the first of `addresses`; more of them, and `others`, are
    alternatives once that has failed. `outward`: away from `broker`. `connection`: its split-horizon group, unique in
    the file; None where it has none; in the whole estate if `global_connection`. `near`: the broker in the place of
    `broker`, where it is another file's. `unguarded`: no guard looks at what crosses it. `far_key`: the key of the
    broker meant in the file at the address. `unheard`: where it ends, the broker may send back over the connection what
    came by this link. `forgets`: it leads from one protocol to another, and guards know nothing across. `syntax`: how
    `passes` are written, None for as the family does. `demand_hops`: something crosses it only for subscriptions at
    most so many links away; `per_subscription`: once for each. `counter`: what counts the hops that
    `max_hops` is about, None for what counts all. `unfiltered`: the file names nothing that it lets pass, so that all
    does, and `passes` say no more.
    """

    id: str
    broker: str
    outward: bool
    at: At
    passes: list[Pass]
    addresses: list[Address] = field(default_factory=list)
    other: tuple[str, str] | None = None
    others: list[tuple[str, str]] = field(default_factory=list)
    far_key: str = ""
    global_connection: bool = False
    connection: str | None = None
    unheard: bool = False
    max_hops: int | None = None
    near: tuple[str, str] | None = None
    unguarded: bool = False
    forgets: bool = False
    syntax: str | None = None
    demand_hops: int | None = None
    per_subscription: bool = False
    counter: str | None = None
    unfiltered: bool = False


class Want(NamedTuple):
    """What is subscribed to at a broker of the file, which is given by its key."""

    broker: str
    filter: str
    at: At


class Client(NamedTuple):
    """A name by which a connection introduces itself to the broker at `address`; two of one name cannot both stay.

    `effect`: what then happens; `mend`: what to do about it.
    """

    name: str
    explicit: bool
    address: Address
    at: At
    effect: str = "and knock each other out"
    mend: str = "give each connection a `remote_clientid` of its own"


@dataclass(slots=True)
class NativeFile:
    """One file that has been read, with what it includes: `texts` are their names and contents, its own first.

    `called`: what the file itself calls its broker. `server`: what only the readers of its family understand.
    """

    kind: Kind
    texts: list[tuple[str, Text]]
    called: str | None = None
    server: object = None
    brokers: list[Broker] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    clients: list[Client] = field(default_factory=list)
    wants: list[Want] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def file(self) -> str:
        """Its name."""
        return self.texts[0][0]

    def report(
        self,
        code: str,
        at: At,
        message: str,
        help_: str = "",
        *,
        label: str = "",
        related: tuple[Related, ...] = (),
        about: dict[str, str] | None = None,
    ) -> None:
        """Keep a finding at a place of this file."""
        file = self.texts[at.text][0]
        self.problems.append(Problem(code, at.span, message, help_, related, file, label, dict(about or {})))

    def related(self, at: At, message: str) -> Related:
        """A place that goes with a finding."""
        return Related(self.texts[at.text][0], at.span, message)
