"""What specifications and models call things: the names behind the dense ids."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from momlint.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from momlint.estate.resolved import Estate


class TopicEnds(NamedTuple):
    """A topic: its name, and the dense ids of its publishers' and its subscribers' brokers."""

    name: str
    publishers: tuple[int, ...]
    subscribers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one estate by dense id.

    `colours` is empty where the estate declares none: then no formula can speak of them. `takeover`: failed broker →
    the brokers that may adopt its clients, in order (dense ids). `addresses`: a broker's address or None.
    """

    brokers: tuple[str, ...]
    colours: tuple[str, ...] = ()
    topics: tuple[TopicEnds, ...] = ()
    takeover: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    addresses: tuple[str | None, ...] = ()
    title: str = ""

    def adopter(self, broker: int) -> int:
        """Who adopts the clients of a broker that fails alone: the first of its adopters but itself, else itself."""
        return next((other for other in self.takeover.get(broker, ()) if other != broker), broker)


def names_of(estate: Estate) -> Names:
    """The names in `estate`."""
    return Names(
        brokers=tuple(broker.id for broker in estate.brokers),
        colours=tuple(colour.name for colour in estate.colours) if estate.colours_declared else (),
        topics=tuple(TopicEnds(t.name, t.publishers, t.subscribers) for t in estate.topics),
        takeover=dict(estate.takeover),
        addresses=tuple(broker.address for broker in estate.brokers),
        title=estate.name,
    )
