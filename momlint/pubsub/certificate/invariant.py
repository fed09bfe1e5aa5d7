"""What a certificate claims: configurations that are never reached."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Excluded(NamedTuple):
    """No configuration has its global state in `world` and, for each of `clients`, another client with its state in it.

    Sets are bit masks over the global and the local states of a compiled model.
    """

    world: int
    clients: tuple[int, ...]


#: All that is excluded at once.
Invariant: TypeAlias = tuple[Excluded, ...]
