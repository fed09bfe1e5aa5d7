"""The inventory's tables, against what is counted by hand in a small estate; and the queries in docs/fleet.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from momlint.errors import UsageError
from momlint.fleet.inventory import TABLES, check_output, tables_of, write_inventory
from momlint.lint import Options
from tests.fleet.estates import write_many

if TYPE_CHECKING:
    from momlint.fleet.spark import OnSpark

#: A ring of three with a tail: 1–2–3–1, and 4 hangs on 3. Link costs make 1 → 3 go over 2.
ESTATE = """\
momlint: 1
name: ring
brokers:
  1: {site: london, processing_ms: 1}
  2: {site: london, tags: [eu, core]}
  3: {site: paris}
  4: {site: paris, processing_ms: 2}
links:
  - {between: [1, 2], latency_ms: 5}
  - {between: [2, 3], latency_ms: 5}
  - {id: slow, between: [1, 3], cost: 3, latency_ms: 50}
  - {between: [3, 4], latency_ms: 1}
topics:
  alpha: {publishers: [1], subscribers: [3, 4], max_latency_ms: 20}
  beta: {publishers: [1], subscribers: [4]}
failures:
  colours:
    calm: []
    cut: [1--2]
"""


@pytest.fixture
def estate(tmp_path: Path) -> str:
    path = tmp_path / "ring.mom.yaml"
    path.write_text(ESTATE)
    return str(path)


def test_the_tables_of_a_file(estate: str) -> None:
    tables = tables_of(estate, Options())
    assert [(row.broker, row.site, row.tags, row.processing_ms) for row in tables.brokers] == [
        ("1", "london", (), 1.0),
        ("2", "london", ("eu", "core"), 0.0),
        ("3", "paris", (), 0.0),
        ("4", "paris", (), 2.0),
    ]
    assert [(row.link, row.tail, row.head, row.cost) for row in tables.links] == [
        ("1--2", "1", "2", 1.0),
        ("2--3", "2", "3", 1.0),
        ("slow", "1", "3", 3.0),
        ("3--4", "3", "4", 1.0),
    ]
    assert [(row.topic, row.publishers, row.subscribers, row.max_latency_ms) for row in tables.topics] == [
        ("alpha", ("1",), ("3", "4"), 20.0),
        ("beta", ("1",), ("4",), None),
    ]
    # 1 → 3: 1 + 5 + 5 ms, and 1 + 50 with 1--2 failed; a second way is left when any one link or broker fails.
    # 1 → 4: 1 and 2 ms of brokers more, and nothing leads to 4 without 3--4.
    assert [
        (row.source, row.destination, row.topics, row.hops, row.latency_ms, row.worst_latency_ms, row.worst_colour)
        for row in tables.pairs
    ] == [
        ("1", "3", ("alpha",), 2, 11.0, 51.0, "cut"),
        ("1", "4", ("alpha", "beta"), 3, 14.0, 54.0, "cut"),
    ]
    assert [(row.links, row.protected) for row in tables.pairs] == [
        (("1--2", "2--3"), True),
        (("1--2", "2--3", "3--4"), False),
    ]
    assert {("MOM601", 14), ("MOM501", 12), ("MOM501", 6)} <= {(row.code, row.line) for row in tables.findings}
    assert {row.file for row in tables.findings} == {estate}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert (
        tables_of(str(tmp_path / "none.yaml"), Options()).failure == f"{tmp_path}/none.yaml: No such file or directory"
    )


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    check_output(str(tmp_path), force=False)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is not empty"):
        check_output(str(tmp_path), force=False)
    check_output(str(tmp_path), force=True)
    check_output("hdfs://host/folder", force=False)
    with pytest.raises(UsageError, match="is a file"):
        check_output(str(tmp_path / "file"), force=False)


def read(folder: Path, table: str) -> list[dict[str, Any]]:
    return ds.dataset(folder / table, format="parquet").to_table().to_pylist()


@pytest.mark.slow
def test_what_spark_writes_is_what_the_files_say(spark: OnSpark, tmp_path: Path) -> None:
    paths = write_many(tmp_path / "many", 40, broken_every=10, fault_every=5)
    out = tmp_path / "tables"
    failures = write_inventory(spark, [*paths, str(tmp_path / "gone.yaml")], Options(), str(out))
    assert failures == [f"{tmp_path}/gone.yaml: No such file or directory"]
    expected = [tables_of(path, Options()) for path in paths]
    for table in TABLES:
        rows = [
            {name: list(v) if isinstance(v := getattr(row, name), tuple) else v for name in row.__dataclass_fields__}
            for tables in expected
            for row in getattr(tables, table)
        ]
        assert sorted(map(json.dumps, read(out, table))) == sorted(map(json.dumps, rows)), table
    with pytest.raises(UsageError, match="already exists"):
        write_inventory(spark, paths[:2], Options(), str(out))
    write_inventory(spark, paths[:2], Options(), str(out), force=True)
    assert {row["estate"] for row in read(out, "brokers")} == {"estate-0", "estate-1"}


@pytest.mark.slow
def test_the_queries_in_the_documentation(spark: OnSpark, estate: str, tmp_path: Path) -> None:
    out = tmp_path / "inventory"
    write_inventory(spark, [estate], Options(), str(out))
    session = spark.session.spark
    for table in TABLES:
        session.read.parquet(f"{out}/{table}").createOrReplaceTempView(table)
    text = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text()
    queries = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    found = [[tuple(row) for row in session.sql(query).collect()] for query in queries]
    assert found == [
        # topics without protection, by site of their subscribers
        [("paris", 2)],
        # the most shared links: 1--2 and 2--3 carry both pairs, 3--4 one
        [("ring", "1--2", 2, 2), ("ring", "2--3", 2, 2), ("ring", "3--4", 1, 2)],
        # the slowest pairs, with the budget of the strictest topic
        [("ring", "1", "4", 54.0, "cut", 20.0), ("ring", "1", "3", 51.0, "cut", 20.0)],
        # rules by how many estates they are found in
        [("MOM407", "note", 1, 1), ("MOM501", "note", 1, 2), ("MOM601", "error", 1, 1)],
    ]
