"""Sending until it is acknowledged, and telling a standby where it is not: what clients and brokers have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable

from momlint.simulation.memory import Sent
from momlint.simulation.network import Network
from momlint.simulation.wire import Ask, InHand, Load, Note, Parcel, Suspicion, TakenOver, key_of, kind_of, said

#: So often all brokers of a site are asked before a sender gives up on it.
ROUNDS = 10
#: Milliseconds that are none.
_INSTANT = 1e-6


class Sender(ABC):
    """One who sends to sites. `site`: its own. A broker overrides where its outbox is and whether it acts at all."""

    def __init__(self, name: str, site: int, network: Network) -> None:
        self.name = name
        self.site = site
        self.network = network
        self._outbox: dict[tuple[int, Hashable], Sent] = {}
        #: Of sites that do not answer: which of their brokers were told, and how often all of them were.
        self._told: dict[int, tuple[list[str], int]] = {}

    @property
    def outbox(self) -> dict[tuple[int, Hashable], Sent]:
        """Sent and not acknowledged."""
        return self._outbox

    @property
    @abstractmethod
    def believed(self) -> dict[int, str]:
        """Whom it takes for the active broker of each site."""

    @property
    def acts(self) -> bool:
        """Whether it does anything at all now."""
        return True

    def post(self, name: str, site: int, note: Note | Parcel, kind: str) -> None:
        """Send it to somebody of the site: of its own, or of a neighbouring one."""
        if site == self.site:
            self.network.near(name, note, kind)
        else:
            self.network.far(self.site, site, name, note, kind)

    def send(self, site: int, load: Load) -> None:
        """Send it to the active broker of the site, and keep it until it is acknowledged."""
        self._launch(site, key_of(load), self.keep(site, load))

    def keep(self, site: int, load: Load) -> Sent:
        """Note down that it is to be sent."""
        entry = self.outbox.setdefault((site, key_of(load)), Sent(load, self.network.env.now))
        # With numbers anew it may be another load under the same key.
        entry.load = load
        return entry

    def _launch(self, site: int, key: Hashable, entry: Sent) -> None:
        entry.attempt += 1
        attempt = entry.attempt
        entry.sign = self.network.env.now
        broker = self.believed[site]
        self.network.say(f"{self.name} → {broker}: {said(entry.load)}")
        parcel = Parcel(entry.load, self.name, self.site if self.is_broker else -1)
        self.post(broker, site, parcel, kind_of(entry.load))
        self._wait(site, key, attempt, self.network.policy.suspect_after)

    def _wait(self, site: int, key: Hashable, attempt: int, patience: float) -> None:
        self.network.after(patience, lambda: self._late(site, key, attempt), idle=True)

    @property
    def is_broker(self) -> bool:
        """Whether what it sends comes from a site and not from a client."""
        return False

    def _late(self, site: int, key: Hashable, attempt: int) -> None:
        """Suspect the receiver if there was no sign of it for as long as that takes."""
        entry = self.outbox.get((site, key))
        if entry is None or entry.attempt != attempt or not self.acts:
            return
        patience = self.network.policy.suspect_after
        left = entry.sign + patience - self.network.env.now
        self._wait(site, key, attempt, left if left > _INSTANT else patience)
        if left <= _INSTANT and site not in self._told:
            self._told[site] = ([], 0)
            self._suspect(site)

    def sign(self, note: InHand) -> None:
        """The receiver of something is at work on it."""
        entry = self.outbox.get((note.site, note.key))
        if entry is not None and self.believed[note.site] == note.broker:
            entry.sign = self.network.env.now
            self._told.pop(note.site, None)

    def _suspect(self, site: int) -> None:
        """Tell the next standby that the active broker does not answer, until something changes."""
        if site not in self._told or not self.acts:
            self._told.pop(site, None)
            return
        if not any(to == site for to, _ in self.outbox):
            del self._told[site]
            return
        told, rounds = self._told[site]
        suspect = self.believed[site]
        brokers = self.network.setting.sites[site].brokers
        after = brokers.index(suspect) + 1
        rest = [one for one in (*brokers[after:], *brokers[:after]) if one not in told]
        if rest[0] == suspect:
            # All others were told: perhaps it is back by now.
            rounds += 1
            if rounds >= ROUNDS:
                self.network.say(f"{self.name} gives up on {self.network.setting.sites[site].name}: nobody answers")
                self._forget(site)
                del self._told[site]
                return
            self._told[site] = ([], rounds)
            if self.network.policy.retransmit:
                self.resend(site)
        else:
            self._told[site] = ([*told, rest[0]], rounds)
            self.network.say(f"{self.name} → {rest[0]}: {suspect} does not answer")
            self.post(rest[0], site, Suspicion(suspect, self.name, self.site), "suspicions")
        self.network.after(self.network.policy.suspect_after, lambda: self._suspect(site))

    def resend(self, site: int | None = None) -> None:
        """Send again what was not acknowledged, to one site or to all, in the order in which it was sent."""
        for (to, key), entry in list(self.outbox.items()):
            if site is None or to == site:
                self._launch(to, key, entry)

    def hear_of(self, note: TakenOver) -> None:
        """A site has another active broker: what it has not acknowledged is sent again, or is gone."""
        self._told.pop(note.site, None)
        if self.believed.get(note.site) == note.broker and note.site != self.site:
            return
        self.believed[note.site] = note.broker
        if not self.network.policy.retransmit:
            # A number is asked for until it is known.
            self._forget(note.site, but=Ask)
        self.resend(note.site)

    def _forget(self, site: int, but: type[Load] | None = None) -> None:
        for key, entry in list(self.outbox.items()):
            if key[0] == site and (but is None or not isinstance(entry.load, but)):
                del self.outbox[key]
                self.forgotten(site, entry)

    @abstractmethod
    def forgotten(self, site: int, entry: Sent) -> None:
        """It will not be sent again, whether it has arrived or not."""
