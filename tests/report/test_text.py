"""The report for people."""

import dataclasses
import re

from momlint.findings import Proof, Related, Report, Summary
from momlint.report.text import render
from tests.report.sample import BLACK_HOLE, ISOLATED, SINGLE_POINT, report, span

EXPECTED = """\
error[MOM303] black-hole: broker 4 sends what is for 5 to 6, where it stays
  --> six.mom.yaml:13:7
   |
12 |     4:
13 |       6: [5, 6]
   |       ^^^^^^^^^
   |
  ::: six.mom.yaml:3:36
   |
 3 | brokers: {1: , 2: , 3: , 4: , 5: , 6: }
   |                                    -- the message stops here
   |
   = walk to 5: 1 → 2 → 4 → 6
   = affects: topic A; 1 pair
   = help: let broker 4 send it to 5
   = see: https://example.org/rules/MOM303/

Found 1 error in 1 file.
Not proved, see the errors: 6 pairs (4 super-paths) on 6 brokers, 5 links, 1 colour and 4 topics; \
engines graph and smt, decided twice.
"""


def test_the_six_broker_fault_whole() -> None:
    assert render(report(BLACK_HOLE)) == EXPECTED


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render(report(BLACK_HOLE, ISOLATED)) == render(report(ISOLATED, BLACK_HOLE))


def test_colours_are_only_paint() -> None:
    plain = render(report(BLACK_HOLE, ISOLATED, SINGLE_POINT))
    painted = render(report(BLACK_HOLE, ISOLATED, SINGLE_POINT), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[MOM303]\x1b[0m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain


def test_what_was_proved() -> None:
    clean = render(report())
    assert clean == (
        "No findings in 1 file.\n"
        "Proved: 6 pairs (4 super-paths) on 6 brokers, 5 links, 1 colour and 4 topics; "
        "engines graph and smt, decided twice.\n"
    )
    once = report(proof=Proof(super_paths=1, engines=("graph",), questions=2))
    assert render(once).endswith("6 pairs (1 super-path) on 6 brokers, 5 links, 1 colour and 4 topics; engine graph.\n")
    some = report(proof=Proof(super_paths=1, engines=("graph", "smt"), questions=3, decided_twice=1))
    assert "engines graph and smt, 1 of 3 questions decided twice." in render(some)


def test_nothing_is_called_proved_that_was_not() -> None:
    assert render(Report()).splitlines() == [
        "No file was checked.",
        "Nothing was proved: there was no overlay to read.",
    ]
    unasked = render(report(proof=Proof())).splitlines()[-1]
    assert unasked.startswith("Nothing was proved: no question was put to an engine (6 brokers, 5 links")
    undecided = report()
    undecided.summary = dataclasses.replace(undecided.summary, undecided=1)
    assert render(undecided).startswith("Found 1 undecided in 1 file.\nNot all was decided (1 of 2 questions open)")


def test_quiet_leaves_only_the_findings() -> None:
    quiet = render(report(BLACK_HOLE), quiet=True)
    assert quiet == EXPECTED.partition("\nFound")[0]
    assert render(report(), quiet=True) == ""


def test_many_related_places_are_counted() -> None:
    many = dataclasses.replace(
        BLACK_HOLE, related=tuple(Related("six.mom.yaml", span(5, 5, 5, 6), f"place {i}") for i in range(8))
    )
    text = render(report(many))
    assert text.count(":::") == 5
    assert "= related: 3 more places" in text


def test_a_related_place_without_source_is_one_line() -> None:
    elsewhere = dataclasses.replace(BLACK_HOLE, related=(Related("gone.yaml", span(4, 2, 4, 3), "declared here"),))
    assert "  ::: gone.yaml:4:2: declared here\n" in render(report(elsewhere))


def test_what_an_estate_says_cannot_write_on_the_terminal() -> None:
    evil = dataclasses.replace(BLACK_HOLE, message="a\x1b]0;owned\x07\nb\u202e", file="\x1b[2J.yaml")
    text = render(report(evil))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "a\\x1b]0;owned\\x07\\nb\\u202e" in text


def test_counts_have_separators_and_long_lists_are_cut() -> None:
    big = report(summary=Summary(files=1, brokers=1000, links=2, colours=1, topics=100000, pairs=50000))
    assert "50,000 pairs (4 super-paths) on 1,000 brokers, 2 links, 1 colour and 100,000 topics" in render(big)
    affected = dataclasses.replace(
        BLACK_HOLE, affected=dataclasses.replace(BLACK_HOLE.affected, topics=tuple("abcdefgh"), pairs=1200)
    )
    assert "= affects: topics a, b, c, d, e and 3 more; 1,200 pairs" in render(report(affected))


def test_a_set_of_failures_as_witness() -> None:
    assert "= failing in colour normal: 1--2 cuts 1 from 2" in render(report(SINGLE_POINT))


def test_a_walk_is_not_told_twice() -> None:
    told = dataclasses.replace(BLACK_HOLE, message="it ends at 6: 1 → 2 → 4 → 6")
    assert render(report(told)).count("1 → 2 → 4 → 6") == 1
    other = dataclasses.replace(BLACK_HOLE, message="it ends at 6: 1 → 2 → 4")
    assert "= walk to 5: 1 → 2 → 4 → 6" in render(report(other))


def test_a_trace_is_shown_state_by_state() -> None:
    witness = dataclasses.replace(BLACK_HOLE.witness, trace=("1: loc = 1", "2: loc = 4", "and there it stays"))
    text = render(report(dataclasses.replace(BLACK_HOLE, message="it is false", witness=witness)))
    assert "= trace: 1: loc = 1\n" in text
    first, second, third = (line for line in text.splitlines() if "loc = " in line or "it stays" in line)
    assert first.index("1: loc") == second.index("2: loc") == third.index("and there")
    # The trace has the walk in it.
    assert "walk to" not in text
    many = dataclasses.replace(witness, trace=tuple(f"{i}: loc = {i}" for i in range(1, 101)))
    text = render(report(dataclasses.replace(BLACK_HOLE, witness=many)))
    assert "39: loc = 39" in text
    assert "… 61 more lines" in text
    assert "40: loc = 40" not in text
