"""Plans written and read back: YAML, CSV, Parquet; and what is said of files that are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.errors import UsageError
from momlint.estate import load_source
from momlint.estate.resolved import Broker, Link, Tolerate
from momlint.routed.overlay.super_tables import RecoveryTable, table_of_rows
from momlint.routed.recovery.parts import RecoveryProblem
from momlint.routed.recovery.planning import Plan, plan
from momlint.routed.recovery.quoting import cell_name, split_names, yaml_name
from momlint.routed.recovery.read import Recovery, read_recovery
from momlint.routed.recovery.write import failures_yaml, says_except, write_recovery
from momlint.source import read_source
from tests.routed.recovery.estates import NOWHERE, make_estate, random_estate, triangle

BROKERS = ["1", "2", "3"]
COLOURS = ["1", "2", "3", "4"]
HEADER = "broker,to,via,colours\n"


def same(one: RecoveryTable, other: RecoveryTable) -> bool:
    return one.colours == other.colours and all(
        np.array_equal(getattr(one, field), getattr(other, field))
        for field in ("broker", "to", "via", "inverted", "start", "listed")
    )


def csv(tmp_path: Path, text: str | bytes) -> Recovery:
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_recovery(str(path), BROKERS, COLOURS)


def parquet(tmp_path: Path, table: pa.Table, **options: object) -> Recovery:
    path = tmp_path / "rows.parquet"
    pq.write_table(table, path, **options)
    return read_recovery(str(path), BROKERS, COLOURS)


def named(made: Plan) -> list[str]:
    return [colour.name for colour in made.colours]


# -- there and back ----------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["csv", "parquet"]), st.sampled_from(["listed", "except", "auto"]))
def test_rows_come_back_as_they_were(tmp_path_factory, seed: int, ending: str, form) -> None:  # type: ignore[no-untyped-def]
    estate = random_estate(seed, Tolerate(links=1, brokers=1))
    made = plan(estate)
    table = made.table()
    path = str(tmp_path_factory.mktemp("rows") / f"rows.{ending}")
    brokers = [broker.id for broker in estate.brokers]
    write_recovery(path, table, brokers, named(made), form)
    found = read_recovery(path, brokers, named(made))
    assert found.problems == []
    assert found.complete
    assert not found.repeated.size
    assert same(found.table, table)
    assert found.unit == ("line" if ending == "csv" else "row")
    first = 2 if ending == "csv" else 1
    assert found.table.position.tolist() == list(range(first, first + table.rows))
    before = Path(path).read_bytes()
    write_recovery(path, table, brokers, named(made), form)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("form", ["listed", "except"])
def test_many_row_groups(tmp_path: Path, form, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("momlint.routed.recovery.write._GROUP", 50)
    estate = random_estate(5, Tolerate(links=1, brokers=1), most=12)
    made = plan(estate)
    table = made.table()
    path = str(tmp_path / "rows.parquet")
    brokers = [broker.id for broker in estate.brokers]
    write_recovery(path, table, brokers, named(made), form)
    assert pq.ParquetFile(path).num_row_groups > 3
    found = read_recovery(path, brokers, named(made))
    assert not found.problems
    assert same(found.table, table)
    assert found.table.position.tolist() == list(range(1, table.rows + 1))


def test_parquet_shows_texts_and_lists_of_texts(tmp_path: Path) -> None:
    made = plan(triangle())
    path = str(tmp_path / "rows.parquet")
    write_recovery(path, made.table(), BROKERS, named(made), "listed")
    found = pq.read_table(path)
    assert found.schema.field("broker").type == pa.string()
    assert found.schema.field("colours").type.value_type == pa.string()
    assert found.slice(0, 4).to_pylist() == [
        {"broker": "1", "to": "2", "via": "2", "colours": ["1", "3", "4"]},
        {"broker": "1", "to": "3", "via": "3", "colours": ["1", "2", "4"]},
        {"broker": "1", "to": "2", "via": "3", "colours": ["2"]},
        {"broker": "1", "to": "3", "via": "2", "colours": ["3"]},
    ]


def test_csv_lists_colours_with_a_space_between(tmp_path: Path) -> None:
    made = plan(triangle())
    write_recovery(str(tmp_path / "a.csv"), made.table(), BROKERS, named(made), "listed")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[:4] == ["broker,to,via,colours", "1,2,2,1 3 4", "1,3,3,1 2 4", "1,2,3,2"]
    write_recovery(str(tmp_path / "b.csv"), made.table(), BROKERS, named(made), "except")
    lines = (tmp_path / "b.csv").read_text().splitlines()
    assert lines[:4] == ["broker,to,via,colours,except", "1,2,2,,2", "1,3,3,,3", "1,2,3,2,"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["listed", "except"]), st.sampled_from([0, 1, 2]))
def test_the_section_is_read_back_by_the_language(seed: int, form, adopters: int) -> None:  # type: ignore[no-untyped-def]
    estate = random_estate(seed, Tolerate(links=1, brokers=1))
    if 0 < adopters < len(estate.brokers):
        # The later broker first: the order is that in which they are asked.
        estate.takeover = {0: tuple(range(adopters, 0, -1))}
    made = plan(estate)
    table = made.table()
    links = [
        {"id": link.id, **({"from": str(link.tail + 1), "to": str(link.head + 1)} if link.one_way else
         {"between": [str(link.tail + 1), str(link.head + 1)]})}
        for link in estate.links
    ]  # fmt: skip
    head = yaml.safe_dump({"momlint": 1, "brokers": {b.id: None for b in estate.brokers}, "links": links})
    section = "".join(failures_yaml(estate, made, table, form=form))
    (loaded,) = load_source(read_source((head + section).encode(), "a.yaml"))
    assert [p for p in loaded.problems if p.code != "MOM105"] == []
    back = loaded.estate
    assert back is not None
    assert back.tolerate == estate.tolerate
    assert back.takeover == estate.takeover
    assert [(c.name, c.failed_links, c.failed_brokers) for c in back.colours] == [
        (c.name, *c.failure) for c in made.colours
    ]
    assert same(table_of_rows(back.recovery_rows or (), len(back.colours)), table)


@pytest.mark.parametrize(("adopters", "written"), [((1,), "{1: 2}"), ((2, 1), "{1: [3, 2]}")])
def test_one_adopter_and_several(adopters: tuple[int, ...], written: str) -> None:
    estate = triangle()
    estate.takeover = {0: adopters}
    assert f"  takeover: {written}\n" in "".join(failures_yaml(estate, plan(estate), None))


def test_the_section_of_the_triangle_is_the_one_of_format_md() -> None:
    estate = triangle()
    made = plan(estate)
    section = "".join(failures_yaml(estate, made, made.table(), form="listed"))
    assert section.startswith(
        "failures:\n"
        "  tolerate: {links: 1, brokers: 0}\n"
        "  colours:\n"
        "    1: []\n"
        "    2: [1--2]\n"
        "    3: [1--3]\n"
        "    4: [2--3]\n"
        "  recovery:\n"
        "    1:\n"
        "      - {to: 2, via: 2, colours: [1, 3, 4]}\n"
        "      - {to: 3, via: 3, colours: [1, 2, 4]}\n"
        "      - {to: 2, via: 3, colours: [2]}\n"
        "      - {to: 3, via: 2, colours: [3]}\n"
        "    2:\n"
    )


def test_sets_are_said_the_shorter_way() -> None:
    """Six of the triangle's twelve rows hold in three of four colours."""
    table = plan(triangle()).table()
    assert table.set_sizes.sum() == 24
    assert says_except(table)
    assert not says_except(table, "listed")


