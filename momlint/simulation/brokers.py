"""Brokers of a tree of sites: active, standby, suspected, dead; the time that their work takes, and fail-over."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from momlint.simulation.handling import Handler
from momlint.simulation.memory import Job
from momlint.simulation.network import Network
from momlint.simulation.sites import SiteNode
from momlint.simulation.wire import (
    Acknowledgement,
    Alive,
    Answer,
    Ask,
    InHand,
    Load,
    Message,
    Note,
    Parcel,
    Probe,
    Suspicion,
    TakenOver,
    key_of,
)

if TYPE_CHECKING:
    import simpy

#: So many signs of what is in hand go out while a sender waits for one.
_SIGNS: Final = 4


@dataclass(slots=True, eq=False)
class _Arrival:
    """A copy that has come; `over`: whether it has been handled."""

    parcel: Parcel
    over: bool = False


class BrokerNode(Handler):
    """A broker at work. It acts while it is the active one of its site."""

    def __init__(self, name: str, home: SiteNode, network: Network) -> None:
        super().__init__(name, home, network)
        self.crashed = False
        self.frozen = False
        self._notes: deque[Note] = deque()
        self._work: deque[_Arrival] = deque()
        self._wake: simpy.Event = network.env.event()
        network.env.process(self._run())

    @property
    def is_up(self) -> bool:
        """Whether it does anything at all now."""
        return not self.crashed and not self.frozen

    @property
    def acts(self) -> bool:
        """Whether it does anything for others now."""
        return self.home.active == self.name and self.is_up

    def send(self, site: int, load: Load) -> None:
        """Note down that it is to be sent, and send it when it is its turn: a copy takes its time."""
        entry = self.keep(site, load)
        attempt = entry.attempt
        self._copies += 1

        def launch() -> None:
            # It may have been struck in between, or acknowledged.
            if self.acts and self.outbox.get((site, key_of(load))) is entry and entry.attempt == attempt:
                self._launch(site, key_of(load), entry)

        self.network.after(self.network.costs.send * self._copies, launch)

    def reply(self, sender: str, site: int, answer: Answer) -> None:
        """After the copies before it, as `send` does."""
        self._copies += 1
        later = super().reply
        self.network.after(
            self.network.costs.send * self._copies, lambda: later(sender, site, answer) if self.acts else None
        )

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
            arrival = _Arrival(message)
            self._work.append(arrival)
            if not isinstance(message.load, Answer):
                self._sign_later(arrival)
        else:
            self._notes.append(message)
        self._stir()

    def _sign_later(self, arrival: _Arrival) -> None:
        patience = self.network.policy.suspect_after / _SIGNS
        # An answer takes its time, however short the patience is.
        self.network.after(max(patience, self.network.costs.client), lambda: self._sign(arrival), idle=True)

    def _sign(self, arrival: _Arrival) -> None:
        """Say that it is in hand, as long as it is."""
        parcel, job = arrival.parcel, self.jobs.get(key_of(arrival.parcel.load))
        is_done = arrival.over and (job is None or job.acknowledged)
        if is_done or self.crashed or self.home.active != self.name:
            return
        if self.is_up:
            site = parcel.came if parcel.came >= 0 else self.site
            note = InHand(key_of(parcel.load), self.site, self.name)
            self.post(parcel.sender, site, note, "acknowledgements")
        self._sign_later(arrival)

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
                arrival = self._work.popleft()
                yield from self._handle(arrival.parcel)
                arrival.over = True

    def _spend(self, milliseconds: float) -> Generator[simpy.Event, Any, bool]:
        """Let time pass; whether it is still the active broker then, and not crashed."""
        yield self.network.env.timeout(milliseconds)
        while self.frozen and not self.crashed:
            self._wake = self.network.env.event()
            yield self._wake
        return not self.crashed and self.home.active == self.name

    def _handle(self, parcel: Parcel) -> Generator[simpy.Event, Any, None]:
        """Replicate, act, acknowledge, in the order that the design says. A standby takes no events."""
        costs, policy, home = self.network.costs, self.network.policy, self.home
        if home.active != self.name:
            if not isinstance(parcel.load, Answer):
                self._redirect(parcel.sender, parcel.came if parcel.came >= 0 else self.site)
            return
        if policy.acknowledge_first and not isinstance(parcel.load, (Ask, Answer)):
            self.conclude(self.take_in(parcel))
        standbys = home.standbys
        if not (yield from self._spend(costs.handle + (costs.replicate if standbys and policy.replicate else 0.0))):
            return
        self.network.messages["replicas"] += standbys if policy.replicate else 0
        self._copies = self._delivered = 0
        touched = self._act(parcel)
        if (yield from self._spend(costs.pause + costs.send * (self._copies + self._delivered))):
            for job in touched:
                self.conclude(job)

    def _act(self, parcel: Parcel) -> list[Job]:
        """Do all that can be done now that it has come; what it was done for."""
        match parcel.load:
            case Answer():
                jobs = self.answered(parcel)
                return self.work_on(*jobs, *(self.following(jobs[-1])[:1] if jobs else ()))
            case Ask():
                self.question(self.take_in(parcel))
                return []
        return self.work_on(self.take_in(parcel))

    def _redirect(self, sender: str, site: int) -> None:
        """Somebody is behind the times."""
        self.post(sender, site, TakenOver(self.site, self.home.active, self.name), "take-overs")

    # Fail-over.

    def _hear(self, note: Note) -> None:
        match note:
            case Acknowledgement():
                job = self.hear(note) if self.home.active == self.name else None
                if job is not None:
                    self.conclude(job)
            case InHand():
                self.sign(note)
            case Suspicion(suspect):
                self._on_suspicion(note, suspect)
            case TakenOver():
                self._on_taken_over(note)
            case Probe(asker, dead):
                if dead:
                    self.network.say(f"{self.name} → {asker}: not dead")
                self.network.near(asker, Alive(self.name), "probes")
            case Alive(broker):
                self._rehabilitate(broker)

    def _on_suspicion(self, note: Suspicion, suspect: str) -> None:
        home = self.home
        if suspect == home.active and suspect != self.name:
            self.take_over(suspect)
        else:
            self._redirect(note.teller, note.teller_site)

    def take_over(self, suspect: str) -> None:
        """Be the active broker from now on, in place of the suspect, and tell everybody, who then sends again."""
        home, network = self.home, self.network
        network.say(f"{self.name} takes over from {suspect}")
        home.states[suspect] = "suspected"
        home.states[self.name] = "active"
        self.memory = self.predecessor(home.active).memory.inherited(network.policy.replicate)
        home.active = self.name
        home.believed[self.site] = self.name
        self._announce(TakenOver(self.site, self.name, suspect))
        # Whoever probed an earlier suspect may have failed before there was an answer.
        for one in [name for name, state in home.states.items() if state == "suspected"]:
            network.near(one, Probe(self.name), "probes")
            network.after(network.policy.dead_after, partial(self._bury, one))

    def predecessor(self, name: str) -> BrokerNode:
        """The broker of this name."""
        found = self.network.takers[name]
        assert isinstance(found, BrokerNode)
        return found

    def _announce(self, note: TakenOver) -> None:
        """To the site's clients, its other brokers, its parent and its children: to all brokers there, since who is
        active may be news to this one.
        """
        for name in (*self.home.clients, *(name for name in self.home.states if name != self.name)):
            self.network.near(name, note, "take-overs")
        for site in self.network.setting.neighbours[self.site]:
            for name in self.network.setting.sites[site].brokers:
                self.network.far(self.site, site, name, note, "take-overs")

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
                is_news = self.believed[note.site] != note.broker
                self.hear_of(note)
                if is_news:
                    # It may have missed who is active here.
                    self._redirect(note.broker, note.site)
        elif self.home.active != self.name:
            had = self.discard() or bool(self._work)
            self._work.clear()
            if had:
                self.network.say(f"{self.name} discards what it had pending")
