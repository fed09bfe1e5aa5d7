"""A tree of sites, its clients and how events travel, as ids into tuples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from momlint.findings import Place

Order: TypeAlias = Literal["none", "fifo", "total"]
Numbering: TypeAlias = Literal["publisher", "link", "sequencer", "subscriber"]


@dataclass(frozen=True, slots=True)
class Site:
    """`parent`: its index; None for a root, and for one whose parent, `parent_name`, is not declared.

    `latency_ms`: to the parent, None where not given. `place`: the entry.
    """

    name: str
    parent_name: str
    parent: int | None
    brokers: tuple[str, ...]
    latency_ms: float | None
    place: Place

    @property
    def is_root(self) -> bool:
        """Whether it names no parent."""
        return not self.parent_name


@dataclass(frozen=True, slots=True)
class Client:
    """A client of the site with index `site`: the topics that it publishes on, and those that it wants."""

    name: str
    site: int
    publishes: tuple[str, ...]
    subscribes: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Safeguards:
    """What keeps events safe when a broker fails, or only seems to.

    `ordered`: whether a channel between two brokers keeps the order. `subscriptions`, `counters`, `seen`: whether the
    active broker gives them to its standbys before it acts on them. `early`: whether an event is acknowledged before it
    was passed on. `retransmit`: whether senders send again what was not acknowledged.
    """

    ordered: bool = False
    subscriptions: bool = True
    counters: bool = True
    seen: bool = True
    early: bool = False
    retransmit: bool = True
    suspect_after_ms: float = 500.0
    dead_after_ms: float = 2000.0


@dataclass(frozen=True, slots=True)
class Way:
    """How events travel. `sequencer`: the index of the site, None for the root. `place`: of the section."""

    filtering: bool
    order: Order
    numbering: Numbering | None
    sequencer: int | None
    place: Place
    safeguards: Safeguards = Safeguards()


@dataclass(frozen=True, slots=True)
class Promise:
    """What may fail at once: so many brokers in each site, so many links between sites.

    `place`: None where not given.
    """

    brokers: int = 0
    links: int = 0
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """All of it. What could not be read is None, and nothing is said that depends on it.

    `clients` is None also where only some of them could be read; `distances_known`: whether no latency was left out.
    """

    sites: tuple[Site, ...] | None
    way: Way | None
    clients: tuple[Client, ...] | None
    promise: Promise | None
    distances_known: bool = True
