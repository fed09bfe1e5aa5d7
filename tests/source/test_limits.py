"""Alias bombs, depth, merges of merges, and inputs made to be slow."""

from __future__ import annotations

import time

import pytest

from momlint.source import ReadingLimits, read_source
from tests.source.reading import at, read


def bomb(width: int, height: int) -> str:
    lines = ["a0: &a0 [" + ", ".join(["x"] * width) + "]"]
    lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * width) + "]" for i in range(1, height)]
    return "\n".join(lines) + "\n"


def test_an_alias_bomb_is_refused_and_hides_no_other_document() -> None:
    source = read(bomb(9, 12) + "---\nok: 1\n")
    (problem,) = source.problems
    assert problem.code == "MOM101"
    assert "the aliases of this file stand for more than 5,000,000 values" in problem.message
    assert [document.index for document in source.documents] == [1]


def test_where_a_budget_is_exceeded() -> None:
    # An alias of [x, x, x] stands for 4 nodes, one of a list of three such aliases for 13.
    text = bomb(3, 3)
    assert read_source(text.encode(), "a", limits=ReadingLimits(alias_nodes=3 * 4 + 3 * 13)).problems == []
    (problem,) = read_source(text.encode(), "a", limits=ReadingLimits(alias_nodes=3 * 4 + 3 * 13 - 1)).problems
    assert at(problem.span) == "3:20-3:23"


def test_the_budget_is_one_for_the_whole_file() -> None:
    text = "- &a [x, x]\n- *a\n---\n- &a [x, x]\n- *a\n"
    assert read_source(text.encode(), "a", limits=ReadingLimits(alias_nodes=6)).problems == []
    (problem,) = read_source(text.encode(), "a", limits=ReadingLimits(alias_nodes=5)).problems
    assert at(problem.span) == "5:3-5:5"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("[[[[1]]]]", "1:4-1:5"),
        ("a:\n b:\n  c:\n   d: 1\n", "4:4-4:5"),
        ("- - - - a\n", "1:7-1:8"),
        ("a: &x [[1]]\nb: [*x]\n", "2:5-2:7"),
        ("a: &x [1]\nb: &y [*x]\nc: [*y]\n", "3:5-3:7"),
    ],
)
def test_depth(text: str, span: str) -> None:
    (problem,) = read_source(text.encode(), "a", limits=ReadingLimits(depth=3)).problems
    assert (problem.code, at(problem.span)) == ("MOM101", span)
    assert "nested more than 3 deep" in problem.message
    assert read_source(text.encode(), "a", limits=ReadingLimits(depth=4)).problems == []


def test_merges_of_merges() -> None:
    text = "{<<: " * 20 + "{a: 1, b: 2, c: 3}" + "}" * 20
    assert read_source(text.encode(), "a", limits=ReadingLimits(merged_entries=60)).problems == []
    (problem,) = read_source(text.encode(), "a", limits=ReadingLimits(merged_entries=59)).problems
    assert at(problem.span) == "1:2-1:4"
    assert "merge keys of this file bring together more than 59 entries" in problem.message


SLOW = {
    "open lists": "[" * 300_000,
    "open mappings": "{" * 300_000,
    "block mappings": "\n".join(" " * i + "a:" for i in range(1000)),
    "dashes": "- " * 100_000,
    "question marks": "? " * 100_000,
    "chain of aliases": "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 5000)),
    "chain of merges": "a0: &a0 {k: 1}\n"
    + "".join(f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: 1}}\n" for i in range(1, 5000)),
    "inline merges": "{<<: " * 98 + "{" + ",".join(f"k{i}: 1" for i in range(20_000)) + "}" * 99,
    "broken documents": "---\na: [\n" * 3000,
    "unclosed quotes": '---\na: "\n' * 3000,
    "documents after dots": "a\n...\n" * 3000,
    "braces in a value": 'a: "' + "{{" * 300_000 + '"\n',
    "placeholders on one line": "a: '" + "{{ x }} # " * 30_000 + "'",
    "placeholders on one broken line": "a: b: '" + "{{ x }} # " * 30_000,
    "unclosed placeholders": "{% " * 100_000,
    "comment lines": "# momlint: ignore[X]\n" * 10_000,
    "comments on one line": "# momlint: ignore[X] " * 10_000,
    "hashes": "a: b: '" + " #" * 200_000,
    "apostrophes": "a: b: " + " 'a" * 100_000,
    "empty values": "{" + "a , " * 20_000 + "}",
    "undefined aliases": "[" + "*a," * 20_000 + "]",
    "anchors": "[" + "&x a," * 30_000 + "]",
    "space behind a tag": "!" + " \n" * 200_000 + "a",
    "comments behind an anchor": "&a " + "#\n " * 100_000 + "b",
    "blank lines": "a: |\n" + "\n" * 300_000,
    "block scalars": "a: |\n\n\n" * 20_000,
    "carriage returns": "\r" * 300_000 + "a: 1",
    "control characters": "\x01" * 300_000,
    "old line ends": "\x85" * 300_000,
    "long key": "a" * 500_000 + ": 1",
    "one long line of words": "momlint:" * 100_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_no_input_is_unlucky(name: str) -> None:
    started = time.process_time()
    read(SLOW[name])
    # Each takes well under a second; anything quadratic would take minutes.
    assert time.process_time() - started < 10
