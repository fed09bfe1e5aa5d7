"""Results as Arrow and back: nothing is lost, and the schema is what Spark was told."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momlint.findings import Affected, Finding, Position, Proof, Related, Section, Severity, Span, Summary, Witness
from momlint.fleet import columns
from momlint.fleet.parts import Answer, Times
from momlint.lint import FileResult

SPAN = Span(Position(3, 1), Position(3, 9))
FULL = FileResult(
    findings=[
        Finding(
            "MOM302",
            "forwarding-loop",
            Severity.ERROR,
            "a.yaml",
            SPAN,
            "message",
            "help",
            "url",
            Witness("2", "1", "3", ("1", "2", "1"), ("1--2",)),
            Affected(("weather",), 3),
            (Related("b.yaml", SPAN, "here"),),
            "label",
            {"broker": "4\udcff", "destinations": ("5", "6"), "rows": 2, "late": 1.5},
            (Related("b.yaml", SPAN, "a step"),),
        ),
        Finding("MOM201", "topic", Severity.WARNING, "odd\udcff.yaml", SPAN, "\x10 and \ud800"),
    ],
    summary=Summary(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    proof=Proof(("graph", "smt"), 3, 2, 1, 4, 3, 2, 1, 5, 6),
    sources={"b.yaml": ["one", ""], "a.yaml": []},
    suppressions={"a.yaml": [(3, ("MOM302", "MOM4"), SPAN)]},
    failure="unreadable",
    sections=[Section("title", ("line",))],
)


def there_and_back(kind: type[Any], values: list[Any]) -> list[Any]:
    batch = columns.batch(kind, list(enumerate(values)))
    assert batch.schema.equals(columns.schema(kind))
    found = list(columns.rows(kind, pa.Table.from_batches([batch])))
    assert [unit for unit, _ in found] == list(range(len(values)))
    return [value for _, value in found]


def test_a_file_result_comes_back_as_it_went() -> None:
    (full, empty) = there_and_back(FileResult, [FULL, FileResult()])
    assert full.findings == FULL.findings
    assert list(full.sources) == ["b.yaml", "a.yaml"]
    for field in dataclasses.fields(FileResult):
        if field.name != "sources":  # lines come back as tuples
            assert getattr(full, field.name) == getattr(FULL, field.name), field.name
    assert {name: list(lines) for name, lines in full.sources.items()} == FULL.sources
    assert empty.findings == []
    assert empty.failure is None


def test_arrays_come_back_with_their_types() -> None:
    failing = np.array([1, 1 << 40], np.int64)
    none = np.zeros(0, np.int64)
    answers = there_and_back(Answer, [Answer(failing), Answer(none, "gave up")])
    assert answers[0].failing.tolist() == failing.tolist()
    assert answers[0].failing.dtype == np.int64
    assert answers[1].undecided == "gave up"
    few = np.array([3, -1], np.int32)
    (times,) = there_and_back(Times, [Times(few, failing, none, few, few, few, few, failing, ("9" * 30,))])
    assert times.hops.dtype == np.int32
    assert times.large == ("9" * 30,)


def test_the_schema_of_findings() -> None:
    found = columns.schema(FileResult).field("findings").type.value_type
    position = pa.struct([("line", pa.int64()), ("column", pa.int64())])
    assert found.field("code").type == pa.string()
    assert found.field("span").type == pa.struct([("start", position), ("end", position)])
    assert found.field("affected").type == pa.struct([("topics", pa.list_(pa.string())), ("pairs", pa.int64())])


def test_another_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="not those of FileResult"):
        list(columns.rows(FileResult, pa.table({"unit": [1]})))


@given(st.text())
def test_any_text_survives(text: str) -> None:
    escaped = columns.escaped(text)
    escaped.encode()
    assert columns.unescaped(escaped) == text


@given(st.lists(st.sampled_from(["\udcff", "\x10", "a", "0041", "\ud800"])).map("".join))
def test_odd_text_survives(text: str) -> None:
    escaped = columns.escaped(text)
    escaped.encode()
    assert columns.unescaped(escaped) == text
