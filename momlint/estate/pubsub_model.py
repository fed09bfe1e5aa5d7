"""The section `pubsub` as pydantic models: clients of one broker that follow automata, and what must never be."""

# Annotations are read at run time, so no `from __future__ import annotations`: it would cost a pass of
# `eval`.
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from momlint.estate.forms import LARGEST_COUNT, one_or_list_form, read_clients, read_count
from momlint.estate.kinds import Flag, Formula, Id, Model, Takes, Text

States = Annotated[
    Annotated[Id, Tag("\0one")]
    | Annotated[list[Id], Field(min_length=1), Tag("\0list"), Takes("a list of states, at least one")],
    Discriminator(one_or_list_form),
    Takes("a state, or a list of states"),
]
Never = Annotated[
    Annotated[Formula, Tag("\0one")]
    | Annotated[list[Formula], Field(min_length=1), Tag("\0list"), Takes("a list of formulas, at least one")],
    Discriminator(one_or_list_form),
    Takes("a formula, or a list of formulas"),
]
Clients = Annotated[
    int | None,
    Field(ge=0, le=LARGEST_COUNT),
    BeforeValidator(read_clients),
    Takes("any, or a whole number, 0 or more"),
    WithJsonSchema({"anyOf": [{"const": "any"}, {"type": "integer", "minimum": 0}], "default": "any"}),
]
Workers = Annotated[int, Field(ge=1, le=LARGEST_COUNT), BeforeValidator(read_count), Takes("a whole number, 1 or more")]


class MessageEntry(Model):
    """A kind of message; all of it may be left out."""

    topic: Id = Field("main", description="Topic it is published on; main by default.")
    retained: Flag = Field(
        False, description="true: the broker keeps it as the topic's last message, for those who subscribe later."
    )


class PubsubBrokerEntry(Model):
    """How the broker hands out messages."""

    workers: Workers = Field(1, description="How many messages the broker can be handing out at once.")
    subscribers: Annotated[Literal["snapshot", "live"], Takes("snapshot or live")] = Field(
        "snapshot",
        alias="list",
        description="snapshot: a message goes to those who were on the list when it was published; live: to those who "
        "are on it when it is handed out.",
    )
    notify: Annotated[Literal["atomic", "each"], Takes("atomic or each")] = Field(
        "atomic", description="atomic: to all targets in one step; each: to one target a step, in any order."
    )
    on_error: Annotated[Literal["skip", "abort"], Takes("skip or abort")] = Field(
        "skip", description="With notify: each, abort: the worker may give up before all targets have the message."
    )
    qos: Annotated[Literal["0", "1"], Takes("0 or 1"), WithJsonSchema({"enum": [0, 1], "default": 0})] = Field(
        "0",
        description="With notify: each, 1: an acknowledgement may get lost, and the message is handed out once more.",
    )
    session: Annotated[Literal["clean", "persistent"], Takes("clean or persistent")] = Field(
        "clean",
        description="persistent: what is for a client that is offline is queued for it; clean: it is lost.",
    )


class StepEntry(Model):
    """One step of a client: in a state `from`, if `if` holds, it does `do` and is in state `to`."""

    sources: States = Field(alias="from", description="State, or states, in which the client can take the step.")
    target: Id = Field("", alias="to", description="State it is in afterwards; the same state by default.")
    action: Text = Field(
        alias="do",
        description="local, subscribe TOPIC, unsubscribe TOPIC, publish MESSAGE, on MESSAGE, disconnect or connect.",
    )
    condition: Formula = Field("", alias="if", description="What else must hold of the client, as in never.")


class ClientsEntry(Model):
    """A role: clients that follow the same automaton."""

    start: Id = Field(description="State in which the clients begin.")
    count: Clients = Field(None, description="How many clients: any number (any, the default), or exactly so many.")
    offline: Flag = Field(False, description="true: they begin disconnected.")
    crash: Flag = Field(
        False,
        description="true: a client may go offline at any time, unnoticed by the broker; false by default.",
    )
    steps: Annotated[list[Annotated[StepEntry, Takes("a step {from, to, do}")]], Takes("a list of steps")] | None = (
        Field(None, description="What the clients do, step by step.")
    )


class PropertyEntry(Model):
    """What must never be."""

    name: Text | None = Field(None, description="Name of the property, shown in messages.")
    never: Never = Field(
        description="A formula that no client ever satisfies; or several, which no clients, each another one, ever "
        "satisfy at the same time. Words: states, roles, role.state, connected, subscribed(t), ever_subscribed(t), "
        "received(m), twice(m), late(m), missed(m), true, and, or, not."
    )


class PubsubEntry(Model):
    """Clients of one broker, any number of them, and what must never be."""

    messages: (
        Annotated[
            dict[Id, Annotated[MessageEntry | None, Takes("a mapping of topic and retained, or nothing")]],
            Takes("a mapping from messages to their topics"),
        ]
        | None
    ) = Field(None, description="Message → the topic it is published on, and whether the broker retains it.")
    broker: Annotated[PubsubBrokerEntry | None, Takes("a mapping with workers, list, notify and so on")] = Field(
        None, description="How the broker hands out messages."
    )
    clients: (
        Annotated[
            dict[Id, Annotated[ClientsEntry, Takes("a role {start, steps}")]], Takes("a mapping from roles to clients")
        ]
        | None
    ) = Field(None, description="Role → the automaton that its clients follow.")
    properties: (
        Annotated[list[Annotated[PropertyEntry, Takes("a property {name, never}")]], Takes("a list of properties")]
        | None
    ) = Field(None, description="What must never be, with any number of clients.")


__all__ = [
    "ClientsEntry",
    "MessageEntry",
    "PropertyEntry",
    "PubsubBrokerEntry",
    "PubsubEntry",
    "StepEntry",
]
