"""A relayed overlay as its engines read it: arcs with what they let pass, guards, what is published and wanted.

From an `Estate` whose ``routing.protocol`` is ``relay``. A link both ways is two arcs of one connection. What the
contract leaves open is settled here: a link without a `connection` is a connection of its own; a broker's own guard
goes before the overlay's, key by key; a broker without the attribute that `visited` names is known by its id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from momlint.estate.resolved import Broker, Estate, Guard, Link, Pass
from momlint.findings import Place
from momlint.relayed.patterns import SEPARATORS, WILDCARDS, Language, Pattern, Syntax, Tokens


class Entry(NamedTuple):
    """What an arc lets pass: topics that `pattern` matches, without the prefix `strip` if they have it, `add` before.

    Of the entries of an arc the first that matches counts. With `deny` it stops them. `given`: as it is written, None
    where the arc lets everything pass. `whole`: it matches one topic, and `add` is all of what that is called behind.
    """

    pattern: Pattern | None
    strip: Tokens
    add: Tokens
    deny: bool
    place: Place
    given: Pass | None
    whole: bool = False


class Arc(NamedTuple):
    """One direction of a link. `connection`: its split-horizon group. `max_hops`: its latest place in a walk.

    `echoes`: where it ends, the broker may send back what came by it. `unguarded`: it is no hop, no limit holds for it,
    and messages cross it to wherever they have been. `forgets`: likewise, and hops and memory begin anew behind it.
    `demand_hops`: it carries only what is wanted at most so many links away, itself counted; None where it asks nobody.
    `per_subscription`: it carries a copy for each subscription there.
    `counter`: which of the counters of hops a message carries it raises, and is limited by; -1 for one without limits.
    """

    link: int
    tail: int
    head: int
    entries: tuple[Entry, ...]
    connection: str
    max_hops: int | None
    echoes: bool
    place: Place
    unguarded: bool = False
    forgets: bool = False
    demand_hops: int | None = None
    per_subscription: bool = False
    counter: int = 0

    @property
    def came(self) -> tuple[str, int]:
        """What split horizon knows a copy by that came over it: connection and link."""
        unknown = self.echoes or (self.unguarded and not self.forgets)
        return ("", -2) if unknown else (self.connection, self.link)


class Guarded(NamedTuple):
    """What a broker does with messages that came from elsewhere.

    `split`: it does not hand them back over the connection (``connection``) or link (``link``) they came by.
    `passes_on`: it hands on at all. `once`, of its own messages too: of the arcs to one broker that let a message pass
    under one name, hop limits included, only the first carries it.
    """

    split: str
    passes_on: bool
    once: bool = False


class Need(NamedTuple):
    """Topics that are published or wanted at a broker. `name`: as the user wrote it. `pattern`: None for all.

    `elsewhere`: the same topics as they are called at brokers with these prefixes. `local`: where nobody says what is
    published, what is published at the broker itself is enough.
    """

    broker: int
    pattern: Pattern | None
    name: str
    place: Place
    elsewhere: tuple[tuple[str, Pattern], ...] = ()
    local: bool = False


@dataclass(frozen=True)
class Relay:
    """The overlay. `outs`: the arcs of each broker, in the order of the file, as indices into `arcs`.

    `published`, `wanted`: what the estate says; where it says neither, `declared` is False and every topic is published
    and wanted everywhere. `identity`: what a message remembers each broker by, to which it does not come again; None
    for one that it does not remember. `most_hops`: the highest limit on hops. `counters`: how many counters of hops
    there are; what a message has in all of them is one number (`counted`, `raised`), of one counter that of its hops.
    """

    estate: Estate
    language: Language
    arcs: tuple[Arc, ...]
    outs: tuple[tuple[int, ...], ...]
    guards: tuple[Guarded, ...]
    identity: tuple[str | None, ...]
    published: tuple[Need, ...]
    wanted: tuple[Need, ...]
    declared: bool
    most_hops: int
    counters: int = 1

    def counted(self, arc: Arc, hops: int) -> int:
        """How many hops of a message an arc's limit is compared with, up to one more than any limit."""
        if self.counters == 1:
            return hops if arc.counter == 0 else 0
        return 0 if arc.counter < 0 else hops // self._base**arc.counter % self._base

    def raised(self, arc: Arc, hops: int) -> int:
        """All its counters behind an arc that is a hop. Behind the last limit they stay as they are."""
        if arc.counter < 0 or self.counted(arc, hops) > self.most_hops:
            return hops
        return hops + (1 if self.counters == 1 else self._base**arc.counter)

    @property
    def _base(self) -> int:
        return self.most_hops + 2

    def hops_apart(self, hops: int) -> tuple[int, ...]:
        """The number in each counter."""
        return tuple(hops // self._base**one % self._base for one in range(self.counters))

    @cached_property
    def names(self) -> list[str]:
        """What brokers are called."""
        return [broker.id for broker in self.estate.brokers]

    @cached_property
    def prefixes(self) -> list[Tokens]:
        """What brokers put before topics of the estate's syntax."""
        return [self.language.prefix(broker.prefix) for broker in self.estate.brokers]

    def as_called(self, need: Need, broker: int) -> Need:
        """What a need means at a broker, its own or another one: the same topics, as they are called there."""
        if not need.elsewhere:
            return need
        here = self.estate.brokers[broker].prefix
        pattern = next((one for prefix, one in need.elsewhere if prefix == here), None)
        return need if pattern is None else need._replace(pattern=pattern)

    def wants_unsaid(self, broker: int) -> bool:
        """Whether it is not said what is wanted at a broker, so that it may be anything.

        Where only files of RabbitMQ say what is (`Need.local`), they say nothing of brokers of MQTT beside them.
        """
        if not self._of_files_alone:
            return not self.wanted
        return self.estate.syntax != "amqp" and not self.estate.brokers[broker].prefix

    @cached_property
    def _of_files_alone(self) -> bool:
        return bool(self.wanted) and all(need.local for need in self.wanted)

    @cached_property
    def asks(self) -> bool:
        """Whether some arc carries only what is wanted behind it, and it is said what is wanted."""
        return bool(self.wanted) and any(arc.demand_hops is not None for arc in self.arcs)

    @cached_property
    def remembers(self) -> bool:
        """Whether a message remembers any broker."""
        return any(one is not None for one in self.identity)


def relay_of(estate: Estate, *, glued: bool = False, dollars: bool = False) -> Relay:
    """The form of an estate; `glued` and `dollars`: its language tells such names, though it need not."""
    language = Language(estate.syntax, glued=glued or _is_glued(estate), dollars=dollars or _speaks_of_dollars(estate))
    guards = tuple(_guarded(estate, broker) for broker in estate.brokers)
    arcs: list[Arc] = []
    counters = _counters(estate)
    for index, link in enumerate(estate.links):
        arcs += _arcs(estate, language, index, link, counters.get(link.counter, -1))
    outs: list[list[int]] = [[] for _ in estate.brokers]
    for number, arc in enumerate(arcs):
        outs[arc.tail].append(number)
    published, wanted = _needs(estate, language)
    return Relay(
        estate,
        language,
        tuple(arcs),
        tuple(map(tuple, outs)),
        guards,
        tuple(_identity(broker, _visited(estate, broker)) for broker in estate.brokers),
        published,
        wanted,
        estate.publications is not None or estate.subscriptions is not None or bool(estate.topics),
        max((arc.max_hops for arc in arcs if arc.max_hops is not None), default=0),
        len(counters),
    )


def _is_glued(estate: Estate) -> bool:
    """Whether a prefix ends within a word of topics that are not known one by one: then tokens are characters.

    So they are where some topics have no words.
    """
    entries = [one for link in estate.links for one in link.passes or ()]
    interests = (*(estate.subscriptions or ()), *(estate.publications or ()))
    if any(broker.prefix and not broker.prefix.endswith(SEPARATORS[estate.syntax]) for broker in estate.brokers):
        return True
    if "kafka" in {*(one.syntax for one in entries), *(one.syntax for one in interests)}:
        return True
    return any(_ends_within(estate, one) and _new_name(one.syntax or estate.syntax, one) is None for one in entries)


def _speaks_of_dollars(estate: Estate) -> bool:
    """Whether topics that begin with ``$`` are told from others, which wildcards of MQTT do not match."""
    if estate.syntax != "mqtt":
        return False
    filters = [one.filter for link in estate.links for one in link.passes or ()]
    filters += [
        _unshared(one.filter, estate.syntax) for one in (*(estate.subscriptions or ()), *(estate.publications or ()))
    ]
    return any(one.startswith("$") for one in (*filters, *(topic.name for topic in estate.topics)))


def _ends_within(estate: Estate, one: Pass) -> bool:
    separator = SEPARATORS[one.syntax or estate.syntax]
    return any(text and not text.endswith(separator) for text in (one.strip, one.add))


def _new_name(syntax: Syntax, one: Pass) -> str | None:
    """What the one topic that an entry's filter matches is called behind it; None where it matches several."""
    words = one.filter if syntax == "kafka" else one.filter.split(SEPARATORS[syntax])
    if not WILDCARDS[syntax].isdisjoint(words):
        return None
    cuts = one.strip and one.filter.startswith(one.strip) and (one.add or one.filter != one.strip)
    return one.add + (one.filter[len(one.strip) :] if cuts else one.filter)


def _arcs(estate: Estate, language: Language, index: int, link: Link, counter: int) -> list[Arc]:
    if link.tail == link.head:
        return []
    entries: tuple[Entry, ...] = (Entry(None, (), (), False, link.place, None),)
    if link.passes is not None:
        entries = tuple(_entry(estate, language, one) for one in link.passes)
    connection = f"connection {link.connection}" if link.connection is not None else f"link {index}"
    ways = [(link.tail, link.head)] if link.one_way else [(link.tail, link.head), (link.head, link.tail)]
    return [
        Arc(
            index,
            tail,
            head,
            entries,
            connection,
            None if link.unguarded else _max_hops(estate, link, tail),
            link.echo,
            link.place,
            link.unguarded,
            link.forgets,
            link.demand_hops,
            link.per_subscription,
            counter,
        )
        for tail, head in ways
    ]


def _entry(estate: Estate, language: Language, one: Pass) -> Entry:
    pattern = language.filter(one.filter, one.syntax)
    if not language.glued and _ends_within(estate, one):
        name = _new_name(one.syntax or estate.syntax, one)
        assert name is not None  # tokens would be characters
        return Entry(pattern, (), language.tokens(name, one.syntax), one.deny, one.place, one, whole=True)
    strip, add = (language.prefix(text, one.syntax) for text in (one.strip, one.add))
    return Entry(pattern, strip, add, one.deny, one.place, one)


def _counters(estate: Estate) -> dict[str | None, int]:
    """The counters of hops that something is limited by, by name; hops of the others need not be counted."""
    limited = [
        link.counter
        for link in estate.links
        if not link.unguarded and any(_max_hops(estate, link, end) is not None for end in (link.tail, link.head))
    ]
    return {name: number for number, name in enumerate(dict.fromkeys(limited or [None]))}


def _max_hops(estate: Estate, link: Link, tail: int) -> int | None:
    if link.max_hops is not None:
        return link.max_hops
    if link.counter is not None:
        return None
    guards = (estate.brokers[tail].guard, estate.guard)
    return next((guard.hops for guard in guards if guard is not None and guard.hops is not None), None)


def _guarded(estate: Estate, broker: Broker) -> Guarded:
    found = [guard.split_horizon for guard in _guards(estate, broker) if guard.split_horizon is not None]
    once = [guard.once for guard in _guards(estate, broker) if guard.once is not None]
    return Guarded(found[0] if found else "none", broker.transit, bool(once) and once[0])


def _guards(estate: Estate, broker: Broker) -> list[Guard]:
    return [guard for guard in (broker.guard, estate.guard) if guard is not None]


def _visited(estate: Estate, broker: Broker) -> str | None:
    found = [guard.visited for guard in _guards(estate, broker) if guard.visited is not None]
    return found[0] if found and found[0] != "none" else None


def _identity(broker: Broker, attribute: str | None) -> str | None:
    if attribute is None:
        return None
    value = getattr(broker, attribute, None) if attribute in ("address", "site") else None
    return str(value) if value is not None else broker.id


def _needs(estate: Estate, language: Language) -> tuple[tuple[Need, ...], tuple[Need, ...]]:
    published, wanted = [], []
    prefixes = list(dict.fromkeys(broker.prefix for broker in estate.brokers))

    def need(broker: int, name: str, place: Place, read: Callable[[str], Pattern]) -> Need:
        pattern = read(estate.brokers[broker].prefix + name)
        others = tuple((prefix, read(prefix + name)) for prefix in prefixes) if len(prefixes) > 1 else ()
        return Need(broker, pattern, name, place, others)

    for topic in estate.topics:
        published += [need(broker, topic.name, topic.place, language.topic) for broker in topic.publishers]
        wanted += [need(one, topic.name, topic.subscriber_place(one), language.topic) for one in topic.subscribers]
    for interests, needs in ((estate.publications, published), (estate.subscriptions, wanted)):
        for one in interests or ():
            if one.syntax is None:
                made = need(one.broker, _unshared(one.filter, estate.syntax), one.place, language.filter)
                needs.append(made._replace(local=one.local))
            else:
                pattern = language.filter(_unshared(one.filter, one.syntax), one.syntax)
                needs.append(Need(one.broker, pattern, one.filter, one.place, local=one.local))
    if not published and (wanted or not (estate.topics or estate.publications is not None)):
        # Nothing is said of what is published: then it may be anything, anywhere.
        published = [Need(index, None, "", estate.place) for index, _ in enumerate(estate.brokers)]
    return tuple(published), tuple(wanted)


def texts(relay: Relay, walk: Sequence[int]) -> tuple[str, ...]:
    """Brokers by name."""
    return tuple(relay.estate.brokers[one].id for one in walk)


def _unshared(filter_: str, syntax: Syntax) -> str:
    """What is shared in a shared subscription of MQTT 5, ``$share/group/filter``; any other filter as it is."""
    if syntax == "mqtt" and filter_.startswith("$share/"):
        group, slash, rest = filter_.removeprefix("$share/").partition("/")
        if group and slash and rest:
            return rest
    return filter_
