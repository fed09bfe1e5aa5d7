"""MOM407 and what ``--explain-transients`` prints, by hand."""

from __future__ import annotations

import pytest

from momlint.lint import Options, lint_bytes, merge
from momlint.routed.checks import find_mixed_colour_loop
from momlint.routed.checks.explain_transients import explain
from momlint.routed.checks.find_mixed_colour_loop import find
from tests.routed.checks.timed_estates import context_of


def ring(colours: str, size: int = 4) -> str:
    links = ", ".join(f"{{between: [{at}, {at % size + 1}]}}" for at in range(1, size + 1))
    brokers = ", ".join(f"{at}: " for at in range(1, size + 1))
    return f"momlint: 1\nbrokers: {{{brokers}}}\nlinks: [{links}]\nfailures:\n  colours: {colours}\n"


def test_ring_of_four() -> None:
    """Normal, towards 1: 2 → 1, 3 → 2 (the smaller of two equal ways), 4 → 1; without 1--2: 2 → 3 → 4 → 1.

    So 2 may send to 3, which still sends to 2. Towards 2: 4 → 1 → 2 normally, 1 → 4 → 3 → 2 without the link.
    """
    (draft,) = find(context_of(ring("{a: [], b: [1--2]}")))
    assert draft.witness is not None
    assert (draft.witness.colour, draft.witness.destination, draft.witness.walk) == ("b", "1", ("2", "3", "2"))
    assert [one.message for one in draft.related] == ["colour `b`: 2 → 3 → 2, for `1`, and 1 other destination"]
    assert list(explain(context_of(ring("{a: [], b: [1--2]}")))) == [
        "colour b (1--2 failed): loops are possible for 2 destinations",
        "  towards 1: 2 → 3 → 2",
        "  towards 2: 1 → 4 → 1",
        "  order without loops: 4 → 1 → 3 → 2; back to normal: 2 → 3 → 1 → 4; others at any time",
    ]


def test_one_note_for_many_colours() -> None:
    """A ring of 24 with a colour for every link: each has loops; twenty are shown, all are counted."""
    colours = ", ".join(f"c{at}: [{at}--{at % 24 + 1}]" for at in range(1, 25))
    (draft,) = find(context_of(ring(f"{{ok: [], {colours}}}", 24)))
    assert len(draft.related) == find_mixed_colour_loop.RELATED_COLOURS
    assert draft.label.startswith("loops are possible in 24 of 25 colours")
    assert draft.data["colours"] == 24


def test_nothing_to_change_between() -> None:
    assert list(find(context_of(ring("{a: []}")))) == []
    assert list(explain(context_of(ring("{a: []}")))) == ["no loop is possible while brokers change between 1 colour"]
    bare = "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"
    assert list(explain(context_of(bare))) == ["no colours are declared, so brokers never change colour"]


CONFLICT = """\
momlint: 1
brokers: {1: , 2: , 3: , 4: }
links:
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
  - {between: [1, 4]}
  - {between: [2, 4]}
  - {between: [3, 4]}
failures:
  colours: {normal: [], other: [3--4]}
  recovery:
    1:
      - {to: 2, via: 2, colours: [normal, other]}
      - {to: 3, via: 3, colours: [normal]}
      - {to: 3, via: 2, colours: [other]}
      - {to: 4, via: 2, colours: [normal]}
      - {to: 4, via: 4, colours: [other]}
    2:
      - {to: 1, via: 1, colours: [normal, other]}
      - {to: 3, via: 1, colours: [normal]}
      - {to: 3, via: 3, colours: [other]}
      - {to: 4, via: 4, colours: [normal]}
      - {to: 4, via: 1, colours: [other]}
"""


def test_no_order() -> None:
    """Towards 3, 2 must turn away from 1 before 1 turns to it; towards 4, the other way round."""
    lines = list(explain(context_of(CONFLICT)))
    assert lines == [
        "colour other (3--4 failed): loops are possible for 2 destinations",
        "  towards 3: 1 → 2 → 1",
        "  towards 4: 1 → 2 → 1",
        "  order without loops: none: 1 must change before 2 (towards 4), 2 must change before 1 (towards 3)",
    ]


def test_only_on_the_way_back() -> None:
    """Normal 1 → 2 → 4; without 1--2, 1 → 4 and 2 → 3 → 1: the loop 1 → 2 → 3 → 1 needs the link that has failed."""
    text = """\
momlint: 1
brokers: {1: , 2: , 3: , 4: }
links: [{between: [1, 2]}, {between: [2, 4]}, {between: [2, 3]}, {between: [3, 1]}, {between: [1, 4]}]
failures:
  colours: {normal: [], cut: [1--2]}
  recovery:
    1: [{to: 4, via: 2, colours: [normal]}, {to: 4, via: 4, colours: [cut]}]
    2: [{to: 4, via: 4, colours: [normal]}, {to: 4, via: 3, colours: [cut]}]
    3: [{to: 4, via: 1, colours: [normal, cut]}]
"""
    assert list(explain(context_of(text))) == [
        "colour cut (1--2 failed): loops are possible for 1 destination",
        "  towards 4: 1 → 2 → 3 → 1 (only on the way back to normal)",
        "  order without loops: 1 → 2; back to normal: 2 → 1; others at any time",
    ]


def test_without_a_normal_colour_nothing_is_said() -> None:
    text = CONFLICT.replace("{normal: [], other: [3--4]}", "{normal: [1--2], other: [3--4]}")
    assert list(find(context_of(text))) == []
    assert list(explain(context_of(text))) == [
        "unknown: part of the estate could not be read, or no colour stands for the state without failures"
    ]


def test_a_cycle_that_does_not_replay_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_mixed_colour_loop, "closes", lambda *_: False)
    options = Options(select=("MOM407", "MOM902"), sections=("transients",))
    report = merge([lint_bytes(ring("{a: [], b: [1--2]}").encode(), "x.yaml", options)], options)
    assert {finding.code for finding in report.findings} == {"MOM902"}


def test_selection_gates_execution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_mixed_colour_loop, "loops_of", lambda *_: pytest.fail("looked for loops"))
    options = Options(ignore=("MOM407",))
    lint_bytes(ring("{a: [], b: [1--2]}").encode(), "x.yaml", options)
