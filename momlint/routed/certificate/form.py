"""How a certificate is written down: lines of JSON, numbers in base 64, a seal at the end.

The first line says what the file is, then there is a line for each estate (a *record*), and the last line has the
SHA-256 of all bytes before it, which finds accidents; lies are found by the checker. A record:

    {"file": "estate.yaml", "document": 0, "sources": [["estate.yaml", "<sha256>"], …], "unit": "1/10",
     "claims": {"brokers": 3, "colours": 4, "intact": 0, "promised": 0, "unspoken": 0, "pairs": 6, "cut_calm": 0,
                "cut_failing": 0, "cut_promised": 0},
     "distances": null, "walks": {"base": …, "counts": …, "cells": …, "values": …}, "levels": …}

Files are named as seen from the certificate's own folder. Long lists of numbers are texts: each number as LEB128
(seven bits a byte, the lowest first, the top bit set on all but the last byte), all of them in base 64. That is as
short as compression would make it, the same bytes everywhere, and cannot unfold into more than what was written.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: In place of a potential: no path of live arcs leads to the destination.
CUT = -1
#: In place of a potential: nothing is claimed.
NONE = -2
#: The strongest claim for a destination: a shortest walk, and of equal ones by the smallest next hop.
MOST_LEVEL = 2

_HEAD = '{"momlint-certificate": 1}'
#: Bytes of the longest number: the sum of a thousand costs between the least and the largest of the language.
_LONGEST = 256
_INT64_BYTES = 9
#: Digits of the longest unit, above and below the line.
_UNIT_LENGTH = 1000


class Refused(Exception):
    """The certificate does not prove what it claims; the text says why."""


@dataclass(frozen=True, slots=True)
class Potentials:
    """What is claimed of every (state, destination, broker), as a base and what differs from it.

    A state is a colour, or something else that has failed or not (see `given.States`). A *cell* is
    ``destination * N + broker``. `base`: int64 (or object) [N * N]. State c differs at the cells
    ``cells[bounds[c]:bounds[c + 1]]`` (ascending), where its potentials are the same part of `values`. A potential is
    a cost in units of `Record.unit`, `CUT` or `NONE`.
    """

    base: NDArray[Any]
    bounds: NDArray[np.int64]
    cells: NDArray[np.int64]
    values: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One estate's part of a certificate.

    `distances`: of shortest paths, where next hops are computed. `walks`: along next hops, where some are given or do
    not react to failures. `levels`: int64[N], what is claimed of the walks to each destination: 0 they arrive, 1 they
    are shortest, 2 by the smallest next hop.
    """

    unit: Fraction
    claims: Mapping[str, Any]
    distances: Potentials | None
    walks: Potentials | None
    levels: NDArray[np.int64] | None


class Shown(NamedTuple):
    """What a record shows, and claims in the same names but for the last two.

    `brokers`, `colours`, `pairs`: how many, of pairs those that are needed. `intact`: 1 where claims speak of the state
    in which nothing has failed though no colour stands for it. `promised`: of how many promised failures without a
    colour they speak; `unspoken`: of how many promised states without a colour they do not, None for too many.
    `cut_calm`, `cut_failing`, `cut_promised`: (pair, state) that are cut off, in states in which nothing has failed,
    in colours in which something has, and in promised failures without a colour; pairs with a failed end are not
    counted. `shortest`, `smallest`: destinations to which all walks are shortest, and by the smallest next hop.
    """

    brokers: int
    colours: int
    intact: int
    promised: int
    unspoken: int | None
    pairs: int
    cut_calm: int
    cut_failing: int
    cut_promised: int
    shortest: int
    smallest: int


# -- numbers ----------------------------------------------------------------------------------------------------------


def pack(values: NDArray[Any]) -> str:
    """Numbers from 0 on (integers of any size) as text."""
    if not values.size:
        return ""
    lengths = np.ones(values.size, np.int64)
    rest = values >> 7
    while (more := np.asarray(rest > 0, bool)).any():
        lengths += more
        rest = rest >> 7
    start = np.cumsum(lengths) - lengths
    data = np.zeros(int(lengths.sum()), np.uint8)
    for place in range(int(lengths.max())):
        here = np.flatnonzero(lengths > place)
        digit = ((values[here] >> (7 * place)) & 127).astype(np.uint8)
        data[start[here] + place] = digit | np.where(lengths[here] > place + 1, 128, 0).astype(np.uint8)
    return base64.b64encode(data.tobytes()).decode("ascii")


