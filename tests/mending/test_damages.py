"""Damages to right tables are mended: to right tables, by as few rows as can be, and nothing else is touched.

What is right is judged with networkx from the graph alone; that fewer rows would not do, by trying every change.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import networkx as nx
import pytest
import yaml

from momlint.findings import Finding
from momlint.lint import Options, lint_bytes, merge
from momlint.mending.mend import Mended, Mending
from tests.budget import ALL
from tests.routed.checks.recovery_estates import Recovery, Row, plan

FILE = "estate.yaml"
#: So many of the damaged estates are mended, at least.
SINGLE, DOUBLE = 0.95, 0.80
A_BLOCK = 20
BLOCKS = 8 if ALL else 1


def found(text: str, options: Options) -> list[Finding]:
    return merge([lint_bytes(text.encode(), FILE, options)], options).findings


def mend(text: str, ignore: tuple[str, ...] = ()) -> tuple[Mended, str]:
    mending = Mending(Options(ignore=ignore), {FILE: text.encode()})
    (mended,) = mending.mend([FILE])
    return mended, mending.contents[FILE].decode()


def random_plan(rng: random.Random, least: int = 4, most: int = 7) -> Recovery:
    """Right tables of a random connected graph, for single links or single brokers."""
    n = rng.randint(least, most)
    graph = nx.Graph()
    graph.add_nodes_from(range(1, n + 1))
    graph.add_edges_from((rng.randint(1, broker - 1), broker) for broker in range(2, n + 1))
    graph.add_edges_from(rng.sample(range(1, n + 1), 2) for _ in range(rng.randint(1, n)))
    return plan(graph, rng.choice(["single-link", "single-broker"]))


def damage(recovery: Recovery, rng: random.Random) -> str:
    """One of the damages of the tests of recovery tables; its name."""
    index = rng.randrange(len(recovery.rows))
    row = recovery.rows[index]
    kind = rng.choice(["via", "via", "remove", "fewer", "more", "double", "moved"])
    others = sorted(set(recovery.graph) - {row.via, row.broker})
    more = sorted(set(recovery.failures) - set(row.colours))
    if kind == "remove":
        recovery.rows.pop(index)
    elif kind == "fewer" and len(row.colours) > 1:
        row.colours.remove(rng.choice(row.colours))
    elif kind == "more" and more:
        row.colours = sorted([*row.colours, rng.choice(more)])
    elif kind == "double":
        again = Row(row.broker, row.to, rng.choice([*others, row.via]), [rng.choice(row.colours)])
        recovery.rows.insert(rng.randrange(len(recovery.rows)), again)
    elif kind == "moved" and len(row.colours) > 1:
        recovery.rows.append(Row(row.broker, row.to, rng.choice(others), [row.colours.pop(0)]))
    else:
        kind = "via"
        row.via = rng.choice(others)
    return kind


class Judge:
    """What is right, by the distances in what is left of the graph."""

    def __init__(self, recovery: Recovery) -> None:
        self.right: dict[tuple[int, int], dict[int, set[int]]] = {
            (at, to): {} for at in recovery.graph for to in recovery.graph if at != to
        }
        for colour in recovery.failures:
            left = recovery.left(colour)
            for to, distance in nx.all_pairs_shortest_path_length(left):
                for at in distance:
                    if at != to:
                        hops = {via for via in left[at] if distance.get(via) == distance[at] - 1}
                        self.right[at, to][colour] = hops

    def is_right(self, rows: list[Row]) -> bool:
        """Whether every entry with a path left stands in one row, on a shortest path, and no other entry does."""
        given: dict[tuple[int, int], list[Row]] = {pair: [] for pair in self.right}
        for row in rows:
            given[row.broker, row.to].append(row)
        return all(self.is_right_for(pair, rows) for pair, rows in given.items())

    def is_right_for(self, pair: tuple[int, int], rows: list[Row]) -> bool:
        entries = [(colour, row.via) for row in rows for colour in row.colours]
        right = self.right[pair]
        return (
            sorted(colour for colour, _ in entries) == sorted(right)
            and all(via in right[colour] for colour, via in entries)
            and all(row.colours for row in rows)
        )

    def fewest(self, pair: tuple[int, int], rows: list[Row], colours: list[int], most: int) -> int:
        """So many rows for one destination of one broker have to change, by trying all changes; more than `most`."""
        vias = sorted(set().union(*self.right[pair].values()) | {row.via for row in rows})
        sets = [list(some) for size in range(1, len(colours) + 1) for some in combinations(colours, size)]
        every = [Row(*pair, via, some) for via in vias for some in sets]

        def changed(rows: list[Row], left: int, fresh: list[Row]) -> bool:
            if self.is_right_for(pair, [*rows, *fresh]):
                return True
            if not left:
                return False
            for index in range(len(rows)):
                rest = rows[:index] + rows[index + 1 :]
                if changed(rest, left - 1, fresh) or any(changed(rest, left - 1, [*fresh, one]) for one in every):
                    return True
            return any(changed(rows, left - 1, [*fresh, one]) for one in every)

        return next((size for size in range(most + 1) if changed(rows, size, [])), most + 1)


def rows_of(text: str) -> list[Row]:
    tables = yaml.safe_load(text)["failures"]["recovery"]
    return [Row(at, one["to"], one["via"], one["colours"]) for at, rows in tables.items() for one in rows or ()]


def key(row: Row) -> tuple[int, int, int, tuple[int, ...]]:
    return row.broker, row.to, row.via, tuple(row.colours)


def changed_rows(before: list[Row], after: list[Row]) -> int:
    """How many rows are not as they were; one that went and one that came for the same destination are one."""
    gone = Counter(map(key, before)) - Counter(map(key, after))
    new = Counter(map(key, after)) - Counter(map(key, before))
    count = 0
    for pair in {row[:2] for row in (*gone, *new)}:
        count += max(*(sum(n for row, n in some.items() if row[:2] == pair) for some in (gone, new)))
    return count


def damaged(rng: random.Random, times: int, most: int = 7) -> Iterator[tuple[Recovery, Judge, list[str]]]:
    """Estates with so many damages that are not right any more."""
    while True:
        recovery = random_plan(rng, most=most)
        judge = Judge(recovery)
        assert judge.is_right(recovery.rows)
        kinds = [damage(recovery, rng) for _ in range(times)]
        if not judge.is_right(recovery.rows):
            yield recovery, judge, kinds


@pytest.mark.parametrize(("times", "share"), [(1, SINGLE), (2, DOUBLE), (4, DOUBLE)])
@pytest.mark.parametrize("block", range(BLOCKS))
def test_damages_are_mended(times: int, share: float, block: int) -> None:
    rng = random.Random(1000 * times + block)
    mended_right = 0
    for (recovery, judge, kinds), _ in zip(damaged(rng, times), range(A_BLOCK), strict=False):
        text = recovery.text()
        mended, after = mend(text)
        rows = rows_of(after)
        right = judge.is_right(rows)
        mended_right += right
        if right:
            # Shortest paths are clean, but for notes on the topology and on moments between colours.
            left = found(after, Options(ignore=("MOM5", "MOM407")))
            assert left == [], kinds
        assert changed_rows(recovery.rows, rows) == mended.rows <= times
        lines, new_lines = text.splitlines(), after.splitlines()
        for line in (Counter(lines) - Counter(new_lines)) + (Counter(new_lines) - Counter(lines)):
            assert line.lstrip().startswith("- {to: "), "only rows change"
        again, same = mend(after)
        assert (again.contents, same) == ({}, after), "a second time changes nothing"
    assert mended_right >= share * A_BLOCK, (mended_right, A_BLOCK)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_as_few_rows_as_can_be(block: int) -> None:
    """On three and four brokers every change of rows is tried, table by table."""
    rng = random.Random(77 + block)
    sizes: Counter[int] = Counter()
    for times in (1, 2, 2, 3):
        for _ in range(3):
            recovery, judge, kinds = next(damaged(rng, times, most=4))
            colours = sorted(recovery.failures)
            if len(colours) > 6:
                continue
            fewest = 0
            for pair in judge.right:
                rows = [row for row in recovery.rows if (row.broker, row.to) == pair]
                if not judge.is_right_for(pair, rows):
                    fewest += judge.fewest(pair, copy.deepcopy(rows), colours, 2)
            mended, after = mend(recovery.text())
            assert judge.is_right(rows_of(after)), kinds
            assert mended.rows == changed_rows(recovery.rows, rows_of(after)) == fewest, kinds
            sizes[fewest] += 1
    assert {1, 2} <= set(sizes)
