"""From the events of libyaml to positioned nodes.

libyaml finds the structure; the tree, the meaning of anchors, merge keys and duplicate keys, and all limits
are ours. The composer keeps its own stack (no depth of nesting can exhaust Python's) and, where a document
cannot be read to its end, goes on at the next line that starts one.

Facts about libyaml that shape this module: the end of a block collection is the start of the next token, so
the end of the last child is taken; the start of a node includes its anchor and tag, so these are skipped; a
value that is missing may stand at the next token; documents can only follow each other with a ``---`` line,
where YAML also lets one follow a ``...`` line; an error in the text is raised as an exception, after which a
parser is spent.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from momlint.errors import MomlintError
from momlint.findings import Position, Problem, Related, Span
from momlint.source.decoding import LINE_BREAK, Text
from momlint.source.excerpts import excerpt
from momlint.source.nodes import AliasUse, MappingEntry, MappingNode, Node, Positioned, ScalarNode, SequenceNode
from momlint.source.scalars import CORE_SCALAR_TAGS, fits, resolve_plain

if TYPE_CHECKING:
    import yaml

#: libyaml reads the text in pieces that grow to this many characters; the first are small, because after each
#: document that is broken a new parser starts.
_SMALLEST_PIECE = 1 << 11
_LARGEST_PIECE = 1 << 16

_CORE_PREFIX = "tag:yaml.org,2002:"
_BLOCK_STYLES = frozenset("|>")

_TAG = re.compile(r"!(?:<[^>\s]*>|[^\s,\[\]{}]*)")
_SPACE_AND_COMMENTS = re.compile(r"(?:(?:[ \t]++|[\r\n]\ufeff?)(?:#[^\r\n]*+)?)*+")
_COLON = re.compile(r"[ \t]*:")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_DOCUMENT_START = re.compile(r"(?<![^\r\n])---(?![^ \t\r\n])")

# What `end_line` holds while a collection is open.
_OPEN_BLOCK = -1
_OPEN_FLOW = -2


#: A merge key takes some ten characters, and brings in a few defaults each: estates need less than one entry for each
#: character. Small files may have so many.
_MERGED_A_CHARACTER = 1
_FEW_MERGED = 20_000


class ReadingLimits(NamedTuple):
    """What a file may cost.

    `depth` is how deep collections may be nested, with aliases followed. `alias_nodes` is how many nodes all
    the aliases of a file may stand for together: the size that the file has for whoever walks through it,
    beyond what is written out. `merged_entries` is how many entries all merge keys may bring together; a small file has
    less (`_MERGED_A_CHARACTER`), so that what a file costs grows with its size.
    """

    depth: int = 100
    alias_nodes: int = 5_000_000
    merged_entries: int = 1_000_000


class Region:
    """A stretch of whole lines that holds one document, composed as far as it could be read.

    It runs from `first_line` (0-based) to that of the next region. Up to `sure_until` (line, column) the tree
    tells what is a scalar. `readable` is False where the document has an error that leaves its meaning open;
    `explicit_end` tells that it ended with ``...``. `tied`: there are anchors, tags or aliases in it; `anchored`: the
    nodes that anchors name; `merged`: how many entries merge keys bring in.
    """

    __slots__ = (
        "anchored",
        "explicit_end",
        "first_line",
        "merged",
        "problems",
        "readable",
        "root",
        "sure_until",
        "tied",
    )

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.root: Node | None = None
        self.readable = True
        self.explicit_end = False
        self.sure_until = (0, 0)
        self.problems: list[Problem] = []
        self.tied = False
        self.anchored: list[Node] = []
        self.merged = 0


class _Abandoned(Exception):
    """A document goes beyond the limits; `line` is where, 0-based."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.line = problem.span.start.line - 1


