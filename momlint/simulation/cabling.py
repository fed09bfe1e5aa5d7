"""Links that carry packets: a queue each way, a rate, a latency; and what travels on them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from momlint.simulation.overlays import Topology

if TYPE_CHECKING:
    import simpy


@dataclass(slots=True)
class Packet:
    """Data from a broker to another. `path`: the brokers it has come to. `layer`: of resilient routing layers."""

    flow: int
    source: int
    dest: int
    bits: float
    sent_at: float
    path: list[int] = field(default_factory=list)
    layer: int = 0


@dataclass(frozen=True, slots=True)
class Control:
    """What brokers tell their neighbours. `kind`: hello, test, flood; `answer`: whether it acknowledges one.

    `origin`, `sequence` and `content` are those of the flood, or of the test.
    """

    kind: str
    bits: float
    answer: bool = False
    origin: int = -1
    sequence: int = 0
    content: object = None


class Fabric:
    """All links and what has failed of them. Times in the topology's unit.

    `arrive(broker, link, message)` is called for what comes over; `lost(packet, why)` for data that does not: `queue`
    where the buffer was full, `dead_link` where the link or a broker had failed, `noise` where a working link lost it.
    """

    def __init__(
        self,
        env: simpy.Environment,
        topology: Topology,
        random: Random,
        arrive: Callable[[int, int, Packet | Control], None],
        lost: Callable[[Packet, str], None],
    ) -> None:
        self.env = env
        self.topology = topology
        self.arrive = arrive
        self.lost = lost
        self.control_bits = 0.0
        #: Bits that were sent over each link, each way.
        self.carried: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.link_down = [False] * len(topology.cables)
        self.broker_down = [False] * topology.n
        #: How often each link has stopped working: what is on it then is lost, though it works again.
        self._breaks = [0] * len(topology.cables)
        self._queues: dict[tuple[int, int], deque[Packet | Control]] = {
            (link, side): deque() for link in range(len(topology.cables)) for side in (0, 1)
        }
        self._busy: set[tuple[int, int]] = set()
        self._random = random

    def after(self, delay: float, action: Callable[[], None]) -> None:
        """Do it so much later."""
        self.env.timeout(delay).callbacks.append(lambda _: action())

    def works(self, link: int) -> bool:
        """Whether the link and both its brokers are up."""
        one, other = self.topology.cables[link].ends
        return not (self.link_down[link] or self.broker_down[one] or self.broker_down[other])

    def down(self) -> frozenset[int]:
        """The links that carry nothing."""
        return frozenset(link for link in range(len(self.link_down)) if not self.works(link))

    def strike(self, is_link: bool, index: int, fails: bool) -> None:
        """A link or a broker fails or heals."""
        (self.link_down if is_link else self.broker_down)[index] = fails
        for link in [index] if is_link else self.topology.links_of(index):
            self._breaks[link] += fails

    def send(self, broker: int, link: int, message: Packet | Control) -> None:
        """Put it into the queue of the link."""
        if self.broker_down[broker]:
            return
        way = link, self.topology.cables[link].side(broker)
        if isinstance(message, Control):
            self.control_bits += message.bits
        queue = self._queues[way]
        if way in self._busy and len(queue) >= self.topology.cabling.buffer:
            self._gone(message, "queue")
            return
        queue.append(message)
        if way not in self._busy:
            self._serve(way)

    def _gone(self, message: Packet | Control, why: str) -> None:
        if isinstance(message, Packet):
            self.lost(message, why)

    def _serve(self, way: tuple[int, int]) -> None:
        queue = self._queues[way]
        if not queue:
            self._busy.discard(way)
            return
        self._busy.add(way)
        message = queue.popleft()
        link, side = way
        takes = message.bits / self.topology.cabling.rate_bits
        breaks = self._breaks[link]
        works = self.works(link)
        self.carried[way] += message.bits if works else 0.0

        def sent() -> None:
            if works:
                latency = self.topology.cables[link].latencies[side]
                self.after(latency, lambda: self._come(way, message, breaks))
            else:
                self._gone(message, "dead_link")
            self._serve(way)

        self.after(takes, sent)

    def _come(self, way: tuple[int, int], message: Packet | Control, breaks: int) -> None:
        link, side = way
        if self._breaks[link] != breaks or not self.works(link):
            self._gone(message, "dead_link")
        elif self.topology.cabling.loss and self._random.random() < self.topology.cabling.loss:
            self._gone(message, "noise")
        else:
            self.arrive(self.topology.cables[link].ends[1 - side], link, message)
