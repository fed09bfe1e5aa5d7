"""Changes of an estate, as patches of the texts that it stands in: brokers, links and topics come and go.

Everything that is not changed stays byte for byte, comments too. What cannot be done so is `Unpatchable`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from momlint.errors import UsageError
from momlint.estate.rewriting import route_of
from momlint.findings import Place
from momlint.routed.recovery.quoting import yaml_name
from momlint.source.editing import with_section
from momlint.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.patching import Patches, Unpatchable

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate

#: A document, and a route in it.
_Route: TypeAlias = "tuple[int, tuple[str | int, ...]]"


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
        self._gone: defaultdict[_Route, set[int]] = defaultdict(set)
        self._new: defaultdict[_Route, list[str]] = defaultdict(list)

    def made(self) -> dict[str, bytes]:
        """The files that change."""
        self._settle()
        for document, path in dict.fromkeys((*self._gone, *self._new)):
            self._change(document, path)
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

    def add_broker(self, name: str, attributes: Mapping[str, str]) -> None:
        """A broker, with texts such as ``site``."""
        self._is_new(name, [one.id for one in self.estate.brokers], "broker")
        self._append("brokers", name, _flow(attributes))

    def add_link(self, tail: str, head: str, name: str, numbers: Mapping[str, float], *, one_way: bool) -> None:
        """A link between two brokers; `name` empty for none of its own."""
        for one in (tail, head):
            self._is_known(one)
        if tail == head:
            raise Unpatchable("a link joins two brokers")
        if name:
            self._is_new(name, [one.id for one in self.estate.links], "link")
        ends = f"from: {yaml_name(tail)}, to: {yaml_name(head)}" if one_way else f"between: [{_names((tail, head))}]"
        given = f"id: {yaml_name(name)}, " if name else ""
        told = "".join(f", {key}: {number:g}" for key, number in numbers.items())
        self._append("links", None, f"{{{given}{ends}{told}}}")

    def add_topic(self, name: str, publishers: Sequence[str], subscribers: Sequence[str]) -> None:
        """A topic."""
        self._is_new(name, [one.name for one in self.estate.topics], "topic")
        for one in (*publishers, *subscribers):
            self._is_known(one)
        self._append("topics", name, f"{{publishers: [{_names(publishers)}], subscribers: [{_names(subscribers)}]}}")

    # -- what goes ----------------------------------------------------------------------------------------------------

    def remove_link(self, name: str) -> None:
        """A link; colours and recovery rows that speak of it stay, and the check will say so."""
        links = [one for one in self.estate.links if one.id == name]
        if not links:
            raise Unpatchable(f"there is no link `{name}`")
        self._remove(links[0].place)

    def remove_topic(self, name: str) -> None:
        """A topic."""
        topics = [one for one in self.estate.topics if one.name == name]
        if not topics:
            raise Unpatchable(f"there is no topic `{name}`")
        self._remove(topics[0].place)

    def remove_broker(self, name: str) -> None:
        """A broker with its links, and where topics are published or wanted there; rows of tables stay."""
        self._is_known(name)
        number = [one.id for one in self.estate.brokers].index(name)
        self._remove(self.estate.brokers[number].place)
        for link in self.estate.links:
            if number in (link.tail, link.head):
                self._remove(link.place)
        for topic in self.estate.topics:
            if number in topic.publishers:
                self._remove(topic.publisher_place(number))
            if number in topic.subscribers:
                self._remove(topic.subscriber_place(number))

    # -- how ----------------------------------------------------------------------------------------------------------

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

    def _remove(self, place: Place) -> None:
        document, (*path, last) = route_of(place)
        parent = self._find(document, tuple(path))
        self._gone[document, tuple(path)].add(_index(parent, last))

    def _settle(self) -> None:
        """Where nothing would be left of a list or mapping in block style, it goes as a whole, key and all."""
        # What stands deeper first: it may take what it stands in with it.
        for route in sorted(self._gone, key=lambda one: -len(one[1])):
            document, path = route
            node = self._find(document, path)
            if len(self._gone[route]) < len(_items(node)) or self._new.get(route) or self._is_flow(document, node):
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
        patches.change_items(node, self._gone.get((document, path), ()), {len(_items(node)) - 1: new})

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


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(yaml_name, names))


def _flow(attributes: Mapping[str, str]) -> str:
    told = ", ".join(f"{key}: {yaml_name(value)}" for key, value in attributes.items() if value)
    return f"{{{told}}}" if told else ""
