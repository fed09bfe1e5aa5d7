"""Duplicate keys, keys that are no text, merge keys, anchors and aliases."""

from __future__ import annotations

import pytest

from momlint.source import MappingNode
from tests.source.reading import at, child, keys, only_problem, plain, read, root_of


def test_every_duplicate_is_reported_and_the_first_counts() -> None:
    source = read("a: 1\nb: {c: 1, d: 2, c: 3}\n'a': 4\na: 5\n")
    assert [(p.code, at(p.span), at(p.related[0].span)) for p in source.problems] == [
        ("MOM103", "2:17-2:18", "2:5-2:6"),
        ("MOM103", "3:1-3:4", "1:1-1:2"),
        ("MOM103", "4:1-4:2", "1:1-1:2"),
    ]
    assert [p.related[0].file for p in source.problems] == ["a.yaml"] * 3
    assert source.problems[0].message == "the key `c` is given twice; the first one, on line 2, counts"
    (document,) = source.documents
    assert document.root is not None
    assert plain(document.root) == [("a", 1), ("b", [("c", 1), ("d", 2)])]


def test_of_two_merge_keys_the_first_counts_and_the_help_shows_a_list() -> None:
    source = read("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc:\n  <<: *a\n  <<: *b\nd: {'<<': 1, '<<': 2}\n")
    merge, quoted = source.problems
    assert (merge.code, at(merge.span), at(merge.related[0].span)) == ("MOM103", "5:3-5:5", "4:3-4:5")
    assert merge.message == "the merge key `<<` is given twice; the first one, on line 4, counts"
    assert merge.help == "merge both in one key: `<<: [*a, *b]`"
    # In quotes it is a key like any other.
    assert quoted.message == "the key `<<` is given twice; the first one, on line 6, counts"
    assert quoted.help == "remove or rename one of the two"
    (document,) = source.documents
    assert document.root is not None
    assert dict(plain(document.root))["c"] == [("x", 1)]


def test_keys_are_compared_as_text() -> None:
    assert only_problem('1: a\n"1": b\n').code == "MOM103"
    assert read("1: a\n01: b\n1.0: c\ntrue: d\nTrue: e\n").problems == []
    assert only_problem("~: a\n? '~'\n: b\n").code == "MOM103"


@pytest.mark.parametrize(
    ("text", "span", "what"),
    [
        ("[a, b]: 1\nc: 2\n", "1:1-1:7", "list"),
        ("{a: 1}: 1\nc: 2\n", "1:1-1:7", "mapping"),
        ("? - a\n  - b\n: 1\nc: 2\n", "1:3-2:6", "list"),
        ("? &x [a]\n: 1\nc: 2\n", "1:6-1:9", "list"),
        ("{? [a] : 1, c: 2}\n", "1:4-1:7", "list"),
    ],
)
def test_a_key_that_is_no_text(text: str, span: str, what: str) -> None:
    source = read(text)
    (problem,) = source.problems
    assert (problem.code, at(problem.span)) == ("MOM101", span)
    assert problem.message == f"a key must be a single word or text, not a {what}"
    assert source.documents[0].root is not None
    assert plain(source.documents[0].root) == [("c", 2)]


def test_an_alias_of_a_list_as_key() -> None:
    problem = only_problem("a: &x [1]\n*x : 2\n")
    assert (problem.code, at(problem.span)) == ("MOM101", "2:1-2:3")


def test_aliases_know_both_places() -> None:
    root = root_of("a: &all [x, y]\nb: *all\nc: [*all, z]\n*all2 : 1\n".replace("*all2", "d"))
    assert isinstance(root, MappingNode)
    first, second, third, _ = root.entries
    assert second.value is first.value
    assert at(first.value.span) == "1:9-1:15"
    assert first.alias is None
    assert second.alias is not None
    assert at(second.alias) == "2:4-2:8"
    assert at(second.span) == "2:1-2:8"
    sequence = third.value
    assert child(sequence, 0) is first.value
    assert at(sequence.alias(0)) == "3:5-3:9"
    assert sequence.alias(1) is None
    assert at(sequence.span) == "3:4-3:13"


def test_an_alias_as_the_last_child_ends_a_block() -> None:
    root = root_of("a: &x\n  b: 1\nc:\n  - *x\n\n# d\n")
    assert at(root.span) == "1:1-4:7"
    assert at(child(root, "c").span) == "4:3-4:7"


