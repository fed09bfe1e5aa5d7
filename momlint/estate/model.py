"""The language as pydantic models: what a field means, in what unit, and what may stand there.

The models judge one value at a time. What needs two entities (does this broker exist, is this link there
twice) is `momlint.estate.resolve`'s, because a validator that looks across entities has no place to point at.

Ids are raw text: the models are fed with `momlint.estate.quick` trees, whose scalars are the text as written,
so that ``010``, ``no`` and ``1.0`` stay what they are. Only the number types below read that text as a
number.
"""

# Annotations are read at run time, so no `from __future__ import annotations`: it would cost a pass of
# `eval`.
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)

from momlint.estate.delivery_model import ClientEntry, DeliveryEntry, SiteEntry
from momlint.estate.forms import (
    LARGEST_NUMBER,
    by_direction_form,
    has_ends,
    has_one_logic,
    has_one_set,
    one_or_list_form,
    read_float,
    recovery_form,
    tolerate_form,
)
from momlint.estate.kinds import Count, Flag, Formula, Id, Model, Path, Takes, Text
from momlint.estate.pubsub_model import PubsubEntry
from momlint.estate.simulation_model import SimulationEntry

BrokerIds = Annotated[list[Id], Takes("a list of broker ids")]
Ends = Annotated[list[Id], Field(min_length=2, max_length=2), Takes("a list of two broker ids")]
Texts = Annotated[list[Text], Takes("a list of strings")]

Cost = Annotated[
    float,
    Field(gt=0, le=LARGEST_NUMBER, allow_inf_nan=False),
    BeforeValidator(read_float),
    Takes("a number greater than 0"),
]
Milliseconds = Annotated[
    float,
    Field(ge=0, le=LARGEST_NUMBER, allow_inf_nan=False),
    BeforeValidator(read_float),
    Takes("a number of milliseconds, 0 or more"),
]
Probability = Annotated[
    float,
    Field(ge=0, le=1, allow_inf_nan=False),
    BeforeValidator(read_float),
    Takes("a probability from 0 to 1"),
]
Costs = Annotated[
    Annotated[Cost, Tag("\0one")]
    | Annotated[dict[Id, Cost], Tag("\0ways"), Takes("a mapping from directions to numbers")],
    Discriminator(by_direction_form),
    Takes("a number greater than 0"),
]
Latencies = Annotated[
    Annotated[Milliseconds, Tag("\0one")]
    | Annotated[dict[Id, Milliseconds], Tag("\0ways"), Takes("a mapping from directions to numbers")],
    Discriminator(by_direction_form),
    Takes("a number of milliseconds, 0 or more"),
]


Syntax = Literal["mqtt", "amqp", "nats", "jms", "kafka"]
#: Products whose configuration files are read.
NativeKind = Literal["mosquitto", "vernemq", "nanomq", "emqx", "rabbitmq", "nats", "activemq", "artemis", "mm2"]
KINDS = ("mosquitto", "vernemq", "nanomq", "emqx", "rabbitmq", "nats", "activemq", "artemis", "mm2")


class GuardEntry(Model):
    """What keeps messages from going round in a relayed overlay."""

    split_horizon: Annotated[Literal["none", "connection", "link"], Takes("none, connection or link")] | None = Field(
        None,
        description="What a broker does not hand a message back to: connection (the connection it came by), link (the "
        "link it came by, the other way), or none.",
    )
    hops: Count | None = Field(
        None, description="Default of `max_hops` of links; of a broker, of those that begin there."
    )
    visited: Text | None = Field(
        None,
        description="What a message remembers of the brokers it has been at, and does not come to twice: broker, the "
        "name of an attribute of brokers (site, address), or none.",
    )
    once: Flag | None = Field(
        None,
        description="true: of several links to one broker that let a message pass under one name, only the first in "
        "the file carries it.",
    )


