"""An explicit search of all interleavings: a shortest story for each fault, or none within the bound.

What cannot matter is left out. One subscriber is watched at a time (two, where a total order is promised), with the
sites between it, the publishers and the sequencer. It is chosen beforehand which sites fail; the others do at once what
they can do: a copy that is long on its way stands for a site that takes its time. Scripts and watched subscribers that
differ in nothing that matters are looked at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from itertools import combinations, permutations, product
from typing import Literal, NamedTuple, TypeAlias

from momlint.delivery.world import CLIENT, FAULTS, Fault, Step, Story, Tick, World

Script: TypeAlias = tuple[tuple[int, str], ...]
#: What a counter counts for: ("publisher", p), ("link", from, to), ("all",) or ("subscriber", member).
Counter: TypeAlias = tuple[str | int, ...]


class _Copy(NamedTuple):
    """An event on its way, from a broker or a publisher to a broker; `place`: its turn in an ordered channel."""

    event: int
    source: int
    source_term: int
    site: int
    term: int
    numbers: tuple[int, ...]
    place: int


class _Broker(NamedTuple):
    """What a broker that is or was active has. `taken`: copies; `numbers`: of the sequencer, by event.

    `turned`: (event, subscriber or CLIENT) that had their turn here, `seen`: at this site, as far as it knows.
    `counters`: the last number of each. `table`: the numbers that the site gave, with what for. `sent`: (event, site),
    in this order. `heard`: which of them were acknowledged. `acked`: events that it has acknowledged.
    """

    taken: frozenset[_Copy] = frozenset()
    numbers: frozenset[tuple[int, tuple[int, ...]]] = frozenset()
    turned: frozenset[tuple[int, int]] = frozenset()
    seen: frozenset[tuple[int, int]] = frozenset()
    counters: frozenset[tuple[Counter, int]] = frozenset()
    passed: frozenset[int] = frozenset()
    table: frozenset[tuple[Counter, int, int]] = frozenset()
    sent: tuple[tuple[int, int], ...] = ()
    heard: frozenset[tuple[int, int]] = frozenset()
    acked: frozenset[int] = frozenset()


class _State(NamedTuple):
    """`brokers`: of each site, by term, the last one active. `slow`: (site, term) that were only suspected.

    `given`: every number with its counter and event, where counters may be lost. `got`: of each watched subscriber.
    """

    brokers: tuple[tuple[_Broker, ...], ...]
    slow: frozenset[tuple[int, int]]
    copies: frozenset[_Copy]
    published: frozenset[int]
    confirmed: frozenset[int]
    given: frozenset[tuple[Counter, int, int]]
    got: tuple[tuple[int, ...], ...]
    failures: int


class Slice(NamedTuple):
    """A part of a world that is searched by itself; `failing`: how often each site may fail."""

    script: Script
    watched: tuple[int, ...]
    failing: tuple[tuple[int, int], ...]


def explore(
    world: World, wanted: Collection[Fault] = FAULTS, tick: Tick = lambda: None, *, first: bool = False
) -> dict[Fault, Story]:
    """A story for each of the faults that there is one for, with the fewest events. Raises what `tick` raises.

    `first`: look no further than the first that is found.
    """
    found: dict[Fault, Story] = {}
    for part in slices(world, pairs_only=set(wanted) == {"order"} and world.order == "total"):
        left = [fault for fault in wanted if fault not in found]
        if not left:
            break
        tick()
        search = _Search(world, part, left, tick)
        search.run(first=first)
        found |= search.found
        if found and first:
            break
    return found


def slices(world: World, pairs_only: bool = False) -> Iterator[Slice]:
    """The parts to search, short scripts first; of those that are alike the first. `pairs_only`: of subscribers."""
    seen: set[object] = set()
    subscribers = [number for number, member in enumerate(world.members) if member.wants and member.judged]
    groups: list[tuple[int, ...]] = [] if pairs_only else [(one,) for one in subscribers]
    if world.order == "total" and not world.safeguards.counters:
        # Where counters are kept, subscribers agree by the numbers.
        groups += list(combinations(subscribers, 2))
    kept = world.safeguards.counters and world.order != "none"
    for script in scripts(world):
        topics = {topic for _, topic in script}
        for watched in groups:
            if not all(topics & world.members[one].wants for one in watched):
                continue
            if kept and len(script) == 2 and all(topic in world.members[watched[0]].wants for _, topic in script):
                continue  # of the two, the one that is lost by itself is lost without the other
            if len(watched) == 2 and not _common(world, script, watched):
                continue
            for failing in _failing(world, _sites(world, script, watched)):
                part = Slice(script, watched, failing)
                key = _key(world, part)
                if key not in seen:
                    seen.add(key)
                    yield part


def _common(world: World, script: Script, watched: tuple[int, ...]) -> bool:
    """Whether two subscribers want two of the events: fewer have no order to disagree on."""
    one, other = (world.members[number].wants for number in watched)
    return sum(topic in one and topic in other for _, topic in script) > 1


def scripts(world: World) -> Iterator[Script]:
    """What may be published, the events of one publisher after those of the other; fewer events first."""
    publishers = [number for number, member in enumerate(world.members) if member.publishes]
    # Without an order events do not know of one another; a publisher's numbers know of its own events only. Where
    # counters are kept an event is lost by itself, or waits for one that is.
    enough = 1 if world.order == "none" else 2 if world.safeguards.counters else world.bound.events
    most = min(world.bound.events, enough)
    together = 1 if world.order == "none" or world.numbering == "publisher" else world.bound.publishers
    for length in range(1, most + 1):
        for count in range(1, min(together, length, len(publishers)) + 1):
            for chosen in combinations(publishers, count):
                for lengths in _splits(length, count):
                    parts = (
                        product(world.members[one].publishes, repeat=n) for one, n in zip(chosen, lengths, strict=True)
                    )
                    for topics in product(*parts):
                        yield tuple(
                            (one, topic) for one, several in zip(chosen, topics, strict=True) for topic in several
                        )


def _splits(total: int, count: int) -> Iterator[tuple[int, ...]]:
    if count == 1:
        yield (total,)
        return
    for first in range(1, total - count + 2):
        for rest in _splits(total - first, count - 1):
            yield (first, *rest)


def _roles(world: World, script: Script, watched: tuple[int, ...]) -> list[int]:
    """Sites that something happens at: of publishers, watched subscribers, the sequencer."""
    ends = [world.members[one].site for one in dict.fromkeys(publisher for publisher, _ in script)]
    ends += [world.members[one].site for one in watched]
    return [*ends, world.sequencer] if world.order == "total" else ends


def _sites(world: World, script: Script, watched: tuple[int, ...]) -> list[int]:
    roles = _roles(world, script, watched)
    return sorted({site for end in roles for site in world.path(roles[0], end)})


def _failing(world: World, sites: list[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """As many failures as there may be, over the sites; fewer are among what happens then."""
    spare = [world.spare[site] for site in sites]
    most = min(world.bound.crashes, sum(spare))

    def spread(at: int, left: int) -> Iterator[tuple[tuple[int, int], ...]]:
        if at == len(sites):
            if not left:
                yield ()
            return
        for here in range(min(left, spare[at]) + 1):
            for rest in spread(at + 1, left - here):
                yield ((sites[at], here), *rest) if here else rest

    yield from spread(0, most)


def _key(world: World, part: Slice) -> object:
    """What the search of a part depends on: the sites between those with a role, less those that only pass on."""
    script, watched, failing = part
    roles = _roles(world, script, watched)
    fails = dict(failing)
    comes: dict[int, int] = {}
    for number, (publisher, topic) in enumerate(script):
        for site in world.onward(world.members[publisher].site, topic):
            comes[site] = comes.get(site, 0) | 1 << number
    inside = set(_sites(world, script, watched))
    plain = {
        site
        for site in inside
        if site not in roles
        and site not in fails
        and len([other for other in world.neighbours(site) if other in inside]) == 2
        and any(comes.get(other, 0) == comes.get(site, 0) for other in world.neighbours(site) if other in inside)
    }
    paths = tuple(
        tuple((fails.get(site, 0), comes.get(site, 0)) for site in world.path(one, other) if site not in plain)
        for one, other in combinations(roles, 2)
    ) or ((fails.get(roles[0], 0), 0),)
    names = {publisher: at for at, publisher in enumerate(dict.fromkeys(publisher for publisher, _ in script))}
    events = tuple(
        (names[publisher], tuple(topic in world.members[one].wants for one in watched)) for publisher, topic in script
    )
    # A client that publishes and subscribes is one of either kind at one place: nothing depends on its being one.
    return events, paths


def _taking(copy: _Copy) -> Step:
    return Step("take", copy.event, copy.site, copy.term, copy.source, copy.source_term)


def _subsets(parts: list[list[Step]]) -> Iterator[tuple[list[Step], ...]]:
    for count in range(len(parts) + 1):
        yield from combinations(parts, count)


class _Search:
    """One part, breadth first. `found`: the first story of each fault that is looked for."""

    def __init__(self, world: World, part: Slice, wanted: list[Fault], tick: Tick) -> None:
        self.world, self.part, self.wanted, self.tick = world, part, wanted, tick
        self.safe = world.safeguards
        self.script = part.script
        self.watched = part.watched
        self.failing = dict(part.failing)
        self.budget = sum(self.failing.values())
        inside = set(_sites(world, part.script, part.watched))
        self.sites = sorted(inside)
        self.at = {site: index for index, site in enumerate(self.sites)}
        self.homes = [world.members[publisher].site for publisher, _ in part.script]
        # The site that a copy of an event comes to a site from, and where it goes on to.
        self.onward: list[dict[int, tuple[int, ...]]] = []
        self.before: list[dict[int, int]] = []
        for home, (_, topic) in zip(self.homes, part.script, strict=True):
            onward = {
                site: tuple(on for on in to if on in inside)
                for site, to in world.onward(home, topic).items()
                if site in inside
            }
            self.onward.append(onward)
            self.before.append({on: site for site, to in onward.items() for on in to} | {home: CLIENT})
        self.own = [
            sum(other == publisher for other, _ in part.script[: number + 1])
            for number, (publisher, _) in enumerate(part.script)
        ]
        self.local = {
            (event, site): [
                one for one in part.watched if world.members[one].site == site and topic in world.members[one].wants
            ]
            for event, (_, topic) in enumerate(part.script)
            for site in self.sites
        }
        self.total = world.order == "total"
        self.lazily = not self.safe.retransmit
        self.found: dict[Fault, Story] = {}
        self.states = 0
        self._bad: list[tuple[Fault, tuple[int, ...], tuple[int, ...]]] = []
        self._done: list[Step] = []

    # -- the search -------------------------------------------------------------------------------------------------

    def run(self, first: bool = False) -> None:
        """Search to the end, or until each fault has its story; with `first` until one has."""
        enough = 1 if first else len(self.wanted)
        start = _State(
            tuple((_Broker(),) for _ in self.sites),
            frozenset(),
            frozenset(),
            frozenset(),
            frozenset(),
            frozenset(),
            tuple(() for _ in self.watched),
            0,
        )
        self._done, self._bad = [], []
        for event, home in enumerate(self.homes):
            if not self._publishes_late(home):
                start = self._publish(start, event)
        start = self._settle(start)
        come_from: dict[_State, tuple[_State | None, tuple[Step, ...]]] = {start: (None, tuple(self._done))}
        self._note(start, come_from, [])
        waiting = deque([start])
        while waiting and len(self.found) < enough:
            state = waiting.popleft()
            self.states += 1
            if self.states % 64 == 0:
                self.tick()
            settled = True
            for must, after, steps, bad in self._following(state):
                settled = settled and not must
                if after not in come_from:
                    come_from[after] = state, steps
                    waiting.append(after)
                if bad:
                    self._tell(bad, state, come_from, steps)
            if settled and "lost" in self.wanted and "lost" not in self.found:
                self._note(state, come_from, self._missing(state))

    def _note(
        self,
        state: _State,
        come_from: dict[_State, tuple[_State | None, tuple[Step, ...]]],
        bad: list[tuple[Fault, tuple[int, ...], tuple[int, ...]]],
    ) -> None:
        if bad or self._bad:
            self._tell(bad + self._bad, state, come_from, ())
        self._bad = []

    def _missing(self, state: _State) -> list[tuple[Fault, tuple[int, ...], tuple[int, ...]]]:
        return [
            ("lost", (event,), (one,))
            for one, got in zip(self.watched, state.got, strict=True)
            for event, (_, topic) in enumerate(self.script)
            if topic in self.world.members[one].wants and event not in got
        ]

    def _tell(
        self,
        bad: list[tuple[Fault, tuple[int, ...], tuple[int, ...]]],
        state: _State,
        come_from: dict[_State, tuple[_State | None, tuple[Step, ...]]],
        last: tuple[Step, ...],
    ) -> None:
        for fault, events, subscribers in bad:
            if fault in self.wanted and fault not in self.found:
                parts = [last]
                at: _State | None = state
                while at is not None:
                    at, steps = come_from[at]
                    parts.append(steps)
                told = tuple(step for steps in reversed(parts) for step in steps)
                self.found[fault] = Story(fault, self.script, told, events, subscribers)

    # -- what may happen ----------------------------------------------------------------------------------------------

    def _following(
        self, state: _State
    ) -> Iterator[tuple[bool, _State, tuple[Step, ...], list[tuple[Fault, tuple[int, ...], tuple[int, ...]]]]]:
        """What may be next, and whether it has to be, sooner or later."""
        for must, steps in self._choices(state):
            self._done, self._bad = [], []
            after = state
            for step in steps:
                after = self._do(after, step)
            # After a failure others may have to acknowledge, or to send, more than before.
            failed = any(step.kind in ("crash", "suspect") for step in steps)
            touched = {step.site for step in steps} | {step.other for step in steps if step.kind == "take"} - {CLIENT}
            after = self._settle(after, None if failed else touched)
            yield must, after, tuple(self._done), self._bad
        self._bad = []

    def _choices(self, state: _State) -> Iterator[tuple[bool, list[Step]]]:
        for steps in self._moves(state):
            yield True, steps
        for site, terms in zip(self.sites, state.brokers, strict=True):
            for late in range(len(terms) - 1):
                if (site, late) in state.slow:
                    for event, on in self._unsent(state, site, late):
                        yield False, [Step("send", event, site, late, on)]
        if state.failures < self.budget:
            for site, most in self.failing.items():
                if self._term(state, site) < most:
                    for steps in self._failures(state, site):
                        yield False, steps

    def _moves(self, state: _State) -> Iterator[list[Step]]:
        """What happens where nothing fails."""
        for event, home in enumerate(self.homes):
            if event not in state.published and self._follows(event, state.published):
                yield [Step("publish", event, home, self._term(state, home))]
        for copy in sorted(state.copies):
            if self._can_take(state, copy):
                yield [_taking(copy)]
        for site in self.sites if self._turns_late() else ():
            yield from (
                [Step("number", event, site, self._term(state, site))] for event in self._numberable(state, site)
            )
        for site, most in self.failing.items():
            term = self._term(state, site)
            if self._turns_late() and term < most and state.failures < self.budget:
                yield from ([step] for step in self._turns(state, site))
            for event, on in self._unsent(state, site, term) if term < most else ():
                # What is on its way when its sender fails is chosen then; until then it need not be told from what is
                # not sent yet.
                sent = Step("send", event, site, term, on)
                yield [sent, Step("take", event, on, self._term(state, on), site, term)]

    def _failures(self, state: _State, site: int) -> Iterator[list[Step]]:
        """How the active broker of a site may fail: what it has sent by then, and what it has acknowledged."""
        term = self._term(state, site)
        kinds: tuple[Literal["crash", "suspect"], ...] = ("crash", "suspect") if self.budget > 1 else ("crash",)
        acks = [found for event in self._events_at(state, site) if (found := self._acks(state, site, event))]
        if self.safe.early:
            # Taken in, acknowledged, and not looked at any more.
            coming = [copy for copy in sorted(state.copies) if copy.site == site and self._can_take(state, copy)]
            acks += [[_taking(copy), Step("ack", copy.event, site, term)] for copy in coming]
        if self._is_monotonous():
            worst = [step for steps in self._late(state, site) for step in steps]
            worst += [step for steps in acks for step in steps]
            yield [*dict.fromkeys(worst), Step("crash", site=site, term=term)]
            return
        unsent = self._unsent(state, site, term)
        orders = permutations if self.safe.ordered else combinations
        for count in range(len(unsent) + 1):
            for sent in orders(unsent, count):
                sends = [Step("send", event, site, term, on) for event, on in sent]
                for acked in _subsets(acks):
                    told = list(dict.fromkeys(step for steps in acked for step in steps))
                    for late in self._late(state, site):
                        for kind in kinds:
                            yield [*sends, *late, *told, Step(kind, site=site, term=term)]

    def _is_monotonous(self) -> bool:
        """Whether fewer copies are never better, and more never worse.

        Where counters are kept, no two events have one number and no number has two turns: then an event may be lost,
        but nothing else can go wrong. What a broker that crashes has not passed on, and what nobody sends again, is the
        worst.
        """
        return self.safe.counters and self.world.numbering is not None

    def _turns_late(self) -> bool:
        """Whether it matters that a broker fails when it has taken in an event, or passed it on, and not delivered it.

        Its successor may deliver it with another number.
        """
        return not self.safe.counters and self.world.numbering is not None

    def _late(self, state: _State, site: int) -> Iterator[list[Step]]:
        """What others may have sent to a site shortly before its broker fails, to be lost with it."""
        if self.safe.retransmit:
            yield []
            return
        coming = [
            Step("send", event, other, self._term(state, other), site)
            for other in self.failing
            for event, on in self._unsent(state, other, self._term(state, other))
            if on == site
        ]
        for several in _subsets([[step] for step in coming]):
            yield [step for steps in several for step in steps]

    def _events_at(self, state: _State, site: int) -> list[int]:
        return sorted({copy.event for copy in self._active(state, site).taken})

    def _acks(self, state: _State, site: int, event: int) -> list[Step] | None:
        """The acknowledgements, last that of a site, that may have been given by now; None where it may not."""
        here, term = self._active(state, site), self._term(state, site)
        if all(copy.event != event for copy in here.taken):
            return None
        if event in here.acked:
            return []
        told = []
        if not self.safe.early:
            if not self._had_its_turn(state, site, event):
                return None
            for on in self._needed(state, site, event):
                if (event, on) in here.heard:
                    continue
                there = self._active(state, on)
                if all((copy.event, copy.source, copy.source_term) != (event, site, term) for copy in there.taken):
                    return None
                before = self._acks(state, on, event)
                if before is None:
                    return None
                told += before
        return [*told, Step("ack", event, site, term)]

    def _can_take(self, state: _State, copy: _Copy) -> bool:
        return copy.term == self._term(state, copy.site) and not self._overtakes(state, copy)

    def _publishes_late(self, home: int) -> bool:
        """Whether it matters when events are published: else they are all on their way from the start."""
        return self.lazily and home in self.failing

    def _follows(self, event: int, before: Collection[int]) -> bool:
        """Whether the earlier events of the publisher are among `before`."""
        publisher = self.script[event][0]
        return all(other in before for other in range(event) if self.script[other][0] == publisher)

    def _term(self, state: _State, site: int) -> int:
        return len(state.brokers[self.at[site]]) - 1

    def _active(self, state: _State, site: int) -> _Broker:
        return state.brokers[self.at[site]][-1]

    def _knows(self, term: int) -> bool:
        """Whether the broker knows who subscribes."""
        return term == 0 or self.safe.subscriptions

    def _overtakes(self, state: _State, copy: _Copy) -> bool:
        return self.safe.ordered and any(other.place < copy.place and other[1:5] == copy[1:5] for other in state.copies)

    def _numberable(self, state: _State, site: int) -> list[int]:
        """Events that the broker has to ask the sequencer about next."""
        if not self.total:
            return []
        here = self._active(state, site)
        numbered = {event for event, _ in here.numbers}
        ever = {event for broker in state.brokers[self.at[site]] for event, _ in broker.numbers}
        return [
            event
            for event in sorted({copy.event for copy in here.taken})
            if self.homes[event] == site and event not in numbered and self._follows(event, ever)
        ]

    def _held(self, broker: _Broker, event: int) -> tuple[int, ...] | None:
        """The sequencer's numbers of an event, as a broker has them; None before it has."""
        return next((numbers for other, numbers in broker.numbers if other == event), None)

    def _waiting(self, state: _State, site: int, event: int) -> list[tuple[Counter, int, int, int]]:
        """For each turn that the event needs at a site: the counter, the number, `other` and `other_term` of a step."""
        here = self._active(state, site)
        numbering = self.world.numbering
        if numbering is None:
            return [((), 0, CLIENT, 0)]
        if numbering == "publisher":
            return [(("publisher", self.script[event][0]), self.own[event], CLIENT, 0)]
        if numbering == "link":
            return [
                (
                    ("publisher", self.script[event][0]) if copy.source == CLIENT else ("link", copy.source, site),
                    copy.numbers[0],
                    copy.source,
                    copy.source_term,
                )
                for copy in sorted(here.taken)
                if copy.event == event
            ]
        numbers = self._held(here, event)
        if numbers is None:
            return []
        if numbering == "sequencer":
            return [(("all",), numbers[0], CLIENT, 0)]
        return [
            (("subscriber", one), numbers[self.watched.index(one)], one, 0)
            for one in self.local[event, site]
            if numbers[self.watched.index(one)] and self._knows(self._term(state, site))
        ]

    def _turns(self, state: _State, site: int) -> list[Step]:
        here, term = self._active(state, site), self._term(state, site)
        counters = dict(here.counters)
        found = []
        for event in sorted({copy.event for copy in here.taken}):
            for counter, number, other, other_term in self._waiting(state, site, event):
                is_next = number == counters.get(counter, 0) + 1 if counter else (event, CLIENT) not in here.turned
                if is_next:
                    found.append(Step("turn", event, site, term, other, other_term))
        return found

    def _unsent(self, state: _State, site: int, term: int) -> list[tuple[int, int]]:
        """(event, site) that a broker has still to pass on."""
        broker = state.brokers[self.at[site]][term]
        if self.world.filtering and not self._knows(term):
            return []
        if self.world.numbering == "link":
            ready: Collection[int] = broker.passed
        elif self.total:
            ready = {event for event, _ in broker.numbers}
        else:
            ready = {copy.event for copy in broker.taken}
        return [
            (event, on) for event in sorted(ready) for on in self.onward[event][site] if (event, on) not in broker.sent
        ]

    def _had_its_turn(self, state: _State, site: int, event: int) -> bool:
        """Whether the broker has nothing more to do with an event but to pass it on."""
        here = self._active(state, site)
        counters = dict(here.counters)
        if self.total and self._held(here, event) is None:
            return False
        waiting = self._waiting(state, site, event)
        over = (number <= counters.get(counter, 0) for counter, number, _, _ in waiting if counter)
        if self.world.numbering == "link":
            return event in here.passed or any(over)
        return all(over) if self.total or self.world.numbering else (event, CLIENT) in here.turned

    def _needed(self, state: _State, site: int, event: int) -> tuple[int, ...]:
        """Sites that have to acknowledge an event before the broker does."""
        here = self._active(state, site)
        if self.world.filtering and not self._knows(self._term(state, site)):
            return ()
        if self.world.numbering == "link" and event not in here.passed:
            return ()  # another event had its number: the broker takes it for one that it has passed on
        return self.onward[event][site]

    # -- what happens -------------------------------------------------------------------------------------------------

    def _settle(self, state: _State, touched: set[int] | None = None) -> _State:
        """Let every site that does not fail any more do what it can, and every other one all but passing on."""
        waiting = list(self.sites) if touched is None else sorted(touched)
        while True:
            while waiting:
                site = waiting[-1]
                step = self._at_once(state, site)
                if step is None:
                    waiting.pop()
                    continue
                state = self._do(state, step)
                if step.kind == "ack":
                    # Those that it is told may now have all that they wait for.
                    before = self.before[step.event][site]
                    waiting += [before] if before != CLIENT else []
            copy = next(
                (
                    copy
                    for copy in sorted(state.copies)
                    if self._can_take(state, copy) and (self._is_calm(state, copy) or self._is_known(state, copy))
                ),
                None,
            )
            if copy is None:
                return state
            before = self.before[copy.event][copy.site]
            state = self._do(state, _taking(copy))
            waiting = [copy.site] if before == CLIENT else [before, copy.site]

    def _is_calm(self, state: _State, copy: _Copy) -> bool:
        """Whether it makes no difference when the copy is taken in.

        Where counters are kept no two events have one number, so what a site delivers, and in which order, depends on
        which copies come, and not on when. When matters to a broker that is still to fail, and to who gets which
        number.
        """
        if not self._is_monotonous():
            return False
        if state.failures < self.budget and copy.term < self.failing.get(copy.site, 0):
            return False
        if self.world.numbering == "publisher":
            return True
        sources = {before[copy.site] for before in self.before if copy.site in before}
        return copy.source != CLIENT and (self.total or len(sources) == 1)

    def _is_known(self, state: _State, copy: _Copy) -> bool:
        """Whether the copy changes nothing where it comes."""
        return copy.term == self._term(state, copy.site) and any(
            (other.event, other.numbers) == (copy.event, copy.numbers)
            and (other.source == copy.source or self.world.numbering != "link")
            for other in self._active(state, copy.site).taken
        )

    def _at_once(self, state: _State, site: int) -> Step | None:
        here = self._active(state, site)
        if not here.taken:
            return None
        term = self._term(state, site)
        for event in self._numberable(state, site) if not self._turns_late() else ():
            return Step("number", event, site, term)
        may_fail = state.failures < self.budget and term < self.failing.get(site, 0)
        if not (may_fail and self._turns_late()):
            for step in self._turns(state, site):
                return step
        if may_fail:
            return None
        for event, on in self._unsent(state, site, term):
            return Step("send", event, site, term, on)
        if state.failures < self.budget:
            for event in self._events_at(state, site):
                if event not in here.acked and self._is_done(state, site, event):
                    return Step("ack", event, site, term)
        return None

    def _is_done(self, state: _State, site: int, event: int) -> bool:
        here = self._active(state, site)
        return self.safe.early or (
            self._had_its_turn(state, site, event)
            and all((event, on) in here.heard for on in self._needed(state, site, event))
        )

    def _do(self, state: _State, step: Step) -> _State:
        if step.kind == "publish":
            return self._publish(state, step.event)
        self._done.append(step)
        if step.kind == "take":
            return self._take(state, step)
        if step.kind == "number":
            return self._number(state, step)
        if step.kind == "turn":
            return self._turn(state, step)
        if step.kind == "send":
            return self._send(state, step)
        if step.kind == "ack":
            return self._ack(state, step.event, step.site)
        return self._fail(state, step)

    def _with(self, state: _State, site: int, broker: _Broker, term: int = -1) -> _State:
        index = self.at[site]
        terms = list(state.brokers[index])
        terms[term] = broker
        return state._replace(brokers=(*state.brokers[:index], tuple(terms), *state.brokers[index + 1 :]))

    def _publish(self, state: _State, event: int) -> _State:
        home = self.homes[event]
        term = self._term(state, home)
        self._done.append(Step("publish", event, home, term))
        numbers = (self.own[event],) if self.world.numbering == "link" else ()
        copy = _Copy(event, CLIENT, self.script[event][0], home, term, numbers, self.own[event])
        return state._replace(copies=state.copies | {copy}, published=state.published | {event})

    def _take(self, state: _State, step: Step) -> _State:
        (copy,) = [
            copy
            for copy in state.copies
            if (copy.event, copy.site, copy.term, copy.source, copy.source_term) == step[1:]
        ]
        here = self._active(state, step.site)
        event = step.event
        is_first = all(other.event != event for other in here.taken)
        here = here._replace(taken=here.taken | {copy})
        if is_first and self.total and copy.source != CLIENT:
            here = here._replace(numbers=here.numbers | {(event, copy.numbers)})
        had = self.safe.counters and any(
            key[0] == event for broker in state.brokers[self.at[step.site]][:-1] for key in broker.turned
        )
        if self.world.numbering == "link" and had:
            here = here._replace(passed=here.passed | {event})
        state = self._with(state, step.site, here)._replace(copies=state.copies - {copy})
        return self._hear(state, copy) if event in here.acked else state

    def _number(self, state: _State, step: Step) -> _State:
        event = step.event
        if self.world.numbering == "sequencer":
            state, number = self._give(state, self.world.sequencer, -1, ("all",), event)
            numbers: tuple[int, ...] = (number,)
        else:
            numbers = ()
            for one in self.watched:
                number = 0
                if self.script[event][1] in self.world.members[one].wants and self._knows(step.term):
                    state, number = self._give(state, self.world.sequencer, -1, ("subscriber", one), event)
                numbers = (*numbers, number)
        here = self._active(state, step.site)
        return self._with(state, step.site, here._replace(numbers=here.numbers | {(event, numbers)}))

    def _give(self, state: _State, site: int, term: int, counter: Counter, event: int) -> tuple[_State, int]:
        """The number of an event, of a counter that the broker keeps; the one that it gave before, where it knows."""
        broker = state.brokers[self.at[site]][term]
        mine = [entry for entry in broker.table if entry[0] == counter]
        for _, other, number in mine:
            if other == event:
                return state, number
        number = len(mine) + 1
        state = self._with(state, site, broker._replace(table=broker.table | {(counter, event, number)}), term)
        if not self.safe.counters:
            # In one order: the first is told.
            for other in sorted(other for kept, other, same in state.given if (kept, same) == (counter, number)):
                if other != event:
                    ones = self._concerned(counter, event, other)
                    if ones:
                        self._bad.append(("number", tuple(sorted((other, event))), ones))
            state = state._replace(given=state.given | {(counter, event, number)})
        return state, number

    def _concerned(self, counter: Counter, *events: int) -> tuple[int, ...]:
        """The first watched subscriber who wants one of the events and gets it with a number of the counter."""
        topics = {self.script[event][1] for event in events}
        for one in self.watched:
            member = self.world.members[one]
            if not topics & member.wants:
                continue
            if counter[0] == "link" and int(counter[1]) in self.world.path(int(counter[2]), member.site):
                continue
            if counter[0] == "subscriber" and counter[1] != one:
                continue
            return (one,)
        return ()

    def _turn(self, state: _State, step: Step) -> _State:
        event, site = step.event, step.site
        here = self._active(state, site)
        for counter, number, other, other_term in self._waiting(state, site, event):
            if counter and (other, other_term) == (step.other, step.other_term):
                counters = dict(here.counters)
                counters[counter] = number
                here = here._replace(counters=frozenset(counters.items()))
        one_only = self.world.numbering == "subscriber"
        key = (event, step.other if one_only else CLIENT)
        delivered = key in here.seen or key in here.turned
        here = here._replace(turned=here.turned | {key}, seen=here.seen | {key})
        if self.world.numbering == "link":
            here = here._replace(passed=here.passed | {event})
        state = self._with(state, site, here)
        if self.world.numbering == "link":
            for on in self.onward[event][site] if self._knows(step.term) or not self.world.filtering else ():
                state, _ = self._give(state, site, -1, ("link", site, on), event)
        if not delivered and self._knows(step.term):
            for one in (step.other,) if one_only else self.local[event, site]:
                state = self._deliver(state, one, event)
        return state

    def _deliver(self, state: _State, one: int, event: int) -> _State:
        index = self.watched.index(one)
        got = state.got[index]
        if event in got:
            self._bad.append(("twice", (event,), (one,)))
            return state
        publisher = self.script[event][0]
        if self.world.order == "fifo":
            wants = self.world.members[one].wants
            for other in range(event):
                if self.script[other][0] == publisher and self.script[other][1] in wants and other not in got:
                    self._bad.append(("order", (other, event), (one,)))
        after = (*got, event)
        if not self.total:
            # Only the order of each publisher's events matters.
            after = tuple(sorted(after, key=lambda other: self.script[other][0]))
        state = state._replace(got=(*state.got[:index], after, *state.got[index + 1 :]))
        if self.total and len(self.watched) == 2:
            first, second = state.got
            for one_event, another in combinations([event for event in first if event in second], 2):
                if second.index(one_event) > second.index(another):
                    self._bad.append(("order", (one_event, another), self.watched))
        return state

    def _send(self, state: _State, step: Step) -> _State:
        event, site, term, on = step.event, step.site, step.term, step.other
        broker = state.brokers[self.at[site]][term]
        numbers: tuple[int, ...] = ()
        if self.world.numbering == "link":
            state, number = self._give(state, site, term, ("link", site, on), event)
            broker = state.brokers[self.at[site]][term]
            numbers = (number,)
        elif self.total:
            numbers = self._held(broker, event) or ()
        place = sum(to == on for _, to in broker.sent) if self.safe.ordered else 0
        state = self._with(state, site, broker._replace(sent=(*broker.sent, (event, on))), term)
        copy = _Copy(event, site, term, on, self._term(state, on), numbers, place)
        return state._replace(copies=state.copies | {copy})

    def _ack(self, state: _State, event: int, site: int) -> _State:
        here = self._active(state, site)
        state = self._with(state, site, here._replace(acked=here.acked | {event}))
        for copy in sorted(here.taken):
            if copy.event == event:
                state = self._hear(state, copy)
        return state

    def _hear(self, state: _State, copy: _Copy) -> _State:
        """The sender of a copy learns that it need not send it again."""
        if copy.source == CLIENT:
            return state._replace(confirmed=state.confirmed | {copy.event})
        broker = state.brokers[self.at[copy.source]][copy.source_term]
        broker = broker._replace(heard=broker.heard | {(copy.event, copy.site)})
        return self._with(state, copy.source, broker, copy.source_term)

    def _fail(self, state: _State, step: Step) -> _State:
        site, term = step.site, step.term
        index = self.at[site]
        gone = state.brokers[index][-1]
        safe = self.safe
        successor = _Broker(
            seen=gone.seen if safe.seen else frozenset(),
            counters=gone.counters if safe.counters else frozenset(),
            table=gone.table if safe.counters else frozenset(),
        )
        again = set()
        kept = set()
        for copy in state.copies | gone.taken:
            if (copy.site, copy.term) != (site, term):
                kept.add(copy)
            elif safe.retransmit and not self._confirmed(state, copy) and self._lives(state, copy):
                again.add(copy._replace(term=term + 1))
        brokers = (*state.brokers[:index], (*state.brokers[index], successor), *state.brokers[index + 1 :])
        slow = state.slow | {(site, term)} if step.kind == "suspect" else state.slow
        return state._replace(brokers=brokers, slow=slow, copies=frozenset(kept | again), failures=state.failures + 1)

    def _confirmed(self, state: _State, copy: _Copy) -> bool:
        if copy.source == CLIENT:
            return copy.event in state.confirmed
        return (copy.event, copy.site) in state.brokers[self.at[copy.source]][copy.source_term].heard

    def _lives(self, state: _State, copy: _Copy) -> bool:
        return copy.source == CLIENT or copy.source_term == self._term(state, copy.source)
