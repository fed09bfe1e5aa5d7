"""Recovery rows from CSV and Parquet, with the line or row of each, and what is wrong with them as data.

Columns ``broker``, ``to``, ``via``, ``colours``, in any order, and ``except`` where there is one (see
docs/recovery-tables.md). Files are read in pieces, and every set of colours is kept in its short form at once, so
that a file which lists every colour of every row does not have to fit into memory.
"""

from __future__ import annotations

import csv
import gc
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from momlint.access import Access, open_regular, too_large
from momlint.records import dataclass
from momlint.routed.overlay.super_tables import RecoveryTable, Rows, join, tidy
from momlint.routed.recovery.arrow import is_parquet
from momlint.routed.recovery.parquet import Fetched, PieceReader, read_parquet, read_stream
from momlint.routed.recovery.parts import (
    COLUMNS,
    EXCEPT,
    Names,
    RecoveryProblem,
    Unreadable,
    both_given,
    check_columns,
    problem_of,
)
from momlint.routed.recovery.quoting import split_names

#: Rows of CSV, and characters of them, that are held as Python objects at once.
_CSV_ROWS = 1 << 16
_CSV_TEXT = 1 << 23


@dataclass(frozen=True, slots=True)
class Recovery:
    """The rows of a file, what is wrong with it, and how it counts: `unit` says what a position is.

    `repeated`: int32, the rows (indices into the table) that name a colour twice. A row whose broker, destination
    or next hop is not known is left out; an unknown colour is left out of its row. `complete` says that nothing was
    left out: then a missing entry is truly missing. `readable`: False where the file may not be read at all.
    """

    table: RecoveryTable
    problems: list[RecoveryProblem]
    unit: Literal["line", "row"]
    repeated: NDArray[np.int32]
    complete: bool
    readable: bool = True


def read_recovery(
    path: str,
    brokers: Sequence[str],
    colours: Sequence[str],
    read_pieces: PieceReader | None = None,
    access: Access | None = None,
) -> Recovery:
    """Read the rows of a ``.csv`` or ``.parquet`` file; names become dense ids of `brokers` and `colours`.

    `read_pieces`: who may read the pieces of Parquet. `access`: what may be read; by default any regular file.

    Never raises on account of what is in the file, or of there being none: see `Recovery.problems` (MOM102 for
    the file and its form, MOM104 for a broker that is not declared, MOM102 for such a colour).
    """
    ending = path.rpartition(".")[2].lower()
    names = Names(brokers, colours)
    access = access or Access(None)
    try:
        access.check_table(path)
    except (OSError, ValueError) as error:
        names.problems.append(problem_of(error, path))
        return Recovery(join([], len(colours))[0], names.problems, "line", np.zeros(0, np.int32), False, False)
    if ending == "csv":
        return _recovery(path, _read_csv(path, names, access), "line", names)
    if is_parquet(path):
        return _recovery(path, read_parquet(path, names, read_pieces), "row", names)
    return _recovery(path, _read_nothing(path), "line", names)


def read_fetched(address: str, fetched: Fetched | None, brokers: Sequence[str], colours: Sequence[str]) -> Recovery:
    """As `read_recovery`, of what was read at `address`; None where there is nobody who could."""
    names = Names(brokers, colours)
    return _recovery(address, read_stream(address, fetched, names), "row", names)


def _recovery(path: str, reader: Iterator[Rows], unit: Literal["line", "row"], names: Names) -> Recovery:
    parts: list[Rows] = []
    try:
        parts.extend(reader)
    except (Unreadable, OSError, ValueError) as error:
        names.problems.append(problem_of(error, path))
        names.complete = False
    table, repeated = join(parts, len(names.colours))
    return Recovery(table, names.found(unit), unit, repeated, names.complete)


def _read_nothing(path: str) -> Iterator[Rows]:
    raise Unreadable(f"`{path}` is neither .csv nor .parquet", "`momlint plan --output` writes both")
    yield  # an iterator all the same


# -- CSV ---------------------------------------------------------------------------------------------------------


