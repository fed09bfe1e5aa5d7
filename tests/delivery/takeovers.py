"""Brokers of a tree of sites that fail, for tests: follows a story and says who got what.

Written from docs/delivery.md alone, by sets of facts and not by brokers; it shares nothing with `momlint.delivery` but
the shapes of worlds and stories. A step that the protocol does not allow is an `AssertionError`.
"""

from __future__ import annotations

from collections import defaultdict

from momlint.delivery.world import Step, Story, World

Broker = tuple[int, int]


class Facts:
    """Everything that has happened, as relations."""

    def __init__(self, world: World, script: tuple[tuple[int, str], ...]) -> None:
        self.world, self.script = world, script
        self.active = [0] * len(world.parents)
        self.crashed: set[Broker] = set()
        # Copies: (event, from, to broker); what they carry; those that came; those that will not.
        self.sent: dict[tuple[int, object, Broker], dict] = {}
        self.when: dict[tuple[int, object, int], int] = {}
        self.came: dict[Broker, list[tuple[int, object]]] = defaultdict(list)
        self.numbered: dict[tuple[int, Broker], dict] = {}
        self.turns: dict[Broker, list[tuple[int, object, object, int]]] = defaultdict(list)
        self.acked: set[tuple[int, Broker]] = set()
        self.tables: dict[tuple[object, int], dict[int, int]] = defaultdict(dict)
        self.got: dict[int, list[int]] = defaultdict(list)
        self.clock = 0

    # -- geometry, by walking the tree ------------------------------------------------------------------------------

    def next_to(self, site: int) -> list[int]:
        parents = self.world.parents
        return [other for other in range(len(parents)) if parents[other] == site or parents[site] == other]

    def wants_beyond(self, topic: str, site: int, behind: int) -> bool:
        here = any(member.site == site and topic in member.wants for member in self.world.members)
        return here or any(self.wants_beyond(topic, on, site) for on in self.next_to(site) if on != behind)

    def towards(self, start: int, end: int) -> list[int]:
        if start == end:
            return [start]
        for on in self.next_to(start):
            walk = self._walk(on, end, start)
            if walk:
                return [start, *walk]
        raise AssertionError("the sites are not a tree")

    def _walk(self, here: int, end: int, behind: int) -> list[int]:
        if here == end:
            return [here]
        for on in self.next_to(here):
            if on != behind:
                walk = self._walk(on, end, here)
                if walk:
                    return [here, *walk]
        return []

    def home(self, event: int) -> int:
        return self.world.members[self.script[event][0]].site

    def before(self, event: int) -> list[int]:
        return [other for other in range(event) if self.script[other][0] == self.script[event][0]]

    def goes_to(self, event: int, broker: Broker) -> list[int]:
        site, take_overs = broker
        if self.world.filtering and take_overs and not self.world.safeguards.subscriptions:
            return []
        walk = self.towards(self.home(event), site)
        behind = walk[-2] if len(walk) > 1 else -1
        topic = self.script[event][1]
        on = [other for other in self.next_to(site) if other != behind]
        return [other for other in on if not self.world.filtering or self.wants_beyond(topic, other, site)]

    # -- counters ---------------------------------------------------------------------------------------------------

    def line(self, broker: Broker) -> list[Broker]:
        """Brokers whose counters the broker goes on with, itself the last."""
        site, last = broker
        return [(site, term) for term in range(last + 1)] if self.world.safeguards.counters else [broker]

    def table(self, what: object, broker: Broker) -> dict[int, int]:
        return self.tables[what, 0 if self.world.safeguards.counters else broker[1]]

    def give(self, what: object, broker: Broker, event: int) -> int:
        table = self.table(what, broker)
        return table.setdefault(event, len(table) + 1)

    def reached(self, broker: Broker, counter: object) -> int:
        """The last number of a counter that had its turn."""
        return max((n for one in self.line(broker) for _, _, c, n in self.turns[one] if c == counter), default=0)

    def turns_of(self, event: int, broker: Broker) -> list[tuple[object, object, int]]:
        """(what it is a turn of, counter, number) for each turn that the event needs."""
        numbering, publisher = self.world.numbering, self.script[event][0]
        if numbering is None:
            return [(None, None, 0)]
        own = len(self.before(event)) + 1
        if numbering == "publisher":
            return [(None, publisher, own)]
        if numbering == "link":
            found = []
            for other, source in self.came[broker]:
                if other == event:
                    client = source == "client"
                    number = own if client else self.sent[event, source, broker]["number"]
                    found.append((source, ("client", publisher) if client else source[0], number))
            return found
        numbers = self.numbers(event, broker)
        if numbering == "sequencer":
            return [(None, "all", numbers["all"])] if numbers else []
        knows = broker[1] == 0 or self.world.safeguards.subscriptions
        return [
            (one, one, number)
            for one, number in (numbers or {}).items()
            if isinstance(one, int) and self.world.members[one].site == broker[0] and knows
        ]

    def numbers(self, event: int, broker: Broker) -> dict | None:
        """The sequencer's, as the broker has them."""
        if broker[0] == self.home(event):
            return self.numbered.get((event, broker))
        first = next((source for other, source in self.came[broker] if other == event), None)
        return None if first is None else self.sent[event, first, broker]["numbers"]

    def may_pass(self, event: int, broker: Broker) -> bool:
        has = any(other == event for other, _ in self.came[broker])
        if self.world.numbering == "link":
            return has and any(other == event for one in self.line(broker) for other, *_ in self.turns[one])
        return has and (self.world.order != "total" or self.numbers(event, broker) is not None)

    def is_acknowledged(self, event: int, source: object, site: int) -> bool:
        """Whether some broker of the site has had this sender's copy and acknowledged the event."""
        return any(
            (event, source) in self.came[site, term] and (event, (site, term)) in self.acked
            for term in range(self.active[site] + 1)
        )

    # -- steps ------------------------------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        self.clock += 1
        broker = (step.site, step.term)
        if step.kind != "send":
            assert self.active[step.site] == step.term, step
        getattr(self, step.kind)(step, broker)

    def publish(self, step: Step, broker: Broker) -> None:
        assert step.site == self.home(step.event)
        assert all((other, "client", self.home(other)) in self.when for other in self.before(step.event))
        assert (step.event, "client", step.site) not in self.when
        self.when[step.event, "client", step.site] = self.clock
        self.sent[step.event, "client", broker] = {}

    def take(self, step: Step, broker: Broker) -> None:
        source = "client" if step.other < 0 else (step.other, step.other_term)
        assert (step.event, source, broker) in self.sent, step
        assert (step.event, source) not in self.came[broker], step
        if self.world.safeguards.ordered:
            for other, sender, to in self.sent:
                same = source != "client" or self.script[other][0] == self.script[step.event][0]
                if (sender, to) == (source, broker) and same and (other, source) not in self.came[broker]:
                    mine = self.when[step.event, source, step.site]
                    assert self.when[other, source, step.site] >= mine, step
        self.came[broker].append((step.event, source))

    def number(self, step: Step, broker: Broker) -> None:
        event, world = step.event, self.world
        assert world.order == "total"
        assert (event, "client") in self.came[broker], step
        assert (event, broker) not in self.numbered, step
        site, term = broker
        assert all(any((o, (site, t)) in self.numbered for t in range(term + 1)) for o in self.before(event)), step
        giver = (world.sequencer, self.active[world.sequencer])
        knows = term == 0 or world.safeguards.subscriptions
        if world.numbering == "sequencer":
            numbers: dict = {"all": self.give("all", giver, event)}
        else:
            topic = self.script[event][1]
            want = [one for one, member in enumerate(world.members) if topic in member.wants and knows]
            numbers = {"asked": True, **{one: self.give(("for", one), giver, event) for one in want}}
        self.numbered[event, broker] = numbers

    def turn(self, step: Step, broker: Broker) -> None:
        event, numbering = step.event, self.world.numbering
        assert any(other == event for other, _ in self.came[broker]), step
        what: object = None
        if numbering == "link":
            what = "client" if step.other < 0 else (step.other, step.other_term)
        elif numbering == "subscriber":
            what = step.other
        ((_, counter, number),) = [one for one in self.turns_of(event, broker) if one[0] == what]
        if numbering is None:
            assert not any(other == event for other, *_ in self.turns[broker]), step
        else:
            assert self.reached(broker, counter) + 1 == number, step
        knowing = [broker]
        if self.world.safeguards.seen:
            knowing = [(broker[0], term) for term in range(broker[1] + 1)]
        key = what if numbering == "subscriber" else None
        known = any(o == event and (key is None or w == key) for one in knowing for o, w, *_ in self.turns[one])
        self.turns[broker].append((event, what, counter, number))
        if numbering == "link":
            for on in self.goes_to(event, broker):
                self.give((broker[0], on), broker, event)
        if known or (broker[1] and not self.world.safeguards.subscriptions):
            return
        for one, member in enumerate(self.world.members):
            here = member.site == broker[0] and self.script[event][1] in member.wants
            if here and (key is None or key == one):
                self.got[one].append(event)

    def send(self, step: Step, broker: Broker) -> None:
        event, on = step.event, step.other
        assert broker not in self.crashed, step
        assert self.may_pass(event, broker), step
        assert on in self.goes_to(event, broker), step
        assert (event, broker, on) not in self.when, step
        self.when[event, broker, on] = self.clock
        carried: dict = {"numbers": self.numbers(event, broker)} if self.world.order == "total" else {}
        if self.world.numbering == "link":
            carried["number"] = self.give((broker[0], on), broker, event)
        self.sent[event, broker, (on, self.active[on])] = carried

    def ack(self, step: Step, broker: Broker) -> None:
        event = step.event
        assert any(other == event for other, _ in self.came[broker]), step
        assert (event, broker) not in self.acked
        if not self.world.safeguards.early:
            over = [
                self.reached(broker, counter) >= number
                for _, counter, number in self.turns_of(event, broker)
                if counter is not None
            ]
            passes = self.may_pass(event, broker)
            if self.world.numbering is None:
                assert any(other == event for other, *_ in self.turns[broker]), step
            elif self.world.numbering == "link":
                assert passes or any(over), step
            else:
                assert passes, step
                assert all(over), step
            if passes:
                assert all(self.is_acknowledged(event, broker, on) for on in self.goes_to(event, broker)), step
        self.acked.add((event, broker))

    def crash(self, step: Step, broker: Broker) -> None:
        self.crashed.add(broker)
        self.suspect(step, broker)

    def suspect(self, step: Step, broker: Broker) -> None:
        site, term = broker
        assert term < self.world.spare[site]
        assert sum(self.active) < self.world.bound.crashes
        again = {}
        for (event, source, to), carried in self.sent.items():
            alive = source == "client" or self.active[source[0]] == source[1]
            if to == broker and alive and not self.is_acknowledged(event, source, site):
                again[event, source, (site, term + 1)] = carried
        self.active[site] += 1
        if self.world.safeguards.retransmit:
            self.sent |= again


def follow(world: World, script: tuple[tuple[int, str], ...], steps: list[Step]) -> Facts:
    """All that has happened after these steps."""
    facts = Facts(world, script)
    for step in steps:
        facts.do(step)
    return facts


def is_wrong(facts: Facts, story: Story) -> bool:
    """Whether what the story says has come about. What is lost must not be on its way to a broker that acts."""
    if story.fault == "twice":
        return facts.got[story.subscribers[0]].count(story.events[0]) > 1
    if story.fault == "lost":
        return story.events[0] not in facts.got[story.subscribers[0]]
    if story.fault == "number":
        tables: dict[object, list[tuple[int, int]]] = defaultdict(list)
        for (what, _), table in facts.tables.items():
            tables[what] += table.items()
        first, second = story.events
        return any(
            m == n for entries in tables.values() for e, m in entries for d, n in entries if (e, d) == (first, second)
        )
    first, second = story.events
    if facts.world.order == "fifo":
        got = facts.got[story.subscribers[0]]
        return second in got and first not in got[: got.index(second)]
    one, other = (facts.got[member] for member in story.subscribers)
    return (one.index(first) < one.index(second)) != (other.index(first) < other.index(second))
