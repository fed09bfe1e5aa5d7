"""What a footer says, told without pyarrow; and files whose footers lie, or would end the process in pyarrow."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from momlint.lint import Options, lint_file
from momlint.routed.recovery.footer import NoFooterError, group_sizes

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

HEAD = "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"
ESTATE = HEAD + "failures: {colours: {1: [], 2: [1--2]}, recovery: {file: t.parquet}}\n"


def table(rows: int) -> object:
    return pa.table(
        {
            "broker": ["1", "2"] * rows,
            "to": ["2", "1"] * rows,
            "via": ["2", "1"] * rows,
            "colours": [["1"], ["1", "2", None]] * rows,
            "other": list(range(2 * rows)),
        }
    )


OPTIONS = [
    {},
    {"use_dictionary": False, "compression": "none"},
    {"row_group_size": 7},
    {"data_page_version": "2.0", "compression": "zstd"},
    {"write_page_index": True, "write_statistics": False},
    {"store_schema": False, "version": "1.0"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("rows", [0, 1, 40, 3000])
def test_as_pyarrow_tells_it(options: dict[str, object], rows: int, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(table(rows), path, **options)
    told = pq.read_metadata(path)
    with open(path, "rb") as stream:
        found = group_sizes(stream)
    assert [group.rows for group in found] == [told.row_group(index).num_rows for index in range(told.num_row_groups)]
    assert [list(group.values) for group in found] == [
        [
            (column.path_in_schema.partition(".")[0], column.num_values)
            for column in (told.row_group(index).column(number) for number in range(told.num_columns))
        ]
        for index in range(told.num_row_groups)
    ]


@pytest.mark.parametrize(
    "data",
    [b"", b"PAR1", b"\0" * 30, b"PAR1\xff\xff\xff\x7fPAR1", b"PAR1" + b"\x1c" * 40 + b"\x28\0\0\0PAR1",
     b"PAR1" + b"\x19" * 9 + b"\x09\0\0\0PAR1", b"PAR1\x19\xfc\xff\xff\xff\xff\x0f\x07\0\0\0PAR1"],
    ids=range(7),
)  # fmt: skip
def test_no_footer(data: bytes) -> None:
    with pytest.raises(NoFooterError):
        group_sizes(io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]


def test_a_footer_that_ends_pyarrow(tmp_path: Path) -> None:
    """Found by fuzzing: pyarrow 26 calls `terminate` when it is asked how many values the first column has."""
    shutil.copy(Path(__file__).parent / "data" / "ends-pyarrow.parquet", tmp_path / "t.parquet")
    (tmp_path / "x.mom.yaml").write_text(ESTATE)
    ran = subprocess.run(
        [sys.executable, "-m", "momlint", "check", "x.mom.yaml", "--format", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    messages = [finding["message"] for finding in json.loads(ran.stdout)["findings"] if finding["code"] == "MOM102"]
    assert len(messages) == 1
    assert "is not valid Parquet" in messages[0]


def varint(number: int) -> bytes:
    zigzag, found = number << 1, bytearray()
    while zigzag > 0x7F:
        found.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    return bytes([*found, zigzag])


def lies(tmp_path: Path, told: int) -> list[str]:
    """The messages of MOM102 for a file of 80 rows whose footer says `told`, both where it says so of the file."""
    pq.write_table(table(40), tmp_path / "t.parquet", compression="none", write_statistics=False)
    data = (tmp_path / "t.parquet").read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    # Of the file: field 3 after field 2 (the schema). It is the last structure before, which ends in a stop.
    at = footer.index(b"\x00\x16" + varint(80)) + 1
    footer = footer[: at + 1] + varint(told) + footer[at + 1 + len(varint(80)) :]
    (tmp_path / "t.parquet").write_bytes(data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    (tmp_path / "x.mom.yaml").write_text(ESTATE)
    result = lint_file(str(tmp_path / "x.mom.yaml"), Options(engine="graph"))
    assert result.failure is None
    return [finding.message for finding in result.findings if finding.code == "MOM102"]


@pytest.mark.parametrize("told", [0, 1, 79, 81, 10**15])
def test_rows_that_are_not_there(told: int, tmp_path: Path) -> None:
    (message,) = lies(tmp_path, told)
    assert f"says that it has {told:,} rows, and its row groups 80" in message


def test_the_truth(tmp_path: Path) -> None:
    assert not [message for message in lies(tmp_path, 80) if "says that" in message]


def past_its_dictionary(path: Path, column: str, version: str) -> None:
    """Write rows whose indices in `column` all point past its dictionary: 3 where it has three entries."""
    names = ["1", "2", "3", "1", "2", "3", "1", "2"]
    colours = [["1"], ["2"], ["3"], ["1"], ["2"], ["3"], ["1"], ["2"]]
    pq.write_table(
        pa.table({"broker": names, "to": names, "via": names, "colours": colours}),
        path,
        compression="none",
        data_page_version=version,
    )
    group = pq.read_metadata(path).row_group(0)
    (chunk,) = [
        group.column(index)
        for index in range(group.num_columns)
        if group.column(index).path_in_schema.split(".")[0] == column
    ]
    # Eight indices of two bits each end the chunk's only data page.
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    data = bytearray(path.read_bytes())
    assert data[end - 2 : end] == bytes([0b00_10_01_00, 0b01_00_10_01])
    data[end - 2 : end] = b"\xff\xff"
    path.write_bytes(data)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("column", ["broker", "to", "via", "colours"])
def test_indices_past_their_dictionary(column: str, version: str, tmp_path: Path) -> None:
    """A finding, and no fault of momlint; in a process of its own, which pyarrow might end."""
    past_its_dictionary(tmp_path / "t.parquet", column, version)
    (tmp_path / "x.mom.yaml").write_text(ESTATE)
    ran = subprocess.run(
        [sys.executable, "-m", "momlint", "check", "x.mom.yaml", "--format", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    told = [one for one in json.loads(ran.stdout)["findings"] if "t.parquet" in one["message"]]
    assert [one["code"] for one in told] == ["MOM102"]
    assert "is not valid Parquet: " in told[0]["message"]
