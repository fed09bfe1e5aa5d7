"""The script language of failures: every line, and a mistake at its line and column for what is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.simulation.faults import Element, read_faults
from tests.budget import examples

ELEMENTS = {"1--2": Element(True, 0), "2--1": Element(True, 0), "2--3": Element(True, 1), "4": Element(False, 3)}


def test_faults_are_in_order_of_time() -> None:
    text = "# two\nat 100 heal 2--1\n\nat 50.5 fail 1--2 # first\r\nat 50.5 fail 4\n"
    faults, problems = read_faults(text, ELEMENTS)
    assert problems == ()
    assert [(one.at, one.fails, one.element, one.name, one.line) for one in faults] == [
        (50.5, True, Element(True, 0), "1--2", 4),
        (50.5, True, Element(False, 3), "4", 5),
        (100.0, False, Element(True, 0), "2--1", 2),
    ]


@pytest.mark.parametrize(
    ("line", "columns", "message"),
    [
        ("At 5 fail 1--2", (1, 3), "a line begins with `at`, not `At`"),
        ("at 5 fail", (6, 10), "the line ends after `fail`"),
        ("at -5 fail 1--2", (4, 6), "`at` takes a time, 0 or more, not `-5`"),
        ("at 1e3 fail 1--2", (4, 7), "`at` takes a time, 0 or more, not `1e3`"),
        ("at 9999999999 fail 1--2", (4, 14), "`at` takes a time, 0 or more, not `9999999999`"),
        ("at 5 break 1--2", (6, 11), "something can `fail` or `heal`, not `break`"),
        ("at 5 fail 1--3", (11, 15), "there is no link or broker `1--3`; did you mean `1--2`?"),
        ("at 5 fail 1--2 now", (16, 19), "`now` is one word too many"),
        ("at 5 heal 1--2", (11, 15), "`1--2` has not failed at 5"),
    ],
)
def test_a_mistake(line: str, columns: tuple[int, int], message: str) -> None:
    (problem,) = read_faults(f"\n  {line}\n", ELEMENTS).problems
    assert problem.message == message
    assert [tuple(place) for place in problem.span] == [(2, columns[0] + 2), (2, columns[1] + 2)]


def test_what_has_failed_cannot_fail_again() -> None:
    """By either of its names; at line 2, which is the later one."""
    (problem,) = read_faults("at 5 fail 1--2\nat 9 fail 2--1\n", ELEMENTS).problems
    assert (problem.span.start.line, problem.message) == (2, "`2--1` has failed already at 9")


@settings(max_examples=examples(300))
@given(st.one_of(st.text(), st.lists(st.sampled_from(["at", "5", "fail", "heal", "4", "#", "\n"])).map(" ".join)))
def test_whatever_it_says(text: str) -> None:
    script = read_faults(text, ELEMENTS)
    said = [one for one in text.replace("\r", "\n").split("\n") if one.split() and not one.split()[0].startswith("#")]
    # A line is a fault or has a problem, or both where it comes at the wrong time.
    assert max(len(script.faults), len(script.problems)) <= len(said) <= len(script.faults) + len(script.problems)
