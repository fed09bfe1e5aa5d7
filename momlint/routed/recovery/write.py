"""Recovery rows and colours as YAML, CSV and Parquet; the same plan gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from momlint.errors import UsageError
from momlint.records import dataclass
from momlint.routed.overlay.colour_sets import complement, gather, starts_of
from momlint.routed.overlay.ragged import ramp
from momlint.routed.overlay.super_tables import RecoveryTable
from momlint.routed.recovery.arrow import INSTALL, why_no_parquet
from momlint.routed.recovery.colours import Failure
from momlint.routed.recovery.planning import Plan
from momlint.routed.recovery.quoting import cell_name, yaml_name
from momlint.writing import beside

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate, Link

#: Colours in one row group of Parquet.
_GROUP = 1 << 22
#: Rows that are turned into text at once.
_ROWS = 1 << 14

Form = Literal["auto", "listed", "except"]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Consecutive rows of a table with the lists that are to be written: `inverted` ones say ``except``."""

    first: int
    inverted: NDArray[np.bool_]
    start: NDArray[np.int64]
    listed: NDArray[np.int32]

    @property
    def count(self) -> int:
        return int(self.inverted.size)


def says_except(table: RecoveryTable, form: Form = "auto") -> bool:
    """Whether rows that hold in most colours are written with ``except``."""
    return form == "except" or (form == "auto" and bool(table.inverted.any()))


def _pieces(table: RecoveryTable, by_exception: bool, most_rows: int, most_listed: int) -> Iterator[_Rows]:
    """The rows in order, in pieces of at most so many rows and (but for a single row) listed colours."""
    lengths = np.diff(table.start)
    written = lengths if by_exception else table.set_sizes
    total = np.cumsum(written)
    first = 0
    while first < table.rows:
        done = int(total[first - 1]) if first else 0
        last = int(np.searchsorted(total, done + most_listed, side="right"))
        last = min(max(last, first + 1), first + most_rows, table.rows)
        rows = np.arange(first, last)
        inverted = table.inverted[first:last]
        start, listed = gather(table.start, table.listed, rows)
        if not by_exception and inverted.any():
            start, listed = _all_listed(table, rows, written[first:last])
            inverted = np.zeros(rows.size, bool)
        yield _Rows(first, inverted, start, listed)
        first = last


def _all_listed(
    table: RecoveryTable, rows: NDArray[np.intp], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    start = starts_of(lengths)
    listed = np.empty(int(start[-1]), np.int32)
    turned = table.inverted[rows]
    for chosen, flat in (
        (~turned, gather(table.start, table.listed, rows[~turned])[1]),
        (turned, complement(*gather(table.start, table.listed, rows[turned]), table.colours)),
    ):
        listed[np.repeat(start[:-1][chosen], lengths[chosen]) + ramp(lengths[chosen])] = flat
    return start, listed


# -- files of rows -----------------------------------------------------------------------------------------------


def write_recovery(
    path: str, table: RecoveryTable, brokers: Sequence[str], colours: Sequence[str], form: Form = "auto"
) -> None:
    """Write the rows to a ``.csv`` or ``.parquet`` file with the columns broker, to, via, colours (and except).

    `form` says how sets are written: ``listed``, every colour of every row; ``except``, the colours in which a row
    does not hold where that is shorter, with a column of that name; ``auto``, the same, without the column where no
    row needs it.

    Raises `UsageError` for another ending, where the file cannot be written, and for Parquet where there is no
    pyarrow; what stood there before stays until the new file is complete.
    """
    ending = path.rpartition(".")[2].lower()
    if ending not in ("csv", "parquet", "pq"):
        raise UsageError(f"{path}: tables are written as .yaml, .csv or .parquet, by the ending of the file")
    if ending != "csv":
        check_parquet(path)
    by_exception = says_except(table, form)
    try:
        with beside(path) as half:
            if ending == "csv":
                _write_csv(half, table, brokers, colours, by_exception)
            else:
                _write_parquet(half, table, brokers, colours, by_exception)
    except OSError as error:
        raise UsageError(f"{path}: the tables cannot be written: {error.strerror or error}") from error


def check_parquet(path: str) -> None:
    """Raise `UsageError` where Parquet cannot be written, to `path` or anywhere else."""
    reason = why_no_parquet()
    if reason is not None:
        raise UsageError(f"{path} cannot be written: {reason}; {INSTALL}, or write .yaml or .csv")


def _write_csv(
    path: str, table: RecoveryTable, brokers: Sequence[str], colours: Sequence[str], by_exception: bool
) -> None:
    import csv

    names = [cell_name(name) for name in colours]
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["broker", "to", "via", "colours", *(["except"] if by_exception else [])])
        for rows in _pieces(table, by_exception, _ROWS, _GROUP):
            listed, bounds = rows.listed.tolist(), rows.start.tolist()
            part = slice(rows.first, rows.first + rows.count)
            for index, (broker, to, via, inverted) in enumerate(
                zip(
                    table.broker[part].tolist(),
                    table.to[part].tolist(),
                    table.via[part].tolist(),
                    rows.inverted.tolist(),
                    strict=True,
                )
            ):
                cell = " ".join([names[colour] for colour in listed[bounds[index] : bounds[index + 1]]])
                record = [brokers[broker], brokers[to], brokers[via]]
                if not by_exception:
                    record.append(cell)
                else:
                    record += ["", cell] if inverted else [cell, ""]
                writer.writerow(record)


