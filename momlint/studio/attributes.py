"""Attributes of brokers, links and topics as YAML: what forms say, and what the estate says, told alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from momlint.routed.recovery.quoting import yaml_name

if TYPE_CHECKING:
    from momlint.estate.resolved import Broker, Link, Pass, Topic

#: Attributes by name, as YAML; None for one that is not given.
Told: TypeAlias = "dict[str, str | None]"


def broker_told(broker: Broker) -> Told:
    """The attributes of a broker that forms have."""
    return {
        "site": quoted(broker.site or ""),
        "address": quoted(broker.address or ""),
        "tags": names_of(broker.tags) if broker.tags else None,
        "processing_ms": figure(broker.processing_ms, 0.0),
        "transit": None if broker.transit else "false",
    }


def link_told(link: Link, brokers: Sequence[str]) -> Told:
    """Likewise of a link; `brokers`: the names of all."""
    tail, head = brokers[link.tail], brokers[link.head]
    filters = None if link.passes is None else [filter_told(one) for one in link.passes]
    return {
        "cost": ways(link.cost, link.cost_back, 1.0, tail, head),
        "latency_ms": ways(link.latency_ms, link.latency_ms_back, 0.0, tail, head),
        "availability": figure(link.availability, None),
        "connection": quoted(link.connection or ""),
        "max_hops": figure(link.max_hops, None),
        "topics": None if filters is None else list_of(filters),
    }


def topic_told(topic: Topic) -> Told:
    """Likewise of a topic: its budgets."""
    return {"max_latency_ms": figure(topic.max_latency_ms, None), "max_hops": figure(topic.max_hops, None)}


def filter_of(pattern: str, strip: str, add: str, *, deny: bool) -> Told:
    """What a link lets pass, as `Pass` has it."""
    return {
        "filter": yaml_name(pattern),
        "strip": quoted(strip),
        "add": quoted(add),
        "deny": "true" if deny else None,
    }


def filter_told(one: Pass) -> Told:
    """A filter of the estate, as it would be asked for."""
    return filter_of(one.filter, one.strip, one.add, deny=one.deny)


def ways(forth: float | None, back: float | None, usual: float, tail: str, head: str) -> str | None:
    """A number for both directions, or one each; None where it is the `usual` one."""
    if back is None or back == forth or forth is None:
        return figure(forth, usual)
    return f"{{{yaml_name(f'{tail}->{head}')}: {digits(forth)}, {yaml_name(f'{head}->{tail}')}: {digits(back)}}}"


def flow(told: Mapping[str, str | None]) -> str:
    """A mapping in braces; nothing where it has no entries."""
    given = ", ".join(f"{key}: {value}" for key, value in told.items() if value is not None)
    return f"{{{given}}}" if given else ""


def quoted(text: str) -> str | None:
    """A text that may be left out."""
    return yaml_name(text) if text else None


def names_of(several: Sequence[str]) -> str:
    """Names in brackets."""
    return f"[{', '.join(map(yaml_name, several))}]"


def digits(value: float) -> str:
    """A number as YAML, with all its digits."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def figure(value: float | None, usual: float | None) -> str | None:
    """A number that may be left out; None where it is the `usual` one."""
    return None if value is None or value == usual else digits(value)


def list_of(several: Sequence[Mapping[str, str | None]]) -> str:
    """A list of mappings in brackets."""
    return f"[{', '.join(map(flow, several))}]"
