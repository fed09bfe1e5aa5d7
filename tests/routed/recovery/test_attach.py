"""``recovery: {file: …}``: an estate with its rows in another file, from the text to the overlay and to places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from momlint.estate import LoadedEstate, load_source, read_file
from momlint.findings import Position, Span
from momlint.routed.overlay import build_overlay
from momlint.routed.overlay.super_tables import FileRows
from momlint.routed.recovery.attach import attach_recovery
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.write import failures_yaml, write_recovery
from tests.routed.recovery.estates import triangle

HEAD = """\
momlint: 1
brokers: {1: , 2: , 3: }
links: [{between: [1, 2]}, {between: [1, 3]}, {between: [2, 3]}]
"""
COLOURS = "  colours: {1: [], 2: [1--2], 3: [1--3], 4: [2--3]}\n"


def load(path: Path) -> LoadedEstate:
    (loaded,) = load_source(read_file(str(path)))
    attach_recovery(loaded)
    return loaded


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("form", ["listed", "except"])
def test_a_plan_in_a_file_is_the_plan_in_the_yaml(tmp_path: Path, ending: str, form) -> None:  # type: ignore[no-untyped-def]
    estate = triangle()
    made = plan(estate)
    table = made.table()
    (tmp_path / "inline.yaml").write_text(HEAD + "".join(failures_yaml(estate, made, table, form=form)))
    (tmp_path / "filed.yaml").write_text(HEAD + "".join(failures_yaml(estate, made, None, f"rows.{ending}")))
    names = [colour.name for colour in made.colours]
    write_recovery(str(tmp_path / f"rows.{ending}"), table, ["1", "2", "3"], names, form)
    inline, filed = load(tmp_path / "inline.yaml"), load(tmp_path / "filed.yaml")
    assert inline.problems == filed.problems == []
    assert inline.estate is not None
    assert filed.estate is not None
    one, other = build_overlay(inline.estate), build_overlay(filed.estate)
    for field in ("base", "base_row", "delta_key", "delta_next", "delta_row", "failed_link"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field
    rows = filed.estate.recovery_rows
    assert isinstance(rows, FileRows)
    assert inline.estate.recovery_rows is not None
    for row, given in zip(rows, inline.estate.recovery_rows, strict=True):
        assert (row.location, row.destination, row.via) == (given.location, given.destination, given.via)
        assert set(row.colours) ^ (set(range(4)) if row.inverted else set()) == set(given.colours) ^ (
            set(range(4)) if given.inverted else set()
        )
    assert rows.first_of() == {0: 0, 1: 4, 2: 8}
    assert [row.place.path for row in rows[2:4]] == ([(4,), (5,)] if ending == "csv" else [(3,), (4,)])
    file, span, _ = filed.locate(rows[2].place)
    assert file.endswith(f"rows.{ending}")
    line = "1,2,3,2" if form == "listed" else "1,2,3,2,"
    start = Position(4, 1) if ending == "csv" else Position(3, 1)
    assert span == Span(start, Position(start.line, 1 + len(line) if ending == "csv" else 1))


def test_what_is_wrong_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("broker,to,via,colours\n1,2,2,1 9\n1,3,3,9\n7,1,1,1\n")
    path = tmp_path / "a.yaml"
    path.write_text(HEAD + "failures:\n" + COLOURS + "  recovery: {file: rows.csv}\n")
    loaded = load(path)
    rows = str(tmp_path / "rows.csv")
    assert [(p.code, p.message, p.file, p.span) for p in loaded.problems] == [
        ("MOM102", "colour `9` is not declared (in 2 lines)", rows, Span(Position(2, 1), Position(2, 10))),
        ("MOM104", "broker `7` is not declared", rows, Span(Position(4, 1), Position(4, 8))),
    ]
    assert loaded.estate is not None
    assert "failures.recovery" in loaded.estate.incomplete


def test_a_file_that_is_not_there_is_told_at_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HEAD + "failures:\n" + COLOURS + "  recovery: {file: rows.parquet}\n")
    loaded = load(path)
    (problem,) = loaded.problems
    assert problem.message == f"`{tmp_path}/rows.parquet` cannot be read: no such file or directory"
    assert (problem.file, problem.span.start) == (str(path), Position(6, 20))
    assert loaded.estate is not None
    assert loaded.estate.incomplete >= {"failures.recovery"}
    assert loaded.estate.recovery_rows is not None
    assert len(loaded.estate.recovery_rows) == 0


def test_rows_without_colours_in_the_estate(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HEAD + "failures:\n  recovery: {file: rows.csv}\n")
    loaded = load(path)
    (problem,) = loaded.problems
    assert problem.message == "`recovery` names colours, but the estate declares none"
    assert problem.span.start == Position(5, 3)


def test_rows_with_except_in_the_yaml(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    recovery = "  recovery:\n    1:\n      - {to: 2, via: 2, except: [2, x]}\n      - {to: 3, via: 3, except: []}\n"
    path.write_text(HEAD + "failures:\n" + COLOURS + recovery)
    loaded = load(path)
    assert [(p.message, p.span.start) for p in loaded.problems] == [
        ("colour `x` is not declared", Position(8, 37)),
    ]
    assert loaded.estate is not None
    assert loaded.estate.recovery_rows is not None
    assert [(row.colours, row.inverted) for row in loaded.estate.recovery_rows] == [((1,), True), ((), True)]


@pytest.mark.parametrize(
    ("row", "message", "column"),
    [
        ("{to: 2, via: 2, colours: [1], except: [2]}", "row 1 of broker `1` has both `colours` and `except`", 39),
        ("{to: 2, via: 2}", "row 1 of broker `1` lacks `colours`", 9),
    ],
)
def test_a_row_has_one_set_of_colours(tmp_path: Path, row: str, message: str, column: int) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HEAD + "failures:\n" + COLOURS + f"  recovery:\n    1:\n      - {row}\n")
    loaded = load(path)
    assert [(p.code, p.message, p.span.start) for p in loaded.problems] == [("MOM102", message, Position(8, column))]