class PassEntry(Model):
    """What a link of a relayed overlay lets pass; of several, the first that matches counts."""

    filter: Annotated[str, Field(min_length=1), Takes("a filter of topics"), WithJsonSchema({"type": "string"})] = (
        Field(description="Topics that pass, with the wildcards of `routing.syntax`.")
    )
    strip: Text = Field("", description="Cut from the beginning of a topic that begins so; before `add`.")
    add: Text = Field("", description="Put before the topic.")
    deny: Flag = Field(False, description="true: what matches does not pass.")


class BrokerEntry(Model):
    """Attributes of one broker; all of them may be left out."""

    address: Text | None = Field(None, description="Network address, shown in messages; not resolved.")
    site: Text | None = Field(None, description="Name of the place where the broker runs.")
    tags: Texts | None = Field(None, description="Labels to group brokers by.")
    processing_ms: Milliseconds | None = Field(
        None, description="Time the broker spends on a message, in milliseconds; 0 by default."
    )
    availability: Probability | None = Field(
        None, description="Probability from 0 to 1 that the broker is up; unknown if left out."
    )
    transit: Flag = Field(
        True,
        description="false: the broker serves its own clients only, and passes nothing on for others.",
    )
    guard: GuardEntry | None = Field(None, description="The broker's own guard, before that of `routing`.")
    config: Path | None = Field(
        None, description="The broker's own configuration file, relative to this file: its bridges become links."
    )
    kind: Annotated[NativeKind, Takes(" or ".join(KINDS))] | None = Field(
        None, description="What `config` is for; told by its name and content where it is left out."
    )
    hosts: Texts | None = Field(
        None, description="Addresses (host or host:port) under which configuration files of other brokers know it."
    )
    prefix: Text | None = Field(
        None,
        description="Relayed overlays: put before what is published and wanted here in `routing.syntax`, where the "
        "broker keeps it under a name of its own: amq/topic/ for MQTT at RabbitMQ.",
    )
    external: Flag = Field(
        False, description="true: someone else's broker, whose configuration is not known; it is not judged itself."
    )


def _one_way_or_both(schema: dict[str, Any]) -> None:
    schema["oneOf"] = [
        {"required": ["between"], "not": {"anyOf": [{"required": ["from"]}, {"required": ["to"]}]}},
        {"required": ["from", "to"], "not": {"required": ["between"]}},
    ]


