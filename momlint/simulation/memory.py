"""What a site knows: of subscriptions, of numbers, of events that it has handled. Standbys have what is replicated."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from momlint.simulation.wire import Carry, Event, Load


@dataclass(slots=True)
class Sent:
    """A load that was sent and is not acknowledged yet.

    `since`: when it was sent the first time. `attempt` counts sendings, so that old timers are told.
    """

    load: Load
    since: float
    attempt: int = 0


@dataclass(slots=True)
class Seen:
    """What was handled, and what of it is not finished.

    `keys`: of events, questions and subscriptions. `held`: what waits for its turn, by the counter of the turn and the
    number. `asked`: events that wait for the sequencer. `assigned`: numbers that the sequencer gave. `outbox`: sent and
    not acknowledged, by neighbouring site and key.
    """

    keys: set[Hashable] = field(default_factory=set)
    held: dict[Hashable, dict[int, tuple[Carry, int] | None]] = field(default_factory=dict)
    asked: dict[tuple[str, int], Event] = field(default_factory=dict)
    assigned: dict[tuple[str, int], tuple[int, tuple[tuple[str, int], ...]]] = field(default_factory=dict)
    outbox: dict[tuple[int, Hashable], Sent] = field(default_factory=dict)


@dataclass(slots=True)
class Memory:
    """All of it. `subscriptions`: by client and topic, the version that holds and whether it is wanted."""

    subscriptions: dict[tuple[str, str], tuple[int, bool]] = field(default_factory=dict)
    counters: dict[Hashable, int] = field(default_factory=dict)
    seen: Seen = field(default_factory=Seen)

    def inherited(self, parts: frozenset[str]) -> Memory:
        """What a standby has of it, to which `parts` are replicated."""
        return Memory(
            self.subscriptions if "subscriptions" in parts else {},
            self.counters if "counters" in parts else {},
            self.seen if "seen" in parts else Seen(),
        )

    def wants(self, client: str, topic: str) -> bool:
        """Whether the client subscribes to the topic, as far as is known here."""
        return self.subscriptions.get((client, topic), (0, False))[1]
