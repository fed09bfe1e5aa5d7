"""Sentences for a terminal: folded at blanks, where a terminal would cut through a word."""

from __future__ import annotations

import re

#: What colours a text and takes no column.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def folded(line: str, width: int | None, hang: int) -> str:
    """`line` in lines of at most `width` columns, those after the first behind `hang` blanks; as it is without a width.

    Colours take no column. A word that is longer than a line stays whole.
    """
    if width is None or _columns(line) <= width:
        return line
    first, *words = re.split(r"(?<=\S) (?=\S)", line)
    lines = [first]
    for word in words:
        if _columns(lines[-1]) + 1 + _columns(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(" " * hang + word)
    return "\n".join(lines)


def _columns(text: str) -> int:
    return len(_COLOUR.sub("", text))