# -- names -------------------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@given(st.lists(NAMES, max_size=4))
def test_any_names_come_back_from_a_cell(names: list[str]) -> None:
    assert split_names(" ".join(cell_name(name) for name in names)) == names


@given(
    st.lists(st.one_of(NAMES, st.sampled_from(["null", "~", "no", "010", "1.0", "a: b", "- a", "#", "a #b", "'", ""])))
)
def test_any_names_come_back_from_yaml(names: list[str]) -> None:
    names = [name for name in names if name]
    text = f"a: [{', '.join(yaml_name(name) for name in names)}]\n"
    source = read_source(text.encode(), "a.yaml")
    assert not source.problems
    (document,) = source.documents
    items = document.root.get("a").value.items  # type: ignore[union-attr]
    assert [item.text for item in items] == names
    assert all(item.value is not None for item in items)


@pytest.mark.parametrize(
    "cell", ["1 3 4", "1,3,4", "1;3;4", "1|3|4", " 1 , 3 , 4 ", "[1, 3, 4]", "['1', '3', '4']", '["1","3","4"]']
)
def test_cells_as_others_write_them(cell: str) -> None:
    assert split_names(cell) == ["1", "3", "4"]


def test_odd_names_go_through_files(tmp_path: Path) -> None:
    estate = make_estate(3, [(0, 1), (0, 2), (1, 2)], Tolerate(links=1))
    estate.brokers = [Broker(name, NOWHERE) for name in ("null", 'a "b", c', "ä\n€")]
    estate.links = [Link(f"link {index}", NOWHERE, link.tail, link.head) for index, link in enumerate(estate.links)]
    made = plan(estate)
    table = made.table()
    names = ["F(1,2)", "x y", "[z]", "'"]
    brokers = [broker.id for broker in estate.brokers]
    for ending in ("csv", "parquet"):
        path = str(tmp_path / f"a.{ending}")
        write_recovery(path, table, brokers, names)
        found = read_recovery(path, brokers, names)
        assert not found.problems
        assert same(found.table, table)
    section = "".join(failures_yaml(estate, made, table))
    assert list(yaml.safe_load(section)["failures"]["recovery"]) == brokers


