"""Recovery rows from CSV and Parquet, with the line or row of each, and what is wrong with them as data.

Columns ``broker``, ``to``, ``via``, ``colours``, in any order, and ``except`` where there is one (see
docs/recovery-tables.md). Files are read in pieces, and every set of colours is kept in its short form at once, so
that a file which lists every colour of every row does not have to fit into memory.
"""

from __future__ import annotations

import csv
import gc
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.estate.nearest import did_you_mean
from momlint.estate.resolved import RecoveryRow
from momlint.recovery.names import split_names
from momlint.recovery.runs import compact, starts_of
from momlint.recovery.table import RecoveryTable

#: The columns every file has.
COLUMNS = ("broker", "to", "via", "colours")
#: The column that may be there too: the colours in which a row does not hold.
EXCEPT = "except"

#: How a file of Parquet may end.
_PARQUET = (".parquet", ".pq")
#: Rows of CSV, and characters of them, that are held as Python objects at once.
_CSV_ROWS = 1 << 16
_CSV_TEXT = 1 << 23
#: Near names are looked for only so often: it takes time for each.
_MOST_HINTS = 20


@dataclass(frozen=True, slots=True)
class RecoveryProblem:
    """Something wrong with a file of recovery rows.

    `position`: the line of CSV or the row of Parquet it is first seen at (from 1), None where it is the file as a
    whole. `places`: at how many lines or rows it is seen.
    """

    code: str
    message: str
    help: str = ""
    position: int | None = None
    places: int = 1


@dataclass(frozen=True, slots=True)
class Recovery:
    """The rows of a file, what is wrong with it, and how it counts: `unit` says what a position is.

    `repeated`: int32, the rows (indices into the table) that name a colour twice. A row whose broker, destination
    or next hop is not known is left out; an unknown colour is left out of its row. `complete` says that nothing was
    left out: then a missing entry is truly missing.
    """

    table: RecoveryTable
    problems: list[RecoveryProblem]
    unit: Literal["line", "row"]
    repeated: NDArray[np.int32]
    complete: bool


def table_of_rows(rows: Sequence[RecoveryRow], colours: int) -> RecoveryTable:
    """The rows of an estate as arrays; the position of each is its index in `rows`, if they stand in the estate."""
    table = getattr(rows, "table", None)  # rows of a file, see `attach`
    if isinstance(table, RecoveryTable):
        return table
    lengths = np.fromiter((len(row.colours) for row in rows), np.int64, len(rows))
    listed = np.fromiter(chain.from_iterable(row.colours for row in rows), np.int32, int(lengths.sum()))
    part = _tidy(
        colours,
        np.array([row.location for row in rows], np.int32),
        np.array([row.destination for row in rows], np.int32),
        np.array([row.via for row in rows], np.int32),
        np.array([row.inverted for row in rows], bool),
        lengths,
        listed,
        np.arange(len(rows), dtype=np.int32),
    )
    return _join([part], colours)[0]


class Fetched(NamedTuple):
    """What somebody has read at an address, for `read_fetched`: `data`, the columns that are rows of recovery tables'
    as a stream of Arrow, in the order of the rows; or `fault`, why there is none."""

    data: bytes
    fault: str = ""


def read_recovery(path: str, brokers: Sequence[str], colours: Sequence[str]) -> Recovery:
    """Read the rows of a ``.csv`` or ``.parquet`` file; names become dense ids of `brokers` and `colours`.

    Never raises on account of what is in the file, or of there being none: see `Recovery.problems` (MOM102 for
    the file and its form, MOM104 for a broker that is not declared, MOM102 for such a colour).
    """
    ending = path.rpartition(".")[2].lower()
    names = _Names(brokers, colours)
    if ending == "csv":
        return _recovery(path, _read_csv(path, names), "line", names)
    if ending in ("parquet", "pq"):
        return _recovery(path, _read_parquet(path, names), "row", names)
    return _recovery(path, _read_nothing(path), "line", names)


