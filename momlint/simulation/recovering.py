"""Running failures on an overlay under a recovery protocol: what a failure costs, packet by packet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from momlint.decimals import decimal_of
from momlint.routed.recovery.colour_map import ColourMap
from momlint.simulation.cabling import Control, Fabric, Packet
from momlint.simulation.faults import Incident
from momlint.simulation.moments import wait_until
from momlint.simulation.ospf import OspfRouter, Paths
from momlint.simulation.overlays import Topology
from momlint.simulation.pcrt import PcrtRouter
from momlint.simulation.routers import Router
from momlint.simulation.rrl import RrlRouter, layers_of

PROTOCOLS: Final = ("pcrt", "ospf", "rrl")
#: Why packets are lost.
CAUSES: Final = ("dead_link", "queue", "no_route", "loop", "noise")


@dataclass(frozen=True, slots=True)
class Convergence:
    """After a fault, by the clock: when the first broker noticed, when all knew of its links what they are, and when
    packets came again that the fault concerns: of a flow whose way it cut, or over what was healed. None: never, or not
    before another fault undid it.
    """

    event: str
    at: float
    detected: float | None
    all_agree: float | None
    first_delivery: float | None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A packet that came: its flow, when it was sent, how long it took, and its way."""

    flow: int
    sent_at: float
    latency: float
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecoveryOutcome:
    """One run of a protocol. `false_alarms`: how often a working link was taken for dead. `load`: by link and way, the
    share of what it could carry. `lost_at`: when each packet that was lost had been sent, and why it was.
    """

    protocol: str
    until: float
    sent: int
    arrivals: Sequence[Arrival]
    lost: Mapping[str, int]
    lost_at: Sequence[tuple[float, str]]
    converged: Sequence[Convergence]
    control_bits: float
    false_alarms: int
    load: Mapping[str, float]

    @property
    def under_way(self) -> int:
        """Packets that were still travelling at the end."""
        return self.sent - len(self.arrivals) - sum(self.lost.values())

    @property
    def path_hops(self) -> dict[int, int]:
        """How many packets took how many hops."""
        return dict(sorted(Counter(len(one.path) - 1 for one in self.arrivals).items()))


class _Window:
    """From a fault until another one undoes it: what is still to be seen of it.

    `is_over`: whether one has. `is_known`: whether all had agreed by the time of another fault, whatever they take its
    links for then.
    """

    def __init__(self, fault: Incident, concerned: set[int], links: frozenset[int]) -> None:
        self.fault = fault
        self.concerned = concerned
        self.links = links
        self.detected: float | None = None
        self.agreed: float | None = None
        self.first: float | None = None
        self.is_over = False
        self.is_known = False


