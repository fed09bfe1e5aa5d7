"""A story step by step, on brokers that do as docs/simulation.md says; nothing is told that does not replay.

Whole brokers and whole messages, one run, nothing left out; it shares the form with the searches, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from momlint.errors import ReplayError
from momlint.routed.flooding.world import LARGEST, Element, Step, Story, World


@dataclass(slots=True)
class Notice:
    """What a broker tells of its links: its number, and those that others take for dead then."""

    origin: int
    version: int
    number: int
    dead: frozenset[int]


@dataclass(slots=True)
class _Message:
    """Under way; `port`: where the notice went out, also of an acknowledgement."""

    notice: Notice
    port: int
    is_answer: bool


@dataclass(slots=True)
class _Broker:
    """`numbers`: the newest that it knows of each broker; `beliefs`: what of its links each says is dead."""

    numbers: list[int]
    beliefs: list[frozenset[int]]
    shut: set[int] = field(default_factory=set)
    waiting: dict[tuple[int, int], Notice] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


class Told(NamedTuple):
    """A step, the notice that it is about, and whether it was news to who took it."""

    step: Step
    notice: Notice | None
    news: bool


class Ending(NamedTuple):
    """`colours`: what each broker holds, None where it has failed; `right`: what it should hold, None where there is
    no colour of all that it can know, and any will do that all hold. `planned`: whether what has failed has a colour.

    `parts`: brokers that are connected. `waiting`: (port, notice) that nobody will ever acknowledge.
    """

    colours: tuple[int | None, ...]
    right: tuple[int | None, ...]
    parts: tuple[tuple[int, ...], ...]
    planned: bool
    waiting: tuple[tuple[int, Notice], ...]


class Run:
    """A run of a world."""

    def __init__(self, world: World, numbers: tuple[int, ...]) -> None:
        self.world = world
        self.brokers = [_Broker(list(numbers), [frozenset()] * world.n) for _ in range(world.n)]
        self.failed: set[Element] = set()
        self.air: list[_Message] = []
        self.struck = 0
        self.lost = 0
        self.done = 0

    def _require(self, holds: bool, step: Step, why: str) -> None:
        if not holds:
            raise ReplayError(f"step {self.done}, {step.kind} of {step.origin}.{step.version}: {why}")

    def carries(self, port: int) -> bool:
        """Whether the link of a port works."""
        link = port // 2
        ends = self.world.links[link]
        return not self.failed & {Element(True, link), Element(False, ends[0]), Element(False, ends[1])}

    def do(self, step: Step) -> Told:
        """Take one step. Raises `ReplayError` where it cannot be taken."""
        self.done += 1
        notice, news = None, False
        if step.kind == "strike":
            self._strike(step)
        elif step.kind == "notice":
            notice = self._notice(step)
        elif step.kind == "send":
            notice = self._send(step)
        else:
            is_answer = step.kind in ("answered", "unanswered")
            message = next((one for one in self.air if self._is(one, step, is_answer)), None)
            self._require(message is not None, step, "it is not under way")
            assert message is not None
            notice = message.notice
            self.air.remove(message)
            if step.kind == "arrive":
                news = self._arrive(message)
            elif step.kind == "answered":
                self._answered(message)
            else:
                self.lost += 1
                sure = step.kind == "lose" and self.world.manners.retransmit
                self._require(not sure and self.lost <= self.world.bound.losses, step, "too much is lost")
        return Told(step, notice, news)

    @staticmethod
    def _is(one: _Message, step: Step, is_answer: bool) -> bool:
        of = (one.port, one.notice.origin, one.notice.version, one.is_answer)
        return of == (step.port, step.origin, step.version, is_answer)

    def _strike(self, step: Step) -> None:
        self.struck += 1
        self._require(self.struck <= self.world.bound.failures, step, "too much fails")
        self._require(step.element in self.world.elements, step, "that cannot fail")
        assert step.element is not None
        self.failed ^= {step.element}
        self.air = [one for one in self.air if self.carries(one.port)]

    def _notice(self, step: Step) -> Notice:
        me = self.world.end(step.port)
        broker = self.brokers[me]
        shut = step.port in broker.shut
        self._require(Element(False, me) not in self.failed, step, "its broker has failed")
        self._require(self.carries(step.port) == shut, step, "there is nothing to notice")
        if shut:
            broker.shut.remove(step.port)
        else:
            broker.shut.add(step.port)
            if not self.world.manners.keep:
                broker.waiting = {key: one for key, one in broker.waiting.items() if key[0] != step.port}
        number = broker.numbers[me] + 1 if broker.numbers[me] < LARGEST else 1
        broker.numbers[me] = number
        dead = self.world.told(me, frozenset(port // 2 for port in broker.shut))
        notice = Notice(me, len(broker.notices) + 1, number, dead)
        self._require((step.origin, step.version) == (me, notice.version), step, "it is another notice")
        broker.notices.append(notice)
        for port in self.world.ports[me]:
            self._tell(port, notice)
        if shut and not self.world.manners.retransmit:
            for (port, _), other in broker.waiting.items():
                if port == step.port and other is not notice:
                    self.air.append(_Message(other, port, False))
        return notice

    def _tell(self, port: int, notice: Notice) -> None:
        broker = self.brokers[self.world.end(port)]
        is_open = port not in broker.shut
        if is_open or self.world.manners.keep:
            broker.waiting[port, notice.origin] = notice
        if is_open and not self.world.manners.retransmit and self.carries(port):
            self.air.append(_Message(notice, port, False))

    def _send(self, step: Step) -> Notice:
        broker = self.brokers[self.world.end(step.port)]
        notice = broker.waiting.get((step.port, step.origin))
        self._require(notice is not None and notice.version == step.version, step, "it does not wait there")
        self._require(self.world.manners.retransmit, step, "nothing is sent again")
        self._require(step.port not in broker.shut and self.carries(step.port), step, "the link is dead")
        assert notice is not None
        self.air.append(_Message(notice, step.port, False))
        return notice

    def _is_news(self, broker: int, notice: Notice) -> bool:
        if broker == notice.origin:
            return False
        known = self.brokers[broker].numbers[notice.origin]
        if self.world.manners.wrap == "naive":
            return notice.number > known
        # The shorter way round, as RFC 1982.
        ahead = notice.number - known if notice.number >= known else notice.number - known + LARGEST
        return 1 <= ahead <= LARGEST // 2

    def _arrive(self, message: _Message) -> bool:
        notice = message.notice
        there = message.port ^ 1
        me = self.world.end(there)
        news = self._is_news(me, notice)
        acknowledge = self.world.manners.acknowledge
        if acknowledge == "always" or (acknowledge == "new" and news):
            self.air.append(_Message(notice, message.port, True))
        if news:
            self.brokers[me].numbers[notice.origin] = notice.number
            for port in self.world.ports[me]:
                if port != there:
                    self._tell(port, notice)
        if me != notice.origin and (news or not self.world.manners.newest):
            self.brokers[me].beliefs[notice.origin] = notice.dead
        return news

    def _answered(self, message: _Message) -> None:
        broker = self.brokers[self.world.end(message.port)]
        key = (message.port, message.notice.origin)
        waiting = broker.waiting.get(key)
        if waiting is not None and (waiting is message.notice or not self.world.manners.matched):
            del broker.waiting[key]

    def ending(self) -> Ending:
        """How it ends. Raises `ReplayError` where something can still happen."""
        last = Step("arrive")
        self._require(not self.air, last, "something is still under way")
        waiting = []
        for me, broker in enumerate(self.brokers):
            if Element(False, me) in self.failed:
                continue
            for port in self.world.ports[me]:
                self._require(self.carries(port) != (port in broker.shut), last, "a port has not noticed")
            for (port, _), notice in broker.waiting.items():
                if port not in broker.shut:
                    self._require(not self._would_help(port, notice), last, "something will still be sent")
                    waiting.append((port, notice))
        colours, right, parts = self._colours()
        dead = frozenset(link for link in range(len(self.world.links)) if not self.carries(2 * link))
        planned = self.world.colours.exactly(dead) is not None
        return Ending(tuple(colours), tuple(right), parts, planned, tuple(waiting))

    def _would_help(self, port: int, notice: Notice) -> bool:
        """Whether anything changes when the notice is sent again."""
        manners = self.world.manners
        if not manners.retransmit:
            return False
        there = self.world.end(port ^ 1)
        differs = there != notice.origin and self.brokers[there].beliefs[notice.origin] is not notice.dead
        return manners.acknowledge == "always" or self._is_news(there, notice) or (not manners.newest and differs)

    def _colours(self) -> tuple[list[int | None], list[int | None], tuple[tuple[int, ...], ...]]:
        world = self.world
        colours: list[int | None] = [None] * world.n
        right: list[int | None] = [None] * world.n
        parts = []
        for me, broker in enumerate(self.brokers):
            if Element(False, me) in self.failed:
                continue
            own = world.own[me]
            view = frozenset(port // 2 for port in broker.shut).union(
                *(belief - own for other, belief in enumerate(broker.beliefs) if other != me)
            )
            colours[me] = world.colours.of(view)
            part = self._connected(me)
            if part[0] == me:
                parts.append(part)
            seen = {link for other in part for link in world.own[other]}
            dead = {link for link in seen if not self.carries(2 * link)}
            right[me] = world.colours.exactly(frozenset(dead | (view - seen)))
        return colours, right, tuple(parts)

    def _connected(self, start: int) -> tuple[int, ...]:
        found = [start]
        for here in found:
            for port in self.world.ports[here]:
                other = self.world.end(port ^ 1)
                if self.carries(port) and other not in found:
                    found.append(other)
        return tuple(sorted(found))


def replay(world: World, story: Story) -> tuple[list[Told], Ending]:
    """What happens step by step, and the end. Raises `ReplayError` where it does not happen, or nothing is wrong."""
    run = Run(world, story.numbers)
    told = [run.do(step) for step in story.steps]
    ending = run.ending()
    if story.fault == "waiting":
        wrong = bool(ending.waiting)
    else:
        differ = any(len({ending.colours[broker] for broker in part}) > 1 for part in ending.parts)
        other = any(want not in (None, held) for want, held in zip(ending.right, ending.colours, strict=True))
        wrong = ending.planned and (differ or other)
    if not wrong:
        raise ReplayError(f"after {len(told)} steps nothing is wrong: {ending}")
    return told, ending


__all__ = ["Ending", "Notice", "Run", "Told", "replay"]