class LinkEntry(Model):
    """A link: both ways with `between`, one way with `from` and `to`."""

    model_config = ConfigDict(json_schema_extra=_one_way_or_both)

    id: Id = Field(
        "",
        description="Name of the link; by default a--b (one way: a->b). Parallel links need one each.",
    )
    between: Ends = Field(
        [],
        description="The two brokers of a link that carries messages both ways.",
    )
    source: Id = Field(
        "",
        alias="from",
        description="Broker where a one-way link begins.",
    )
    target: Id = Field(
        "",
        alias="to",
        description="Broker where a one-way link ends.",
    )
    cost: Costs = Field(
        1.0,
        description="Cost of using the link, greater than 0, in any unit; shortest paths add it up. One for both "
        "directions, or one each: {a->b: 1, b->a: 4}.",
    )
    latency_ms: Latencies = Field(
        0.0,
        description="Time a message spends on the link, in milliseconds; one for both directions, or one each.",
    )
    availability: Probability | None = Field(
        None,
        description="Probability from 0 to 1 that the link is up; unknown if left out.",
    )

    connection: Id | None = Field(
        None, description="Relayed overlays: links of one connection do not hand back to each other."
    )
    topics: Annotated[list[PassEntry], Takes("a list such as {filter: …, strip: …, add: …}")] | None = Field(
        None, description="Relayed overlays: what the link lets pass; everything if left out."
    )
    max_hops: Count | None = Field(
        None, description="Relayed overlays: a message may cross the link as its so-manieth hop at the latest."
    )
    counter: Id | None = Field(
        None,
        description="Relayed overlays: the name of a counter of hops of its own, as of one protocol; `max_hops` counts "
        "links with the same counter only.",
    )
    demand_hops: Count | None = Field(
        None,
        description="Relayed overlays: a message crosses the link only for subscriptions at most so many such links "
        "away, this one counted; a subscription is heard of against the way of messages.",
    )
    per_subscription: Flag = Field(
        False,
        description="Relayed overlays: true where a message crosses the link once for each subscription that is heard "
        "of; with `demand_hops`.",
    )

    echo: Flag = Field(
        False,
        description="Relayed overlays: true where the broker at the end may send back over the same connection what "
        "came by this link.",
    )
    alternatives: Annotated[dict[Id, BrokerIds], Takes("a mapping from an end to a list of brokers")] | None = Field(
        None,
        description="Relayed overlays: an end → the brokers that the link leads to in its place once it has failed, in "
        "order: the further addresses of a connection.",
    )
    unguarded: Flag = Field(
        False,
        description="Relayed overlays: true where no guard looks at what crosses the link, as with a shovel: it is no "
        "hop, and a message comes to brokers where it has been.",
    )
    forgets: Flag = Field(
        False,
        description="Relayed overlays: true where what crosses the link is a new message to all guards but split "
        "horizon: it is unguarded, and forgets its hops and where it has been, as from one protocol to another.",
    )
    syntax: Annotated[Syntax, Takes("mqtt, amqp, nats, jms or kafka")] | None = Field(
        None, description="Relayed overlays: how `topics` are written, if not as `routing.syntax` says."
    )

    _ends = model_validator(mode="after")(has_ends)


class TopicEntry(Model):
    """A topic: the brokers of its publishers and subscribers, and its budgets."""

    publishers: BrokerIds | None = Field(None, description="Brokers with a publisher of the topic.")
    subscribers: BrokerIds | None = Field(None, description="Brokers with a subscriber of the topic.")
    max_latency_ms: Milliseconds | None = Field(
        None,
        description="Budget from any publisher to any subscriber, in milliseconds, in the worst colour.",
    )
    max_hops: Count | None = Field(
        None, description="Budget for the path from any publisher to any subscriber, in links crossed."
    )
    tags: Texts | None = Field(None, description="Labels that rules of your own choose topics by.")


class RoutingEntry(Model):
    """Where next hops come from."""

    protocol: Annotated[Literal["shortest-path", "tables", "relay"], Takes("shortest-path, tables or relay")] = Field(
        "shortest-path",
        description="shortest-path: next hops are computed (least cost, ties by the next hop that comes "
        "first in brokers); tables: next hops are given; relay: messages pass over every link whose filter matches.",
    )
    syntax: Annotated[Syntax, Takes("mqtt, amqp, nats, jms or kafka")] = Field(
        "mqtt", description="With relay: what wildcards in filters mean."
    )
    guard: GuardEntry | None = Field(None, description="With relay: what keeps messages from going round.")
    tables: (
        Annotated[
            dict[
                Id,
                Annotated[dict[Id, BrokerIds], Takes("a mapping from next hops to lists of destinations")] | None,
            ],
            Takes("a mapping from brokers to their tables"),
        ]
        | None
    ) = Field(
        None,
        description="Location → next hop → destinations. With shortest-path these are static overrides.",
    )
    after_failure: Annotated[Literal["heal", "keep"], Takes("heal or keep")] | None = Field(
        None,
        description="What next hops do when something has failed: heal (computed anew on what is left; the default "
        "of shortest-path) or keep (they stay as they are; the default of tables).",
    )
    static_rows: Annotated[Literal["keep", "withdraw"], Takes("keep or withdraw")] = Field(
        "keep",
        description="Given rows beside computed next hops: keep (in force whatever fails) or withdraw (a row is "
        "withdrawn while its own link or next hop is down).",
    )


