"""Carets stand under what they mean, whatever is in the line; nothing is wider than it may be."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.report.snippet import rows
from tests.report.sample import SIX, span


def shown(line: str, start: int, end: int, width: int = 80) -> tuple[str, str]:
    (row,) = rows([line], span(1, start, 1, end), width)
    assert row.mark is not None
    return row.text, row.mark


@pytest.mark.parametrize(
    ("line", "start", "end", "text", "mark"),
    [
        ("  6: [5]", 3, 9, "  6: [5]", "  ^^^^^^"),
        ("\t6: [5]", 2, 3, "    6: [5]", "    ^"),
        ("名前: [5]", 6, 7, "名前: [5]", " " * 7 + "^"),  # two characters, four columns
        ("名前: 5", 1, 3, "名前: 5", "^^^^"),
        ("e\u0301: 5", 4, 5, "e\u0301: 5", "  ^"),  # a combining accent takes no column
        ("a\x1b[31m: 5", 8, 9, "a\u241b[31m: 5", " " * 7 + "^"),  # an escape is shown, not sent
        ("a\u202e: 5", 3, 4, "a\ufffd: 5", "  ^"),  # neither is what turns text around
        ("a: 5", 5, 5, "a: 5", "    ^"),  # an empty span, at the end of the line
        ("a: 5", 99, 100, "a: 5", "    ^"),
    ],
)
def test_a_caret_stands_under_its_character(line: str, start: int, end: int, text: str, mark: str) -> None:
    assert shown(line, start, end) == (text, mark)


def test_a_long_line_is_cut_on_both_sides() -> None:
    line = "x" * 500 + "HERE" + "y" * 500
    text, mark = shown(line, 501, 505, 60)
    assert text.startswith("...x")
    assert text.endswith("y...")
    assert len(text) == 60
    assert text[mark.index("^") :].startswith("HERE")
    assert mark.count("^") == 4


def test_the_end_of_a_long_line_fills_the_window() -> None:
    text, mark = shown("x" * 500 + "HERE", 501, 505, 60)
    assert text.endswith("xHERE")
    assert len(mark) == len(text)
    assert 54 <= len(text) <= 60


def test_carets_end_where_the_cut_line_ends() -> None:
    text, mark = shown("y" * 1000, 11, 901, 60)
    assert len(mark) <= len(text) <= 60


def test_the_line_it_is_nested_in_comes_first_and_comments_do_not() -> None:
    found = rows(SIX.splitlines(), span(13, 7, 13, 16), 80, parent=True)
    assert [(row.number, row.text) for row in found] == [(12, "    4:"), (13, "      6: [5, 6]")]
    assert found[0].mark is None


def test_of_several_lines_the_first_and_the_last_are_marked() -> None:
    found = rows(SIX.splitlines(), span(10, 3, 14, 19), 80)
    assert [(row.number, row.mark) for row in found] == [(10, "  ^^^^^^^"), (14, "      " + "^" * 12)]


def test_an_end_at_the_start_of_a_line_is_the_end_of_the_line_before() -> None:
    (row,) = rows(SIX.splitlines(), span(14, 7, 15, 1), 80)
    assert row.mark == "      " + "^" * 12


def test_past_the_end_of_the_text() -> None:
    (row,) = rows(["a: 1", "b: 2"], span(9, 3, 9, 4), 80)
    assert (row.number, row.text, row.mark) == (2, "b: 2", "    ^")
    assert rows([], span(1, 1, 1, 1), 80) == []


def columns(text: str) -> int:
    """An independent count: what a terminal does with the text as shown."""
    total = 0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me") or char in "\u200c\u200d":
            continue
        total += 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
    return total


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    line=st.text(alphabet=st.characters(exclude_characters="\n\r"), max_size=200),
    start=st.integers(1, 210),
    length=st.integers(0, 210),
    width=st.integers(20, 100),
)
def test_any_line_fits_and_carets_stay_within_it(line: str, start: int, length: int, width: int) -> None:
    (row,) = rows([line], span(1, start, 1, start + length), width)
    assert columns(row.text) <= width
    assert row.mark is not None
    assert set(row.mark) <= {" ", "^"}
    assert "^" in row.mark
    # One caret may stand past the end, for what begins there.
    assert len(row.mark) <= width + 1
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in row.text)