def _write_parquet(
    path: str, table: RecoveryTable, brokers: Sequence[str], colours: Sequence[str], by_exception: bool
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    broker_names, colour_names = pa.array(brokers, pa.string()), pa.array(colours, pa.string())
    one, many = pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.dictionary(pa.int32(), pa.string()))
    fields = [("broker", one), ("to", one), ("via", one), ("colours", many)]
    if by_exception:
        fields.append(("except", many))
    schema = pa.schema(fields)

    def names_of(ids: NDArray[np.int32]) -> object:
        return pa.DictionaryArray.from_arrays(pa.array(ids, pa.int32()), broker_names)

    def lists_of(rows: _Rows, kept: NDArray[np.bool_]) -> object:
        lengths = np.diff(rows.start)
        start = starts_of(np.where(kept, lengths, 0)).astype(np.int32)
        flat = rows.listed[np.repeat(kept, lengths)]
        values = pa.DictionaryArray.from_arrays(pa.array(flat, pa.int32()), colour_names)
        return pa.ListArray.from_arrays(pa.array(start), values, mask=pa.array(~kept) if by_exception else None)

    # Without the stored schema a reader sees plain texts and lists of texts, and not how they lie in the file.
    with pq.ParquetWriter(
        path, schema, compression="zstd", store_schema=False, write_statistics=False, dictionary_pagesize_limit=1 << 27
    ) as writer:
        for rows in _pieces(table, by_exception, 1 << 20, _GROUP):
            part = slice(rows.first, rows.first + rows.count)
            columns = [names_of(ids[part]) for ids in (table.broker, table.to, table.via)]
            columns.append(lists_of(rows, ~rows.inverted))
            if by_exception:
                columns.append(lists_of(rows, rows.inverted))
            writer.write_table(pa.table(columns, schema=schema), row_group_size=max(rows.count, 1))


# -- YAML --------------------------------------------------------------------------------------------------------


def failures_yaml(
    estate: Estate, plan: Plan, table: RecoveryTable | None, file: str | None = None, form: Form = "auto"
) -> Iterator[str]:
    """The whole ``failures`` section of the estate with the plan in it, as pieces of text.

    It takes the place of the one in the estate: what is tolerated, the colours, the rows of `table` (or, with
    `file`, a reference to the file they are in), the takeover. Raises `UsageError` where a colour fails
    something that its name alone does not tell (see `failure_names`).
    """
    colours = [colour.name for colour in plan.colours]
    yield "failures:\n"
    if estate.tolerate is not None:
        groups = f", groups: {estate.tolerate.groups}" if estate.tolerate.groups else ""
        yield f"  tolerate: {{links: {estate.tolerate.links}, brokers: {estate.tolerate.brokers}{groups}}}\n"
    yield "  colours:\n"
    for colour, names in zip(plan.colours, failure_names(estate, plan), strict=True):
        yield f"    {yaml_name(colour.name)}: [{', '.join(yaml_name(name) for name in names)}]\n"
    if file is not None:
        yield f"  recovery: {{file: {yaml_name(file)}}}\n"
    elif table is not None:
        yield from _yaml_rows(table, [broker.id for broker in estate.brokers], colours, says_except(table, form))
    if estate.takeover:
        pairs = (
            f"{yaml_name(estate.brokers[failed].id)}: {_adopters(estate, adopters)}"
            for failed, adopters in estate.takeover.items()
        )
        yield f"  takeover: {{{', '.join(pairs)}}}\n"


