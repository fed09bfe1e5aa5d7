"""Recovery rows from Parquet: from files here, or from what somebody else has read."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from momlint.access import open_regular
from momlint.records import dataclass
from momlint.routed.overlay.super_tables import Rows, join, tidy
from momlint.routed.recovery.arrow import INSTALL, why_no_parquet
from momlint.routed.recovery.footer import GroupSize, NoFooterError, group_sizes
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

#: So many rows of a file, and values of a row group, are read whatever the estate; of more, as many as it has entries.
FEW_ROWS = 1_000_000
FEW_VALUES = 10_000_000
MOST_VALUES = 200_000_000
_WRITE_AGAIN = "write it again: `momlint plan --output` does"
#: How a file of Parquet may end.
_PARQUET = (".parquet", ".pq")


class Fetched(NamedTuple):
    """What somebody has read at an address, for `read_fetched`: `data`, the columns that are rows of recovery tables'
    as a stream of Arrow, in the order of the rows; or `fault`, why there is none."""

    data: bytes
    fault: str = ""


class Piece(NamedTuple):
    """What can be read by itself: a row group of a file, with so many rows; the file where `group` is `WHOLE`."""

    file: str
    group: int
    rows: int


#: In the place of a row group: a file that has none, or does not tell.
WHOLE = -1


@dataclass(frozen=True, slots=True)
class PieceRows:
    """What a piece holds: rows as in `Rows` (`inverted` and `repeated` as 0 and 1), in short form, and what is wrong.

    Positions count from the first row of the piece, `rows` is how many there are. `unknown`: (what, name, position,
    times) of names, see `Names.miss`. `fault`: why the piece, or the rest of it, cannot be read. `undecided`: why
    nobody could tell, whereas the pieces after it may be whole.
    """

    broker: NDArray[np.int32]
    to: NDArray[np.int32]
    via: NDArray[np.int32]
    inverted: NDArray[np.int32]
    start: NDArray[np.int64]
    listed: NDArray[np.int32]
    position: NDArray[np.int32]
    repeated: NDArray[np.int32]
    rows: int
    unknown: tuple[tuple[str, str, int, int], ...] = ()
    problems: tuple[RecoveryProblem, ...] = ()
    complete: bool = True
    fault: RecoveryProblem | None = None
    undecided: str | None = None


#: Reads the pieces of what a path names, for brokers and colours of these names; None where that is not worth the way.
PieceReader: TypeAlias = Callable[[str, Sequence[Piece], Sequence[str], Sequence[str]], Sequence[PieceRows] | None]


def read_parquet(path: str, names: Names, read_pieces: PieceReader | None = None) -> Iterator[Rows]:
    """The rows of a file, or of all files of a folder that is called so, as Spark writes them, by their names.

    `read_pieces`: who may read them. Raises `Unreadable`, also where there is no pyarrow.
    """
    reason = why_no_parquet()
    if reason is not None:
        raise Unreadable(f"`{path}` cannot be read: {reason}", INSTALL)
    if read_pieces is not None:
        found = read_pieces(path, pieces_of(path), names.brokers, names.colours)
        if found is not None:
            yield from _put_together(found, names)
            return
    before = 0
    for file in _files_of(path):
        before = yield from _read_parquet_file(file, names, before)


def pieces_of(path: str) -> list[Piece]:
    """The pieces of what `path` names, up to a file whose pieces cannot be told. Raises `Unreadable`, `OSError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pieces: list[Piece] = []
    for file in _files_of(path):
        try:
            found = pq.read_metadata(file)
        except (pa.ArrowException, OSError):
            # Whoever reads it says why not; and nothing counts that comes after.
            return [*pieces, Piece(file, WHOLE, 0)]
        groups = [Piece(file, group, found.row_group(group).num_rows) for group in range(found.num_row_groups)]
        pieces += groups or [Piece(file, WHOLE, 0)]
    return pieces


def read_piece(piece: Piece, path: str, brokers: Sequence[str], colours: Sequence[str]) -> PieceRows:
    """Read one piece of what `path` names. Never raises on account of what is in it."""
    names = Names(brokers, colours)
    parts: list[Rows] = []
    rows = 0

    def read() -> Iterator[Rows]:
        nonlocal rows
        rows = yield from _read_parquet_file(piece.file, names, 0, piece.group)

    fault: RecoveryProblem | None = None
    try:
        parts.extend(read())
    except (Unreadable, OSError) as error:
        fault = problem_of(error, path)
    table, repeated = join(parts, len(colours))
    again = np.zeros(table.rows, np.int32)
    again[repeated] = 1
    return PieceRows(
        table.broker,
        table.to,
        table.via,
        table.inverted.astype(np.int32),
        table.start,
        table.listed,
        table.position,
        again,
        rows,
        tuple((what, name, position, times) for (what, name), (position, times) in names.unknown.items()),
        tuple(names.problems),
        names.complete,
        fault,
    )


def lost_piece(piece: Piece, reason: str) -> PieceRows:
    """What stands in the place of a piece that nobody could read to its end."""
    ids, none = np.zeros(0, np.int32), np.zeros(1, np.int64)
    return PieceRows(ids, ids, ids, ids, none, ids, ids, ids, piece.rows, complete=False, undecided=reason)


def _put_together(pieces: Sequence[PieceRows], names: Names) -> Iterator[Rows]:
    """The rows of all pieces as if they had been read here, one after the other; the rest goes into `names`."""
    before = 0
    for piece in pieces:
        for what, name, position, times in piece.unknown:
            names.miss(what, name, position + before, times)
        found = [*piece.problems, *([] if piece.fault is None else [piece.fault])]
        for problem in found:
            names.problems.append(
                replace(problem, position=None if problem.position is None else problem.position + before)
            )
        names.complete &= piece.complete and piece.fault is None
        yield Rows(
            piece.broker,
            piece.to,
            piece.via,
            piece.inverted.astype(bool),
            piece.start,
            piece.listed,
            piece.position + np.int32(before),
            piece.repeated.astype(bool),
        )
        if piece.undecided is not None:
            names.problems.append(
                RecoveryProblem(
                    "MOM901",
                    f"undecided: what the tables say from row {before + 1:,} to row {before + piece.rows:,}: "
                    f"{piece.undecided}",
                    "allow more with `--shard-seconds` or `--shard-memory`",
                )
            )
        if piece.fault is not None:
            return
        before += piece.rows


def _files_of(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    found = sorted(name for name in os.listdir(path) if name.endswith(_PARQUET) and name[0] not in "._")
    if not found:
        raise Unreadable(f"the folder `{path}` holds no files .parquet", "`momlint plan --spark --output` writes them")
    return [os.path.join(path, name) for name in found]


def _read_parquet_file(path: str, names: Names, before: int, only: int = WHOLE) -> Generator[Rows, None, int]:
    """The rows of one file, or of one of its row groups, `before` rows having been read; how many there are then."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_regular(path) as stream:
            # Before pyarrow sees any of it, which some broken footers end together with this process.
            groups = group_sizes(stream)
            file = pq.ParquetFile(stream)
            columns = list(file.schema_arrow.names)
            check_columns(columns, None)
            wanted = [name for name in (*COLUMNS, EXCEPT) if name in columns]
            # A column chunk whose pages are dictionary-encoded stays so: the ids, not the texts, are what we want.
            texts = [
                leaf.path
                for leaf in (file.schema.column(index) for index in range(len(file.schema)))
                if leaf.path.partition(".")[0] in wanted and leaf.physical_type == "BYTE_ARRAY"
            ]
            _check_size(groups, file.metadata.num_rows, wanted, names, path)
            by_dictionary = pq.ParquetFile(stream, read_dictionary=texts)
            for group in range(file.num_row_groups) if only == WHOLE else (only,):
                try:
                    piece = by_dictionary.read_row_group(group, columns=wanted)
                except pa.ArrowNotImplementedError:
                    # Several dictionaries, or pages that fell back to texts, inside a list.
                    piece = file.read_row_group(group, columns=wanted)
                told = groups[group].rows
                if piece.num_rows != told:
                    raise Unreadable(f"`{path}` says {told:,} rows, and holds {piece.num_rows:,}", _WRITE_AGAIN)
                yield _parquet_part(piece, before, names)
                before += piece.num_rows
    except NoFooterError as error:
        raise Unreadable(f"`{path}` is not valid Parquet: {error}", _WRITE_AGAIN) from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"`{path}` holds text that is not UTF-8", "write its names as UTF-8") from error
    except (pa.ArrowException, IndexError, OverflowError) as error:
        # Arrow finds out late, or never, that an index points past its dictionary.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unreadable(f"`{path}` is not valid Parquet: {reason}") from error
    return before


def _check_size(groups: Sequence[GroupSize], told: int, wanted: Sequence[str], names: Names, path: str) -> None:
    """Raise `Unreadable` for more rows, or names, than there is room for: a few bytes may stand for millions.

    `told`: how many rows the file says that it has.
    """
    n, colours = len(names.brokers), max(len(names.colours), 1)
    rows = sum(group.rows for group in groups)
    if rows > max(FEW_ROWS, n * n * colours):
        raise Unreadable(
            f"`{path}` has {rows:,} rows, more than {n:,} brokers and {colours:,} colours can use",
            f"remove rows that repeat others; up to {FEW_ROWS:,} rows are always read",
        )
    if rows != told:
        raise Unreadable(f"`{path}` says that it has {told:,} rows, and its row groups {rows:,}", _WRITE_AGAIN)
    for group in groups:
        values = sum(count for field, count in group.values if field in wanted)
        most = max(FEW_VALUES, 4 * group.rows, group.rows * (3 + 2 * colours))
        if values > min(most, MOST_VALUES):
            raise Unreadable(
                f"`{path}` has a row group with {values:,} values, more than momlint reads at once",
                "write it in smaller row groups; no row needs a colour twice",
            )


def read_stream(address: str, fetched: Fetched | None, names: Names) -> Iterator[Rows]:
    import pyarrow as pa

    if fetched is None:
        raise Unreadable(
            f"`{address}` is an address, which only Spark reads", "check it with `--spark`, or name a file that is here"
        )
    if fetched.fault:
        raise Unreadable(f"`{address}` cannot be read: {fetched.fault}", "Spark must reach it, and it must be Parquet")
    before = 0
    with pa.ipc.open_stream(fetched.data) as stream:
        check_columns(list(stream.schema.names), None)
        for batch in stream:
            yield _parquet_part(pa.Table.from_batches([batch]), before, names)
            before += batch.num_rows


def _parquet_part(piece: Any, before: int, names: Names) -> Rows:
    rows = piece.num_rows
    listing = _sets(piece, "colours", before, names)
    excepting = _sets(piece, EXCEPT, before, names)
    filled = listing.given & (listing.lengths > 0)
    for index in np.flatnonzero(filled & excepting.given).tolist():
        names.problems.append(both_given(before + 1 + index))
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
    return tidy(
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


def _sets(piece: Any, column: str, before: int, names: Names) -> _Sets:
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
            raise Unreadable(
                f"column `{column}` holds {kind}, and that is no list of colours", "make it a list of strings"
            )
        listed, texts = _ids(flat, column, names.colour_ids)
        bad = np.flatnonzero(listed < 0)
        first = before + 1 + sum(part.given.size for part in parts)
        row = np.repeat(np.arange(first, first + len(chunk)), lengths)[bad]
        for position, name in zip(row.tolist(), texts(bad), strict=True):
            names.miss("colour" if name else "field", name or column, position)
        parts.append(_Sets(_numbers(chunk.is_valid()).astype(bool), lengths, listed))
    return _Sets(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _broker_ids(piece: Any, column: str, before: int, names: Names) -> NDArray[np.int32]:
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
        raise Unreadable(f"column `{column}` holds {kind}, not names", "make it a column of strings")
    distinct = array.dictionary.cast(pa.string()).to_pylist()
    # One more at the end, for nulls.
    ids = np.array([known.get(text, -1) for text in distinct] + [-1], np.int32)
    index = array.indices
    if index.null_count:
        index = index.cast(pa.int64()).fill_null(-1)

    def texts(places: NDArray[np.intp]) -> list[str | None]:
        found: list[str | None] = array.take(pa.array(places, pa.int64())).cast(pa.string()).to_pylist()
        return found

    numbers = _numbers(index)
    if numbers.size and (int(numbers.max()) >= len(distinct) or int(numbers.min()) < -1):
        raise IndexError(f"column `{column}` points past its dictionary")
    return ids[numbers], texts


def _numbers(array: Any) -> NDArray[Any]:
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