def test_a_name_that_means_two_links_is_refused() -> None:
    estate = make_estate(3, [(0, 1), (0, 2), (1, 2)], Tolerate(links=1))
    estate.links = [*estate.links, Link("spare", NOWHERE, 0, 1)]
    made = plan(estate)
    with pytest.raises(UsageError, match="colour 2 cannot be written: `1--2` means more than one"):
        list(failures_yaml(estate, made, None))
    estate.brokers = [Broker("spare", NOWHERE), *estate.brokers[1:]]
    estate.tolerate = Tolerate(brokers=1)
    with pytest.raises(UsageError, match="`spare` means more than one link or broker"):
        list(failures_yaml(estate, plan(estate), None))


# -- CSV of others ---------------------------------------------------------------------------------------------------


def test_csv_positions_are_lines(tmp_path: Path) -> None:
    text = '\ufeffvia;"to";broker;note;colours\r\n2;2;1;"two\r\nlines";1 3\r\n\r\n3;3;1;;2\r\n'
    found = csv(tmp_path, text)
    assert not found.problems
    table = found.table
    assert table.position.tolist() == [2, 5]
    assert (table.broker.tolist(), table.to.tolist(), table.via.tolist()) == ([0, 0], [1, 2], [1, 2])
    assert [table.colours_of(row).tolist() for row in (0, 1)] == [[0, 2], [1]]


def test_unknown_names_are_told_once_with_the_first_line(tmp_path: Path) -> None:
    found = csv(tmp_path, HEADER + "1,2,2,1 9\n1,99,2,1\n1,99,2,9\n3,1,,2\n1,3,3,9\n")
    assert found.problems == [
        RecoveryProblem("MOM102", "colour `9` is not declared", "declare it under `failures.colours`", 2, 3),
        RecoveryProblem("MOM104", "broker `99` is not declared", "declare it under `brokers:`", 3, 2),
        RecoveryProblem("MOM102", "this line has nothing under `via`", "each line names one", 5, 1),
    ]
    assert not found.complete
    assert found.table.position.tolist() == [2]
    assert found.table.colours_of(0).tolist() == [0]


def test_near_names_are_offered(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "london,pariss,paris,blue\n")
    found = read_recovery(str(path), ["london", "paris"], ["blues"])
    assert [p.message for p in found.problems] == [
        "colour `blue` is not declared; did you mean `blues`?",
        "broker `pariss` is not declared; did you mean `paris`?",
    ]


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("", "recovery rows lack `broker`, `to`, `via`, `colours`; the columns here are none", 1),
        ("broker,to,colours\n1,2,3\n", "recovery rows lack `via`; the columns here are `broker`, `to`, `colours`", 1),
        ("broker,to,via,to,colours\n", "there are two columns `to`", 1),
        (HEADER + "1,2,2,1\n1,2,2,1,3\n", "this line has 5 fields, the first line 4", 3),
        (HEADER + '1,2,2,1\n1,"2"x,2,1\n', "this is not CSV: ',' expected after '\"'", 3),
        ("broker,to,via,colours,except\n1,2,2,1,2\n", "a row has `colours` or `except`, not both", 2),
    ],
)
def test_csv_that_is_wrong(tmp_path: Path, text: str, message: str, position: int) -> None:
    found = csv(tmp_path, text)
    assert [(p.code, p.message, p.position) for p in found.problems] == [("MOM102", message, position)]
    assert not found.complete


