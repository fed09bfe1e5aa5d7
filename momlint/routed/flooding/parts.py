"""From an overlay to the worlds that are looked at: all of it where it is small, else every part that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import TYPE_CHECKING, Any

from momlint.routed.flooding.world import Bound, Element, Manners, Tick, World

if TYPE_CHECKING:
    from momlint.estate.resolved import Link
    from momlint.routed.recovery.colours import Failure


@dataclass(frozen=True, slots=True)
class Part:
    """A world, and what its brokers, links and colours are in the estate."""

    world: World
    brokers: tuple[int, ...]
    links: tuple[int, ...]
    colours: tuple[int, ...]


def parts(
    n: int, links: Sequence[Link], failures: Sequence[Failure], manners: Manners, bound: Bound, tick: Tick
) -> Iterator[Part]:
    """The overlay, or its connected parts with as many brokers as the bound lets, each by itself; of equal ones, one.

    `failures`: of each colour. A part has the colours of those that concern it alone.
    """
    ends = [(link.tail, link.head) for link in links]
    own: list[list[int]] = [[] for _ in range(n)]
    for link, two in enumerate(ends):
        for broker in two:
            own[broker].append(link)
    downs = []
    elements: list[Element] = []
    for failure in failures:
        tick()
        elements += [Element(True, link) for link in failure.links]
        elements += [Element(False, broker) for broker in failure.brokers]
        downs.append(frozenset(failure.links).union(*(own[broker] for broker in failure.brokers)))
    whole = _Whole(ends, tuple(dict.fromkeys(elements)), downs, manners, bound)
    if n <= bound.brokers:
        yield whole.part(tuple(range(n)))
        return
    seen: set[Any] = set()
    for brokers in chain(_small(n, ends, bound.brokers), _connected(n, ends, bound.brokers)):
        tick()
        part = whole.part(brokers)
        shape = _shape(part.world)
        if shape not in seen:
            seen.add(shape)
            yield part


@dataclass(frozen=True, slots=True)
class _Whole:
    ends: list[tuple[int, int]]
    elements: tuple[Element, ...]
    downs: list[frozenset[int]]
    manners: Manners
    bound: Bound

    def part(self, brokers: tuple[int, ...]) -> Part:
        here = {broker: number for number, broker in enumerate(brokers)}
        links = tuple(link for link, (one, other) in enumerate(self.ends) if one in here and other in here)
        number = {link: index for index, link in enumerate(links)}
        colours = tuple(colour for colour, down in enumerate(self.downs) if down <= number.keys())
        elements = tuple(
            Element(one.is_link, number[one.number] if one.is_link else here[one.number])
            for one in self.elements
            if one.number in (number if one.is_link else here)
        )
        world = World(
            len(brokers),
            tuple((here[self.ends[link][0]], here[self.ends[link][1]]) for link in links),
            elements,
            tuple(frozenset(number[link] for link in self.downs[colour]) for colour in colours),
            self.manners,
            self.bound,
        )
        return Part(world, brokers, links, colours)


def _small(n: int, ends: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, ...]]:
    """Brokers that are connected with each other and nobody else, fewer than `size` of them."""
    part = {broker: [broker] for broker in range(n)}
    for one, other in ends:
        if part[one] is not part[other]:
            joined = part[one] + part[other]
            part.update(dict.fromkeys(joined, joined))
    for broker, together in part.items():
        if broker == min(together) and len(together) < size:
            yield tuple(sorted(together))


def _connected(n: int, ends: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, ...]]:
    """Every connected set of so many brokers, once: each grows from its least one (ESU, Wernicke 2006)."""
    near: list[set[int]] = [set() for _ in range(n)]
    for one, other in ends:
        near[one].add(other)
        near[other].add(one)

    def grow(found: tuple[int, ...], open_: frozenset[int], around: frozenset[int]) -> Iterator[tuple[int, ...]]:
        if len(found) == size:
            yield tuple(sorted(found))
            return
        left = set(open_)
        while left:
            one = left.pop()
            new = {other for other in near[one] if other > found[0]} - around
            yield from grow((*found, one), frozenset(left | new), around | new)

    for first in range(n):
        above = frozenset(other for other in near[first] if other > first)
        yield from grow((first,), above, above | {first})


def _shape(world: World) -> tuple[object, ...]:
    """The same for worlds that differ in names alone: the least of all ways to number brokers and links."""
    ways = []
    for order in permutations(range(world.n)):
        drawn = [tuple(sorted((order[one], order[other]))) for one, other in world.links]
        by_ends = sorted(range(len(drawn)), key=lambda link: drawn[link])
        number = {link: index for index, link in enumerate(by_ends)}
        ways.append(
            (
                tuple(sorted(drawn)),
                tuple(
                    sorted(
                        (one.is_link, number[one.number] if one.is_link else order[one.number])
                        for one in world.elements
                    )
                ),
                tuple(tuple(sorted(number[link] for link in down)) for down in world.downs),
            )
        )
    return min(ways)