class TolerateEntry(Model):
    """How many elements may fail at once."""

    links: Count = Field(0, description="How many links, whichever, may fail at once.")
    brokers: Count = Field(0, description="How many brokers, whichever, may fail at once.")
    groups: Count = Field(0, description="How many shared-risk groups, whichever, may fail at once.")


def _one_set(schema: dict[str, Any]) -> None:
    schema["oneOf"] = [{"required": ["colours"]}, {"required": ["except"]}]


class RecoveryRowEntry(Model):
    """A row of a condensed super routing table; either `colours` or `except`."""

    model_config = ConfigDict(json_schema_extra=_one_set)

    to: Id = Field(description="Broker the messages are for (destination).")
    via: Id = Field(description="Broker they are handed to (next hop).")
    colours: Annotated[list[Id], Takes("a list of colours")] = Field(
        [], description="Colours in which the row is used."
    )
    excepted: Annotated[list[Id], Takes("a list of colours")] = Field(
        [], alias="except", description="Colours in which the row is not used; it is in all others."
    )

    _set = model_validator(mode="after")(has_one_set)


class RecoveryFileEntry(Model):
    """The recovery rows of all brokers in a file of their own."""

    file: Path = Field(
        description="Parquet or CSV file with the columns broker, to, via, colours; relative to this file."
    )


RecoveryRows = Annotated[
    dict[Id, Annotated[list[RecoveryRowEntry], Takes("a list of rows {to, via, colours}")] | None],
    Takes("a mapping from brokers to lists of rows, or {file: …}"),
]
Adopters = Annotated[
    Annotated[Id, Tag("\0one")]
    | Annotated[list[Id], Field(min_length=1), Tag("\0list"), Takes("a list of broker ids, at least one")],
    Discriminator(one_or_list_form),
    Takes("an id, or a list of ids"),
]
ToleratedWord = Literal["none", "single-link", "single-broker"]


class FailuresEntry(Model):
    """What may fail, and what happens then."""

    tolerate: (
        Annotated[
            Annotated[ToleratedWord, Tag("\0word")] | Annotated[TolerateEntry, Tag("\0counts")],
            Discriminator(tolerate_form),
            Takes("{links: …, brokers: …, groups: …}, or one of the words none, single-link, single-broker"),
        ]
        | None
    ) = Field(
        None,
        description="What the estate promises to survive: numbers of links, brokers and groups, or none, "
        "single-link ({links: 1}), single-broker ({brokers: 1}).",
    )
    colours: (
        Annotated[
            dict[Id, Annotated[list[Id], Takes("a list of links, brokers and groups")] | None],
            Takes("a mapping from colours to what has failed"),
        ]
        | None
    ) = Field(
        None,
        description="Colour → what has failed in it: a link by its id or as a--b (one way: a->b), a broker "
        "by its id, a group by its name. An empty list is the colour in which nothing has failed.",
    )
    recovery: (
        Annotated[
            Annotated[RecoveryRows, Tag("\0rows")] | Annotated[RecoveryFileEntry, Tag("\0file")],
            Discriminator(recovery_form),
        ]
        | None
    ) = Field(
        None,
        description="Condensed super routing tables: location → rows; or {file: …} for the rows of all brokers.",
    )
    takeover: Annotated[dict[Id, Adopters], Takes("a mapping from brokers to brokers")] | None = Field(
        None,
        description="Failed broker → the broker that adopts its publishers and subscribers, or several in order: "
        "the first that is alive.",
    )


def _one_logic(schema: dict[str, Any]) -> None:
    schema["oneOf"] = [{"required": ["ctl"]}, {"required": ["ltl"]}]


class SpecEntry(Model):
    """A temporal specification over src, dest, loc and colour; either `ctl` or `ltl`."""

    model_config = ConfigDict(json_schema_extra=_one_logic)

    name: Text | None = Field(None, description="Name of the specification, shown in messages.")
    ctl: Formula = Field(
        "",
        description="Formula in computation tree logic.",
    )
    ltl: Formula = Field(
        "",
        description="Formula in linear temporal logic.",
    )

    _logic = model_validator(mode="after")(has_one_logic)


