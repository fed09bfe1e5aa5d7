"""Pre-calculated routing tables: the colour of the network, flooded; next hops by colour and destination."""

from __future__ import annotations

import math
from collections.abc import Sequence

from momlint.routed.recovery.colour_map import ColourMap
from momlint.simulation.cabling import Control, Fabric, Packet
from momlint.simulation.overlays import Colour
from momlint.simulation.routers import HELLO_BITS, NOTICE_BITS, Flooding, Port, World

#: Sequence numbers go from 1 to this, and then from 1 again.
LARGEST = 255
#: Adaptive timers: the share of a new measurement in the deviation (as of TCP's round-trip time, RFC 6298) and in the
#: share of heartbeats that are lost; how many deviations are waited for.
DEVIATION_SHARE, LOSS_SHARE, DEVIATIONS = 0.25, 1 / 32, 4.0
#: How often, in heartbeats, a working link may be taken for dead; what share is taken for lost at first, and at least;
#: and for how many heartbeats is waited at most.
ALARM, FIRST_LOSS, LEAST_LOSS, MOST_BEATS = 1e-5, 0.05, 0.002, 16


def is_newer(sequence: int, known: int, *, naive: bool) -> bool:
    """Whether a sequence number is newer than the one that is known; 0 is before all.

    Serial: the shorter way round decides (as RFC 1982). Naive: the larger number, which fails after the largest.
    """
    if naive or known == 0:
        return sequence > known
    return 0 < (sequence - known) % LARGEST <= LARGEST // 2


class PcrtRouter(Flooding):
    """A broker with pre-calculated tables.

    It tells others the colour of its own links' failures, and merges what all have told through the colour map. Of its
    own links it believes itself, and the other end until it hears something over the link: were it to believe that end
    for good, each would go on to blame what is healed.
    """

    def __init__(self, me: int, fabric: Fabric, world: World, colours: Sequence[Colour], colour_map: ColourMap) -> None:
        setting = fabric.topology.pcrt
        super().__init__(me, fabric, world, setting.heartbeat, setting.dead_after)
        self.colours = colours
        self.map = colour_map
        self.ack_timeout = setting.ack_timeout
        self.sequence = 1
        self.known = [1] * fabric.topology.n
        #: Of each broker: its own links that it says are dead.
        self.reports: list[frozenset[int]] = [frozenset()] * fabric.topology.n
        self.colour = colour_map.of(frozenset())
        self._links = [frozenset(fabric.topology.links_of(broker)) for broker in range(fabric.topology.n)]
        #: Its links that the other end says are dead, of which it has heard nothing since.
        self._accused: set[int] = set()
        self._gaps: dict[int, tuple[float, float, float]] = {}

    def view(self) -> frozenset[int]:
        """What all reports together say; of its own links, its own."""
        others = frozenset().union(*self.reports) - self._links[self.me]
        return others | self.reports[self.me] | self._accused

    def next_hop(self, packet: Packet) -> int:
        """By colour and destination."""
        return self.colours[self.colour].hops[packet.dest][self.me]

    def port_changed(self, port: Port) -> None:
        """Another colour, told to everybody."""
        self.reports[self.me] = frozenset(link for link, one in self.ports.items() if not one.up)
        self.sequence = self.sequence % LARGEST + 1
        self.known[self.me] = self.sequence
        self._recolour()
        colour = self.map.telling(self.reports[self.me], self._links[self.me])
        self.tell(Control("flood", NOTICE_BITS, False, self.me, self.sequence, colour))
        if port.up:
            self.catch_up(port)

    def _recolour(self) -> None:
        self.colour = self.map.of(self.view())
        self.world.changed()

    def hear(self, port: Port, message: Control) -> None:
        """A heartbeat, a link test, a notification, or an answer to one."""
        if port.link in self._accused:
            self._accused.remove(port.link)
            self._recolour()
        if message.kind == "flood" and not message.answer:
            self._notified(port, message)
        elif message.kind == "flood":
            self.acknowledged(port, message)
        elif message.kind == "test" and not message.answer:
            self.fabric.send(self.me, port.link, Control("test", HELLO_BITS, True))
        elif message.kind == "test" and not port.up:
            port.tests += 1
        if not port.up:
            self._test(port, message)

    def _test(self, port: Port, message: Control) -> None:
        """Whether a link that was dead and is heard of is alive: so many tests, one after the other."""
        if port.tests >= self.fabric.topology.pcrt.test_packets:
            self.come_up(port)
        elif (message.kind == "test" and message.answer) or self.now - port.tested >= self.ack_timeout:
            port.tested = self.now
            self.fabric.send(self.me, port.link, Control("test", HELLO_BITS))

    def _notified(self, port: Port, notice: Control) -> None:
        self.acknowledge(port, notice)
        origin = notice.origin
        naive = self.fabric.topology.pcrt.wrap == "naive"
        if origin == self.me or not is_newer(notice.sequence, self.known[origin], naive=naive):
            return
        self.known[origin] = notice.sequence
        assert isinstance(notice.content, int)
        before = self.reports[origin]
        self.reports[origin] = self.colours[notice.content].down & self._links[origin]
        self._accused |= (self.reports[origin] - before) & self._links[self.me]
        self._accused -= before - self.reports[origin]
        self._recolour()
        self.tell(notice, but=port)

    def measure(self, port: Port) -> None:
        """With adaptive timers: wait for as many heartbeats as are hardly ever lost in a row, and for their delays."""
        setting = self.fabric.topology.pcrt
        if not setting.adaptive:
            return
        last, deviation, loss = self._gaps.get(port.link, (-1.0, 0.0, FIRST_LOSS))
        if last >= 0 and port.up:
            beats = max(1, round((self.now - last) / setting.heartbeat))
            deviation += DEVIATION_SHARE * (abs(self.now - last - beats * setting.heartbeat) - deviation)
            loss += LOSS_SHARE * ((beats - 1) / beats - loss)
            rows = math.ceil(math.log(ALARM) / math.log(min(max(loss, LEAST_LOSS), 0.9)))
            port.patience = min(rows, MOST_BEATS) * setting.heartbeat + DEVIATIONS * deviation
        self._gaps[port.link] = self.now, deviation, loss
