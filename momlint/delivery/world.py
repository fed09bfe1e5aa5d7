"""What the bounded check reads: sites, clients and safeguards without names, and the steps and stories it speaks in.

The protocol is told in docs/delivery.md. `explore` and `smt` decide questions about a `World` and share nothing else;
`replay` follows what they find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from momlint.delivery.form import Numbering, Order, Safeguards

#: The place of a publisher, where sites are numbered from 0.
CLIENT: Final = -1


class Bound(NamedTuple):
    """What a check goes up to: events, publishers that publish them, failures of brokers altogether."""

    events: int = 3
    publishers: int = 2
    crashes: int = 1


class Member(NamedTuple):
    """A client: its site, the topics that it publishes on, the topics that it wants.

    `judged`: whether it is asked what the client gets; not of one that starves without any failure.
    """

    site: int
    publishes: tuple[str, ...]
    wants: frozenset[str]
    judged: bool = True


@dataclass(frozen=True, slots=True)
class World:
    """`parents`: of each site, -1 for the root. `spare`: how many brokers of each site may fail, one after the other.

    `sequencer`: the site; it matters with ``total`` only. `numbering`: None with ``none``.
    """

    parents: tuple[int, ...]
    spare: tuple[int, ...]
    members: tuple[Member, ...]
    filtering: bool
    order: Order
    numbering: Numbering | None
    sequencer: int
    safeguards: Safeguards
    bound: Bound

    def neighbours(self, site: int) -> list[int]:
        """The parent and the children."""
        above = self.parents[site]
        below = [other for other, parent in enumerate(self.parents) if parent == site]
        return below if above < 0 else [above, *below]

    def path(self, start: int, end: int) -> tuple[int, ...]:
        """The sites from `start` to `end`, both included."""
        walk: dict[int, tuple[int, ...]] = {start: (start,)}
        waiting = [start]
        for here in waiting:
            for other in self.neighbours(here):
                if other not in walk:
                    walk[other] = (*walk[here], other)
                    waiting.append(other)
        return walk[end]

    def onward(self, origin: int, topic: str) -> dict[int, tuple[int, ...]]:
        """Where each site that an event comes to passes it on; from `origin`, on `topic`."""
        wanting = [member.site for member in self.members if topic in member.wants]
        ends = wanting if self.filtering else range(len(self.parents))
        found: dict[int, list[int]] = {origin: []}
        for end in ends:
            path = self.path(origin, end)
            for here, there in pairwise(path):
                if there not in found.setdefault(here, []):
                    found[here].append(there)
                found.setdefault(there, [])
        return {site: tuple(sorted(to)) for site, to in found.items()}


#: publish: the publisher sends its event; take: a broker takes in a copy; number: the sequencer gives a number; turn: a
#: broker delivers an event, or counts it; send: it passes it on; ack: it acknowledges it; crash, suspect: the active
#: broker fails, or only seems to, and the first standby takes over.
Kind: TypeAlias = Literal["publish", "take", "number", "turn", "send", "ack", "crash", "suspect"]


class Step(NamedTuple):
    """`site`, `term`: of the broker that acts; term 0 is the first broker, each take-over adds 1.

    `other`, `other_term`: where it comes from (take, and turn where links are numbered) or goes to (send), `CLIENT` for
    the publisher; with numbers for each subscriber, `other` of a turn is the subscriber.
    """

    kind: Kind
    event: int = -1
    site: int = -1
    term: int = 0
    other: int = CLIENT
    other_term: int = 0


#: number: two events with one number; lost: an event never comes to a subscriber; twice: it comes twice; order: the
#: order that was asked for does not hold.
Fault: TypeAlias = Literal["number", "lost", "twice", "order"]
FAULTS: Final[tuple[Fault, ...]] = ("number", "lost", "twice", "order")


class Story(NamedTuple):
    """How something goes wrong. `script`: (publisher, topic) of each event, a publisher's in its order.

    `events`, `subscribers`: those that it goes wrong with, as indices into `script` and into the members of the world.
    """

    fault: Fault
    script: tuple[tuple[int, str], ...]
    steps: tuple[Step, ...]
    events: tuple[int, ...]
    subscribers: tuple[int, ...]


#: Says that the time is over by raising what its owner catches.
Tick: TypeAlias = Callable[[], None]
