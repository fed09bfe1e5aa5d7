"""The estate with its names resolved to dense integers: what the layers below the language read.

Ids are dense: broker ``i`` is the i-th of ``brokers``, link ``i`` the i-th of ``links`` (files brought in by
``include`` follow in the order they were read). Everything carries the `Place` it was declared at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from momlint.findings import Place
from momlint.records import dataclass

#: How topics and filters are written.
Syntax: TypeAlias = Literal["mqtt", "amqp", "nats", "jms", "kafka"]


@dataclass(frozen=True, slots=True)
class Guard:
    """What keeps messages from going round in a relayed overlay; None where it says nothing.

    `split_horizon`: none, connection or link. `hops`: what links without `max_hops` have. `visited`: none, broker, or
    the attribute of brokers that a message remembers. `once`: one copy to a broker, whatever links lead there.
    """

    split_horizon: Literal["none", "connection", "link"] | None = None
    hops: int | None = None
    visited: str | None = None
    once: bool | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """What a link lets pass: topics that match `filter`, without the prefix `strip` if they have it, with `add` before.

    With `deny` they do not pass. `syntax`: how it is written, None for as the estate says.
    """

    place: Place
    filter: str
    strip: str = ""
    add: str = ""
    deny: bool = False
    syntax: Syntax | None = None


@dataclass(frozen=True, slots=True)
class Interest:
    """Topics that are wanted or published at a broker (dense id). `syntax`: as with `Pass`; with one, no prefix goes
    before. `local`: where nobody says what is published, what is published there is enough.
    """

    place: Place
    broker: int
    filter: str
    syntax: Syntax | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker; `processing_ms` in milliseconds, `availability` a probability, None where not given.

    Without `transit` it takes in and hands out its own messages, and passes nothing on for others. An `external` one is
    somebody else's. In relayed overlays: `guard`, its own; `prefix`, before what is published and wanted there.
    """

    id: str
    place: Place
    address: str | None = None
    site: str | None = None
    tags: tuple[str, ...] = ()
    processing_ms: float = 0.0
    availability: float | None = None
    transit: bool = True
    external: bool = False
    guard: Guard | None = None
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link from broker `tail` to broker `head` (dense ids), both ways unless `one_way`.

    `id` is what the user gave, else ``a--b`` for ``between: [a, b]`` and ``a->b`` for a one-way link. `cost` and
    `latency_ms` are those from tail to head, `cost_back` and `latency_ms_back` the other way (None: the same).

    In relayed overlays: `connection`, its split-horizon group; `passes`, what it lets pass, None for everything;
    `max_hops`, the position in a walk that it may have at the latest, None where the guard says; `counter`: which links
    count for that, those with the same; `demand_hops`: how many links away, itself counted, a subscription may be for
    which something crosses it, None for any; `per_subscription`: it crosses once for each of these; `echo`: what came
    by it may be sent back over its connection; `unguarded`: no guard looks at what crosses it, and it is no hop;
    `forgets`: likewise, and behind it hops and memory begin anew;
    `alternatives`: an end, and who takes its place once it has failed, in order.
    """

    id: str
    place: Place
    tail: int
    head: int
    one_way: bool = False
    cost: float = 1.0
    latency_ms: float = 0.0
    availability: float | None = None
    cost_back: float | None = None
    latency_ms_back: float | None = None
    connection: str | None = None
    passes: tuple[Pass, ...] | None = None
    max_hops: int | None = None
    echo: bool = False
    unguarded: bool = False
    forgets: bool = False
    demand_hops: int | None = None
    per_subscription: bool = False
    counter: str | None = None
    alternatives: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A shared-risk group: links and brokers (dense ids, ascending) that fail together, as one failure."""

    name: str
    place: Place
    links: tuple[int, ...] = ()
    brokers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic; `publishers` and `subscribers` are dense broker ids without repeats, in the order of the file.

    `incomplete`: a publisher or subscriber could not be resolved and was left out, so that nothing should be
    said of there being none. `publisher_index`, `subscriber_index`: where the i-th stands in its list, the first place
    of one that is listed twice.
    """

    name: str
    place: Place
    publishers: tuple[int, ...]
    subscribers: tuple[int, ...]
    max_latency_ms: float | None = None
    max_hops: int | None = None
    incomplete: bool = False
    subscriber_index: Sequence[int] = ()
    publisher_index: Sequence[int] = ()
    tags: tuple[str, ...] = ()

    def subscriber_place(self, broker: int) -> Place:
        """The item of ``subscribers`` that names the broker. Raises `ValueError` where none does."""
        return _below(self.place, "subscribers", self.subscriber_index[self.subscribers.index(broker)])

    def publisher_place(self, broker: int) -> Place:
        """The item of ``publishers`` that names the broker. Raises `ValueError` where none does."""
        return _below(self.place, "publishers", self.publisher_index[self.publishers.index(broker)])

    @property
    def hops_place(self) -> Place:
        """Where ``max_hops`` stands."""
        return _below(self.place, "max_hops")

    @property
    def latency_place(self) -> Place:
        """Where ``max_latency_ms`` stands."""
        return _below(self.place, "max_latency_ms")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of ``routing.tables``: at `location`, messages for each of `destinations` go to `via`.

    `place` is the entry next hop → destinations; `destination_index`: where the i-th destination stands in its list
    (unknown brokers are left out, so it need not be 0, 1, 2 …).
    """

    place: Place
    location: int
    via: int
    destinations: tuple[int, ...]
    destination_index: tuple[int, ...]

    def destination_place(self, broker: int) -> Place:
        """The item that names the destination. Raises `ValueError` where none does."""
        return _below(self.place, self.destination_index[self.destinations.index(broker)])

    @property
    def table_place(self) -> Place:
        """The table that the row belongs to: the key of its location."""
        return Place(self.place.document, self.place.path[:-1], "key")


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour: its name, and the links and brokers (dense ids, ascending) that have failed in it.

    `incomplete`: it also names something that is not declared, so that what it means is not known.
    """

    name: str
    place: Place
    failed_links: tuple[int, ...] = ()
    failed_brokers: tuple[int, ...] = ()
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class RecoveryRow:
    """A row of a super routing table: at `location`, for `destination`, in each of `colours`, go to `via`.

    With `inverted` the row holds in every colour but `colours` (in YAML: ``except``).
    """

    place: Place
    location: int
    destination: int
    via: int
    colours: tuple[int, ...]
    inverted: bool = False

    @property
    def table_place(self) -> Place:
        """The table that the row belongs to: the key of its location, or the top of a file of rows."""
        return Place(self.place.document, self.place.path[:-1], "key")


@dataclass(frozen=True, slots=True)
class Tolerate:
    """What the estate promises to survive: any `links` links, `brokers` brokers and `groups` groups at once.

    `place`: where it says so; None where no file does.
    """

    links: int = 0
    brokers: int = 0
    groups: int = 0
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Spec:
    """A temporal specification as text; parsed and decided elsewhere."""

    name: str | None
    place: Place
    logic: Literal["ctl", "ltl"]
    text: str

    def formula_place(self, within: tuple[int, int] | None = None) -> Place:
        """Where the formula stands, or the characters `within` (start and end, exclusive) of it."""
        return Place(self.place.document, (*self.place.path, self.logic), "value", within)


@dataclass(slots=True)
class Estate:
    """One overlay, names resolved. What could not be resolved is left out and is among the problems."""

    name: str
    brokers: Sequence[Broker]
    links: Sequence[Link]
    topics: Sequence[Topic]
    protocol: Literal["shortest-path", "tables", "relay"]
    table_rows: Sequence[TableRow] = ()
    colours: Sequence[Colour] = ()
    colours_declared: bool = False
    recovery_rows: Sequence[RecoveryRow] | None = None
    recovery_file: str | None = None
    tolerate: Tolerate | None = None
    #: failed broker → who adopts its clients, in order: the first that is alive (dense ids, without repeats).
    takeover: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    specs: Sequence[Spec] = ()
    groups: Sequence[Group] = ()
    #: What next hops do when something has failed, where the estate says so (see `heals`).
    after_failure: Literal["heal", "keep"] | None = None
    #: Whether a given row is taken back while its own link or next hop is down.
    withdraws_rows: bool = False
    #: failed broker (dense id) → the place of its entry in ``failures.takeover``.
    takeover_places: Mapping[int, Place] = field(default_factory=dict)
    #: section name → the place of its key, for the sections that the estate has (``links``,
    #: ``routing.tables``, ``failures.recovery`` …); of the first document that has it.
    section_places: Mapping[str, Place] = field(default_factory=dict)
    #: Sections that something was left out of, by the same names: a verdict that the missing entries could
    #: change (no path, no row, isolated …) should not be spoken.
    incomplete: frozenset[str] = frozenset()
    #: Of relayed overlays: what wildcards mean, the guard of all, what is wanted and may be published where; None for
    #: what no file says.
    syntax: Syntax = "mqtt"
    guard: Guard | None = None
    subscriptions: Sequence[Interest] | None = None
    publications: Sequence[Interest] | None = None

    @property
    def place(self) -> Place:
        """Where the estate says that it is one: its ``momlint:`` key."""
        return Place(0, ("momlint",), "key")

    @property
    def heals(self) -> bool:
        """Whether next hops are computed anew on what is left when something has failed; without recovery rows."""
        if self.after_failure is not None:
            return self.after_failure == "heal"
        return self.protocol == "shortest-path"


def _below(place: Place, *route: str | int) -> Place:
    return Place(place.document, (*place.path, *route))
