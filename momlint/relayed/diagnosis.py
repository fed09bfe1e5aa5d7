"""From fates to root causes: one finding a loop, a set of duplicates, a filter, a pair out of reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from momlint.findings import Draft, Place, RelatedDraft, Witness
from momlint.relayed.classes import Passed, Rewritten
from momlint.relayed.fates import Fates, Told
from momlint.relayed.form import Relay
from momlint.relayed.mending import Cut, Doubled, Thinned, Trials, cut_of, thinned
from momlint.relayed.patterns import SEPARATORS, Constraint, Pattern, Sets, Tokens, whole
from momlint.words import arrow, counted, listed

#: What goes straight to a queue of RabbitMQ is published to it.
_DEFAULT_EXCHANGE = "amq.default"
#: So many findings of a kind are told of one estate.
MOST = 100


class _Groups:
    """Things that have to do with one another, by union: links of one connection, ways that share a link."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, one: str) -> str:
        """What stands for all of its group."""
        while self._above.setdefault(one, one) != one:
            one = self._above[one]
        return one

    def join(self, several: Iterable[str]) -> None:
        """Put them into one group."""
        first, *others = [self.root(one) for one in several]
        for other in others:
            self._above[other] = first


def place_of(relay: Relay, step: Passed) -> Place:
    """Where the entry stands that lets a copy pass."""
    return relay.arcs[step.arc].entries[step.entry].place


def _order(relay: Relay, step: Passed) -> tuple[int, int]:
    """Where it stands in the estate's text, as far as it orders links."""
    return relay.arcs[step.arc].link, step.entry


def _connections(relay: Relay, steps: Iterable[Passed]) -> list[str]:
    return list(dict.fromkeys(relay.arcs[step.arc].connection for step in steps))


class _Cycle:
    """A cycle of one class; `steps` begin at the first of its brokers in the file."""

    def __init__(self, fates: Fates, one: Told, steps: Sequence[Passed]) -> None:
        self.relay = fates.relay
        arcs = self.relay.arcs
        first = min(range(len(steps)), key=lambda number: arcs[steps[number].arc].tail)
        self.steps = [*steps[first:], *steps[:first]]
        self.walk = [arcs[step.arc].tail for step in self.steps]
        self.walk.append(self.walk[0])
        self.names = [self.relay.names[broker] for broker in self.walk]
        self.topic = fates.name(one.found, self.steps[-1].topic)
        self.connections = _connections(self.relay, self.steps)
        self.rank = len(self.steps), self.walk, one.found.origin
        self.one = one

    @property
    def goes_back(self) -> bool:
        """Whether it goes nowhere but back the way it came."""
        hops = set(zip(self.walk, self.walk[1:], strict=False))
        return all((head, tail) in hops for tail, head in hops)

    @property
    def between(self) -> str:
        """Its brokers."""
        return listed(list(dict.fromkeys(self.names)), 6)

    def last(self) -> Passed:
        """The step whose line stands last: the one that closed the cycle."""
        return max(self.steps, key=lambda step: _order(self.relay, step))

    def related(self, last: Passed) -> tuple[RelatedDraft, ...]:
        """The other lines of it."""
        seen, found = {place_of(self.relay, last)}, []
        for step in self.steps:
            place, arc = place_of(self.relay, step), self.relay.arcs[step.arc]
            if place not in seen:
                seen.add(place)
                text = f"`{self.relay.names[arc.tail]}` passes it on to `{self.relay.names[arc.head]}` here"
                found.append(RelatedDraft(place, text))
        return tuple(found)


def _grouped(cycles: Sequence[_Cycle]) -> list[list[_Cycle]]:
    """Cycles that share a connection, the shortest first."""
    groups = _Groups()
    for cycle in cycles:
        groups.join(cycle.connections)
    found: dict[str, list[_Cycle]] = {}
    for cycle in sorted(cycles, key=lambda one: one.rank):
        found.setdefault(groups.root(cycle.connections[0]), []).append(cycle)
    return list(found.values())