def read_fetched(address: str, fetched: Fetched | None, brokers: Sequence[str], colours: Sequence[str]) -> Recovery:
    """As `read_recovery`, of what was read at `address`; None where there is nobody who could."""
    names = _Names(brokers, colours)
    return _recovery(address, _read_stream(address, fetched, names), "row", names)


def _recovery(path: str, reader: Iterator[_Part], unit: Literal["line", "row"], names: _Names) -> Recovery:
    parts: list[_Part] = []
    try:
        parts.extend(reader)
    except _Unreadable as error:
        names.problems.append(RecoveryProblem("MOM102", error.message, error.help, error.position))
        names.complete = False
    except OSError as error:
        names.problems.append(
            RecoveryProblem(
                "MOM102",
                f"`{path}` cannot be read: {(error.strerror or str(error) or type(error).__name__).lower()}",
                "the path is relative to the file that names it",
            )
        )
        names.complete = False
    table, repeated = _join(parts, len(names.colours))
    return Recovery(table, names.found(unit), unit, repeated, names.complete)


class _Unreadable(Exception):
    """The rest of the file cannot be read."""

    def __init__(self, message: str, help_: str = "", position: int | None = None) -> None:
        super().__init__(message)
        self.message, self.help, self.position = message, help_, position


class _Part(NamedTuple):
    """Some rows, as in `RecoveryTable`; `repeated`: bool, the row names a colour twice."""

    broker: NDArray[np.int32]
    to: NDArray[np.int32]
    via: NDArray[np.int32]
    inverted: NDArray[np.bool_]
    start: NDArray[np.int64]
    listed: NDArray[np.int32]
    position: NDArray[np.int32]
    repeated: NDArray[np.bool_]


@dataclass(slots=True)
class _Names:
    """Names to ids, and what could not be named."""

    brokers: Sequence[str]
    colours: Sequence[str]
    problems: list[RecoveryProblem] = field(default_factory=list)
    complete: bool = True
    #: (what, name) → first position and how many.
    unknown: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    broker_ids: Mapping[str, int] = field(init=False)
    colour_ids: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.broker_ids = {name: index for index, name in enumerate(self.brokers)}
        self.colour_ids = {name: index for index, name in enumerate(self.colours)}

    def miss(self, what: str, name: str, position: int, times: int = 1) -> None:
        """Take down an unknown name (or, for a `what` that is a field, a field without a value)."""
        self.complete = False
        seen = self.unknown.setdefault((what, name), [position, 0])
        seen[1] += times

    def found(self, unit: str) -> list[RecoveryProblem]:
        """All problems, by position."""
        hints = 0
        for (what, name), (position, places) in self.unknown.items():
            hint = ""
            if what in ("broker", "colour") and hints < _MOST_HINTS:
                hint = did_you_mean(name, self.broker_ids if what == "broker" else self.colour_ids)
                hints += 1
            if what == "broker":
                code, message, help_ = "MOM104", f"broker `{name}` is not declared{hint}", "declare it under `brokers:`"
            elif what == "colour":
                code, message = "MOM102", f"colour `{name}` is not declared{hint}"
                help_ = "declare it under `failures.colours`"
            else:
                code, message, help_ = "MOM102", f"this {unit} has nothing under `{name}`", f"each {unit} names one"
            self.problems.append(RecoveryProblem(code, message, help_, position, places))
        return sorted(self.problems, key=lambda problem: (problem.position or 0, problem.code, problem.message))


