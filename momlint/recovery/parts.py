"""What the readers of recovery rows share: names to ids, rows as arrays in short form, and problems as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.estate.nearest import did_you_mean
from momlint.recovery.runs import compact, starts_of
from momlint.recovery.table import RecoveryTable

#: The columns every file has.
COLUMNS = ("broker", "to", "via", "colours")
#: The column that may be there too: the colours in which a row does not hold.
EXCEPT = "except"

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


class Unreadable(Exception):
    """The rest of the file cannot be read."""

    def __init__(self, message: str, help_: str = "", position: int | None = None) -> None:
        super().__init__(message)
        self.message, self.help, self.position = message, help_, position


def problem_of(error: Unreadable | OSError, path: str) -> RecoveryProblem:
    """What to say where what `path` names cannot be read, or no further."""
    if isinstance(error, Unreadable):
        return RecoveryProblem("MOM102", error.message, error.help, error.position)
    return RecoveryProblem(
        "MOM102",
        f"`{path}` cannot be read: {(error.strerror or str(error) or type(error).__name__).lower()}",
        "the path is relative to the file that names it",
    )


class Rows(NamedTuple):
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
class Names:
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


def both_given(position: int) -> RecoveryProblem:
    return RecoveryProblem(
        "MOM102",
        "a row has `colours` or `except`, not both",
        "keep the colours in which the row holds, or those in which it does not",
        position,
    )


def tidy(
    colours: int,
    broker: NDArray[np.int32],
    to: NDArray[np.int32],
    via: NDArray[np.int32],
    inverted: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    listed: NDArray[np.int32],
    position: NDArray[np.int32],
) -> Rows:
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
    return Rows(broker, to, via, inverted, start, listed, position, repeated)


def join(parts: Sequence[Rows], colours: int) -> tuple[RecoveryTable, NDArray[np.int32]]:
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


def check_columns(found: Sequence[str], position: int | None) -> None:
    lacking = [name for name in COLUMNS if name not in found]
    # A file in which every row says what it leaves out needs no `colours`.
    if lacking == ["colours"] and EXCEPT in found:
        lacking = []
    if lacking:
        have = ", ".join(f"`{name}`" for name in found) or "none"
        lacks = ", ".join(f"`{name}`" for name in lacking)
        raise Unreadable(
            f"recovery rows lack {lacks}; the columns here are {have}",
            "the columns are broker, to, via, colours (and except, if you like)",
            position,
        )
    for name in (*COLUMNS, EXCEPT):
        if found.count(name) > 1:
            raise Unreadable(f"there are two columns `{name}`", "keep one of them", position)