def loops(fates: Fates) -> tuple[list[Draft], set[str]]:
    """MOM801 and MOM807, and the connections that are on cycles."""
    endless = [_Cycle(fates, one, steps) for one in fates.told for steps in one.fate.cycles]
    growing = [_Cycle(fates, one, one.fate.growth) for one in fates.told if one.fate.growth]
    round_and_round = {connection for cycle in (*endless, *growing) for connection in cycle.connections}
    drafts = [_growth(cycle) for cycle, *_ in _grouped(growing)]
    longer = {connection for cycle in growing for connection in cycle.connections}
    apart = [group for group in _grouped(endless) if longer.isdisjoint(group[0].connections)]
    trials = Trials(fates)
    drafts += [_loop(trials, group) for group in apart[:MOST]]
    return drafts[:MOST], round_and_round


def _loop(trials: Trials, group: Sequence[_Cycle]) -> Draft:
    cycle = group[0]
    last = cycle.last()
    looping = list({id(other.one): other.one for other in group}.values())
    arc, names = cycle.relay.arcs[last.arc], cycle.relay.names
    tail, head = names[arc.tail], names[arc.head]
    return Draft(
        "MOM801",
        place_of(cycle.relay, last),
        f"messages such as `{cycle.topic}` go round for ever between {cycle.between}",
        help=_what_to_leave_out(cut_of(trials, looping, last.arc), tail, head),
        witness=Witness(walk=tuple(cycle.names), topic=cycle.topic),
        related=cycle.related(last),
        label=f"`{tail}` passes them on to `{head}`",
        data={"topic": cycle.topic, "broker": tail, "to": head},
    )


def _what_to_leave_out(cut: Cut | None, tail: str, head: str) -> str:
    if cut is None:
        return f"leave out the way from `{tail}` to `{head}`, or narrow its filter; then look again"
    if cut.connections:
        which = "connection" if len(cut.connections) == 1 else "connections"
        what = f"leave out the {which} {listed(list(cut.connections), 8)}"
    else:
        what = f"leave out the way from `{tail}` to `{head}`, or narrow its filter"
    return (
        f"{what}: the others deliver already" if cut.delivers else f"{what}; or rename so that no filter matches again"
    )


def _growth(cycle: _Cycle) -> Draft:
    last = cycle.last()
    entries = [cycle.relay.arcs[step.arc].entries[step.entry] for step in cycle.steps]
    added = sum(len(entry.add) for entry in entries)
    cut = sum(len(entry.strip) for entry in entries)
    how = "longer" if added >= cut else "shorter"
    return Draft(
        "MOM807",
        place_of(cycle.relay, last),
        f"a topic comes back to `{cycle.names[0]}` {how} every time, and goes round again",
        help="narrow the filter so that it does not match what has been renamed already",
        witness=Witness(walk=tuple(cycle.names), topic=cycle.topic if len(cycle.topic) < 80 else None),
        related=cycle.related(last),
        label="this renames it once more",
        data={"broker": cycle.names[0]},
    )


def guarded_loops(fates: Fates, told: set[str]) -> Iterator[Draft]:
    """MOM802: cycles that a hop limit or a visited set cuts; not those that are `told` of already.

    That two brokers do not send back what they got is what a visited set is for, and nothing to speak of. A cycle that
    hop limits end as well as a visited set is a ring that is meant, as in federations: neither is missing. So is one
    that a limit ends whose hops have a counter of their own: nothing else is there to end it.
    """
    relay = fates.relay
    limited = any(arc.max_hops is not None for arc in relay.arcs)
    cycles: list[tuple[_Cycle, str]] = []
    # Where every broker is remembered, nothing comes back, whatever the limits are.
    if limited and None in relay.identity:
        for one in fates.unguarded(hops=False, visited=True):
            cycles += [
                (_Cycle(fates, one, steps), "a hop limit")
                for steps in one.fate.cycles
                if not any(_is_meant(relay, step) for step in steps)
            ]
    if relay.remembers and not _is_forest(relay):
        for one in fates.unguarded(hops=True, visited=False):
            for steps in one.fate.cycles:
                cycle = _Cycle(fates, one, steps)
                if not cycle.goes_back and not _moves(cycle):
                    cycles.append((cycle, "the memory of where a message has been"))
    why = {id(cycle): guard for cycle, guard in cycles}
    for cycle, *_ in _grouped([cycle for cycle, _ in cycles])[:MOST]:
        if told.isdisjoint(cycle.connections):
            last = cycle.last()
            yield Draft(
                "MOM802",
                place_of(cycle.relay, last),
                f"messages such as `{cycle.topic}` would go round between {cycle.between}, but for {why[id(cycle)]}",
                help="leave out a way of the cycle, if it is not there for the sake of failures",
                witness=Witness(walk=tuple(cycle.names), topic=cycle.topic),
                related=cycle.related(last),
                label="this closes the cycle",
                data={"topic": cycle.topic, "guard": why[id(cycle)]},
            )


