"""Running a script on simulated brokers of a tree of sites."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from momlint.decimals import decimal_of
from momlint.simulation.brokers import BrokerNode
from momlint.simulation.clients import ClientNode
from momlint.simulation.designs import Policy, Setting
from momlint.simulation.moments import wait_until
from momlint.simulation.network import Network
from momlint.simulation.outcomes import Delivered, Missing, Outcome, disorder_of, duplicates_of
from momlint.simulation.sites import SiteNode
from momlint.simulation.steps import Publish, Status, Step, Strike, Subscribe, Wait
from momlint.simulation.wire import Event, Subscription

if TYPE_CHECKING:
    import simpy

#: A run ends so long after the last line and the last event of its script, whatever still moves.
PATIENCE_MS = 120_000.0


def run(setting: Setting, policy: Policy, steps: Sequence[Step], seed: int = 0) -> Outcome:
    """What becomes of the script under the policy; the same for the same seed. Needs simpy."""
    return Run(setting, policy, steps, seed).outcome()


class Run:
    """A run that can be watched and meddled with: `watch` gets each line of the log as it is written."""

    def __init__(
        self,
        setting: Setting,
        policy: Policy,
        steps: Sequence[Step],
        seed: int = 0,
        watch: Callable[[Run, str], None] | None = None,
    ) -> None:
        import simpy

        self.env = simpy.Environment()
        self.policy = policy
        self.network = Network(self.env, setting, policy, seed)
        self.sites = [SiteNode(index, self.network, self._heard) for index in range(len(setting.sites))]
        self.brokers = {
            name: BrokerNode(name, home, self.network)
            for home, site in zip(self.sites, setting.sites, strict=True)
            for name in site.brokers
        }
        self.clients = {one.name: ClientNode(one.name, one.site, self.network, self._take) for one in setting.clients}
        self.network.takers.update(self.brokers)
        self.network.takers.update(self.clients)
        if watch is not None:
            self.network.watch = lambda line: watch(self, line)
        self._deliveries: dict[str, list[Delivered]] = {
            one.name: []
            for one in setting.clients
            if any(isinstance(step, Subscribe) and step.client == one.name for step in steps)
        }
        self._published: list[tuple[Event, float]] = []
        self._statuses: list[tuple[float, dict[str, str]]] = []
        #: Subscriptions by client and topic: version, wanted, when said, at which sites known, when known everywhere.
        self._said: dict[tuple[str, str], list[_Said]] = {}
        self._steps = steps
        #: Where nothing but signs of life has been sent for so long, nothing else will be: nobody is suspected.
        hop = max((setting.latency(site, on) for site, near in enumerate(setting.neighbours) for on in near), default=0)
        self._rest = 2 * policy.suspect_after + 100 * (1 + hop)
        self._publishing = 0
        self._ended: simpy.Event = self.env.event()

    def outcome(self) -> Outcome:
        """Run to the end."""
        self.env.process(self._lines())
        self.env.run(until=self._ended)
        last = self.env.now + PATIENCE_MS
        is_settled = False
        while not is_settled and self.env.peek() <= last:
            self.env.step()
            is_settled = not self.network.busy and self.env.now - self.network.moved > self._rest
        lost, missed = self._undelivered()
        return Outcome(
            self.policy.name,
            self.policy.numbering,
            self._deliveries,
            self._published,
            dict(self.network.messages),
            lost,
            missed,
            duplicates_of(self._deliveries),
            disorder_of(self.policy.order, self._deliveries),
            self._statuses,
            is_settled or self.env.peek() == float("inf"),
            self.network.log,
        )

    def _lines(self) -> Generator[simpy.Event, Any, None]:
        """One line after the other, none waiting for what the one before does."""
        publishing = []
        clock = decimal_of(self.env.now)
        for step in self._steps:
            match step:
                case Subscribe(client, topic, wanted):
                    said = self.clients[client].subscribe(topic, wanted)
                    self._said.setdefault((client, topic), []).append(_Said(said, self.env.now))
                case Publish():
                    publishing.append(self.env.process(self._publish(step, clock)))
                case Strike(what, broker):
                    self.brokers[broker].strike(what)
                case Wait(milliseconds):
                    clock += decimal_of(milliseconds)
                    yield self.env.timeout(wait_until(self.env.now, float(clock)))
                case Status():
                    states = {name: self._state(name) for name in self.brokers}
                    self._statuses.append((self.env.now, states))
                    self.network.say("status: " + ", ".join(f"{name} {state}" for name, state in states.items()))
        yield self.env.all_of(publishing)
        self._ended.succeed()

    def _publish(self, step: Publish, clock: Fraction) -> Generator[simpy.Event, Any, None]:
        interval = decimal_of(step.interval_ms)
        for number in range(step.count):
            if number:
                clock += interval
                yield self.env.timeout(wait_until(self.env.now, float(clock)))
            self._published.append((self.clients[step.client].publish(step.topic), self.env.now))
        yield self.env.timeout(0)

    def _state(self, name: str) -> str:
        broker = self.brokers[name]
        state = broker.home.states[name]
        return f"{state}, crashed" if broker.crashed else f"{state}, frozen" if broker.frozen else state

    def _take(self, client: str, event: Event) -> None:
        self._deliveries.setdefault(client, []).append(Delivered(event, round(self.env.now, 3)))

    def _heard(self, site: int, subscription: Subscription) -> None:
        for said in self._said[subscription.client, subscription.topic]:
            if said.subscription == subscription:
                said.sites.add(site)
                if len(said.sites) == len(self.sites) and said.everywhere is None:
                    said.everywhere = self.env.now

    def _undelivered(self) -> tuple[list[Missing], list[Missing]]:
        """What is lost, and what was only missed."""
        lost: list[Missing] = []
        missed: list[Missing] = []
        for (client, topic), all_said in self._said.items():
            got = {one.event for one in self._deliveries[client]}
            for event, at in self._published:
                if event.topic != topic or event in got:
                    continue
                before = [said for said in all_said if said.at <= at]
                if not before or not all(said.subscription.wanted for said in (before[-1], all_said[-1])):
                    continue
                if len(before) < len(all_said):
                    # It was taken back in between, and given again: nobody can say which of the two holds.
                    continue
                known = before[-1].everywhere
                (lost if known is not None and known <= at else missed).append(Missing(client, event))
        return lost, missed


class _Said:
    """A line of the script that subscribes, and who has heard of it."""

    def __init__(self, subscription: Subscription, at: float) -> None:
        self.subscription = subscription
        self.at = at
        self.sites: set[int] = set()
        self.everywhere: float | None = None
