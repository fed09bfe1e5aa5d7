"""What can fail: links, brokers and shared-risk groups, numbered as one list, and what each takes down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.arcs import unconnected
from momlint.routed.overlay.form import Overlay

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Estate, Tolerate

#: So many choices of groups are tried before a failure is taken to be promised.
_MOST_TRIED = 10_000

ElementKind: TypeAlias = Literal["link", "broker", "group"]


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of an overlay in their order: its `links` links, then its `brokers` brokers, then its groups.

    Element ``i`` is a dense id in that one list. `groups`: of each shared-risk group the links and the brokers
    (dense, ascending) that fail together; a group counts as one failure.
    """

    links: int
    brokers: int
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()

    @classmethod
    def of(cls, estate: Estate) -> Elements:
        """The elements of an estate."""
        groups = tuple((tuple(group.links), tuple(group.brokers)) for group in estate.groups)
        return cls(len(estate.links), len(estate.brokers), groups)

    def __len__(self) -> int:
        return self.links + self.brokers + len(self.groups)

    def kind(self, element: int) -> ElementKind:
        """Whether it is a link, a broker or a group."""
        if element < self.links:
            return "link"
        return "broker" if element < self.links + self.brokers else "group"

    def index(self, element: int) -> int:
        """Its number among those of its kind."""
        if element < self.links:
            return element
        element -= self.links
        return element if element < self.brokers else element - self.brokers

    def kills(self, elements: Iterable[int]) -> tuple[set[int], set[int]]:
        """The links and the brokers that are down when all of `elements` have failed."""
        links: set[int] = set()
        brokers: set[int] = set()
        for element in elements:
            index = self.index(element)
            match self.kind(element):
                case "link":
                    links.add(index)
                case "broker":
                    brokers.add(index)
                case "group":
                    links.update(self.groups[index][0])
                    brokers.update(self.groups[index][1])
        return links, brokers

    def of_kind(self, kind: ElementKind) -> range:
        """The elements of one kind."""
        brokers = self.links + self.brokers
        match kind:
            case "link":
                return range(self.links)
            case "broker":
                return range(self.links, brokers)
            case "group":
                return range(brokers, brokers + len(self.groups))

    def within(self, promise: Tolerate) -> list[int]:
        """The elements that may fail, one at a time, within `promise`: ascending."""
        budgets: tuple[tuple[ElementKind, int], ...] = (
            ("link", promise.links),
            ("broker", promise.brokers),
            ("group", promise.groups),
        )
        return [element for kind, budget in budgets if budget for element in self.of_kind(kind)]

    def promises(self, promise: Tolerate, links: Iterable[int], brokers: Iterable[int]) -> bool:
        """Whether the failure of exactly these links and brokers is one that `promise` covers: some links, some brokers
        and some groups that take down nothing else.

        A search among the groups inside the failure; after `_MOST_TRIED` choices it is taken to be covered.
        """
        down, out = frozenset(links), frozenset(brokers)
        inside = [
            (down.intersection(group[0]), out.intersection(group[1]))
            for group in self.groups
            if down.issuperset(group[0]) and out.issuperset(group[1])
        ]
        tried = 0
        for size in range(min(promise.groups, len(inside)) + 1):
            for some in combinations(inside, size):
                tried += 1
                left = len(down.difference(*(group[0] for group in some)))
                gone = len(out.difference(*(group[1] for group in some)))
                if (left <= promise.links and gone <= promise.brokers) or tried > _MOST_TRIED:
                    return True
        return False

    def splits(self, promise: Tolerate, size: int) -> Iterator[tuple[int, int, int]]:
        """How many links, brokers and groups a failure of `size` elements within `promise` may have.

        In the order in which colours are numbered: more links first, then more brokers.
        """
        for links in range(min(size, promise.links, self.links), -1, -1):
            for brokers in range(min(size - links, promise.brokers, self.brokers), -1, -1):
                groups = size - links - brokers
                if groups <= min(promise.groups, len(self.groups)):
                    yield links, brokers, groups

    def largest(self, promise: Tolerate) -> int:
        """The number of elements of the largest failure within `promise`."""
        return (
            min(promise.links, self.links) + min(promise.brokers, self.brokers) + min(promise.groups, len(self.groups))
        )

    def failures(self, promise: Tolerate, size: int) -> Iterator[tuple[int, ...]]:
        """Every failure of `size` elements within `promise`, in canonical order: what an enumeration would try."""
        for links, brokers, groups in self.splits(promise, size):
            for some_links in combinations(self.of_kind("link"), links):
                for some_brokers in combinations(self.of_kind("broker"), brokers):
                    for some_groups in combinations(self.of_kind("group"), groups):
                        yield *some_links, *some_brokers, *some_groups


def with_failures(overlay: Overlay, elements: Elements, failures: Sequence[Iterable[int]]) -> Overlay:
    """`overlay` with a colour for each of `failures` (elements that fail together) in place of its own colours.

    Next hops are the base's in each, as of an overlay whose tables do not react. Memory: ``len(failures)`` times
    links and brokers, a byte each.
    """
    failed_link = np.zeros((len(failures), overlay.links), dtype=np.bool_)
    failed_broker = np.zeros((len(failures), overlay.n), dtype=np.bool_)
    for colour, failed in enumerate(failures):
        links, brokers = elements.kills(failed)
        failed_link[colour, list(links)] = True
        failed_broker[colour, list(brokers)] = True
    return replace(
        overlay,
        delta_key=np.empty(0, dtype=np.int64),
        delta_next=np.empty(0, dtype=np.int32),
        delta_row=np.empty(0, dtype=np.int32),
        failed_link=failed_link,
        failed_broker=failed_broker,
    )


def first_colours(overlay: Overlay, count: int) -> Overlay:
    """`overlay` with its first `count` colours only."""
    if count >= overlay.colours:
        return overlay
    end = int(np.searchsorted(overlay.delta_key, count * overlay.keys.cells))
    return replace(
        overlay,
        delta_key=overlay.delta_key[:end],
        delta_next=overlay.delta_next[:end],
        delta_row=overlay.delta_row[:end],
        failed_link=overlay.failed_link[:count],
        failed_broker=overlay.failed_broker[:count],
    )


def connected_pairs(overlay: Overlay) -> NDArray[np.bool_]:
    """bool[P]: the needed pairs that some path joins while nothing has failed."""
    intact = with_failures(overlay, Elements(overlay.links, overlay.n), [()])
    _, cut = next(unconnected(intact, np.zeros(1, np.int32), overlay.pair_source, overlay.pair_dest))
    return np.logical_not(cut)


def cut_pairs(
    overlay: Overlay, elements: Elements, failed: Iterable[int], connected: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool[P]: the needed pairs that the failure of `failed` cuts: their own ends are up, and no path is left.

    `connected`: what `connected_pairs` says; a pair without a path before is not cut by a failure.
    """
    chosen = list(failed)
    after = with_failures(overlay, elements, [chosen])
    _, cut = next(unconnected(after, np.zeros(1, np.int32), overlay.pair_source, overlay.pair_dest))
    cut = cut & connected
    for broker in elements.kills(chosen)[1]:
        cut &= (overlay.pair_source != broker) & (overlay.pair_dest != broker)
    return cut
