"""The script language: every step, and a mistake at its line and column for what is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.simulation.steps import Names, Publish, Status, Strike, Subscribe, Wait, read_script
from tests.budget import examples

NAMES = Names(["reader", "writer"], ["b1", "b2"])


def test_every_step() -> None:
    text = """\
# a comment
Subscriber reader Subscribe A
Subscriber reader Unsubscribe A # and another
Publisher writer Publish 5 Ontopic A#1 Interval 0

  Crash b1
Freeze b2\r
Unfreeze b2
Wait 10
Status
"""
    script = read_script(text, NAMES)
    assert script.problems == ()
    assert script.steps == (
        Subscribe("reader", "A", True, 2),
        Subscribe("reader", "A", False, 3),
        Publish("writer", "A#1", 5, 0, 4),
        Strike("crash", "b1", 6),
        Strike("freeze", "b2", 7),
        Strike("unfreeze", "b2", 8),
        Wait(10, 9),
        Status(10),
    )


@pytest.mark.parametrize(
    ("line", "columns", "message"),
    [
        ("Subscribr reader Subscribe A", (1, 10), "no step begins with `Subscribr`; did you mean `Subscriber`?"),
        ("crash b1", (1, 6), "no step begins with `crash`; did you mean `Crash`?"),
        ("Subscriber raeder Subscribe A", (12, 18), "there is no client `raeder`; did you mean `reader`?"),
        (
            "Subscriber reader Publish A",
            (19, 26),
            "`Subscriber` takes `Subscribe` or `Unsubscribe` here, not `Publish`",
        ),
        ("Subscriber reader Subscribe", (19, 28), "the line ends after `Subscribe`"),
        ("Subscriber reader Subscribe A B", (31, 32), "`B` is one word too many"),
        (
            "Publisher writer Publish -1 Ontopic A Interval 0",
            (26, 28),
            "`Publish` takes a whole number, 1 or more, not `-1`",
        ),
        (
            "Publisher writer Publish 0 Ontopic A Interval 0",
            (26, 27),
            "`Publish` takes a whole number, 1 or more, not `0`",
        ),
        (
            "Publisher writer Publish 1 Ontopic A Interval 1.5",
            (47, 50),
            "`Interval` takes a whole number, 0 or more, not `1.5`",
        ),
        (
            "Publisher writer Publish 200000 Ontopic A Interval 0",
            (1, 10),
            "the script publishes more than 100,000 events",
        ),
        ("Crash", (1, 6), "the line ends after `Crash`"),
        ("Crash b3", (7, 9), "there is no broker `b3`"),
        ("  Wait soon", (8, 12), "`Wait` takes a whole number, 0 or more, not `soon`"),
        ("Wait ٣", (6, 7), "`Wait` takes a whole number, 0 or more, not `٣`"),
        ("Status now", (8, 11), "`now` is one word too many"),
    ],
)
def test_a_mistake(line: str, columns: tuple[int, int], message: str) -> None:
    script = read_script(f"Status\n{line}\nStatus\n", NAMES)
    (problem,) = script.problems
    assert problem.message == message
    assert [tuple(place) for place in problem.span] == [(2, columns[0]), (2, columns[1])]
    assert problem.code == "MOM102"


_words = st.sampled_from(
    ["Subscriber", "Publisher", "reader", "Subscribe", "Publish", "9", "Ontopic", "A", "Interval", "Wait", "#", "Crash"]
)


@settings(max_examples=examples(500))
@given(st.one_of(st.text(), st.lists(st.lists(_words).map(" ".join)).map("\n".join)))
def test_whatever_it_says_each_line_is_a_step_or_a_mistake(text: str) -> None:
    script = read_script(text, NAMES)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    said = [one for one in lines if one.split() and not one.split()[0].startswith("#")]
    assert len(script.steps) + len(script.problems) == len(said)
    for problem in script.problems:
        line = lines[problem.span.start.line - 1]
        assert 1 <= problem.span.start.column < problem.span.end.column <= len(line) + 1
