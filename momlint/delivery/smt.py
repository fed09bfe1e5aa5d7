"""The engine smt: the same question to a solver, which chooses the events, their order and the failures.

One script (templates/failover.smt2.j2) says what a run is, with a moment for everything that happens; a model is a run.
Nothing is left out and nothing is chosen beforehand, other than in `explore`, with which it shares the form alone.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from momlint import resources
from momlint.delivery.world import CLIENT, FAULTS, Fault, Step, Story, World
from momlint.solving.choose import open_session

if TYPE_CHECKING:
    from jinja2 import Template

    from momlint.solving.limits import SolverLimits
    from momlint.solving.session import Model


class _Option(NamedTuple):
    """An event that may be published. `onward`: where each site passes it on."""

    number: int
    publisher: int
    topic: str
    home: int
    onward: dict[int, tuple[int, ...]]


class _Source(NamedTuple):
    """Who hands an event to a site: ``c``, a publisher there, or a broker of a site next to it."""

    name: str
    site: int
    term: int


class _Item(NamedTuple):
    """A turn of the event `e` at the broker (`s`, `k`); `tag`: the source where links are numbered, or a subscriber."""

    id: str
    e: int
    s: int
    k: int
    tag: str


class _Case(NamedTuple):
    """One way in which something is wrong."""

    formula: str
    events: tuple[int, int]
    subscribers: tuple[int, ...]


class _Continuum(NamedTuple):
    """Brokers of a site that give numbers from one table."""

    name: str
    terms: tuple[int, ...]


def decide(world: World, wanted: Collection[Fault], limits: SolverLimits, solver: str = "z3") -> dict[Fault, Story]:
    """A story for each of the faults that there is one for. Raises `GaveUp`."""
    return _Script(world).stories(wanted, limits, solver)


class _Script:
    def __init__(self, world: World) -> None:
        self.world = world
        self.safe = world.safeguards
        self.total = world.order == "total"
        self.events = range(world.bound.events)
        self.sites = range(len(world.parents))
        self.options: list[_Option] = []
        for publisher, member in enumerate(world.members):
            for topic in member.publishes:
                onward = world.onward(member.site, topic)
                self.options.append(_Option(len(self.options), publisher, topic, member.site, onward))
        self.publishers = list(dict.fromkeys(option.publisher for option in self.options))
        self.homes = {option.home for option in self.options}
        self.links = sorted({(u, s) for option in self.options for u, to in option.onward.items() for s in to})
        self.subscribers = [one for one, member in enumerate(world.members) if member.wants]
        self.judged = [one for one in self.subscribers if world.members[one].judged]
        self.failures = [(s, k) for s in self.sites for k in range(world.spare[s])]
        self.items = list(self._items())
        self.at: dict[tuple[int, int, int], list[_Item]] = {}
        self.of_site: dict[int, list[_Item]] = {s: [] for s in self.sites}
        for item in self.items:
            self.at.setdefault((item.e, item.s, item.k), []).append(item)
            self.of_site[item.s].append(item)
        self.order_cases = {fault: list(self._cases(fault)) for fault in ("twice", "number", "order")}
        happenings = len(self.events) * (len(self.sites) * 6 + 4) + world.bound.crashes * 3
        self.width = max(5, happenings.bit_length())

    # -- what there is ------------------------------------------------------------------------------------------------

    def terms(self, s: int) -> range:
        return range(self.world.spare[s] + 1)

    def sources(self, s: int) -> list[_Source]:
        found = [_Source("c", CLIENT, 0)] if s in self.homes else []
        return found + [
            _Source(f"{u}_{k}", u, k)
            for u, to in self.links
            if to == s
            for k in self.terms(u)
            # With filtering, who does not know who subscribes passes nothing on.
            if self.knows(k) or not self.world.filtering
        ]

    def knows(self, k: int) -> bool:
        return k == 0 or self.safe.subscriptions

    def _items(self) -> Iterator[_Item]:
        for e in self.events:
            for s in self.sites:
                for k in self.terms(s):
                    for tag in self._tags(s):
                        yield _Item(f"{e}_{s}_{k}_{tag}", e, s, k, tag)

    def _tags(self, s: int) -> list[str]:
        if self.world.numbering == "link":
            return [source.name for source in self.sources(s)]
        if self.world.numbering == "subscriber":
            return [str(one) for one in self.subscribers if self.world.members[one].site == s]
        return ["0"]

    def given_terms(self) -> list[int]:
        """Brokers of the sequencer that give numbers from tables of their own."""
        return [0] if self.safe.counters else list(self.terms(self.world.sequencer))

    def by(self, j: int, time: str) -> str:
        """That the number was given by the sequencer's broker `j`."""
        if self.safe.counters:
            return "true"
        q, parts = self.world.sequencer, []
        if j:
            parts.append(f"f_{q}_{j - 1} (bvult tf_{q}_{j - 1} {time})")
        if j < self.world.spare[q]:
            parts.append(f"(or (not f_{q}_{j}) (bvult {time} tf_{q}_{j}))")
        return f"(and {' '.join(parts)} true)"

    def continua(self, u: int) -> list[_Continuum]:
        knowing = [k for k in self.terms(u) if self.knows(k) or not self.world.filtering]
        if self.safe.counters:
            return [_Continuum("x", tuple(knowing))]
        return [_Continuum(str(k), (k,)) for k in knowing]

    def number(self, item: _Item) -> str:
        numbering = self.world.numbering
        if numbering == "publisher" or (numbering == "link" and item.tag == "c"):
            return f"own_{item.e}"
        if numbering == "link":
            u, k = item.tag.split("_")
            return f"ln_{item.e}_{u}_{'x' if self.safe.counters else k}_{item.s}"
        who = "all" if numbering == "sequencer" else item.tag
        return f"nm_{item.e}_{item.s}_{item.k}_{who}"

    def kept(self, item: _Item) -> list[_Item]:
        """Turns that go by the counter which the broker of an item has, if `group` holds."""
        return [
            other
            for other in self.of_site[item.s]
            if (other.k == item.k or (self.safe.counters and other.k < item.k)) and self.group(item, other) != "false"
        ]

    def group(self, one: _Item, other: _Item) -> str:
        """That two turns at a site go by one counter."""
        numbering = self.world.numbering
        by_publisher = numbering == "publisher"
        if numbering == "link":
            if (one.tag == "c") != (other.tag == "c"):
                return "false"
            if one.tag != "c":
                return "true" if one.tag.split("_")[0] == other.tag.split("_")[0] else "false"
            by_publisher = True
        if by_publisher:
            return "true" if one.e == other.e else f"same_{min(one.e, other.e)}_{max(one.e, other.e)}"
        if numbering == "subscriber":
            return "true" if one.tag == other.tag else "false"
        return "true"

    def known(self, item: _Item) -> list[_Item]:
        """Turns after which the broker does not deliver the event again."""
        return [
            other
            for k in range(item.k + 1)
            if k == item.k or self.safe.seen
            for other in self.at.get((item.e, item.s, k), [])
            if other.id != item.id and (self.world.numbering != "subscriber" or other.tag == item.tag)
        ]

    def items_for(self, e: int, x: int) -> list[_Item]:
        """Turns in which a subscriber gets an event."""
        s = self.world.members[x].site
        return [
            item
            for k in self.terms(s)
            for item in self.at.get((e, s, k), [])
            if self.world.numbering != "subscriber" or item.tag == str(x)
        ]

    def labels(self, e: int, s: int, k: int) -> list[str]:
        return [f"lab_{e}_{s}_{k}_{j}" for j in self.given_terms()]

    def chosen(self, e: int, options: Iterable[_Option]) -> list[str]:
        return [f"o_{e}_{option.number}" for option in options]

    # -- what is wrong ------------------------------------------------------------------------------------------------

    def _cases(self, fault: str) -> Iterator[_Case]:
        if fault == "twice":
            for e in self.events:
                for x in self.judged:
                    for one, other in combinations(self.items_for(e, x), 2):
                        yield _Case(f"(and wants_{e}_{x} dl_{one.id} dl_{other.id})", (e, e), (x,))
        elif fault == "number" and not self.safe.counters:
            for d, e in combinations(self.events, 2):
                yield from self._alike(d, e)
        elif fault == "order" and self.world.order == "fifo":
            for d, e in combinations(self.events, 2):
                for x in self.judged:
                    for item in self.items_for(e, x):
                        before = " ".join(
                            f"(not (and dl_{other.id} (bvult tu_{other.id} tu_{item.id})))"
                            for other in self.items_for(d, x)
                        )
                        wants = f"same_{d}_{e} wants_{d}_{x} wants_{e}_{x}"
                        yield _Case(f"(and {wants} dl_{item.id} {before})", (d, e), (x,))
        elif fault == "order" and self.total:
            for d, e in combinations(self.events, 2):
                for x, y in combinations(self.judged, 2):
                    for near, far in ((x, y), (y, x)):
                        yield _Case(f"(and {self._first(d, e, near)} {self._first(e, d, far)})", (d, e), (x, y))

    def _first(self, d: int, e: int, x: int) -> str:
        """That a subscriber got both events, `d` before `e`."""
        early, late = self.items_for(d, x), self.items_for(e, x)
        ways = []
        for item in early:
            after = " ".join(f"(not (and dl_{o.id} (bvult tu_{o.id} tu_{item.id})))" for o in late)
            ways.append(f"(and dl_{item.id} {after})")
        got = " ".join(f"dl_{o.id}" for o in late)
        return f"(and wants_{d}_{x} wants_{e}_{x} (or {' '.join(ways)} false) (or {got} false))"

    def _alike(self, d: int, e: int) -> Iterator[_Case]:
        """That two events have one number, and a subscriber has to do with it."""
        if self.world.numbering == "link":
            for u, s in self.links:
                for one, other in combinations(self.continua(u), 2):
                    for first, second in ((one.name, other.name), (other.name, one.name)):
                        edges = f"edge_{d}_{u}_{s} edge_{e}_{u}_{s} fu_{d}_{u}_{first} fu_{e}_{u}_{second}"
                        same = f"(= ln_{d}_{u}_{first}_{s} ln_{e}_{u}_{second}_{s})"
                        for x in self.judged:
                            if u not in self.world.path(s, self.world.members[x].site):
                                yield _Case(f"(and {edges} {same} (or wants_{d}_{x} wants_{e}_{x}))", (d, e), (x,))
        elif self.total:
            for old, new in combinations(self.given_terms(), 2):
                for i, j in ((old, new), (new, old)):
                    for x in self.judged:
                        each = self.world.numbering == "subscriber"
                        who = str(x) if each else "all"
                        wants = f"({'and' if each else 'or'} wants_{d}_{x} wants_{e}_{x})"
                        same = f"(= g_{d}_{i}_{who} g_{e}_{j}_{who})"
                        yield _Case(f"(and giv_{d}_{i} giv_{e}_{j} {same} {wants})", (d, e), (x,))

    # -- asking -------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The script."""
        world = self.world
        publishers = self.publishers
        crashes = combinations(self.failures, world.bound.crashes + 1)
        return _template().render(
            events=self.events,
            options=self.options,
            sites=self.sites,
            spare=world.spare,
            links=self.links,
            subscribers=self.subscribers,
            judged=self.judged,
            publishers=publishers,
            failures=self.failures,
            too_many_publishers=list(combinations(publishers, world.bound.publishers + 1)),
            too_many_failures=list(crashes),
            items=self.items,
            width=self.width,
            end=f"(bvnot (_ bv0 {self.width}))",
            numbering=world.numbering,
            total=self.total,
            filtering=world.filtering,
            counters=self.safe.counters,
            ordered=self.safe.ordered,
            early=self.safe.early,
            retransmit=self.safe.retransmit,
            given_terms=self.given_terms() if self.total else [],
            counted=["all"] if world.numbering == "sequencer" else [str(one) for one in self.subscribers],
            numberings=[f"{e}_{s}_{k}" for e in self.events for s in sorted(self.homes) for k in self.terms(s)],
            wrong=[*self.order_cases.items()],
            pairs=lambda things: list(combinations(things, 2)),
            chosen=self.chosen,
            at_home=lambda s: [option for option in self.options if option.home == s],
            wanted=lambda x: [option for option in self.options if option.topic in world.members[x].wants],
            over_link=lambda u, s: [option for option in self.options if s in option.onward.get(u, ())],
            of=lambda p: [option for option in self.options if option.publisher == p],
            sources=self.sources,
            terms=self.terms,
            has_client=lambda s: s in self.homes,
            knows=self.knows,
            by=self.by,
            continua=self.continua,
            onward=lambda s: [to for u, to in self.links if u == s],
            items_at=lambda e, s, k: self.at.get((e, s, k), []),
            items_of=lambda s: self.of_site[s],
            items_for=self.items_for,
            kept=self.kept,
            known=self.known,
            group=self.group,
            number=self.number,
            labels=self.labels,
        )

    def stories(self, wanted: Collection[Fault], limits: SolverLimits, solver: str) -> dict[Fault, Story]:
        """A story for each of the faults that there is one for."""
        if not self.options or not self.judged:
            return {}
        session = open_session(solver, self.text(), limits)
        found: dict[Fault, Story] = {}
        for fault in FAULTS:
            if fault in wanted and (fault == "lost" or self.order_cases[fault]):
                model = session.find(fault)
                if model is not None:
                    found[fault] = self._story(fault, model)
        return found

    def _story(self, fault: Fault, model: Model) -> Story:
        script = []
        for e in self.events:
            chosen = model.true([f"o_{e}_{option.number}" for option in self.options])
            if chosen:
                option = self.options[chosen[0]]
                script.append((option.publisher, option.topic))
        steps = sorted(
            ((self._moment(model, time), step) for flag, time, step in self._happenings(model) if model.true([flag])),
            key=lambda timed: timed[0],
        )
        events, subscribers = self._about(fault, model)
        return Story(fault, tuple(script), tuple(step for _, step in steps), events, subscribers)

    def _about(self, fault: Fault, model: Model) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if fault == "lost":
            both = [(e, x) for e in self.events for x in self.judged]
            e, x = both[model.true([f"lost_{e}_{x}" for e, x in both])[0]]
            return (e,), (x,)
        cases = self.order_cases[fault]
        case = cases[model.true([f"{fault}_{number}" for number in range(len(cases))])[0]]
        return tuple(dict.fromkeys(case.events)), case.subscribers

    def _moment(self, model: Model, time: str) -> int:
        return sum(1 << bit for bit in model.true([f"{time}_b{bit}" for bit in range(self.width)]))

    def _happenings(self, model: Model) -> Iterator[tuple[str, str, Step]]:
        """Whether, when and what."""
        for s, k in self.failures:
            crashed = bool(model.true([f"c_{s}_{k}"]))
            yield f"f_{s}_{k}", f"tf_{s}_{k}", Step("crash" if crashed else "suspect", site=s, term=k)
        for e in self.events:
            home = [option.publisher for option in self.options if model.true([f"o_{e}_{option.number}"])]
            for s in self.sites:
                for source in self.sources(s):
                    of = home[0] if source.site == CLIENT and home else source.term
                    name = f"{e}_{source.name}_{s}"
                    if source.site == CLIENT:
                        # To the broker that is active then.
                        terms = [k for k, _ in enumerate(self.terms(s)) if k and self._failed_before(model, s, k, name)]
                        yield f"snd_{name}", f"ts_{name}", Step("publish", e, s, len(terms))
                    else:
                        yield f"snd_{name}", f"ts_{name}", Step("send", e, source.site, source.term, s)
                    for k in self.terms(s):
                        yield f"tk_{name}_{k}", f"tt_{name}_{k}", Step("take", e, s, k, source.site, of)
                for k in self.terms(s):
                    if self.total:
                        yield f"nb_{e}_{s}_{k}", f"tn_{e}_{s}_{k}", Step("number", e, s, k)
                    yield f"ak_{e}_{s}_{k}", f"ta_{e}_{s}_{k}", Step("ack", e, s, k)
            for item in self.items:
                if item.e == e:
                    yield f"tr_{item.id}", f"tu_{item.id}", self._turn(item, home)

    def _failed_before(self, model: Model, s: int, k: int, name: str) -> bool:
        failed = bool(model.true([f"f_{s}_{k - 1}"]))
        return failed and self._moment(model, f"tf_{s}_{k - 1}") < self._moment(model, f"ts_{name}")

    def _turn(self, item: _Item, home: list[int]) -> Step:
        if self.world.numbering == "subscriber":
            return Step("turn", item.e, item.s, item.k, int(item.tag))
        if self.world.numbering != "link":
            return Step("turn", item.e, item.s, item.k)
        if item.tag == "c":
            return Step("turn", item.e, item.s, item.k, CLIENT, home[0] if home else 0)
        u, k = item.tag.split("_")
        return Step("turn", item.e, item.s, item.k, int(u), int(k))


@functools.cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(resources.read_text("templates", "failover.smt2.j2"))
