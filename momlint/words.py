"""How names and numbers stand in a sentence, for every module that writes one.

This module imports nothing of momlint: it is on the ground floor, beside `momlint.findings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: How many names a sentence lists before it counts the rest.
LISTED = 4


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``; empty for no words."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def listed(names: Sequence[str], most: int = LISTED, *, plain: bool = False) -> str:
    """The first `most` of `names` and how many more there are, each in backticks unless `plain`."""
    shown = list(names[:most]) if plain else [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return joined(shown)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 pair``, ``50,000 pairs``, ``2 entries`` (where `plural` says so)."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def arrow(walk: Iterable[str]) -> str:
    """``1 → 2 → 4``."""
    return " → ".join(walk)


def without_lines(message: str) -> str:
    """`message` without the numbers of lines in it, which change when something is written above."""
    return re.sub(r"\b(lines?) [0-9]+(?:(?:, | and )[0-9]+)*", r"\1", message)
