"""Names to dense ids: the documents of one estate, merged, and what their references do not find.

Every reference is looked up even where the thing around it is left out, so that the reader reports all that
is unknown at once; each unknown name is one finding, however often it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from momlint.estate.files import join
from momlint.estate.nearest import did_you_mean, looks_like
from momlint.estate.resolved import (
    Broker,
    Colour,
    Estate,
    Group,
    Guard,
    Interest,
    Link,
    Pass,
    RecoveryRow,
    Spec,
    Syntax,
    TableRow,
    Tolerate,
    Topic,
)
from momlint.estate.validate import SECTIONS, WITHOUT_BROKERS, Checked, Path, Rows
from momlint.findings import Draft, Part, Place, RelatedDraft
from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.estate.model import BrokerEntry, EstateFile, GuardEntry, InterestEntry, LinkEntry, PassEntry

#: A finding about a name lists at most this many further places.
MOST_RELATED = 20
#: So many unknown names of a kind are told one by one; with more, something other than the names is wrong.
_MOST_UNKNOWN = 100
#: With many brokers, looking for the nearest name takes time: only the first unknown names get a hint.
_MOST_HINTS = 50


#: What a name in a colour or a group takes down: links and brokers (dense ids), None for an unknown name.
_Failing: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]] | None"


@dataclass(slots=True)
class _Links:
    """What links are called, and between which brokers (dense ids; `both_ways` with the smaller id first)."""

    #: Every name, given or made of the ends → the first link with it.
    by_id: dict[str, int] = field(default_factory=dict)
    by_given_id: dict[str, list[int]] = field(default_factory=dict)
    both_ways: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    one_way: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    #: Ends and whether one way → the first link there; the first without an id of its own.
    first: dict[tuple[int, int, bool], int] = field(default_factory=dict)
    first_unnamed: dict[tuple[int, int, bool], int] = field(default_factory=dict)
    #: Links whose id was given.
    given: set[int] = field(default_factory=set)
    #: Links that a finding already calls indistinguishable.
    reported: set[int] = field(default_factory=set)
    #: Names of links that are declared and were left out for a fault of their own.
    left_out_ids: set[str] = field(default_factory=set)
    left_out_ends: set[frozenset[str]] = field(default_factory=set)


class _Resolved(NamedTuple):
    """The rows of a recovery table whose key stands at `place`, in which nothing is unknown. `known`: the names of
    brokers and colours, in the order of their ids.
    """

    place: Place
    known: tuple[tuple[str, ...], tuple[str, ...]]
    rows: list[RecoveryRow]

    def fits(self, place: Place, known: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
        """Whether they are the rows of that table, where these are the names."""
        return self.place == place and self.known == known


#: What a relayed overlay does not have, by section and key.
_ROUTED_ONLY = (
    ("routing", "tables"),
    ("routing", "after_failure"),
    ("routing", "static_rows"),
    ("failures", "recovery"),
    ("failures", "takeover"),
)

#: What a routed overlay does not have.
_RELAYED_ONLY_OF_ROUTING = ("syntax", "guard")
_RELAYED_ONLY_OF_BROKERS = ("guard", "config", "external", "prefix")
_RELAYED_ONLY_OF_LINKS = (
    "connection",
    "topics",
    "max_hops",
    "counter",
    "demand_hops",
    "per_subscription",
    "echo",
    "alternatives",
    "unguarded",
    "forgets",
    "syntax",
)


def _guard(entry: GuardEntry | None) -> Guard | None:
    return None if entry is None else Guard(entry.split_horizon, entry.hops, entry.visited, entry.once)


class Resolver:
    """Merges the documents of one estate. `drafts` and `incomplete` are there after `run`."""

    def __init__(
        self,
        documents: Sequence[Checked],
        directories: Sequence[str],
        default_name: str,
        lost: Iterable[str],
        completing: int | None = None,
    ) -> None:
        """`directories`: of each document's file. `lost`: sections an unreadable include may have held. `completing`:
        from this document on, what is said of a broker that is declared already completes that.
        """
        self.completing = len(documents) if completing is None else completing
        self.documents = documents
        self.directories = directories
        self.default_name = default_name
        self.models: list[tuple[int, EstateFile]] = [
            (number, checked.model) for number, checked in enumerate(documents) if checked.model is not None
        ]
        self.lost = set(lost).union(*(checked.lost for checked in documents))
        self.incomplete = set(self.lost).union(*(checked.incomplete for checked in documents))
        self.drafts: list[Draft] = []
        self.section_places: dict[str, Place] = {}

        self.brokers: list[Broker] = []
        self.broker_index: dict[str, int] = {}
        self.links: list[Link] = []
        self.link_names = _Links()
        self.groups: list[Group] = []
        self.group_index: dict[str, int] = {}
        self.colour_index: dict[str, int] = {}
        #: Groups of which not all that fails is known, and names of failures that mean two things.
        self.partial_groups: set[str] = set()
        self.two_things: set[str] = set()

        self.unknown_brokers: dict[str, list[Place]] = {}
        self.unknown_links: dict[str, list[Place]] = {}
        self.unknown_colours: dict[str, list[Place]] = {}
        self.topic_names: dict[str, None] = {}
        self.unknown_topics: dict[str, list[Place]] = {}
        #: Whether there are recovery rows, and no colours that they could hold in.
        self.rows_without_colours = False

    def run(self) -> Estate | None:
        """The estate, or None where no broker is left, nor another section that can be judged without one."""
        self.note_sections()
        self.resolve_brokers()
        if not self.brokers and not any(section in self.section_places for section in WITHOUT_BROKERS):
            if "brokers" not in self.lost:
                self.no_brokers()
            return None
        self.resolve_links()
        self.resolve_groups()
        topics = self.resolve_topics()
        protocol, table_rows = self.resolve_routing()
        after_failure, static_rows = self.resolve_reaction()
        colours, colours_declared = self.resolve_colours()
        recovery_rows, recovery_file = self.resolve_recovery()
        takeover, takeover_places = self.resolve_takeover()
        estate = Estate(
            name=next((model.name for _, model in self.models if model.name), self.default_name),
            brokers=self.brokers,
            links=self.links,
            topics=topics,
            protocol=protocol,
            table_rows=table_rows,
            colours=colours,
            colours_declared=colours_declared,
            recovery_rows=recovery_rows,
            recovery_file=recovery_file,
            tolerate=self.resolve_tolerate(),
            takeover=takeover,
            takeover_places=takeover_places,
            specs=self.resolve_specs(),
            groups=self.groups,
            after_failure=after_failure,
            withdraws_rows=static_rows == "withdraw",
            section_places=self.section_places,
        )
        self.note_traffic(topics, relays=protocol == "relay")
        self.resolve_relay(estate)
        if protocol == "relay":
            self.refuse_routed_fields()
        elif not self.is_routing_unread():
            self.refuse_relayed_fields()
        self.tell_findings()
        self.report_unknown()
        estate.incomplete = frozenset(self.incomplete)
        return estate

    # -- small things ----------------------------------------------------------------------------------------

    def note_sections(self) -> None:
        for number, checked in enumerate(self.documents):
            for section in checked.order:
                if section in SECTIONS or section in WITHOUT_BROKERS:
                    path = tuple(section.split("."))
                    self.section_places.setdefault(section, Place(number, path, "key"))

    def no_brokers(self) -> None:
        if "brokers" in self.section_places:
            place = self.section_places["brokers"]
        else:
            first = next(iter(self.documents[0].order), None) if self.documents else None
            place = Place(0, (first,), "key") if first is not None else Place(0, ())
        self.drafts.append(
            Draft("MOM102", place, "the estate declares no brokers", "list them under `brokers:`, one key for each")
        )
        self.incomplete.update(SECTIONS)

    def twice(self, what: str, place: Place, first: Place) -> None:
        """The same thing in two files; within one file the source reader has said so already."""
        self.drafts.append(
            Draft(
                "MOM103",
                place,
                f"{what} is declared twice; the first declaration counts",
                "remove one of the two",
                related=(RelatedDraft(first, "declared here first"),),
            )
        )

    def original(self, number: int, path: Path, index: int) -> int:
        """The index in the text of the `index`-th item that is left of a list."""
        kept = self.documents[number].kept.get(path)
        return index if kept is None else kept[index]

    def broker(self, name: str, number: int, path: Path, part: Part = "entry") -> int | None:
        """The dense id of a broker; where there is none, the use is noted for `report_unknown`."""
        found = self.broker_index.get(name)
        if found is None:
            self.unknown_brokers.setdefault(name, []).append(Place(number, path, part))
        return found

    # -- sections --------------------------------------------------------------------------------------------

    def resolve_brokers(self) -> None:
        for number, model in self.models:
            for name, entry in (model.brokers or {}).items():
                place = Place(number, ("brokers", name))
                if name in self.broker_index and number >= self.completing and entry is not None:
                    self.complete(self.broker_index[name], entry)
                    continue
                if name in self.broker_index:
                    first = self.brokers[self.broker_index[name]].place
                    self.twice(f"broker `{name}`", place._replace(part="key"), first._replace(part="key"))
                    continue
                self.broker_index[name] = len(self.brokers)
                if entry is None:
                    self.brokers.append(Broker(name, place))
                    continue
                self.brokers.append(
                    Broker(
                        name,
                        place,
                        address=entry.address,
                        site=entry.site,
                        tags=tuple(entry.tags or ()),
                        processing_ms=entry.processing_ms or 0.0,
                        availability=entry.availability,
                        transit=entry.transit,
                        external=entry.external,
                        guard=_guard(entry.guard),
                        prefix=entry.prefix or "",
                    )
                )

    def complete(self, index: int, entry: BrokerEntry) -> None:
        """Put what a broker's own file tells of it to what a manifest says, which goes before."""
        broker = self.brokers[index]
        mine, theirs = broker.guard or Guard(), _guard(entry.guard) or Guard()
        guard = Guard(
            mine.split_horizon if mine.split_horizon is not None else theirs.split_horizon,
            mine.hops if mine.hops is not None else theirs.hops,
            mine.visited if mine.visited is not None else theirs.visited,
            mine.once if mine.once is not None else theirs.once,
        )
        self.brokers[index] = replace(broker, guard=guard, prefix=broker.prefix or entry.prefix or "")

    def resolve_links(self) -> None:
        for number, model in self.models:
            for position, entry in enumerate(model.links or ()):
                self.resolve_link(number, self.original(number, ("links",), position), entry)

    def resolve_link(self, number: int, index: int, entry: LinkEntry) -> None:
        names = self.link_names
        path: Path = ("links", index)
        one_way = not entry.between
        if one_way:
            ends = (entry.source, entry.target)
            routes: tuple[Path, Path] = ((*path, "from"), (*path, "to"))
        else:
            ends = (entry.between[0], entry.between[1])
            routes = ((*path, "between", 0), (*path, "between", 1))
        tail, head = (self.broker(end, number, route, "value") for end, route in zip(ends, routes, strict=True))
        if tail is None or head is None or tail == head:
            names.left_out_ends.add(frozenset(ends))
            if entry.id:
                names.left_out_ids.add(entry.id)
            if tail is None or head is None:
                self.incomplete.add("links")
                return
            called = f"link `{entry.id}`" if entry.id else "this link"
            self.drafts.append(
                Draft(
                    "MOM106",
                    Place(number, (*path, "to" if one_way else "between"), "value"),
                    f"{called} joins broker `{ends[0]}` to itself",
                    "name two different brokers, or remove the link",
                )
            )
            return
        dense = len(self.links)
        cost, latency = entry.cost, entry.latency_ms
        cost_back = latency_back = None
        if isinstance(cost, dict):
            cost, cost_back = self.by_direction(cost, ends, one_way, Place(number, (*path, "cost")), 1.0)
        if isinstance(latency, dict):
            place = Place(number, (*path, "latency_ms"))
            latency, latency_back = self.by_direction(latency, ends, one_way, place, 0.0)
        link = Link(
            entry.id or ("->" if one_way else "--").join(ends),
            Place(number, path),
            tail,
            head,
            one_way=one_way,
            cost=cost,
            latency_ms=latency,
            availability=entry.availability,
            cost_back=cost_back,
            latency_ms_back=latency_back,
            connection=entry.connection,
            passes=None if entry.topics is None else self.passes(number, path, entry.topics, entry.syntax),
            max_hops=entry.max_hops,
            counter=entry.counter,
            demand_hops=entry.demand_hops,
            per_subscription=entry.per_subscription,
            echo=entry.echo,
            unguarded=entry.unguarded or entry.forgets,
            forgets=entry.forgets,
            alternatives=self.alternatives(number, path, ends, entry.alternatives or {}),
        )
        if not self.compare(dense, link, given=bool(entry.id), ends=ends):
            return
        self.links.append(link)
        names.by_id.setdefault(link.id, dense)
        key = (tail, head) if one_way or tail < head else (head, tail)
        (names.one_way if one_way else names.both_ways).setdefault(key, []).append(dense)
        names.first.setdefault((*key, one_way), dense)
        if entry.id:
            names.by_given_id.setdefault(entry.id, []).append(dense)
            names.given.add(dense)
        else:
            names.first_unnamed.setdefault((*key, one_way), dense)

    def alternatives(
        self, number: int, link: Path, ends: tuple[str, str], given: Mapping[str, Sequence[str]]
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The ends of a link that others may take the place of, with these."""
        found = []
        for end, names in given.items():
            path = (*link, "alternatives", end)
            if end not in ends:
                help_ = f"write {' or '.join(f'`{one}`' for one in ends)}"
                place = Place(number, path, "key")
                self.drafts.append(Draft("MOM102", place, f"`{end}` is no end of this link", help_))
                continue
            brokers = [
                self.broker(name, number, (*path, self.original(number, path, position)))
                for position, name in enumerate(names)
            ]
            found.append((self.broker_index[end], tuple(one for one in brokers if one is not None)))
        return tuple(found)

    def passes(self, number: int, link: Path, entries: Sequence[PassEntry], syntax: Syntax | None) -> tuple[Pass, ...]:
        path = (*link, "topics")
        return tuple(
            Pass(
                Place(number, (*path, self.original(number, path, position))),
                one.filter,
                one.strip,
                one.add,
                one.deny,
                syntax,
            )
            for position, one in enumerate(entries)
        )

    def by_direction(
        self, given: dict[str, float], ends: tuple[str, str], one_way: bool, place: Place, default: float
    ) -> tuple[float, float | None]:
        """The number from the first end to the second, and that of the way back where it has one of its own."""
        forth, back = "->".join(ends), "->".join(reversed(ends))
        known = (forth,) if one_way else (forth, back)
        for name in given:
            if name not in known:
                self.incomplete.add("links")
                self.drafts.append(
                    Draft(
                        "MOM102",
                        Place(place.document, (*place.path, name), "key"),
                        f"`{name}` is not a direction of this link",
                        f"write {' or '.join(f'`{one}`' for one in known)}",
                    )
                )
        return given.get(forth, default), None if one_way else given.get(back, default)

    def compare(self, dense: int, link: Link, *, given: bool, ends: tuple[str, str]) -> bool:
        """Report a link that cannot be told from an earlier one: the same id, or the same ends and no id.

        False where it is the same thing declared in two files: then the first counts.
        """
        names = self.link_names
        same_id = names.by_id.get(link.id)
        parallel = self.first_parallel(link, given=given)
        if given and same_id is not None:
            id_place = Place(link.place.document, (*link.place.path, "id"), "value")
            first = self.name_place(same_id)
            if self.links[same_id].place.document != link.place.document:
                self.twice(f"link `{link.id}`", id_place, first)
                names.left_out_ends.add(frozenset(ends))
                self.incomplete.add("links")
                return False
            if same_id in names.given:
                message = f"another link already has the id `{link.id}`"
                if {self.links[same_id].tail, self.links[same_id].head} == {link.tail, link.head}:
                    self.duplicate_link(id_place, message, first)
                else:
                    self.duplicate_link(id_place, message, first, "give each link an `id` of its own")
            else:
                self.one_name(id_place, link.id, "this one by its id, another by its brokers", first)
        elif parallel is not None:
            names.reported.update((dense, parallel))
            self.duplicate_link(
                self.ends_place(link),
                f"a second link between brokers `{ends[0]}` and `{ends[1]}`, and not both have an `id`",
                self.ends_place(self.links[parallel]),
            )
        elif same_id is not None:
            self.one_name(
                self.ends_place(link),
                link.id,
                "this one by its brokers, another by its id",
                self.name_place(same_id),
            )
        return True

    def first_parallel(self, link: Link, *, given: bool) -> int | None:
        """The first earlier link between the same brokers, in a direction this one serves, without an own id.

        For a link without an id itself, any will do.
        """
        names = self.link_names
        tail, head = link.tail, link.head
        ways = [(min(tail, head), max(tail, head), False), (tail, head, True)]
        if not link.one_way:
            ways.append((head, tail, True))
        firsts = names.first_unnamed if given else names.first
        found = [firsts[way] for way in ways if way in firsts]
        return min(found, default=None)

    def one_name(self, place: Place, name: str, how: str, first: Place) -> None:
        """Two links that are no doubles, and that one name can mean."""
        advice = "rename the id: avoid ids that look like `a--b`"
        self.duplicate_link(place, f"`{name}` can mean two links: {how}", first, advice)

    def duplicate_link(
        self,
        place: Place,
        message: str,
        first: Place,
        help_: str = "remove one, or give each parallel link an `id` of its own",
    ) -> None:
        self.drafts.append(
            Draft(
                "MOM105",
                place,
                message,
                help_,
                related=(RelatedDraft(first, "the other link is declared here"),),
            )
        )

    @staticmethod
    def ends_place(link: Link) -> Place:
        return Place(link.place.document, (*link.place.path, "to" if link.one_way else "between"), "value")

    def name_place(self, dense: int) -> Place:
        link = self.links[dense]
        if dense in self.link_names.given:
            return Place(link.place.document, (*link.place.path, "id"), "value")
        return self.ends_place(link)

    def resolve_topics(self) -> list[Topic]:
        topics: list[Topic] = []
        first_places: dict[str, Place] = {}
        index = self.broker_index
        for number, model in self.models:
            partial_topics = self.documents[number].partial_topics
            for name, entry in (model.topics or {}).items():
                place = Place(number, ("topics", name))
                first = first_places.setdefault(name, place)
                if first is not place:
                    self.twice(f"topic `{name}`", place._replace(part="key"), first._replace(part="key"))
                    continue
                partial = name in partial_topics
                if entry is None:
                    topics.append(Topic(name, place, (), (), incomplete=partial))
                    continue
                listed = entry.subscribers or ()
                try:
                    publishers = tuple(dict.fromkeys([index[broker] for broker in entry.publishers or ()]))
                    subscribers = tuple(dict.fromkeys([index[broker] for broker in listed]))
                except KeyError:
                    publishers = subscribers = ()
                    partial = True
                    self.incomplete.add("topics")
                sending = entry.publishers or ()
                positions: Sequence[int] = range(len(subscribers))
                sending_positions: Sequence[int] = range(len(publishers))
                if len(subscribers) != len(listed) or len(publishers) != len(sending) or partial:
                    # Something is unknown, listed twice or already taken out: the slow way keeps the places.
                    path = (*place.path, "publishers")
                    publishers, sending_positions = self.some_brokers(sending, number, path)
                    subscribers, positions = self.some_brokers(listed, number, (*place.path, "subscribers"))
                topics.append(
                    Topic(
                        name,
                        place,
                        publishers,
                        subscribers,
                        entry.max_latency_ms,
                        entry.max_hops,
                        partial,
                        positions,
                        sending_positions,
                        tuple(entry.tags or ()),
                    )
                )
        return topics

    def note_traffic(self, topics: Sequence[Topic], *, relays: bool) -> None:
        """What a simulation is to send, and nobody declares; and a second section, which nobody would look at."""
        self.topic_names = dict.fromkeys(topic.name for topic in topics)
        # Perhaps it is in what could not be read. And where there are no next hops, nothing is sent.
        unsure = "topics" in self.lost or any("topics" in checked.incomplete for checked in self.documents)
        unsure = unsure or not self.brokers or relays or self.is_routing_unread()
        first: Place | None = None
        for number, model in self.models:
            if model.simulation is None:
                continue
            place = Place(number, ("simulation",), "key")
            if first is not None:
                self.twice("`simulation`", place, first)
                continue
            first = place
            path = ("simulation", "traffic")
            for position, entry in enumerate(model.simulation.traffic or ()):
                if not unsure and entry.topic not in self.topic_names:
                    at = (*path, self.original(number, path, position), "topic")
                    self.unknown_topics.setdefault(entry.topic, []).append(Place(number, at, "value"))

    def some_brokers(self, names: Sequence[str], number: int, path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The brokers of a list that exist, without repeats, and their indices in the text."""
        found: dict[int, int] = {}
        for position, name in enumerate(names):
            original = self.original(number, path, position)
            broker = self.broker(name, number, (*path, original))
            if broker is not None:
                found.setdefault(broker, original)
        return tuple(found), tuple(found.values())

    def resolve_routing(self) -> tuple[Literal["shortest-path", "tables", "relay"], list[TableRow]]:
        protocol: Literal["shortest-path", "tables", "relay"] | None = None
        protocol_place: Place | None = None
        rows: list[TableRow] = []
        locations: dict[str, Place] = {}
        for number, model in self.models:
            routing = model.routing
            if routing is None:
                continue
            if "routing.protocol" in self.documents[number].order:
                place = Place(number, ("routing", "protocol"), "key")
                if protocol_place is None:
                    protocol, protocol_place = routing.protocol, place
                else:
                    self.twice("`routing.protocol`", place, protocol_place)
            for location, table in (routing.tables or {}).items():
                place = Place(number, ("routing", "tables", location), "key")
                first = locations.setdefault(location, place)
                if first is not place:
                    self.twice(f"the table of broker `{location}`", place, first)
                    self.incomplete.add("routing.tables")
                    continue
                at = self.broker(location, number, place.path, "key")
                for hop, names in (table or {}).items():
                    row = self.table_row(number, (*place.path, hop), at, hop, names)
                    if row is not None:
                        rows.append(row)
        return protocol or "shortest-path", rows

    def resolve_relay(self, estate: Estate) -> None:
        """What only relayed overlays have: ``routing.syntax``, ``routing.guard``, subscriptions and publications."""
        first: dict[str, Place] = {}
        for number, model in self.models:
            for name in ("syntax", "guard"):
                if model.routing is None or f"routing.{name}" not in self.documents[number].order:
                    continue
                place = Place(number, ("routing", name), "key")
                if first.setdefault(name, place) is not place:
                    self.twice(f"`routing.{name}`", place, first[name])
                elif name == "syntax":
                    estate.syntax = model.routing.syntax
                else:
                    estate.guard = _guard(model.routing.guard)
            if model.subscriptions is not None:
                found = self.interests(number, "subscriptions", model.subscriptions)
                estate.subscriptions = [*(estate.subscriptions or ()), *found]
            if model.publications is not None:
                found = self.interests(number, "publications", model.publications)
                estate.publications = [*(estate.publications or ()), *found]

    def refuse_routed_fields(self) -> None:
        """What only routed overlays have, and a relayed one does not look at: a promise that nobody would keep."""
        found: dict[str, list[Place]] = {}
        for number, model in self.models:
            order = self.documents[number].order
            for section, key in _ROUTED_ONLY:
                if f"{section}.{key}" in order:
                    found.setdefault(f"{section}.{key}", []).append(Place(number, (section, key), "key"))
            for position, link in enumerate(model.links or ()):
                path: Path = ("links", self.original(number, ("links",), position))
                for key, is_given in (("cost", link.cost != 1.0), ("latency_ms", link.latency_ms != 0.0)):
                    if is_given:
                        found.setdefault(key, []).append(Place(number, (*path, key), "key"))
            for name, topic in (model.topics or {}).items():
                for key in ("max_hops", "max_latency_ms") if topic is not None else ():
                    if getattr(topic, key) is not None:
                        place = Place(number, ("topics", name, key), "key")
                        found.setdefault(f"{key} of topics", []).append(place)
        for called, places in found.items():
            what = "is for routed overlays: in a relayed one nothing looks at it"
            self.refuse_fields(called, what, "leave it out, or write `routing: {protocol: shortest-path}`", places)

    def tell_findings(self) -> None:
        """What an import has kept of the files that it read."""
        for number, model in self.models:
            for position, one in enumerate(model.findings or ()):
                place = Place(number, ("findings", self.original(number, ("findings",), position)))
                help_ = one.help or "mend the file and import it again, or take out this entry"
                self.drafts.append(Draft(one.code, place, f"{one.at}: {one.message}", help_, label="in that file"))

    def is_routing_unread(self) -> bool:
        """Whether it may be a relayed overlay: what says so cannot be understood, or is a file that is not read."""
        unread = (("routing",), ("routing", "protocol"))
        if any(draft.place.path in unread for checked in self.documents for draft in checked.drafts):
            return True
        says = any("routing.protocol" in checked.order for checked in self.documents)
        return not says and any(
            one and one.config for _, model in self.models for one in (model.brokers or {}).values()
        )

    def refuse_relayed_fields(self) -> None:
        """What only relayed overlays have, and a routed one does not look at: filters that would keep nothing back."""
        found: dict[str, list[Place]] = {}
        # Where nobody says how messages travel, brokers' files do, once they can be read.
        is_said = any("routing.protocol" in checked.order for checked in self.documents)
        of_brokers = [key for key in _RELAYED_ONLY_OF_BROKERS if is_said or key != "config"]
        for number, model in self.models:
            for key in _RELAYED_ONLY_OF_ROUTING:
                if f"routing.{key}" in self.documents[number].order:
                    found.setdefault(f"routing.{key}", []).append(Place(number, ("routing", key), "key"))
            for section in ("subscriptions", "publications"):
                if getattr(model, section) is not None:
                    found.setdefault(section, []).append(Place(number, (section,), "key"))
            for name, broker in (model.brokers or {}).items():
                for key in of_brokers if broker is not None else ():
                    if getattr(broker, key):
                        place = Place(number, ("brokers", name, key), "key")
                        found.setdefault(f"{key} of brokers", []).append(place)
            for position, link in enumerate(model.links or ()):
                path: Path = ("links", self.original(number, ("links",), position))
                for key in _RELAYED_ONLY_OF_LINKS:
                    if getattr(link, key) not in (None, False):
                        found.setdefault(f"{key} of links", []).append(Place(number, (*path, key), "key"))
        if "config of brokers" in found:
            # What the files say is of the same kind, and is not the user's to mend.
            found = {"config of brokers": found["config of brokers"]}
        for called, places in found.items():
            what = "is for relayed overlays: in a routed one nothing looks at it"
            self.refuse_fields(called, what, "leave it out, or write `routing: {protocol: relay}`", places)

    def refuse_fields(self, called: str, what: str, help_: str, places: Sequence[Place]) -> None:
        """A field, with what it is a field of, that this kind of overlay does not have: one finding for all places."""
        key, _, of = called.partition(" ")
        self.drafts.append(
            Draft(
                "MOM102",
                places[0],
                f"`{key}`{' ' + of if of else ''} {what}",
                help_,
                related=[RelatedDraft(place, "and here") for place in places[1 : MOST_RELATED + 1]],
            )
        )

    def interests(self, number: int, section: str, entries: Sequence[InterestEntry]) -> list[Interest]:
        found = []
        for position, entry in enumerate(entries):
            path: Path = (section, self.original(number, (section,), position))
            broker = self.broker(entry.at, number, (*path, "at"), "value")
            if broker is None:
                self.incomplete.add(section)
            else:
                found.append(Interest(Place(number, path), broker, entry.filter, entry.syntax, entry.local))
        return found

    def resolve_reaction(self) -> tuple[Literal["heal", "keep"] | None, Literal["keep", "withdraw"]]:
        """``routing.after_failure`` and ``routing.static_rows``."""
        after: Literal["heal", "keep"] | None = None
        rows: Literal["keep", "withdraw"] = "keep"
        first: dict[str, Place] = {}
        for number, model in self.models:
            for name in ("after_failure", "static_rows"):
                if model.routing is None or f"routing.{name}" not in self.documents[number].order:
                    continue
                place = Place(number, ("routing", name), "key")
                if first.setdefault(name, place) is not place:
                    self.twice(f"`routing.{name}`", place, first[name])
                elif name == "after_failure":
                    after = model.routing.after_failure
                else:
                    rows = model.routing.static_rows
        return after, rows

    def table_row(self, number: int, path: Path, at: int | None, hop: str, names: Sequence[str]) -> TableRow | None:
        via = self.broker(hop, number, path, "key")
        index = self.broker_index
        destinations = [index[name] for name in names if name in index]
        positions = [*range(len(names))]
        if len(destinations) != len(names) or path in self.documents[number].kept:
            # Something is unknown or already taken out: the slow way keeps the places.
            positions = []
            for position, name in enumerate(names):
                original = self.original(number, path, position)
                if self.broker(name, number, (*path, original)) is None:
                    self.incomplete.add("routing.tables")
                else:
                    positions.append(original)
        if at is None or via is None:
            self.incomplete.add("routing.tables")
            return None
        return TableRow(Place(number, path), at, via, tuple(destinations), tuple(positions))

    def resolve_colours(self) -> tuple[list[Colour], bool]:
        colours: list[Colour] = []
        places: dict[str, Place] = {}
        declared = False
        known: dict[str, _Failing] = {}
        for number, model in self.models:
            if model.failures is None or model.failures.colours is None:
                continue
            # An empty section declares nothing, as one that is not there; one of which nothing could be read does.
            declared = declared or bool(model.failures.colours) or "failures.colours" in self.incomplete
            for name, items in model.failures.colours.items():
                path = ("failures", "colours", name)
                place = Place(number, path)
                first = places.setdefault(name, place)
                if first is not place:
                    self.twice(f"colour `{name}`", place._replace(part="key"), first._replace(part="key"))
                    continue
                links, brokers = self.failing_together(items or (), number, path, known)
                partial = self.is_partial(items or (), number, path, known)
                self.colour_index[name] = len(colours)
                colours.append(Colour(name, place, links, brokers, partial))
        return colours, declared

    def resolve_groups(self) -> None:
        known: dict[str, _Failing] = {}
        places: dict[str, Place] = {}
        for number, model in self.models:
            for name, items in (model.groups or {}).items():
                path = ("groups", name)
                place = Place(number, path)
                first = places.setdefault(name, place)
                if first is not place:
                    self.twice(f"group `{name}`", place._replace(part="key"), first._replace(part="key"))
                    continue
                links, brokers = self.failing_together(items or (), number, path, known)
                if self.is_partial(items or (), number, path, known):
                    self.partial_groups.add(name)
                self.same_name(name, place)
                self.groups.append(Group(name, place, links, brokers))
        # Only now, so that a group does not find another one among its members.
        self.group_index = {group.name: index for index, group in enumerate(self.groups)}

    def is_partial(self, items: Sequence[str], number: int, path: Path, known: Mapping[str, _Failing]) -> bool:
        """Whether something that a colour or a group fails could not be read, or is not known."""
        lost = path in self.documents[number].partial_failures
        unsure = self.partial_groups | self.two_things
        return lost or any(known.get(item) is None or item in unsure for item in items)

    def same_name(self, name: str, place: Place) -> None:
        """A group that is called like a broker or a link: a colour could not fail it by its name."""
        if name in self.broker_index:
            what, first = "a broker", self.brokers[self.broker_index[name]].place._replace(part="key")
        elif name in self.link_names.by_id:
            what, first = "a link", self.name_place(self.link_names.by_id[name])
        else:
            return
        self.drafts.append(
            Draft(
                "MOM102",
                place._replace(part="key"),
                f"group `{name}` has the name of {what}; a colour that fails `{name}` means the {what[2:]}",
                "give the group another name",
                related=[RelatedDraft(first, f"the {what[2:]} is declared here")],
            )
        )

    def failing_together(
        self, items: Sequence[str], number: int, path: Path, known: dict[str, _Failing]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The links and brokers that a list of names means, ascending; `known`: names that have been looked up."""
        links: set[int] = set()
        brokers: set[int] = set()
        for position, item in enumerate(items):
            if item not in known:
                known[item] = self.failing(item, Place(number, (*path, self.original(number, path, position))))
            found = known[item]
            if found is None:
                self.incomplete.add("failures.colours" if path[0] == "failures" else "groups")
                self.unknown_failing(item, Place(number, (*path, self.original(number, path, position))))
                continue
            links.update(found[0])
            brokers.update(found[1])
        return tuple(sorted(links)), tuple(sorted(brokers))

    def failing(self, item: str, place: Place) -> _Failing:
        """What a name fails: links by id, links by ends, a broker, or a group; in this order."""
        names = self.link_names
        found = names.by_given_id.get(item) or self.links_between(item)
        if found and item in self.broker_index:
            self.two_things.add(item)
            link, broker = self.links[found[0]], self.brokers[self.broker_index[item]]
            self.drafts.append(
                Draft(
                    "MOM102",
                    place,
                    f"`{item}` is both a link and a broker, so it is unclear which of them fails",
                    "give the link another id",
                    related=[
                        RelatedDraft(link.place, f"the link `{link.id}`"),
                        RelatedDraft(broker.place._replace(part="key"), f"the broker `{broker.id}`"),
                    ],
                )
            )
        if item in names.by_given_id:
            return tuple(names.by_given_id[item]), ()
        if not found:
            if item in self.broker_index:
                return (), (self.broker_index[item],)
            if item in self.group_index:
                group = self.groups[self.group_index[item]]
                return group.links, group.brokers
            return None
        if self.is_ambiguous(found) and not names.reported.intersection(found):
            called = ", ".join(f"`{self.links[link].id}`" for link in found[:MOST_RELATED])
            self.drafts.append(
                Draft(
                    "MOM108",
                    place,
                    f"`{item}` can mean {len(found)} links ({called}); all of them are taken to fail",
                    "name the links by their ids",
                    related=[
                        RelatedDraft(self.links[link].place, f"link `{self.links[link].id}`")
                        for link in found[:MOST_RELATED]
                    ],
                )
            )
        return tuple(found), ()

    def is_ambiguous(self, found: Sequence[int]) -> bool:
        """Whether links found by their ends are several things; one way there and one back are one."""
        links = [self.links[index] for index in found]
        directions = {(link.tail, link.head) for link in links}
        pairs = {frozenset(direction) for direction in directions}
        one_connection = len(pairs) == 1 and len(directions) == len(links) and all(link.one_way for link in links)
        return len(links) > 1 and not one_connection

    def links_between(self, item: str) -> list[int]:
        """Links that `a--b` or `a->b` means, for every way to split the text into two broker ids."""
        names = self.link_names
        found: set[int] = set()
        for left, right in _splits(item, "--"):
            if left in self.broker_index and right in self.broker_index:
                tail, head = self.broker_index[left], self.broker_index[right]
                found.update(names.both_ways.get((min(tail, head), max(tail, head)), ()))
                found.update(names.one_way.get((tail, head), ()))
                found.update(names.one_way.get((head, tail), ()))
        for left, right in _splits(item, "->"):
            if left in self.broker_index and right in self.broker_index:
                found.update(names.one_way.get((self.broker_index[left], self.broker_index[right]), ()))
        return sorted(found)

    def unknown_failing(self, item: str, place: Place) -> None:
        """An item that is neither a link nor a broker nor a group."""
        names = self.link_names
        if place.path[0] == "failures" and "groups" in self.lost:
            return  # perhaps a group that could not be read
        splits = [*_splits(item, "--"), *_splits(item, "->")]
        if item in names.left_out_ids or any(frozenset(split) in names.left_out_ends for split in splits):
            return  # declared, and left out for a fault that has its own finding
        if splits or self.is_meant_as_link(item):
            self.unknown_links.setdefault(item, []).append(place)
        else:
            self.unknown_brokers.setdefault(item, []).append(place)

    def is_meant_as_link(self, item: str) -> bool:
        """Whether a name that is no declared one is more like the links' ids than like the brokers' and groups'."""
        given = self.link_names.by_given_id
        return bool(given) and looks_like(item, given) > looks_like(item, [*self.broker_index, *self.group_index])

    def resolve_recovery(self) -> tuple[list[RecoveryRow] | None, str | None]:
        rows: list[RecoveryRow] = []
        form_place: Place | None = None
        file: str | None = None
        locations: dict[str, Place] = {}
        known = (tuple(self.broker_index), tuple(self.colour_index))
        for number, model in self.models:
            recovery = model.failures.recovery if model.failures is not None else None
            if recovery is None:
                continue
            section = Place(number, ("failures", "recovery"), "key")
            if not isinstance(recovery, dict):
                if form_place is not None:
                    self.twice("`failures.recovery`", section, form_place)
                    continue
                form_place = section
                file = join(self.directories[number], recovery.file)
                self.section_places["failures.recovery.file"] = Place(number, ("failures", "recovery", "file"), "value")
                continue
            if file is not None and form_place is not None:
                self.twice("`failures.recovery`", section, form_place)
                continue
            form_place = form_place or section
            for location, entries in recovery.items():
                path = ("failures", "recovery", location)
                place = Place(number, path, "key")
                first = locations.setdefault(location, place)
                if first is not place:
                    self.twice(f"the recovery table of broker `{location}`", place, first)
                    self.incomplete.add("failures.recovery")
                    continue
                at = self.broker(location, number, path, "key")
                if isinstance(entries, Rows) and entries.resolved is not None and entries.resolved.fits(place, known):
                    rows += entries.resolved.rows
                    continue
                before = len(rows)
                for position, entry in enumerate(entries or ()):
                    row_path = (*path, self.original(number, path, position))
                    to = self.broker(entry.to, number, (*row_path, "to"), "value")
                    via = self.broker(entry.via, number, (*row_path, "via"), "value")
                    inverted = "excepted" in entry.__pydantic_fields_set__
                    field = "except" if inverted else "colours"
                    names = entry.excepted if inverted else entry.colours
                    colours = self.row_colours(names, number, (*row_path, field))
                    if at is None or to is None or via is None or (names and not colours and not inverted):
                        self.incomplete.add("failures.recovery")
                        continue
                    rows.append(RecoveryRow(Place(number, row_path), at, to, via, colours, inverted))
                if isinstance(entries, Rows) and not (self.unknown_brokers or self.unknown_colours):
                    entries.resolved = _Resolved(place, known, rows[before:])
        # An empty section has no rows: the overlay heals itself, unless there are some that cannot be read.
        has_rows = bool(rows) or "failures.recovery" in self.incomplete
        # Rows hold in colours, so without any colour they say nothing (see `report_unknown`).
        self.rows_without_colours = bool(rows) and not self.colour_index
        if self.rows_without_colours:
            rows = []
            self.incomplete.add("failures.recovery")
        return (rows if has_rows and form_place is not None and file is None else None), file

    def row_colours(self, names: Sequence[str], number: int, path: Path) -> tuple[int, ...]:
        found: list[int] = []
        for position, name in enumerate(names):
            colour = self.colour_index.get(name)
            if colour is None:
                self.incomplete.add("failures.recovery")
                self.unknown_colours.setdefault(name, []).append(Place(number, (*path, position)))
            else:
                found.append(colour)
        return tuple(dict.fromkeys(found))

    def resolve_takeover(self) -> tuple[dict[int, tuple[int, ...]], dict[int, Place]]:
        takeover: dict[int, tuple[int, ...]] = {}
        places: dict[int, Place] = {}
        for number, model in self.models:
            for failed, entry in ((model.failures.takeover if model.failures else None) or {}).items():
                path = ("failures", "takeover", failed)
                left = self.broker(failed, number, path, "key")
                if isinstance(entry, str):
                    found = [self.broker(entry, number, path, "value")]
                else:
                    found = [
                        self.broker(name, number, (*path, self.original(number, path, position)), "value")
                        for position, name in enumerate(entry)
                    ]
                adopters = tuple(dict.fromkeys(adopter for adopter in found if adopter is not None))
                if None in found:
                    self.incomplete.add("failures.takeover")
                if left is None or not adopters:
                    self.incomplete.add("failures.takeover")
                elif left in places:
                    self.twice(
                        f"the takeover of broker `{failed}`",
                        Place(number, path, "key"),
                        places[left]._replace(part="key"),
                    )
                else:
                    takeover[left] = adopters
                    places[left] = Place(number, path)
        return takeover, places

    def resolve_tolerate(self) -> Tolerate | None:
        found: Tolerate | None = None
        first: Place | None = None
        for number, model in self.models:
            tolerate = model.failures.tolerate if model.failures is not None else None
            if tolerate is None:
                continue
            place = Place(number, ("failures", "tolerate"), "key")
            if first is not None:
                self.twice("`failures.tolerate`", place, first)
                continue
            first = place
            if isinstance(tolerate, str):
                found = Tolerate(int(tolerate == "single-link"), int(tolerate == "single-broker"), place=place)
            else:
                found = Tolerate(tolerate.links, tolerate.brokers, tolerate.groups, place)
        return found

    def resolve_specs(self) -> list[Spec]:
        specs: list[Spec] = []
        for number, model in self.models:
            for position, entry in enumerate(model.specs or ()):
                place = Place(number, ("specs", self.original(number, ("specs",), position)))
                if entry.ctl:
                    specs.append(Spec(entry.name, place, "ctl", entry.ctl))
                else:
                    specs.append(Spec(entry.name, place, "ltl", entry.ltl))
        return specs

    # -- what was not found ----------------------------------------------------------------------------------

    def report_unknown(self) -> None:
        if "brokers" not in self.lost:
            for number, (name, places) in enumerate(self.some_unknown("MOM104", "broker", self.unknown_brokers)):
                known = [*self.broker_index, *self.group_index] if self.may_be_group(places) else self.broker_index
                hint = did_you_mean(name, known) if number < _MOST_HINTS else ""
                self.unknown("MOM104", f"broker `{name}` is not declared{hint}", places, "declare it under `brokers:`")
        if not {"brokers", "links"} & self.lost:
            for number, (item, places) in enumerate(self.some_unknown("MOM108", "link", self.unknown_links)):
                self.unknown(
                    "MOM108",
                    f"there is no link `{item}`{self.link_hint(item, number)}",
                    places,
                    "a link is its `id`, or `a--b` by the brokers it joins (one way: `a->b`)",
                )
        for number, (name, places) in enumerate(self.some_unknown("MOM102", "topic", self.unknown_topics)):
            hint = did_you_mean(name, self.topic_names) if number < _MOST_HINTS else ""
            self.unknown("MOM102", f"topic `{name}` is not declared{hint}", places, "declare it under `topics:`")
        if "failures.colours" in self.lost or not (self.unknown_colours or self.rows_without_colours):
            return
        if not self.colour_index:
            self.drafts.append(
                Draft(
                    "MOM102",
                    self.section_places["failures.recovery"],
                    "`recovery` names colours, but the estate declares none",
                    "list them under `failures.colours`: colour → what has failed",
                )
            )
            return
        for number, (name, places) in enumerate(self.some_unknown("MOM102", "colour", self.unknown_colours)):
            hint = did_you_mean(name, self.colour_index) if number < _MOST_HINTS else ""
            self.unknown(
                "MOM102",
                f"colour `{name}` is not declared{hint}",
                places,
                "declare it under `failures.colours`",
            )

    def some_unknown(
        self, code: str, what: str, unknown: Mapping[str, list[Place]]
    ) -> Iterator[tuple[str, list[Place]]]:
        """The first unknown names; of all others one finding that counts them, where the first of them stands."""
        yield from islice(unknown.items(), _MOST_UNKNOWN)
        rest = list(islice(unknown.items(), _MOST_UNKNOWN, None))
        if rest:
            more = f"and {len(rest) - 1} more are" if len(rest) > 1 else "is"
            self.drafts.append(
                Draft(
                    code,
                    rest[0][1][0],
                    f"{what} `{rest[0][0]}` {more} not declared, besides the {_MOST_UNKNOWN} reported one by one",
                    "is a file missing from `include`, or a section?",
                )
            )

    @staticmethod
    def may_be_group(places: Iterable[Place]) -> bool:
        """Whether a name that is not declared is used in colours only, where groups may stand too."""
        return all(place.path[:2] == ("failures", "colours") for place in places)

    def link_hint(self, item: str, number: int) -> str:
        if number >= _MOST_HINTS:
            return ""
        for left, right in _splits(item, "->"):
            ends = (self.broker_index.get(left, -1), self.broker_index.get(right, -1))
            both = self.link_names.both_ways.get((min(ends), max(ends)))
            if both:
                name = self.links[both[0]].id
                return f"; the link between `{left}` and `{right}` goes both ways: write `{name}`"
        return did_you_mean(item, self.link_names.by_id)

    def unknown(self, code: str, message: str, places: list[Place], help_: str) -> None:
        """One finding for one unknown name; the place that stands first in the text is the primary one."""
        ordered = sorted(places, key=self.text_order)
        if len(ordered) > 1:
            message += f" (used in {len(ordered)} places)"
        related = [RelatedDraft(place, "used here too") for place in ordered[1 : 1 + MOST_RELATED]]
        self.drafts.append(Draft(code, ordered[0], message, help_, related=related))

    def text_order(self, place: Place) -> tuple[int, int]:
        # Within a section the uses were met in the order of the text, and sorting is stable.
        order = self.documents[place.document].order
        section = str(place.path[0])
        if section in ("failures", "routing"):
            section = f"{section}.{place.path[1]}"
        return place.document, order.get(section, 0)


def _splits(text: str, separator: str) -> list[tuple[str, str]]:
    """Every way to read the text as two non-empty names with the separator between them."""
    splits: list[tuple[str, str]] = []
    start = text.find(separator, 1)
    while start != -1:
        left, right = text[:start], text[start + len(separator) :]
        if right:
            splits.append((left, right))
        start = text.find(separator, start + 1)
    return splits
