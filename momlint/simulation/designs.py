"""What a simulation of delivery runs on: sites, clients, and how events travel under each of the six policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from momlint.delivery.form import Client, Numbering, Order, Site
from momlint.delivery.read import read
from momlint.delivery.ways import Tree, tree_of
from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.estate.delivery_model import DeliveryEntry
    from momlint.estate.load import LoadedEstate

#: Every policy, by what its name says: routing and order.
POLICIES: Final = tuple(
    f"{routing}/{order}" for routing in ("flooding", "filtering") for order in ("none", "fifo", "total")
)


@dataclass(frozen=True, slots=True)
class Costs:
    """Times that the language has no words for, in milliseconds. They are ours.

    `link`: a hop between sites without `latency_ms`; `client`: between a client and its site; `handle`: what a broker
    takes for a message; `send`: for each copy that it sends on; `replicate`: to give its standbys what it is about to
    do; `pause`: between doing it and acknowledging it. `jitter`: what a hop between sites takes longer, exponentially
    distributed, on average and as a share of its latency.
    """

    link: float = 1.0
    client: float = 0.5
    handle: float = 1.0
    send: float = 0.1
    replicate: float = 0.5
    pause: float = 0.1
    jitter: float = 1.0


@dataclass(frozen=True, slots=True)
class Policy:
    """How events travel. `numbering` is None with order `none`. Times in milliseconds; see the language's page."""

    filtering: bool
    order: Order
    numbering: Numbering | None
    sequencer: int
    ordered_channels: bool
    replicate: frozenset[str]
    acknowledge_first: bool
    retransmit: bool
    suspect_after: float
    dead_after: float

    @property
    def name(self) -> str:
        """``filtering/fifo``."""
        return f"{'filtering' if self.filtering else 'flooding'}/{self.order}"


@dataclass(frozen=True, slots=True)
class Setting:
    """A design that can run: sites that are a tree, all clients known. `entry`: the section as it was written."""

    sites: tuple[Site, ...]
    clients: tuple[Client, ...]
    root: int
    #: Next hop from a site (row) towards a site (column); itself on the diagonal.
    towards: tuple[tuple[int, ...], ...]
    neighbours: tuple[tuple[int, ...], ...]
    policy: Policy
    costs: Costs = Costs()

    def under(self, name: str) -> Policy:
        """The policy of this name (see `POLICIES`): the estate's own, or what else it says with another order.

        The numbering of another one is the one that starves nobody: by publisher and sequencer where all events go
        everywhere, by link and subscriber where they do not. Raises `UsageError` for no policy's name.
        """
        if name not in POLICIES:
            raise UsageError(f"--policy: there is no policy `{name}`; choose one of {', '.join(POLICIES)}")
        own = self.policy
        if name == own.name:
            return own
        routing, order = name.split("/")
        filtering = routing == "filtering"
        numberings: dict[str, tuple[Order, Numbering | None]] = {
            "none": ("none", None),
            "fifo": ("fifo", "link" if filtering else "publisher"),
            "total": ("total", "subscriber" if filtering else "sequencer"),
        }
        kind, numbering = numberings[order]
        return Policy(
            filtering,
            kind,
            numbering,
            own.sequencer,
            own.ordered_channels,
            own.replicate,
            own.acknowledge_first,
            own.retransmit,
            own.suspect_after,
            own.dead_after,
        )

    def latency(self, one: int, other: int) -> float:
        """Of the hop between two neighbouring sites, either way."""
        below = one if self.sites[one].parent == other else other
        given = self.sites[below].latency_ms
        return self.costs.link if given is None else given

    @property
    def brokers(self) -> list[str]:
        """All of them, site by site."""
        return [broker for site in self.sites for broker in site.brokers]


def setting_of(loaded: LoadedEstate, costs: Costs = Costs()) -> Setting:
    """The design of an estate. Raises `UsageError` where it cannot run: `momlint check` says why in full."""
    file = loaded.source.file
    reading = read(loaded)
    design = reading.design
    ask = "`momlint check` says what is wrong with it"
    if reading.drafts or loaded.problems or design.sites is None or design.clients is None:
        raise UsageError(f"{file}: this estate cannot run; {ask}")
    if design.way is None:
        raise UsageError(f"{file}: this estate has no `delivery`, so nothing says how its events travel")
    tree = tree_of(design.sites)
    if tree is None:
        raise UsageError(f"{file}: the sites of this estate are not a tree; {ask}")
    entry = next(one.model.delivery for one in loaded.checked if one.model is not None and one.model.delivery)
    return make_setting(design.sites, design.clients, tree, _policy(design.way.sequencer, entry, tree), costs)


def make_setting(
    sites: tuple[Site, ...],
    clients: tuple[Client, ...],
    tree: Tree,
    policy: Policy,
    costs: Costs = Costs(),
) -> Setting:
    """A setting out of its parts."""
    count = range(len(sites))
    towards = tuple(tuple([*tree.path(here, there), there][1] for there in count) for here in count)
    neighbours = tuple(
        tuple(there for there in count if there in (sites[here].parent,) or sites[there].parent == here)
        for here in count
    )
    return Setting(sites, clients, tree.root, towards, neighbours, policy, costs)


def _policy(sequencer: int | None, entry: DeliveryEntry, tree: Tree) -> Policy:
    default: dict[str, Numbering | None] = {"none": None, "fifo": "publisher", "total": "sequencer"}
    return Policy(
        entry.routing == "filtering",
        entry.order,
        None if entry.order == "none" else entry.numbering or default[entry.order],
        tree.root if sequencer is None else sequencer,
        entry.channels == "ordered",
        frozenset(entry.replicate),
        entry.acknowledge == "before-forwarding",
        entry.retransmit,
        entry.suspect_after_ms,
        entry.dead_after_ms,
    )
