"""The section `simulation` as pydantic models: what a packet-level simulation of an overlay needs beside the estate."""

# Annotations are read at run time, so no `from __future__ import annotations`: it would cost a pass of
# `eval`.
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from momlint.estate.forms import LARGEST_NUMBER, read_count, read_float
from momlint.estate.kinds import Count, Flag, Id, Model, Takes

Duration = Annotated[
    float,
    Field(ge=0, le=LARGEST_NUMBER, allow_inf_nan=False),
    BeforeValidator(read_float),
    Takes("a time, 0 or more"),
]
Positive = Annotated[
    float,
    Field(gt=0, le=LARGEST_NUMBER, allow_inf_nan=False),
    BeforeValidator(read_float),
    Takes("a number above 0"),
]
Share = Annotated[
    float, Field(ge=0, le=1, allow_inf_nan=False), BeforeValidator(read_float), Takes("a share from 0 to 1")
]


class CablesEntry(Model):
    """What every link can carry, each way."""

    rate_bits: Positive = Field(10_000.0, description="Bits in a unit of time.")
    buffer: Count = Field(10, description="Packets that may wait.")
    loss: Share = Field(0.0, description="The share of packets that are lost on a link that works.")


class TrafficEntry(Model):
    """Packets of a topic, from each publisher to each subscriber."""

    topic: Id = Field(description="The topic.")
    packet_bits: Positive = Field(1_000.0, description="Bits of a packet.")
    interval: Positive = Field(1.0, description="Time between two packets.")
    since: Duration = Field(0.0, alias="from", description="When the first is sent.")


class PcrtEntry(Model):
    """Pre-calculated routing tables: heartbeats, colours, flood notifications."""

    heartbeat: Positive = Field(1.0, description="Time between heartbeats.")
    dead_after: Positive = Field(4.0, description="A link is dead after so many heartbeats of silence.")
    test_packets: Count = Field(2, description="Link tests to be answered before a link counts as recovered.")
    ack_timeout: Positive = Field(2.0, description="A notification is sent again after so long.")
    wrap: Annotated[Literal["serial", "naive"], Takes("serial or naive")] = Field(
        "serial",
        description="How sequence numbers are compared after the largest; `naive` takes the largest for newest.",
    )
    adaptive: Flag = Field(
        False, description="Dead interval from measured gaps between heartbeats, and not from `dead_after`."
    )


class OspfEntry(Model):
    """Open shortest path first, as far as failures concern it."""

    hello: Positive = Field(1.0, description="Time between hellos.")
    dead_after: Positive = Field(4.0, description="A link is dead after so many hellos of silence.")
    spf_delay: Duration = Field(0.5, description="Between the news and the computation.")
    spf_hold: Duration = Field(1.0, description="At least between two computations.")
    lsa_delay: Duration = Field(0.0, description="Before a link state advertisement is passed on.")


class RrlEntry(Model):
    """Resilient routing layers."""

    layers: Annotated[int, Field(ge=1, le=64), BeforeValidator(read_count), Takes("a whole number from 1 to 64")] = (
        Field(3, description="How many layers.")
    )


class SimulationEntry(Model):
    """What a simulation of the overlay needs."""

    unit: Annotated[Literal["ms", "s"], Takes("ms or s")] = Field(
        "ms", description="Of all times here; links' latencies stay in milliseconds."
    )
    links: Annotated[CablesEntry | None, Takes("a mapping with rate_bits, buffer and loss")] = Field(
        None, description="What every link can carry."
    )
    traffic: Annotated[
        list[Annotated[TrafficEntry, Takes("a mapping with topic, packet_bits, interval and from")]] | None,
        Takes("a list of traffic"),
    ] = Field(None, description="What is sent.")
    pcrt: Annotated[PcrtEntry | None, Takes("a mapping with heartbeat, dead_after and others")] = Field(
        None, description="Times of pre-calculated routing tables."
    )
    ospf: Annotated[OspfEntry | None, Takes("a mapping with hello, dead_after and others")] = Field(
        None, description="Times of open shortest path first."
    )
    rrl: Annotated[RrlEntry | None, Takes("a mapping with layers")] = Field(
        None, description="Resilient routing layers."
    )


__all__ = ["SimulationEntry"]