class Recovery:
    """A run under one protocol that can be stopped and looked at."""

    def __init__(self, topology: Topology, protocol: str, faults: Sequence[Incident], seed: int = 0) -> None:
        import simpy

        self.env = simpy.Environment()
        self.topology = topology
        self.protocol = protocol
        random = Random(seed)
        self.fabric = Fabric(self.env, topology, random, self._arrive, self._lost)
        self.routers = self._routers()
        self._arrivals: list[Arrival] = []
        self._losses: list[tuple[float, str]] = []
        self._sent = 0
        self._false_alarms = 0
        self._windows: list[_Window] = []
        self._last_path: dict[int, tuple[int, ...]] = {}
        for router in self.routers:
            router.arrived = self._arrived
            # They do not begin all at once.
            router.start(random.random() * router.interval)
        for number, flow in enumerate(topology.flows):
            self.fabric.after(flow.since, self._sending(number))
        for fault in faults:
            self.fabric.after(fault.at, self._striking(fault))

    def _routers(self) -> list[Router]:
        brokers, fabric = range(self.topology.n), self.fabric
        make: Callable[[int], Router]
        if self.protocol == "pcrt":
            colours = self.topology.colours
            colour_map = ColourMap([colour.down for colour in colours])
            make = lambda me: PcrtRouter(me, fabric, self, colours, colour_map)  # noqa: E731
        elif self.protocol == "ospf":
            paths = Paths(self.topology)
            make = lambda me: OspfRouter(me, fabric, self, paths)  # noqa: E731
        else:
            layers = layers_of(self.topology, self.topology.rrl.layers)
            make = lambda me: RrlRouter(me, fabric, self, layers)  # noqa: E731
        return [make(me) for me in brokers]

    def run(self, until: float) -> RecoveryOutcome:
        """Up to this time."""
        self.env.run(until=until)
        names = self.topology.names
        capacity = self.topology.cabling.rate_bits * until
        load = {}
        for (link, side), bits in sorted(self.fabric.carried.items()):
            cable = self.topology.cables[link]
            load[f"{names[cable.ends[side]]}->{names[cable.ends[1 - side]]}"] = round(bits / capacity, 6)
        counts = Counter(why for _, why in self._losses)
        return RecoveryOutcome(
            self.protocol,
            until,
            self._sent,
            self._arrivals,
            {why: counts[why] for why in CAUSES},
            self._losses,
            [self._convergence(window) for window in self._windows],
            self.fabric.control_bits,
            self._false_alarms,
            load,
        )

    def _convergence(self, window: _Window) -> Convergence:
        fault = window.fault
        event = f"{'fail' if fault.fails else 'heal'} {fault.name}"
        times = (window.detected, window.agreed, window.first)
        return Convergence(event, fault.at, *(None if one is None else round(one, 6) for one in times))

    def _sending(self, number: int) -> Callable[[], None]:
        flow = self.topology.flows[number]
        since, interval = decimal_of(flow.since), decimal_of(flow.interval)
        count = 0

        def send() -> None:
            nonlocal count
            self._sent += 1
            count += 1
            packet = Packet(number, flow.source, flow.dest, flow.bits, self.env.now)
            if self.routers[flow.source].alive:
                self.routers[flow.source].forward(packet)
            else:
                self._lost(packet, "dead_link")
            self.fabric.after(wait_until(self.env.now, float(since + count * interval)), send)

        return send

    def _striking(self, fault: Incident) -> Callable[[], None]:
        def strike() -> None:
            before = self.fabric.down()
            self.fabric.strike(fault.element.is_link, fault.element.number, fault.fails)
            if not fault.element.is_link and not fault.fails:
                self.routers[fault.element.number].revive()
            links = before ^ self.fabric.down()
            concerned = {flow for flow, path in self._last_path.items() if self._uses(path, fault)}
            for window in self._windows:
                window.is_over = window.is_over or bool(window.links & links)
                window.is_known = window.agreed is not None
            self._windows.append(_Window(fault, concerned, links))
            self.changed()

        return strike

    def _uses(self, path: Sequence[int], fault: Incident) -> bool:
        if not fault.element.is_link:
            return fault.element.number in path
        ends = set(self.topology.cables[fault.element.number].ends)
        return any({one, other} == ends for one, other in pairwise(path))

    # What routers and links tell.

    def detected(self, link: int, up: bool) -> None:
        """A broker takes the link for dead, or for alive again."""
        for window in self._open():
            if link in window.links and up != window.fault.fails and window.detected is None:
                window.detected = self.env.now
        self._false_alarms += not up and self.fabric.works(link)

    def changed(self) -> None:
        """Messages go another way from now on: do all brokers know what is dead?"""
        windows = [window for window in self._open() if not window.is_known]
        if not windows:
            return
        wrong = self._unknown()
        for window in windows:
            if wrong & window.links:
                window.agreed = None
            elif window.agreed is None:
                window.agreed = self.env.now

    def _open(self) -> Iterator[_Window]:
        """Faults that no other one has undone."""
        return (window for window in self._windows if not window.is_over)

    def _unknown(self) -> frozenset[int]:
        """Links that a working broker takes for what they are not, of those that it can reach; with layers, its own."""
        down = self.fabric.down()
        return frozenset().union(
            *(
                (router.view() ^ down) & known
                for router, known in zip(self.routers, self._knowable(down), strict=True)
                if router.alive
            )
        )

    def _knowable(self, down: frozenset[int]) -> list[frozenset[int]]:
        cables = self.topology.cables
        own = [frozenset(self.topology.links_of(one)) for one in range(self.topology.n)]
        if self.protocol == "rrl":
            return own
        part = list(range(self.topology.n))
        for link, cable in enumerate(cables):
            one, other = (part[end] for end in cable.ends)
            if link not in down and one != other:
                part = [one if number == other else number for number in part]
        found = {
            number: frozenset().union(*(own[i] for i, p in enumerate(part) if p == number)) for number in set(part)
        }
        return [found[number] for number in part]

    def _arrive(self, broker: int, link: int, message: Packet | Control) -> None:
        self.routers[broker].take(link, message)

    def _lost(self, packet: Packet, why: str) -> None:
        self._losses.append((packet.sent_at, why))

    def _arrived(self, packet: Packet) -> None:
        path = tuple(packet.path)
        self._arrivals.append(Arrival(packet.flow, packet.sent_at, self.env.now - packet.sent_at, path))
        self._last_path[packet.flow] = path
        for window in self._open():
            if window.first is not None or packet.sent_at < window.fault.at:
                continue
            # A flow that was cut comes again; or something comes over what is healed.
            if packet.flow in window.concerned if window.fault.fails else self._uses(path, window.fault):
                window.first = self.env.now


def recover(
    topology: Topology, protocol: str, faults: Sequence[Incident], until: float, seed: int = 0
) -> RecoveryOutcome:
    """What becomes of the packets; the same for the same seed. Needs simpy."""
    return Recovery(topology, protocol, faults, seed).run(until)
