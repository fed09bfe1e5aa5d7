"""Which Booleans of a script choose a colour, and which ask for a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Selectors(Protocol):
    """The symbols of one script by which answers are read, and further ones asked for.

    The colour chosen is the number that ``k0``, ``k1`` … (`bits` of them) spell; `colour_symbols` has a symbol for
    each number, `asked` one for each source.
    """

    @property
    def bits(self) -> int: ...
    @property
    def colour_symbols(self) -> Sequence[str]: ...
    @property
    def asked(self) -> Sequence[str]: ...
