"""Where brokers are drawn. The same brokers and links give the same drawing.

Each part that hangs together begins where distances over links put its brokers (classical scaling: the two largest
eigenvectors of the centred squares of distances), and rustworkx's springs, with a fixed seed, pull it into shape.
Parts stand beside one another, the largest first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Of more brokers distances take too much memory and time; springs alone must do.
_MOST_SCALED = 1_500
_SEED = 7
#: Springs, over all rounds.
_MOST_LOOKS = 1_000_000_000
#: Pixels from broker to broker over a link, on average, in small drawings and in large ones.
_WIDE, _NARROW = 110.0, 42.0
_MARGIN = 48.0
#: Pixels from a new broker to the ones that stand already.
_AWAY = 90.0
#: Pixels by which parallel links lie apart.
_APART = 20.0


class Layout(NamedTuple):
    """`spots`: x and y of each broker, in pixels from the top left; `width`, `height`: of the whole."""

    spots: list[tuple[float, float]]
    width: float
    height: float


def lay_out(brokers: int, links: Sequence[tuple[int, int]]) -> Layout:
    """Places for brokers that `links` (of ids from 0 on) join."""
    if not brokers:
        return Layout([], 2 * _MARGIN, 2 * _MARGIN)
    length = max(_NARROW, _WIDE - 0.9 * brokers)
    parts = [(members, _part(members, links, length)) for members in _parts(brokers, links)]
    total = sum((_size(spots)[0] + length) * (_size(spots)[1] + length) for _, spots in parts)
    row = max(1.5 * math.sqrt(total), *(_size(spots)[0] for _, spots in parts))
    found: list[tuple[float, float]] = [(0.0, 0.0)] * brokers
    left = top = below = right = 0.0
    for members, spots in parts:
        width, height = _size(spots)
        if left and left + width > row:
            left, top = 0.0, below
        for member, (x, y) in zip(members, spots.tolist(), strict=True):
            found[member] = (round(_MARGIN + left + x, 1), round(_MARGIN + top + y, 1))
        right, below = max(right, left + width), max(below, top + height + length)
        left += width + length
    return Layout(found, round(right + 2 * _MARGIN, 1), round(below - length + 2 * _MARGIN, 1))


def lay_beside(
    names: Sequence[str], links: Sequence[tuple[int, int]], known: Mapping[str, tuple[float, float]]
) -> Layout:
    """Places for brokers of which one at least stands at a `known` one: those stay, others go beside a neighbour."""
    spots = {name: known[name] for name in names if name in known}
    bottom = max(y for _, y in spots.values())
    near: dict[int, list[int]] = {}
    for tail, head in links:
        near.setdefault(tail, []).append(head)
        near.setdefault(head, []).append(tail)
    for number, name in enumerate(names):
        if name in spots:
            continue
        placed = [spots[names[one]] for one in near.get(number, ()) if names[one] in spots]
        x = sum(one[0] for one in placed) / len(placed) if placed else min(one[0] for one in spots.values())
        y = sum(one[1] for one in placed) / len(placed) if placed else bottom + _AWAY
        turn = 0
        while any(math.dist((x, y), other) < _AWAY / 2 for other in spots.values()):
            turn += 1
            x += _AWAY / 2 * math.cos(turn * 2.4)
            y += _AWAY / 2 * math.sin(turn * 2.4)
        spots[name] = (round(x, 1), round(y, 1))
    left, top = (min(0.0, min(one[axis] for one in spots.values()) - _MARGIN) for axis in (0, 1))
    at = [(round(spots[name][0] - left, 1), round(spots[name][1] - top, 1)) for name in names]
    width, height = (round(max(one[axis] for one in at) + _MARGIN, 1) for axis in (0, 1))
    return Layout(at, width, height)


def paths(spots: Sequence[tuple[float, float]], links: Sequence[tuple[int, int]]) -> list[str]:
    """The data of an SVG path for each link, from its first broker to its second; parallel ones are bent."""
    beside: dict[tuple[int, int], int] = {}
    several: dict[tuple[int, int], int] = {}
    for tail, head in links:
        ends = (min(tail, head), max(tail, head))
        several[ends] = several.get(ends, 0) + 1
    found = []
    for tail, head in links:
        ends = (min(tail, head), max(tail, head))
        number = beside.get(ends, 0)
        beside[ends] = number + 1
        (x, y), (u, v) = spots[tail], spots[head]
        bend = (number - (several[ends] - 1) / 2) * _APART
        if tail == head:
            found.append(f"M{x:g} {y:g}c-30 -40 30 -40 0 0")
        elif not bend:
            found.append(f"M{x:g} {y:g}L{u:g} {v:g}")
        else:
            # To the same side of the line whichever way the link is written.
            side = 1 if tail < head else -1
            far = math.hypot(u - x, v - y) or 1.0
            middle = (x + u) / 2 - side * 2 * bend * (v - y) / far, (y + v) / 2 + side * 2 * bend * (u - x) / far
            found.append(f"M{x:g} {y:g}Q{middle[0]:.1f} {middle[1]:.1f} {u:g} {v:g}")
    return found


def _parts(brokers: int, links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The parts that hang together, larger ones first, then in the order of their first brokers."""
    import rustworkx

    graph: rustworkx.PyGraph[None, None] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * brokers)
    graph.extend_from_edge_list(list(links))
    parts = [sorted(part) for part in rustworkx.connected_components(graph)]
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _part(members: Sequence[int], links: Sequence[tuple[int, int]], length: float) -> NDArray[np.float64]:
    """f64[members, 2]: places of one part, from 0 on."""
    import rustworkx

    if len(members) == 1:
        return np.zeros((1, 2))
    index = {member: number for number, member in enumerate(members)}
    ends = sorted({(index[min(pair)], index[max(pair)]) for pair in links if pair[0] in index and pair[0] != pair[1]})
    graph: rustworkx.PyGraph[None, float] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * len(members))
    graph.add_edges_from([(tail, head, 1.0) for tail, head in ends])
    start = None
    if len(members) <= _MOST_SCALED:
        scaled = _scaled(np.asarray(rustworkx.distance_matrix(graph)))
        start = {number: (float(x), float(y)) for number, (x, y) in enumerate(scaled)}
    # Each round looks at every pair of brokers.
    rounds = min(80 if start else 400, max(10, _MOST_LOOKS // len(members) ** 2))
    placed = rustworkx.spring_layout(graph, pos=start, seed=_SEED, num_iter=rounds)
    spots = np.array([placed[number] for number in range(len(members))])
    tail, head = np.array(ends).T
    usual = float(np.median(np.hypot(*(spots[tail] - spots[head]).T))) or 1.0
    spots *= length / usual
    # The longer side lies across, as screens do.
    _, axes = np.linalg.eigh(np.cov((spots - spots.mean(axis=0)).T))
    spots = spots @ _upright(axes[:, ::-1])
    shifted: NDArray[np.float64] = spots - spots.min(axis=0)
    return shifted


def _scaled(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """f64[n, 2]: places whose distances are about those given, within about -1 and 1."""
    n = len(distances)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ (distances**2) @ centre)
    places = _upright(vectors[:, -2:][:, ::-1]) * np.sqrt(np.maximum(values[-2:][::-1], 0.0))
    # Twins would lie upon each other, and springs could not part them.
    turn = np.arange(n) * 2.399963
    places = places + 0.02 * np.stack((np.cos(turn), np.sin(turn)), axis=1)
    scaled: NDArray[np.float64] = places / (np.abs(places).max() or 1.0)
    return scaled


def _upright(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same vectors, each with its largest entry above 0: which of the two signs comes out is chance."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    turned: NDArray[np.float64] = vectors * np.where(signs == 0, 1.0, signs)
    return turned


def _size(spots: NDArray[np.float64]) -> tuple[float, float]:
    return float(spots[:, 0].max()), float(spots[:, 1].max())
