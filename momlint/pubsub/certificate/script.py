"""From boxes to SMT-LIB text, through the template. jinja2 is imported on the first rendering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.rendering import template

if TYPE_CHECKING:
    pass

Bits = NDArray[np.bool_]


class Named(NamedTuple):
    """An obligation: a Boolean that can be true only if all of one of `ways` are."""

    name: str
    what: str
    ways: tuple[tuple[str, ...], ...]


class Sets:
    """States, as numbers in bits, and the sets of them that are spoken of.

    `classes`: how many kinds of states the sets tell apart. `members`: of each set, its classes. `width`: bits.
    """

    def __init__(self) -> None:
        self.number: dict[bytes, int] = {}
        self.members: list[list[int]] = []
        self.classes = 1

    def classify(self, sets: Iterable[Bits]) -> None:
        """Number the sets, and find which states no set tells apart."""
        kept: list[Bits] = []
        for one in sets:
            if self.number.setdefault(one.tobytes(), len(kept)) == len(kept):
                kept.append(one)
        kinds: dict[bytes, int] = {}
        columns = np.array(kept, bool).T if kept else np.zeros((1, 0), bool)
        label = [kinds.setdefault(np.packbits(column).tobytes(), len(kinds)) for column in columns]
        self.classes = max(1, len(kinds))
        self.members = [sorted({label[int(state)] for state in np.flatnonzero(one)}) for one in kept]

    @property
    def width(self) -> int:
        """Bits that number the classes."""
        return (self.classes - 1).bit_length()

    def is_everything(self, number: int) -> bool:
        """Whether a set leaves nothing out."""
        return len(self.members[number]) == self.classes


class Script:
    """About so many clients. `excluded`: conjunctions of sets that are impossible; `obligations`: see `Named`."""

    def __init__(self, clients: int) -> None:
        self.clients = clients
        self.worlds = Sets()
        self.states = Sets()
        self.excluded: list[tuple[str, ...]] = []
        self.obligations: list[Named] = []
        #: (client or -1 for the global state, set) of the sets that are named.
        self.used: dict[tuple[int, int], str] = {}

    def literals(self, world: Bits, clients: Sequence[Bits]) -> tuple[str, ...]:
        """A box as the names of sets; what leaves nothing out is left out."""
        found = []
        number = self.worlds.number[world.tobytes()]
        if not self.worlds.is_everything(number):
            found.append(self.used.setdefault((-1, number), f"w{number}"))
        for client, one in enumerate(clients):
            number = self.states.number[one.tobytes()]
            if not self.states.is_everything(number):
                found.append(self.used.setdefault((client, number), f"c{client}s{number}"))
        return tuple(found)

    def oblige(self, name: str, what: str, ways: Sequence[tuple[str, ...]]) -> None:
        """Ask whether one of `ways` is possible."""
        self.obligations.append(Named(name, what, tuple(dict.fromkeys(ways))))

    # -- for the template

    @property
    def variables(self) -> list[tuple[str, str, Sets]]:
        """(prefix of bits, prefix of classes, what) of the global state and of each client."""
        return [
            ("g", "gs", self.worlds),
            *((f"l{client}b", f"l{client}s", self.states) for client in range(self.clients)),
        ]

    @property
    def named_sets(self) -> list[tuple[str, list[str]]]:
        """(name, the classes in it) of every set that is used."""
        found = []
        for (client, number), name in self.used.items():
            sets, prefix = (self.worlds, "gs") if client < 0 else (self.states, f"l{client}s")
            found.append((name, [f"{prefix}{one}" for one in sets.members[number]]))
        return found


def number_of(prefix: str, number: int, width: int) -> str:
    """The bits of a number as a term: ``(and g0 (not g1))``."""
    bits = [f"{prefix}{bit}" if number >> bit & 1 else f"(not {prefix}{bit})" for bit in range(width)]
    return bits[0] if len(bits) == 1 else f"(and {' '.join(bits)})" if bits else "true"


def term(word: str, terms: Sequence[str]) -> str:
    """``and`` or ``or`` of any number of terms."""
    if not terms:
        return "true" if word == "and" else "false"
    return terms[0] if len(terms) == 1 else f"({word} {' '.join(terms)})"


def render(script: Script) -> str:
    """The text of a script."""
    return template("clients.smt2.j2").render(s=script, number_of=number_of, term=term)
