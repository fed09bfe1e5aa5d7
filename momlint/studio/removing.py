"""What goes with brokers, links and topics: all that names them, as routes in the texts of an estate.

A name that is left over would be an error of its own (MOM104, MOM108), and one that says nothing of what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from momlint.estate.rewriting import route_of
from momlint.source.nodes import MappingNode, ScalarNode, SequenceNode
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate, Link
    from momlint.source.nodes import Document, Node

#: A document, and a route in it.
Route: TypeAlias = tuple[int, tuple[str | int, ...]]

#: What is counted, in the order in which it is told; None for what goes without saying.
_NOUNS = (
    ("link", "links"),
    ("place in a topic", "places in topics"),
    ("subscription", "subscriptions"),
    ("publication", "publications"),
    ("group", "groups"),
    ("colour", "colours"),
    ("recovery row", "recovery rows"),
    ("table row", "table rows"),
    ("take-over", "take-overs"),
    ("specification", "specifications"),
    ("place elsewhere", "places elsewhere"),
)


class Going:
    """What goes. `routes`: entries and items, some of them within others; `hollow`: what may be left empty."""

    def __init__(self, loaded: LoadedEstate) -> None:
        assert loaded.estate is not None
        self.loaded = loaded
        self.estate: Estate = loaded.estate
        self.routes: dict[Route, None] = {}
        self.hollow: set[Route] = set()
        #: Lists that say something when they are empty, and have to be written so.
        self.emptied: set[Route] = set()
        self._counts: dict[str, int] = {}
        self._groups: set[str] = set()
        self._colours: set[str] = set()

    def words(self) -> list[str]:
        """What goes beside the thing itself, each kind counted."""
        return [counted(self._counts[one], one, several) for one, several in _NOUNS if self._counts.get(one)]

    def broker(self, number: int) -> None:
        """A broker (dense id), its links, and all that names either."""
        estate, name = self.estate, self.estate.brokers[number].id
        self._take(route_of(estate.brokers[number].place))
        links = [index for index, link in enumerate(estate.links) if number in (link.tail, link.head)]
        for index in links:
            self._take(route_of(estate.links[index].place), "link")
        for topic in estate.topics:
            self.hollow.add(route_of(topic.place))
            if number in topic.publishers:
                self._take(route_of(topic.publisher_place(number)), "place in a topic")
            if number in topic.subscribers:
                self._take(route_of(topic.subscriber_place(number)), "place in a topic")
        for section, interests in (("subscription", estate.subscriptions), ("publication", estate.publications)):
            for one in interests or ():
                if one.broker == number:
                    self._take(route_of(one.place), section)
        for at, document in self._documents():
            self._tables(at, document, name)
            self._takeover(at, document, name)
            self._alternatives(at, document, name)
        self._failing(set(links), {number})
        for at, document in self._documents():
            self._rows(at, document, name)

    def link(self, number: int) -> None:
        """A link (dense id), and the colours and groups that name it."""
        self._take(route_of(self.estate.links[number].place))
        self._failing({number}, set())
        for at, document in self._documents():
            self._rows(at, document, None)

    def topic(self, number: int) -> None:
        """A topic by its index, and the traffic and the clients that name it."""
        topic = self.estate.topics[number]
        self._take(route_of(topic.place))
        for at, document in self._documents():
            for index, node in _items(document.find(("simulation", "traffic"))):
                if _text(node, "topic") == topic.name:
                    self._take((at, ("simulation", "traffic", index)), "place elsewhere")
            for client, _ in _entries(document.find(("clients",))):
                self.hollow.add((at, ("clients", client)))
                for key in ("publishes", "subscribes"):
                    for index, node in _items(document.find(("clients", client, key))):
                        if isinstance(node, ScalarNode) and node.text == topic.name:
                            self._take((at, ("clients", client, key, index)), "place elsewhere")

    def specification(self, number: int) -> None:
        """A specification by its index."""
        self._take(route_of(self.estate.specs[number].place), "specification")

    def interest(self, section: str, number: int) -> None:
        """One of ``subscriptions`` or ``publications`` by its index."""
        interests = self.estate.subscriptions if section == "subscriptions" else self.estate.publications
        self._take(route_of((interests or ())[number].place))

    # -- routed overlays ----------------------------------------------------------------------------------------------

    def _tables(self, at: int, document: Document, name: str) -> None:
        """``routing.tables``: location → next hop → destinations."""
        base = ("routing", "tables")
        for location, table in _entries(document.find(base)):
            hops = _entries(table)
            if location == name:
                self._take((at, (*base, location)), "table row", max(1, len(hops)))
                continue
            gone = []
            for hop, node in hops:
                route = (*base, location, hop)
                destinations = [one.text for _, one in _items(node) if isinstance(one, ScalarNode)]
                if hop == name or (destinations and set(destinations) == {name}):
                    gone.append(route)
                    continue
                for index, one in enumerate(destinations):
                    if one == name:
                        self._take((at, (*route, index)))
            if gone and len(gone) == len(hops):
                self._take((at, (*base, location)), "table row", len(gone))
            else:
                for route in gone:
                    self._take((at, route), "table row")

    def _rows(self, at: int, document: Document, name: str | None) -> None:
        """``failures.recovery``: rows that name the broker, and colours that are gone."""
        if self.estate.recovery_file is not None:
            return
        base = ("failures", "recovery")
        for location, node in _entries(document.find(base)):
            rows = _items(node)
            if location == name:
                self._take((at, (*base, location)), "recovery row", len(rows))
                continue
            gone = [index for index, row in rows if self._is_gone(row, name)]
            if gone and len(gone) == len(rows):
                self._take((at, (*base, location)), "recovery row", len(gone))
                continue
            for index, row in rows:
                route = (*base, location, index)
                if index in gone:
                    self._take((at, route), "recovery row")
                    continue
                for key in ("colours", "except"):
                    for number, one in _items(_value(row, key)):
                        if isinstance(one, ScalarNode) and one.text in self._colours:
                            self._take((at, (*route, key, number)))
                            # A row that is used in all colours says so by an empty list.
                            self.emptied.add((at, (*route, key)))

    def _is_gone(self, row: Node, name: str | None) -> bool:
        if name is not None and name in (_text(row, "to"), _text(row, "via")):
            return True
        names = [one.text for _, one in _items(_value(row, "colours")) if isinstance(one, ScalarNode)]
        return bool(names) and set(names) <= self._colours

    def _takeover(self, at: int, document: Document, name: str) -> None:
        base = ("failures", "takeover")
        for failed, node in _entries(document.find(base)):
            adopters = [one.text for _, one in _items(node) if isinstance(one, ScalarNode)]
            if isinstance(node, ScalarNode):
                adopters = [node.text]
            if failed == name or set(adopters) == {name}:
                self._take((at, (*base, failed)), "take-over")
                continue
            for index, one in enumerate(adopters):
                if one == name:
                    self._take((at, (*base, failed, index)))

    # -- relayed overlays ---------------------------------------------------------------------------------------------

    def _alternatives(self, at: int, document: Document, name: str) -> None:
        for index, link in _items(document.find(("links",))):
            base = ("links", index, "alternatives")
            ends = _entries(_value(link, "alternatives"))
            gone = []
            for end, node in ends:
                others = [one.text for _, one in _items(node) if isinstance(one, ScalarNode)]
                if end == name or (others and set(others) == {name}):
                    gone.append(end)
                    continue
                for number, one in enumerate(others):
                    if one == name:
                        self._take((at, (*base, end, number)))
            if gone and len(gone) == len(ends):
                self._take((at, base))
            else:
                for end in gone:
                    self._take((at, (*base, end)))

    # -- what fails ---------------------------------------------------------------------------------------------------

    def _failing(self, links: set[int], brokers: set[int]) -> None:
        """Groups and colours without what is gone; those of which nothing is left go.

        So does a colour that would be left for a failure which has a colour already.
        """
        naming = Naming(self.loaded)
        for at, document in self._documents():
            for group, node in _entries(document.find(("groups",))):
                self._list(at, ("groups", group), node, naming, links, brokers)
        touched: list[tuple[int, str, Node]] = []
        for at, document in self._documents():
            for colour, node in _entries(document.find(("failures", "colours"))):
                if any(self._names_gone(one, naming, links, brokers) for _, one in _items(node)):
                    touched.append((at, colour, node))
        mentioned = {colour for _, colour, _ in touched}
        failed = {
            one.name: (frozenset(one.failed_links) - links, frozenset(one.failed_brokers) - brokers)
            for one in self.estate.colours
            # What one means that names something unknown is not known.
            if not one.incomplete
        }
        left = {what for name, what in failed.items() if name not in mentioned}
        for at, colour, node in touched:
            route = ("failures", "colours", colour)
            what = failed.get(colour)
            items = [one for _, one in _items(node)]
            if what in left or all(self._names_gone(one, naming, links, brokers) for one in items):
                self._colours.add(colour)
                self._take((at, route), "colour")
                continue
            if what is not None:
                left.add(what)
            self._list(at, route, node, naming, links, brokers)

    def _list(
        self, at: int, route: tuple[str | int, ...], node: Node, naming: Naming, links: set[int], brokers: set[int]
    ) -> None:
        items = _items(node)
        gone = [index for index, one in items if self._names_gone(one, naming, links, brokers)]
        if gone and len(gone) == len(items) and route[0] == "groups":
            self._groups.add(str(route[1]))
            self._take((at, route), "group")
            return
        for index in gone:
            self._take((at, (*route, index)))

    def _names_gone(self, node: Node, naming: Naming, links: set[int], brokers: set[int]) -> bool:
        if not isinstance(node, ScalarNode):
            return False
        meant = naming.of(node.text)
        if meant is None:
            return node.text in self._groups
        return bool(meant[0] or meant[1]) and set(meant[0]) <= links and set(meant[1]) <= brokers

    # -- how ----------------------------------------------------------------------------------------------------------

    def _documents(self) -> Iterator[tuple[int, Document]]:
        for number, (_, document) in enumerate(self.loaded.documents):
            yield number, document

    def _take(self, route: Route, noun: str | None = None, count: int = 1) -> None:
        if route not in self.routes:
            self.routes[route] = None
            if noun is not None:
                self._counts[noun] = self._counts.get(noun, 0) + count


class Naming:
    """What names in colours and groups mean, as the language has it: links by id, links by their ends, brokers."""

    def __init__(self, loaded: LoadedEstate) -> None:
        estate = loaded.estate
        assert estate is not None
        self._ids: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        names = [broker.id for broker in estate.brokers]
        for number, link in enumerate(estate.links):
            tail, head = names[link.tail], names[link.head]
            if has_id(loaded, link):
                self._ids.setdefault(link.id, []).append(number)
            ends = {f"{tail}--{head}", f"{head}--{tail}", *([f"{tail}->{head}"] if link.one_way else [])}
            for one in ends:
                self._ends.setdefault(one, []).append(number)
        self._brokers = {name: number for number, name in enumerate(names)}

    def of(self, item: str) -> tuple[Sequence[int], Sequence[int]] | None:
        """The links and brokers (dense ids) that a name means; None for a group, or for nothing."""
        links = self._ids.get(item) or self._ends.get(item)
        if links:
            return links, ()
        return ((), (self._brokers[item],)) if item in self._brokers else None


def has_id(loaded: LoadedEstate, link: Link) -> bool:
    """Whether a link has an id of its own, and is not called by its ends."""
    document, path = route_of(link.place)
    return loaded.documents[document][1].find((*path, "id")) is not None


def _entries(node: Node | None) -> list[tuple[str, Node]]:
    """Keys and values of a mapping, its own or merged ones; nothing for what is none."""
    return [(entry.key.text, entry.value) for entry in node.entries] if isinstance(node, MappingNode) else []


def _items(node: Node | None) -> list[tuple[int, Node]]:
    return list(enumerate(node.items)) if isinstance(node, SequenceNode) else []


def _value(node: Node, key: str) -> Node | None:
    entry = node.get(key) if isinstance(node, MappingNode) else None
    return None if entry is None else entry.value


def _text(node: Node, key: str) -> str | None:
    value = _value(node, key)
    return value.text if isinstance(value, ScalarNode) else None


__all__ = ["Going", "Naming", "Route", "has_id"]
