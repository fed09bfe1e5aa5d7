"""What a packet-level simulation runs on: brokers, links, packets, colours, and the settings of the protocols."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from momlint.decimals import decimal_of
from momlint.errors import UsageError
from momlint.estate.simulation_model import CablesEntry, OspfEntry, PcrtEntry, RrlEntry, SimulationEntry
from momlint.simulation.faults import Element

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate

#: For each destination, the next hop of each broker; -1 where there is none, and at the destination.
Hops = Sequence[Sequence[int]]
NO_HOP = -1


class Cable(NamedTuple):
    """A link between brokers `ends`; `costs` and `latencies`: from the first to the second, and back."""

    name: str
    ends: tuple[int, int]
    costs: tuple[float, float]
    latencies: tuple[float, float]

    def other(self, broker: int) -> int:
        """The broker at the other end."""
        return self.ends[1] if self.ends[0] == broker else self.ends[0]

    def side(self, broker: int) -> int:
        """0 where messages of the broker go from the first end to the second, else 1."""
        return 0 if self.ends[0] == broker else 1


class Flow(NamedTuple):
    """Packets from a broker to another."""

    topic: str
    source: int
    dest: int
    bits: float
    interval: float
    since: float


class Colour(NamedTuple):
    """`down`: the links that carry nothing in it, those of failed brokers included. `hops`: its next hops."""

    name: str
    down: frozenset[int]
    hops: Hops


@dataclass(frozen=True)
class Topology:
    """An overlay that can run; times in the unit of the section. `passes`: which brokers pass on for others."""

    names: tuple[str, ...]
    cables: tuple[Cable, ...]
    passes: tuple[bool, ...]
    flows: tuple[Flow, ...]
    colours: tuple[Colour, ...]
    cabling: CablesEntry
    pcrt: PcrtEntry
    ospf: OspfEntry
    rrl: RrlEntry
    #: How many of the unit are in a second.
    second: float

    @property
    def n(self) -> int:
        """The number of brokers."""
        return len(self.names)

    @cached_property
    def whole_costs(self) -> list[tuple[int, int]]:
        """The costs of cables as whole multiples of one unit: sums of decimals are compared."""
        exact = [tuple(map(decimal_of, cable.costs)) for cable in self.cables]
        down = lcm(*(cost.denominator for costs in exact for cost in costs))
        return [(int(there * down), int(back * down)) for there, back in exact]

    def links_of(self, broker: int) -> list[int]:
        """Its links."""
        return [link for link, cable in enumerate(self.cables) if broker in cable.ends]

    def elements(self) -> dict[str, Element]:
        """Links and brokers by the names that a script may use."""
        found = {name: Element(False, index) for index, name in enumerate(self.names)}
        for index, cable in enumerate(self.cables):
            one, other = (self.names[end] for end in cable.ends)
            for name in (f"{other}--{one}", f"{one}--{other}"):
                found.setdefault(name, Element(True, index))
        # What is called by its own name is meant by it.
        found.update({cable.name: Element(True, index) for index, cable in enumerate(self.cables)})
        return found


def topology_of(loaded: LoadedEstate, *, colours: bool) -> Topology:
    """The overlay of an estate; with `colours`, those that it declares or that `tolerate` promises, planned.

    Raises `UsageError` where it cannot run.
    """
    estate, file = loaded.estate, loaded.source.file
    assert estate is not None
    if loaded.problems or loaded.source.problems:
        raise UsageError(f"{file}: this estate has errors; `momlint check` shows them")
    if estate.protocol == "relay":
        raise UsageError(f"{file}: this estate relays, and has no next hops to simulate")
    one_way = next((link.id for link in estate.links if link.one_way), None)
    if one_way is not None:
        raise UsageError(f"{file}: link {one_way} goes one way; a broker could not tell that it is dead")
    entries = [one.model.simulation for one in loaded.checked if one.model is not None and one.model.simulation]
    entry = entries[0] if entries else SimulationEntry()
    second = 1000.0 if entry.unit == "ms" else 1.0
    cables = tuple(
        Cable(
            link.id,
            (link.tail, link.head),
            (link.cost, link.cost if link.cost_back is None else link.cost_back),
            tuple(
                one * second / 1000.0
                for one in (link.latency_ms, link.latency_ms if link.latency_ms_back is None else link.latency_ms_back)
            ),  # type: ignore[arg-type]
        )
        for link in estate.links
    )
    return Topology(
        tuple(broker.id for broker in estate.brokers),
        cables,
        tuple(broker.transit for broker in estate.brokers),
        tuple(_flows(estate, entry, file)),
        _colours(estate, cables) if colours else (),
        entry.links or CablesEntry(),
        entry.pcrt or PcrtEntry(),
        entry.ospf or OspfEntry(),
        entry.rrl or RrlEntry(),
        second,
    )


def _flows(estate: Estate, entry: SimulationEntry, file: str) -> Iterable[Flow]:
    topics = {topic.name: topic for topic in estate.topics}
    if entry.traffic is None:
        raise UsageError(f"{file}: nothing is sent; add `simulation: {{traffic: [{{topic: …}}]}}`")
    for one in entry.traffic:
        topic = topics.get(one.topic)
        if topic is None:
            # In an overlay that is MOM102; a tree of sites has no topics of its own.
            raise UsageError(f"{file}: `simulation.traffic` names the topic `{one.topic}`, which is not declared")
        for source in topic.publishers:
            for dest in topic.subscribers:
                if source != dest:
                    yield Flow(topic.name, source, dest, one.packet_bits, one.interval, one.since)


def _colours(estate: Estate, cables: Sequence[Cable]) -> tuple[Colour, ...]:
    """The estate's own recovery tables; else those of `momlint plan`."""
    from momlint.routed.overlay import build_overlay
    from momlint.routed.overlay.tables import usable_hops
    from momlint.routed.recovery.planning import plan

    if estate.recovery_rows is not None:
        overlay = build_overlay(estate)
        names = [colour.name for colour in estate.colours]
    else:
        made = plan(estate)
        overlay = made.overlay
        names = [colour.name for colour in made.colours]
    found = []
    for colour, name in enumerate(names):
        down = {link for link in range(len(cables)) if overlay.failed_link[colour, link]}
        failed = overlay.failed_broker[colour]
        down |= {link for link, cable in enumerate(cables) if failed[cable.ends[0]] or failed[cable.ends[1]]}
        found.append(Colour(name, frozenset(down), usable_hops(overlay, colour).tolist()))
    return tuple(found)


