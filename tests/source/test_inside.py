"""Where a part of a scalar stands, whatever the quotes, escapes, folding and indentation around it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.findings import Position, Span
from momlint.source import ScalarNode, inside, read_source
from tests.budget import examples


def scalar(text: str) -> tuple[ScalarNode, list[str]]:
    """The value of the only key of the only document."""
    source = read_source(text.encode(), "x.yaml")
    assert not source.problems
    node = source.documents[0].find(("a",))
    assert isinstance(node, ScalarNode)
    return node, source.lines


def written(lines: list[str], span: Span) -> str:
    """The text of a span; PyYAML breaks a line in double quotes within a word, and puts a backslash there."""
    first, last = span.start.line - 1, span.end.line - 1
    if first == last:
        return lines[first][span.start.column - 1 : span.end.column - 1]
    middle = [line.strip().removesuffix("\\") for line in lines[first + 1 : last]]
    return "".join(
        [lines[first][span.start.column - 1 :].removesuffix("\\"), *middle, lines[last][: span.end.column - 1].lstrip()]
    )


@pytest.mark.parametrize(
    ("text", "part", "place"),
    [
        # line, column and column, counted by hand
        ("a: one two", "two", (1, 8, 11)),
        ("a:   one two   # three", "two", (1, 10, 13)),
        ('a: "one two"', "two", (1, 9, 12)),
        ("a: 'it''s two'", "two", (1, 11, 14)),
        ("a: 'it''s two'", "t's", (1, 6, 10)),
        ('a: "\\"one\\" two"', "two", (1, 13, 16)),
        ('a: "\\x6fne\\ttwo"', "two", (1, 13, 16)),
        ('a: "\\u00fcber two"', "über", (1, 5, 14)),
        ('a: "one \\\n    two"', "two", (2, 5, 8)),
        ("a: one\n  two\n\n   three", "three", (4, 4, 9)),
        ("a: |  # two\n  one\n    two\n", "two", (3, 5, 8)),
        ("a: >2-\n    one\n  two", "two", (3, 3, 6)),
        ("a: !!str one two", "two", (1, 14, 17)),
        ("a: &x 'one two'", "two", (1, 12, 15)),
        ("a: ⛵ über two", "two", (1, 11, 14)),
        ("{a: one two}", "two", (1, 9, 12)),
    ],
)
def test_a_part_is_found(text: str, part: str, place: tuple[int, int, int]) -> None:
    node, lines = scalar(text)
    start = node.text.index(part)
    line, first, last = place
    assert inside(node, lines, start, start + len(part)) == Span(Position(line, first), Position(line, last))


def test_a_part_over_two_lines() -> None:
    node, lines = scalar("a: >\n  one\n  two\n")
    assert inside(node, lines, 0, 7) == Span(Position(2, 3), Position(3, 6))


@pytest.mark.parametrize(
    ("text", "start", "end", "place"),
    [
        ("a: 'one  '", 5, 6, (1, 8)),  # only white space: behind what stands before it
        ("a: '  one'", 0, 1, (1, 7)),  # none before it: where the text begins
        ("a: one", 3, 4, (1, 7)),  # behind the end
        ("a: |\n  one\n\n", 4, 5, (2, 6)),
    ],
)
def test_white_space_has_no_width(text: str, start: int, end: int, place: tuple[int, int]) -> None:
    node, lines = scalar(text)
    assert inside(node, lines, start, end) == Span(Position(*place), Position(*place))


@pytest.mark.parametrize("text", ["a: ''", "a: ' '", 'a: "bell \\a two"'])
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    node, lines = scalar(text)
    assert inside(node, lines, 0, 1) is None


@given(
    words=st.lists(st.text("ab'\"\\#:-é", min_size=1, max_size=4), min_size=1, max_size=8),
    style=st.sampled_from(["'", '"', "|", ">"]),
    width=st.integers(4, 20),
    data=st.data(),
)
@settings(max_examples=examples(300), deadline=None)
def test_every_word_is_found_where_pyyaml_wrote_it(
    words: list[str], style: str, width: int, data: st.DataObject
) -> None:
    """PyYAML chooses the escapes and the lines; a word written without escapes is read back at the place that is told,
    and always the place begins and ends with its letters."""
    text = " ".join(words)
    node, lines = scalar(yaml.dump({"a": text}, default_style=style, width=width, allow_unicode=True))
    assert node.text.rstrip("\n") == text
    number = data.draw(st.integers(0, len(words) - 1))
    start = len(" ".join([*words[:number], ""]))
    span = inside(node, lines, start, start + len(words[number]))
    assert span is not None
    found = written(lines, span)
    plain = found.replace("''", "'") if style == "'" else found.replace('\\"', '"').replace("\\\\", "\\")
    assert (plain if style in "'\"" else found) == words[number]
