"""Tables at addresses: which are read by Spark only, and what others say of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from momlint.config import FORMATS
from momlint.estate.files import here, is_address, join
from momlint.lint import FileResult, FleetServices, Options, Tables, lint_file, merge
from momlint.routed.recovery.parquet import Fetched
from tests.fleet.reports import rendered

#: Two brokers with two links between them; colour 1 is without failure, 2 without the first link.
ESTATE = """\
momlint: 1
brokers: {a: , b: , c: }
links:
  - {between: [a, b]}
  - {between: [b, c]}
  - {between: [a, c]}
topics:
  t: {publishers: [a], subscribers: [b]}
failures:
  tolerate: single-link
  colours: {1: [], 2: [a--b]}
  recovery: {file: "FILE"}
"""
ROWS = [
    ("a", "b", "b", ["1"]),
    ("a", "b", "a", ["2"]),  # itself: no next hop at all
    ("c", "b", "b", ["1", "2"]),
    ("a", "nobody", "b", ["1"]),
]


def table() -> pa.Table:
    broker, to, via, colours = zip(*ROWS, strict=True)
    return pa.table({"broker": broker, "to": to, "via": via, "colours": colours})


def stream_of(found: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as writer:
        # Several batches: positions go on from one to the next.
        writer.write_table(found, max_chunksize=2)
    return sink.getvalue().to_pybytes()


def lint(folder: Path, file: str, tables: Tables | None = None) -> FileResult:
    path = folder / "a.mom.yaml"
    path.write_text(ESTATE.replace("FILE", file))
    return lint_file(str(path), Options(), FleetServices(tables=tables))


def found(result: FileResult) -> list[tuple[str, str, int]]:
    return [(one.code, one.file, one.span.start.line) for one in merge([result], Options()).findings]


@pytest.mark.parametrize("name", ["hdfs://host:9000/t.parquet", "s3a://bucket/t.parquet", "abfss://c@a.net/t.parquet"])
def test_addresses(name: str) -> None:
    assert is_address(name)
    assert join("estates", name) == name


@pytest.mark.parametrize("name", ["t.parquet", "/a/t.parquet", "a:b/t.parquet", "C:/t.parquet", "a/b//c.parquet"])
def test_no_addresses(name: str) -> None:
    assert not is_address(name)
    assert here(name) == name


def test_a_file_here_has_an_address_too(tmp_path: Path) -> None:
    path = tmp_path / "some tables.parquet"
    pq.write_table(table(), path)
    by_path, by_address = lint(tmp_path, str(path)), lint(tmp_path, path.as_uri())
    assert "%20" in path.as_uri()
    assert found(by_path) == found(by_address)
    # The row that leads nowhere is row 2, the unknown broker is in row 4.
    assert {("MOM104", str(path), 4)} <= set(found(by_path))
    assert 2 in {line for _, file, line in found(by_path) if file == str(path)}


def test_nobody_reads_it(tmp_path: Path) -> None:
    result = lint(tmp_path, "hdfs://host/t.parquet")
    assert result.wanted == []
    report = merge([result], Options())
    (finding,) = [one for one in report.findings if one.code == "MOM102"]
    assert finding.message == "`hdfs://host/t.parquet` is an address, which only Spark reads"
    assert finding.help == "check it with `--spark`, or name a file that is here"
    assert (finding.span.start.line, finding.span.start.column) == (12, 20)
    # The rest of the estate is checked.
    assert report.summary.brokers == 3
    assert set(rendered(report)) == set(FORMATS)


def test_what_is_wanted_first(tmp_path: Path) -> None:
    result = lint(tmp_path, "hdfs://host/t.parquet", {})
    assert result.wanted == ["hdfs://host/t.parquet"]
    assert lint(tmp_path, "none.parquet", {}).wanted == []


def test_what_was_fetched_counts_as_if_it_were_here(tmp_path: Path) -> None:
    address = "zz://host/t.parquet"  # after a.mom.yaml, as the path is
    path = tmp_path / "t.parquet"
    pq.write_table(table(), path)
    expected = rendered(merge([lint(tmp_path, str(path))], Options()))
    fetched = rendered(merge([lint(tmp_path, address, {address: Fetched(stream_of(table()))})], Options()))
    # (The others escape the address, or hash it.)
    for form in ("text", "concise", "json", "junit"):
        assert fetched[form].replace(address, str(path)) == expected[form]
    assert f"{address}:2:1" in fetched["concise"]


def test_what_could_not_be_fetched(tmp_path: Path) -> None:
    address = "hdfs://host/t.parquet"
    (finding,) = [
        one
        for one in merge([lint(tmp_path, address, {address: Fetched(b"", "no route to host")})], Options()).findings
        if one.code == "MOM102"
    ]
    assert finding.message == f"`{address}` cannot be read: no route to host"


def test_columns_that_are_missing(tmp_path: Path) -> None:
    address = "hdfs://host/t.parquet"
    fetched = Fetched(stream_of(table().drop(["via"])))
    messages = [one.message for one in merge([lint(tmp_path, address, {address: fetched})], Options()).findings]
    assert [message for message in messages if "`via`" in message]