def test_an_alias_as_key_stands_where_it_is_written() -> None:
    root = root_of("a: &x b\n*x : 1\n")
    assert isinstance(root, MappingNode)
    assert keys(root) == ["a", "b"]
    assert at(root.entries[1].key.span) == "2:1-2:3"


def test_an_anchor_may_be_defined_again() -> None:
    assert plain(root_of("- &x 1\n- *x\n- &x 2\n- *x\n")) == [1, 1, 2, 2]


MERGE = """\
base: &b {x: 1, y: 2}
other: &o {y: 3, z: 4}
one:
  a: 0
  <<: *b
  y: 9
two: {<<: [*o, *b, {w: 5}]}
three: &t {<<: *b}
four: {<<: *t}
"""


def test_merge_keys() -> None:
    root = root_of(MERGE)
    assert plain(child(root, "one")) == [("a", 0), ("x", 1), ("y", 9)]
    assert plain(child(root, "two")) == [("y", 3), ("z", 4), ("x", 1), ("w", 5)]
    assert plain(child(root, "four")) == [("x", 1), ("y", 2)]


def test_merged_entries_know_both_places() -> None:
    root = root_of(MERGE)

    def places(name: str) -> list[tuple[str, str, list[str]]]:
        node = child(root, name)
        assert isinstance(node, MappingNode)
        return [(e.key.text, at(e.span), [at(span) for span in e.via]) for e in node.entries]

    assert places("one") == [("a", "4:3-4:7", []), ("x", "1:11-1:15", ["5:7-5:9"]), ("y", "6:3-6:7", [])]
    assert places("two") == [
        ("y", "2:12-2:16", ["7:12-7:14"]),
        ("z", "2:18-2:22", ["7:12-7:14"]),
        ("x", "1:11-1:15", ["7:16-7:18"]),
        ("w", "7:21-7:25", ["7:7-7:9"]),
    ]
    assert places("four") == [
        ("x", "1:11-1:15", ["9:12-9:14", "8:16-8:18"]),
        ("y", "1:17-1:21", ["9:12-9:14", "8:16-8:18"]),
    ]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a: {<<: 3}\n", "1:9-1:10"),
        ("a: {<<: [{b: 1}, c]}\n", "1:18-1:19"),
        ("a: &x 1\nb: {<<: *x}\n", "2:9-2:11"),
        ("a: &x [1]\nb: {<<: [*x]}\n", "2:10-2:12"),
        ("a:\n  <<:\n", "2:6-2:6"),
    ],
)
def test_a_merge_of_what_is_no_mapping(text: str, span: str) -> None:
    problem = only_problem(text)
    assert (problem.code, at(problem.span)) == ("MOM101", span)
    assert problem.message == "the merge key `<<` takes a mapping or a list of mappings"


def test_two_merge_keys_are_duplicates() -> None:
    problem = only_problem("a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\n  <<: *b\n")
    assert (problem.code, at(problem.span), at(problem.related[0].span)) == ("MOM103", "5:3-5:5", "4:3-4:5")


def test_a_quoted_merge_key_is_a_key() -> None:
    assert plain(root_of("'<<': {a: 1}\n")) == [("<<", [("a", 1)])]


def test_an_undefined_alias() -> None:
    source = read("a: &x 1\nb: *y\nc: {<<: *z, d: *x}\n---\ne: *x\n---\nf: 1\n")
    assert [(p.code, at(p.span)) for p in source.problems] == [
        ("MOM101", "2:4-2:6"),
        ("MOM101", "3:9-3:11"),
        ("MOM101", "5:4-5:6"),
    ]
    assert source.problems[0].message.startswith("the alias `*y` has no anchor")
    assert [document.index for document in source.documents] == [2]


@pytest.mark.parametrize(
    ("text", "span", "anchor"),
    [
        ("&a [1, *a]", "1:8-1:10", "1:1-1:3"),
        ("a: &x\n  - b: *x\n", "2:8-2:10", "1:4-1:6"),
        ("a: !!map &x {<<: *x}\n", "1:18-1:20", "1:10-1:12"),
    ],
)
def test_a_recursive_alias_is_refused(text: str, span: str, anchor: str) -> None:
    source = read(text)
    (problem,) = source.problems
    assert (problem.code, at(problem.span), at(problem.related[0].span)) == ("MOM101", span, anchor)
    assert "inside the value it names" in problem.message
    assert source.documents == []
