"""The report for people."""

import dataclasses
import re

import pytest

from momlint.findings import Affected, Finding, Proof, Related, Report, Summary
from momlint.report.text import render
from tests.report.sample import BLACK_HOLE, ISOLATED, SINGLE_POINT, report, span

EXPECTED = """\
error[MOM303] black-hole: broker `4` sends `5` to `6`, and it ends there
  --> six.mom.yaml:13:7
   |
12 |     4:
13 |       6: [5, 6]
   |       ^^^^^^^^^ `6` is no nearer to `5`
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
Not proved, see the errors: that 6 pairs of 4 topics arrive while nothing has failed; 2 engines agree (graph and smt).
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
        "Proved: 6 pairs of 4 topics arrive while nothing has failed; 2 engines agree (graph and smt).\n"
    )
    once = report(proof=Proof(engines=("graph",), questions=2, estates=1))
    assert render(once).endswith("arrive while nothing has failed; 1 engine (graph).\n")
    some = report(proof=Proof(engines=("graph", "smt"), questions=3, decided_twice=1, estates=1))
    assert render(some).endswith("; 2 engines (graph and smt), 1 of 3 questions decided twice.\n")
    unasked = report(proof=Proof(engines=("graph",), questions=1))
    assert render(unasked).endswith("\nNothing was proved: no selected rule asks whether messages arrive.\n")
    specs = report(proof=Proof(engines=("ctl",), questions=1, estates=1, specifications=1))
    assert render(specs).endswith("while nothing has failed; 1 specification holds; 1 engine (ctl).\n")


@pytest.mark.parametrize(
    ("colours", "promises", "kept", "said"),
    [
        (0, 0, 0, "while nothing has failed"),
        (2, 0, 0, "in the one declared colour"),
        (1, 0, 0, "while nothing has failed and in every declared colour"),
        (0, 1, 1, "while nothing has failed, and in every failure that `tolerate` promises"),
        (2, 2, 2, "in the one declared colour, and in every failure that `tolerate` promises"),
        # A promise that was not looked at, or not kept, is not claimed.
        (2, 2, 1, "in the one declared colour"),
    ],
)
def test_in_which_failures_it_was_proved(colours: int, promises: int, kept: int, said: str) -> None:
    proof = Proof(
        engines=("graph",), questions=1, estates=2, with_colours=colours, with_promise=promises, promise_kept=kept
    )
    assert render(report(proof=proof)).endswith(f"Proved: 6 pairs of 4 topics arrive {said}; 1 engine (graph).\n")


@pytest.mark.parametrize(
    ("healing", "keeping", "said"),
    [
        (1, 0, " (`after_failure: heal`)"),
        (0, 3, " (`after_failure: keep`)"),
        (2, 1, " (`after_failure`: `heal` in 2 and `keep` in 1)"),
    ],
)
def test_what_next_hops_were_taken_to_do_after_a_failure(healing: int, keeping: int, said: str) -> None:
    proof = Proof(engines=("graph",), questions=1, estates=1, with_colours=1, healing=healing, keeping=keeping)
    assert f"in the one declared colour{said}; 1 engine (graph).\n" in render(report(proof=proof))


def test_without_topics_all_pairs_are_judged() -> None:
    bare = report()
    bare.summary = dataclasses.replace(bare.summary, topics=0)
    assert "Proved: 6 pairs (no topics: all pairs are judged) arrive while" in render(bare)


def test_nothing_is_called_proved_that_was_not() -> None:
    assert render(Report()).splitlines() == [
        "No files were checked.",
        "Nothing was proved: there is no overlay to check.",
    ]
    unasked = render(report(proof=Proof())).splitlines()[-1]
    assert unasked == "Nothing was proved: no selected rule asks whether messages arrive."
    undecided = report()
    undecided.summary = dataclasses.replace(undecided.summary, undecided=1)
    assert render(undecided).startswith("Found 1 undecided in 1 file.\nNot proved, 1 of 2 questions undecided: ")


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


def test_of_places_that_say_the_same_the_first_is_shown() -> None:
    """Of the others the lines, with their files where one stands in another; both of two places are shown."""
    places = [("six.mom.yaml", 5), ("six.mom.yaml", 6), ("other.yaml", 9)]
    alike = [Related(file, span(line, 5, line, 6), "this row too") for file, line in places]
    twice = [Related("six.mom.yaml", span(line, 5, line, 6), "twice") for line in (7, 8)]
    text = render(report(dataclasses.replace(BLACK_HOLE, related=(alike[0], twice[0], *alike[1:], twice[1]))))
    assert text.count(":::") == 3
    assert "   = this row too: six.mom.yaml:6 and other.yaml:9\n" in text
    many = tuple(Related("six.mom.yaml", span(line, 1, line, 2), "here") for line in range(1, 21))
    text = render(report(dataclasses.replace(BLACK_HOLE, related=many)))
    assert text.count(":::") == 1
    assert "   = here: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 7 more\n" in text


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
    assert "50,000 pairs of 100,000 topics arrive" in render(big)
    affected = dataclasses.replace(
        BLACK_HOLE, affected=dataclasses.replace(BLACK_HOLE.affected, topics=tuple("abcdefgh"), pairs=1200)
    )
    assert "= affects: topics a, b, c, d, e and 3 more; 1,200 pairs" in render(report(affected))


def test_a_set_of_failures_as_witness() -> None:
    """The message names them; what is left to say is the colour."""
    text = render(report(SINGLE_POINT))
    assert text.count("1--2") == 1
    assert "  = colour: normal\n" in text


def test_the_walk_does_not_depend_on_the_message() -> None:
    told = dataclasses.replace(BLACK_HOLE, message="it ends at 6: 1 → 2 → 4 → 6")
    assert "= walk to 5: 1 → 2 → 4 → 6" in render(report(told))


def test_the_middle_of_a_long_walk_is_left_out() -> None:
    walk = tuple(f"b{i}" for i in range(100))
    long = dataclasses.replace(BLACK_HOLE, witness=dataclasses.replace(BLACK_HOLE.witness, walk=walk))
    (line,) = (line for line in render(report(long)).splitlines() if "walk to" in line)
    assert "b19 → … 60 more … → b80" in line


def test_errors_come_first_and_notes_last() -> None:
    text = render(report(SINGLE_POINT, ISOLATED, BLACK_HOLE))
    assert [line.split("[")[0] for line in text.splitlines() if "[MOM" in line] == ["error", "warning", "note"]


def notes(*pairs: int) -> list[Finding]:
    """Notes about links l0, l1, …, at a line each, that cut so many pairs."""
    return [
        dataclasses.replace(
            SINGLE_POINT,
            span=span(1, i + 1, 1, i + 2),
            affected=Affected((), number),
            data={"kind": "link", "element": f"l{i}"},
        )
        for i, number in enumerate(pairs)
    ]


def test_notes_of_a_rule_are_one_block_what_cuts_most_first() -> None:
    text = render(report(BLACK_HOLE, *notes(2, 30, 7)))
    assert text.count("[MOM501]") == 1
    block = text[text.index("note[MOM501]") :].splitlines()
    assert block[:4] == [
        "note[MOM501] single-point-of-failure: 3 notes, those that cut most first",
        " --> six.mom.yaml",
        "  = link `l1` (line 1, 30 pairs), link `l2` (line 1, 7 pairs), link `l0` (line 1, 2 pairs)",
        "  = see: momlint explain MOM501; --notes full shows each in its place",
    ]
    assert text.index("error[MOM303]") < text.index("note[MOM501]")
    assert render(report(*notes(2, 30, 7)), notes="full").count("note[MOM501]") == 3


def test_a_block_of_notes_ends_somewhere() -> None:
    block = render(report(*notes(*range(1, 501)))).splitlines()
    assert len(block) < 20
    shown = sum(line.count("link `l") for line in block)
    assert f"  = and {500 - shown} more" in block


def test_a_label_without_room_stands_below_its_mark() -> None:
    text = render(report(dataclasses.replace(BLACK_HOLE, label="x" * 40)), width=50)
    lines = text.splitlines()
    # The mark begins in column 12; there the label would end beyond 50, so it begins one before.
    below = lines.index("   |" + " " * 6 + "x" * 40)
    assert lines[below - 1] == "   |       ^^^^^^^^^"


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
