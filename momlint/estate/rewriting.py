"""Changes of an estate's rows as patches of the files that they stand in, included ones too.

Names come as YAML text (quoted where they have to be); everything that is not changed stays byte for byte.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from momlint.findings import Place, Span
from momlint.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.patching import Patches, Unpatchable, item_at

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import RecoveryRow, TableRow


def route_of(place: Place) -> tuple[int, tuple[str | int, ...]]:
    """The document that a place is in and the way to it there, for those who edit the text."""
    return place.document, place.path


#: A document of the estate by number, and the way to a node of it.
_Route: TypeAlias = tuple[int, tuple[str | int, ...]]
#: What a key is to have: a text, or entries of its own.
_Entries: TypeAlias = "str | dict[str, _Entries]"
#: Without rows other tables would be in force; that is no mend.
_STAYS = ("failures", "recovery")


class NewRow(NamedTuple):
    """A recovery row that is to be there: names of brokers and colours."""

    location: str
    to: str
    via: str
    colours: Sequence[str]


class Rewriting:
    """Patches for one estate. Methods raise `Unpatchable`, and then nothing of what was gathered is to be used."""

    def __init__(self, loaded: LoadedEstate, read: Callable[[str], bytes], quote: Callable[[str], str]) -> None:
        """`read`: the content of a file of the estate. `quote`: a name as YAML."""
        self.loaded = loaded
        self._read = read
        self._quote = quote
        self._files: dict[str, Patches] = {}
        # Whole rows of recovery tables, and destinations of given rows, are gathered list by list.
        self._gone: defaultdict[_Route, set[int]] = defaultdict(set)
        # Each with the index of the item that it follows, None for the last.
        self._new: defaultdict[_Route, list[tuple[int | None, str]]] = defaultdict(list)
        # Entries that are to be there, by the mapping that gets them; of tables that are not there yet, with theirs.
        self._entries: defaultdict[_Route, dict[str, _Entries]] = defaultdict(dict)

    def made(self) -> dict[str, bytes]:
        """The files that change, with all changes."""
        leaving = self._leaving()
        for key in [*self._gone, *(key for key in self._new if key not in self._gone)]:
            if key not in leaving:
                self._change_list(*key, self._gone.get(key, set()), self._new.get(key, []))
        for document, path in {(document, path[:-1]): None for document, path in self._outermost(leaving)}:
            self._change_entries(document, path, leaving)
        for (document, path), entries in self._entries.items():
            self._add_entries(document, path, entries)
        for gathered in (self._gone, self._new, self._entries):
            gathered.clear()
        return {file: patches.made() for file, patches in self._files.items() if len(patches)}

    def patches(self, file: str) -> Patches:
        """The patches of one file."""
        if file not in self._files:
            self._files[file] = Patches(self._read(file))
        return self._files[file]

    # -- recovery rows ------------------------------------------------------------------------------------------------

    def change_row(self, row: RecoveryRow, via: str | None, colours: Mapping[str, bool], order: Sequence[str]) -> None:
        """Give the row another next hop (None for its own) and other colours.

        `colours`: those in which it begins to hold (True) or no longer does. `order`: all colours in order.
        """
        file, node = self._node(row.place)
        if not isinstance(node, MappingNode):
            raise Unpatchable("the row is no mapping")
        field = "except" if row.inverted else "colours"
        own = {name: node.get(name) for name in ("via", field)}
        for entry in own.values():
            if entry is None or entry.via or entry.alias is not None:
                raise Unpatchable("part of the row comes from an anchor or a merge key")
        hop, listed = own["via"], own[field]
        assert hop is not None
        assert listed is not None
        if via is not None:
            self.patches(file).replace_scalar(hop.value, self._quote(via))
        if colours:
            added = [name for name, holds in colours.items() if holds != row.inverted]
            taken = {name for name, holds in colours.items() if holds == row.inverted}
            self._change_names(file, listed.value, added, taken, order)

    def remove_row(self, row: RecoveryRow) -> None:
        """Take the row out."""
        *path, index = row.place.path
        assert isinstance(index, int)
        self._gone[row.place.document, tuple(path)].add(index)

    def add_row(self, row: NewRow, after: RecoveryRow | None) -> None:
        """Put a row into the table of its location, after another of that table or at the end."""
        if after is not None:
            *path, index = after.place.path
            assert isinstance(index, int)
            key: _Route = after.place.document, tuple(path)
        else:
            key, index = self._table_of(("failures", "recovery"), row.location), None
        colours = ", ".join(map(self._quote, row.colours))
        text = f"{{to: {self._quote(row.to)}, via: {self._quote(row.via)}, colours: [{colours}]}}"
        self._new[key].append((index, text))

    # -- given rows ---------------------------------------------------------------------------------------------------

    def remove_destination(self, row: TableRow, dest: int) -> None:
        """Take a destination out of a given row."""
        for one, index in zip(row.destinations, row.destination_index, strict=True):
            if one == dest:
                self._gone[row.place.document, row.place.path].add(index)

    def rename_row(self, row: TableRow, via: str) -> None:
        """Give a given row, with all its destinations, another next hop, for which there is no row."""
        source, document = self.loaded.documents[row.place.document]
        parent = document.find(row.place.path[:-1])
        entry = parent.get(str(row.place.path[-1])) if isinstance(parent, MappingNode) else None
        if entry is None or entry.via:
            raise Unpatchable("the row comes from a merge key")
        self.patches(source.file).replace_scalar(entry.key, self._quote(via))

    def add_destination(self, location: str, via: str, row: TableRow | None, name: str) -> None:
        """Put a destination into the row of this location and next hop, or into a new one."""
        if row is not None:
            self._new[row.place.document, row.place.path].append((None, self._quote(name)))
            return
        document, path = self._table_of(("routing", "tables"), location)
        self._new[document, (*path, via)].append((None, self._quote(name)))

    # -- links and comments -------------------------------------------------------------------------------------------

    def remove_double(self, file: str, span: Span) -> bool:
        """Take out the link at `span` if another one is the same, key by key; whether there was one."""
        for source, document in self.loaded.documents:
            links = document.find(("links",)) if source.file == file else None
            index = item_at(links, span) if isinstance(links, SequenceNode) else None
            if index is None or not isinstance(links, SequenceNode):
                continue
            texts = [_plainly(item) for item in links.items]
            if texts[index] is None or texts[index] not in texts[:index]:
                return False
            self.patches(file).change_items(links, [index])
            return True
        return False

    # -- lists --------------------------------------------------------------------------------------------------------

    def _node(self, place: Place) -> tuple[str, Node]:
        source, document = self.loaded.documents[place.document]
        located = document.locate(place.path)
        node = document.find(place.path)
        if node is None or located.via:
            raise Unpatchable("it comes from an anchor or a merge key")
        return source.file, node

    def _table_of(self, section: tuple[str, str], location: str) -> _Route:
        """The document and route of a broker's table, be it there or not."""
        first = None
        for number, (_, document) in enumerate(self.loaded.documents):
            if document.find((*section, location)) is not None:
                return number, (*section, location)
            if first is None and document.find(section) is not None:
                first = number
        if first is None:
            raise Unpatchable("there is no section for the row")
        return first, (*section, location)

    def _change_list(
        self, document: int, path: tuple[str | int, ...], gone: set[int], new: list[tuple[int | None, str]]
    ) -> None:
        source, tree = self.loaded.documents[document]
        node = tree.find(path)
        text = f"[{', '.join(text for _, text in new)}]"
        if node is None:
            self._enter(document, path, text)
            return
        if tree.locate(path).via:
            raise Unpatchable("it comes from an anchor or a merge key")
        patches = self.patches(source.file)
        if isinstance(node, ScalarNode):
            patches.fill(node, text)
            return
        if not isinstance(node, SequenceNode):
            raise Unpatchable("this is no list")
        added: defaultdict[int, list[str]] = defaultdict(list)
        for after, text in new:
            added[len(node.children) - 1 if after is None else after].append(text)
        patches.change_items(node, gone, added)

    # -- entries ------------------------------------------------------------------------------------------------------

    def _leaving(self) -> set[_Route]:
        """What nothing is left of: lists that lose all items, and tables and sections all of whose entries go."""
        leaving: set[_Route] = set()
        for key, gone in self._gone.items():
            document, path = key
            node = self.loaded.documents[document][1].find(path)
            if isinstance(node, SequenceNode) and len(gone) == len(node.children) and not self._new.get(key):
                leaving.add(key)
        grown = {(document, path[:size]) for document, path in self._new for size in range(len(path) + 1)}
        around = {(document, path[:-1]) for document, path in leaving}
        while around:
            document, path = key = around.pop()
            node = self.loaded.documents[document][1].find(path)
            if key in grown or not path or path == _STAYS or not isinstance(node, MappingNode):
                continue
            keys = [entry.key.text for entry in node.entries]
            if len(keys) * 2 == len(node.children) and all((document, (*path, one)) in leaving for one in keys):
                leaving.add(key)
                around.add((document, path[:-1]))
        return leaving

    @staticmethod
    def _outermost(leaving: Collection[_Route]) -> list[_Route]:
        return [(document, path) for document, path in leaving if (document, path[:-1]) not in leaving]

    def _enter(self, document: int, path: tuple[str | int, ...], text: str) -> None:
        """Gather a new entry: `path` with the value `text`, and what has to be there around it."""
        depth = len(path) - 1
        while depth and self.loaded.documents[document][1].find(path[:depth]) is None:
            depth -= 1
        entries = self._entries[document, path[:depth]]
        for key in path[depth:-1]:
            inner = entries.setdefault(str(key), {})
            assert isinstance(inner, dict)
            entries = inner
        entries[str(path[-1])] = text

    def _change_entries(self, document: int, path: tuple[str | int, ...], leaving: Collection[_Route]) -> None:
        """Take entries out of a mapping, and put in what was gathered for it."""
        source, tree = self.loaded.documents[document]
        parent = tree.find(path)
        if not isinstance(parent, MappingNode):
            raise Unpatchable("this is no mapping")
        if tree.locate(path).via:
            raise Unpatchable("it comes from an anchor or a merge key")
        keys = [entry.key.text for entry in parent.entries]
        if len(keys) * 2 != len(parent.children):
            raise Unpatchable("some entries come from a merge key")
        gone = [index for index, key in enumerate(keys) if (document, (*path, key)) in leaving]
        new = self._entries.pop((document, path), {})
        if len(gone) == len(keys) and not new:
            raise Unpatchable("nothing would be left in the section")
        self.patches(source.file).change_items(parent, gone, {len(keys) - 1: self._written(new)})

    def _add_entries(self, document: int, path: tuple[str | int, ...], entries: dict[str, _Entries]) -> None:
        source, tree = self.loaded.documents[document]
        parent = tree.find(path)
        patches = self.patches(source.file)
        if isinstance(parent, ScalarNode):
            patches.fill(parent, f"{{{', '.join(self._written(entries))}}}")
        elif isinstance(parent, MappingNode):
            patches.change_items(parent, (), {len(parent.children) // 2 - 1: self._written(entries)})
        else:
            raise Unpatchable("this is no mapping")

    def _written(self, entries: dict[str, _Entries]) -> list[str]:
        """``key: value`` of each."""
        return [
            f"{self._quote(key)}: " + (value if isinstance(value, str) else f"{{{', '.join(self._written(value))}}}")
            for key, value in entries.items()
        ]

    def _change_names(
        self, file: str, node: Node, added: Collection[str], taken: Collection[str], order: Sequence[str]
    ) -> None:
        """Names into a list, each before the first that comes later in `order`, and others out of it."""
        if not isinstance(node, SequenceNode):
            raise Unpatchable("the colours are no list")
        names = [item.text if isinstance(item, ScalarNode) else "" for item in node.items]
        rank = {name: number for number, name in enumerate(order)}
        new: defaultdict[int, list[str]] = defaultdict(list)
        for name in sorted(added, key=rank.__getitem__):
            before = [index for index, other in enumerate(names) if rank.get(other, -1) < rank[name]]
            new[max(before, default=-1)].append(self._quote(name))
        self.patches(file).change_items(node, [index for index, name in enumerate(names) if name in taken], new)


def _plainly(node: Node) -> object:
    """What the node says, without its layout; the two ends of a link in any order."""
    if isinstance(node, ScalarNode):
        return node.text
    if isinstance(node, SequenceNode):
        return tuple(_plainly(item) for item in node.items)
    said = {entry.key.text: _plainly(entry.value) for entry in node.entries}
    between = said.get("between")
    if isinstance(between, tuple):
        said["between"] = tuple(sorted(between, key=str))
    return tuple(sorted(said.items(), key=lambda item: item[0]))
