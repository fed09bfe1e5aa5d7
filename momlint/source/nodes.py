"""The positioned tree that the reader makes of a YAML text.

A node knows where it stands; it knows YAML, and nothing of brokers. Positions inside a node are 0-based line
and column integers, in characters, and become a `Span` only when someone asks; values of scalars and entries
of mappings are made on request too, so that reading a large file costs little more than its parsing.

What is written as an alias (``*name``) is, for the reader of the tree, the node that the anchor names: the
same object, with the span of its definition. Where the alias itself stands is told by `MappingEntry.alias` and
`SequenceNode.alias`, and by `Located.via`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, cast

from momlint.findings import Part, Position, Span
from momlint.source.scalars import ScalarValue, resolve


class Positioned:
    """Something with a start and an end (exclusive); 0-based lines and columns, in characters."""

    __slots__ = ("end_column", "end_line", "start_column", "start_line")

    start_line: int
    start_column: int
    end_line: int
    end_column: int

    @property
    def span(self) -> Span:
        """The place in the text, 1-based."""
        return Span(
            Position(self.start_line + 1, self.start_column + 1),
            Position(self.end_line + 1, self.end_column + 1),
        )


class ScalarNode(Positioned):
    """A scalar.

    `text` is what is written, after unquoting and folding. `style` is ``""`` for a plain scalar, ``"'"`` or
    ``'"'`` for a quoted one, ``"|"`` or ``">"`` for a block, and for a scalar with a core tag that tag
    (``"!!str"``). The span covers the quotes, and neither an anchor nor a tag; that of an empty value has no
    width and stands behind the colon or dash.
    """

    __slots__ = ("style", "text")

    text: str
    style: str

    def __init__(
        self, text: str, style: str, start_line: int, start_column: int, end_line: int, end_column: int
    ) -> None:
        self.text = text
        self.style = style
        self.start_line = start_line
        self.start_column = start_column
        self.end_line = end_line
        self.end_column = end_column

    @property
    def plain(self) -> bool:
        """Whether it is neither quoted nor a block nor tagged."""
        return self.style == ""

    @property
    def value(self) -> ScalarValue:
        """The value by YAML 1.2's core schema (see `momlint.source.scalars`)."""
        return resolve(self.text, self.style)

    def __repr__(self) -> str:
        return f"ScalarNode({self.text!r} at {self.start_line + 1}:{self.start_column + 1})"


class AliasUse(Positioned):
    """The place where ``*name`` is written, and the node that it stands for."""

    __slots__ = ("target",)

    target: Node

    def __init__(self, target: Node, start_line: int, start_column: int, end_line: int, end_column: int) -> None:
        self.target = target
        self.start_line = start_line
        self.start_column = start_column
        self.end_line = end_line
        self.end_column = end_column


class SequenceNode(Positioned):
    """A sequence. The span runs to its closing bracket, or to the end of its last item."""

    __slots__ = ("_items", "_moved", "children", "made")

    #: What is written, in order; where an alias is written, that.
    children: list[Node | AliasUse]
    #: What somebody made of it. It goes with the node when that is moved, so it must not depend on lines.
    made: Any
    _items: list[Node] | None
    _moved: tuple[Any, int]

    def __init__(self, start_line: int, start_column: int) -> None:
        self.start_line = start_line
        self.start_column = start_column
        self.children = []
        self._items = None
        self.made = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Called for what is not set: the children of a sequence that was moved.
            return _children_of(self, name)

    @property
    def items(self) -> list[Node]:
        """The items in order, aliases followed; not to be changed."""
        if self._items is None:
            # The composer settles sequences that hold an alias; every other child is a node.
            return cast("list[Node]", self.children)
        return self._items

    def alias(self, index: int) -> Span | None:
        """Where the item is written as an alias, if it is."""
        child = self.children[index]
        return child.span if isinstance(child, AliasUse) else None

    def settle(self) -> None:
        """Follow the aliases among the children (the composer calls this once)."""
        self._items = [child.target if isinstance(child, AliasUse) else child for child in self.children]

    def __repr__(self) -> str:
        return f"SequenceNode({len(self.children)} items at {self.start_line + 1}:{self.start_column + 1})"


