"""Source text as a person wants to see it under a finding: the line, its number, and carets under the span.

Columns of a span count characters; columns of a terminal do not. Tabs, wide characters, combining marks and
control characters are measured here, so that a caret stands under what it means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from momlint.findings import Span

#: A tab is shown as this many spaces: lines are cut on both sides, where a tab stop means nothing.
TAB = 4
_CUT = "..."
# How far back the line is looked for that the span's line is nested in.
_LOOK_BACK = 200


class Row(NamedTuple):
    """A line of the source: its number, what is shown of it, and the mark below it (`None`: no mark)."""

    number: int
    text: str
    mark: str | None = None


def rows(lines: Sequence[str], span: Span, width: int, mark: str = "^", parent: bool = False) -> list[Row]:
    """The lines to show for `span`, at most `width` columns each.

    With `parent`, the line the span's first line is nested in (the nearest above that is indented less) comes
    first, if there is one. Of a span of several lines the first and the last are marked. A span past the end
    of the text is shown at the end of its last line; nothing is shown for an empty text.
    """
    if not lines:
        return []
    start_line = min(span.start.line, len(lines))
    start_column = span.start.column if span.start.line <= len(lines) else len(lines[-1]) + 1
    end_line = min(max(span.end.line, start_line), len(lines))
    end_column = span.end.column if span.end.line <= len(lines) else len(lines[-1]) + 1
    # An end at the start of a line means the end of the line before.
    while end_line > start_line and not lines[end_line - 1][: end_column - 1].strip():
        end_line -= 1
        end_column = len(lines[end_line - 1]) + 1

    found = []
    if parent and (above := _parent(lines, start_line)) is not None:
        line = lines[above - 1]
        indent = len(line) - len(line.lstrip())
        found.append(Row(above, _window(line, indent, indent + 1, width, mark)[0]))
    first = lines[start_line - 1]
    stop = end_column - 1 if end_line == start_line else len(first.rstrip())
    found.append(Row(start_line, *_window(first, start_column - 1, stop, width, mark)))
    if end_line > start_line:
        last = lines[end_line - 1]
        indent = len(last) - len(last.lstrip())
        found.append(Row(end_line, *_window(last, indent, end_column - 1, width, mark)))
    return found


def _parent(lines: Sequence[str], number: int) -> int | None:
    own = _indent(lines[number - 1])
    if not own:
        return None
    for above in range(number - 1, max(0, number - 1 - _LOOK_BACK), -1):
        line = lines[above - 1]
        bare = line.strip()
        if bare and not bare.startswith("#") and _indent(line) < own:
            return above
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _window(line: str, start: int, stop: int, width: int, mark: str) -> tuple[str, str]:
    """What fits of `line` in `width` columns around its characters `start` to `stop`, and the marks below."""
    width = max(width, 20)
    start = min(max(start, 0), len(line))
    stop = min(max(stop, start), len(line))
    left, right = 0, len(line)
    if len(line) > width or _columns(line) > width:
        # Some of what stands before the span, then as much as fits; room for a sign of the cut on both sides.
        left, before = start, 0
        while left > 0 and before + _columns(line[left - 1]) <= width // 4:
            left -= 1
            before += _columns(line[left])
        room = width - len(_CUT) * 2
        if left <= len(_CUT):
            left = 0
        right, used = left, 0
        while right < len(line) and used + _columns(line[right]) <= room:
            used += _columns(line[right])
            right += 1
        # The end of a line is shown as far as it goes, rather than a window half empty.
        while right == len(line) and left > 0 and used + _columns(line[left - 1]) <= room:
            left -= 1
            used += _columns(line[left])
    before_cut = _CUT if left > 0 else ""
    after_cut = _CUT if right < len(line) else ""
    text = before_cut + "".join(_shown(char) for char in line[left:right]) + after_cut
    pad = len(before_cut) + _columns(line[left:start])
    marks = _columns(line[start : min(stop, right)])
    return text.rstrip(), " " * pad + mark * max(1, marks)


def _shown(char: str) -> str:
    if char == "\t":
        return " " * TAB
    if " " <= char < "\x7f":
        return char
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    # Other controls, marks that reorder text on screen, and lone surrogates.
    return "\ufffd" if _category(char) in _HIDDEN else char


_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _category(char: str) -> str:
    # A joiner between emoji and a variation selector change what is shown, they do not hide anything.
    import unicodedata  # only where a line has more than ASCII

    return "Mn" if char in "\u200c\u200d" else unicodedata.category(char)


def _columns(text: str) -> int:
    """How many columns a terminal takes for `text` as `_shown` shows it."""
    if text.isascii():
        return len(text) + (TAB - 1) * text.count("\t")
    return sum(_char_columns(char) for char in text)


def _char_columns(char: str) -> int:
    if char == "\t":
        return TAB
    if char.isascii() or _category(char) in _HIDDEN:
        return 1
    if _category(char) in {"Mn", "Me"}:
        return 0
    import unicodedata

    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