class _Feed:
    """The text from an index on, up to another one, as a stream that libyaml reads."""

    def __init__(self, text: str, index: int, stop: int) -> None:
        self._text = text
        self._index = index
        self._stop = stop
        self._size = _SMALLEST_PIECE
        self._first = True

    def read(self, _size: int) -> str:
        piece = self._text[self._index : min(self._index + self._size, self._stop)]
        self._index += len(piece)
        self._size = min(self._size * 2, _LARGEST_PIECE)
        if self._first and piece.startswith("\ufeff"):
            # At the start of a stream libyaml drops a byte order mark without counting it; elsewhere it counts.
            piece = "\ufeff" + piece
        self._first = False
        return piece

    def behind(self, header: str) -> _Behind:
        """The same behind a line."""
        self._first = False
        return _Behind(header, self)


class _Behind:
    """A line, then a text."""

    def __init__(self, header: str, feed: _Feed) -> None:
        self._header = header
        self._feed = feed

    def read(self, size: int) -> str:
        header, self._header = self._header, ""
        return header or self._feed.read(size)


class _Libyaml(NamedTuple):
    """What is used of PyYAML, imported when the first file is read."""

    parser: Callable[[Any], Any]
    error: type[yaml.YAMLError]
    scalar: type[yaml.ScalarEvent]
    alias: type[yaml.AliasEvent]
    sequence_start: type[yaml.SequenceStartEvent]
    sequence_end: type[yaml.SequenceEndEvent]
    mapping_start: type[yaml.MappingStartEvent]
    mapping_end: type[yaml.MappingEndEvent]
    document_start: type[yaml.DocumentStartEvent]


def _load_libyaml() -> _Libyaml:
    import yaml

    try:
        from yaml._yaml import CParser
    except ImportError as error:
        raise MomlintError(
            "momlint needs PyYAML with libyaml, and this PyYAML was built without it; "
            "install PyYAML from one of its wheels"
        ) from error
    return _Libyaml(
        CParser,
        yaml.YAMLError,
        yaml.ScalarEvent,
        yaml.AliasEvent,
        yaml.SequenceStartEvent,
        yaml.SequenceEndEvent,
        yaml.MappingStartEvent,
        yaml.MappingEndEvent,
        yaml.DocumentStartEvent,
    )


def compose(text: Text, file: str, limits: ReadingLimits) -> list[Region]:
    """Compose all documents of a text; `file` names it in related places. Raises MomlintError without
    libyaml.
    """
    composer = _Composer(text, file, limits)
    index: int | None = 0
    while index is not None:
        index = composer.run(index)
    return composer.regions


def compose_part(text: Text, start: int, stop: int, limits: ReadingLimits, *, under_key: bool) -> Region | None:
    """The whole lines from index `start` up to `stop`, read as a document by themselves; positions are those in `text`.

    `under_key`: they are the items of a sequence that is indented as the key before it; its node is given then. None
    where they are not one document without any problem, `limits` or the like of them included.
    """
    composer = _Composer(text, "", limits, stop)
    if under_key:
        line_start = text.starts[text.place(start)[0]]
        indentation = re.compile(" *").match(text.parsed, line_start)
        composer.header = (indentation[0] if indentation else "") + "x:\n"
    if composer.run(start) is not None or len(composer.regions) != 1:
        return None
    (region,) = composer.regions
    if not region.readable or region.problems or region.explicit_end:
        return None
    if under_key:
        root = region.root
        if not isinstance(root, MappingNode) or len(root.children) != 2 or isinstance(root.children[1], AliasUse):
            return None
        region.root = root.children[1]
    return region


def most_merged(text: Text, limits: ReadingLimits) -> int:
    """How many entries the merge keys of a text may bring together."""
    return min(limits.merged_entries, max(_FEW_MERGED, _MERGED_A_CHARACTER * len(text.text)))