class IgnoreEntry(Model):
    """A finding in a native file that is not to be told, where that file can hold no comment."""

    code: Id = Field(description="The code of the rule, or the beginning of it.")
    file: Path | None = Field(None, description="The native file, relative to this file; any if left out.")
    about: Text | None = Field(None, description="A name that the finding's line or message has; any if left out.")


#: What readers of configuration files find; see `momlint.native`.
FileCode = Literal[
    "MOM101",
    "MOM103",
    "MOM801",
    "MOM802",
    "MOM803",
    "MOM805",
    "MOM806",
    "MOM808",
    "MOM809",
    "MOM810",
    "MOM811",
    "MOM813",
    "MOM814",
]


class FindingEntry(Model):
    """What the configuration files that an estate was imported from have wrong, and the estate does not show."""

    code: Annotated[FileCode, Takes("the code of a rule about configuration files, such as MOM808")] = Field(
        description="The code of the rule."
    )
    at: Text = Field(description="The file, the line and the column: edge.conf:5:21.")
    message: Text = Field(description="What is wrong there.")
    help: Text = Field("", description="What mends it.")


def _own_keys(schema: dict[str, Any]) -> None:
    schema["patternProperties"] = {"^x-": {"description": "Ignored: a home for anchors."}}


class InterestEntry(Model):
    """Topics that are wanted, or may be published, at a broker of a relayed overlay."""

    at: Id = Field(description="The broker.")
    local: Flag = Field(
        False,
        description="Of subscriptions, where nobody says what is published: true where what the broker itself may "
        "publish is enough, as for a queue.",
    )
    filter: Annotated[str, Field(min_length=1), Takes("a filter of topics"), WithJsonSchema({"type": "string"})] = (
        Field(description="Which topics, with the wildcards of `routing.syntax`, or of `syntax`.")
    )
    syntax: Annotated[Syntax, Takes("mqtt, amqp, nats, jms or kafka")] | None = Field(
        None,
        description="How the filter is written, if not as `routing.syntax` says; then the broker's `prefix` does not "
        "go before it.",
    )


