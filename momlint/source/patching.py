"""Patches of a YAML text: items of lists and mappings taken out and put in, everything else byte for byte as it was.

Patches are made on the characters, at the places that the reader knows; nothing is written out anew from a tree. What
cannot be done so, without harm to a comment or an anchor, is `Unpatchable`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from momlint.findings import Span
from momlint.source.decoding import LINE_BREAK, decode
from momlint.source.nodes import AliasUse, MappingNode, Node, Positioned, ScalarNode, SequenceNode

_MARK = b"\xef\xbb\xbf"


class Unpatchable(Exception):
    """This text cannot be changed here with everything else left as it is; a clause that says why."""


class Patch(NamedTuple):
    """The characters from `start` up to `end`, both counted from the start of the text, become `text`."""

    start: int
    end: int
    text: str


class _Item(NamedTuple):
    """An item of a list, or key and value of a mapping: where it starts and ends, in characters of the text."""

    start: int
    end: int


class Patches:
    """Patches of one file, gathered and then made at once. Raises `Unpatchable` for a file that is not UTF-8."""

    def __init__(self, data: bytes) -> None:
        self.text, problems, is_text = decode(data)
        self._mark = _MARK if data.startswith(_MARK) else b""
        if problems or not is_text or self._mark + self.text.text.encode() != data:
            raise Unpatchable("only UTF-8 files can be changed")
        self._patches: list[Patch] = []
        #: How lines end in this file.
        self.line_break: str = (LINE_BREAK.search(self.text.text) or ["\n"])[0]

    def __len__(self) -> int:
        return len(self._patches)

    def made(self) -> bytes:
        """The file with all patches. Raises `Unpatchable` where two of them change the same characters."""
        source, out, done = self.text.text, [], 0
        for patch in sorted(self._patches, key=lambda one: (one.start, one.end)):
            if patch.start < done:
                raise Unpatchable("two changes touch the same text")
            out += [source[done : patch.start], patch.text]
            done = patch.end
        out.append(source[done:])
        return self._mark + "".join(out).encode()

    def replace(self, span: Span, text: str) -> None:
        """Put `text` in place of what stands at `span`."""
        self._patches.append(Patch(*self._item_of(span), text))

    def put(self, start: int, end: int, text: str) -> None:
        """Put `text` in place of the characters from `start` up to `end`, counted from the start of the text."""
        patch = Patch(start, end, text)
        if start == end or patch not in self._patches:
            self._patches.append(patch)

    def insert_line(self, row: int, text: str) -> None:
        """Put a line behind that of this number (from 0), which ends as the others do."""
        at = self._line(row + 1)
        is_last = at == len(self.text.text) and not self.text.text.endswith(("\r", "\n"))
        self._insert(at, f"{self.line_break}{text}" if is_last else f"{text}{self.line_break}")

    def index(self, row: int, column: int) -> int:
        """The number of the character at a line and column, both from 0."""
        return self._index(row, column)

    def range(self, span: Span) -> tuple[int, int]:
        """The numbers of the first character of a span, and of the one behind it."""
        return self._item_of(span)

    def place_of(self, node: Positioned) -> tuple[int, int]:
        """The numbers of the first character of a node, and of the one behind it."""
        return self._index(node.start_line, node.start_column), self._end(node)

    def replace_scalar(self, node: Node, text: str) -> None:
        """Put `text` in place of a scalar, with its quotes."""
        if not isinstance(node, ScalarNode) or node.style not in ("", "'", '"') or node.start_line != node.end_line:
            raise Unpatchable("this is not a name on one line")
        self._patches.append(Patch(self._index(node.start_line, node.start_column), self._end(node), text))

    def remove_comment(self, span: Span) -> None:
        """Take out a comment, with its line if there is nothing else on it; of YAML's sign it runs to the end."""
        line = span.start.line - 1
        start, end = self._line(line), self._line(line + 1)
        at = self._index(line, span.start.column - 1)
        before = self.text.text[start:at]
        stop = start + len(self.text.line(line))
        if self.text.text.startswith("<!--", at):
            # One of XML, which may have something behind it.
            close = self._index(span.end.line - 1, span.end.column - 1)
            last = self.text.starts[span.end.line] if span.end.line < len(self.text.starts) else len(self.text.text)
            if before.strip() or self.text.text[close:last].strip():
                self._patches.append(Patch(at, close, ""))
            else:
                self._patches.append(Patch(start, last, ""))
            return
        if not before.strip():
            self._patches.append(Patch(start, end, ""))
            return
        self._patches.append(Patch(start + len(before.rstrip()), stop, ""))

    def change_items(
        self,
        node: Node,
        removed: Iterable[int] = (),
        added: Mapping[int, Sequence[str]] | None = None,
        *,
        hollow: bool = False,
    ) -> None:
        """Take out the items (entries of a mapping) with these indices, and put in others.

        `added`: texts by the index of the item that they follow; -1 for the front. An entry is ``key: value``. At least
        one item stays or comes, but in a list in brackets, and where it may be left `hollow`.
        """
        if not isinstance(node, (SequenceNode, MappingNode)):
            raise Unpatchable("this is neither a list nor a mapping")
        items, gone = self._items(node), set(removed)
        new = {index: list(texts) for index, texts in (added or {}).items() if texts}
        at = self._index(node.start_line, node.start_column)
        if self.text.text[at : at + 1] in ("[", "{"):
            self._in_flow(at, items, gone, new)
        else:
            if len(gone) == len(items) and not new and not hollow:
                raise Unpatchable("nothing would be left in the section")
            self._in_block(node, items, gone, new)

    def replace_value(self, node: Node, text: str) -> None:
        """Put `text` in place of a value, whatever it is; it starts with a space where the value is empty."""
        if isinstance(node, ScalarNode) and not node.text and not node.style:
            self.fill(node, text)
            return
        start, end = self.place_of(node)
        self._cut(start, end, text)

    def fill(self, node: Node, text: str) -> None:
        """Put `text` where a value is empty."""
        if not isinstance(node, ScalarNode) or node.text or node.style:
            raise Unpatchable("there is a value already")
        at = self._index(node.start_line, node.start_column)
        self._patches.append(Patch(at, at, f" {text}"))

    # -- lists in brackets and mappings in braces --------------------------------------------------------------------

    def _in_flow(self, at: int, items: list[_Item], gone: set[int], new: dict[int, list[str]]) -> None:
        kept = [index for index in range(len(items)) if index not in gone]
        for index in sorted(gone):
            if any(one < index for one in kept):
                self._cut(items[index - 1].end, items[index].end)
            elif kept and index < kept[0]:
                self._cut(items[index].start, items[index + 1].start)
        if not kept:
            joined = ", ".join(text for index in sorted(new) for text in new[index])
            if items:
                self._cut(items[0].start, items[-1].end, joined)
            else:
                self._patches.append(Patch(at + 1, at + 1, joined))
            return
        for index in sorted(new):
            before = [one for one in kept if one <= index]
            if before:
                end = items[before[-1]].end
                # A colon with a comma right behind it would be a part of the name.
                lead = " " if self.text.text[end - 1 : end] == ":" else ""
                self._insert(end, lead + "".join(f", {text}" for text in new[index]))
            else:
                start = items[kept[0]].start
                self._insert(start, "".join(f"{text}, " for text in new[index]))

    def _cut(self, start: int, end: int, text: str = "") -> None:
        if has_comment(self.text.text[start:end]) or has_anchor(self.text.text[start:end]):
            raise Unpatchable("a comment or an anchor would be lost")
        self._patches.append(Patch(start, end, text))

    def _insert(self, at: int, text: str) -> None:
        """Several at one place stay in their order."""
        for number, patch in enumerate(self._patches):
            if patch.start == patch.end == at:
                self._patches[number] = Patch(at, at, patch.text + text)
                return
        self._patches.append(Patch(at, at, text))

    # -- one item a line ----------------------------------------------------------------------------------------------

    def _in_block(
        self, node: SequenceNode | MappingNode, items: list[_Item], gone: set[int], new: dict[int, list[str]]
    ) -> None:
        is_list = isinstance(node, SequenceNode)
        # The first key of a mapping in a list stands behind the dash.
        dashed = not is_list and self._is_dashed(items[0])
        lines = [self._lines(item, is_list=is_list, dashed=dashed and not index) for index, item in enumerate(items)]
        for (_, end), (start, _) in pairwise(lines):
            if start < end:
                raise Unpatchable("two entries share a line")
        if dashed and 0 in gone:
            kept = next((index for index in range(len(items)) if index not in gone), None)
            if kept is None:
                raise Unpatchable("nothing would be left of the item")
            self._cut(items[0].start, items[kept].start)
            gone = {index for index in gone if index > kept}
        for index in sorted(gone):
            begin, end = self._line(lines[index][0]), self._line(lines[index][1])
            if has_anchor(self.text.text[begin:end]):
                raise Unpatchable("an anchor would be lost")
            self._patches.append(Patch(begin, end, ""))
        first = self._line(lines[0][0])
        margin = self.text.text[first : self._first_sign(items[0], is_list=is_list)]
        margin = " " * len(margin) if dashed else margin
        sign = "- " if is_list else ""
        for index in sorted(new):
            at = self._line(lines[index][1]) if index >= 0 else first
            lead = "" if at == 0 or self.text.text[at - 1] in "\r\n" else self.line_break
            tail = self.line_break if not lead else ""
            body = [f"{margin}{sign}{line}" for line in new[index]]
            self._insert(at, lead + self.line_break.join(body) + tail)

    def _first_sign(self, item: _Item, *, is_list: bool) -> int:
        if not is_list:
            return item.start
        line = self._line(self.text.place(item.start)[0])
        before = self.text.text[line : item.start]
        dash = before.find("-")
        if dash < 0 or before[:dash].strip() or before[dash + 1 :].strip():
            raise Unpatchable("the dash of an item stands elsewhere than before it")
        return line + dash

    def _is_dashed(self, item: _Item) -> bool:
        before = self.text.text[self._line(self.text.place(item.start)[0]) : item.start]
        return bool(before.strip()) and set(before.split()) == {"-"}

    def _lines(self, item: _Item, *, is_list: bool, dashed: bool = False) -> tuple[int, int]:
        """The lines of an item, the end exclusive; nothing else may stand on them but comments, and a dash."""
        sign = self._first_sign(item, is_list=is_list)
        line = self.text.place(sign)[0]
        if self.text.text[self._line(line) : sign].strip() and not dashed:
            raise Unpatchable("something else stands on the line")
        last = self.text.place(max(item.start, item.end - 1))[0]
        rest = self.text.text[item.end : self._line(last + 1)].strip() if item.end <= self._line(last + 1) else ""
        if rest and not rest.startswith("#"):
            raise Unpatchable("something else stands on the line")
        return line, last + 1

    # -- places -------------------------------------------------------------------------------------------------------

    def _items(self, node: SequenceNode | MappingNode) -> list[_Item]:
        flat: list[Positioned] = []
        for child in node.children:
            if isinstance(child, AliasUse):
                raise Unpatchable("there is an alias among the entries")
            flat.append(child)
        if isinstance(node, SequenceNode):
            return [_Item(self._index(one.start_line, one.start_column), self._end(one)) for one in flat]
        return [
            _Item(self._index(key.start_line, key.start_column), self._end(value))
            for key, value in zip(flat[::2], flat[1::2], strict=True)
        ]

    def _item_of(self, span: Span) -> _Item:
        return _Item(
            self._index(span.start.line - 1, span.start.column - 1), self._index(span.end.line - 1, span.end.column - 1)
        )

    def _index(self, line: int, column: int) -> int:
        return self.text.starts[line] + column if line < len(self.text.starts) else len(self.text.text)

    def _end(self, node: Positioned) -> int:
        return self._index(node.end_line, node.end_column)

    def _line(self, line: int) -> int:
        """Where a line starts (0-based); the end of the text behind the last."""
        return self.text.starts[line] if line < len(self.text.starts) else len(self.text.text)


#: What stands in quotes, and where a comment begins.
_IN_QUOTES = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'", re.DOTALL)
_WHOLE_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s)#", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^|[\s\[{,])&\S", re.MULTILINE)


def has_comment(text: str) -> bool:
    """Whether a comment begins in a piece of YAML."""
    return "#" in text and _COMMENT.search(_IN_QUOTES.sub("_", text)) is not None


def has_anchor(text: str) -> bool:
    """Whether a piece of YAML gives something an anchor; an ``&`` in quotes or between spaces is none."""
    return "&" in text and _ANCHOR.search(_IN_QUOTES.sub("_", text)) is not None


def comments(text: str) -> list[str]:
    """The comments of a piece of YAML, one by one, without the blanks around them."""
    plain = _IN_QUOTES.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), text)
    return [text[found.start() : found.end()].strip() for found in _WHOLE_COMMENT.finditer(plain)]


def item_at(node: SequenceNode, span: Span) -> int | None:
    """The index of the item in which `span` stands, if there is one."""
    for index, child in enumerate(node.children):
        if child.span.start <= span.start and span.end <= child.span.end:
            return index
    return None


__all__ = ["Patch", "Patches", "Unpatchable", "has_anchor", "has_comment", "item_at"]