class MappingEntry:
    """One key and its value in a mapping."""

    __slots__ = ("_alias", "_merge", "_origin", "key", "value")

    key: ScalarNode
    value: Node

    def __init__(
        self,
        key: ScalarNode,
        value: Node,
        alias: AliasUse | None = None,
        merge: Positioned | None = None,
        origin: MappingEntry | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self._alias = alias
        self._merge = merge
        self._origin = origin

    @property
    def alias(self) -> Span | None:
        """Where the value is written as an alias (``key: *name``), if it is."""
        return None if self._alias is None else self._alias.span

    @property
    def via(self) -> tuple[Span, ...]:
        """The merges that brought the entry into this mapping, the outermost first; empty for its own
        entries.

        Each is the span of the alias (``*base`` in ``<<: *base``), or of the ``<<`` where the merged mapping
        is written out. Key and value have the spans of their definition.
        """
        places: list[Span] = []
        entry: MappingEntry | None = self
        while entry is not None and entry._merge is not None:
            places.append(entry._merge.span)
            entry = entry._origin
        return tuple(places)

    @property
    def span(self) -> Span:
        """From the start of the key to the end of the value as it is written (of the alias, if it is one)."""
        return Span(self.key.span.start, (self._alias or self.value).span.end)

    def merged(self, merge: Positioned) -> MappingEntry:
        """The same entry, seen through a merge key whose place is `merge`."""
        return MappingEntry(self.key, self.value, self._alias, merge, self)

    def __repr__(self) -> str:
        return f"MappingEntry({self.key.text!r} at {self.key.start_line + 1}:{self.key.start_column + 1})"


class MappingNode(Positioned):
    """A mapping. The span runs to its closing brace, or to the end of its last value."""

    __slots__ = ("_entries", "_index", "_moved", "children", "made")

    #: What is written, in order: key, value, key, value …, with duplicates, merge keys and aliases.
    children: list[Node | AliasUse]
    #: As with `SequenceNode`.
    made: Any
    _moved: tuple[Any, int]
    _entries: list[MappingEntry] | None
    _index: dict[str, MappingEntry] | None

    def __init__(self, start_line: int, start_column: int) -> None:
        self.start_line = start_line
        self.start_column = start_column
        self.children = []
        self._entries = None
        self._index = None
        self.made = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return _children_of(self, name)

    @property
    def entries(self) -> list[MappingEntry]:
        """The entries in order, the first of equal keys, merged ones where ``<<`` stands; not to be
        changed.
        """
        if self._entries is None:
            # The composer settles mappings with anything unusual in them; here every key is a scalar, every
            # key is different, and there is no alias and no merge.
            flat = iter(cast("list[ScalarNode]", self.children))
            self._entries = [MappingEntry(key, value) for key, value in zip(flat, flat, strict=True)]
        return self._entries

    def pairs(self) -> Iterable[tuple[ScalarNode, Node]]:
        """Key and value of each of the entries, for those who need no entry."""
        if self._entries is not None:
            return [(entry.key, entry.value) for entry in self._entries]
        flat = iter(cast("list[ScalarNode]", self.children))
        return zip(flat, flat, strict=True)

    def get(self, key_text: str) -> MappingEntry | None:
        """The entry whose key has this raw text, if there is one."""
        if self._index is None:
            self._index = {entry.key.text: entry for entry in self.entries}
        return self._index.get(key_text)

    def settle(self, entries: list[MappingEntry]) -> None:
        """Fix the entries (the composer calls this once, where aliases, merges or duplicates are
        involved).
        """
        self._entries = entries

    def __repr__(self) -> str:
        return f"MappingNode({len(self.children) // 2} keys at {self.start_line + 1}:{self.start_column + 1})"


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode


def moved(node: Node, lines: int) -> Node:
    """The same so many lines further down. No alias may be below it.

    What is below a collection is moved when somebody asks for it: most of a large tree nobody asks for.
    """
    if isinstance(node, ScalarNode):
        return ScalarNode(
            node.text, node.style, node.start_line + lines, node.start_column, node.end_line + lines, node.end_column
        )
    copy: SequenceNode | MappingNode
    if isinstance(node, SequenceNode):
        copy = SequenceNode(node.start_line + lines, node.start_column)
    else:
        copy = MappingNode(node.start_line + lines, node.start_column)
    copy.end_line = node.end_line + lines
    copy.end_column = node.end_column
    copy.made = node.made
    origin, before = getattr(node, "_moved", (node, 0))
    copy._moved = (origin, before + lines)
    del copy.children
    return copy


def _children_of(node: SequenceNode | MappingNode, name: str) -> list[Node | AliasUse]:
    if name != "children":
        raise AttributeError(name)
    origin, lines = node._moved
    # Two threads may both do this: the lists are alike.
    node.children = [moved(cast("Node", child), lines) for child in origin.children]
    return node.children


class Located(NamedTuple):
    """Where a route of keys leads.

    `via` are the places that the route passed through before (merges, aliases), outermost first. `found` is
    False where the route does not exist; `span` is then that of the nearest ancestor that does.
    """

    span: Span
    via: tuple[Span, ...] = ()
    found: bool = True


class Document(Protocol):
    """One document of a file, in whatever format: what it holds, and where that stands.

    `root` is None for a document without nodes (an empty one of YAML, a table of rows). `index` counts the documents
    of the file from 0, those that could not be read included. `span` runs from the document's first line to its end.
    A route is what the document's `Place` has; only the document knows what its segments mean.
    """

    @property
    def root(self) -> Node | None: ...
    @property
    def index(self) -> int: ...
    @property
    def span(self) -> Span: ...

    def find(self, path: Sequence[str | int]) -> Node | None:
        """The node that the route leads to, if there is one."""
        ...

    def locate(self, path: Sequence[str | int], part: Part = "entry") -> Located:
        """Where the route leads, or its nearest ancestor that exists."""
        ...


class Tree:
    """A `Document` of nodes: YAML, and every format whose reader makes nodes."""

    __slots__ = ("index", "root", "span")

    def __init__(self, root: Node | None, index: int, span: Span) -> None:
        self.root = root
        self.index = index
        self.span = span

    def find(self, path: Sequence[str | int]) -> Node | None:
        """The node that `path` leads to, aliases and merges followed, if there is one."""
        node = self.root
        for segment in path:
            step = None if node is None else _step(node, segment)
            if step is None:
                return None
            node = step.value if isinstance(step, MappingEntry) else step[0]
        return node

    def locate(self, path: Sequence[str | int], part: Part = "entry") -> Located:
        """Walk along `path` (keys as raw text, indices of lists as integers) and tell where that stands.

        For an entry of a mapping `part` chooses the key, the value, or all of it; for an item of a list the
        three are the same. Where a value is written as an alias, its entry (or item) is the alias, and its
        value is the definition, with the alias in `via`.

        Where a segment is missing, the place is the nearest ancestor that exists: the key of an entry, the
        whole of an item; at the top of the document its first key.
        """
        root = self.root
        if root is None:
            return Located(self.span, (), not path)
        node: Node = root
        via: list[Span] = []
        alias: Span | None = None  # the alias by which `node` was reached; part of the route once we go on
        entry: MappingEntry | None = None  # set where `node` is the value of an entry
        for depth, segment in enumerate(path):
            passed = via if alias is None else [*via, alias]
            step = _step(node, segment)
            if step is None:
                return _nearest(node, entry, alias, via, at_top=depth == 0)
            via = passed
            if isinstance(step, MappingEntry):
                via.extend(step.via)
                node, alias, entry = step.value, step.alias, step
            else:
                node, alias = step
                entry = None
        if part == "value" and alias is not None:
            return Located(node.span, (*via, alias))
        if entry is None or part == "value":
            return Located(alias or node.span, tuple(via))
        return Located(entry.key.span if part == "key" else entry.span, tuple(via))


def _step(node: Node, segment: str | int) -> MappingEntry | tuple[Node, Span | None] | None:
    if isinstance(node, MappingNode):
        return node.get(str(segment))
    if isinstance(node, SequenceNode) and isinstance(segment, int) and 0 <= segment < len(node.items):
        return node.items[segment], node.alias(segment)
    return None


def _nearest(
    node: Node, entry: MappingEntry | None, alias: Span | None, via: Iterable[Span], *, at_top: bool
) -> Located:
    if entry is not None:
        span = entry.key.span
    elif at_top and isinstance(node, MappingNode) and node.entries:
        span = node.entries[0].key.span
    else:
        span = alias or node.span
    return Located(span, tuple(via), False)
