"""Results as columns of Arrow and back, with a schema that is exact and told from the types of the results.

``mapInArrow`` casts nothing: what a worker yields must have the very schema that was declared. So schema, writing and
reading all come from one place, the dataclass of a result; a field that is added to a `Finding` travels by itself.

=====================================  ==============================================
Python                                 Arrow
=====================================  ==============================================
``str``, an enumeration of ``str``     ``string`` (see `escaped`)
``int``, ``float``, ``bool``           ``int64``, ``double``, ``bool``
``X | None``                           the same as X, null
another union of plain values          ``string``, JSON in it
``Any``                                the same
``list``, ``tuple[X, ...]``, Sequence  ``list<X>``
``tuple[A, B]``                        ``struct<f0: A, f1: B>``
``dict[K, V]``                         ``list<struct<key: K, value: V>>``, in its order
dataclass, NamedTuple                  ``struct``, field by field
``NDArray[np.int64]``, ``int32``       ``list<int64>``, ``list<int32>``
=====================================  ==============================================
"""

from __future__ import annotations

import enum
import json
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

#: The column with the number of the unit.
UNIT = "unit"

_ODD = re.compile("[\ud800-\udfff\x10]")
_ESCAPE = re.compile("\x10([0-9a-f]{4})")


def escaped(text: str) -> str:
    """`text` in characters that UTF-8 has: a lone surrogate (of a file name that is no UTF-8) becomes an escape."""
    return _ODD.sub(lambda found: f"\x10{ord(found[0]):04x}", text)


def unescaped(text: str) -> str:
    """What `escaped` was given."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


class Column(NamedTuple):
    """How one type travels; `write` and `read` are None where Arrow's own way is right."""

    type: pa.DataType
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None
    array: bool = False


def schema(result: type[Any]) -> pa.Schema:
    """`UNIT` (int64), then one column a field of the dataclass `result`, none of which may be called so."""
    return pa.schema([pa.field(UNIT, pa.int64()), *(pa.field(name, column.type) for name, column in _fields(result))])


def batch(result: type[Any], rows: Sequence[tuple[int, Any]]) -> pa.RecordBatch:
    """Units and their results as one batch of `schema`."""
    arrays = [pa.array([unit for unit, _ in rows], pa.int64())]
    for name, column in _fields(result):
        values = [getattr(value, name) for _, value in rows]
        arrays.append(pa.array(values if column.write is None else map(column.write, values), column.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema(result))


def rows(result: type[Any], table: pa.Table) -> Iterator[tuple[int, Any]]:
    """The units and results of a table of `schema`. Raises `ValueError` for a table of another."""
    if not table.schema.equals(schema(result)):
        raise ValueError(f"the columns are not those of {result.__name__}: {table.schema}")
    for part in table.to_batches():
        columns = [part.column(name) for name in part.schema.names]
        readers = [column for _, column in _fields(result)]
        for index in range(part.num_rows):
            values = [_read(column, values[index]) for column, values in zip(readers, columns[1:], strict=True)]
            yield columns[0][index].as_py(), result(*values)


def _read(column: Column, value: pa.Scalar) -> Any:
    if column.array:
        return value.values.to_numpy(zero_copy_only=False)
    plain = value.as_py()
    return plain if column.read is None else column.read(plain)


def _columns(result: type[Any]) -> tuple[tuple[str, Column], ...]:
    hints = get_type_hints(result)
    return tuple((name, column_of(hints[name])) for name in _names(result))


#: The fields of a result and their columns. (mypy does not take ``type[Any]`` for something to hash.)
_fields: Callable[[Any], tuple[tuple[str, Column], ...]] = cache(_columns)


def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else kind._fields


@cache
def column_of(kind: Any) -> Column:
    """How a type travels. Raises `TypeError` for one that has no way."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind is Any:
        # What is written as JSON in the end.
        return Column(pa.string(), json.dumps, json.loads)
    if origin is Literal:
        return _PLAIN[str]
    if origin in {Union, types.UnionType} and len(arguments) == 2 and arguments[1] is type(None):
        return _optional(column_of(arguments[0]))
    if origin in {Union, types.UnionType}:
        # Plain values of several types, as in a finding's data.
        return Column(pa.string(), json.dumps, _from_json)
    if origin is np.ndarray:
        (scalar,) = get_args(arguments[1])
        return Column(pa.list_(pa.from_numpy_dtype(np.dtype(scalar))), array=True)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _struct([f"f{index}" for index in range(len(arguments))], map(column_of, arguments), _as_tuple)
    if origin in {list, tuple, Sequence}:
        return _sequence(column_of(arguments[0]), list if origin is list else tuple)
    if origin in {dict, Mapping}:
        return _mapping(column_of(arguments[0]), column_of(arguments[1]))
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return Column(pa.string(), str, kind)
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        columns = dict(_fields(kind))
        return _struct(list(columns), columns.values(), lambda values: kind(*values))
    raise TypeError(f"{kind} has no columns")


_PLAIN: dict[Any, Column] = {
    str: Column(pa.string(), escaped, unescaped),
    int: Column(pa.int64()),
    float: Column(pa.float64()),
    bool: Column(pa.bool_()),
}


def _from_json(text: str) -> Any:
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value


def _as_tuple(values: Iterable[Any]) -> Any:
    return tuple(values)


def _same(value: Any) -> Any:
    return value


def _optional(inner: Column) -> Column:
    write, read = inner.write or _same, inner.read or _same
    return Column(
        inner.type,
        lambda value: None if value is None else write(value),
        lambda value: None if value is None else read(value),
    )


def _sequence(inner: Column, make: Callable[[Iterable[Any]], Any]) -> Column:
    write, read = inner.write or _same, inner.read or _same
    return Column(pa.list_(inner.type), lambda value: [write(x) for x in value], lambda value: make(map(read, value)))


def _mapping(key: Column, value: Column) -> Column:
    pair = _struct(["key", "value"], (key, value), _as_tuple)
    write, read = pair.write or _same, pair.read or _same
    return Column(
        pa.list_(pair.type), lambda found: [write(x) for x in found.items()], lambda found: dict(map(read, found))
    )


def _struct(names: Sequence[str], columns: Iterable[Column], make: Callable[[Iterable[Any]], Any]) -> Column:
    columns = list(columns)
    writers = [column.write or _same for column in columns]
    readers = [column.read or _same for column in columns]

    def write(value: Any) -> dict[str, Any]:
        values = value if isinstance(value, tuple) else [getattr(value, name) for name in names]
        return {name: write_one(x) for name, write_one, x in zip(names, writers, values, strict=True)}

    def read(value: Mapping[str, Any]) -> Any:
        return make(read_one(value[name]) for name, read_one in zip(names, readers, strict=True))

    return Column(pa.struct([pa.field(n, c.type) for n, c in zip(names, columns, strict=True)]), write, read)
