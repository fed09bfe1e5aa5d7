"""Reading again: of a text that has changed in one place, only the entries around it are parsed.

The tree of the text before is kept. Between what both texts begin with and what both end with lies the change; entries
of block sequences and mappings outside it stand in the new tree as they are, or so many lines further down. Why that
gives what reading the whole gives, and where it is not tried, is in docs/adr/0043.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import NamedTuple

from momlint.source.composing import ReadingLimits, Region, compose_part, most_merged
from momlint.source.decoding import Text
from momlint.source.nodes import AliasUse, MappingNode, Node, Positioned, ScalarNode, SequenceNode, moved

_SPACES = " "
#: Of texts with so many characters reading the whole takes no time.
_SMALL = 1_000


class _Change(NamedTuple):
    """What stands from `start` up to `old_stop` of the old text stands up to `new_stop` in the new one."""

    start: int
    old_stop: int
    new_stop: int


class _Part(NamedTuple):
    """Children `first` up to `last` of `node`, in the old text from index `start` up to `stop`; both begin lines.

    `path`: the collections above it, each with the index of the child that leads on. `under_key`: it is a sequence
    indented as the key before it.
    """

    node: SequenceNode | MappingNode
    first: int
    last: int
    start: int
    stop: int
    path: tuple[tuple[SequenceNode | MappingNode, int], ...]
    under_key: bool


def can_be_read_again(text: Text, regions: Sequence[Region]) -> bool:
    """Whether `compose_again` can build on a text."""
    return text.restore is None and all(region.readable and not region.problems for region in regions)


def compose_again(old: Text, regions: Sequence[Region], new: Text, limits: ReadingLimits) -> list[Region] | None:
    """What `momlint.source.composing.compose` gives for `new`; `regions` are those of `old`, and stay as they are.

    `limits`: those that `old` was read with. None where it has to be read whole.
    """
    if not can_be_read_again(old, regions) or new.restore is not None:
        return None
    if sum(region.merged for region in regions) > most_merged(new, limits):
        return None
    change = _change(old.text, new.text)
    line = old.place(change.start)[0]
    lines = len(new.starts) - len(old.starts)
    number = bisect.bisect_right([region.first_line for region in regions], line) - 1
    if number < 0:
        return _below_comments(old, regions, new, change, lines)
    region = regions[number]
    is_last = number == len(regions) - 1
    for part in reversed(_parts(old, region, change, len(old.text) if is_last and not region.explicit_end else None)):
        if part.stop - part.start > max(len(old.text) // 2, _SMALL):
            return None  # reading the whole takes not much longer
        node = _read(old, regions, region, new, part, limits)
        if node is not None:
            made = _like(region, node, 0)
            return [*regions[:number], made, *_regions_further(regions[number + 1 :], lines)]
    return None


def _read(
    old: Text, regions: Sequence[Region], region: Region, new: Text, part: _Part, limits: ReadingLimits
) -> Node | None:
    """The root of the document of which only a part has changed; None where something else has, or can have."""
    lines = len(new.starts) - len(old.starts)
    stop = part.stop + len(new.text) - len(old.text)
    if stop < part.start or (stop < len(new.text) and new.place(stop)[1]):
        return None
    if any(one.tied for one in regions) and not _is_loose(old, region, part, lines):
        return None
    depth = limits.depth - len(part.path)
    read = compose_part(new, part.start, stop, limits._replace(depth=depth), under_key=part.under_key)
    if read is None or read.tied:
        return None
    node = _replaced(part, read.root, new.place(part.start)[0], lines)
    if node is None:
        return None
    for above, index in reversed(part.path):
        node = _with_children(above, [*above.children[:index], node, *_further(above.children[index + 1 :], lines)])
    return node


def _below_comments(
    old: Text, regions: Sequence[Region], new: Text, change: _Change, lines: int
) -> list[Region] | None:
    """The same documents, where the change lies among the comments before the first."""
    if not regions or change.old_stop >= old.starts[regions[0].first_line]:
        return None
    first = regions[0].first_line
    heads = [*old.lines[:first], *new.lines[: first + lines]]
    if any(line.lstrip(_SPACES)[:1] not in ("", "#") for line in heads):
        return None
    if lines and any(region.tied for region in regions):
        return None
    return _regions_further(regions, lines)


def _regions_further(regions: Sequence[Region], lines: int) -> list[Region]:
    if not lines:
        return list(regions)
    return [_like(one, None if one.root is None else moved(one.root, lines), lines) for one in regions]


def _change(old: str, new: str) -> _Change:
    start = _common(old, new, min(len(old), len(new)))
    most = min(len(old), len(new)) - start
    end = _common_end(old, new, most)
    return _Change(start, len(old) - end, len(new) - end)


def _common(left: str, right: str, most: int) -> int:
    """How many characters both begin with, at most so many: by halves, because comparing pieces is quick."""
    known = 0
    while known < most:
        middle = (known + most + 1) // 2
        if left[known:middle] == right[known:middle]:
            known = middle
        else:
            most = middle - 1
    return known


def _common_end(left: str, right: str, most: int) -> int:
    known = 0
    while known < most:
        middle = (known + most + 1) // 2
        if left[len(left) - middle : len(left) - known] == right[len(right) - middle : len(right) - known]:
            known = middle
        else:
            most = middle - 1
    return known


# -- what has to be parsed --------------------------------------------------------------------------------------------


def _parts(old: Text, region: Region, change: _Change, end: int | None) -> list[_Part]:
    """Stretches of whole entries with the change in them, the innermost last. `end`: of the document, if known."""
    found: list[_Part] = []
    path: tuple[tuple[SequenceNode | MappingNode, int], ...] = ()
    node: Node | AliasUse | None = region.root
    under_key = False
    while isinstance(node, (SequenceNode, MappingNode)) and _is_block(old, node):
        entries = _Entries(old, node)
        first = entries.before(change.start)
        if first is None:
            break
        following = entries.behind(change.old_stop, first)
        count = len(entries)
        if following is not None:
            end = entries.line_start(following)
        elif end is None:
            break  # another document follows, and nobody says where this one ends
        last = count if following is None else following
        step = entries.step
        found.append(_Part(node, first * step, last * step, entries.line_start(first), end, path, under_key))
        if last - first != 1:
            break
        index = first * step + step - 1
        path = (*path, (node, index))
        above, node = node, node.children[index]
        under_key = (
            isinstance(above, MappingNode)
            and isinstance(node, SequenceNode)
            and node.start_column == above.start_column
        )
    return found


def _is_block(old: Text, node: SequenceNode | MappingNode) -> bool:
    opener = old.line(node.start_line)[node.start_column : node.start_column + 1]
    return opener == "-" if isinstance(node, SequenceNode) else opener not in ("{", "[")


class _Entries:
    """The entries of a block collection: which of them begin a line of their own, and where."""

    def __init__(self, old: Text, node: SequenceNode | MappingNode) -> None:
        self._text = old
        self._column = node.start_column
        self._dash = isinstance(node, SequenceNode)
        self.step = 1 if self._dash else 2
        self._heads: list[Node | AliasUse] = node.children if self._dash else node.children[::2]

    def __len__(self) -> int:
        return len(self._heads)

    def line_start(self, number: int) -> int:
        return self._text.starts[self._heads[number].start_line]

    def _begins_a_line(self, number: int) -> bool:
        head = self._heads[number]
        line = self._text.line(head.start_line)
        # libyaml drops a byte order mark with which a text begins.
        if line[: self._column].strip(_SPACES) or line.startswith("\ufeff"):
            return False
        if self._dash:
            return line[self._column : self._column + 1] == "-"
        return isinstance(head, ScalarNode) and head.start_column == self._column

    def before(self, index: int) -> int | None:
        """The last entry that begins a line, and whose first characters stand before `index`."""
        # Behind a dash there has to be a space still; a key may go on as it likes.
        taken = self._column + (2 if self._dash else 1)
        line = self._text.place(index)[0]
        number = bisect.bisect_right(self._heads, line, key=_start_line) - 1
        while number >= 0 and not (self._begins_a_line(number) and self.line_start(number) + taken <= index):
            number -= 1
        return number if number >= 0 else None

    def behind(self, index: int, first: int) -> int | None:
        """The first entry behind `first` that begins a line, at `index` or behind it."""
        line = self._text.place(index)[0]
        number = max(bisect.bisect_left(self._heads, line, key=_start_line), first + 1)
        while number < len(self._heads):
            if self._begins_a_line(number) and index <= self.line_start(number):
                return number
            number += 1
        return None


def _start_line(node: Positioned) -> int:
    return node.start_line


def _is_loose(old: Text, region: Region, part: _Part, lines: int) -> bool:
    """Whether aliases can stay what they are: nothing moves, and no anchor names what is made anew."""
    if lines:
        return False
    fresh = [part.node, *(above for above, _ in part.path)]
    if any(one is node for one in fresh for node in region.anchored):
        return False
    first, last = old.place(part.start)[0], old.place(part.stop)[0]
    if old.place(part.stop)[1]:
        last += 1  # the text ends without the end of a line
    if any(first <= node.start_line < last for node in region.anchored):
        return False
    return not any(isinstance(child, AliasUse) or _is_merge(child) for node in fresh for child in node.children)


def _is_merge(child: Node) -> bool:
    return isinstance(child, ScalarNode) and child.text == "<<"


# -- the new tree -----------------------------------------------------------------------------------------------------


def _replaced(part: _Part, read: Node | None, line: int, lines: int) -> SequenceNode | MappingNode | None:
    """The collection with the entries that were `read` from `line` on in the place of those before, and what follows so
    many `lines` further down; None where they do not fit.
    """
    node = part.node
    if not isinstance(read, (SequenceNode, MappingNode)) or read.__class__ is not node.__class__:
        return None
    if (read.start_line, read.start_column) != (line, node.start_column):
        return None
    children = [*node.children[: part.first], *read.children, *_further(node.children[part.last :], lines)]
    if isinstance(node, MappingNode):
        names = {key.text for key in children[::2] if isinstance(key, ScalarNode)}
        if len(names) * 2 != len(children) or "<<" in names:
            return None
    return _with_children(node, children)


def _further(children: list[Node | AliasUse], lines: int) -> list[Node | AliasUse]:
    if not lines:
        return children
    # Where anything moves there is no alias (`_is_loose`).
    return [moved(child, lines) for child in children if not isinstance(child, AliasUse)]


def _with_children(node: SequenceNode | MappingNode, children: list[Node | AliasUse]) -> SequenceNode | MappingNode:
    made = node.__class__(node.start_line, node.start_column)
    made.children = children
    made.end_line = children[-1].end_line
    made.end_column = children[-1].end_column
    return made


def _like(region: Region, root: Node | None, lines: int) -> Region:
    made = Region(region.first_line + lines)
    made.root = root
    made.explicit_end = region.explicit_end
    made.sure_until = region.sure_until
    made.tied = region.tied
    made.anchored = region.anchored
    made.merged = region.merged
    return made
