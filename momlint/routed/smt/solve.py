"""The search for all that fails of one section, with any solver: find a trap, block it, ask again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from momlint.errors import InternalError

if TYPE_CHECKING:
    from momlint.routed.smt.encode import Section


class Session(Protocol):
    """A solver that has read the script of one section.

    A colour is its index in ``Section.colours``, None where no colour is chosen; a source its index in
    ``Section.sources``.
    """

    def find(self) -> Trap | None:
        """A trap that is not blocked, or None when there is none. Raises `GaveUp`."""
        ...

    def ask_another(self, colour: int | None, left: Sequence[int]) -> None:
        """From now on, a trap in this colour has to hold one of the sources `left`."""
        ...


class Trap(Protocol):
    """What a model says; it is read at once, while the model is the solver's last."""

    @property
    def colour(self) -> int | None:
        """The colour chosen."""
        ...

    def held(self, candidates: Sequence[int]) -> list[int]:
        """Which of the sources `candidates` are in the trap."""
        ...


def failing(section: Section, session: Session) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """All that fails of `section`, as combinations of (colours, sources), in dense ids.

    Each model gives a colour (or the plain ones together) and a trap; the next question is for that colour
    with a source that no trap so far has held, until the solver says unsat: that last answer proves that the
    list is complete. Raises `GaveUp`.
    """
    left: dict[int | None, list[int]] = {}
    while (trap := session.find()) is not None:
        colour = trap.colour
        candidates = left.get(colour)
        if candidates is None:
            candidates = list(range(len(section.sources)))
        held = trap.held(candidates)
        if not held:
            raise InternalError("a solver repeats a trap that was blocked; please report it with the estate")
        found = set(held)
        left[colour] = [i for i in candidates if i not in found]
        colours = section.plain if colour is None else (section.colours[colour][0],)
        yield colours, [section.sources[i] for i in held]
        session.ask_another(colour, left[colour])
