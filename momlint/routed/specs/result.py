"""What deciding a specification comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from momlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """A counterexample: states one after the other, each with every variable that matters, by name.

    `loop`: the index of the state that comes again after the last, None for a path that need not go on. A false
    specification that only asks for something (``EF …``) has a trace of one state: nothing leads where it asks.

    For the walk of a message, `colour` (None without colours), `source` and `dest` are dense ids, and `walk` the
    brokers in order: where the loop has more than one broker, its first one closes the walk, as in ``(1, 3, 1)``. For
    the model of take-overs they are None and empty.
    """

    states: tuple[Mapping[str, str], ...]
    loop: int | None = None
    colour: int | None = None
    source: int | None = None
    dest: int | None = None
    topic: int | None = None
    walk: tuple[int, ...] = ()

    def lines(self) -> list[str]:
        """One line a state: the first in full, then what changes; and one that says where it goes on, for a lasso."""
        found: list[str] = []
        before: Mapping[str, str] = {}
        for number, state in enumerate(self.states, 1):
            changes = [f"{name} = {value}" for name, value in state.items() if before.get(name) != value]
            found.append(f"{number}: {', '.join(changes) or 'as before'}")
            before = state
        if self.loop is not None:
            last = len(self.states) - 1
            found.append(f"and so for ever from {self.loop + 1}" if self.loop < last else "and there it stays")
        return found


@dataclass(frozen=True, slots=True)
class SpecTrue:
    """It holds in every initial state."""


@dataclass(frozen=True, slots=True)
class SpecFalse:
    """It does not hold; `trace` starts in an initial state where it fails: the first, in the order of colours, then
    of source and destination, then of topics."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class SpecError:
    """It says nothing that could be true or false. `start`, `end`: offsets in characters, `end` exclusive."""

    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SpecUndecided:
    """It was not decided; `reason` is one clause for the user. Never a pass."""

    reason: str


SpecResult: TypeAlias = SpecTrue | SpecFalse | SpecError | SpecUndecided
