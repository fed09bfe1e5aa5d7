"""A message sequence chart on simulated brokers, line by line: an adversary decides what happens next.

Nothing moves by itself. What is sent is held until the chart says that it arrives; a broker takes the step that it
names, crashes or is taken for dead when it says so. A step that simulated brokers cannot take is an
`AssertionError`. What the charts take for one step is one here: an acknowledgement and its arrival, a question and its
answer, a failure and that everybody hears of it, but for whom it is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from momlint.delivery.form import Client, Site
from momlint.delivery.ways import tree_of
from momlint.delivery.world import CLIENT, Step, Story, World
from momlint.findings import Place
from momlint.simulation.brokers import BrokerNode
from momlint.simulation.clients import ClientNode
from momlint.simulation.designs import Costs, Policy, Setting, make_setting
from momlint.simulation.memory import Due, Job
from momlint.simulation.running import Run
from momlint.simulation.sending import Sender
from momlint.simulation.steps import Subscribe
from momlint.simulation.wire import Acknowledgement, Ask, Carry, Event, Message, Parcel, carry_key

#: Milliseconds: what is longer is somebody's patience, which only the chart ends.
SOON = 50.0
NOWHERE = Place("estate.yaml", ())


def setting_of(world: World) -> Setting:
    """A design that is as small as the world: site 1 has the brokers ``b1.0`` and so on."""
    sites = tuple(
        Site(f"s{n}", "" if above < 0 else f"s{above}", None if above < 0 else above, names, None, NOWHERE)
        for n, (above, spare) in enumerate(zip(world.parents, world.spare, strict=True))
        for names in [tuple(f"b{n}.{term}" for term in range(spare + 1))]
    )
    clients = tuple(
        Client(f"c{n}", one.site, one.publishes, tuple(sorted(one.wants)), NOWHERE)
        for n, one in enumerate(world.members)
    )
    safe = world.safeguards
    kept = {"subscriptions": safe.subscriptions, "counters": safe.counters, "seen": safe.seen}
    policy = Policy(
        world.filtering,
        world.order,
        world.numbering,
        world.sequencer,
        safe.ordered,
        frozenset(name for name, is_kept in kept.items() if is_kept),
        safe.early,
        safe.retransmit,
        safe.suspect_after_ms,
        safe.dead_after_ms,
    )
    tree = tree_of(sites)
    assert tree is not None
    return make_setting(sites, clients, tree, policy, Costs())


def subscribed(setting: Setting) -> list[Subscribe]:
    """Everybody subscribes to what it wants."""
    return [Subscribe(one.name, topic, True, 1) for one in setting.clients for topic in one.subscribes]


class Chart:
    """Simulated brokers of a world, and what is held on its way to them: to whom, and what."""

    def __init__(self, world: World, story: Story) -> None:
        self.world, self.story = world, story
        self.setting = setting_of(world)
        self.held: list[tuple[str, Message]] = []
        steps = subscribed(self.setting)
        self.run = Run(self.setting, self.setting.policy, steps)
        network = self.run.network
        network.near = lambda name, message, kind: self.held.append((name, message))  # type: ignore[method-assign]
        network.far = lambda here, there, name, message, kind: self.held.append((name, message))  # type: ignore[method-assign]
        network.after = self._after  # type: ignore[method-assign]
        for broker in self.run.brokers.values():
            # At once, and also by one that is no longer active: the chart says when.
            broker.send = partial(Sender.send, broker)  # type: ignore[method-assign]
        for step in steps:
            self.run._said[step.client, step.topic] = []
            self.run.clients[step.client].subscribe(step.topic, True)
        self._settle(lambda message: True)
        assert self.held == []
        self.events: dict[int, Event] = {}
        #: Whom nobody has told that they are no longer active, and what they are not told yet.
        self.behind: list[tuple[str, Message]] = []

    @staticmethod
    def _after(delay: float, action: Callable[[], None], *, idle: bool = False) -> None:
        if not idle and delay < SOON:
            action()

    # What is held.

    def _settle(self, moves: Callable[[Message], bool]) -> None:
        """Let everything that `moves` arrive, in the order in which it was sent."""
        while (at := next((n for n, (_, what) in enumerate(self.held) if moves(what)), None)) is not None:
            self._arrive(*self.held.pop(at))

    def _arrive(self, name: str, message: Message) -> None:
        taker = self.run.network.takers[name]
        if isinstance(taker, ClientNode):
            taker.take(message)
        elif isinstance(taker, BrokerNode) and not taker.crashed:
            if not isinstance(message, Parcel):
                taker._hear(message)
            elif taker.home.active == name:
                for job in taker._act(message):
                    taker.conclude(job)

    def _tell(self) -> None:
        """News, acknowledgements and deliveries arrive; events do not, and nobody does anything with them."""
        while (at := next((n for n, (_, what) in enumerate(self.held) if not is_event(what)), None)) is not None:
            name, message = self.held.pop(at)
            taker = self.run.network.takers[name]
            if isinstance(taker, BrokerNode) and taker.home.active != name:
                self.behind.append((name, message))
            elif isinstance(taker, BrokerNode) and isinstance(message, Acknowledgement):
                taker.hear(message)
            elif isinstance(taker, BrokerNode) and isinstance(message, Parcel):
                # Questions and answers go from site to site.
                if isinstance(message.load, Ask):
                    taker.question(taker.take_in(message))
                else:
                    taker.answered(message)
            else:
                self._arrive(name, message)

    # Steps.

    def follow(self, steps: Iterable[Step]) -> None:
        """Take them all."""
        for step in steps:
            broker = self.run.brokers[self.setting.sites[step.site].brokers[step.term]]
            if step.kind != "send":
                assert broker.home.active == broker.name, step
            getattr(self, step.kind)(step, broker)
            self._tell()

    def job(self, step: Step, broker: BrokerNode) -> Job:
        """The event that the step is about, as the broker has it."""
        return broker.jobs[carry_key(self.events[step.event])]

    def source(self, step: Step) -> str:
        """Who has sent it."""
        if step.other == CLIENT:
            return self.events[step.event].publisher
        return self.setting.sites[step.other].brokers[step.other_term]

    def publish(self, step: Step, broker: BrokerNode) -> None:
        publisher, topic = self.story.script[step.event]
        self.events[step.event] = self.run.clients[f"c{publisher}"].publish(topic)
        assert self.held[-1][0] == broker.name, step

    def take(self, step: Step, broker: BrokerNode) -> None:
        source = self.source(step)
        channel = [
            (n, what)
            for n, (name, what) in enumerate(self.held)
            if name == broker.name and isinstance(what, Parcel) and what.sender == source
        ]
        at, parcel = next((n, what) for n, what in channel if key(what) == self.events[step.event])
        assert not self.world.safeguards.ordered or channel[0][0] == at, step
        del self.held[at]
        broker.take_in(parcel)

    def number(self, step: Step, broker: BrokerNode) -> None:
        job = self.job(step, broker)
        assert broker.may_ask(job), step
        broker.ask([job])
        self._tell()
        assert job.numbered, step

    def turn(self, step: Step, broker: BrokerNode) -> None:
        job = self.job(step, broker)
        dues = broker.dues(job)
        if self.world.numbering == "link":
            came = step.other if step.other != CLIENT else -1
            load = job.sources[self.source(step), came]
            assert isinstance(load, Carry)
            event = load.event
            dues = [Due(("of", event.publisher), event.number) if came < 0 else Due(("from", came), load.number)]
        elif self.world.numbering == "subscriber":
            dues = [due for due in dues if due.name == f"c{step.other}"]
        (due,) = dues
        assert broker.is_next(job, due), step
        broker.turn(job, due)

    def send(self, step: Step, broker: BrokerNode) -> None:
        job = self.job(step, broker)
        assert not broker.crashed, step
        assert broker.may_pass(job), step
        assert step.other in broker.targets(job), step
        assert step.other not in job.sent, step
        broker.pass_on(job, step.other)

    def ack(self, step: Step, broker: BrokerNode) -> None:
        job = self.job(step, broker)
        assert broker.may_acknowledge(job), step
        broker.acknowledge(job)

    def crash(self, step: Step, broker: BrokerNode) -> None:
        broker.strike("crash")
        self.suspect(step, broker)

    def suspect(self, step: Step, broker: BrokerNode) -> None:
        # What is on its way to it is lost; who hears of it sends again.
        self.held = [(name, what) for name, what in self.held if name != broker.name]
        self.run.brokers[self.setting.sites[step.site].brokers[step.term + 1]].take_over(broker.name)

    # The end.

    def finish(self) -> None:
        """Let everybody do what is left to do, and nobody fail; whoever is behind the times hears of it."""
        self.held += self.behind
        for step, (publisher, topic) in enumerate(self.story.script):
            if step not in self.events:
                self.events[step] = self.run.clients[f"c{publisher}"].publish(topic)
        for site in self.run.sites:
            broker = self.run.brokers[site.active]
            for job in broker.work_on(*broker.jobs.values()):
                broker.conclude(job)
        self._settle(lambda message: True)

    def got(self, member: int) -> list[Event]:
        """What a client has got, in its order."""
        return [one.event for one in self.run._deliveries.get(f"c{member}", ())]

    def shows(self) -> bool:
        """Whether what the story tells has come about."""
        story = self.story
        if story.fault == "lost":
            self.finish()
            return self.events[story.events[0]] not in self.got(story.subscribers[0])
        events = [self.events[event] for event in story.events]
        if story.fault == "twice":
            return self.got(story.subscribers[0]).count(events[0]) > 1
        if story.fault == "number":
            return self._have_one_number(*events)
        first, second = events
        got = [self.got(member) for member in story.subscribers]
        if self.world.order == "fifo":
            return second in got[0] and first not in got[0][: got[0].index(second)]
        return (got[0].index(first) < got[0].index(second)) != (got[1].index(first) < got[1].index(second))

    def _have_one_number(self, one: Event, other: Event) -> bool:
        given: dict[object, set[tuple[Event, int]]] = defaultdict(set)
        for broker in self.run.brokers.values():
            for counter, numbers in broker.memory.given.items():
                for event in (one, other):
                    if carry_key(event) in numbers:
                        given[broker.site, counter].add((event, numbers[carry_key(event)]))
        return any((other, number) in pairs for pairs in given.values() for event, number in pairs if event == one)


def is_event(message: Message) -> bool:
    """Whether it is an event for a broker, which arrives when the chart says so."""
    is_delivery = isinstance(message, Parcel) and message.came < 0 and message.sender.startswith("b")
    return isinstance(message, Parcel) and isinstance(message.load, Carry) and not is_delivery


def key(parcel: Parcel) -> Event | None:
    """The event that it carries."""
    return parcel.load.event if isinstance(parcel.load, Carry) else None


def follow(world: World, story: Story, steps: Iterable[Step]) -> bool:
    """Whether simulated brokers can take these steps, and what the story tells has come about then."""
    chart = Chart(world, story)
    chart.follow(steps)
    return chart.shows()