def _is_meant(relay: Relay, step: Passed) -> bool:
    """Whether an arc has a limit that is there to end cycles."""
    arc = relay.arcs[step.arc]
    return arc.max_hops is not None and relay.estate.links[arc.link].counter is not None


def _moves(cycle: _Cycle) -> bool:
    """Whether it is one of federated queues of RabbitMQ: what is in a queue moves to where it is consumed."""
    return cycle.relay.language.syntax == "amqp" and cycle.topic.startswith(f"{_DEFAULT_EXCHANGE}.")


def duplicates(fates: Fates, looping: set[str]) -> tuple[list[Draft], set[str]]:
    """MOM804, and the connections it speaks of: several copies of one message at a broker under one name.

    Ways that part over the same connections are one cause. A loop's copies are the loop's affair.
    """
    relay = fates.relay
    causes: list[tuple[list[str], tuple[object, ...], Doubled, int]] = []
    groups = _Groups()
    for one in fates.told:
        for (broker, topic), arriving in one.fate.arrivals.items():
            doubled = Doubled(one, (broker, topic))
            copies = arriving + doubled.is_back
            if copies < 2 or relay.estate.brokers[broker].external or not _is_wanted(fates, one, broker, topic):
                continue
            ways = doubled.ways
            links = [set(_connections(relay, way)) for way in ways]
            parted = sorted(links[0] ^ links[1]) or sorted(links[0])
            if not looping.isdisjoint(parted):
                continue
            groups.join(parted)
            rank = len(ways[0]) + len(ways[1]), one.found.origin, broker
            causes.append((parted, rank, doubled, copies))
    found: dict[str, list[tuple[Doubled, int]]] = {}
    for parted, _, doubled, copies in sorted(causes, key=lambda cause: cause[1]):
        found.setdefault(groups.root(parted[0]), []).append((doubled, copies))
    trials = Trials(fates)
    drafts = [_duplicate(fates, trials, group) for group in list(found.values())[:MOST]]
    return drafts, {connection for parted, *_ in causes for connection in parted}


def _is_forest(relay: Relay) -> bool:
    """Whether brokers are joined in one way at the most, so that a cycle only goes back the way it came."""
    groups = _Groups()
    for tail, head in {(min(arc.tail, arc.head), max(arc.tail, arc.head)) for arc in relay.arcs}:
        if groups.root(str(tail)) == groups.root(str(head)):
            return False
        groups.join((str(tail), str(head)))
    return True


def _is_wanted(fates: Fates, one: Told, broker: int, topic: Rewritten) -> bool:
    """Whether anybody at the broker gets it; where nobody says what is wanted, everybody does."""
    relay = fates.relay
    if relay.wants_unsaid(broker):
        return True
    return any(need.broker == broker and fates.classes.meets(one.found, topic, need) for need in relay.wanted)


def _duplicate(fates: Fates, trials: Trials, group: Sequence[tuple[Doubled, int]]) -> Draft:
    doubled, copies = group[0]
    one, place = doubled
    relay, ways = fates.relay, doubled.ways
    where, source = relay.names[place[0]], relay.names[one.found.origin]
    topic = fates.name(one.found)
    paths = tuple(arrow([source, *(relay.names[relay.arcs[step.arc].head] for step in way)]) for way in ways)
    other = set(ways[0]).symmetric_difference(ways[1]) or set(ways[0])
    mended = thinned(trials, [doubled for doubled, _ in group])
    last = max(other, key=lambda step: (mended is not None and step.arc == mended.arc, _order(relay, step)))
    related = []
    seen = {place_of(relay, last)}
    for step in (way[-1] for way in ways if way):
        if place_of(relay, step) not in seen:
            seen.add(place_of(relay, step))
            related.append(RelatedDraft(place_of(relay, step), "a copy comes by this"))
    return Draft(
        "MOM804",
        place_of(relay, last),
        f"`{where}` gets {counted(copies, 'copy', 'copies')} of messages such as `{topic}` from "
        + ("its own publishers" if doubled.is_back else f"`{source}`"),
        help=_ONE_FOR_ALL if _is_one_way(ways) else _how_to_thin(relay, mended),
        witness=Witness(source=source, destination=where, topic=topic, paths=paths),
        related=tuple(related),
        label="one copy comes by this",
        data={"topic": topic, "broker": where, "copies": copies},
    )


