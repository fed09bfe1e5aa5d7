"""A reader: a function from bytes to a `Source`, and a line that registers it. Here JSON, by offsets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from momlint.findings import Position, Problem, Span
from momlint.lint import Options, lint_file, merge
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode, Source, Tree
from momlint.source.decoding import Text, decode
from momlint.source.readers import READERS


class Json:
    """A recursive reader of JSON that keeps where everything stands."""

    def __init__(self, text: Text) -> None:
        self.text, self.at = text, 0

    def blank(self, *passed: str) -> None:
        while self.text.text[self.at].isspace() or self.text.text[self.at] in passed:
            self.at += 1

    def scalar(self) -> ScalarNode:
        value, end = json.JSONDecoder().raw_decode(self.text.text, self.at)
        written = self.text.text[self.at : end]
        quote = '"' if isinstance(value, str) else ""
        node = ScalarNode(value if quote else written, quote, *self.text.place(self.at), *self.text.place(end))
        self.at = end
        return node

    def node(self) -> Node:
        self.blank()
        opener = self.text.text[self.at]
        if opener not in "{[":
            return self.scalar()
        found = (MappingNode if opener == "{" else SequenceNode)(*self.text.place(self.at))
        self.at += 1
        self.blank()
        while self.text.text[self.at] not in "}]":
            found.children.append(self.node())
            self.blank(",", ":")
        self.at += 1
        found.end_line, found.end_column = self.text.place(self.at)
        return found


def read_json(data: bytes, file: str) -> Source:
    """See `momlint.source.readers.Reader`."""
    text, problems, _ = decode(data)
    try:
        json.loads(text.text)
    except ValueError as error:
        start = Position(getattr(error, "lineno", 1), getattr(error, "colno", 1))
        return Source(file, text, [], [*problems, Problem("MOM101", Span(start, start), f"no JSON: {error}")], [], 1)
    root = Json(text).node()
    return Source(file, text, [Tree(root, 0, root.span)], problems, [], 0)


LOOP = """\
{"momlint": 1,
 "brokers": {"1": null, "2": null, "3": null},
 "links": [{"between": ["1", "2"]}, {"between": ["2", "3"]}],
 "topics": {"weather": {"publishers": ["1"], "subscribers": ["3"]}},
 "routing": {"protocol": "tables", "tables": {
   "1": {"2": ["3"]},
   "2": {"1": ["3"]}}}}
"""


@pytest.fixture
def json_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, ".overlay.json", read_json)


def spans(path: Path, code: str) -> list[tuple[Span, str]]:
    report = merge([lint_file(str(path), Options(select=(code,)))], Options())
    return [(one.span, report.sources[one.file][one.span.start.line - 1]) for one in report.findings]


@pytest.mark.usefixtures("json_is_read")
def test_a_loop_is_found_at_its_row(tmp_path: Path) -> None:
    path = tmp_path / "estate.overlay.json"
    path.write_text(LOOP)
    assert spans(path, "MOM302") == [(Span(Position(7, 10), Position(7, 20)), '   "2": {"1": ["3"]}}}}')]


@pytest.mark.usefixtures("json_is_read")
def test_what_is_no_json_is_told_where(tmp_path: Path) -> None:
    path = tmp_path / "estate.overlay.json"
    path.write_text('{"momlint": 1,\n "brokers": }')
    assert [span for span, _ in spans(path, "MOM101")] == [Span(Position(2, 13), Position(2, 13))]


@pytest.mark.usefixtures("json_is_read")
def test_yaml_may_include_it(tmp_path: Path) -> None:
    (tmp_path / "tables.overlay.json").write_text('{"routing": {"tables": {\n  "a": {"b": ["z"]}}}}')
    path = tmp_path / "estate.yaml"
    path.write_text("momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\ninclude: [tables.overlay.json]\n")
    assert [span for span, _ in spans(path, "MOM104")] == [Span(Position(2, 15), Position(2, 18))]
