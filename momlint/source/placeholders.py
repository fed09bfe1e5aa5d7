"""Placeholders of a template language that nobody has filled in: ``{{ … }}`` and ``{% … %}``."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENER = re.compile(r"\{[{%]")
_NO_BRACE = re.compile(r"[^{}]*")
_CLOSERS = {"{{": "}}", "{%": "%}"}
_QUOTES = frozenset("\"'")


def find_placeholders(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end (exclusive) of each placeholder, as indices, in order and without overlap.

    A placeholder ends on its line, or on a later one with no brace between; a quoted ``"{{"`` with nothing else
    in it opens none. The time is linear in the text.
    """
    if "{{" not in text and "{%" not in text:
        return
    finder = _Finder(text)
    position = 0
    while (match := _OPENER.search(text, position)) is not None:
        start, opener = match.start(), match[0]
        end = finder.end(start + 2, _CLOSERS[opener])
        if end is None:
            position = start + 1
            continue
        # `{{{ x }}}` is written by some languages: take in every brace.
        while opener == "{{" and text.startswith("}", end):
            end += 1
        yield start, end
        position = end


class _Finder:
    """Finds closers, and remembers where there is none, so that no line is searched twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_end = -1
        self._unclosed: dict[str, int] = {}  # closer → none between here and this end of a line

    def end(self, start: int, closer: str) -> int | None:
        """Return the index behind the closer of a placeholder whose content starts at `start`."""
        text = self._text
        if start > self._line_end:
            line_end = text.find("\n", start)
            self._line_end = len(text) if line_end < 0 else line_end
        if start >= self._unclosed.get(closer, 0):
            index = text.find(closer, start, self._line_end)
            if index >= 0:
                return index + 2
            self._unclosed[closer] = self._line_end
        before, after = text[start - 3 : start - 2], text[start : start + 1]
        if before in _QUOTES and after == before:
            return None
        content = _NO_BRACE.match(text, start)
        end = start if content is None else content.end()
        if closer == "%}" and text.startswith("%}", end - 1):
            return end + 1
        return end + 2 if closer == "}}" and text.startswith("}}", end) else None