def unpack(text: object, count: int) -> NDArray[Any]:
    """The `count` numbers that `pack` wrote: int64, or Python integers where one is longer than 63 bits.

    Takes no more memory than some multiple of the text's length. Raises `Refused`.
    """
    if not isinstance(text, str):
        raise Refused("a list of numbers is missing")
    try:
        data = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    except ValueError as error:
        raise Refused("a list of numbers is not base 64") from error
    last = np.flatnonzero(data < 128)
    if last.size != count or (data.size > 0 and data[-1] > 127):
        raise Refused(f"a list has {last.size} numbers where the estate needs {count}")
    if not count:
        return np.zeros(0, np.int64)
    start = np.concatenate((np.zeros(1, np.int64), last[:-1] + 1))
    lengths = last - start + 1
    longest = int(lengths.max())
    if longest > _LONGEST or (data[last[lengths > 1]] == 0).any():
        raise Refused("a number is malformed")
    if longest > _INT64_BYTES:
        whole = [_number(data[first : first + size].tobytes()) for first, size in zip(start, lengths, strict=True)]
        result = np.empty(count, np.object_)
        result[:] = whole
        return result
    values = np.zeros(count, np.int64)
    for place in range(longest):
        here = np.flatnonzero(lengths > place)
        values[here] |= (data[start[here] + place] & 127).astype(np.int64) << (7 * place)
    return values


def _number(data: bytes) -> int:
    value = 0
    for digit in reversed(data):
        value = value << 7 | digit & 127
    return value


# -- potentials -------------------------------------------------------------------------------------------------------


def write_potentials(found: Potentials) -> dict[str, str]:
    """As JSON; cells are written as the difference from the one before in their state."""
    gaps = np.diff(found.cells, prepend=0)
    counts = np.diff(found.bounds)
    first = found.bounds[:-1][counts > 0]
    gaps[first] = found.cells[first]
    return {
        "base": pack(found.base - NONE),
        "counts": pack(counts),
        "cells": pack(gaps),
        "values": pack(found.values - NONE),
    }


def read_potentials(data: object, n: int, states: int) -> Potentials | None:
    """What `write_potentials` wrote, for `n` brokers. Raises `Refused`."""
    if data is None:
        return None
    if not isinstance(data, dict):
        raise Refused("potentials are missing")
    base = unpack(data.get("base"), n * n) + NONE
    counts = unpack(data.get("counts"), states)
    if counts.dtype == np.object_ or (counts > len(str(data.get("cells")))).any():
        raise Refused("a state differs at more places than the certificate has room for")
    bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    total = int(bounds[-1])
    gaps, values = unpack(data.get("cells"), total), unpack(data.get("values"), total) + NONE
    first = bounds[:-1][counts > 0]
    inner = np.ones(total, bool)
    inner[first] = False
    if gaps.dtype == np.object_ or (gaps >= n * n).any() or (gaps[inner] == 0).any():
        raise Refused("the places at which a state differs are not in order")
    run = np.cumsum(gaps)
    cells = run - np.repeat((run - gaps)[first], counts[counts > 0])
    if (cells >= n * n).any():
        raise Refused("a state differs at a place that does not exist")
    return Potentials(base, bounds, cells, values)


def read_record(data: Mapping[str, Any], n: int, states: int) -> Record:
    """The numbers of a record for an estate of `n` brokers that has `states` states. Raises `Refused`."""
    unit, claims, levels = data.get("unit"), data.get("claims"), data.get("levels")
    try:
        found = Fraction(unit) if isinstance(unit, str) and len(unit) <= _UNIT_LENGTH and "e" not in unit.lower() else 0
    except (ValueError, ZeroDivisionError):
        found = 0
    if not isinstance(found, Fraction) or found <= 0 or str(found) != unit:
        raise Refused("the unit of cost is not a number above 0")
    if not isinstance(claims, dict):
        raise Refused("what it claims is missing")
    grades = None if levels is None else unpack(levels, n)
    if grades is not None and (grades > MOST_LEVEL).any():
        raise Refused("it does not say how short the walks are")
    return Record(
        found,
        claims,
        read_potentials(data.get("distances"), n, states),
        read_potentials(data.get("walks"), n, states),
        grades,
    )


# -- the file ---------------------------------------------------------------------------------------------------------


def dump(record: Mapping[str, Any]) -> str:
    """A record as one line, without its end."""
    return json.dumps(record, ensure_ascii=True)


def write(records: Iterable[str]) -> str:
    """The text of a certificate of these records, ASCII."""
    body = "".join(f"{line}\n" for line in (_HEAD, *records))
    return body + json.dumps({"sha256": hashlib.sha256(body.encode("ascii")).hexdigest()}) + "\n"


def read(data: bytes) -> list[dict[str, Any]]:
    """The records of a certificate file. Raises `Refused` for anything that `write` did not write."""
    if data.partition(b"\n")[0] != _HEAD.encode("ascii"):
        raise Refused(f"this is not a certificate: it does not begin with the line {_HEAD}")
    body, _, _ = data[:-1].rpartition(b"\n")
    body += b"\n"
    if data != body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode("ascii") + b"\n":
        raise Refused("the file is damaged or cut short: its last line does not match its content")
    lines = body.decode("ascii", "replace").splitlines()[1:]
    if not lines:
        raise Refused("it certifies nothing")
    return [_record(line, number) for number, line in enumerate(lines, 2)]


def _record(line: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Refused(f"line {number} is not JSON") from error
    if not isinstance(found, dict):
        raise Refused(f"line {number} is not the record of an estate")
    return found
