"""A story step by step, on brokers that do as docs/delivery.md says; nothing is told that does not replay.

Written for one run, with whole brokers and nothing left out; it shares the form with the searches, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from momlint.delivery.world import CLIENT, Step, Story, World
from momlint.errors import ReplayError


@dataclass(slots=True)
class _Broker:
    """What one broker has. Counters are by name; tables by counter, then by event."""

    knows: bool = True
    taken: dict[tuple[int, int, int], dict[str, int]] = field(default_factory=dict)
    first: dict[int, dict[str, int]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    table: dict[str, dict[int, int]] = field(default_factory=dict)
    seen: set[tuple[int, int]] = field(default_factory=set)
    turned: set[tuple[int, int]] = field(default_factory=set)
    passed: set[int] = field(default_factory=set)
    sent: dict[tuple[int, int], int] = field(default_factory=dict)
    acknowledged: set[int] = field(default_factory=set)
    heard: set[tuple[int, int]] = field(default_factory=set)
    crashed: bool = False


@dataclass(slots=True)
class _Copy:
    """On its way or taken in: who sent it, to whom, the numbers it carries; `sent`: the moment it was first sent."""

    event: int
    source: tuple[int, int]
    to: tuple[int, int]
    numbers: dict[str, int]
    sent: int


class Run:
    """A run of a world with one script. `got`: what each member got, in its order."""

    def __init__(self, world: World, script: tuple[tuple[int, str], ...]) -> None:
        self.world = world
        self.script = script
        self.sites: list[list[_Broker]] = [[_Broker()] for _ in world.parents]
        self.flying: list[_Copy] = []
        self.published: list[int] = []
        self.confirmed: set[int] = set()
        self.got: dict[int, list[int]] = {number: [] for number, member in enumerate(world.members) if member.wants}
        self.given: dict[str, list[tuple[int, int]]] = {}
        self.failed = 0
        self.clock = 0
        #: What each step delivers, (member, event).
        self.delivered: list[tuple[int, int]] = []
        #: The number that goes with it, and what is lost with a broker; see `Told`.
        self.number = 0
        self.lost: list[tuple[int, int, int]] = []
        self.onward = [world.onward(world.members[publisher].site, topic) for publisher, topic in script]

    def do(self, step: Step) -> None:
        """Take one step. Raises `ReplayError` where it cannot be taken."""
        self.clock += 1
        self.delivered, self.number, self.lost = [], 0, []
        getattr(self, f"_{step.kind}")(step)

    def _require(self, holds: bool, step: Step, why: str) -> None:
        if not holds:
            raise ReplayError(f"step {self.clock}, {step.kind} of event {step.event} at site {step.site}: {why}")

    def term(self, site: int) -> int:
        """Which broker of a site is active, from 0."""
        return len(self.sites[site]) - 1

    def _home(self, event: int) -> int:
        return self.world.members[self.script[event][0]].site

    def _earlier(self, event: int) -> list[int]:
        return [other for other in range(event) if self.script[other][0] == self.script[event][0]]

    def _acting(self, step: Step) -> _Broker:
        self._require(self.term(step.site) == step.term, step, "its broker is not the active one")
        return self.sites[step.site][step.term]

    def _publish(self, step: Step) -> None:
        event = step.event
        self._require(event not in self.published, step, "it was published")
        self._require(set(self._earlier(event)) <= set(self.published), step, "an earlier one was not published")
        self._require(step.site == self._home(event), step, "its publisher is elsewhere")
        self.published.append(event)
        own = len(self._earlier(event)) + 1
        to = (step.site, self.term(step.site))
        self._require(to[1] == step.term, step, "that broker is not the active one")
        self.flying.append(_Copy(event, (CLIENT, self.script[event][0]), to, {"link": own}, self.clock))

    def _take(self, step: Step) -> None:
        here = self._acting(step)
        source, to = (step.other, step.other_term), (step.site, step.term)
        channel = [copy for copy in self.flying if copy.source == source and copy.to == to]
        copy = next((copy for copy in channel if copy.event == step.event), None)
        self._require(copy is not None, step, "no copy of it is on its way there")
        assert copy is not None
        if self.world.safeguards.ordered:
            self._require(all(other.sent >= copy.sent for other in channel), step, "another one was sent before it")
        self.flying.remove(copy)
        here.taken[(step.event, *source)] = copy.numbers
        if self.world.numbering is not None and source[0] != CLIENT:
            self.number = copy.numbers.get("link", copy.numbers.get("number", 0))
        if step.event not in here.first:
            here.first[step.event] = copy.numbers
        before = self.sites[step.site][:-1]
        if self.world.safeguards.counters and any(key[0] == step.event for old in before for key in old.turned):
            here.passed.add(step.event)
        if step.event in here.acknowledged:
            self._tell(step.event, source, step.site)

    def _number(self, step: Step) -> None:
        world, event = self.world, step.event
        here = self._acting(step)
        self._require(world.order == "total" and step.site == self._home(event), step, "nobody asks there")
        self._require(any(key[0] == event for key in here.taken), step, "the event has not come")
        self._require("number" not in here.first[event] and "none" not in here.first[event], step, "it has its number")
        asked = {other for broker in self.sites[step.site] for other, kept in broker.first.items() if "asked" in kept}
        self._require(set(self._earlier(event)) <= asked, step, "an earlier one has no number yet")
        numbers = {"asked": 1}
        if world.numbering == "sequencer":
            numbers["number"] = self._give("number", world.sequencer, self.term(world.sequencer), event)
            self.number = numbers["number"]
        else:
            numbers["none"] = 0
            for one, member in enumerate(world.members):
                if self.script[event][1] in member.wants and here.knows:
                    name = f"for {one}"
                    numbers[name] = self._give(name, world.sequencer, self.term(world.sequencer), event)
        here.first[event] = numbers

    def _give(self, counter: str, site: int, term: int, event: int) -> int:
        table = self.sites[site][term].table.setdefault(counter, {})
        if event not in table:
            table[event] = len(table) + 1
            self.given.setdefault(counter, []).append((event, table[event]))
        return table[event]

    def _turns(self, site: int, term: int, event: int) -> list[tuple[str, int, int, int]]:
        """The turns that an event needs: the counter, its number, and what tells the turn from others."""
        here, numbering = self.sites[site][term], self.world.numbering
        publisher = self.script[event][0]
        if numbering is None:
            return [("", 0, CLIENT, 0)]
        if numbering == "publisher":
            return [(f"of {publisher}", len(self._earlier(event)) + 1, CLIENT, 0)]
        if numbering == "link":
            return [
                (f"of {publisher}" if source == CLIENT else f"from {source}", numbers["link"], source, source_term)
                for (other, source, source_term), numbers in here.taken.items()
                if other == event
            ]
        numbers = here.first[event]
        if numbering == "sequencer":
            return [("all", numbers["number"], CLIENT, 0)] if "number" in numbers else []
        return [
            (f"for {one}", numbers[f"for {one}"], one, 0)
            for one, member in enumerate(self.world.members)
            if member.site == site and f"for {one}" in numbers and here.knows
        ]

    def _turn(self, step: Step) -> None:
        here, event = self._acting(step), step.event
        self._require(event in here.first, step, "the event has not come")
        turns = [one for one in self._turns(step.site, step.term, event) if one[2:] == (step.other, step.other_term)]
        self._require(bool(turns), step, "there is no such turn")
        counter, number, _, _ = turns[0]
        one_only = self.world.numbering == "subscriber"
        key = (event, step.other if one_only else CLIENT)
        if counter:
            self._require(here.counters.get(counter, 0) + 1 == number, step, "it is not its turn")
            here.counters[counter] = number
        else:
            self._require(key not in here.turned, step, "it had its turn")
        known = key in here.seen or key in here.turned
        here.turned.add(key)
        here.seen.add(key)
        if self.world.numbering == "link":
            here.passed.add(event)
            if here.knows or not self.world.filtering:
                for on in self.onward[event][step.site]:
                    self._give(f"link {step.site} {on}", step.site, step.term, event)
        if known or not here.knows:
            return
        topic = self.script[event][1]
        for one, member in enumerate(self.world.members):
            if member.site == step.site and topic in member.wants and (not one_only or one == step.other):
                self.got[one].append(event)
                self.delivered.append((one, event))

    def _is_ready(self, site: int, term: int, event: int) -> bool:
        """Whether a broker may pass the event on."""
        broker = self.sites[site][term]
        if self.world.numbering == "link":
            return event in broker.passed
        if event not in broker.first:
            return False
        return self.world.order != "total" or "asked" in broker.first[event]

    def _targets(self, site: int, term: int, event: int) -> tuple[int, ...]:
        if self.world.filtering and not self.sites[site][term].knows:
            return ()
        return self.onward[event].get(site, ())

    def _send(self, step: Step) -> None:
        broker = self.sites[step.site][step.term]
        event, on = step.event, step.other
        self._require(not broker.crashed, step, "its broker has crashed")
        self._require(self._is_ready(step.site, step.term, event), step, "it is not to be passed on yet")
        self._require(on in self._targets(step.site, step.term, event), step, "it does not go there")
        self._require((event, on) not in broker.sent, step, "it was passed on")
        broker.sent[event, on] = self.clock
        numbers = dict(broker.first[event])
        if self.world.numbering == "link":
            numbers = {"link": self._give(f"link {step.site} {on}", step.site, step.term, event)}
        self.flying.append(_Copy(event, (step.site, step.term), (on, self.term(on)), numbers, self.clock))

    def _is_handled(self, site: int, term: int, event: int) -> bool:
        here = self.sites[site][term]
        turns = self._turns(site, term, event)
        over = [number <= here.counters.get(counter, 0) for counter, number, _, _ in turns if counter]
        if self.world.numbering is None:
            return (event, CLIENT) in here.turned
        if self.world.numbering == "link":
            return event in here.passed or any(over)
        return (self.world.order != "total" or "asked" in here.first[event]) and all(over)

    def _ack(self, step: Step) -> None:
        here, event = self._acting(step), step.event
        fault = self.hinders(step.site, step.term, event)
        self._require(fault is None, step, fault or "")
        here.acknowledged.add(event)
        for other, source, source_term in here.taken:
            if other == event:
                self._tell(event, (source, source_term), step.site)

    def hinders(self, site: int, term: int, event: int) -> str | None:
        """Why the broker may not acknowledge the event; None where it may."""
        here = self.sites[site][term]
        if event not in here.first:
            return "the event has not come"
        if event in here.acknowledged:
            return "it was acknowledged"
        if self.world.safeguards.early:
            return None
        if not self._is_handled(site, term, event):
            return "it has not had its turn"
        goes_on = self.world.numbering != "link" or event in here.passed
        if goes_on and any((event, on) not in here.heard for on in self._targets(site, term, event)):
            return "it was not passed on and acknowledged everywhere"
        return None

    def _tell(self, event: int, source: tuple[int, int], site: int) -> None:
        if source[0] == CLIENT:
            self.confirmed.add(event)
        else:
            self.sites[source[0]][source[1]].heard.add((event, site))

    def _crash(self, step: Step) -> None:
        self._acting(step).crashed = True
        self._fail(step)

    def _suspect(self, step: Step) -> None:
        self._fail(step)

    def _fail(self, step: Step) -> None:
        world, safe, site = self.world, self.world.safeguards, step.site
        gone = self._acting(step)
        self.failed += 1
        self._require(self.failed <= world.bound.crashes, step, "more brokers fail than may")
        self._require(step.term < world.spare[site], step, "no more brokers of the site may fail")
        heir = _Broker(knows=safe.subscriptions)
        if safe.seen:
            heir.seen = set(gone.seen)
        if safe.counters:
            heir.counters = dict(gone.counters)
            heir.table = {counter: dict(entries) for counter, entries in gone.table.items()}
        lost = [copy for copy in self.flying if copy.to == (site, step.term)]
        self.flying = [copy for copy in self.flying if copy.to != (site, step.term)]
        for (event, source, source_term), numbers in gone.taken.items():
            if source == CLIENT:
                sent = self.published.index(event)
            else:
                sent = self.sites[source][source_term].sent[event, site]
            lost.append(_Copy(event, (source, source_term), (site, step.term), numbers, sent))
        flying = len(lost) - len(gone.taken)
        self.sites[site].append(heir)
        for number, copy in enumerate(lost):
            source, source_term = copy.source
            if source == CLIENT:
                again = copy.event not in self.confirmed
            else:
                heard = (copy.event, site) in self.sites[source][source_term].heard
                again = source_term == self.term(source) and not heard
            if again and safe.retransmit:
                copy.to = (site, step.term + 1)
                self.flying.append(copy)
            elif number < flying:
                self.lost.append((copy.event, source, source_term))

    # -- what is wrong ----------------------------------------------------------------------------------------------

    def due(self) -> Step | None:
        """A step that somebody has to take sooner or later; None where nothing is left to do."""
        for event in range(len(self.script)):
            if event not in self.published:
                return Step("publish", event, self._home(event), self.term(self._home(event)))
        coming = [copy for copy in self.flying if copy.to[1] == self.term(copy.to[0])]
        if coming:
            copy = min(coming, key=lambda copy: copy.sent)
            return Step("take", copy.event, *copy.to, *copy.source)
        for site, brokers in enumerate(self.sites):
            for event in brokers[-1].first:
                step = self._due_at(site, len(brokers) - 1, event)
                if step is not None:
                    return step
        return None

    def _due_at(self, site: int, term: int, event: int) -> Step | None:
        here = self.sites[site][term]
        if self.world.order == "total" and site == self._home(event) and "asked" not in here.first[event]:
            asked = {other for one in self.sites[site] for other, kept in one.first.items() if "asked" in kept}
            return Step("number", event, site, term) if set(self._earlier(event)) <= asked else None
        for counter, number, other, other_term in self._turns(site, term, event):
            is_next = here.counters.get(counter, 0) + 1 == number if counter else (event, CLIENT) not in here.turned
            if is_next:
                return Step("turn", event, site, term, other, other_term)
        if self._is_ready(site, term, event):
            for on in self._targets(site, term, event):
                if (event, on) not in here.sent:
                    return Step("send", event, site, term, on)
        return None

    def aside(self, inside: set[int], watched: set[int]) -> Step | None:
        """A step, next, of those that a story leaves out: at sites not `inside`, and for members not `watched`."""
        for copy in self.flying:
            if copy.to[0] not in inside and copy.to[1] == self.term(copy.to[0]):
                return Step("take", copy.event, *copy.to, *copy.source)
        for site, brokers in enumerate(self.sites):
            term, here = len(brokers) - 1, brokers[-1]
            for event in here.first:
                for counter, number, other, other_term in self._turns(site, term, event):
                    is_next = (
                        here.counters.get(counter, 0) + 1 == number if counter else (event, CLIENT) not in here.turned
                    )
                    left_out = self.world.numbering == "subscriber" and other not in watched
                    if is_next and (site not in inside or left_out):
                        return Step("turn", event, site, term, other, other_term)
                if self._is_ready(site, term, event):
                    for on in self._targets(site, term, event):
                        if (event, on) not in here.sent and on not in inside:
                            return Step("send", event, site, term, on)
                if site not in inside and self.hinders(site, term, event) is None:
                    return Step("ack", event, site, term)
        return None

    def finish(self) -> None:
        """Let everybody do what is left to do, and nobody fail."""
        while (step := self.due()) is not None:
            self.do(step)

    def shows(self, story: Story) -> bool:
        """Whether what the story tells has come about."""
        events, members = story.events, story.subscribers
        if story.fault == "lost":
            wants = self.script[events[0]][1] in self.world.members[members[0]].wants
            return wants and self.due() is None and events[0] not in self.got[members[0]]
        if story.fault == "twice":
            return self.got[members[0]].count(events[0]) > 1
        if story.fault == "number":
            return any(
                (events[0], number) in entries and (events[1], number) in entries
                for entries in self.given.values()
                for _, number in entries
            )
        first, second = events
        if self.world.order == "fifo":
            got = self.got[members[0]]
            return second in got and first not in got[: got.index(second)]
        one, other = (self.got[member] for member in members)
        if not all(event in got for event in events for got in (one, other)):
            return False
        return (one.index(first) < one.index(second)) != (other.index(first) < other.index(second))


class Told(NamedTuple):
    """A step, and what to tell of it.

    `delivered`: (member, event). `number`: of the copy that came, or of the sequencer; 0 where there is none, or
    several. `lost`: (event, source, source_term) that were on their way to a broker that fails, and that nobody
    sends again.
    """

    step: Step
    delivered: tuple[tuple[int, int], ...] = ()
    number: int = 0
    lost: tuple[tuple[int, int, int], ...] = ()


def replay(world: World, story: Story) -> list[Told]:
    """The steps, with what they bring about; with those that the story takes for granted before an acknowledgement.

    Raises `ReplayError` where the story is not true.
    """
    run = Run(world, story.script)
    inside = {step.site for step in story.steps if step.site >= 0} | {
        step.other for step in story.steps if step.kind == "send"
    }
    inside |= {world.members[one].site for one in story.subscribers}
    watched = {step.other for step in story.steps if step.kind == "turn"} | set(story.subscribers)
    told = []

    def do(step: Step) -> None:
        run.do(step)
        told.append(Told(step, tuple(run.delivered), run.number, tuple(run.lost)))

    for step in story.steps:
        while step.kind == "ack" and run.hinders(step.site, step.term, step.event) is not None:
            other = run.aside(inside, watched)
            if other is None:
                break
            do(other)
        do(step)
    if story.fault == "lost":
        # Whoever has nothing to do with it may still be at work.
        run.finish()
    if not run.shows(story):
        raise ReplayError(f"at the end of the trace nothing is wrong: {story.fault}")
    return told
