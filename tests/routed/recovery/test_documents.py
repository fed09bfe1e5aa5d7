"""The three-broker example of the thesis (6.1, 6.4) and the paper (002): tables copied from there."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np

from momlint.estate import load_source
from momlint.routed.overlay.super_tables import RecoveryTable, table_of_rows
from momlint.routed.overlay.uncondensing import uncondense
from momlint.routed.recovery.colours import Failure
from momlint.routed.recovery.lookup import look_up
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.sizes import neighbour_counts, row_bound, sizes
from momlint.source import read_source
from tests.routed.recovery.estates import expand, triangle

#: Table 6-3 (paper Table III): colour → F(i,j).
COLOURS = {"1": (), "2": (1, 2), "3": (1, 3), "4": (2, 3)}

#: Tables 6-1, 6-2 (paper I, II), 6-6, 6-8: broker → colour → destination → next hop.
PLAIN = {
    1: {1: {2: 2, 3: 3}, 2: {2: 3, 3: 3}, 3: {2: 2, 3: 2}, 4: {2: 2, 3: 3}},
    2: {1: {1: 1, 3: 3}, 2: {1: 3, 3: 3}, 3: {1: 1, 3: 3}, 4: {1: 1, 3: 1}},
    3: {1: {1: 1, 2: 2}, 2: {1: 1, 2: 2}, 3: {1: 2, 2: 2}, 4: {1: 1, 2: 1}},
}

#: Tables 6-4 (paper IV), 6-7, 6-9: broker → address → (destination, next hop, colours).
SUPER = {
    1: [(2, 2, {1, 3, 4}), (3, 3, {1, 2, 4}), (2, 3, {2}), (3, 2, {3})],
    2: [(1, 1, {1, 3, 4}), (1, 3, {2}), (3, 3, {1, 2, 3}), (3, 1, {4})],
    3: [(1, 1, {1, 2, 4}), (2, 2, {1, 2, 3}), (1, 2, {3}), (2, 1, {4})],
}

#: Formulas 6-3 (paper 3) and 6-10: rows are destinations 1 … 3, columns colours 1 … 4.
LOOK_UP = {
    1: [[1, 1, 1, 1], [2, 3, 2, 2], [3, 3, 2, 3]],
    3: [[1, 1, 2, 1], [2, 2, 2, 1], [3, 3, 3, 3]],
}


def rows_of(table: RecoveryTable, broker: int) -> list[tuple[int, int, set[int]]]:
    return [
        (int(table.to[row]) + 1, int(table.via[row]) + 1, {colour + 1 for colour in table.colours_of(row).tolist()})
        for row in np.flatnonzero(table.broker == broker - 1).tolist()
    ]


def test_colours_are_numbered_as_in_table_6_3() -> None:
    estate = triangle()
    made = {colour.name: colour.failure for colour in plan(estate).colours}
    for name, ends in COLOURS.items():
        links = tuple(i for i, link in enumerate(estate.links) if ends == (link.tail + 1, link.head + 1))
        assert made[name] == Failure(links)
    assert len(made) == 4


def test_plain_tables_equal_6_1_6_2_6_6_and_6_8() -> None:
    found = expand(plan(triangle()).table())
    printed = {
        (broker - 1, to - 1, colour - 1): via - 1
        for broker, by_colour in PLAIN.items()
        for colour, table in by_colour.items()
        for to, via in table.items()
    }
    assert {key: hop for key, ((_, hop),) in found.items()} == printed


def test_super_tables_equal_6_4_and_6_9_row_by_row() -> None:
    table = plan(triangle()).table()
    assert rows_of(table, 1) == SUPER[1]
    assert rows_of(table, 3) == SUPER[3]


def test_super_table_6_7_has_the_same_rows_printed_by_destination() -> None:
    # Tables 6-4 and 6-9 are in the order in which the condenser of 6.1.2 appends rows, Table 6-7 is not.
    rows = rows_of(plan(triangle()).table(), 2)
    assert sorted(rows, key=lambda row: row[0]) == SUPER[2]
    appended = []
    for colour in sorted(PLAIN[2]):
        appended += [(to, via) for to, via in PLAIN[2][colour].items() if (to, via) not in appended]
    assert [row[:2] for row in rows] == appended


def test_look_up_arrays_equal_6_3_and_6_10() -> None:
    table = plan(triangle()).table()
    for broker, printed in LOOK_UP.items():
        found = look_up(table, broker - 1, 3)
        assert (found.next_hop + 1).tolist() == printed
        for to, line in enumerate(found.address.tolist()):
            for colour, address in enumerate(line):
                if to == broker - 1:
                    assert address == 0
                else:
                    row = SUPER[broker][address - 1]
                    assert row[0] == to + 1
                    assert row[1] == printed[to][colour]
                    assert colour + 1 in row[2]


def test_bound_6_1_is_met() -> None:
    made = plan(triangle())
    o = made.overlay
    near = neighbour_counts(3, o.arc_tail, o.arc_head)
    assert row_bound(3, near).tolist() == [4, 4, 4]  # (3 - 1) x 2
    found = sizes(made.table(), 3, near)
    assert found.rows.tolist() == [4, 4, 4]
    assert found.plain_tables == 3 + 1  # 6-4: L + 1
    assert found.plain_entries == (3 * 2 // 2 + 1) * (3 - 1)  # 6-9: (N D / 2 + 1)(N - 1)
    assert found.listed.tolist() == [8, 8, 8]


def test_a_slip_between_colours_2_and_3_at_broker_3_is_found() -> None:
    """The slip that is told of Table 6-8: broker 3's next hops for 1 in colours 2 and 3, exchanged.

    In the text that we have, Table 6-8 agrees with Table 6-9; with the two cells exchanged, exactly these two entries
    differ from the super table, and the one in colour 3 runs into the failed link 1-3.
    """
    slipped = {colour: dict(table) for colour, table in PLAIN[3].items()}
    slipped[2][1], slipped[3][1] = PLAIN[3][3][1], PLAIN[3][2][1]
    made = plan(triangle())
    found = expand(made.table())
    differing = [
        (colour, to)
        for colour, table in slipped.items()
        for to, via in table.items()
        if found[2, to - 1, colour - 1][0][1] != via - 1
    ]
    assert differing == [(2, 1), (3, 1)]
    assert COLOURS["3"] == (slipped[3][1], 3)


def test_the_rows_of_format_md_are_read_back(tmp_path: Path) -> None:
    text = "momlint: 1\nbrokers: {1: , 2: , 3: }\nlinks: [{between: [1, 2]}, {between: [1, 3]}, {between: [2, 3]}]\n"
    text += "failures:\n  colours: {1: [], 2: [1--2], 3: [1--3], 4: [2--3]}\n  recovery:\n"
    for broker, rows in SUPER.items():
        text += f"    {broker}:\n"
        for to, via, colours in rows:
            text += f"      - {{to: {to}, via: {via}, colours: {sorted(colours)}}}\n"
    (loaded,) = load_source(read_source(text.encode(), "triangle.yaml"))
    assert loaded.estate is not None
    assert not loaded.problems
    rows_given = loaded.estate.recovery_rows
    assert rows_given is not None
    table = table_of_rows(rows_given, 4)
    entries = uncondense(table, 3, 0)
    assert not entries.clashes.used.size
    assert not entries.missing.rows
    by_row = count()
    for broker, rows in SUPER.items():
        for to, via, colours in rows:
            row = next(by_row)
            assert table.position[row] == row
            for colour in colours:
                key = ((colour - 1) * 3 + to - 1) * 3 + broker - 1
                at = np.searchsorted(entries.delta_key, key)
                if at < entries.delta_key.size and entries.delta_key[at] == key:
                    assert (entries.delta_next[at], entries.delta_row[at]) == (via - 1, row)
                else:
                    assert entries.base[to - 1, broker - 1] == via - 1
                    assert entries.base_row[to - 1, broker - 1] == row
