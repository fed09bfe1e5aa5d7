"""Comments that silence a finding: ``# momlint: ignore[MOM302]``, on the line or on the line above."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from momlint.findings import Span
from momlint.records import dataclass
from momlint.source.comments import Comments
from momlint.source.decoding import Text

#: What begins a comment in most languages, in YAML too.
HASH: Final = ("#",)


@cache
def _patterns(signs: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A comment that silences something; and one that is meant to, whether or not it is written as it has to be."""
    sign = f"(?:{'|'.join(map(re.escape, signs))})"
    comment = re.compile(sign + r"[ \t]*momlint:[ \t]*ignore[ \t]*\[([^\]\r\n]*)\]")
    meant = re.compile(
        rf"(?<![^ \t\r\n\ufeff]){sign}[ \t]*momlint(?:[ \t]*:[ \t]*|[ \t]+)"
        r"(?:ignore|disable|suppress|skip|allow|noqa|nolint|off)(?![\w-])[^#\r\n]*",
        re.IGNORECASE,
    )
    return comment, meant


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment that silences findings.

    `line` is where the comment stands (1-based); `target` is the line whose findings it silences: its own
    where something stands before the comment, else the next line that is no comment. `codes` are rule codes
    or prefixes of them (``MOM4``), in upper case, or whatever else is written there; without any the comment
    is malformed and silences nothing. `span` is the comment from its sign to the closing bracket (to the end
    of the line where it is malformed); what may follow is the user's reason.
    """

    line: int
    target: int
    codes: tuple[str, ...]
    span: Span


def find_suppressions(text: Text, comments: Comments, signs: tuple[str, ...] = HASH) -> list[Suppression]:
    """Return the suppressions of a file in order; a sign in a value, one of `signs`, opens no comment."""
    found: list[Suppression] = []
    # The search for a sign is many times quicker than that for the pattern.
    if not any(sign in text.text for sign in signs):
        return found
    comment, meant_pattern = _patterns(signs)
    block = range(0)  # lines of comments only, and the one behind them
    for meant in _all_meant(text.text, meant_pattern, signs):
        line, column = text.place(meant.start())
        first = comments.column(line)
        if first is None or first > column:
            continue
        target = line
        if line in block:
            target = block[-1]
        elif not text.line(line)[:first].strip():
            block = _comment_block(text, line, signs)
            target = block[-1]
        match = comment.match(text.text, meant.start())
        codes = [code.strip() for code in (match[1] if match else "").split(",")]
        codes = [code.upper() if code[:3].upper() == "MOM" else code for code in codes if code]
        end = match.end() if match and codes else meant.start() + len(meant[0].rstrip())
        found.append(Suppression(line + 1, target + 1, tuple(codes), text.span(meant.start(), end)))
    return found


def _all_meant(text: str, meant: re.Pattern[str], signs: tuple[str, ...]) -> Iterator[re.Match[str]]:
    """As ``meant.finditer(text)``, which tries at every character; signs are few."""
    end = 0
    for sign in re.finditer("|".join(map(re.escape, signs)), text):
        found = meant.match(text, sign.start()) if sign.start() >= end else None
        if found is not None:
            end = found.end()
            yield found


def _comment_block(text: Text, line: int, signs: tuple[str, ...]) -> range:
    """The lines from `line`, which is a comment, to the first that is none, that one included."""
    following = line + 1
    while text.line(following).lstrip().startswith(signs):
        following += 1
    return range(line, following + 1)
