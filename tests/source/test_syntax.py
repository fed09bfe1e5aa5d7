"""Invalid YAML: plain words, the culprit, and where it stands."""

from __future__ import annotations

import pytest

from tests.source.reading import at, only_problem


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        # Tabs and special spaces.
        ("a:\n\tb: 1\n", "2:1-2:2", "a tab stands in the indentation, and YAML indents with spaces only"),
        ("a:\n  b: 1\n\t\tc: 1\n", "3:1-3:3", "a tab stands in the indentation, and YAML indents with spaces only"),
        ("a:\n  b: 1\n  \tc: 1\n", "3:3-3:4", "a tab stands in the indentation, and YAML indents with spaces only"),
        ("a:\n- b\n\t- c\n", "3:1-3:2", "a tab stands in the indentation, and YAML indents with spaces only"),
        ("a: |\n  b\n\tc\n", "3:1-3:2", "a tab stands in the indentation, and YAML indents with spaces only"),
        ("\ta: 1\n", "1:1-1:2", "a tab stands in the indentation, and YAML indents with spaces only"),
        (
            "a: 1\n  \u00a0\u00a0b: 2\n",
            "2:3-2:5",
            "a special space (U+00A0) stands in the indentation, and YAML reads it as text",
        ),
        ("a: 1\n\ufeff---\nb: 2\n", "2:1-2:2", "a byte order mark (U+FEFF) stands here, inside the file"),
        # Colons and keys.
        ("a: b: c\n", "1:5-1:6", "a second `:` on one line: the value before it looks like a key"),
        ("a: 1\nb: http: //x\n", "2:8-2:9", "a second `:` on one line: the value before it looks like a key"),
        ("foo\nbar: 1\n", "2:1-2:4", "`bar:` cannot be a key here: it continues the value of the line before"),
        ("a: 1\n b: 2\n", "2:2-2:3", "`b:` cannot be a key here: it continues the value of the line before"),
        ("a: 1\nfoo bar # c\nb: 2\n", "2:1-2:8", "`foo bar` stands where a key is expected, and no `:` follows it"),
        ("a: 1\nfoo\n", "2:1-2:4", "`foo` stands where a key is expected, and no `:` follows it"),
        ("{a: 1, b:}\n", "1:9-1:10", "a space is missing after this `:`"),
        # Indentation.
        (
            "a:\n  - b\n c: d\n",
            "3:2-3:3",
            "`c` does not fit the mapping of line 1: another key is expected here, in column 1",
        ),
        (
            "- a\nb: c\n",
            "2:1-2:2",
            "`b` does not fit the list of line 1: another `- ` is expected here, in column 1",
        ),
        (
            "x:\n    a: 1\n  b: 2\n",
            "3:3-3:4",
            "`b` does not fit the mapping of line 1: another key is expected here, in column 1",
        ),
        (
            "  a: 1\nb: 2\n",
            "2:1-2:2",
            "`b` does not belong to what stands before it: it is indented less, or a `---` is missing",
        ),
        ('a: "x" y\n', "1:8-1:9", "`y` cannot follow here: the value before it has already ended"),
        ("a: [1] b\n", "1:8-1:9", "`b` cannot follow here: the value before it has already ended"),
        ("a: - b\n", "1:4-1:5", "a list item `-` cannot start here, on the line of its key"),
        ("a: ? b\n", "1:4-1:5", "a key that starts with `?` cannot stand here"),
        # Brackets and quotes.
        ("a: [1, 2\n", "1:4-1:5", "the `[` is never closed: its `]` is missing"),
        ("a: [1, 2,\n", "1:4-1:5", "the `[` is never closed: its `]` is missing"),
        ("a: {b: 1\n# c\n", "1:4-1:5", "the `{` is never closed: its `}` is missing"),
        ("a: [\n  {b: 1},\n  {c: [1, 2},\n]\n", "3:12-3:13", "a `,` or `]` is missing before `}`"),
        ("a: [1, 2\nb: 3\n", "1:4-1:5", "the `[` is not closed before `b: 3` on line 2"),
        ("a: {b: 1\nc: 2\n", "1:4-1:5", "the `{` is not closed before `c: 2` on line 2"),
        ("a: {b: 1 c: 2}\n", "1:11-1:12", "a `,` or `}` is missing before `:`"),
        ("[a, b]]\n", "1:7-1:8", "`]` is left over: everything before it is complete"),
        ("a: ]\n", "1:4-1:5", "a value is missing before `]`"),
        ("[1,,2]\n", "1:4-1:5", "a value is missing before `,`"),
        ("a: 'b\nc: d\n", "1:4-1:5", "the quote ' is never closed"),
        ('a:\n  - "b\n', "2:5-2:6", 'the quote " is never closed'),
        # Signs that mean something else in YAML.
        ("a: @b\n", "1:4-1:5", "a plain value cannot start with `@`"),
        ("a: `b`\n", "1:4-1:5", "a plain value cannot start with ```"),
        ("a: %b\n", "1:4-1:5", "a plain value cannot start with `%`"),
        ("a: *.yaml\n", "1:4-1:10", "`*` starts an alias in YAML, but `*.yaml` is not one"),
        ("a: [&]\n", "1:5-1:6", "`&` starts an anchor in YAML, but `&` is not one"),
        ("a: !x!y z\n", "1:4-1:8", "`!x!y` is not a valid tag, and `!` starts a tag in YAML"),
        ("a: !<x y\n", "1:4-1:7", "`!<x` is not a valid tag, and `!` starts a tag in YAML"),
        ('a: "b\\qc"\n', "1:6-1:8", "`\\q` is not an escape sequence in YAML"),
        ('a: "b\\xZc"\n', "1:6-1:8", "`\\x` is not an escape sequence in YAML"),
        ('a: "\\ud800"\n', "1:5-1:11", "`\\ud800` is not an escape sequence in YAML"),
        ("a: |x\n  b\n", "1:4-1:6", "`|x` is not a valid start of a block of text"),
        ("a: |0\n  b\n", "1:4-1:6", "`|0` is not a valid start of a block of text"),
        (
            "%FOO bar\n--- a\n",
            "1:1-1:9",
            "`%FOO bar` is not a directive that YAML 1.2 allows here, but a line starting with `%` is read as one",
        ),
        ("%YAML 1.2\na: 1\n", "1:1-1:10", "the directive `%YAML 1.2` is not followed by a document"),
        ("%YAML 1.2\n", "1:1-1:10", "the directive `%YAML 1.2` is not followed by a document"),
        ("a: 1\n...\n%YAML 1.2\n# c\nb: 1\n", "3:1-3:10", "the directive `%YAML 1.2` is not followed by a document"),
        ("a: 1\n...\n%YAML 1.2", "3:1-3:10", "the directive `%YAML 1.2` is not followed by a document"),
        (
            "%YAML 2.0\n--- a\n",
            "1:1-1:10",
            "`%YAML 2.0` is not a directive that YAML 1.2 allows here, but a line starting with `%` is read as one",
        ),
    ],
)
def test_messages(text: str, span: str, message: str) -> None:
    problem = only_problem(text)
    assert (problem.code, problem.message, at(problem.span)) == ("MOM101", message, span)


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        ("a:\n  - b\n c: d\n", "1:1-1:1", "the mapping starts here, in column 1"),
        ("a: [1, 2\nb: 3\n", "2:1-2:5", "this was read as part of the list"),
        ("a: {b: 1 c: 2}\n", "1:4-1:5", "the mapping starts here"),
    ],
)
def test_the_other_place(text: str, span: str, message: str) -> None:
    (related,) = only_problem(text).related
    assert (related.file, at(related.span), related.message) == ("a.yaml", span, message)


def test_long_text_is_cut_short() -> None:
    problem = only_problem("a: 1\n" + "long " * 100 + "\n")
    assert problem.message.startswith("`" + "long " * 7 + "long…` stands where a key is expected")
    assert at(problem.span) == "2:1-2:500"