def _read_csv(path: str, names: Names, access: Access) -> Iterator[Rows]:
    instead = access.content_instead(path)

    limit = csv.field_size_limit(2**31 - 1)
    collecting = gc.isenabled()
    gc.disable()  # hundreds of thousands of small lists, none of them in a cycle
    try:
        with (
            open_regular(path) if instead is None else io.BytesIO(instead) as data,
            io.TextIOWrapper(data, encoding="utf-8-sig", newline="") as stream,
        ):
            if (os.fstat(data.fileno()).st_size if instead is None else len(instead)) > access.most:
                raise too_large(access.most)
            yield from _csv_parts(stream, names)
    except UnicodeDecodeError as error:
        raise Unreadable(f"`{path}` is not UTF-8", "save it as UTF-8") from error
    finally:
        csv.field_size_limit(limit)
        if collecting:
            gc.enable()


def _csv_parts(stream: Iterable[str], names: Names) -> Iterator[Rows]:
    lines = iter(stream)
    header = next(lines, "")
    delimiter = next((mark for mark in ",;\t" if mark in header), ",")
    reader = csv.reader(chain([header], lines), delimiter=delimiter, strict=True)
    batch: list[tuple[int, list[str]]] = []
    held = 0
    stopped: Unreadable | None = None
    at: dict[str, int] = {}
    try:
        columns = [name.strip() for name in next(reader, [])]
        check_columns(columns, 1)
        at = {name: columns.index(name) for name in (*COLUMNS, EXCEPT) if name in columns}
        before = reader.line_num
        for record in reader:
            line, before = before + 1, reader.line_num
            if not record:
                continue
            if len(record) != len(columns):
                stopped = Unreadable(
                    f"this line has {len(record)} fields, the first line {len(columns)}",
                    "put a field that has a comma in it in double quotes",
                    line,
                )
                break
            batch.append((line, record))
            held += sum(map(len, record))
            if len(batch) == _CSV_ROWS or held >= _CSV_TEXT:
                yield _csv_part(batch, at, names)
                batch, held = [], 0
    except csv.Error as error:
        stopped = Unreadable(f"this is not CSV: {error}", "", reader.line_num)
    if batch:
        yield _csv_part(batch, at, names)
    if stopped is not None:
        raise stopped


def _csv_part(batch: Sequence[tuple[int, list[str]]], at: Mapping[str, int], names: Names) -> Rows:
    lines = [line for line, _ in batch]
    columns = list(zip(*(record for _, record in batch), strict=True))

    def ids(column: str) -> NDArray[np.int32]:
        texts, known = columns[at[column]], names.broker_ids
        found = [known.get(text, -1) for text in texts]
        if -1 in found:
            for index, text in enumerate(texts):
                if found[index] < 0:
                    name = text.strip()
                    found[index] = known.get(name, -1)
                    if found[index] < 0:
                        names.miss("broker" if name else "field", name or column, lines[index])
        return np.array(found, np.int32)

    cells = columns[at["colours"]] if "colours" in at else ("",) * len(batch)
    inverted = np.zeros(len(batch), bool)
    if EXCEPT in at:
        left_out = columns[at[EXCEPT]]
        blank = [not cell.strip() for cell in cells]
        for index, cell in enumerate(left_out):
            if cell and not blank[index] and cell.strip():
                names.problems.append(both_given(lines[index]))
                names.complete = False
        cells = tuple(left_out[index] if empty else cells[index] for index, empty in enumerate(blank))
        inverted[:] = blank
    sets = [split_names(cell) for cell in cells]
    lengths = np.fromiter(map(len, sets), np.int64, len(sets))
    known = names.colour_ids
    listed = np.array([known.get(name, -1) for found in sets for name in found], np.int32)
    bad = np.flatnonzero(listed < 0)
    if bad.size:
        flat = [name for found in sets for name in found]
        row = np.repeat(np.arange(len(sets)), lengths)
        for index in bad.tolist():
            names.miss("colour", flat[index], lines[int(row[index])])
    return tidy(
        len(names.colours),
        ids("broker"),
        ids("to"),
        ids("via"),
        inverted,
        lengths,
        listed,
        np.array(lines, np.int32),
    )