#: What to do about copies that come by one way.
_ONE_FOR_ALL: Final = (
    "let one copy cross for all who subscribe: `conduitSubscriptions` in ActiveMQ, `per_subscription` here"
)


def _is_one_way(ways: Sequence[Sequence[Passed]]) -> bool:
    """Whether copies come by the same links, which carry one for each subscription."""
    first, second = ([step.arc for step in way] for way in ways)
    return first == second


def _how_to_thin(relay: Relay, mended: Thinned | None) -> str:
    if mended is None:
        return "leave out one of the ways, or narrow its filter"
    arc = relay.arcs[mended.arc]
    if mended.limit is not None:
        lower = f"lower the limit on hops here from {arc.max_hops} to {mended.limit}"
        if mended.everywhere:
            return f"{lower}, and on the other links likewise: the shorter ways deliver already"
        return f"{lower}: the shorter way delivers already"
    ends = f"from `{relay.names[arc.tail]}` to `{relay.names[arc.head]}`"
    return f"leave out the way {ends}, or narrow its filter: the other one delivers already"


def dead_filters(fates: Fates, locate: Callable[[Place], object] = lambda place: place) -> Iterator[Draft]:
    """MOM805: an entry that nothing passes by: an earlier one takes all of it, or nothing that is published matches.

    `locate`: where a place is in the text. Of a line that became several entries of an arc one is enough.
    """
    relay, sets = fates.relay, fates.classes.sets
    standing_by = _standing_by(relay)
    come: dict[int, list[tuple[Told, Rewritten]]] = {}
    for one in fates.told:
        for broker, topic in one.found.steps:
            come.setdefault(broker, []).append((one, topic))
    used = {
        (passed.arc, passed.entry)
        for one in fates.told
        for several in (*one.found.steps.values(), *one.found.unasked.values())
        for passed in several
    }
    told: set[Place] = set()
    for number, arc in enumerate(relay.arcs):
        lines: set[object] | None = None
        for position, entry in enumerate(arc.entries):
            if entry.given is None or entry.deny or (number, position) in used or entry.place in told:
                continue
            if relay.language.syntax in ("nats", "jms") and entry.given.filter == ">" and not entry.given.strip:
                continue  # that nothing is filtered is what a file does not say
            if lines is None:
                lines = {locate(arc.entries[one].place) for one in range(len(arc.entries)) if (number, one) in used}
            if locate(entry.place) in lines:
                continue
            shadow = _shadow(sets, relay, number, position)
            if shadow is not None:
                first = arc.entries[shadow]
                takes = "everything" if first.given is None else f"`{first.given.filter}`"
                told.add(entry.place)
                yield Draft(
                    "MOM805",
                    entry.place,
                    f"nothing passes by `{entry.given.filter}`: an earlier entry, {takes}, takes all of it",
                    help="put it before the other entry, or leave it out",
                    related=(RelatedDraft(first.place, "this one comes first"),),
                    label="never used",
                    data={"filter": entry.given.filter},
                )
            elif arc.tail in standing_by or (relay.language.syntax == "amqp" and arc.tail not in come):
                continue  # something comes there once another broker has failed; files of RabbitMQ have no filters
            elif arc.max_hops is not None and _matches_any(sets, entry.pattern, come.get(arc.tail, ())):
                continue  # it is the limit that lets nothing pass
            elif relay.declared and all(need.pattern is not None for need in relay.published):
                told.add(entry.place)
                tail = relay.names[arc.tail]
                yield Draft(
                    "MOM805",
                    entry.place,
                    f"nothing that is published comes to `{tail}` and matches `{entry.given.filter}`",
                    help="mend the filter, or leave it out",
                    label="never used",
                    data={"filter": entry.given.filter},
                )


