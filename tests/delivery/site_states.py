"""Who is active in one site: the states of its brokers as everybody there sees them, in every interleaving.

The document has four states: active, standby, suspected, dead. A sender that gets no acknowledgement tells the first
standby whom it suspects. The standby becomes active, tells everybody (clients, parent, children, the other brokers, the
suspect), and probes the suspect, which is dead or stands by again; so does its successor where that is not known yet.
Who learns that it was suspected discards what it had pending.

The bounded check (`momlint.delivery.explore`, `smt`) takes all this for one step. Here it is taken apart: messages come
one by one and in any order, a broker may be slow and go on after it was suspected, and several senders may suspect it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias

State: TypeAlias = Literal["active", "standby", "suspected", "dead"]

#: Senders beside the brokers of the site: a client, and the site above.
SENDERS: Final = 2


class View(NamedTuple):
    """What somebody believes of the brokers of a site. `take_overs`: how many it has heard of; the later news counts.

    `settled`: of how many take-overs it has heard what became of the suspect.
    """

    states: tuple[State, ...]
    take_overs: int = 0
    settled: int = 0

    @property
    def active(self) -> int:
        """The broker that is active."""
        return self.states.index("active")

    def first_standby(self) -> int | None:
        """The broker that takes over next; None where nobody is left.

        The one after the active broker, in a ring: who comes back stands behind all who have not been active yet. So
        who comes next does not depend on whether somebody has heard that it is back.
        """
        after = self.active + 1
        ring = (*range(after, len(self.states)), *range(after))
        return next((one for one in ring if self.states[one] == "standby"), None)


class Message(NamedTuple):
    """`warning`: `to` is told that the active broker is suspected. `news`: a view. `probe`, `answer`: who lives."""

    kind: Literal["warning", "news", "probe", "answer"]
    sender: int
    to: int
    view: View


class Site(NamedTuple):
    """Brokers come first, then senders. `pending`: brokers that hold messages to pass on.

    `probing`: suspects that somebody waits for. `failures`: how often one has failed. `slow`: brokers that do nothing.
    """

    views: tuple[View, ...]
    messages: frozenset[Message]
    crashed: frozenset[int]
    slow: frozenset[int]
    pending: frozenset[int]
    probing: frozenset[tuple[int, int]]
    failures: int


def start(brokers: int) -> Site:
    """A site of so many brokers, the first of them active."""
    view = View(("active", *("standby" for _ in range(brokers - 1))))
    return Site((view,) * (brokers + SENDERS), frozenset(), frozenset(), frozenset(), frozenset((0,)), frozenset(), 0)


def following(site: Site, failures: int) -> Iterator[Site]:
    """What may be next, with so many crashes or slow brokers at most."""
    brokers = len(site.views[0].states)
    if site.failures < failures:
        for one in range(brokers):
            # Of the others nobody takes notice.
            if site.views[one].active == one and one not in site.crashed and one not in site.slow:
                failed = site._replace(failures=site.failures + 1)
                yield failed._replace(crashed=site.crashed | {one}, pending=site.pending - {one})
                yield failed._replace(slow=site.slow | {one})
    for one in site.slow:
        yield site._replace(slow=site.slow - {one})
    for one in range(brokers, brokers + SENDERS):
        yield from _warn(site, one)
    # In one order: a hash of text is another one in every process, and random ways would be.
    for message in sorted(site.messages):
        left = site._replace(messages=site.messages - {message})
        if message.to in site.crashed:
            yield left
        elif message.to not in site.slow:
            yield _receive(left, message)
    for prober, suspect in site.probing:
        if prober not in site.crashed and prober not in site.slow:
            # No answer in time, whether or not one is on its way.
            yield _judge(site, prober, suspect, "dead")


def _warn(site: Site, one: int) -> Iterator[Site]:
    """A sender gets no acknowledgement of the broker that it believes active, and tells the first standby."""
    view = site.views[one]
    active, heir = view.active, view.first_standby()
    silent = active in site.crashed or active in site.slow
    if silent and heir is not None:
        warning = Message("warning", one, heir, view)
        if warning not in site.messages:
            yield site._replace(messages=site.messages | {warning})


def _receive(site: Site, message: Message) -> Site:
    mine = site.views[message.to]
    if message.kind == "warning":
        # Whoever has heard of a later take-over than the sender tells it so; whoever has not heard yet waits.
        if message.view.take_overs < mine.take_overs:
            return _send(site, Message("news", message.to, message.sender, mine))
        if message.view.take_overs > mine.take_overs:
            return site
        return _take_over(site, message.to)
    if message.kind == "probe":
        return _send(
            _believe(site, message.to, message.view), Message("answer", message.to, message.sender, message.view)
        )
    if message.kind == "answer":
        return _judge(site, message.to, message.sender, "standby")
    return _believe(site, message.to, message.view)


def _take_over(site: Site, heir: int) -> Site:
    """The standby becomes active, and its predecessor is suspected."""
    view = site.views[heir]
    suspect = view.active
    if suspect == heir:
        return site
    states = list(view.states)
    states[suspect], states[heir] = "suspected", "active"
    after = View(tuple(states), view.take_overs + 1, view.settled)
    # Whoever probed an earlier suspect may have failed before there was an answer.
    suspects = [one for one, state in enumerate(states) if state == "suspected"]
    probing = site.probing | {(heir, one) for one in suspects}
    site = _tell(_set(site, heir, after)._replace(pending=site.pending | {heir}, probing=probing), heir)
    for one in suspects:
        site = _send(site, Message("probe", heir, one, after))
    return site


def _judge(site: Site, prober: int, suspect: int, state: State) -> Site:
    """What became of a suspect, and everybody is told."""
    view = site.views[prober]
    if view.active != prober or view.states[suspect] not in ("suspected", "dead") or view.states[suspect] == state:
        return site._replace(probing=site.probing - {(prober, suspect)})
    states = list(view.states)
    states[suspect] = state
    site = _set(site, prober, View(tuple(states), view.take_overs, view.settled + 1))
    return _tell(site._replace(probing=site.probing - {(prober, suspect)}), prober)


def _believe(site: Site, one: int, view: View) -> Site:
    """Take news that are later than one's own; a broker that is not active by them discards what it had pending."""
    mine = site.views[one]
    if (view.take_overs, view.settled) <= (mine.take_overs, mine.settled):
        return site
    site = _set(site, one, view)
    brokers = len(view.states)
    if one < brokers and view.active != one:
        gone = frozenset(pair for pair in site.probing if pair[0] == one)
        site = site._replace(pending=site.pending - {one}, probing=site.probing - gone)
        if view.states[one] == "dead":
            # It lives, and says so.
            site = _send(site, Message("answer", one, view.active, view))
    return site


