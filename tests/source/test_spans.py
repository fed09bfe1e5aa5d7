"""Where things stand; every place is counted by hand."""

from __future__ import annotations

import pytest

from momlint.source import MappingNode, SequenceNode
from tests.source.reading import at, child, read, root_of


@pytest.mark.parametrize(
    ("text", "key", "value", "entry"),
    [
        ("name: triangle\n", "1:1-1:5", "1:7-1:15", "1:1-1:15"),
        ("name:   'a b'  # c\n", "1:1-1:5", "1:9-1:14", "1:1-1:14"),
        ('"na me": "x"\n', "1:1-1:8", "1:10-1:13", "1:1-1:13"),
        ("  a: 1", "1:3-1:4", "1:6-1:7", "1:3-1:7"),
        ("{a: 1}", "1:2-1:3", "1:5-1:6", "1:2-1:6"),
        # A value on the next line, and one that goes on there.
        ("a:\n  b\n", "1:1-1:2", "2:3-2:4", "1:1-2:4"),
        ("a: b\n  c  # d\n", "1:1-1:2", "1:4-2:4", "1:1-2:4"),
        ('a: "b\n  c"\n', "1:1-1:2", "1:4-2:5", "1:1-2:5"),
        # Blocks of text end with their last line that has any.
        ("a: |\n  x\n  yz\n\n\nb: 1\n", "1:1-1:2", "1:4-3:5", "1:1-3:5"),
        ("a: >-\n  x\n# c\nb: 1\n", "1:1-1:2", "1:4-2:4", "1:1-2:4"),
        ("a: |2-\n", "1:1-1:2", "1:4-1:7", "1:1-1:7"),
        # Collections: brackets included; blocks up to the last child, not up to the next token.
        ("a: [1,\n 2 ]  # c\n", "1:1-1:2", "1:4-2:5", "1:1-2:5"),
        ("a: {b: 1}  \n", "1:1-1:2", "1:4-1:10", "1:1-1:10"),
        ("a:\n  - 1\n  - 23\n\n\n# c\nb: 1\n", "1:1-1:2", "2:3-3:7", "1:1-3:7"),
        ("a:\n- 1\n- 23\nb: 1\n", "1:1-1:2", "2:1-3:5", "1:1-3:5"),
        ("a:\n  b:\n    c: 12\n\nd: 1\n", "1:1-1:2", "2:3-3:10", "1:1-3:10"),
        # Nothing there: no width, behind the colon.
        ("a:\nb: 1\n", "1:1-1:2", "1:3-1:3", "1:1-1:3"),
        ("a:   # c\nb: 1\n", "1:1-1:2", "1:3-1:3", "1:1-1:3"),
        ("{a, b: 1}", "1:2-1:3", "1:3-1:3", "1:2-1:3"),
        ("{a :   , b: 1}", "1:2-1:3", "1:5-1:5", "1:2-1:5"),
        ("? a\n? b\n: 1\n", "1:3-1:4", "1:4-1:4", "1:3-1:4"),
        ("? a\n: b\n", "1:3-1:4", "2:3-2:4", "1:3-2:4"),
        # Anchors and tags are no part of the value.
        ("a: &x 12\n", "1:1-1:2", "1:7-1:9", "1:1-1:9"),
        ("a: !!str 12\n", "1:1-1:2", "1:10-1:12", "1:1-1:12"),
        ("a: &x !!str 12\n", "1:1-1:2", "1:13-1:15", "1:1-1:15"),
        ("a: !!str &x 12\n", "1:1-1:2", "1:13-1:15", "1:1-1:15"),
        ("a: !!str &x\nb: 1\n", "1:1-1:2", "1:12-1:12", "1:1-1:12"),
        ("a: !<tag:yaml.org,2002:str> 12\n", "1:1-1:2", "1:29-1:31", "1:1-1:31"),
        ("a: &x  [1]\n", "1:1-1:2", "1:8-1:11", "1:1-1:11"),
        ("a: &x # c\n  # d\n  b: 1\n", "1:1-1:2", "3:3-3:7", "1:1-3:7"),
        ("a: &x\n- 1\n", "1:1-1:2", "2:1-2:4", "1:1-2:4"),
        ("&x a: 1\n", "1:4-1:5", "1:7-1:8", "1:4-1:8"),
        ("a: &x:b c\n", "1:1-1:2", "1:6-1:10", "1:1-1:10"),  # the anchor is `x`, as libyaml has it
        # Columns are characters, whatever their bytes; a tab is one.
        ("größe: 你好 # c\n", "1:1-1:6", "1:8-1:10", "1:1-1:10"),
        ("😀: 😀😀\n", "1:1-1:2", "1:4-1:6", "1:1-1:6"),
        ("a:\tb\n", "1:1-1:2", "1:4-1:5", "1:1-1:5"),
    ],
)
def test_first_entry(text: str, key: str, value: str, entry: str) -> None:
    root = root_of(text)
    assert isinstance(root, MappingNode)
    first = root.entries[0]
    assert (at(first.key.span), at(first.value.span), at(first.span)) == (key, value, entry)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("- a\n-\n-  bc\n", ["1:3-1:4", "2:2-2:2", "3:4-3:6"]),
        ("[a, 'b' ,c]", ["1:2-1:3", "1:5-1:8", "1:10-1:11"]),
        ("- - a\n  - b\n- c\n", ["1:3-2:6", "3:3-3:4"]),
        ("- a: 1\n  b: 2\n\n- {}\n", ["1:3-2:7", "4:3-4:5"]),
        # A pair without braces ends with its value.
        ("[a: b , c]", ["1:2-1:6", "1:9-1:10"]),
        ("- |\n  x\n- y\n", ["1:3-2:4", "3:3-3:4"]),
    ],
)
def test_items(text: str, spans: list[str]) -> None:
    root = root_of(text)
    assert isinstance(root, SequenceNode)
    assert [at(item.span) for item in root.items] == spans


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(end: str, mark: str) -> None:
    text = mark + end.join(["a: b", "c:", "  - d", "  - 'e", "    f'", "g: |", "  h", ""])
    root = root_of(text)
    assert at(root.span) == "1:1-7:4"
    assert at(child(root, "a").span) == "1:4-1:5"
    assert at(child(root, "c").span) == "3:3-5:7"
    assert at(child(root, "c", 1).span) == "4:5-5:7"
    assert at(child(root, "g").span) == "6:4-7:4"
    assert read(text).lines == ["a: b", "c:", "  - d", "  - 'e", "    f'", "g: |", "  h"]


