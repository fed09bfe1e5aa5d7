"""A solver that has read a script: what is asked of it, whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias


class Some(NamedTuple):
    """At least one of these holds."""

    parts: Sequence[Formula]


class Every(NamedTuple):
    """All of these hold."""

    parts: Sequence[Formula]


class No(NamedTuple):
    """This does not hold."""

    part: Formula


#: A Boolean of the script, by its name, or what is made of others.
Formula: TypeAlias = "str | Some | Every | No"


class Session(Protocol):
    """A solver that has read one script of Booleans."""

    def find(self, also: Formula | None = None) -> Model | None:
        """A model of all that is required, and of `also` this once; None when there is none. Raises `GaveUp`."""
        ...

    def require(self, formula: Formula) -> None:
        """From now on, models have to satisfy this too."""
        ...


class Model(Protocol):
    """An answer; it is read before the session is asked anything else."""

    def true(self, names: Sequence[str]) -> list[int]:
        """Which of the Booleans `names` are true, as ascending indices into `names`."""
        ...