def _matches_any(sets: Sets, pattern: Pattern | None, come: Sequence[tuple[Told, Rewritten]]) -> bool:
    return pattern is None or any(sets.matches(whole(pattern), one.found.called(topic)) for one, topic in come)


def _standing_by(relay: Relay) -> set[int]:
    """Brokers that links lead to once others have failed, and those behind them."""
    found: set[int] = set()
    waiting = [one for link in relay.estate.links for _, several in link.alternatives for one in several]
    while waiting:
        broker = waiting.pop()
        if broker not in found:
            found.add(broker)
            waiting += [relay.arcs[number].head for number in relay.outs[broker]]
    return found


def _shadow(sets: Sets, relay: Relay, number: int, position: int) -> int | None:
    """The first of the earlier entries that together take what this one matches; None where something is left."""
    from momlint.relayed.patterns import Constrained

    entries = relay.arcs[number].entries
    mine = entries[position].pattern
    assert mine is not None
    earlier: list[Constraint] = []
    for entry in entries[:position]:
        if entry.pattern is None:
            return 0
        earlier.append(whole(entry.pattern))
    if sets.example(Constrained((whole(mine),), tuple(earlier))) is not None:
        return None
    for place, one in enumerate(earlier):
        if sets.example(Constrained((whole(mine), one), ())) is not None:
            return place
    return None


_WRONG = {"mqtt": ("*", ">"), "amqp": ("+", ">"), "nats": ("#", "+"), "jms": ("#", "+"), "kafka": ()}
_SIGNS = frozenset("*>#+")
_NAMES = {"mqtt": "MQTT", "amqp": "AMQP", "nats": "NATS", "jms": "JMS", "kafka": "Kafka"}


def other_syntax(relay: Relay) -> Iterator[Draft]:
    """MOM806: a word of a filter that is a wildcard, but elsewhere; and levels that are parted as elsewhere."""
    estate = relay.estate
    given = [(entry.given, entry.place) for arc in relay.arcs for entry in arc.entries if entry.given]
    written = [(one.filter, one.syntax or estate.syntax, place) for one, place in given]
    # What files of brokers subscribe to has been looked at where it was read.
    wanted = [one for one in (*(estate.subscriptions or ()), *(estate.publications or ())) if not one.local]
    written += [(one.filter, one.syntax or estate.syntax, one.place) for one in wanted]
    for text, syntax, place in dict.fromkeys(written):
        separator = SEPARATORS[syntax]
        words = text.split(separator)
        wrong = [sign for sign in _WRONG[syntax] if sign in words]
        if syntax not in ("mqtt", "kafka") and "/" in text and separator not in text and len(words) == 1:
            wrong.append("/")
        dotted = text.split(".") if syntax == "mqtt" and separator not in text else []
        if len(dotted) > 1 and not _SIGNS.isdisjoint(dotted):
            wrong.append(".")
        if not wrong:
            continue
        signs = listed(wrong)
        declared = "routing.syntax" if syntax == estate.syntax else "syntax"
        yield Draft(
            "MOM806",
            place,
            f"{signs} in `{text}` {'is' if len(wrong) == 1 else 'are'} an ordinary character in {_NAMES[syntax]}",
            help=f"write the filter as {_NAMES[syntax]} has it, or correct `{declared}`",
            label="taken as it stands",
            data={"filter": text},
        )


#: What stands behind a prefix in a filter that does not match the topic above.
_NARROWED: Final = {"mqtt": "+/#", "amqp": "*.#", "nats": ">", "jms": "*.>"}


