"""The sections `sites`, `delivery` and `clients` as pydantic models: a tree of sites, and how events travel."""

# Annotations are read at run time, so no `from __future__ import annotations`: it would cost a pass of
# `eval`.
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from momlint.estate.forms import LARGEST_NUMBER, read_float
from momlint.estate.kinds import Flag, Id, Model, Takes

Milliseconds = Annotated[
    float,
    Field(ge=0, le=LARGEST_NUMBER, allow_inf_nan=False),
    BeforeValidator(read_float),
    Takes("milliseconds, 0 or more"),
]
Topics = Annotated[list[Id], Takes("a list of topics")]


class SiteEntry(Model):
    """A site: brokers of which one is active, and the site above it."""

    parent: Id = Field("", description="The site above it; the root has none.")
    brokers: Annotated[list[Id], Field(min_length=1), Takes("a list of broker ids, at least one")] = Field(
        description="Its brokers, in the order in which they take over."
    )
    latency_ms: Milliseconds | None = Field(None, description="Latency to the parent in milliseconds.")


class DeliveryEntry(Model):
    """How events travel over the tree of sites, and in which order they are delivered."""

    routing: Annotated[Literal["flooding", "filtering"], Takes("flooding or filtering")] = Field(
        description="flooding: every event goes to every site; filtering: only towards sites with a subscriber of its "
        "topic."
    )
    order: Annotated[Literal["none", "fifo", "total"], Takes("none, fifo or total")] = Field(
        description="none; fifo: the events of a publisher in its order; total: all events in one order everywhere."
    )
    numbering: (
        Annotated[
            Literal["publisher", "link", "sequencer", "subscriber"], Takes("publisher, link, sequencer or subscriber")
        ]
        | None
    ) = Field(
        None,
        description="Whose numbers say whose turn it is. With fifo, publisher (the default) or link; with total, "
        "sequencer (one counter, the default) or subscriber (a counter each).",
    )
    sequencer: Id = Field("", description="With total: the site that hands out numbers; the root by default.")
    channels: Annotated[Literal["unordered", "ordered"], Takes("ordered or unordered")] = Field(
        "unordered", description="Whether what one broker sends to another arrives in the order in which it was sent."
    )
    replicate: Annotated[
        list[
            Annotated[
                Literal["subscriptions", "counters", "seen"],
                Takes("subscriptions, counters or seen"),
            ]
        ],
        Takes("a list of subscriptions, counters, seen"),
    ] = Field(
        ["subscriptions", "counters", "seen"],
        description="What the active broker gives its standbys before it acts on it; all three by default.",
    )
    acknowledge: Annotated[
        Literal["after-forwarding", "before-forwarding"], Takes("after-forwarding or before-forwarding")
    ] = Field("after-forwarding", description="When the receiver of an event acknowledges it.")
    retransmit: Flag = Field(
        True, description="Whether a sender sends again to the new active broker what was not acknowledged."
    )
    suspect_after_ms: Milliseconds = Field(
        500.0, description="After so many milliseconds without an acknowledgement a sender suspects the active broker."
    )
    dead_after_ms: Milliseconds = Field(
        2000.0, description="After so many milliseconds of silence a suspected broker counts as dead."
    )


class ClientEntry(Model):
    """A client of a site: a publisher, a subscriber, or both."""

    site: Id = Field(description="The site it is connected to.")
    publishes: Topics | None = Field(None, description="Topics it publishes on.")
    subscribes: Topics | None = Field(None, description="Topics it wants.")


__all__ = ["ClientEntry", "DeliveryEntry", "SiteEntry"]
