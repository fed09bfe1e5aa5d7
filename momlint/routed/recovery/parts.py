"""What the readers of recovery rows share: names to ids, rows as arrays in short form, and problems as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from momlint.access import Refused
from momlint.estate.nearest import did_you_mean
from momlint.records import dataclass

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


def problem_of(error: Unreadable | OSError | ValueError, path: str) -> RecoveryProblem:
    """What to say where what `path` names cannot be read, or no further."""
    if isinstance(error, Unreadable):
        return RecoveryProblem("MOM102", error.message, error.help, error.position)
    if isinstance(error, Refused):
        return RecoveryProblem("MOM102", f"`{path}` cannot be read: {error.strerror}", error.help)
    if not isinstance(error, OSError):
        return RecoveryProblem("MOM102", f"`{path}` is not a path", "the path is relative to the file that names it")
    return RecoveryProblem(
        "MOM102",
        f"`{path}` cannot be read: {(error.strerror or str(error) or type(error).__name__).lower()}",
        "the path is relative to the file that names it",
    )


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
        "keep one: the colours in which the row is used, or those in which it is not",
        position,
    )


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
