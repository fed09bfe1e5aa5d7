"""Rows in CSV, colours that are missing, and who takes over: judged from the graph alone, by networkx."""

from __future__ import annotations

import csv
import io
import random
import re
from pathlib import Path

import networkx as nx
import pytest
import yaml

from momlint.lint import Options, lint_files
from momlint.mending.mend import Mending
from tests.mending.test_damages import Judge, changed_rows, damaged, mend, random_plan, rows_of
from tests.routed.checks.recovery_estates import Recovery, Row

HEADERS = {",": "broker,to,via,colours", ";": "to;broker;colours;via;note"}


def csv_of(rows: list[Row], delimiter: str, line_end: str) -> str:
    lines = [HEADERS[delimiter]]
    for row in rows:
        cells = {"broker": row.broker, "to": row.to, "via": row.via, "note": '"a ""note"""'}
        cells["colours"] = (" " if delimiter == "," else ", ").join(map(str, row.colours))
        lines.append(delimiter.join(str(cells[name]) for name in HEADERS[delimiter].split(delimiter)))
    return line_end.join(lines) + line_end


def rows_in(text: str, delimiter: str) -> list[Row]:
    read = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    return [
        Row(int(one["broker"]), int(one["to"]), int(one["via"]), [int(c) for c in re.findall(r"\d+", one["colours"])])
        for one in read
    ]


@pytest.mark.parametrize(("delimiter", "line_end"), [(",", "\n"), (";", "\r\n")])
def test_rows_in_csv(delimiter: str, line_end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(5)
    mended_right = 0
    for (recovery, judge, kinds), _ in zip(damaged(rng, 2, most=5), range(8), strict=False):
        head = recovery.text().partition("  recovery:")[0]
        Path("estate.yaml").write_text(f"{head}  recovery: {{file: tables.csv}}\n")
        before = csv_of(recovery.rows, delimiter, line_end)
        Path("tables.csv").write_bytes(before.encode())
        (mended,) = Mending(Options()).mend(["estate.yaml"])
        assert set(mended.contents) <= {"tables.csv"}
        after = mended.contents.get("tables.csv", before.encode()).decode()
        rows = rows_in(after, delimiter)
        mended_right += judge.is_right(rows)
        assert changed_rows(recovery.rows, rows) == mended.rows <= 2, kinds
        assert after.count(line_end) == after.count("\n"), "lines end as they did"
        assert after.splitlines()[0] == HEADERS[delimiter]
        Path("tables.csv").write_bytes(after.encode())
        codes = [one.code for one in lint_files(["estate.yaml"], Options(ignore=("MOM5", "MOM407"))).findings]
        assert codes == [] or not judge.is_right(rows)
    assert mended_right >= 6


def without_a_colour(recovery: Recovery, rng: random.Random) -> tuple[str, int]:
    """The right tables, as if a failure had been forgotten."""
    colour = rng.choice(sorted(recovery.failures)[1:])
    lines = []
    for line in recovery.text().splitlines():
        found = re.search(r"colours: \[([0-9, ]+)\]", line)
        if found is None:
            lines.append(line)
        else:
            kept = [one for one in found[1].split(", ") if int(one) != colour]
            if not kept:
                continue
            lines.append(line.replace(found[0], f"colours: [{', '.join(kept)}]"))
    text = "\n".join(lines) + "\n"
    failures = yaml.safe_load(text)["failures"]["colours"]
    assert colour in failures
    declared = re.search(rf"(?m)^ +{colour}: .*\n|, {colour}: \[[^\]]*\]", text)
    assert declared is not None
    return text.replace(declared[0], "", 1), colour


@pytest.mark.parametrize("block", range(2))
def test_a_colour_is_added(block: int) -> None:
    rng = random.Random(70 + block)
    for _ in range(5):
        recovery = random_plan(rng, most=5)
        judge = Judge(recovery)
        text, colour = without_a_colour(recovery, rng)
        assert colour not in yaml.safe_load(text)["failures"]["colours"]
        mended, after = mend(text)
        failures = yaml.safe_load(after)["failures"]["colours"]
        assert {str(name): value for name, value in failures.items()} == {
            str(name): value for name, value in yaml.safe_load(recovery.text())["failures"]["colours"].items()
        }
        assert judge.is_right(rows_of(after))
        assert "MOM402" in [one.code for one in mended.gone]
        again, same = mend(after)
        assert (again.contents, same) == ({}, after)


TAKEOVER = """\
momlint: 1
brokers: {1: , 2: , 3: , 4: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
  - {between: [3, 4]}
  - {between: [4, 1]}
topics:
  t: {publishers: [1], subscribers: [3]}
routing: {protocol: shortest-path}
failures:
  tolerate: {brokers: 1}
  takeover:
"""
ENTRIES = {
    "nobody": ("    1: 2  # its neighbour\n", "    1: 2  # its neighbour\n    3: 2\n"),
    "itself": ("    1: 2\n    3: [3, 4]  # not itself\n", "    1: 2\n    3: [4]  # not itself\n"),
    "itself alone": ("    1: 2\n    3: 3\n", "    1: 2\n    3: 2\n"),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_who_takes_over(name: str) -> None:
    wrong, right = ENTRIES[name]
    mended, after = mend(TAKEOVER + wrong)
    assert after == TAKEOVER + right
    assert [one.code for one in mended.gone] == ["MOM409"]
    # Each of the two can fail, and then its adopter is there and has a path to the other one.
    ring = nx.cycle_graph([1, 2, 3, 4])
    adopters = yaml.safe_load(after)["failures"]["takeover"]
    for failed, other in ((1, 3), (3, 1)):
        left = ring.copy()
        left.remove_node(failed)
        named = adopters[failed] if isinstance(adopters[failed], list) else [adopters[failed]]
        assert nx.has_path(left, named[0], other)
