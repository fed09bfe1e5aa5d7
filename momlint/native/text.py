"""From the bytes of a native file to its lines, and the comments in them that silence findings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from momlint.findings import Problem
from momlint.source.comments import Comments
from momlint.source.decoding import Text, decode
from momlint.source.suppressions import Suppression, find_suppressions


def read_text(data: bytes, file: str) -> tuple[Text, list[Problem], bool]:
    """The text of a file, what is wrong with its characters, and whether it is a text at all."""
    text, problems, is_text = decode(data)
    return text, [replace(_of_no_yaml(problem), file=file) for problem in problems], is_text


def _of_no_yaml(problem: Problem) -> Problem:
    message = problem.message.replace("cannot stand in a YAML file", "cannot stand in a configuration file")
    help_ = problem.help
    if "YAML source" in help_ or "as an escape" in help_:
        help_ = "save the file as plain text in UTF-8"
    return replace(problem, message=message, help=help_)


class LineComments(Comments):
    """Where comments begin, told line by line."""

    def __init__(self, text: Text, column: Callable[[str], int | None]) -> None:
        super().__init__(text, ())
        self._lines = text
        self._column = column

    def column(self, line: int) -> int | None:
        """See `Comments.column`."""
        return self._column(self._lines.line(line))


_OURS = re.compile(r"(?<![^ \t])#[ \t]*momlint\b", re.IGNORECASE)


def hash_column(line: str) -> int | None:
    """Where the comment of a line begins that is nothing else, or that speaks to momlint.

    A ``#`` within a line of settings may be a filter.
    """
    bare = line.lstrip(" \t")
    if bare.startswith("#"):
        return len(line) - len(bare)
    found = _OURS.search(line)
    return None if found is None else found.start()


def suppressions_of(text: Text) -> list[Suppression]:
    """The comments that silence findings."""
    if "momlint" not in text.text:
        return []
    return find_suppressions(text, LineComments(text, hash_column))
