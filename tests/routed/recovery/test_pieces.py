"""Parquet that is read in pieces, by others, gives what it gives when it is read here."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from momlint.fleet import Serial
from momlint.fleet.columns import batch, rows
from momlint.fleet.parts import ReadPieces
from momlint.fleet.spread import Parts
from momlint.fleet.work import Fault
from momlint.lint import FleetServices, Options, lint_file, merge
from momlint.routed.overlay.super_tables import RecoveryTable
from momlint.routed.recovery.parquet import Piece, PieceRows, lost_piece, pieces_of, read_piece
from momlint.routed.recovery.read import Recovery, read_recovery
from tests.budget import examples

BROKERS, COLOURS = ["a", "b", "c", "d"], ["1", "2", "3", "4", "5"]


def elsewhere(path: str, pieces: Sequence[Piece], brokers: Sequence[str], colours: Sequence[str]) -> list[PieceRows]:
    """All pieces, the last one first, as columns of Arrow on their way."""
    found = [
        (index, read_piece(piece, path, list(brokers), list(colours)))
        for index, piece in reversed([*enumerate(pieces)])
    ]
    table = pa.Table.from_batches([batch(PieceRows, found)])
    arrived = dict(rows(PieceRows, table))
    return [arrived[index] for index in range(len(pieces))]


def same(one: Recovery, other: Recovery) -> None:
    for name in RecoveryTable.__slots__:
        ours, theirs = getattr(one.table, name), getattr(other.table, name)
        assert np.array_equal(ours, theirs), name
        if isinstance(ours, np.ndarray):
            assert ours.dtype == theirs.dtype, name
    assert one.problems == other.problems
    assert np.array_equal(one.repeated, other.repeated)
    assert (one.unit, one.complete) == (other.unit, other.complete)


def random_rows(rng: random.Random, count: int) -> pa.Table:
    """Rows with some names that nobody declares, some that are missing, and some colours twice."""

    def name(names: Sequence[str]) -> str | None:
        return rng.choice([*names * 6, "x", "y", None])

    def colours() -> list[str | None]:
        return [name(COLOURS) for _ in range(rng.randint(0, 4))]

    listed = [colours() for _ in range(count)]
    excepting = [colours() if rng.random() < 0.3 else None for _ in range(count)]
    return pa.table(
        {
            "broker": pa.array([name(BROKERS) for _ in range(count)], pa.string()),
            "to": pa.array([name(BROKERS) for _ in range(count)], pa.string()),
            "via": pa.array([name(BROKERS) for _ in range(count)], pa.string()),
            "colours": pa.array(listed, pa.list_(pa.string())),
            "except": pa.array(excepting, pa.list_(pa.string())),
        }
    )


@pytest.mark.parametrize("seed", range(examples(100)))
def test_the_same_as_here(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    folder = tmp_path / "tables.parquet"
    folder.mkdir()
    pieces = 0
    for number in range(rng.randint(1, 4)):
        count, each = rng.randint(0, 12), rng.randint(1, 5)
        pq.write_table(random_rows(rng, count), folder / f"part-{number}.parquet", row_group_size=each)
        pieces += max(1, -(-count // each))
    path = str(folder)
    assert len(pieces_of(path)) == pieces
    same(read_recovery(path, BROKERS, COLOURS, elsewhere), read_recovery(path, BROKERS, COLOURS))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def without_a_column(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop(["via"]), path)


def with_texts_for_numbers(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.set_column(1, "to", pa.array([1.5] * table.num_rows)), path)


def overwritten_in_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4:40] = b"\xff" * 36
    path.write_bytes(data)


def gone(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    "break_it", [cut_short, without_a_column, with_texts_for_numbers, overwritten_in_the_middle, gone]
)
def test_what_is_broken_is_as_broken(break_it: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "tables.parquet"
    folder.mkdir()
    for number in range(3):
        pq.write_table(random_rows(random.Random(number), 6), folder / f"{number}.parquet", row_group_size=2)
    break_it(folder / "1.parquet")
    here = read_recovery(str(folder), BROKERS, COLOURS)
    same(read_recovery(str(folder), BROKERS, COLOURS, elsewhere), here)
    # The first file counts, and no more is read.
    assert here.table.position.max() <= 6
    assert not here.complete


def test_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.parquet").mkdir()
    for path in (str(tmp_path / "empty.parquet"), str(tmp_path / "none.parquet")):
        here = read_recovery(path, BROKERS, COLOURS)
        same(read_recovery(path, BROKERS, COLOURS, elsewhere), here)
        assert [problem.code for problem in here.problems] == ["MOM102"]


def test_a_piece_that_is_lost_takes_no_other(tmp_path: Path) -> None:
    path = tmp_path / "tables.parquet"
    table = pa.table(
        {"broker": ["a", "b", "c", "d"], "to": ["d"] * 4, "via": ["b", "c", "d", "x"], "colours": [["1"]] * 4}
    )
    pq.write_table(table, path, row_group_size=1)

    def losing(path: str, pieces: Sequence[Piece], *names: Sequence[str]) -> list[PieceRows]:
        return [
            lost_piece(piece, "it was stopped") if index == 1 else read_piece(piece, path, *names)
            for index, piece in enumerate(pieces)
        ]

    found = read_recovery(str(path), BROKERS, COLOURS, losing)
    assert found.table.position.tolist() == [1, 3]
    assert not found.complete
    assert [(one.code, one.position, one.message) for one in found.problems] == [
        ("MOM901", None, "undecided: what the tables say from row 2 to row 2: it was stopped"),
        ("MOM104", 4, "broker `x` is not declared"),
    ]


ESTATE = """\
momlint: 1
brokers: {a: , b: , c: , d: }
links: [{between: [a, b]}, {between: [b, c]}, {between: [c, d]}]
topics: {t: {publishers: [a], subscribers: [d]}}
failures: {colours: {"1": []}, recovery: {file: tables.parquet}}
"""


def test_the_check_of_a_large_file_has_it_read_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mom.yaml").write_text(ESTATE)
    all_rows = [(at, to) for at in range(4) for to in range(4) if at != to]
    table = pa.table(
        {
            "broker": [BROKERS[at] for at, _ in all_rows],
            "to": [BROKERS[to] for _, to in all_rows],
            "via": [BROKERS[at + 1 if to > at else at - 1] for at, to in all_rows],
            "colours": [["1"] for _ in all_rows],
        }
    )
    pq.write_table(table, "tables.parquet", row_group_size=3)
    alone = merge([lint_file("a.mom.yaml", Options())], Options())
    assert alone.summary.errors == 0

    class Counting(Serial):
        works = 0

        def run(self, work, seconds):  # type: ignore[no-untyped-def]
            assert isinstance(work, ReadPieces)
            self.works += 1
            return super().run(work, seconds)

    runner = Counting()
    parts = Parts(runner, least=0.0)
    assert merge([lint_file("a.mom.yaml", Options(), FleetServices(None, parts.read))], Options()) == alone
    assert runner.works == 1
    worth = Parts(runner, least=1.0)
    assert merge([lint_file("a.mom.yaml", Options(), FleetServices(None, worth.read))], Options()) == alone
    assert runner.works == 1

    class Losing(Counting):
        def run(self, work, seconds):  # type: ignore[no-untyped-def]
            results = [*super().run(work, seconds)]
            results[2] = work.undecided(2, Fault("crash", "its process died (SIGKILL)", ""))
            return iter(results)

    report = merge(
        [lint_file("a.mom.yaml", Options(), FleetServices(None, Parts(Losing(), least=0.0).read))], Options()
    )
    # Rows are missing, and nothing is said of those that nobody has seen.
    assert [(one.code, one.span.start.line) for one in report.findings if one.severity.value == "error"] == [
        ("MOM901", 5)
    ]
    assert report.summary.undecided == 1
