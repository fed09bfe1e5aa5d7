"""Names of topics, for findings that affect very many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from momlint.estate.resolved import Topic


class TopicNames(Sequence[str]):
    """The names of some topics, in the order of the file; a tuple that is only made where somebody reads it.

    One fault in an overlay of a hundred thousand topics affects tens of thousands, and a report for people shows five
    of them. Equal to the tuple of its names; pickled as that.
    """

    __slots__ = ("_chosen", "_topics")

    def __init__(self, topics: Sequence[Topic], chosen: NDArray[np.int64]) -> None:
        """Those of `topics` whose indices are `chosen` (one axis)."""
        self._topics = topics
        self._chosen = chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self._topics[one].name for one in self._chosen[index].tolist())
        return self._topics[int(self._chosen[index])].name

    def __iter__(self) -> Iterator[str]:
        topics = self._topics
        return (topics[one].name for one in self._chosen.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (tuple, TopicNames)):
            return len(self) == len(other) and tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)
