"""What a page shows of a finding on the drawing: the state, the walks, what has failed. All by index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from momlint.words import arrow

if TYPE_CHECKING:
    from momlint.findings import Finding
    from momlint.view.form import Picture


class Shown(NamedTuple):
    """`state`: the picture's, None for none in particular. `walks`: the brokers of each; `cables`: the links of each.

    `pair`: the pair that it is about, for the walk that the picture has of it.
    """

    state: int | None = None
    walks: tuple[tuple[int, ...], ...] = ()
    cables: tuple[tuple[int, ...], ...] = ()
    links: tuple[int, ...] = ()
    brokers: tuple[int, ...] = ()
    pair: int | None = None


def shown(finding: Finding, picture: Picture, index: Index) -> Shown:
    """What its witness names, as far as the drawing has it."""
    witness = finding.witness
    if witness is None:
        return Shown()
    links = tuple(index.links[name] for name in witness.cut if name in index.links)
    brokers = tuple(index.brokers[name] for name in witness.cut if name in index.brokers and name not in index.links)
    state: int | None = None
    if witness.colour is not None:
        state = index.colours.get(witness.colour)
    elif witness.cut:
        state = index.failures.get((links, brokers))
    elif picture.states:
        state = 0
    named: list[Sequence[str]] = [witness.walk] if witness.walk else []
    named += [walk for path in witness.paths if (walk := index.walk(path)) is not None]
    walks = tuple(
        tuple(index.brokers[name] for name in walk) for walk in named if all(n in index.brokers for n in walk)
    )
    cables = tuple(tuple(index.cable(one, other, state) for one, other in pairwise(walk)) for walk in walks)
    source = witness.source or (witness.walk[0] if witness.walk else None)
    pair = None
    if source is not None and witness.destination is not None:
        pair = index.pairs.get((index.brokers.get(source, -1), index.brokers.get(witness.destination, -1)))
    return Shown(state, walks, cables, links, brokers, pair)


class Index:
    """The names of a picture."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.brokers = {one.id: number for number, one in enumerate(picture.brokers)}
        self.links = {one.id: number for number, one in enumerate(picture.links)}
        self.colours = {one.name: number for number, one in enumerate(picture.states) if one.kind == "colour"}
        self.failures: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        for number, one in enumerate(picture.states):
            self.failures.setdefault((tuple(sorted(one.links)), tuple(sorted(one.brokers))), number)
        self.pairs: dict[tuple[int, int], int] = {}
        for number, pair in enumerate(picture.pairs):
            self.pairs.setdefault((pair.tail, pair.head), number)
        self._between: dict[tuple[int, int], list[int]] = {}
        for number, link in enumerate(picture.links):
            self._between.setdefault((link.tail, link.head), []).append(number)
            if not link.one_way:
                self._between.setdefault((link.head, link.tail), []).append(number)

    def cable(self, tail: int, head: int, state: int | None) -> int:
        """The link of a hop, one that has not failed if there is one; -1 where there is none."""
        several = self._between.get((tail, head), ())
        dead = self.picture.states[state].links if state is not None else ()
        return next((one for one in several if one not in dead), several[0] if several else -1)

    def walk(self, path: str) -> Sequence[str] | None:
        """The brokers of a path that is written with arrows; None where that is not to be told from their names."""
        names = path.split(arrow(("", "")))
        return names if all(name in self.brokers for name in names) else None