def _tidy(
    colours: int,
    broker: NDArray[np.int32],
    to: NDArray[np.int32],
    via: NDArray[np.int32],
    inverted: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    listed: NDArray[np.int32],
    position: NDArray[np.int32],
) -> _Part:
    """Leave out rows and colours that are not known (negative), sort each row's colours, and keep the short form."""
    keep = (broker >= 0) & (to >= 0) & (via >= 0)
    row = np.repeat(np.arange(lengths.size), lengths)
    named = listed >= 0
    if not (keep.all() and named.all()):
        # A row of which no colour is known says nothing, though it meant to.
        known = np.bincount(row[named], minlength=lengths.size)
        keep &= (known > 0) | (lengths == 0) | inverted
        inside = named & keep[row]
        row, listed = (np.cumsum(keep) - 1)[row[inside]], listed[inside]
        broker, to, via, position = (column[keep] for column in (broker, to, via, position))
        inverted = inverted[keep]
        lengths = np.bincount(row, minlength=broker.size)
    repeated = np.zeros(broker.size, bool)
    if listed.size:
        same_row = row[1:] == row[:-1]
        if (same_row & (listed[1:] <= listed[:-1])).any():
            key = np.sort(row * max(colours, 1) + listed, kind="stable")
            fresh = np.diff(key, prepend=-1) != 0
            repeated[key[~fresh] // max(colours, 1)] = True
            row, ids = np.divmod(key[fresh], max(colours, 1))
            listed = ids.astype(np.int32)
            lengths = np.bincount(row, minlength=broker.size)
    start, listed, inverted = compact(starts_of(lengths), listed, inverted, colours)
    return _Part(broker, to, via, inverted, start, listed, position, repeated)


def _join(parts: Sequence[_Part], colours: int) -> tuple[RecoveryTable, NDArray[np.int32]]:
    none = np.zeros(0, np.int32)
    if not parts:
        empty = RecoveryTable(colours, none, none, none, none.astype(bool), np.zeros(1, np.int64), none, none)
        return empty, none
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    table = RecoveryTable(
        colours,
        np.concatenate([part.broker for part in parts]),
        np.concatenate([part.to for part in parts]),
        np.concatenate([part.via for part in parts]),
        np.concatenate([part.inverted for part in parts]),
        starts_of(lengths),
        np.concatenate([part.listed for part in parts]),
        np.concatenate([part.position for part in parts]),
    )
    repeated = np.flatnonzero(np.concatenate([part.repeated for part in parts]))
    return table, repeated.astype(np.int32)


def _check_columns(found: Sequence[str], position: int | None) -> None:
    lacking = [name for name in COLUMNS if name not in found]
    # A file in which every row says what it leaves out needs no `colours`.
    if lacking == ["colours"] and EXCEPT in found:
        lacking = []
    if lacking:
        have = ", ".join(f"`{name}`" for name in found) or "none"
        lacks = ", ".join(f"`{name}`" for name in lacking)
        raise _Unreadable(
            f"recovery rows lack {lacks}; the columns here are {have}",
            "the columns are broker, to, via, colours (and except, if you like)",
            position,
        )
    for name in (*COLUMNS, EXCEPT):
        if found.count(name) > 1:
            raise _Unreadable(f"there are two columns `{name}`", "keep one of them", position)


# -- CSV ---------------------------------------------------------------------------------------------------------


def _read_csv(path: str, names: _Names) -> Iterator[_Part]:
    limit = csv.field_size_limit(2**31 - 1)
    collecting = gc.isenabled()
    gc.disable()  # hundreds of thousands of small lists, none of them in a cycle
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            yield from _csv_parts(stream, names)
    except UnicodeDecodeError as error:
        raise _Unreadable(f"`{path}` is not UTF-8", "save it as UTF-8") from error
    finally:
        csv.field_size_limit(limit)
        if collecting:
            gc.enable()


def _csv_parts(stream: Iterable[str], names: _Names) -> Iterator[_Part]:
    lines = iter(stream)
    header = next(lines, "")
    delimiter = next((mark for mark in ",;\t" if mark in header), ",")
    reader = csv.reader(chain([header], lines), delimiter=delimiter, strict=True)
    batch: list[tuple[int, list[str]]] = []
    held = 0
    stopped: _Unreadable | None = None
    at: dict[str, int] = {}
    try:
        columns = [name.strip() for name in next(reader, [])]
        _check_columns(columns, 1)
        at = {name: columns.index(name) for name in (*COLUMNS, EXCEPT) if name in columns}
        before = reader.line_num
        for record in reader:
            line, before = before + 1, reader.line_num
            if not record:
                continue
            if len(record) != len(columns):
                stopped = _Unreadable(
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
        stopped = _Unreadable(f"this is not CSV: {error}", "", reader.line_num)
    if batch:
        yield _csv_part(batch, at, names)
    if stopped is not None:
        raise stopped


def _csv_part(batch: Sequence[tuple[int, list[str]]], at: Mapping[str, int], names: _Names) -> _Part:
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
                names.problems.append(_both(lines[index]))
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
    return _tidy(
        len(names.colours),
        ids("broker"),
        ids("to"),
        ids("via"),
        inverted,
        lengths,
        listed,
        np.array(lines, np.int32),
    )


def _both(position: int) -> RecoveryProblem:
    return RecoveryProblem(
        "MOM102",
        "a row has `colours` or `except`, not both",
        "keep the colours in which the row holds, or those in which it does not",
        position,
    )


def _read_nothing(path: str) -> Iterator[_Part]:
    raise _Unreadable(f"`{path}` is neither .csv nor .parquet", "`momlint plan --output` writes both")
    yield  # an iterator all the same


# -- Parquet -----------------------------------------------------------------------------------------------------


def _read_parquet(path: str, names: _Names) -> Iterator[_Part]:
    """The rows of a file, or of all files of a folder that is called so, as Spark writes them, by their names."""
    before = 0
    for file in _files_of(path):
        before = yield from _read_parquet_file(file, names, before)


def _files_of(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    found = sorted(name for name in os.listdir(path) if name.endswith(_PARQUET) and name[0] not in "._")
    if not found:
        raise _Unreadable(f"the folder `{path}` holds no files .parquet", "`momlint plan --spark --output` writes them")
    return [os.path.join(path, name) for name in found]


def _read_parquet_file(path: str, names: _Names, before: int) -> Generator[_Part, None, int]:
    """The rows of one file, `before` rows having been read; how many there are then."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open(path, "rb") as stream:
            file = pq.ParquetFile(stream)
            columns = list(file.schema_arrow.names)
            _check_columns(columns, None)
            wanted = [name for name in (*COLUMNS, EXCEPT) if name in columns]
            # A column chunk whose pages are dictionary-encoded stays so: the ids, not the texts, are what we want.
            texts = [
                leaf.path
                for leaf in (file.schema.column(index) for index in range(len(file.schema)))
                if leaf.path.partition(".")[0] in wanted and leaf.physical_type == "BYTE_ARRAY"
            ]
            by_dictionary = pq.ParquetFile(stream, read_dictionary=texts)
            for group in range(file.num_row_groups):
                try:
                    piece = by_dictionary.read_row_group(group, columns=wanted)
                except pa.ArrowNotImplementedError:
                    # Several dictionaries, or pages that fell back to texts, inside a list.
                    piece = file.read_row_group(group, columns=wanted)
                yield _parquet_part(piece, before, names)
                before += piece.num_rows
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _Unreadable(f"`{path}` is not Parquet that can be read: {reason}") from error
    return before


def _read_stream(address: str, fetched: Fetched | None, names: _Names) -> Iterator[_Part]:
    import pyarrow as pa

    if fetched is None:
        raise _Unreadable(
            f"`{address}` is an address, which only Spark reads", "check it with `--spark`, or name a file that is here"
        )
    if fetched.fault:
        raise _Unreadable(f"`{address}` cannot be read: {fetched.fault}", "Spark must reach it, and it must be Parquet")
    before = 0
    with pa.ipc.open_stream(fetched.data) as stream:
        _check_columns(list(stream.schema.names), None)
        for batch in stream:
            yield _parquet_part(pa.Table.from_batches([batch]), before, names)
            before += batch.num_rows


def _parquet_part(piece: Any, before: int, names: _Names) -> _Part:
    rows = piece.num_rows
    listing = _sets(piece, "colours", before, names)
    excepting = _sets(piece, EXCEPT, before, names)
    filled = listing.given & (listing.lengths > 0)
    for index in np.flatnonzero(filled & excepting.given).tolist():
        names.problems.append(_both(before + 1 + index))
        names.complete = False
    inverted = excepting.given & ~filled
    lengths = np.where(inverted, excepting.lengths, listing.lengths)
    if inverted.any():
        listed = np.empty(int(lengths.sum()), np.int32)
        left_out = np.repeat(inverted, lengths)
        listed[left_out] = excepting.listed[np.repeat(inverted, excepting.lengths)]
        listed[~left_out] = listing.listed[np.repeat(~inverted, listing.lengths)]
    else:
        listed = listing.listed
    return _tidy(
        len(names.colours),
        _broker_ids(piece, "broker", before, names),
        _broker_ids(piece, "to", before, names),
        _broker_ids(piece, "via", before, names),
        inverted,
        lengths,
        listed,
        np.arange(before + 1, before + 1 + rows, dtype=np.int32),
    )


class _Sets(NamedTuple):
    """A column of sets of colours; `given` is False where it is null."""

    given: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    listed: NDArray[np.int32]


def _sets(piece: Any, column: str, before: int, names: _Names) -> _Sets:
    import pyarrow as pa

    parts = [_Sets(np.zeros(0, bool), np.zeros(0, np.int64), np.zeros(0, np.int32))]
    if column not in piece.column_names:
        return _Sets(np.zeros(piece.num_rows, bool), np.zeros(piece.num_rows, np.int64), parts[0].listed)
    kind = piece.schema.field(column).type
    for chunk in piece.column(column).chunks:
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            lengths = _numbers(chunk.value_lengths().fill_null(0)).astype(np.int64)
            flat = chunk.flatten()  # without what a null or an offset passes over
        elif _is_text(kind):  # cells as in CSV
            cells = [split_names(cell or "") for cell in chunk.cast(pa.string()).to_pylist()]
            lengths = np.fromiter(map(len, cells), np.int64, len(cells))
            flat = pa.array(list(chain.from_iterable(cells)), pa.string())
        elif pa.types.is_null(kind):
            lengths, flat = np.zeros(len(chunk), np.int64), pa.array([], pa.string())
        else:
            raise _Unreadable(
                f"column `{column}` holds {kind}, and that is no list of colours", "make it a list of texts"
            )
        listed, texts = _ids(flat, column, names.colour_ids)
        bad = np.flatnonzero(listed < 0)
        first = before + 1 + sum(part.given.size for part in parts)
        row = np.repeat(np.arange(first, first + len(chunk)), lengths)[bad]
        for position, name in zip(row.tolist(), texts(bad), strict=True):
            names.miss("colour" if name else "field", name or column, position)
        parts.append(_Sets(_numbers(chunk.is_valid()).astype(bool), lengths, listed))
    return _Sets(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _broker_ids(piece: Any, column: str, before: int, names: _Names) -> NDArray[np.int32]:
    parts = [np.zeros(0, np.int32)]
    first = before + 1
    for chunk in piece.column(column).chunks:
        found, texts = _ids(chunk, column, names.broker_ids)
        bad = np.flatnonzero(found < 0)
        for position, name in zip((first + bad).tolist(), texts(bad), strict=True):
            names.miss("broker" if name else "field", name or column, position)
        parts.append(found)
        first += len(chunk)
    return np.concatenate(parts)


def _ids(
    array: Any, column: str, known: Mapping[str, int]
) -> tuple[NDArray[np.int32], Callable[[NDArray[np.intp]], list[str | None]]]:
    """The id of each text of a pyarrow array, -1 for one that is not known; and the texts at given indices."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    kind = array.type.value_type
    if not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        raise _Unreadable(f"column `{column}` holds {kind}, not names", "make it a column of texts")
    distinct = array.dictionary.cast(pa.string()).to_pylist()
    # One more at the end, for nulls.
    ids = np.array([known.get(text, -1) for text in distinct] + [-1], np.int32)
    index = array.indices
    if index.null_count:
        index = index.cast(pa.int64()).fill_null(-1)

    def texts(places: NDArray[np.intp]) -> list[str | None]:
        found: list[str | None] = array.take(pa.array(places, pa.int64())).cast(pa.string()).to_pylist()
        return found

    return ids[_numbers(index)], texts


def _numbers(array: Any) -> NDArray[Any]:
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
