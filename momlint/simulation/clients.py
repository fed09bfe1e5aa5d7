"""Publishers and subscribers: they never fail, and talk to the active broker of their site."""

from __future__ import annotations

from collections.abc import Callable

from momlint.simulation.memory import Sent
from momlint.simulation.network import Network
from momlint.simulation.sending import Sender
from momlint.simulation.wire import Acknowledgement, Carry, Event, InHand, Message, Parcel, Subscription, TakenOver


class ClientNode(Sender):
    """A client. `delivered` is called with each event that it gets."""

    def __init__(self, name: str, site: int, network: Network, delivered: Callable[[str, Event], None]) -> None:
        super().__init__(name, site, network)
        self._believed = {site: network.setting.sites[site].brokers[0]}
        self._delivered = delivered
        self._published = 0
        self._versions = 0

    @property
    def believed(self) -> dict[int, str]:
        """Of its site alone."""
        return self._believed

    def publish(self, topic: str) -> Event:
        """Hand an event to its site."""
        self._published += 1
        event = Event(self.name, self._published, topic)
        self.send(self.site, Carry(event))
        return event

    def subscribe(self, topic: str, wanted: bool) -> Subscription:
        """Tell its site that it wants the topic, or no longer."""
        self._versions += 1
        subscription = Subscription(self.name, topic, wanted, self._versions)
        self.send(self.site, subscription)
        return subscription

    def forgotten(self, site: int, entry: Sent) -> None:
        """A client keeps no account of what it has published."""

    def take(self, message: Message) -> None:
        """An event, an acknowledgement, or word of a new active broker."""
        match message:
            case Parcel(Carry(event)):
                self._delivered(self.name, event)
            case Acknowledgement(key, site):
                self.outbox.pop((site, key), None)
            case InHand():
                self.sign(message)
            case TakenOver():
                # A client cannot hear of its own site from anybody else.
                if self._believed[self.site] != message.broker:
                    self.hear_of(message)
                else:
                    self._told.pop(self.site, None)