def test_line_ends_of_yaml_1_1_end_no_line() -> None:
    source = read("a: b\x85c\nd: 'e\u2028f\u2029'\ng: 1\n")
    (document,) = source.documents
    assert document.root is not None
    assert child(document.root, "a").text == "b\x85c"
    assert child(document.root, "d").text == "e\u2028f\u2029"
    assert at(child(document.root, "d").span) == "2:4-2:10"
    assert at(child(document.root, "g").span) == "3:4-3:5"
    assert source.lines == ["a: b\x85c", "d: 'e\u2028f\u2029'", "g: 1"]


def test_a_stand_in_for_old_line_ends_is_not_taken_from_the_text() -> None:
    # The stand-ins are private characters; here the text has the first choice itself, and as an escape.
    source = read('a: "\x85\U0010fffd"\nb: "\\U0010FFFC"\n')
    (document,) = source.documents
    assert document.root is not None
    assert child(document.root, "a").text == "\x85\U0010fffd"
    assert child(document.root, "b").text == "\U0010fffc"


def test_a_byte_order_mark_before_a_later_document() -> None:
    first, second = read("a: 1\n---\n\ufeffb: 1\n").documents
    assert first.root is not None
    assert second.root is not None
    assert at(child(second.root, "b").span) == "3:5-3:6"


def test_a_byte_order_mark_where_reading_starts_again() -> None:
    last = read("a: 1\n...\n\ufeff&x b\n").documents[-1]
    assert last.root is not None
    assert at(last.root.span) == "3:5-3:6"