def _adopters(estate: Estate, adopters: Sequence[int]) -> str:
    """``2``, or ``[2, 3]``."""
    names = [yaml_name(estate.brokers[adopter].id) for adopter in adopters]
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def _yaml_rows(
    table: RecoveryTable, brokers: Sequence[str], colours: Sequence[str], by_exception: bool
) -> Iterator[str]:
    if not table.rows:
        yield "  recovery: {}\n"
        return
    yield "  recovery:\n"
    broker_names, colour_names = [yaml_name(name) for name in brokers], [yaml_name(name) for name in colours]
    before = -1
    for rows in _pieces(table, by_exception, _ROWS, _GROUP):
        listed, bounds = rows.listed.tolist(), rows.start.tolist()
        part = slice(rows.first, rows.first + rows.count)
        lines = []
        for index, (broker, to, via, inverted) in enumerate(
            zip(
                table.broker[part].tolist(),
                table.to[part].tolist(),
                table.via[part].tolist(),
                rows.inverted.tolist(),
                strict=True,
            )
        ):
            if broker != before:
                lines.append(f"    {broker_names[broker]}:\n")
                before = broker
            names = ", ".join([colour_names[colour] for colour in listed[bounds[index] : bounds[index + 1]]])
            word = "except" if inverted else "colours"
            lines.append(f"      - {{to: {broker_names[to]}, via: {broker_names[via]}, {word}: [{names}]}}\n")
        yield "".join(lines)


def failure_names(estate: Estate, plan: Plan) -> list[list[str]]:
    """What each colour of the plan fails, as the language names it: links by their ids, brokers by theirs.

    Raises `UsageError` where such a name means something else besides, or instead: parallel links without ids of
    their own, a broker that is called like a link.
    """
    meaning = _Meaning(estate)
    result = []
    for colour in plan.colours:
        names = [estate.links[link].id for link in colour.failure.links]
        names += [estate.brokers[broker].id for broker in colour.failure.brokers]
        understood = meaning.of(names)
        if understood != colour.failure:
            culprit = next((name for name in names if not meaning.is_clear(name)), names[0])
            raise UsageError(
                f"colour {colour.name} cannot be written: `{culprit}` means more than one link or broker; "
                "give the links that share it an `id` each"
            )
        result.append(list(dict.fromkeys(names)))
    return result


class _Meaning:
    """What the items of a colour mean when they are read: a link by id, links by their ends, a broker."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate
        self.brokers = {broker.id: index for index, broker in enumerate(estate.brokers)}
        self.given: dict[str, list[int]] = {}
        self.both_ways: dict[frozenset[int], list[int]] = {}
        self.one_way: dict[tuple[int, int], list[int]] = {}
        for index, link in enumerate(estate.links):
            if link.id != self.usual(link):
                self.given.setdefault(link.id, []).append(index)
            if link.one_way:
                self.one_way.setdefault((link.tail, link.head), []).append(index)
            else:
                self.both_ways.setdefault(frozenset((link.tail, link.head)), []).append(index)

    def usual(self, link: Link) -> str:
        tail, head = self.estate.brokers[link.tail].id, self.estate.brokers[link.head].id
        return f"{tail}->{head}" if link.one_way else f"{tail}--{head}"

    def links(self, name: str) -> list[int]:
        if name in self.given:
            return self.given[name]
        found: set[int] = set()
        for separator in ("--", "->"):
            at = name.find(separator)
            while at >= 0:
                left = self.brokers.get(name[:at])
                right = self.brokers.get(name[at + len(separator) :])
                if left is not None and right is not None:
                    found.update(self.one_way.get((left, right), ()))
                    if separator == "--":
                        found.update(self.one_way.get((right, left), ()))
                        found.update(self.both_ways.get(frozenset((left, right)), ()))
                at = name.find(separator, at + 1)
        return sorted(found)

    def is_clear(self, name: str) -> bool:
        links = self.links(name)
        return len(links) + (name in self.brokers) == 1

    def of(self, names: Sequence[str]) -> Failure:
        links: set[int] = set()
        brokers: set[int] = set()
        for name in names:
            found = self.links(name)
            links.update(found)
            if not found and name in self.brokers:
                brokers.add(self.brokers[name])
        return Failure(tuple(sorted(links)), tuple(sorted(brokers)))
