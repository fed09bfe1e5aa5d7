"""Brokers that find out by themselves which of their links are dead: what the three protocols have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

from momlint.simulation.cabling import Control, Fabric, Packet
from momlint.simulation.overlays import NO_HOP

#: Bits of a heartbeat, of a link test, of a notification and of an acknowledgement.
HELLO_BITS = 200.0
NOTICE_BITS = 400.0


class World(Protocol):
    """What routers tell whoever runs them."""

    def detected(self, link: int, up: bool) -> None:
        """A broker takes the link for dead, or for alive again."""

    def changed(self) -> None:
        """A broker sends messages another way from now on."""


class Port:
    """A broker's end of a link. `up`: what the broker takes it for."""

    def __init__(self, link: int, neighbour: int) -> None:
        self.link = link
        self.neighbour = neighbour
        self.up = True
        self.heard = 0.0
        self.patience = 0.0
        #: Notifications that are not acknowledged: the newest of each broker, and how often it was sent.
        self.waiting: dict[int, tuple[Control, int]] = {}
        #: Link tests that were answered since the link was silent, and when the last one was sent.
        self.tests = 0
        self.tested = float("-inf")

    @property
    def state(self) -> str:
        """Normal, waiting (for an acknowledgement) or failure."""
        return "failure" if not self.up else "waiting" if self.waiting else "normal"


class Router(ABC):
    """A broker. Subclasses say what it does when a port goes down or comes up, and where it sends packets."""

    def __init__(self, me: int, fabric: Fabric, world: World, interval: float, dead_after: float) -> None:
        self.me = me
        self.fabric = fabric
        self.world = world
        self.interval = interval
        self.dead_after = dead_after
        topology = fabric.topology
        self.ports = {link: Port(link, topology.cables[link].other(me)) for link in topology.links_of(me)}
        self.beats = 0

    @property
    def now(self) -> float:
        """The time."""
        return self.fabric.env.now

    @property
    def alive(self) -> bool:
        """Whether the broker itself works."""
        return not self.fabric.broker_down[self.me]

    def start(self, phase: float) -> None:
        """Begin with heartbeats, `phase` from now."""
        for port in self.ports.values():
            port.patience = self.interval * self.dead_after
            self._watch(port)
        self.fabric.after(phase, self._beat)

    def revive(self) -> None:
        """It works again, and knows what it knew: it has heard of nobody in the meantime."""
        for port in self.ports.values():
            port.heard = self.now
            self._watch(port)
            self.reopened(port)

    def reopened(self, port: Port) -> None:  # noqa: B027  nothing waits where nobody acknowledges
        """The broker works again; for what waits at a port."""

    def _beat(self) -> None:
        if self.alive:
            self.beats += 1
            for link in self.ports:
                self.fabric.send(self.me, link, Control("hello", HELLO_BITS, content=self.now))
        self.fabric.after(self.interval, self._beat)

    def _watch(self, port: Port) -> None:
        heard = port.heard
        left = heard + port.patience - self.now

        def look() -> None:
            if not self.alive or not port.up:
                return
            if self.now - port.heard >= port.patience - 1e-9:
                port.up = False
                port.tests = 0
                self.world.detected(port.link, up=False)
                self.port_changed(port)
            else:
                self._watch(port)

        self.fabric.after(max(left, 1e-9), look)

    def take(self, link: int, message: Packet | Control) -> None:
        """Something arrives over a link."""
        if isinstance(message, Packet):
            self.forward(message)
            return
        port = self.ports[link]
        if message.kind == "hello":
            self.measure(port)
        port.heard = self.now
        self.hear(port, message)

    def measure(self, port: Port) -> None:  # noqa: B027  fixed timers have nothing to do
        """A heartbeat comes; for timers that adapt."""

    def come_up(self, port: Port) -> None:
        """The link counts as alive again."""
        port.up = True
        port.tests = 0
        self.world.detected(port.link, up=True)
        self._watch(port)
        self.port_changed(port)

    @abstractmethod
    def hear(self, port: Port, message: Control) -> None:
        """A control message comes."""

    @abstractmethod
    def port_changed(self, port: Port) -> None:
        """A port goes down or comes up."""

    @abstractmethod
    def next_hop(self, packet: Packet) -> int:
        """Where to send it; `NO_HOP` where there is none."""

    @abstractmethod
    def view(self) -> frozenset[int]:
        """The links that it takes for dead where it sends messages now."""

    def forward(self, packet: Packet) -> None:
        """Take a packet: it has arrived, or goes on."""
        packet.path.append(self.me)
        if packet.dest == self.me:
            self.arrived(packet)
            return
        if len(packet.path) > 2 * self.fabric.topology.n:
            self.fabric.lost(packet, "loop")
            return
        hop = self.next_hop(packet)
        link = self.link_to(hop) if hop != NO_HOP else None
        if link is None:
            self.fabric.lost(packet, "no_route")
        else:
            self.fabric.send(self.me, link, packet)

    def link_to(self, hop: int) -> int | None:
        """The cheapest link to a neighbour that is not taken for dead; where all are, the cheapest."""
        cables = self.fabric.topology.cables
        links = [port.link for port in self.ports.values() if port.neighbour == hop]
        alive = [link for link in links if self.ports[link].up] or links
        return min(alive, key=lambda link: cables[link].costs[cables[link].side(self.me)], default=None)

    arrived: Callable[[Packet], None]


class Flooding(Router):
    """A broker that tells all others what it finds out, over and over until each neighbour has acknowledged it."""

    ack_timeout: float

    def tell(self, notice: Control, but: Port | None = None) -> None:
        """Send it over every link but one; over dead ones when they are alive again."""
        for port in self.ports.values():
            if port is not but:
                port.waiting[notice.origin] = notice, 0
                self._send(port, notice.origin)

    def _send(self, port: Port, origin: int) -> None:
        if origin not in port.waiting or not port.up or not self.alive:
            return
        notice, count = port.waiting[origin]
        port.waiting[origin] = notice, count + 1
        self.fabric.send(self.me, port.link, notice)

        def again() -> None:
            if port.waiting.get(origin) == (notice, count + 1):
                self._send(port, origin)

        self.fabric.after(self.ack_timeout, again)

    def catch_up(self, port: Port) -> None:
        """Send what is still waiting, over a link that is alive again."""
        for origin in list(port.waiting):
            self._send(port, origin)

    def reopened(self, port: Port) -> None:
        """Send what waits: nobody has looked after it meanwhile."""
        self.catch_up(port)

    def acknowledge(self, port: Port, notice: Control) -> None:
        """Say that it has come."""
        answer = Control("flood", NOTICE_BITS, True, notice.origin, notice.sequence, notice.content)
        self.fabric.send(self.me, port.link, answer)

    def acknowledged(self, port: Port, answer: Control) -> None:
        """One of its notifications has come."""
        waiting = port.waiting.get(answer.origin)
        if waiting is not None and waiting[0].sequence == answer.sequence:
            del port.waiting[answer.origin]
