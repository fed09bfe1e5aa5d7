"""Rows of any kind back to base + deltas, against going through them one by one."""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate.resolved import RecoveryRow, Tolerate
from momlint.routed.overlay import NO_HOP, NO_ROW
from momlint.routed.overlay.super_tables import RecoveryTable, table_of_rows
from momlint.routed.overlay.uncondensing import Entries, uncondense
from momlint.routed.recovery.lookup import look_up
from momlint.routed.recovery.planning import plan
from tests.budget import examples
from tests.routed.recovery.estates import NOWHERE, expand, random_estate


def entry(entries: Entries, n: int, colour: int, dest: int, loc: int) -> tuple[int, int]:
    key = (colour * n + dest) * n + loc
    at = int(np.searchsorted(entries.delta_key, key))
    if at < entries.delta_key.size and entries.delta_key[at] == key:
        return int(entries.delta_next[at]), int(entries.delta_row[at])
    return int(entries.base[dest, loc]), int(entries.base_row[dest, loc])


def same(some: Entries, others: Entries) -> None:
    for part in fields(Entries):
        one, other = getattr(some, part.name), getattr(others, part.name)
        for field in fields(one) if is_dataclass(one) else ():
            assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), (part.name, field.name)
        if not is_dataclass(one):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other), part.name


def check(table: RecoveryTable, n: int, home: int) -> Entries:
    entries = uncondense(table, n, home)
    claims = expand(table)
    assert (np.diff(entries.delta_key) > 0).all()
    missing, clashes = set(), {}
    for loc in range(n):
        for dest in range(n):
            for colour in range(table.colours):
                rows = claims.get((loc, dest, colour), []) if loc != dest else []
                expected = (rows[0][1], rows[0][0]) if rows else (NO_HOP, NO_ROW)
                assert entry(entries, n, colour, dest, loc) == expected
                if loc != dest and not rows:
                    missing.add((loc, dest, colour))
                for row, _ in rows[1:]:
                    clashes.setdefault((rows[0][0], row), []).append(colour)
    assert set(expand(entries.missing)) == missing
    assert (entries.missing.via == NO_HOP).all()
    found = entries.clashes
    assert list(zip(found.used.tolist(), found.unused.tolist(), strict=True)) == sorted(clashes)
    assert found.colour.tolist() == [min(clashes[pair]) for pair in sorted(clashes)]
    assert found.count.tolist() == [len(clashes[pair]) for pair in sorted(clashes)]
    idle = [r for r in range(table.rows) if table.broker[r] == table.to[r] or not table.colours_of(r).size]
    assert entries.idle.tolist() == idle
    # Home is the base, and without turning it round: no more deltas than twice what the rows list.
    assert not ((entries.delta_key >= home * n * n) & (entries.delta_key < (home + 1) * n * n)).any()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("momlint.routed.overlay.uncondensing.MOST_EXPANDED", 0)
        lean = uncondense(table, n, home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("momlint.routed.overlay.uncondensing._BLOCK", 1)
        same(uncondense(table, n, home), entries)
    claimed = {(int(table.broker[r]), int(table.to[r])) for r in range(table.rows) if table.inverted[r]}
    assert (
        lean.delta_key.size
        <= 2 * table.listed.size + (len(claimed) < int(table.inverted.sum())) * table.colours * n * n
    )
    for loc in range(n):
        for dest in range(n):
            for colour in range(table.colours):
                assert entry(lean, n, colour, dest, loc) == entry(entries, n, colour, dest, loc)
    for broker in range(n):
        array = look_up(table, broker, n)
        for dest in range(n):
            for colour in range(table.colours):
                hop = broker if dest == broker else entry(entries, n, colour, dest, broker)[0]
                assert array.next_hop[dest, colour] == hop
    return entries


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[RecoveryRow], int, int]:
    """Rows as people write them: overlapping, with gaps, idle, repeated; few brokers, so that they meet."""
    n, colours = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    chance = random.Random(draw(st.integers(0, 2**32)))
    made = []
    for _ in range(draw(st.integers(0, 14))):
        size = chance.choice([0, 1, 1, 2, colours // 2, colours - 1, colours])
        chosen = tuple(chance.choices(range(colours), k=min(size, colours)))
        place = (chance.randrange(n), chance.randrange(n), chance.randrange(n))
        made.append(RecoveryRow(NOWHERE, *place, chosen, chance.random() < 0.4))
    return made, n, colours


@settings(max_examples=examples(400), deadline=None)
@given(rows(), st.data())
def test_any_rows(given_rows: tuple[list[RecoveryRow], int, int], data: st.DataObject) -> None:
    made, n, colours = given_rows
    table = table_of_rows(made, colours)
    for index, row in enumerate(made):
        chosen = set(range(colours)) - set(row.colours) if row.inverted else set(row.colours)
        assert set(table.colours_of(index).tolist()) == chosen
        assert table.inverted[index] == (2 * len(chosen) > colours)
    check(table, n, data.draw(st.integers(0, colours - 1)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_planned_rows_give_back_the_plan(seed: int) -> None:
    estate = random_estate(seed, Tolerate(links=1, brokers=1), most=6)
    made = plan(estate)
    table, o = made.table(), made.overlay
    entries = check(table, o.n, made.home)
    assert not entries.clashes.used.size
    assert not entries.idle.size


def test_no_colours_and_no_rows() -> None:
    entries = uncondense(table_of_rows([], 0), 2, 0)
    assert (entries.base == NO_HOP).all()
    assert not entries.delta_key.size
    entries = uncondense(table_of_rows([], 3), 2, 0)
    assert not entries.delta_key.size
    assert sorted(expand(entries.missing)) == [(a, 1 - a, c) for a in (0, 1) for c in range(3)]


def test_rows_that_leave_out_the_normal_colour_do_not_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    n, colours = 40, 500
    made = [
        RecoveryRow(NOWHERE, loc, dest, dest, (0,), inverted=True)
        for loc in range(n)
        for dest in range(n)
        if loc != dest
    ]
    monkeypatch.setattr("momlint.routed.overlay.uncondensing.MOST_EXPANDED", 1000)
    entries = uncondense(table_of_rows(made, colours), n, 0)
    assert entries.delta_key.size == n * (n - 1)
    assert (entries.delta_next == NO_HOP).all()
    only_normal = [RecoveryRow(NOWHERE, row.location, row.destination, row.via, (0,)) for row in made]
    entries = uncondense(table_of_rows(only_normal, colours), n, 0)
    assert entries.delta_key.size == n * (n - 1)
    assert entries.missing.listed.size == n * (n - 1)


@pytest.mark.parametrize(("n", "dtype"), [(1, np.int8), (128, np.int8), (129, np.int16)])
def test_look_up_arrays_are_small(n: int, dtype: type) -> None:
    """A row of broker 0 by way of the last broker, which is the largest number that has to fit."""
    table = table_of_rows([RecoveryRow(NOWHERE, 0, n - 1, n - 1, (0,), False)], 2)
    array = look_up(table, 0, n)
    assert array.next_hop.dtype == dtype
    assert array.address.dtype == np.uint8
    assert array.next_hop[n - 1].tolist() == ([n - 1, -1] if n > 1 else [0, 0])
    assert array.next_hop.flags.c_contiguous