class EstateFile(Model):
    """One document: an overlay of brokers, or a part of one that another file includes."""

    model_config = ConfigDict(json_schema_extra=_own_keys)

    momlint: Literal[1] = Field(description="Version of the language.")
    name: Text | None = Field(None, description="Name of the overlay, shown in messages.")
    brokers: (
        Annotated[
            dict[Id, Annotated[BrokerEntry | None, Takes("a mapping of attributes, or nothing")]],
            Takes("a mapping from ids to attributes"),
        ]
        | None
    ) = Field(None, description="Broker id → attributes. Ids are compared as text: 1 and '1' are one broker.")
    links: (
        Annotated[
            list[Annotated[LinkEntry, Takes("a link such as {between: [a, b]}")]],
            Takes("a list of links"),
        ]
        | None
    ) = Field(None, description="Links between brokers.")
    groups: (
        Annotated[
            dict[Id, Annotated[list[Id], Takes("a list of links and brokers")] | None],
            Takes("a mapping from groups to lists of links and brokers"),
        ]
        | None
    ) = Field(
        None,
        description="Shared-risk group → the links (by id or as a--b) and brokers that fail together: one duct, "
        "one rack, one power supply. A group counts as one failure.",
    )
    include: Annotated[list[Path], Takes("a list of paths")] | None = Field(
        None,
        description="Other files with any of these sections: paths or glob patterns, relative to this file.",
    )
    topics: (
        Annotated[
            dict[Id, Annotated[TopicEntry | None, Takes("a mapping of publishers and subscribers")]],
            Takes("a mapping from names to topics"),
        ]
        | None
    ) = Field(None, description="Topic name → publishers, subscribers and budgets.")
    subscriptions: Annotated[list[InterestEntry], Takes("a list such as {at: a, filter: b}")] | None = Field(
        None, description="Relayed overlays: what is wanted where."
    )
    publications: Annotated[list[InterestEntry], Takes("a list such as {at: a, filter: b}")] | None = Field(
        None, description="Relayed overlays: what may be published where."
    )
    routing: Annotated[RoutingEntry | None, Takes("a mapping with protocol and tables")] = Field(
        None, description="Where next hops come from; shortest-path by default."
    )
    failures: Annotated[FailuresEntry | None, Takes("a mapping with tolerate, colours, recovery, takeover")] = Field(
        None, description="What may fail, and what happens then."
    )
    closed: Flag = Field(
        False,
        description="true: `brokers` are all that there are, and an address in a configuration file that leads to "
        "none of them is an error.",
    )
    ignore: Annotated[list[IgnoreEntry], Takes("a list such as {code: MOM801, file: hq.json}")] | None = Field(
        None, description="Findings in native files that are not to be told."
    )
    findings: Annotated[list[FindingEntry], Takes("a list such as {code: MOM808, at: …, message: …}")] | None = Field(
        None,
        description="What configuration files have wrong and the estate does not show, as `momlint import` found it; "
        "told again until the entry is taken out.",
    )
    specs: (
        Annotated[
            list[Annotated[SpecEntry, Takes("a specification such as {name: …, ctl: …}")]],
            Takes("a list of specifications"),
        ]
        | None
    ) = Field(None, description="Temporal specifications.")
    pubsub: Annotated[PubsubEntry | None, Takes("a mapping with messages, broker, clients and properties")] = Field(
        None, description="Clients of one broker, any number of them, and what must never be; needs no brokers."
    )
    sites: (
        Annotated[
            dict[Id, Annotated[SiteEntry, Takes("a site {parent, brokers}")]], Takes("a mapping from ids to sites")
        ]
        | None
    ) = Field(None, description="Site → the site above it, and its brokers in take-over order: a tree.")
    delivery: Annotated[DeliveryEntry | None, Takes("a mapping with routing, order and so on")] = Field(
        None, description="How events travel over the tree of sites, and in which order they are delivered."
    )
    clients: (
        Annotated[
            dict[Id, Annotated[ClientEntry, Takes("a client {site, publishes, subscribes}")]],
            Takes("a mapping from ids to clients"),
        ]
        | None
    ) = Field(None, description="Client → its site, what it publishes and what it subscribes to.")
    simulation: Annotated[SimulationEntry | None, Takes("a mapping with unit, links, traffic and protocols")] = Field(
        None, description="What `momlint simulate --failures` needs beside the overlay; no verdict depends on it."
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document of the language, for editors.

    It is a little wider than the reader: an id may be written as a string, a number or a boolean, since JSON
    cannot see how a YAML scalar was written.
    """
    schema = EstateFile.model_json_schema(by_alias=True, mode="validation")
    _drop_empty_defaults(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:momlint:estate:1",
        **schema,
        "title": "momlint estate",
    }


def _drop_empty_defaults(schema: Any) -> None:
    # An empty default means “not given”; an editor would offer it as a value to insert.
    if isinstance(schema, dict):
        if schema.get("default", 0) in (None, "", []) and "description" in schema:
            del schema["default"]
        for value in schema.values():
            _drop_empty_defaults(value)
    elif isinstance(schema, list):
        for value in schema:
            _drop_empty_defaults(value)


__all__ = [
    "EstateFile",
    "FailuresEntry",
    "LinkEntry",
    "RecoveryFileEntry",
    "RecoveryRowEntry",
    "RoutingEntry",
    "SpecEntry",
    "Takes",
    "TolerateEntry",
    "TopicEntry",
    "json_schema",
]
