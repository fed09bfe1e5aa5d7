"""The clock, the channels and the log that clients and brokers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Protocol

from momlint.simulation.designs import Policy, Setting
from momlint.simulation.wire import InHand, Message

if TYPE_CHECKING:
    import simpy


class Taker(Protocol):
    """A client or a broker."""

    name: str

    def take(self, message: Message) -> None:
        """A message arrives."""


class Network:
    """What is sent arrives: later, between sites perhaps out of order, and never changed. Times in milliseconds.

    `watch` is called with each line of the log as it is written.
    """

    def __init__(self, env: simpy.Environment, setting: Setting, policy: Policy, seed: int) -> None:
        self.env = env
        self.setting = setting
        self.policy = policy
        self.costs = setting.costs
        self.messages: Counter[str] = Counter()
        self.log: list[tuple[float, str]] = []
        self.watch: Callable[[str], None] | None = None
        self.takers: dict[str, Taker] = {}
        self.sites_of = {client.name: client.site for client in setting.clients}
        self._random = Random(seed)
        self._last: dict[tuple[int, int], float] = {}
        #: What is still to happen, signs of life and timers that wait for them aside; and when something last did.
        self.busy = 0
        self.moved = 0.0

    def say(self, line: str) -> None:
        """A line of the log."""
        self.log.append((self.env.now, line))
        if self.watch is not None:
            self.watch(line)

    def after(self, delay: float, action: Callable[[], None], *, idle: bool = False) -> None:
        """Do it so much later. `idle`: it goes on for ever, and nothing comes of it while all is well."""
        self.busy += not idle

        def act(_: object) -> None:
            if not idle:
                self.busy -= 1
                self.moved = self.env.now
            action()

        self.env.timeout(delay).callbacks.append(act)

    def near(self, name: str, message: Message, kind: str) -> None:
        """To a client of the same site or a broker of it, or from one: always as fast, so never out of order."""
        self.messages[kind] += 1
        self._bring(name, message, self.costs.client)

    def _bring(self, name: str, message: Message, delay: float) -> None:
        self.after(delay, lambda: self.takers[name].take(message), idle=isinstance(message, InHand))

    def far(self, here: int, there: int, name: str, message: Message, kind: str) -> None:
        """From a broker of one site to one of a neighbouring site."""
        self.messages[kind] += 1
        latency = self.setting.latency(here, there)
        mean = latency * self.costs.jitter
        delay = latency + (self._random.expovariate(1.0 / mean) if mean > 0 else 0.0)
        if self.policy.ordered_channels:
            # Nothing overtakes what was sent before it.
            arrival = max(self.env.now + delay, self._last.get((here, there), 0.0))
            self._last[here, there] = arrival
            delay = arrival - self.env.now
        self._bring(name, message, delay)