def misdirected(fates: Fates, locate: Callable[[Place], object] = lambda place: place) -> Iterator[Draft]:
    """MOM812: a prefix that is not cut from all that passes, or one that is put before a name without a separator.

    `locate`: where a place is in the text. Of a line that became several entries one note is enough.
    """
    from momlint.relayed.patterns import Constrained, begins, exactly

    relay, sets = fates.relay, fates.classes.sets
    told: set[Place] = set()
    noted: set[object] = set()
    parents = _Parents(fates)
    for number, arc in enumerate(relay.arcs):
        for position, entry in enumerate(arc.entries):
            if entry.given is None or entry.pattern is None or entry.deny or entry.place in told:
                continue
            given = entry.given
            syntax = given.syntax or relay.language.syntax
            if syntax == "kafka":
                continue  # names have no words
            separator = SEPARATORS[syntax]
            if given.add and not given.add.endswith(separator):
                # A name that is given in the place of a whole one is glued to nothing.
                one = (whole(exactly(relay.language.tokens(given.strip, given.syntax))),) if given.strip else ()
                if sets.example(Constrained((whole(entry.pattern),), one)) is not None:
                    told.add(entry.place)
                    yield _glued(entry.place, given.add, separator)
            elif entry.strip or (entry.whole and given.strip and not given.filter.startswith(given.strip)):
                # That a filter such as old/# matches old itself is less; of old/ nothing would be left.
                begun = [begins(entry.strip)] if entry.strip else []
                names = given.strip.rstrip(separator), given.strip
                bare = [relay.language.tokens(name, given.syntax) for name in names]
                cut = tuple(whole(one) for one in (*begun, *map(exactly, bare)))
                example = sets.example(Constrained((whole(entry.pattern),), cut))
                if example is not None:
                    told.add(entry.place)
                    topic = relay.language.text(example)
                    yield Draft(
                        "MOM812",
                        entry.place,
                        f"`{topic}` passes and does not begin with `{given.strip}`, so that nothing is cut from it",
                        help="narrow the filter to what begins with the prefix",
                        label="not cut from all that passes",
                        data={"prefix": given.strip, "topic": topic},
                    )
                elif (draft := parents.draft(number, position)) is not None:
                    told.add(entry.place)
                    line = locate(entry.place)
                    if not draft.noted or line not in noted:
                        noted.add(line)
                        yield draft


class _Parents:
    """MOM812 of the topics that prefixes are named after, which filters such as ``old/#`` match as well.

    Manuals write such lines, so it is a note, unless somebody says that exactly this topic is published.
    """

    def __init__(self, fates: Fates) -> None:
        self.fates = fates

    @cached_property
    def passing(self) -> dict[tuple[int, int, Tokens], list[Told]]:
        """(arc, entry, what a topic is called) → the classes that come by it so; of entries that cut a prefix."""
        found: dict[tuple[int, int, Tokens], list[Told]] = {}
        arcs = self.fates.relay.arcs
        for one in self.fates.told:
            for (_, topic), several in one.found.steps.items():
                for passed in several:
                    if arcs[passed.arc].entries[passed.entry].strip:
                        name = one.found.called(topic)
                        found.setdefault((passed.arc, passed.entry, name), []).append(one)
        return found

    def draft(self, number: int, position: int) -> Draft | None:
        """What is to be said of an entry of an arc; None where the topic does not come by it."""
        relay, sets = self.fates.relay, self.fates.classes.sets
        arc = relay.arcs[number]
        entry = arc.entries[position]
        given = entry.given
        if given is None or entry.pattern is None or not entry.strip:
            return None
        syntax = given.syntax or relay.language.syntax
        parent = relay.language.tokens(given.strip.removesuffix(SEPARATORS[syntax]), given.syntax)
        if not sets.matches(whole(entry.pattern), parent):
            return None
        passing = self.passing.get((number, position, parent), [])
        if not passing and self.fates.whole and not relay.estate.brokers[arc.tail].external:
            return None  # nobody publishes it
        said = [
            need
            for one in passing
            for need in relay.published
            if need.broker == one.found.origin and need.pattern is not None and need.pattern.is_topic
            if sets.matches(whole(need.pattern), one.found.example)
        ]
        name, becomes = relay.language.text(parent), relay.language.text((*entry.add, *parent))
        narrower = given.strip + _NARROWED[syntax]
        return Draft(
            "MOM812",
            entry.place,
            f"`{name}` itself passes by `{given.filter}`, and nothing is cut from it: it arrives as `{becomes}`",
            help=f"narrow the filter to `{narrower}`"
            + ("" if said else f", or let it be if nobody publishes `{name}`"),
            related=tuple(RelatedDraft(need.place, "it is published here") for need in said[:1]),
            label="matches the topic above as well",
            data={"prefix": given.strip, "topic": name},
            noted=not said,
        )


def _glued(place: Place, prefix: str, separator: str) -> Draft:
    return Draft(
        "MOM812",
        place,
        f"`{prefix}` is put right before the first word of a topic: it does not end with `{separator}`",
        help=f"end the prefix with `{separator}`",
        label="glued to a name",
        data={"prefix": prefix},
    )
