"""Brokers of a tree of sites: active, standby, suspected, dead; flooding or filtering; no, FIFO or total order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from momlint.simulation.memory import Memory, Sent
from momlint.simulation.network import Network
from momlint.simulation.sending import Sender
from momlint.simulation.wire import (
    Acknowledgement,
    Alive,
    Answer,
    Ask,
    Carry,
    Event,
    Load,
    Message,
    Note,
    Parcel,
    Probe,
    Subscription,
    Suspicion,
    TakenOver,
    key_of,
)

if TYPE_CHECKING:
    import simpy

State: TypeAlias = Literal["active", "standby", "suspected", "dead"]


class SiteNode:
    """A site: its brokers in take-over order, which of them is active, and what the active one knows.

    To take over is one step in which all brokers of the site take part: there are never two active ones.
    `heard` is called where a site learns of a subscription.
    """

    def __init__(self, index: int, network: Network, heard: Callable[[int, Subscription], None]) -> None:
        self.index = index
        self.network = network
        self.heard = heard
        names = network.setting.sites[index].brokers
        self.active = names[0]
        self.states: dict[str, State] = dict.fromkeys(names, "standby")
        self.states[names[0]] = "active"
        self.memory = Memory()
        #: Whom the site takes for the active broker of its neighbours, and of itself.
        self.believed = {
            other: network.setting.sites[other].brokers[0] for other in (index, *network.setting.neighbours[index])
        }
        self.clients = [client.name for client in network.setting.clients if client.site == index]

        #: The site's brokers by name, in take-over order.
        self.nodes: dict[str, BrokerNode] = {}
        self._watching = False
        self._answered = 0.0

    def watch(self) -> None:
        """A standby that knows of something unfinished looks after the active broker, which may have crashed with it.

        Nobody else would: whoever sent it has been acknowledged. It asks when something is older than a suspicion
        takes, and takes over when there is no answer for as long.
        """
        if not self._watching and "seen" in self.network.policy.replicate and len(self.states) > 1:
            self._watching = True
            self.network.after(self.network.policy.suspect_after, self._look)

    def _look(self, probed: tuple[str, float] | None = None) -> None:
        now, patience = self.network.env.now, self.network.policy.suspect_after
        outbox = self.memory.seen.outbox
        standby = next((one for name, one in self.nodes.items() if self.states[name] == "standby" and one.is_up), None)
        if not outbox or standby is None:
            self._watching = False
            return
        if probed is not None and probed[0] == self.active and self._answered < probed[1]:
            standby.take_over(self.active)
            probed = None
        elif any(now - entry.since >= patience for entry in outbox.values()):
            self.network.near(self.active, Probe(standby.name), "probes")
            probed = self.active, now
        else:
            probed = None
        # An answer takes its time, however short the patience is.
        self.network.after(max(patience, 4 * self.network.costs.client), lambda: self._look(probed))

    def answered(self, broker: str) -> None:
        """A broker of the site says that it is there."""
        if broker == self.active:
            self._answered = self.network.env.now

    @property
    def standbys(self) -> int:
        """How many brokers have to be given what the active one knows."""
        return sum(state == "standby" for state in self.states.values())


class BrokerNode(Sender):
    """A broker. What it knows is the site's, while it is the active one."""

    def __init__(self, name: str, home: SiteNode, network: Network) -> None:
        super().__init__(name, home.index, network)
        self.home = home
        self.crashed = False
        self.frozen = False
        self._notes: deque[Note] = deque()
        self._work: deque[Parcel] = deque()
        self._wake: simpy.Event = network.env.event()
        #: Copies that what is handled now has led to so far.
        self._copies = 0
        home.nodes[name] = self
        network.env.process(self._run())

    @property
    def is_up(self) -> bool:
        """Whether it does anything at all now."""
        return not self.crashed and not self.frozen

    def send(self, site: int, load: Load) -> None:
        """Note down that it is to be sent, and send it when it is its turn: a copy takes its time."""
        entry = self.keep(site, load)
        attempt = entry.attempt
        self._copies += 1
        self.home.watch()

        def launch() -> None:
            # It may have been struck in between, or acknowledged.
            if self.acts and self.outbox.get((site, key_of(load))) is entry and entry.attempt == attempt:
                self._launch(site, key_of(load), entry)

        self.network.after(self.network.costs.send * self._copies, launch)

    @property
    def outbox(self) -> dict[tuple[int, Hashable], Sent]:
        """The site's."""
        return self.home.memory.seen.outbox

    @property
    def believed(self) -> dict[int, str]:
        """The site's."""
        return self.home.believed

    @property
    def acts(self) -> bool:
        """Whether it does anything for others now."""
        return self.home.active == self.name and self.is_up

    @property
    def is_broker(self) -> bool:
        """It is one."""
        return True

    def strike(self, what: Literal["crash", "freeze", "unfreeze"]) -> None:
        """It stops for ever, or until it is let go on. What does not change anything is nothing."""
        if self.crashed:
            return
        words = {"crash": "crashes", "freeze": "freezes", "unfreeze": "goes on"}
        self.network.say(f"{self.name} {words[what]}")
        self.crashed = what == "crash"
        self.frozen = what == "freeze"
        if what == "unfreeze" and self.acts:
            # Its timers have been silent meanwhile.
            self.resend()
        self._stir()

    def take(self, message: Message) -> None:
        """A message arrives; what comes to a crashed broker is gone."""
        if self.crashed:
            return
        if isinstance(message, Parcel):
            self._work.append(message)
        else:
            self._notes.append(message)
        self._stir()

    def _stir(self) -> None:
        if not self._wake.triggered:
            self._wake.succeed()

    def _run(self) -> Generator[simpy.Event, Any, None]:
        while not self.crashed:
            if self.frozen or not (self._notes or self._work):
                self._wake = self.network.env.event()
                yield self._wake
            elif self._notes:
                # News of the site before events: a broker that was suspected must not act on what it had pending.
                self._hear(self._notes.popleft())
            else:
                yield from self._handle(self._work.popleft())

    def _spend(self, milliseconds: float) -> Generator[simpy.Event, Any, bool]:
        """Let time pass; whether it is still the active broker then, and not crashed."""
        yield self.network.env.timeout(milliseconds)
        while self.frozen and not self.crashed:
            self._wake = self.network.env.event()
            yield self._wake
        return not self.crashed and self.home.active == self.name

    def _handle(self, parcel: Parcel) -> Generator[simpy.Event, Any, None]:
        """Replicate, act, acknowledge, in the order that the design says. A standby takes no events."""
        if self.home.active != self.name:
            return
        costs, policy, home = self.network.costs, self.network.policy, self.home
        if policy.acknowledge_first:
            self._acknowledge(parcel)
        standbys = home.standbys
        if not (yield from self._spend(costs.handle + (costs.replicate if standbys and policy.replicate else 0.0))):
            return
        self.network.messages["replicas"] += standbys if policy.replicate else 0
        self._copies = 0
        self._act(parcel)
        if (yield from self._spend(costs.pause + costs.send * self._copies)) and not policy.acknowledge_first:
            self._acknowledge(parcel)

    def _acknowledge(self, parcel: Parcel) -> None:
        site = parcel.came if parcel.came >= 0 else self.site
        note = Acknowledgement(key_of(parcel.load), self.site)
        self.post(parcel.sender, site, note, "acknowledgements")

    # What it does with events, questions and subscriptions.

    def _act(self, parcel: Parcel) -> None:
        match parcel.load:
            case Subscription():
                self._on_subscription(parcel.load, parcel.came)
            case Carry():
                self._on_event(parcel.load, parcel.came)
            case Ask():
                self._on_question(parcel.load)
            case Answer():
                self._on_answer(parcel.load)

    def _on_subscription(self, load: Subscription, came: int) -> None:
        memory = self.home.memory
        if key_of(load) in memory.seen.keys:
            return
        memory.seen.keys.add(key_of(load))
        if memory.subscriptions.get((load.client, load.topic), (0, False))[0] < load.version:
            memory.subscriptions[load.client, load.topic] = load.version, load.wanted
        self.home.heard(self.site, load)
        for site in self.network.setting.neighbours[self.site]:
            if site != came:
                self.send(site, load)

    def _on_event(self, carry: Carry, came: int) -> None:
        seen, policy = self.home.memory.seen, self.network.policy
        if key_of(carry) in seen.keys:
            if policy.numbering == "link" and came >= 0:
                # It was numbered anew: the number is counted, and nothing more.
                self._in_turn(("link", came), carry.number, None)
            return
        seen.keys.add(key_of(carry))
        event = carry.event
        if came < 0:
            if policy.order == "none":
                self._set_out(carry)
            elif policy.numbering == "publisher":
                self._set_out(Carry(event, event.number))
            else:
                self._in_turn(("publisher", event.publisher), event.number, (carry, came))
        elif policy.numbering == "link":
            self._in_turn(("link", came), carry.number, (carry, came))
        else:
            self._pass_on(carry, came)
            self._due(carry, came)

    def _set_out(self, carry: Carry) -> None:
        """An event of a publisher here goes on its way."""
        self._pass_on(carry, -1)
        self._due(carry, -1)

    def _due(self, carry: Carry, came: int) -> None:
        """Deliver it here when its turn has come."""
        policy = self.network.policy
        if policy.order == "none":
            self._deliver(carry.event)
        elif policy.numbering == "publisher":
            self._in_turn(("turn", carry.event.publisher), carry.number, (carry, came))
        elif policy.numbering == "sequencer":
            self._in_turn(("turn",), carry.number, (carry, came))
        else:
            for name, number in carry.numbers:
                if name in self.home.clients:
                    self._in_turn(("turn of", name), number, (carry, came))

    def _in_turn(self, turn: tuple[str | int, ...], number: int, item: tuple[Carry, int] | None) -> None:
        """Do what is to be done when all before `number` have come; None: nothing but count."""
        memory = self.home.memory
        held = memory.seen.held.setdefault(turn, {})
        if number <= memory.counters.get(turn, 0):
            return
        held[number] = item
        while (following := memory.counters.get(turn, 0) + 1) in held:
            memory.counters[turn] = following
            released = held.pop(following)
            if released is not None:
                self._release(turn, *released)

    def _release(self, turn: tuple[str | int, ...], carry: Carry, came: int) -> None:
        match turn[0]:
            case "turn":
                self._deliver(carry.event)
            case "turn of":
                self._deliver_to(str(turn[1]), carry.event)
            case "link":
                self._pass_on(carry, came)
                self._deliver(carry.event)
            case "publisher" if self.network.policy.order == "total":
                self._ask(carry.event)
            case "publisher":
                self._pass_on(carry, -1)
                self._deliver(carry.event)
            case "asked":
                self._assign(carry.event, came, tuple(name for name, _ in carry.numbers))

    def _deliver(self, event: Event) -> None:
        for name in self.home.clients:
            self._deliver_to(name, event)

    def _deliver_to(self, name: str, event: Event) -> None:
        if self.home.memory.wants(name, event.topic):
            self._copies += 1
            self.network.say(f"{self.name} → {name}: {event.topic}{event.number} of {event.publisher}")
            self.network.near(name, Parcel(Carry(event), self.name, -1), "deliveries")

    def _pass_on(self, carry: Carry, came: int) -> None:
        setting, policy, memory = self.network.setting, self.network.policy, self.home.memory
        others = [site for site in setting.neighbours[self.site] if site != came]
        if policy.filtering:
            goals = self._goals(carry)
            others = [site for site in others if any(setting.towards[self.site][goal] == site for goal in goals)]
        for site in others:
            sent = carry
            if policy.numbering == "link":
                turn = ("to", site)
                memory.counters[turn] = memory.counters.get(turn, 0) + 1
                sent = Carry(carry.event, memory.counters[turn])
            self.send(site, sent)

    def _goals(self, carry: Carry) -> set[int]:
        """The sites that it is for, other than this one."""
        memory = self.home.memory
        names: Iterable[str]
        if self.network.policy.numbering == "subscriber":
            names = (name for name, _ in carry.numbers)
        else:
            topic = carry.event.topic
            names = (name for (name, one), (_, wanted) in memory.subscriptions.items() if one == topic and wanted)
        return {self.network.sites_of[name] for name in names} - {self.site}

    # Total order: numbers from the sequencer's site.

    def _ask(self, event: Event) -> None:
        memory, policy = self.home.memory, self.network.policy
        interested: tuple[str, ...] = ()
        if policy.numbering == "subscriber":
            # In the order of the estate, so that nothing depends on when subscriptions came.
            wanting = (client.name for client in self.network.setting.clients)
            interested = tuple(name for name in wanting if memory.wants(name, event.topic))
        memory.seen.asked[event.publisher, event.number] = event
        ask = Ask(event, self.site, interested)
        if policy.sequencer == self.site:
            self._on_question(ask)
        else:
            self.send(self.network.setting.towards[self.site][policy.sequencer], ask)

    def _on_question(self, ask: Ask) -> None:
        policy, seen = self.network.policy, self.home.memory.seen
        if policy.sequencer != self.site:
            self.send(self.network.setting.towards[self.site][policy.sequencer], ask)
            return
        event = ask.event
        assigned = seen.assigned.get((event.publisher, event.number))
        if assigned is not None:
            self._on_answer(Answer(event, ask.origin, *assigned))
            return
        names = tuple((name, 0) for name in ask.interested)
        self._in_turn(("asked", event.publisher), event.number, (Carry(event, 0, names), ask.origin))

    def _assign(self, event: Event, origin: int, interested: tuple[str, ...]) -> None:
        memory = self.home.memory

        def following(counter: tuple[str, ...]) -> int:
            memory.counters[counter] = memory.counters.get(counter, 0) + 1
            return memory.counters[counter]

        if self.network.policy.numbering == "subscriber":
            given = 0, tuple((name, following(("given", name))) for name in interested)
        else:
            given = following(("given",)), ()
        memory.seen.assigned[event.publisher, event.number] = given
        self._on_answer(Answer(event, origin, *given))

    def _on_answer(self, answer: Answer) -> None:
        if answer.origin != self.site:
            self.send(self.network.setting.towards[self.site][answer.origin], answer)
            return
        event = self.home.memory.seen.asked.pop((answer.event.publisher, answer.event.number), None)
        if event is not None:
            self._set_out(Carry(event, answer.number, answer.numbers))

    # Fail-over.

    def _hear(self, note: Note) -> None:
        match note:
            case Acknowledgement(key, site):
                if self.home.active == self.name:
                    self.outbox.pop((site, key), None)
            case Suspicion(suspect):
                self._on_suspicion(note, suspect)
            case TakenOver():
                self._on_taken_over(note)
            case Probe(asker, dead):
                if dead:
                    self.network.say(f"{self.name} → {asker}: not dead")
                self.network.near(asker, Alive(self.name), "probes")
            case Alive(broker):
                self.home.answered(broker)
                self._rehabilitate(broker)

    def _on_suspicion(self, note: Suspicion, suspect: str) -> None:
        home = self.home
        if suspect == home.active and suspect != self.name:
            self.take_over(suspect)
        else:
            # The teller is behind the times.
            self.post(note.teller, note.teller_site, TakenOver(self.site, home.active, suspect), "take-overs")

    def take_over(self, suspect: str) -> None:
        """Be the active broker from now on, in place of the suspect: tell everybody, and finish what is unfinished."""
        home, network = self.home, self.network
        network.say(f"{self.name} takes over from {suspect}")
        home.states[suspect] = "suspected"
        home.states[self.name] = "active"
        home.active = self.name
        home.believed[self.site] = self.name
        home.memory = home.memory.inherited(network.policy.replicate)
        self._announce(TakenOver(self.site, self.name, suspect))
        network.near(suspect, Probe(self.name), "probes")
        network.after(network.policy.dead_after, lambda: self._bury(suspect))
        # What the suspect sent may have gone astray with it.
        self.resend()

    def _announce(self, note: TakenOver) -> None:
        """To the site's clients, its other brokers, its parent and its children."""
        for name in (*self.home.clients, *(name for name in self.home.states if name != self.name)):
            self.network.near(name, note, "take-overs")
        for site in self.network.setting.neighbours[self.site]:
            self.network.far(self.site, site, self.believed[site], note, "take-overs")

    def _bury(self, suspect: str) -> None:
        home = self.home
        if home.states[suspect] == "suspected" and self.acts:
            home.states[suspect] = "dead"
            self.network.say(f"{self.name} counts {suspect} as dead")
            self.network.near(suspect, Probe(self.name, dead=True), "probes")

    def _rehabilitate(self, broker: str) -> None:
        if self.home.states[broker] in ("suspected", "dead"):
            self.home.states[broker] = "standby"
            self.network.say(f"{broker} stands by")

    def _on_taken_over(self, note: TakenOver) -> None:
        if note.site != self.site:
            if self.home.active == self.name:
                self.hear_of(note)
        elif self.home.active != self.name and self._work:
            self.network.say(f"{self.name} discards what it had pending")
            self._work.clear()
