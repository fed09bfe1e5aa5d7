"""Several documents in a file: none hides another."""

from __future__ import annotations

import pytest

from tests.source.reading import at, plain, read


def indices(text: str) -> list[int]:
    return [document.index for document in read(text).documents]


@pytest.mark.parametrize("text", ["", "\n", "  \n\n", "# only a comment\n", "\ufeff", "\ufeff# c", "\r\n"])
def test_nothing(text: str) -> None:
    source = read(text)
    assert (source.documents, source.problems, source.unreadable) == ([], [], 0)


def test_empty_documents() -> None:
    documents = read("---\n# c\n---\na: 1\n---\n").documents
    assert [document.root is None for document in documents] == [True, False, True]
    assert [at(document.span) for document in documents] == ["1:1-1:4", "4:1-4:5", "5:1-5:4"]


def test_documents_have_their_own_anchors_and_places() -> None:
    source = read("a: &x 1\n--- # c\nb: 2\n...\n---\n- 3\n")
    assert source.problems == []
    assert [plain(document.root) for document in source.documents if document.root] == [[("a", 1)], [("b", 2)], [3]]
    assert [at(document.span) for document in source.documents] == ["1:1-1:8", "3:1-3:5", "6:1-6:4"]


def test_a_document_may_follow_three_dots_without_a_marker() -> None:
    source = read("a: 1\n...\nb: 2\n...\n# c\n- 3\n")
    assert source.problems == []
    assert [at(document.span) for document in source.documents] == ["1:1-1:5", "3:1-3:5", "6:1-6:4"]


@pytest.mark.parametrize(
    "broken",
    ["a: [1, 2", "a: {b: 1", "a: 'b", 'a: "b', "a: b: c", "a: @b", "\ta: 1", "- a\nb: 1", "a\nb: 1", "a: *b", "&a [*a]",
     "  a: 1\nb: 2", "[a]]", "%FOO\n", "!x!y z", "a: |3\n   x\n  y: 1", "a: {{ x }}", "{% if x %}\na: 1\n{% endif %}"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_broken_document_hides_no_other(broken: str, end: str) -> None:
    text = f"first: 1\n---\n{broken}\n---\nlast: 1\nlist:\n  - x\n".replace("\n", end)
    source = read(text)
    assert len(source.problems) == 1
    assert source.unreadable >= 1
    first, last = source.documents[0], source.documents[-1]
    assert first.root is not None
    assert last.root is not None
    assert plain(first.root) == [("first", 1)]
    assert plain(last.root) == [("last", 1), ("list", ["x"])]
    lines = broken.count("\n") + 1
    assert at(last.locate(("list", 0)).span) == f"{lines + 6}:5-{lines + 6}:6"


def test_each_broken_document_has_its_own_problem() -> None:
    source = read("a: [\n---\nb: 'c\n---\nd: 1\n---\ne: f: g\n")
    assert [at(problem.span) for problem in source.problems] == ["1:4-1:5", "3:4-3:5", "7:5-7:6"]
    assert [document.index for document in source.documents] == [2]
    assert source.unreadable == 3


def test_what_follows_a_document_that_ended_too_early_breaks_it() -> None:
    # libyaml would give the first line as a document of its own.
    source = read("  a: 1\nb: 2\n---\nc: 3\n")
    assert [at(problem.span) for problem in source.problems] == ["2:1-2:2"]
    assert [document.index for document in source.documents] == [1]


def test_dashes_inside_a_value_start_no_document() -> None:
    source = read("a: [\n---\nb: |\n  ---\n ---\nc: ----\n")
    assert [document.index for document in source.documents] == []
    assert [at(problem.span) for problem in source.problems] == ["1:4-1:5", "5:2-5:5"]
    assert indices("a: |\n  ---\n  x\nb: '--- '\n---\nc: 1\n") == [0, 1]
