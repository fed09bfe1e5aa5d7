"""From the bytes of a native file to its lines, and the comments in them that silence findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from momlint.findings import Problem
from momlint.source.comments import Comments
from momlint.source.decoding import Text, decode
from momlint.source.suppressions import HASH, Suppression, find_suppressions


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


#: What begins a comment in the files of a kind.
SIGNS: Final = {"nats": ("#", "//"), "emqx": ("#", "//"), "nanomq": ("#", "//")}


class _Signs:
    """Where the comment of a line begins that is nothing else, or that speaks to momlint.

    A ``#`` within a line of settings may be a filter.
    """

    def __init__(self, signs: tuple[str, ...]) -> None:
        self._signs = signs
        self._ours = re.compile(rf"(?<![^ \t])(?:{'|'.join(map(re.escape, signs))})[ \t]*momlint\b", re.IGNORECASE)

    def __call__(self, line: str) -> int | None:
        bare = line.lstrip(" \t")
        if bare.startswith(self._signs):
            return len(line) - len(bare)
        found = self._ours.search(line)
        return None if found is None else found.start()


def suppressions_of(text: Text, kind: str) -> list[Suppression]:
    """The comments that silence findings, in a file of this kind."""
    if "momlint" not in text.text:
        return []
    if kind in _IN_XML:
        return list(_xml_suppressions(text))
    signs = SIGNS.get(kind, HASH)
    return find_suppressions(text, LineComments(text, _Signs(signs)), signs)


#: Kinds whose files are XML.
_IN_XML = frozenset(("activemq", "artemis"))
_XML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_XML_MEANT = re.compile(
    r"<!--\s*momlint(?:\s*:\s*|\s+)(?:ignore|disable|suppress|skip|allow|noqa|nolint|off)(?![\w-])", re.IGNORECASE
)
_XML_CODES = re.compile(r"<!--\s*momlint:\s*ignore\s*\[([^\]\r\n]*)\]")
#: From the end of a comment to what it is above: blank space and other comments.
_XML_BLANK = re.compile(r"(?:\s|<!--.*?-->)*", re.DOTALL)


def _xml_suppressions(text: Text) -> Iterator[Suppression]:
    """Of XML: a comment with something before it on its line, or behind it, is about that line."""
    source = text.text
    for comment in _XML_COMMENT.finditer(source):
        if not _XML_MEANT.match(comment[0]):
            continue
        line, column = text.place(comment.start())
        end_line, end_column = text.place(comment.end())
        alone = not text.line(line)[:column].strip() and not text.line(end_line)[end_column:].strip()
        target = line
        if alone:
            blank = _XML_BLANK.match(source, comment.end())
            target = text.place(blank.end() if blank else comment.end())[0]
        found = _XML_CODES.match(comment[0])
        codes = [code.strip() for code in (found[1] if found else "").split(",")]
        codes = [code.upper() if code[:3].upper() == "MOM" else code for code in codes if code]
        yield Suppression(line + 1, target + 1, tuple(codes), text.span(comment.start(), comment.end()))
