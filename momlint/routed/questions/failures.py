"""What a check asks about failures, and what an engine answers: the counterpart of `question` for what may fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from momlint.records import dataclass
from momlint.routed.questions.question import Undecided

if TYPE_CHECKING:
    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay


@dataclass(frozen=True, slots=True)
class Cut:
    """An element whose failure alone cuts needed pairs: how many, and the first of them by (source, dest)."""

    element: int
    pairs: int
    source: int
    dest: int


#: All such elements, ascending; empty where there is none.
Survey: TypeAlias = tuple[Cut, ...]


@dataclass(frozen=True, slots=True)
class Smallest:
    """A smallest set of elements within a promise whose failure cuts a needed pair; ascending, and canonical.

    Canonical: of all sets of that size the one that `Elements.failures` names first.
    """

    failed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """No failure within the promise cuts a needed pair."""


class FailureEngine(Protocol):
    """An engine decides what failures cut; a pair is cut when its own ends are up and no path of live arcs is left.

    Pairs that no path joins while nothing has failed are not cut by a failure and not counted.
    """

    name: str

    def survey(self, overlay: Overlay, elements: Elements, asked: Sequence[int]) -> Survey | Undecided:
        """Which of the elements `asked` (ascending) cut needed pairs, each failing alone."""
        ...

    def smallest(
        self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int
    ) -> Smallest | Kept | Undecided:
        """The smallest failure within `promise` that cuts; one of fewer than `at_least` elements is known not to."""
        ...
