"""Estates for tests of `build_overlay`, straight from the resolved dataclasses; brokers count from 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from momlint.estate.resolved import Broker, Colour, Estate, Link, RecoveryRow, TableRow, Topic
from momlint.findings import Place


def place(*path: str | int) -> Place:
    return Place(0, path)


def make_estate(
    n: int,
    links: Sequence[tuple[int, int] | tuple[int, int, float] | Link],
    *,
    protocol: Literal["shortest-path", "tables"] = "shortest-path",
    tables: Sequence[tuple[int, int, Sequence[int]]] = (),
    topics: Mapping[str, tuple[Sequence[int], Sequence[int]]] | None = None,
    colours: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
    recovery: Sequence[tuple[int, int, int, Sequence[int]]] | None = None,
) -> Estate:
    """`tables`: (location, via, destinations). `colours`: (failed links, failed brokers). `recovery`: rows of
    (location, destination, via, colours)."""
    made = [
        link
        if isinstance(link, Link)
        else Link(
            id=f"{link[0]}--{link[1]}",
            place=place("links", index),
            tail=link[0],
            head=link[1],
            cost=link[2] if len(link) > 2 else 1.0,
        )
        for index, link in enumerate(links)
    ]
    return Estate(
        name="sample",
        brokers=[Broker(str(index + 1), place("brokers", str(index + 1))) for index in range(n)],
        links=made,
        topics=[
            Topic(name, place("topics", name), tuple(publishers), tuple(subscribers))
            for name, (publishers, subscribers) in (topics or {}).items()
        ],
        protocol=protocol,
        table_rows=[
            TableRow(place("routing", "tables", index), loc, via, tuple(dests), tuple(range(len(dests))))
            for index, (loc, via, dests) in enumerate(tables)
        ],
        colours=[
            Colour(str(index + 1), place("failures", "colours", str(index + 1)), tuple(down), tuple(dead))
            for index, (down, dead) in enumerate(colours or ())
        ]
        or [Colour("1", place())],
        colours_declared=colours is not None,
        recovery_rows=None
        if recovery is None
        else [
            RecoveryRow(place("failures", "recovery", index), loc, dest, via, tuple(used))
            for index, (loc, dest, via, used) in enumerate(recovery)
        ],
    )


#: Thesis 5.2: links 1-2, 2-3, 2-4, 4-5, 4-6; here from 0.
SIX_LINKS = [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5)]
SIX_TOPICS = {
    "A": ([0], [1, 4]),
    "B": ([2], [3]),
    "C": ([4], [0, 5]),
    "D": ([5], [2]),
}
#: The table of thesis 5.2 as (location, via, destinations).
SIX_TABLES = [
    (0, 1, [1, 2, 3, 4, 5]),
    (2, 1, [0, 1, 3, 4, 5]),
    (4, 3, [0, 1, 2, 3, 5]),
    (5, 3, [0, 1, 2, 3, 4]),
    (1, 0, [0]),
    (1, 2, [2]),
    (1, 3, [3, 4, 5]),
    (3, 4, [4]),
    (3, 5, [5]),
    (3, 1, [0, 1, 2]),
]

#: Thesis 6, paper 002: the triangle 1-2, 1-3, 2-3 with a colour for each link; here from 0.
TRIANGLE_LINKS = [(0, 1), (0, 2), (1, 2)]
TRIANGLE_COLOURS: list[tuple[list[int], list[int]]] = [([], []), ([0], []), ([1], []), ([2], [])]
#: The documents' super routing tables as (location, destination, via, colours).
TRIANGLE_RECOVERY = [
    (0, 1, 1, [0, 2, 3]),
    (0, 2, 2, [0, 1, 3]),
    (0, 1, 2, [1]),
    (0, 2, 1, [2]),
    (1, 0, 0, [0, 2, 3]),
    (1, 0, 2, [1]),
    (1, 2, 2, [0, 1, 2]),
    (1, 2, 0, [3]),
    (2, 0, 0, [0, 1, 3]),
    (2, 1, 1, [0, 1, 2]),
    (2, 0, 1, [2]),
    (2, 1, 0, [3]),
]
