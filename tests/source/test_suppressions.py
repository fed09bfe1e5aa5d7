"""Comments that silence findings."""

from __future__ import annotations

import pytest

from tests.source.reading import at, read


def found(text: str) -> list[tuple[int, int, tuple[str, ...], str]]:
    return [(s.line, s.target, s.codes, at(s.span)) for s in read(text).suppressions]


def test_on_the_line_and_on_the_line_above() -> None:
    text = """\
a: 1  # momlint: ignore[MOM302]
# momlint: ignore[MOM4, mom303]  because of ticket 12
# another comment
b: 2
  # momlint:ignore [MOM1]
"""
    assert found(text) == [
        (1, 1, ("MOM302",), "1:7-1:32"),
        (2, 4, ("MOM4", "MOM303"), "2:1-2:32"),
        (5, 6, ("MOM1",), "5:3-5:26"),
    ]


def test_one_that_names_no_rule() -> None:
    """It is there, to be told: its span runs to the end of what is written."""
    assert found("a: 1 # momlint: ignore\n") == [(1, 1, (), "1:6-1:23")]
    assert found("a: 1 # momlint: ignore MOM302  \n") == [(1, 1, (), "1:6-1:30")]
    assert found("a: 1 # momlint: ignore[]\n") == [(1, 1, (), "1:6-1:25")]
    assert found("a: 1 # momlint ignore[MOM302]\n") == [(1, 1, (), "1:6-1:30")]
    assert found("a: 1 # Momlint: disable=MOM302\n") == [(1, 1, (), "1:6-1:31")]


def test_prose_is_no_suppression() -> None:
    assert found("a: 1 # momlint: ignores nothing here\nb: 2 # momlint checks this\nc: '# momlint: ignore'\n") == []


def test_several_on_one_line() -> None:
    assert found("a: 1 # momlint: ignore[A] # momlint: ignore[B]\n") == [
        (1, 1, ("A",), "1:6-1:26"),
        (1, 1, ("B",), "1:27-1:47"),
    ]
    assert found("# x # momlint: ignore[A]\n# momlint: ignore[B]\nb: 1\n") == [
        (1, 3, ("A",), "1:5-1:25"),
        (2, 3, ("B",), "2:1-2:21"),
    ]


@pytest.mark.parametrize(
    "text",
    ["a: '# momlint: ignore[X]'\n", 'a: "b # momlint: ignore[X]"\n', "a: |\n  # momlint: ignore[X]\n",
     "a: >\n  b\n  # momlint: ignore[X]\n", "a: 'b\n  # momlint: ignore[X]'\n", "a: b#momlint: ignore[X]\n",
     "'# momlint: ignore[X]': 1\n", "- a: {b: '# momlint: ignore[X]'}\n", "a: 1\na: '# momlint: ignore[X]'\n",
     "a: &x 1\nb: {<<: {c: '# momlint: ignore[X]'}}\n", "? ['# momlint: ignore[X]']\n: 1\n",
     "# momlint: ignored[X]\n", "# see momlint: ignore[X]\n", "momlint: 1 # ignore[X]\n", "# momlint: no-ignore[X]\n"],
)  # fmt: skip
def test_what_is_no_comment_or_no_suppression(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a: 'x' # momlint: ignore[X]\n", "1:8-1:28"),
        ("a: |\n  b\n# momlint: ignore[X]\n", "3:1-3:21"),
        ("a: [b, # momlint: ignore[X]\n c]\n", "1:8-1:28"),
        ("a: &x # momlint: ignore[X]\n  b: 1\n", "1:7-1:27"),
        ("a: &x [1]\nb: *x # momlint: ignore[X]\n", "2:7-2:27"),
        ("a: | # momlint: ignore[X]\n  b\n", "1:6-1:26"),
        ("--- # momlint: ignore[X]\na: 1\n", "1:5-1:25"),
        ("a: 1\n---\nb: 1 # momlint: ignore[X]\n", "3:6-3:26"),
        ("\ufeffä: 1 # momlint: ignore[X]\r\n", "1:6-1:26"),
        # In and behind a document that is broken.
        ("a: 1 # momlint: ignore[X]\nb: [\n", "1:6-1:26"),
        ("a: b: c\nd: 1 # momlint: ignore[X]\n", "2:6-2:26"),
        ("a: b: c\n---\nd: 1 # momlint: ignore[X]\n", "3:6-3:26"),
    ],
)
def test_comments_are_recognised(text: str, span: str) -> None:
    assert [at(s.span) for s in read(text).suppressions] == [span]


def test_not_inside_quotes_behind_a_syntax_error() -> None:
    assert found("a: b: c\nd: '# momlint: ignore[X]'\n") == []
