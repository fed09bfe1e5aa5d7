"""Comments that silence a finding: ``# momlint: ignore[MOM302]``, on the line or on the line above."""

from __future__ import annotations

import re
from dataclasses import dataclass

from momlint.findings import Span
from momlint.source.comments import Comments
from momlint.source.decoding import Text

_COMMENT = re.compile(r"(?<![^ \t\r\n\ufeff])#[ \t]*momlint:[ \t]*ignore(?![\w-])(?:[ \t]*\[([^\]\r\n]*)\])?")
_WORD = "momlint:"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment that silences findings.

    `line` is where the comment stands (1-based); `target` is the line whose findings it silences: its own
    where something stands before the comment, else the next line that is no comment. `codes` are rule codes
    or prefixes of them (``MOM4``), in upper case; without any the comment silences nothing. `span` is the
    comment from its ``#`` to the closing bracket; what may follow is the user's reason.
    """

    line: int
    target: int
    codes: tuple[str, ...]
    span: Span

    def covers(self, code: str, line: int) -> bool:
        """Whether it silences findings of this rule code that start on this line (1-based)."""
        return line == self.target and any(code.startswith(prefix) for prefix in self.codes)


def find_suppressions(text: Text, comments: Comments) -> list[Suppression]:
    """Return the suppressions of a file in order; a `#` in a value opens no comment."""
    found: list[Suppression] = []
    characters = text.text
    position = characters.find(_WORD)
    block = range(0)  # lines of comments only, and the one behind them
    while position >= 0:
        hash_index = characters.rfind("#", max(position - 40, 0), position)
        match = _COMMENT.match(characters, hash_index) if hash_index >= 0 else None
        if match is not None and match.end() > position:
            line, column = text.place(hash_index)
            first = comments.column(line)
            if first is not None and first <= column:
                target = line
                if line in block:
                    target = block[-1]
                elif not text.line(line)[:first].strip():
                    block = _comment_block(text, line)
                    target = block[-1]
                # What is no code stays as it is written, to be shown as one that is not used.
                codes = [code.strip() for code in (match[1] or "").split(",")]
                codes = [code.upper() if code[:3].upper() == "MOM" else code for code in codes]
                found.append(
                    Suppression(
                        line + 1,
                        target + 1,
                        tuple(code for code in codes if code),
                        text.span(hash_index, match.end()),
                    )
                )
        position = characters.find(_WORD, position + len(_WORD))
    return found


def _comment_block(text: Text, line: int) -> range:
    """The lines from `line`, which is a comment, to the first that is none, that one included."""
    following = line + 1
    while text.line(following).lstrip().startswith("#"):
        following += 1
    return range(line, following + 1)
