"""A share of what ``scripts/count_mends.py`` counts: random damages are mended, proved, and by the fewest rows."""

from __future__ import annotations

import copy
import random
from itertools import islice

import networkx as nx
import pytest

from momlint.findings import Severity
from momlint.lint import Options
from tests.budget import ALL
from tests.mending.counting import DAMAGES, fewest, outcomes
from tests.mending.test_damages import DOUBLE, SINGLE, damaged, found, mend
from tests.routed.checks.recovery_estates import Row, plan

#: Estates for each number of damages.
_ESTATES = 100 if ALL else 3


@pytest.mark.parametrize("times", DAMAGES)
def test_mends_are_proved_and_smallest(times: int) -> None:
    told = list(islice(outcomes(random.Random(f"share {times}"), times), _ESTATES))
    assert not [one for one in told if one.is_worse]
    mended = [one for one in told if one.is_mended]
    assert len(mended) >= (SINGLE if times == 1 else DOUBLE) * len(told), [one.why for one in told if not one.is_mended]
    assert [one.rows for one in mended] == [one.fewest for one in mended]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_the_count_is_that_of_trying_all_changes(times: int) -> None:
    """The measure itself, held to another one, which takes its time."""
    rng = random.Random(f"measure {times}")
    counts = []
    for recovery, judge, _ in islice(damaged(rng, times, most=4), 40 if ALL else 6):
        colours = sorted(recovery.failures)
        if len(colours) > 5:
            continue
        by_trying = 0
        for pair in judge.right:
            rows = [row for row in recovery.rows if (row.broker, row.to) == pair]
            by_trying += judge.fewest(pair, copy.deepcopy(rows), colours, 2)
        assert fewest(judge, recovery.rows) == by_trying
        counts.append(by_trying)
    assert counts


def test_a_note_may_come_for_an_error_that_goes() -> None:
    """In a square there is one way around each link, so that the row that is missing is known. With it a message for 1
    can loop while brokers change to colour 2, which a note says; without it, it is lost."""
    recovery = plan(nx.cycle_graph([1, 2, 3, 4]), "single-link")
    right = recovery.text()
    (missing,) = [index for index, row in enumerate(recovery.rows) if row == Row(2, 1, 3, [2])]
    del recovery.rows[missing]
    text = recovery.text()
    before = {(one.severity, one.message) for one in found(text, Options())}
    mended, after = mend(text)
    row = "      - {to: 1, via: 3, colours: [2]}\n"
    assert row not in text
    assert sorted(after.splitlines()) == sorted(right.splitlines())
    assert [one.code for one in mended.gone if one.severity is Severity.ERROR] == ["MOM405"]
    new = {(one.severity, one.message) for one in found(after, Options())} - before
    assert {severity for severity, _ in new} == {Severity.NOTE}