def shortest_hops(topology: Topology, down: frozenset[int], passes: Sequence[bool] | None = None) -> Hops:
    """The next hops of the cheapest paths without the links `down`; of equal ones, the broker that is declared first.

    `passes`: which brokers pass messages on, by default those that the estate lets.
    """
    n = topology.n
    allowed = topology.passes if passes is None else passes
    arcs: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for link, cable in enumerate(topology.cables):
        if link not in down:
            for side in (0, 1):
                # Backwards: from the end that a message comes to.
                arcs[cable.ends[1 - side]].append((cable.ends[side], topology.whole_costs[link][side]))
    found = []
    for dest in range(n):
        far: list[int | float] = [float("inf")] * n
        far[dest] = 0
        waiting: list[tuple[int | float, int]] = [(0, dest)]
        while waiting:
            distance, here = heapq.heappop(waiting)
            if distance > far[here] or (here != dest and not allowed[here]):
                continue
            for before, cost in arcs[here]:
                if distance + cost < far[before]:
                    far[before] = distance + cost
                    heapq.heappush(waiting, (far[before], before))
        hop = [NO_HOP] * n
        for here in range(n):
            if far[here] == float("inf") or (here != dest and not allowed[here]):
                continue
            for before, cost in arcs[here]:
                # Brokers come in their order, so the first is the one that stays.
                if before != dest and hop[before] == NO_HOP and far[here] + cost == far[before]:
                    hop[before] = here
        found.append(hop)
    return found
