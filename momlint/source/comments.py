"""Telling a comment from a `#` inside a value, without a second parse."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence

from momlint.source.composing import Region
from momlint.source.decoding import Text
from momlint.source.nodes import AliasUse, Node, ScalarNode

_BLOCK_OPENERS = frozenset("|>")
_HASH = re.compile(r"(?<![^ \t\ufeff])#")
#: For text behind a syntax error: a quoted value (on one line), or the `#` of a comment.
_QUOTED_OR_HASH = re.compile(
    r"""(?<![^\s\[{,:(-])(?:'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+")|(?<![^ \t\ufeff])(?P<hash>#)"""
)


class Comments:
    """Finds comments with the help of the composed tree: a `#` behind a space opens one unless a scalar
    covers it.

    Where a document could not be read to its end, what follows is judged line by line.
    """

    def __init__(self, text: Text, regions: Sequence[Region]) -> None:
        self._text = text
        self._regions = regions
        self._first_lines = [region.first_line for region in regions]
        self._latest: tuple[int, int | None] = (-1, None)

    def column(self, line: int) -> int | None:
        """Return the 0-based column at which the comment of a line starts, or None if it has none."""
        if self._latest[0] != line:
            self._latest = (line, self._find(line))
        return self._latest[1]

    def _find(self, line: int) -> int | None:
        written = self._text.line(line)
        if "#" not in written:
            return None
        index = max(bisect.bisect_right(self._first_lines, line) - 1, 0)
        region = self._regions[index] if self._regions else None
        known = 0  # the column up to which the tree of the region tells what is a scalar
        if region is not None and (line, 0) < region.sure_until:
            last_line, last_column = region.sure_until
            known = last_column if line == last_line else len(written)
            for match in _HASH.finditer(written, 0, known):
                if not self._covered(region.root, (line, match.start())):
                    return match.start()
        for match in _QUOTED_OR_HASH.finditer(written, known):
            if match["hash"]:
                return match.start()
        return None

    def _covered(self, root: Node | None, position: tuple[int, int]) -> bool:
        """Whether a scalar under `root` covers a 0-based position; children stand in the order of the text."""
        node: Node | AliasUse | None = root
        while node is not None and not isinstance(node, AliasUse):
            if isinstance(node, ScalarNode):
                if not _start(node) <= position < (node.end_line, node.end_column):
                    return False
                # The line of `|` or `>` may end with a comment; the text starts on the next.
                opener = self._text.line(node.start_line)[node.start_column : node.start_column + 1]
                return opener not in _BLOCK_OPENERS or position[0] > node.start_line
            index = bisect.bisect_right(node.children, position, key=_start) - 1
            node = node.children[index] if index >= 0 else None
        return False


def _start(node: Node | AliasUse) -> tuple[int, int]:
    return node.start_line, node.start_column
