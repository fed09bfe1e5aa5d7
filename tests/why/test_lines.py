"""The lines of a verdict, against brute force: every change of every row and link of small random estates."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

import pytest

from momlint.access import Access
from momlint.estate.load import LoadedEstate
from momlint.estate.opening import open_bytes
from momlint.routed.overlay import build_overlay
from momlint.routed.why.answers import Answer, answer
from momlint.routed.why.lines import Line
from momlint.routed.why.question import Question
from tests.budget import examples
from tests.why.estates import Estate, Mode, random_estate

MODES: tuple[Mode, ...] = ("recovery", "tables", "links", "both")


def loaded_of(estate: Estate) -> LoadedEstate:
    (loaded,) = open_bytes(estate.text().encode(), "a.yaml", Access.of("a.yaml")).estates
    assert loaded.estate is not None
    assert not loaded.problems, (estate.text(), loaded.problems)
    return loaded


def answers(estate: Estate, engine: str = "graph") -> Iterator[tuple[int, int, int, Answer]]:
    loaded = loaded_of(estate)
    assert loaded.estate is not None
    overlay = build_overlay(loaded.estate)
    for colour in range(len(estate.colours)):
        for source, dest in itertools.permutations(range(estate.n), 2):
            question = Question(loaded.estate, overlay, colour, source, dest)
            yield source, dest, colour, answer(loaded, question, engine, 60)  # type: ignore[arg-type]


def place_of(estate: Estate, line: Line) -> tuple[str, int]:
    """What the line of the text is: a row or a link with its index, told by what is written there."""
    lines = estate.text().splitlines()
    text = lines[line.span.start.line - 1]
    if line.kind == "link":
        found = re.search(r"id: k([0-9]+),", text)
        assert found is not None
        return "link", int(found[1])
    if line.kind == "colour":
        return "colour", int(text.strip().partition(":")[0][1:])
    above = lines[: line.span.start.line]
    at = next(int(one.strip()[:-1]) for one in reversed(above) if re.fullmatch(r"    [0-9]+:", one))
    if estate.mode == "recovery":
        found = re.fullmatch(r"      - \{to: ([0-9]), via: ([0-9]), colours: \[(.*)\]\}", text)
        assert found is not None
        wanted = (at, int(found[1]), int(found[2]), [int(one[1:]) for one in found[3].split(", ")])
    else:
        via = next(int(one.strip()[:-1]) for one in reversed(above) if re.fullmatch(r"      [0-9]+:", one))
        wanted = (at, int(text.strip()[2:]), via, None)
    for number, row in enumerate(estate.rows):
        if row is not None and (row.at, row.to, row.via, row.colours) == wanted:
            return "row", number
    raise AssertionError(line)


def check_pass(estate: Estate, source: int, dest: int, colour: int, found: Answer) -> None:
    told = {place_of(estate, line) for line in found.lines}
    assert ("colour", colour) in told
    for kind, items, changes in (("row", estate.rows, estate.row_changes), ("link", estate.links, estate.link_changes)):
        for number in range(len(items)):
            verdicts = [one.arrives(source, dest, colour) for one in changes(number)]
            what = (estate.text(), source, dest, colour, kind, number)
            assert ((kind, number) in told) == (not all(verdicts)), what
    for group in found.either:
        assert len(group) > 1
        without = [place_of(estate, line)[1] for line in group]
        one = random_copy(estate)
        for number in without:
            one.links[number] = None
        assert not one.arrives(source, dest, colour)
        assert not told & {("link", number) for number in without}


def random_copy(estate: Estate) -> Estate:
    return Estate(estate.n, estate.mode, list(estate.links), list(estate.rows), list(estate.colours), estate.stubs)


def check_failure(estate: Estate, source: int, dest: int, colour: int, found: Answer) -> None:
    way = [int(one) for one in found.way]
    kinds = [line.kind for line in found.lines]
    assert found.lines
    if "colour" in kinds or "new-link" in kinds:
        assert not estate.connected(source, dest, colour)
        if "new-link" not in kinds:
            assert estate.connected(source, dest, None)
        return
    # What is told, done: the next hops along the way, at as many places as there are lines.
    hops = dict(itertools.pairwise(way))
    changed = {int(line.name.split()[-3]) for line in found.lines}
    assert estate.arrives(source, dest, colour, {at: hops[at] for at in changed})
    for line in found.lines:
        if line.kind == "row":
            kind, number = place_of(estate, line)
            row = estate.rows[number]
            assert row is not None
            assert (kind, row.at in changed, row.to) == ("row", True, dest)
    # Fewer do not do, whatever is written there.
    others = [one for one in range(estate.n) if one != dest]
    for size in range(len(changed)):
        for places in itertools.combinations(others, size):
            for vias in itertools.product(range(estate.n), repeat=size):
                instead = dict(zip(places, vias, strict=True))
                assert not estate.arrives(source, dest, colour, instead), (estate.text(), source, dest, colour, instead)


def check_estates(rng: random.Random, mode: Mode, number: int, most: int) -> None:
    verdicts = {True: 0, False: 0}
    for _ in range(number):
        estate = random_estate(rng, mode, most)
        for source, dest, colour, found in answers(estate):
            assert found.arrives == estate.arrives(source, dest, colour), (estate.text(), source, dest, colour)
            verdicts[found.arrives] += 1
            (check_pass if found.arrives else check_failure)(estate, source, dest, colour, found)
    assert min(verdicts.values()) > number


@pytest.mark.parametrize("mode", MODES)
def test_a_line_is_told_where_its_change_can_stop_the_message(mode: Mode) -> None:
    check_estates(random.Random(f"small {mode}"), mode, examples(30), 3)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_line_is_told_where_its_change_can_stop_the_message_of_larger_estates(mode: Mode) -> None:
    check_estates(random.Random(f"lines {mode}"), mode, 6, 5)


@pytest.mark.parametrize("mode", ["recovery", "tables", "links"])
def test_cores_name_the_same_lines(mode: Mode) -> None:
    rng = random.Random(f"cores {mode}")
    for _ in range(examples(10)):
        estate = random_estate(rng, mode)
        for (*_, by_graph), (*_, by_smt) in zip(answers(estate), answers(estate, "smt"), strict=True):
            assert by_smt == by_graph
