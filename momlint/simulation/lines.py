"""Scripts: plain text, a step a line, ``#`` for comments. Words with their places, and mistakes as problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from momlint.findings import Position, Problem, Span

_LINE = re.compile(r"\r\n?|\n")
_WORD = re.compile(r"\S+")
#: Whole milliseconds or counts beyond this say nothing that can be simulated.
LARGEST_WHOLE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a script and where it stands, 1-based."""

    text: str
    line: int
    column: int

    @property
    def span(self) -> Span:
        """The word's characters."""
        return Span(Position(self.line, self.column), Position(self.line, self.column + len(self.text)))

    def mistake(self, message: str, help: str = "") -> Problem:
        """A finding at the word."""
        return Problem("MOM102", self.span, message, help)


def lines_of(text: str) -> list[str]:
    """The lines without their ends."""
    return _LINE.split(text)


def worded(text: str) -> Iterator[list[Word]]:
    """The words of each line that has any, without comments: ``#`` at the beginning of a word starts one."""
    for number, line in enumerate(lines_of(text), 1):
        words = []
        for found in _WORD.finditer(line):
            if found[0].startswith("#"):
                break
            words.append(Word(found[0], number, found.start() + 1))
        if words:
            yield words


def whole(word: Word, what: str, least: int = 0) -> int:
    """The whole number that the word says. Raises `Mistaken`."""
    if not re.fullmatch("[0-9]{1,10}", word.text) or not least <= int(word.text) <= LARGEST_WHOLE:
        raise Mistaken(word.mistake(f"{what} takes a whole number, {least} or more, not `{word.text}`"))
    return int(word.text)


class Mistaken(Exception):
    """What a reader found wrong in a line."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem
