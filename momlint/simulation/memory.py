"""What a broker of a site knows: what its standbys are given of it, and what it has in hand alone."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from momlint.simulation.wire import Carry, Load

#: What is counted: turns of a publisher, of a link, of the sequencer or of one subscriber; numbers that are given.
Counter: TypeAlias = tuple[str | int, ...]


@dataclass(slots=True)
class Sent:
    """A load that was sent and is not acknowledged yet.

    `sign`: when the receiver last gave a sign of it, or when it was sent. `attempt` counts sendings, so that old timers
    are told.
    """

    load: Load
    sign: float
    attempt: int = 0


class Due(NamedTuple):
    """A turn that an event needs: the number `number` of `counter`; `name`: the subscriber, where each has its own."""

    counter: Counter
    number: int
    name: str = ""


@dataclass(slots=True, eq=False)
class Job:
    """What a broker has in hand, and its standbys have not.

    `load`: the copy that came first, with the sequencer's numbers as soon as they are known; it came from the
    neighbouring site `came`, or from a client (-1). `sources`: each copy, by its sender and the sender's site.
    `targets`: the sites that it goes to, once that is known. `sent`, `heard`: to which of them it was sent, which have
    acknowledged it. `turned`: whose turns it had here.
    """

    load: Load
    came: int
    sources: dict[tuple[str, int], Load] = field(default_factory=dict)
    numbered: bool = False
    asked: bool = False
    targets: tuple[int, ...] | None = None
    sent: set[int] = field(default_factory=set)
    heard: set[int] = field(default_factory=set)
    turned: set[str] = field(default_factory=set)
    acknowledged: bool = False

    @property
    def carry(self) -> Carry:
        """The event that it is."""
        assert isinstance(self.load, Carry)
        return self.load


@dataclass(slots=True)
class Memory:
    """All that a standby may be given.

    `subscriptions`: by client and topic, the version that holds and whether it is wanted. Counters are `reached` (the
    last number that had its turn), `given` (which event got which number of each counter) and `passed` (events that had
    their turn where links are numbered, and go on with a number given then). `seen`: what was delivered, or counted.
    """

    subscriptions: dict[tuple[str, str], tuple[int, bool]] = field(default_factory=dict)
    reached: dict[Counter, int] = field(default_factory=dict)
    given: dict[Counter, dict[Hashable, int]] = field(default_factory=dict)
    passed: set[Hashable] = field(default_factory=set)
    seen: set[Hashable] = field(default_factory=set)

    def inherited(self, parts: frozenset[str]) -> Memory:
        """What a standby has of it, to which `parts` are replicated."""
        found = Memory()
        if "subscriptions" in parts:
            found.subscriptions = dict(self.subscriptions)
        if "counters" in parts:
            found.reached = dict(self.reached)
            found.given = {counter: dict(numbers) for counter, numbers in self.given.items()}
            found.passed = set(self.passed)
        if "seen" in parts:
            found.seen = set(self.seen)
        return found

    def give(self, counter: Counter, key: Hashable) -> int:
        """The number of this event: the one that it has, or the next one."""
        numbers = self.given.setdefault(counter, {})
        return numbers.setdefault(key, len(numbers) + 1)

    def wants(self, client: str, topic: str) -> bool:
        """Whether the client subscribes to the topic, as far as is known here."""
        return self.subscriptions.get((client, topic), (0, False))[1]