def test_rows_before_the_mistake_are_kept(tmp_path: Path) -> None:
    assert csv(tmp_path, HEADER + "1,2,2,1\n1,2\n").table.position.tolist() == [2]


def test_csv_in_many_pieces(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    made = plan(random_estate(5, Tolerate(links=1, brokers=1), most=12))
    brokers = [str(index + 1) for index in range(made.overlay.n)]
    table = made.table()
    write_recovery(str(tmp_path / "a.csv"), table, brokers, named(made))
    for limit in ("_CSV_ROWS", "_CSV_TEXT"):
        with monkeypatch.context() as patch:
            patch.setattr(f"momlint.routed.recovery.read.{limit}", 5)
            found = read_recovery(str(tmp_path / "a.csv"), brokers, named(made))
        assert same(found.table, table)
        assert found.table.position.tolist() == list(range(2, table.rows + 2))


def test_csv_in_another_encoding(tmp_path: Path) -> None:
    found = csv(tmp_path, HEADER.encode() + "1,2,2,ä\n".encode("latin-1"))
    assert "is not UTF-8" in found.problems[0].message


def test_a_file_that_is_not_there_and_one_of_another_kind(tmp_path: Path) -> None:
    (problem,) = read_recovery("nowhere/rows.csv", BROKERS, COLOURS).problems
    assert problem.message == "`nowhere/rows.csv` cannot be read: no such file or directory"
    (problem,) = read_recovery("nowhere/rows.parquet", BROKERS, COLOURS).problems
    assert problem.message == "`nowhere/rows.parquet` cannot be read: no such file or directory"
    (problem,) = read_recovery("rows.xlsx", BROKERS, COLOURS).problems
    assert problem.message == "`rows.xlsx` is neither .csv nor .parquet"
    (tmp_path / "a.parquet").write_bytes(b"this is not what it says it is")
    (problem,) = read_recovery(str(tmp_path / "a.parquet"), BROKERS, COLOURS).problems
    assert "is not valid Parquet" in problem.message


def test_colours_named_twice_in_a_row(tmp_path: Path) -> None:
    found = csv(tmp_path, HEADER + "1,2,2,1 3\n1,3,3,4 2 4\n")
    assert not found.problems
    assert found.repeated.tolist() == [1]
    assert found.table.colours_of(1).tolist() == [1, 3]


def test_empty_cells(tmp_path: Path) -> None:
    found = csv(tmp_path, HEADER + "1,2,2,\n")
    assert found.table.set_sizes.tolist() == [0]
    found = csv(tmp_path, "broker,to,via,colours,except\n1,2,2,,\n")
    assert found.table.set_sizes.tolist() == [4]


# -- Parquet of others ---------------------------------------------------------------------------------------------

ROWS = {"broker": [1, 1, 2], "to": [2, 3, 1], "via": [2, 3, 1], "colours": [[1, 3, 4], [4, 2, 1], [1]]}


@pytest.mark.parametrize(
    "types",
    [
        {"broker": pa.string(), "colours": pa.list_(pa.string())},
        {"broker": pa.int64(), "colours": pa.list_(pa.int32())},
        {"broker": pa.large_string(), "colours": pa.large_list(pa.large_string())},
        {"broker": pa.dictionary(pa.int8(), pa.string()), "colours": pa.list_(pa.dictionary(pa.int16(), pa.string()))},
        {"broker": pa.string(), "colours": pa.string()},
    ],
)
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"row_group_size": 2}, {"store_schema": False}])
def test_parquet_as_others_write_it(tmp_path: Path, types: dict[str, pa.DataType], options: dict[str, object]) -> None:
    columns: dict[str, pa.Array] = {}
    for name, values in ROWS.items():
        kind = types["colours" if name == "colours" else "broker"]
        if name == "colours":
            plain = pa.array([[str(colour) for colour in colours] for colours in values])
            if kind == pa.string():
                plain = pa.array([" ".join(map(str, colours)) for colours in values])
            elif pa.types.is_integer(kind.value_type):
                plain = pa.array(values)
            elif pa.types.is_dictionary(kind.value_type):
                flat = plain.flatten().dictionary_encode().cast(kind.value_type)
                plain = pa.ListArray.from_arrays(plain.offsets, flat)
            columns[name] = plain if plain.type == kind else plain.cast(kind)
        else:
            columns[name] = pa.array(values).cast(pa.string() if not pa.types.is_integer(kind) else kind)
            if pa.types.is_dictionary(kind):
                columns[name] = columns[name].dictionary_encode()
    found = parquet(tmp_path, pa.table(columns), **options)
    assert not found.problems
    assert found.complete
    assert found.table.broker.tolist() == [0, 0, 1]
    assert [found.table.colours_of(row).tolist() for row in range(3)] == [[0, 2, 3], [0, 1, 3], [0]]
    assert found.table.position.tolist() == [1, 2, 3]
    assert not found.repeated.size


