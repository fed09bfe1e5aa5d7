"""Open shortest path first, as far as failures concern it: link states, flooded; paths computed after a delay."""

from __future__ import annotations

from momlint.simulation.cabling import Control, Fabric, Packet
from momlint.simulation.overlays import Hops, Topology, shortest_hops
from momlint.simulation.routers import NOTICE_BITS, Flooding, Port, World


def computing_time(brokers: int) -> float:
    """Seconds that the shortest paths among so many brokers take (thesis 2.3.1, measured by others on a router)."""
    return 0.00000247 * brokers**2 + 0.000978 * brokers


class Paths:
    """The shortest paths without some links, computed once for all brokers: they all compute the same."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._known: dict[frozenset[int], Hops] = {}

    def without(self, down: frozenset[int]) -> Hops:
        """For each destination the next hop of each broker."""
        if down not in self._known:
            self._known[down] = shortest_hops(self._topology, down)
        return self._known[down]


class OspfRouter(Flooding):
    """A broker that floods the states of its links, and computes its next hops from everybody's."""

    def __init__(self, me: int, fabric: Fabric, world: World, paths: Paths) -> None:
        setting = fabric.topology.ospf
        super().__init__(me, fabric, world, setting.hello, setting.dead_after)
        self.setting = setting
        # As the protocol that it is compared with: the language has no other.
        self.ack_timeout = fabric.topology.pcrt.ack_timeout
        self.paths = paths
        self.sequence = 1
        self.known = [1] * fabric.topology.n
        self.reports: list[frozenset[int]] = [frozenset()] * fabric.topology.n
        self.installed: frozenset[int] = frozenset()
        self.hops = paths.without(self.installed)
        self._scheduled = False
        self._computed = float("-inf")

    def view(self) -> frozenset[int]:
        """What the tables that are installed take for dead."""
        return self.installed

    def next_hop(self, packet: Packet) -> int:
        """By the tables that are installed."""
        return self.hops[packet.dest][self.me]

    def port_changed(self, port: Port) -> None:
        """The states of its links are told to everybody."""
        self.reports[self.me] = frozenset(link for link, one in self.ports.items() if not one.up)
        self.sequence += 1
        self.known[self.me] = self.sequence
        notice = Control("flood", NOTICE_BITS, False, self.me, self.sequence, self.reports[self.me])
        self.fabric.after(self.setting.lsa_delay, lambda: self.tell(notice))
        if port.up:
            self.catch_up(port)
        self._schedule()

    def hear(self, port: Port, message: Control) -> None:
        """A hello, an advertisement, or an answer to one."""
        if message.kind == "flood" and message.answer:
            self.acknowledged(port, message)
        elif message.kind == "flood":
            self.acknowledge(port, message)
            if message.origin != self.me and message.sequence > self.known[message.origin]:
                self.known[message.origin] = message.sequence
                assert isinstance(message.content, frozenset)
                self.reports[message.origin] = message.content
                self.fabric.after(self.setting.lsa_delay, lambda: self.tell(message, but=port))
                self._schedule()
        if not port.up:
            self.come_up(port)

    def _schedule(self) -> None:
        """Compute after the delay, and not sooner after the last time than the hold time says."""
        if not self._scheduled:
            self._scheduled = True
            at = max(self.now + self.setting.spf_delay, self._computed + self.setting.spf_hold)
            self.fabric.after(at - self.now, self._compute)

    def _compute(self) -> None:
        self._scheduled = False
        self._computed = self.now
        down = frozenset().union(*self.reports)
        takes = computing_time(self.fabric.topology.n) * self.fabric.topology.second

        def install() -> None:
            self.installed = down
            self.hops = self.paths.without(down)
            self.world.changed()

        self.fabric.after(takes, install)
