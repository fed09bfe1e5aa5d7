"""Estates with marks in the text: ``⟦…⟧`` around what a finding must point at, ``⟪…⟫`` around what is related.

The marks are put by hand and taken out before reading, so an expected span is what a person sees in the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import NamedTuple

from momlint.estate import LoadedEstate, load_source
from momlint.findings import Position, Problem, Span
from momlint.source import Source, read_source

OPEN, CLOSE, OPEN_RELATED, CLOSE_RELATED = "⟦⟧⟪⟫"


class Marked(NamedTuple):
    """A text without its marks, and the spans of the marks in the order of the text."""

    text: str
    primary: list[Span]
    related: list[Span]


def unmark(marked: str) -> Marked:
    """Take the marks out of a text (dedented first)."""
    line, column = 1, 1
    text: list[str] = []
    starts: dict[str, Position] = {}
    spans: dict[str, list[Span]] = {OPEN: [], OPEN_RELATED: []}
    for character in dedent(marked).lstrip("\n"):
        if character in (OPEN, OPEN_RELATED):
            starts[character] = Position(line, column)
        elif character in (CLOSE, CLOSE_RELATED):
            opening = OPEN if character == CLOSE else OPEN_RELATED
            spans[opening].append(Span(starts[opening], Position(line, column)))
        else:
            text.append(character)
            line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    return Marked("".join(text), spans[OPEN], spans[OPEN_RELATED])


def load(text: str, files: Mapping[str, str] | None = None, name: str = "estate.yaml") -> list[LoadedEstate]:
    """Load a text, with other files in memory beside it (`files`: name → text)."""
    known = files or {}

    def read(file: str) -> Source:
        if file not in known:
            raise FileNotFoundError(2, "No such file or directory", file)
        return read_source(known[file].encode(), file)

    def find(pattern: str) -> list[str]:
        from fnmatch import fnmatch

        return [file for file in known if fnmatch(file, pattern)]

    return load_source(read_source(text.encode(), name), read, find)


def load_one(text: str, files: Mapping[str, str] | None = None) -> LoadedEstate:
    """Load a text of one document."""
    (loaded,) = load(dedent(text).lstrip("\n"), files)
    return loaded


def expect(marked: str, *codes: str) -> list[Problem]:
    """Load, and hold the problems against the marks: the i-th mark in the text is a problem with the i-th code.

    Related marks, if there are any, are those of all problems together. Returns the problems in the order of
    the text.
    """
    text, primary, related = unmark(marked)
    (loaded,) = load(text)
    problems = sorted(loaded.problems, key=lambda problem: problem.span)
    shown = "\n".join(f"{problem.code} {problem.span} {problem.message}" for problem in problems)
    assert [(problem.code, problem.span) for problem in problems] == list(zip(codes, primary, strict=True)), shown
    if related:
        assert sorted(other.span for problem in problems for other in problem.related) == related, shown
    for problem in problems:
        assert problem.file == "estate.yaml"
        assert problem.message
    return problems