def test_parquet_problems_have_rows(tmp_path: Path) -> None:
    table = pa.table(
        {
            "broker": ["1", "1", None, "9", "2"],
            "to": ["2", "3", "1", "1", "1"],
            "via": ["2", "3", "1", "1", "9"],
            "colours": [["1", "x"], [None, "2"], ["1"], ["1"], ["x"]],
        }
    )
    for size in (2, 100):
        found = parquet(tmp_path, table, row_group_size=size)
        assert [(p.code, p.message, p.position, p.places) for p in found.problems] == [
            ("MOM102", "colour `x` is not declared", 1, 2),
            ("MOM102", "this row has nothing under `colours`", 2, 1),
            ("MOM102", "this row has nothing under `broker`", 3, 1),
            ("MOM104", "broker `9` is not declared", 4, 2),
        ]
        assert found.table.position.tolist() == [1, 2]
        assert [found.table.colours_of(row).tolist() for row in (0, 1)] == [[0], [1]]


def test_parquet_of_the_wrong_shape(tmp_path: Path) -> None:
    found = parquet(tmp_path, pa.table({"broker": ["1"], "to": ["1"], "colours": [["1"]]}))
    assert found.problems[0].message.startswith("recovery rows lack `via`")
    found = parquet(tmp_path, pa.table({"broker": ["1"], "to": ["2"], "via": ["2"], "colours": [1.5]}))
    assert found.problems[0].message == "column `colours` holds double, and that is no list of colours"
    found = parquet(tmp_path, pa.table({"broker": [1.5], "to": ["2"], "via": ["2"], "colours": [["1"]]}))
    assert found.problems[0].message == "column `broker` holds double, not names"


def test_parquet_without_rows_and_with_exceptions(tmp_path: Path) -> None:
    texts, sets = pa.array([], pa.string()), pa.array([], pa.list_(pa.string()))
    found = parquet(tmp_path, pa.table({"broker": texts, "to": texts, "via": texts, "colours": sets}))
    assert not found.problems
    assert found.table.rows == 0
    table = pa.table(
        {
            "broker": ["1"] * 4,
            "to": ["2"] * 4,
            "via": ["2"] * 4,
            "colours": pa.array([None, ["2"], None, ["1"]], pa.list_(pa.string())),
            "except": pa.array([["2", "3"], None, [], ["2"]], pa.list_(pa.string())),
        }
    )
    found = parquet(tmp_path, table)
    assert [p.position for p in found.problems] == [4]
    assert [found.table.colours_of(row).tolist() for row in range(3)] == [[0, 3], [1], [0, 1, 2, 3]]


def test_other_endings_and_folders_that_are_not_there(tmp_path: Path) -> None:
    table = plan(triangle()).table()
    with pytest.raises(UsageError, match=r"written as .yaml, .csv or .parquet"):
        write_recovery("rows.txt", table, BROKERS, COLOURS)
    for ending in ("csv", "parquet"):
        with pytest.raises(UsageError, match="cannot be written"):
            write_recovery(str(tmp_path / "nowhere" / f"a.{ending}"), table, BROKERS, COLOURS)
