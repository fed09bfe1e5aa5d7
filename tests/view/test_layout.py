"""Where brokers are drawn: apart from each other, in the frame, and the same every time."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from momlint.view.layout import lay_out, paths

RING = [(i, (i + 1) % 12) for i in range(12)]
STAR = [(0, i) for i in range(1, 30)]
GRID = [(i, i + 1) for i in range(64) if i % 8 < 7] + [(i, i + 8) for i in range(56)]
PARTS = [(0, 1), (1, 2), (3, 4), (6, 7), (7, 8), (8, 6)]


@pytest.mark.parametrize(
    ("brokers", "links"),
    [
        (1, []),
        (2, [(0, 1)]),
        (5, []),
        (12, RING),
        (30, STAR),
        (64, GRID),
        (9, PARTS),
        (3, [(0, 1), (0, 1), (1, 2), (2, 2)]),
    ],
)
def test_brokers_stand_apart_and_within_the_frame(brokers: int, links: list[tuple[int, int]]) -> None:
    layout = lay_out(brokers, links)
    assert len(layout.spots) == brokers
    for x, y in layout.spots:
        assert 20 <= x <= layout.width - 20
        assert 20 <= y <= layout.height - 20
    for one, other in itertools.combinations(layout.spots, 2):
        assert math.dist(one, other) > 16


def test_the_drawing_is_the_same_every_time_and_links_are_not_much_longer_than_others() -> None:
    rng = random.Random(5)
    links = [(i, rng.randrange(i)) for i in range(1, 80)]
    layout = lay_out(80, links)
    assert layout == lay_out(80, links)
    lengths = [math.dist(layout.spots[one], layout.spots[other]) for one, other in links]
    strangers = [math.dist(one, other) for one, other in itertools.combinations(layout.spots, 2)]
    assert sum(lengths) / len(lengths) < sum(strangers) / len(strangers) / 2


def test_neighbours_in_a_ring_are_nearer_than_opposites() -> None:
    spots = lay_out(12, RING).spots
    near = max(math.dist(spots[i], spots[(i + 1) % 12]) for i in range(12))
    far = min(math.dist(spots[i], spots[(i + 6) % 12]) for i in range(12))
    assert far > 2 * near


def test_parallel_links_are_drawn_apart_whichever_way_they_are_written() -> None:
    drawn = paths([(0.0, 0.0), (100.0, 0.0)], [(0, 1), (1, 0), (0, 1)])
    assert drawn[1] == "M100 0L0 0"
    # Of the other two one is bent to each side, by as much.
    assert [drawn[0], drawn[2]] == ["M0 0Q50.0 -40.0 100 0", "M0 0Q50.0 40.0 100 0"]
