"""A site of brokers: which of them is active, and whom it takes for the active ones of its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from momlint.simulation.network import Network
from momlint.simulation.wire import Subscription

State: TypeAlias = Literal["active", "standby", "suspected", "dead"]


class SiteNode:
    """A site: its brokers in take-over order and their states.

    To take over is one step in which all brokers of the site take part: there are never two active ones.
    `heard` is called where a site learns of a subscription.
    """

    def __init__(self, index: int, network: Network, heard: Callable[[int, Subscription], None]) -> None:
        self.index = index
        self.heard = heard
        names = network.setting.sites[index].brokers
        self.active = names[0]
        self.states: dict[str, State] = dict.fromkeys(names, "standby")
        self.states[names[0]] = "active"
        #: Whom the site takes for the active broker of its neighbours, and of itself.
        self.believed = {
            other: network.setting.sites[other].brokers[0] for other in (index, *network.setting.neighbours[index])
        }
        self.clients = [client.name for client in network.setting.clients if client.site == index]
        #: How many events of each publisher have got a number of the sequencer: they are asked for in their order.
        self.asked: dict[str, int] = {}

    @property
    def standbys(self) -> int:
        """How many brokers have to be given what the active one knows."""
        return sum(state == "standby" for state in self.states.values())
