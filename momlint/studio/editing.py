"""Changes of an estate, as patches of the texts that it stands in: brokers, links and topics come, change and go.

Everything that is not changed stays byte for byte, comments too. What cannot be done so is `Unpatchable`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from momlint.errors import UsageError
from momlint.estate.rewriting import route_of
from momlint.findings import Place
from momlint.routed.recovery.quoting import yaml_name
from momlint.source.editing import with_section
from momlint.source.nodes import MappingEntry, MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.patching import Patches, Unpatchable, has_comment
from momlint.studio.attributes import filter_told, flow, list_of
from momlint.studio.removing import Going, Naming, has_id

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate, Interest, Link
    from momlint.studio.removing import Route


class Editing:
    """Changes of one estate, gathered and then `made`. Methods raise `Unpatchable`; then nothing is to be used."""

    def __init__(self, loaded: LoadedEstate, read: Callable[[str], bytes]) -> None:
        """`read`: the content of a file of the estate."""
        assert loaded.estate is not None
        self.loaded = loaded
        self.estate: Estate = loaded.estate
        self._read = read
        self._files: dict[str, Patches] = {}
        self._sections: list[tuple[int, str, str]] = []
        # Items of lists and entries of mappings, by the route of what they stand in.
        self._gone: defaultdict[Route, set[int]] = defaultdict(set)
        self._new: defaultdict[Route, list[str]] = defaultdict(list)
        # The item that new ones follow, where it is not the last.
        self._behind: dict[Route, int] = {}
        # What may be left empty, and lists that are to be written as such.
        self._hollow: set[Route] = set()
        self._emptied: set[Route] = set()
        # Values and whole entries that become other texts.
        self._values: list[tuple[int, Node, str]] = []
        self._entries: list[tuple[int, MappingEntry, str]] = []

    def made(self) -> dict[str, bytes]:
        """The files that change."""
        self._settle()
        for document, path in dict.fromkeys((*self._gone, *self._new)):
            self._change(document, path)
        for document, node, text in self._values:
            self._patches(document).replace_value(node, text)
        for document, entry, text in self._entries:
            patches = self._patches(document)
            start, end = patches.range(entry.span)
            if has_comment(patches.text.text[start:end]):
                raise Unpatchable("a comment would be lost")
            patches.put(start, end, text.replace("\n", patches.line_break))
        made = {file: patches.made() for file, patches in self._files.items() if len(patches)}
        for number, section, text in self._sections:
            source, tree = self.loaded.documents[number]
            if source.file in made:
                raise Unpatchable("two changes touch the same file")
            try:
                made[source.file] = with_section(self._read(source.file), tree, section, text)
            except UsageError as error:
                raise Unpatchable(str(error)) from error
        return made

    # -- what comes ---------------------------------------------------------------------------------------------------

    def add_broker(self, name: str, told: Mapping[str, str | None]) -> Sequence[str]:
        """A broker, with attributes such as ``site`` as YAML, None for none."""
        self._is_new(name, [one.id for one in self.estate.brokers], "broker")
        self._append("brokers", name, flow(told))
        return ()

    def add_link(self, tail: str, head: str, name: str, told: Mapping[str, str | None], *, one_way: bool) -> None:
        """A link between two brokers; `name` empty for none of its own."""
        for one in (tail, head):
            self._is_known(one)
        if tail == head:
            raise Unpatchable("a link joins two brokers")
        called = name or f"{tail}{'->' if one_way else '--'}{head}"
        self._is_new(called, [one.id for one in self.estate.links], "link")
        ends = {"from": yaml_name(tail), "to": yaml_name(head)} if one_way else {"between": _both(tail, head)}
        self._append("links", None, flow({"id": yaml_name(name) if name else None, **ends, **told}))

    def add_topic(
        self,
        name: str,
        publishers: Sequence[str],
        subscribers: Sequence[str],
        told: Mapping[str, str | None] | None = None,
    ) -> None:
        """A topic; `told` as for brokers."""
        self._is_new(name, [one.name for one in self.estate.topics], "topic")
        for one in (*publishers, *subscribers):
            self._is_known(one)
        ends = {"publishers": f"[{_names(publishers)}]", "subscribers": f"[{_names(subscribers)}]"}
        self._append("topics", name, flow({**ends, **(told or {})}))

    def add_interest(self, section: str, broker: str, pattern: str) -> None:
        """What is wanted (``subscriptions``) or published (``publications``) at a broker of a relayed overlay."""
        self._is_known(broker)
        if not pattern:
            raise Unpatchable("a filter has at least one character")
        self._append(section, None, f"{{at: {yaml_name(broker)}, filter: {yaml_name(pattern)}}}")

    # -- what changes -------------------------------------------------------------------------------------------------

    def change_broker(self, name: str, told: Mapping[str, str | None]) -> None:
        """Give the attributes of a broker other values, as YAML; None for none."""
        broker = self.estate.brokers[self._broker(name)]
        self._set(broker.place, told)

    def change_topic(
        self, name: str, publishers: Sequence[str], subscribers: Sequence[str], told: Mapping[str, str | None]
    ) -> None:
        """Give a topic other publishers and subscribers; `told` as for brokers."""
        topic = self.estate.topics[self._topic(name)]
        for one in (*publishers, *subscribers):
            self._is_known(one)
        names = [broker.id for broker in self.estate.brokers]
        values = dict(told)
        for key, wanted, known in (
            ("publishers", publishers, topic.publishers),
            ("subscribers", subscribers, topic.subscribers),
        ):
            before = [names[one] for one in known]
            if list(wanted) != before and not self._change_names(topic.place, key, before, wanted):
                values[key] = f"[{_names(wanted)}]" if wanted else None
        self._set(topic.place, values)

    def change_link(
        self, name: str, new: str, tail: str, head: str, told: Mapping[str, str | None], *, one_way: bool
    ) -> None:
        """Give a link other ends, an id (empty for none of its own) and attributes; colours and groups follow."""
        number = self._link(name)
        link = self.estate.links[number]
        names = [broker.id for broker in self.estate.brokers]
        for one in (tail, head):
            self._is_known(one)
        if tail == head:
            raise Unpatchable("a link joins two brokers")
        called = new or f"{tail}{'->' if one_way else '--'}{head}"
        if called != name:
            self._is_new(called, [one.id for one in self.estate.links], "link")
        values = dict(told)
        if new != (name if has_id(self.loaded, link) else ""):
            values["id"] = yaml_name(new) if new else None
        ends = (names[link.tail], names[link.head], link.one_way)
        if ends != (tail, head, one_way):
            if link.alternatives:
                raise Unpatchable("the alternatives of the link name its ends; change them in the text")
            self._change_ends(link, tail, head, one_way=one_way)
        self._set(link.place, values)
        if called != name:
            self._call(number, called)

    def change_filters(self, name: str, filters: Sequence[Mapping[str, str | None]] | None) -> None:
        """Let a link pass other topics, of which the first that matches counts; None for everything.

        Filters that stay are left alone, and of one that changes what is other about it.
        """
        link = self.estate.links[self._link(name)]
        document, path = route_of(link.place)
        route = (*path, "topics")
        node = self.loaded.documents[document][1].find(route)
        if filters is None or not isinstance(node, SequenceNode) or not node.items:
            value = None if filters is None else list_of(filters)
            self._set(link.place, {"topics": value})
            return
        self._find(document, route)
        before = [filter_told(one) for one in link.passes or ()]
        if len(before) != len(node.items):
            raise Unpatchable("some of its filters are not known; change them in the text")
        same = 0
        while same < min(len(before), len(filters)) and before[same] == filters[same]:
            same += 1
        end = 0
        while end < min(len(before), len(filters)) - same and before[-1 - end] == filters[len(filters) - 1 - end]:
            end += 1
        old, new = range(same, len(before) - end), filters[same : len(filters) - end]
        for index, one in zip(old, new, strict=False):
            told = {key: value for key, value in one.items() if value != before[index].get(key)}
            self._set_at(document, (*route, index), told)
        for index in old[len(new) :]:
            self._drop(document, (*route, index))
        if not filters:
            self._emptied.add((document, route))
        if len(new) > len(old):
            self._new[document, route] += [flow(one) for one in new[len(old) :]]
            self._behind[document, route] = same + len(old) - 1

    def change_interest(self, section: str, number: int, broker: str, pattern: str) -> None:
        """Let something else be wanted or published, or elsewhere."""
        self._is_known(broker)
        if not pattern:
            raise Unpatchable("a filter has at least one character")
        interest = self._interests(section, number)
        told: dict[str, str | None] = {}
        if self.estate.brokers[interest.broker].id != broker:
            told["at"] = yaml_name(broker)
        if interest.filter != pattern:
            told["filter"] = yaml_name(pattern)
        self._set(interest.place, told)

    # -- what goes ----------------------------------------------------------------------------------------------------

    def remove_link(self, name: str) -> list[str]:
        """A link with all that names it; what goes beside it, in words."""
        return self._go(lambda going: going.link(self._link(name)))

    def remove_topic(self, name: str) -> list[str]:
        """A topic, as `remove_link`."""
        return self._go(lambda going: going.topic(self._topic(name)))

    def remove_broker(self, name: str) -> list[str]:
        """A broker with its links, as `remove_link`."""
        return self._go(lambda going: going.broker(self._broker(name)))

    def remove_interest(self, section: str, number: int) -> list[str]:
        """What is wanted or published somewhere."""
        self._interests(section, number)
        return self._go(lambda going: going.interest(section, number))

    def remove_specifications(self, numbers: Sequence[int]) -> list[str]:
        """The specifications with these indices; as `remove_link`."""

        def take(going: Going) -> None:
            for number in numbers:
                going.specification(number)

        return self._go(take)

    # -- how ----------------------------------------------------------------------------------------------------------

    def _go(self, take: Callable[[Going], None]) -> list[str]:
        going = Going(self.loaded)
        take(going)
        for document, path in going.routes:
            self._drop(document, path)
        self._hollow |= going.hollow
        self._emptied |= going.emptied
        return going.words()

    def _broker(self, name: str) -> int:
        self._is_known(name)
        return [one.id for one in self.estate.brokers].index(name)

    def _link(self, name: str) -> int:
        names = [one.id for one in self.estate.links]
        if name not in names:
            raise Unpatchable(f"there is no link `{name}`")
        return names.index(name)

    def _topic(self, name: str) -> int:
        names = [one.name for one in self.estate.topics]
        if name not in names:
            raise Unpatchable(f"there is no topic `{name}`")
        return names.index(name)

    def _interests(self, section: str, number: int) -> Interest:
        known = {"subscriptions": self.estate.subscriptions, "publications": self.estate.publications}
        interests = known.get(section) or ()
        if not 0 <= number < len(interests):
            raise Unpatchable("there is no such subscription or publication")
        return interests[number]

    def _is_known(self, broker: str) -> None:
        if broker not in [one.id for one in self.estate.brokers]:
            raise Unpatchable(f"there is no broker `{broker}`")

    def _is_new(self, name: str, names: Sequence[str], noun: str) -> None:
        if not name.strip():
            raise Unpatchable(f"a {noun} needs a name")
        if name in names:
            raise Unpatchable(f"there is a {noun} `{name}` already")

    def _append(self, section: str, key: str | None, value: str) -> None:
        """An entry at the end of a section of the first document that has it, or a new section."""
        for number, (_, document) in enumerate(self.loaded.documents):
            node = document.find((section,))
            if node is not None:
                # In braces a colon needs something behind it.
                given = value or ("" if isinstance(node, MappingNode) and not self._is_flow(number, node) else "{}")
                self._new[number, (section,)].append(value if key is None else f"{yaml_name(key)}: {given}".rstrip())
                return
        entry = f"- {value}" if key is None else f"{yaml_name(key)}: {value}".rstrip()
        self._yaml(0)
        self._sections.append((0, section, f"{section}:\n  {entry}\n"))

    def _drop(self, document: int, route: tuple[str | int, ...]) -> None:
        *path, last = route
        self._gone[document, tuple(path)].add(_index(self._find(document, tuple(path)), last))

    def _set(self, place: Place, told: Mapping[str, str | None]) -> None:
        """Give the entries of the mapping at `place` these values; None takes one out."""
        self._set_at(*route_of(place), told)

    def _set_at(self, document: int, path: tuple[str | int, ...], told: Mapping[str, str | None]) -> None:
        node = self._find(document, path)
        if not isinstance(node, MappingNode):
            new = [f"{key}: {value}" for key, value in told.items() if value is not None]
            if new:
                self._values.append((document, node, f"{{{', '.join(new)}}}"))
            return
        for key, value in told.items():
            entry = node.get(key)
            if entry is not None and (entry.via or entry.alias is not None):
                raise Unpatchable(f"`{key}` comes from an anchor or a merge key")
            if entry is None and value is not None:
                self._new[document, path].append(f"{key}: {value}")
            elif entry is not None and value is None:
                self._gone[document, path].add(_index(node, key))
                self._hollow.add((document, path))
            elif entry is not None and value is not None:
                self._values.append((document, entry.value, value))

    def _change_names(self, place: Place, key: str, before: Sequence[str], after: Sequence[str]) -> bool:
        """Change a list of names item by item, so that its other lines stay; False where there is no such list."""
        document, path = route_of(place)
        route = (*path, key)
        _, tree = self.loaded.documents[document]
        node = tree.find(route)
        if not isinstance(node, SequenceNode) or not before or not after:
            return False
        self._find(document, route)
        for index, item in enumerate(node.items):
            if isinstance(item, ScalarNode) and item.text not in after:
                self._drop(document, (*route, index))
        self._new[document, route] += [yaml_name(one) for one in after if one not in before]
        return True

    def _change_ends(self, link: Link, tail: str, head: str, *, one_way: bool) -> None:
        document, path = route_of(link.place)
        node = self._find(document, path)
        if not isinstance(node, MappingNode):
            raise Unpatchable("it comes from an anchor or a merge key")
        ends = [entry for entry in node.entries if entry.key.text in ("between", "from", "to")]
        if any(entry.via or entry.alias is not None for entry in ends):
            raise Unpatchable("its ends come from an anchor or a merge key")
        if one_way == link.one_way:
            told = {"from": yaml_name(tail), "to": yaml_name(head)} if one_way else {"between": _both(tail, head)}
            self._set(link.place, told)
            return
        first, *others = ends
        between = ", " if self._is_flow(document, node) else f"\n{' ' * first.key.start_column}"
        text = f"from: {yaml_name(tail)}{between}to: {yaml_name(head)}" if one_way else f"between: {_both(tail, head)}"
        self._entries.append((document, first, text))
        for other in others:
            self._gone[document, path].add(_index(node, other.key.text))

    def _call(self, number: int, name: str) -> None:
        """Let colours and groups call a link by another name, where it is what they mean."""
        naming = Naming(self.loaded)
        for document, (_, tree) in enumerate(self.loaded.documents):
            for base in (("groups",), ("failures", "colours")):
                section = tree.find(base)
                for entry in section.entries if isinstance(section, MappingNode) else ():
                    for item in entry.value.items if isinstance(entry.value, SequenceNode) else ():
                        if isinstance(item, ScalarNode) and naming.of(item.text) == ([number], ()):
                            self._find(document, (*base, entry.key.text))
                            self._values.append((document, item, yaml_name(name)))

    def _settle(self) -> None:
        """Where nothing would be left of a list or mapping in block style, it goes as a whole, key and all."""
        # What stands deeper first: it may take what it stands in with it.
        for route in sorted(self._gone, key=lambda one: -len(one[1])):
            document, path = route
            node = self._find(document, path)
            if len(self._gone[route]) < len(_items(node)) or self._new.get(route) or self._is_flow(document, node):
                continue
            if route in self._hollow or route in self._emptied:
                continue
            if not path:
                raise Unpatchable("nothing would be left in the file")
            del self._gone[route]
            self._gone[document, path[:-1]].add(_index(self._find(document, path[:-1]), path[-1]))
        for document, path in list(self._gone):
            # What is in something that goes as a whole goes with it.
            for length in range(len(path)):
                above = self._gone.get((document, path[:length]))
                if above and _index(self._find(document, path[:length]), path[length]) in above:
                    self._gone.pop((document, path), None)

    def _change(self, document: int, path: tuple[str | int, ...]) -> None:
        node, new = self._find(document, path), self._new.get((document, path), [])
        patches = self._patches(document)
        if isinstance(node, ScalarNode):
            is_list = path[-1] == "links"
            patches.fill(node, f"[{', '.join(new)}]" if is_list else f"{{{', '.join(new)}}}")
            return
        gone = self._gone.get((document, path), set())
        if (document, path) in self._emptied and len(gone) == len(_items(node)) and not self._is_flow(document, node):
            # Written so, it says something; left out, it would not.
            parent = self._find(document, path[:-1])
            entry = parent.get(str(path[-1])) if isinstance(parent, MappingNode) else None
            assert entry is not None
            _, end = patches.place_of(entry.key)
            colon = patches.text.text.index(":", end) + 1
            patches.put(colon, colon, " []")
            patches.change_items(node, gone, hollow=True)
            return
        patches.change_items(
            node,
            gone,
            {self._behind.get((document, path), len(_items(node)) - 1): new},
            hollow=(document, path) in self._hollow,
        )

    def _find(self, document: int, path: tuple[str | int, ...]) -> Node:
        _, tree = self.loaded.documents[document]
        node = tree.find(path)
        if node is None or tree.locate(path).via:
            raise Unpatchable("it comes from an anchor or a merge key")
        return node

    def _is_flow(self, document: int, node: Node) -> bool:
        text = self._patches(document).text
        at = text.starts[node.start_line] + node.start_column
        return text.text[at : at + 1] in ("[", "{")

    def _patches(self, document: int) -> Patches:
        file = self._yaml(document)
        if file not in self._files:
            self._files[file] = Patches(self._read(file))
        return self._files[file]

    def _yaml(self, document: int) -> str:
        """The name of its file. Raises `Unpatchable` for what is no YAML."""
        file = self.loaded.documents[document][0].file
        if not file.endswith((".yaml", ".yml")):
            raise Unpatchable(f"{file} is no YAML; change it as text")
        return file


def _items(node: Node) -> Sequence[object]:
    if isinstance(node, SequenceNode):
        return node.items
    if isinstance(node, MappingNode):
        return node.entries
    raise Unpatchable("this is neither a list nor a mapping")


def _index(node: Node, key: str | int) -> int:
    if isinstance(node, SequenceNode) and isinstance(key, int):
        return key
    if isinstance(node, MappingNode):
        keys = [entry.key.text for entry in node.entries]
        if str(key) in keys and len(keys) * 2 == len(node.children):
            return keys.index(str(key))
    raise Unpatchable("it comes from an anchor or a merge key")


def _both(tail: str, head: str) -> str:
    return f"[{_names((tail, head))}]"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(yaml_name, names))
