"""Resilient routing layers: every broker and link is safe in one layer, in which nothing is passed on over it."""

from __future__ import annotations

from dataclasses import dataclass

from momlint.simulation.cabling import Control, Fabric, Packet
from momlint.simulation.overlays import NO_HOP, Hops, Topology, shortest_hops
from momlint.simulation.routers import Port, Router, World


@dataclass(frozen=True)
class Layers:
    """`hops`: next hops of each layer, 0 the whole overlay. `broker`, `link`: where each is safe, 0 in none."""

    hops: tuple[Hops, ...]
    broker: tuple[int, ...]
    link: tuple[int, ...]


def layers_of(topology: Topology, count: int) -> Layers:
    """Layers by the published construction (Hansen and others): brokers one after the other, layers in turn.

    A broker can be safe in a layer if the brokers there that are not stay connected without it, and every safe one
    keeps a link to one of them. Its other links are safe there, where they are not yet elsewhere; links that are left
    are safe in a layer that stays connected without them. What cuts the overlay is safe in none.
    """
    n = topology.n
    safe: list[set[int]] = [set() for _ in range(count)]
    without: list[set[int]] = [set() for _ in range(count)]
    broker, link = [0] * n, [0] * len(topology.cables)
    turn = 0
    for one in range(n):
        for step in range(count):
            layer = (turn + step) % count
            safe[layer].add(one)
            if _holds(topology, safe[layer], without[layer]):
                broker[one] = layer + 1
                turn = layer + 1
                break
            safe[layer].remove(one)
    # First the links of brokers that are safe in the layer, since they carry least there.
    for only_own in (True, False):
        for number, cable in enumerate(topology.cables):
            for step in range(count):
                layer = (turn + step) % count
                if link[number] or (only_own and not safe[layer] & set(cable.ends)):
                    continue
                without[layer].add(number)
                if _holds(topology, safe[layer], without[layer]):
                    link[number] = layer + 1
                    turn = layer + 1
                else:
                    without[layer].remove(number)
    hops = [shortest_hops(topology, frozenset())]
    for layer in range(count):
        passes = [one not in safe[layer] and topology.passes[one] for one in range(n)]
        hops.append(shortest_hops(topology, frozenset(without[layer]), passes))
    return Layers(tuple(hops), tuple(broker), tuple(link))


def _holds(topology: Topology, safe: set[int], without: set[int]) -> bool:
    """Whether the others are connected by themselves, and every safe broker has a link to one of them."""
    beside: list[set[int]] = [set() for _ in range(topology.n)]
    for number, cable in enumerate(topology.cables):
        if number not in without:
            one, other = cable.ends
            beside[one].add(other)
            beside[other].add(one)
    core = {one for one in range(topology.n) if one not in safe and topology.passes[one]}
    if not core:
        return False
    seen, waiting = {min(core)}, [min(core)]
    while waiting:
        for other in beside[waiting.pop()] & core - seen:
            seen.add(other)
            waiting.append(other)
    return seen == core and all(beside[one] & core for one in range(topology.n) if one not in core)


class RrlRouter(Router):
    """A broker that sends what would go over a dead link into the layer in which that is safe. It tells nobody."""

    def __init__(self, me: int, fabric: Fabric, world: World, layers: Layers) -> None:
        setting = fabric.topology.pcrt
        super().__init__(me, fabric, world, setting.heartbeat, setting.dead_after)
        self.layers = layers

    def view(self) -> frozenset[int]:
        """Its own links that are dead."""
        return frozenset(link for link, port in self.ports.items() if not port.up)

    def next_hop(self, packet: Packet) -> int:
        """In the packet's layer; where that is dead, in another, once."""
        hop = self.layers.hops[packet.layer][packet.dest][self.me]
        if hop == NO_HOP or self._up(hop):
            return hop
        if packet.layer:
            return NO_HOP
        link = self.link_to(hop)
        assert link is not None
        # The broker behind it may be what has failed; the destination itself cannot be gone around.
        packet.layer = self.layers.link[link] if hop == packet.dest else self.layers.broker[hop]
        if not packet.layer:
            return NO_HOP
        hop = self.layers.hops[packet.layer][packet.dest][self.me]
        return hop if hop != NO_HOP and self._up(hop) else NO_HOP

    def _up(self, hop: int) -> bool:
        return any(port.up for port in self.ports.values() if port.neighbour == hop)

    def hear(self, port: Port, message: Control) -> None:
        """A heartbeat."""
        if not port.up:
            self.come_up(port)

    def port_changed(self, port: Port) -> None:
        """Packets go another way from now on."""
        self.world.changed()