def _tell(site: Site, one: int) -> Site:
    view = site.views[one]
    news = {Message("news", one, other, view) for other in range(len(site.views)) if other != one}
    return site._replace(messages=site.messages | news)


def _send(site: Site, message: Message) -> Site:
    return site._replace(messages=site.messages | {message})


def _set(site: Site, one: int, view: View) -> Site:
    return site._replace(views=(*site.views[:one], view, *site.views[one + 1 :]))


class Wrong(NamedTuple):
    """What does not hold in a site where messages have settled, and the moments that lead there."""

    what: str
    way: tuple[Site, ...]


def faults(site: Site) -> Iterator[str]:
    """What is wrong once nothing is on its way and nobody is slow."""
    brokers = len(site.views[0].states)
    living = [one for one in range(brokers) if one not in site.crashed]
    active = [one for one in living if site.views[one].active == one]
    if len(active) != 1:
        yield f"{len(active)} brokers are active"
        return
    true = site.views[active[0]]
    for one, view in enumerate(site.views):
        if one not in site.crashed and view.states != true.states:
            yield f"{one} was not told"
    if site.pending - site.crashed != set(active):
        yield "a broker that is not active has something pending"
    for one in range(brokers):
        if (true.states[one] == "dead") != (one in site.crashed):
            yield f"{one} is {true.states[one]} for the others"


def is_settled(site: Site) -> bool:
    """Whether nothing is on its way, nobody is slow or waits, and no sender waits for a broker that has crashed."""
    brokers = len(site.views[0].states)
    silent = any(site.views[one].active in site.crashed for one in range(brokers, len(site.views)))
    return not (site.messages or site.slow or site.probing or silent)


def tidied(site: Site) -> Site:
    """Without messages that change nothing whenever they come, and with senders in one order: they are alike.

    Nobody takes news that are no later than what is known, and what is known only gets later.
    """
    brokers = len(site.views[0].states)

    def is_late(message: Message) -> bool:
        known = site.views[message.to]
        is_old = (message.view.take_overs, message.view.settled) <= (known.take_overs, known.settled)
        return message.to in site.crashed or (message.kind == "news" and is_old)

    messages = [message for message in site.messages if not is_late(message)]

    def look(sender: int) -> tuple[object, ...]:
        """What tells a sender from another one."""
        own = (one for one in messages if sender in (one.sender, one.to))
        return site.views[sender], sorted(
            (one.kind, one.sender == sender, min(one.sender, one.to), one.view) for one in own
        )

    ordered = sorted(range(brokers, brokers + SENDERS), key=look)
    place = {sender: brokers + number for number, sender in enumerate(ordered)}
    views = (*site.views[:brokers], *(site.views[sender] for sender in ordered))
    moved = (one._replace(sender=place.get(one.sender, one.sender), to=place.get(one.to, one.to)) for one in messages)
    return site._replace(views=views, messages=frozenset(moved))


def search(
    brokers: int, failures: int, most: int = 1_000_000, tidy: Callable[[Site], Site] = tidied
) -> tuple[Wrong | None, int]:
    """The first thing that is wrong, and how many states were looked at. Raises `OverflowError` beyond `most`."""
    first = start(brokers)
    come_from: dict[Site, Site | None] = {first: None}
    waiting = deque([first])
    while waiting:
        site = waiting.popleft()
        if is_settled(site):
            for what in faults(site):
                way: list[Site] = []
                at: Site | None = site
                while at is not None:
                    way.append(at)
                    at = come_from[at]
                return Wrong(what, tuple(reversed(way))), len(come_from)
        for after in map(tidy, following(site, failures)):
            if after not in come_from:
                come_from[after] = site
                waiting.append(after)
                if len(come_from) > most:
                    raise OverflowError(f"more than {most:,} states")
    return None, len(come_from)


def back_again(brokers: int) -> Site:
    """A site whose first broker was slow, and stands by again: news of either are on their way to everybody."""
    site = _take_over(start(brokers)._replace(slow=frozenset((0,)), failures=1), 1)._replace(slow=frozenset())
    for kind, to in (("probe", 0), ("answer", 1)):
        (message,) = [one for one in site.messages if (one.kind, one.to) == (kind, to)]
        site = _receive(site._replace(messages=site.messages - {message}), message)
    return site


def walk(site: Site, failures: int, random: Random, most: int = 2_000) -> list[str] | None:
    """What is wrong at the end of one way through a larger site; None where it has not settled after `most` steps."""
    for _ in range(most):
        if is_settled(site) and site.failures == failures:
            return list(faults(site))
        ways = list(following(site, failures))
        if not ways:
            return list(faults(site))
        site = tidied(random.choice(ways))
    return None