class _Composer:
    def __init__(self, text: Text, file: str, limits: ReadingLimits, stop: int | None = None) -> None:
        self.text = text
        self.file = file
        self.limits = limits
        self.regions: list[Region] = []
        #: A line that is read before the text, without being a part of it.
        self.header = ""
        self._stop = len(text.text) if stop is None else stop
        self._libyaml = _load_libyaml()
        self._alias_nodes = 0
        self._merged_entries = 0
        self._most_merged = most_merged(text, limits)
        # Of the chunk that is being read: the number of its first line and the index of its first character.
        self._base_line = 0
        self._base_index = 0
        # Of the document that is being read.
        self._region = Region(0)
        self._top: list[Node | AliasUse] = []
        self._stack: list[SequenceNode | MappingNode] = []
        self._anchors: dict[str, Node] = {}
        self._anchor_places: dict[str, Span] = {}
        self._unusual: set[int] = set()
        self._placeholders: set[int] = set()
        self._measured: dict[int, tuple[int, int]] = {}

    # -- documents ------------------------------------------------------------------------------------------

    def run(self, index: int) -> int | None:
        """Read from `index` on, which starts a line; return where to go on after an error, if anywhere."""
        self._base_index = index - len(self.header)
        self._base_line = (self.text.place(index)[0] if index else 0) - bool(self.header)
        feed = _Feed(self.text.parsed, index, self._stop)
        parser = self._libyaml.parser(feed.behind(self.header) if self.header else feed)
        get_event = parser.get_event
        restore = self.text.restore
        if restore is not None:
            get_event = self._restoring(get_event, restore)
        last_line = self._base_line  # of the latest document or chunk start
        in_document = False
        try:
            while (event := get_event()) is not None:
                if event.__class__ is not self._libyaml.document_start:
                    continue
                start: Any = event.start_mark
                last_line = start.line + self._base_line
                self._open_document(last_line)
                in_document = True
                self._read_document(get_event)
                in_document = False
            return None
        except _Abandoned as stop:
            self._fail(stop.problem)
            return self._next_start(max(stop.line, last_line + 1))
        except self._libyaml.error as error:
            # Imported here, because most files need none of it.
            from momlint.source.syntax import explain, line_of

            line = self._base_line + line_of(error)
            if not in_document:
                resumed = self._between_documents(error, line, last_line)
                if resumed is not None:
                    return resumed
            opener = self._stack[-1] if self._stack and self._stack[-1].end_line == _OPEN_FLOW else None
            self._fail(explain(error, self.text, self._base_line, self.file, opener))
            return self._next_start(max(line, last_line + 1))

    def _between_documents(self, error: yaml.YAMLError, line: int, last_line: int) -> int | None:
        """Handle an error that stands behind a document and before the start of the next."""
        from momlint.source.syntax import directive_before

        previous = self.regions[-1] if self.regions and self.regions[-1].first_line >= self._base_line else None
        if previous is not None and "<document start>" in str(getattr(error, "problem", "")):
            if not previous.explicit_end:
                # The previous document was cut short by what does not belong to it: they are one, and broken.
                self._region = self.regions.pop()
                self._top = [] if self._region.root is None else [self._region.root]
                self._stack = []
                return None
            if last_line < line < len(self.text.starts) and directive_before(self.text, line) is None:
                # YAML lets a document follow `...` without a `---`; libyaml does not.
                return self.text.starts[line]
        self._open_document(line if previous is not None else self._base_line)
        return None

    def _open_document(self, line: int) -> None:
        self._region = Region(line)
        self._top = []
        self._stack = []
        self._anchors = {}
        self._anchor_places = {}
        self._unusual = set()
        self._placeholders = set()
        self._measured = {}

    def _close_document(self, explicit: bool) -> None:
        region = self._region
        root = self._top[0] if self._top else None
        if isinstance(root, AliasUse):  # `*name` at the top names nothing that could have been defined before
            root = root.target
        if isinstance(root, ScalarNode) and root.plain and not root.text:
            root = None
        region.root = root
        region.explicit_end = explicit
        region.sure_until = (1 << 60, 0)
        self.regions.append(region)

    def _fail(self, problem: Problem) -> None:
        """End the document at a fatal problem; what was read of it still tells comments from text."""
        region = self._region
        for node in reversed(self._stack):
            self._close_at_last_child(node)
        root = self._top[0] if self._top else None
        region.root = None if isinstance(root, AliasUse) else root
        region.readable = False
        region.problems.append(problem)
        leaf: Node | AliasUse | None = root
        while isinstance(leaf, (SequenceNode, MappingNode)) and leaf.children:
            leaf = leaf.children[-1]
        region.sure_until = (leaf.end_line, leaf.end_column) if leaf is not None else (region.first_line, 0)
        self.regions.append(region)

    def _next_start(self, line: int) -> int | None:
        """Find the first ``---`` line from the 0-based `line` on, as an index into the text."""
        starts = self.text.starts
        if line >= len(starts):
            return None
        match = _DOCUMENT_START.search(self.text.text, starts[line])
        return None if match is None else match.start()

    def _restoring(self, get_event: Callable[[], Any], restore: Callable[[str], str]) -> Callable[[], Any]:
        scalar = self._libyaml.scalar

        def get() -> Any:
            event = get_event()
            if event.__class__ is scalar:
                event.value = restore(event.value)
            return event

        return get

    # -- nodes ----------------------------------------------------------------------------------------------

    def _read_document(self, get_event: Callable[[], Any]) -> None:
        """Read the events of one document up to its end. This loop is what a large file costs: keep it
        lean.
        """
        _, _, scalar, alias, sequence_start, sequence_end, mapping_start, mapping_end, _ = self._libyaml
        base = self._base_line
        depth_limit = self.limits.depth
        stack = self._stack
        unusual = self._unusual
        parent: SequenceNode | MappingNode | None = None
        children = self._top
        while True:
            event = get_event()
            kind = event.__class__
            if kind is scalar:
                start = event.start_mark
                end = event.end_mark
                text = event.value
                style = event.style
                leaf = ScalarNode(text, style, start.line + base, start.column, end.line + base, end.column)
                if not text or event.anchor is not None or event.tag is not None or style in _BLOCK_STYLES:
                    self._adjust_scalar(leaf, event, parent)
                children.append(leaf)
            elif kind is sequence_end or kind is mapping_end:
                assert parent is not None
                if parent.end_line == _OPEN_FLOW and event.start_mark.index != event.end_mark.index:
                    end = event.end_mark
                    parent.end_line = end.line + base
                    parent.end_column = end.column
                else:
                    # A block, or the `a: b` of `[a: b]`; it has at least one child.
                    last = children[-1]
                    parent.end_line = last.end_line
                    parent.end_column = last.end_column
                if kind is mapping_end:
                    if unusual and id(parent) in unusual:
                        self._settle(parent)
                    else:
                        names = {key.text for key in children[::2]}  # type: ignore[union-attr]
                        if len(names) * 2 != len(children) or "<<" in names:
                            self._settle(parent)
                elif unusual and id(parent) in unusual:
                    parent.settle()  # type: ignore[call-arg]
                stack.pop()
                parent = stack[-1] if stack else None
                children = self._top if parent is None else parent.children
            elif kind is mapping_start or kind is sequence_start:
                start = event.start_mark
                node_class = MappingNode if kind is mapping_start else SequenceNode
                node = node_class(start.line + base, start.column)
                node.end_line = _OPEN_FLOW if event.flow_style else _OPEN_BLOCK
                if event.anchor is not None or event.tag is not None:
                    self._adjust_collection(node, event)
                if parent.__class__ is MappingNode and not len(children) & 1:
                    unusual.add(id(parent))
                children.append(node)
                if len(stack) >= depth_limit:
                    node.end_line, node.end_column = node.start_line, node.start_column + 1
                    raise _Abandoned(self._too_deep(node.span))
                stack.append(node)
                parent = node
                children = node.children
            elif kind is alias:
                self._follow(event, parent, children)
            else:  # the end of the document
                self._close_document(bool(event.explicit))
                return

    def _close_at_last_child(self, node: SequenceNode | MappingNode) -> None:
        last: Positioned | None = node.children[-1] if node.children else None
        node.end_line = node.start_line if last is None else last.end_line
        node.end_column = node.start_column if last is None else last.end_column

    def _adjust_scalar(self, node: ScalarNode, event: Any, parent: SequenceNode | MappingNode | None) -> None:
        """Handle what is rare: anchors, tags, missing values, and the end of a block scalar."""
        if event.anchor is not None or event.tag is not None:
            self._region.tied = True
            tag_span = self._skip_properties(node, event)
            if event.tag is not None:
                self._apply_scalar_tag(node, event.tag, tag_span)
        elif not node.text and not node.style and isinstance(parent, MappingNode):
            self._pull_back(node, event, parent)
        if event.style in _BLOCK_STYLES:
            self._end_block_scalar(node)

    def _pull_back(self, node: ScalarNode, event: Any, parent: MappingNode) -> None:
        """Move a missing value from the next token to where it is missing: behind the colon, or the key."""
        index = event.start_mark.index + self._base_index
        if self.text.text[index - 1 : index] == ":" or not len(parent.children) & 1:
            return
        key = parent.children[-1]
        line, column = key.end_line, key.end_column
        colon = _COLON.match(self.text.line(line), column)
        if colon is not None:
            column = colon.end()
        node.start_line = node.end_line = line
        node.start_column = node.end_column = column

    def _end_block_scalar(self, node: ScalarNode) -> None:
        """End a block scalar behind its last line with text, not at the start of what follows."""
        text = self.text
        line = node.end_line if node.end_column else node.end_line - 1
        while line > node.start_line and not text.line(line).strip():
            line -= 1
        if line > node.start_line:
            node.end_column = len(text.line(line).rstrip())
        else:
            line = node.start_line
            header = _BLOCK_HEADER.match(text.line(line), node.start_column)
            node.end_column = node.start_column + 1 if header is None else header.end()
        node.end_line = line

    def _skip_properties(self, node: Node, event: Any) -> Span | None:
        """Move a node's start behind its anchor and tag; return where the tag is written, if there is one.

        Registers the anchor.
        """
        text = self.text.parsed
        start = event.start_mark.index + self._base_index
        stop = event.end_mark.index + self._base_index
        anchor, wants_tag = event.anchor, event.tag is not None
        tag_span = None
        index = start
        while index < stop:
            if anchor is not None and text.startswith("&", index):
                end = index + 1 + len(anchor)
                self._anchors[anchor] = node
                self._region.anchored.append(node)
                self._anchor_places[anchor] = self.text.span(index, end)
                anchor = None
            elif wants_tag and (tag := _TAG.match(text, index)) is not None:
                end = tag.end()
                tag_span = self.text.span(index, end)
                wants_tag = False
            else:
                break
            space = _SPACE_AND_COMMENTS.match(text, end)
            index = end if space is None else space.end()
        if index > stop or (event.__class__ is self._libyaml.scalar and not event.value and not event.style):
            index = stop  # a value that is missing stands right behind its anchor and tag
        line_start = 0
        for line_break in LINE_BREAK.finditer(text, start, index):
            node.start_line += 1
            line_start = line_break.end()
        node.start_column = index - line_start if line_start else node.start_column + index - start
        return tag_span

    def _apply_scalar_tag(self, node: ScalarNode, tag: str, tag_span: Span | None) -> None:
        if tag == "!":
            node.style = node.style or "!!str"
            return
        short = "!!" + tag.removeprefix(_CORE_PREFIX) if tag.startswith(_CORE_PREFIX) else tag
        if short in CORE_SCALAR_TAGS:
            if fits(resolve_plain(node.text), short):
                node.style = short
            else:
                message = f"`{excerpt(node.text)}` is not a value for the tag `{short}`"
                self._problem(tag_span or node.span, message, "correct the value, or remove the tag")
        else:
            self._unknown_tag(short, tag_span or node.span, collection=None)

    def _adjust_collection(self, node: SequenceNode | MappingNode, event: Any) -> None:
        self._region.tied = True
        tag_span = self._skip_properties(node, event)
        if event.tag is not None and event.tag != "!":
            own = "!!map" if isinstance(node, MappingNode) else "!!seq"
            short = "!!" + event.tag.removeprefix(_CORE_PREFIX) if event.tag.startswith(_CORE_PREFIX) else event.tag
            if short != own:
                place = tag_span or Span(*[Position(node.start_line + 1, node.start_column + 1)] * 2)
                self._unknown_tag(short, place, "a mapping" if own == "!!map" else "a list")

    def _unknown_tag(self, tag: str, span: Span, collection: str | None) -> None:
        if tag in CORE_SCALAR_TAGS or tag in {"!!map", "!!seq"}:
            message = f"the tag `{tag}` does not fit {collection or 'a single value'}"
        else:
            message = f"the tag `{excerpt(tag)}` is unknown; momlint reads the tags of YAML's core schema only"
        self._problem(span, message, "remove the tag; if the value starts with `!`, put it in quotes")

    # -- aliases --------------------------------------------------------------------------------------------

    def _follow(self, event: Any, parent: SequenceNode | MappingNode | None, children: list[Node | AliasUse]) -> None:
        name = event.anchor
        self._region.tied = True
        start, end = event.start_mark, event.end_mark
        base = self._base_line
        place = (start.line + base, start.column, end.line + base, end.column)
        target = self._anchors.get(name)
        is_key = isinstance(parent, MappingNode) and not len(children) & 1
        if target is None or target.end_line < 0:
            missing = ScalarNode("", "", *place)
            self._region.readable = False
            if target is None:
                self._problem(
                    missing.span,
                    f"the alias `*{name}` has no anchor: there is no `&{name}` before it in this document",
                    "define the anchor first; if a plain value is meant, put it in quotes",
                )
            else:
                self._problem(
                    missing.span,
                    f"the alias `*{name}` stands inside the value it names, so it would never end",
                    "write out what is meant",
                    Related(self.file, self._anchor_places[name], f"`&{name}` is defined here"),
                )
            if is_key:
                missing.text = f"*{name}"  # so that two of them are no duplicate keys
            self._placeholders.add(id(missing))
            children.append(missing)
            return
        if is_key and isinstance(target, ScalarNode):
            children.append(ScalarNode(target.text, target.style, *place))
            return
        use = AliasUse(target, *place)
        children.append(use)
        if parent is not None:
            self._unusual.add(id(parent))
        size, depth = self._measure(target)
        self._alias_nodes += size
        if self._alias_nodes > self.limits.alias_nodes:
            raise _Abandoned(
                Problem(
                    "MOM101",
                    use.span,
                    f"with the alias `*{name}`, the aliases of this file stand for more than "
                    f"{self.limits.alias_nodes:,} values, more than momlint reads",
                    "nested aliases multiply: write the lists out, or split the file",
                )
            )
        if len(self._stack) + depth > self.limits.depth:
            raise _Abandoned(self._too_deep(use.span))

    def _measure(self, node: Node) -> tuple[int, int]:
        """Return how many nodes a node stands for, aliases followed, and how deep its collections are nested.

        Every collection of a document is looked at once.
        """
        if isinstance(node, ScalarNode):
            return 1, 0
        done = self._measured
        todo = [node]
        while todo:
            current = todo[-1]
            if id(current) in done:
                todo.pop()
                continue
            size, depth = 1, 1
            waiting = []
            for child in current.children:
                target = child.target if isinstance(child, AliasUse) else child
                if isinstance(target, ScalarNode):
                    size += 1
                elif id(target) in done:
                    inner_size, inner_depth = done[id(target)]
                    size += inner_size
                    depth = max(depth, inner_depth + 1)
                else:
                    waiting.append(target)
            if waiting:
                todo.extend(waiting)
            else:
                done[id(current)] = size, depth
        return done[id(node)]

    # -- mappings -------------------------------------------------------------------------------------------

    def _settle(self, mapping: Any) -> None:
        """Work out the entries of a mapping with aliases, merges, duplicates or keys that are no scalars."""
        own: dict[str, MappingEntry] = {}
        merge_keys: list[MappingEntry] = []
        order: list[MappingEntry] = []
        for key, written in zip(mapping.children[::2], mapping.children[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                kind = key.target if isinstance(key, AliasUse) else key
                what = "mapping" if isinstance(kind, MappingNode) else "list"
                self._problem(
                    key.span,
                    f"a key must be a single word or text, not a {what}",
                    "write the key as text",
                )
                continue
            alias, value = (written, written.target) if isinstance(written, AliasUse) else (None, written)
            entry = MappingEntry(key, value, alias)
            is_merge = key.text == "<<" and key.plain
            first = merge_keys[0] if is_merge and merge_keys else None if is_merge else own.get(key.text)
            if first is not None:
                self._duplicate(first, entry)
                continue
            if is_merge:
                merge_keys.append(entry)
            else:
                own[key.text] = entry
            order.append(entry)
        if not merge_keys:
            mapping.settle(order)
            return
        self._region.tied = True
        merged: dict[str, MappingEntry] = {}
        for place, source in self._merge_sources(merge_keys[0]):
            self._region.merged += len(source.entries)
            self._merged_entries += len(source.entries)
            if self._merged_entries > self._most_merged:
                raise _Abandoned(
                    Problem(
                        "MOM101",
                        place.span,
                        f"the merge keys of this file bring together more than "
                        f"{self._most_merged:,} entries, more than momlint reads from a file of this size",
                        "nested merges multiply: merge one small mapping of defaults",
                    )
                )
            for entry in source.entries:
                if entry.key.text not in own and entry.key.text not in merged:
                    merged[entry.key.text] = entry.merged(place)
        at = order.index(merge_keys[0])
        mapping.settle([*order[:at], *merged.values(), *order[at + 1 :]])

    def _merge_sources(self, entry: MappingEntry) -> list[tuple[Positioned, MappingNode]]:
        value = entry.value
        if isinstance(value, MappingNode):
            return [(entry._alias or entry.key, value)]
        if id(value) in self._placeholders:
            return []
        if isinstance(value, SequenceNode):
            sources: list[tuple[Positioned, MappingNode]] = []
            for child in value.children:
                target = child.target if isinstance(child, AliasUse) else child
                if isinstance(target, MappingNode):
                    through = child if isinstance(child, AliasUse) else entry._alias or entry.key
                    sources.append((through, target))
                elif id(child) not in self._placeholders:
                    self._bad_merge(child)
            return sources
        self._bad_merge(entry._alias or value)
        return []

    def _bad_merge(self, written: Positioned) -> None:
        self._problem(
            written.span,
            "the merge key `<<` takes a mapping or a list of mappings",
            "give it an alias of a mapping, as in `<<: *base`",
        )

    def _duplicate(self, first: MappingEntry, second: MappingEntry) -> None:
        line = first.key.start_line + 1
        is_merge = second.key.text == "<<" and second.key.plain
        what = "merge key" if is_merge else "key"
        self._region.problems.append(
            Problem(
                "MOM103",
                second.key.span,
                f"the {what} `{excerpt(second.key.text)}` is given twice; the first one, on line {line}, counts",
                "merge both in one key: `<<: [*a, *b]`" if is_merge else "remove or rename one of the two",
                (Related(self.file, first.key.span, "first given here"),),
            )
        )

    # -- problems -------------------------------------------------------------------------------------------

    def _problem(self, span: Span, message: str, advice: str, *related: Related) -> None:
        self._region.problems.append(Problem("MOM101", span, message, advice, related))

    def _too_deep(self, span: Span) -> Problem:
        return Problem(
            "MOM101",
            span,
            f"lists and mappings are nested more than {self.limits.depth} deep here, deeper than momlint reads",
            "an estate needs fewer than ten levels: look for a bracket that is never closed",
        )
