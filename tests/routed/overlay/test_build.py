from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate.resolved import Link
from momlint.routed.overlay import NO_HOP, NO_ROW, build_overlay, next_hops
from tests.budget import examples
from tests.oracles import Oracle
from tests.routed.overlay.samples import (
    SIX_LINKS,
    SIX_TABLES,
    SIX_TOPICS,
    TRIANGLE_COLOURS,
    TRIANGLE_LINKS,
    TRIANGLE_RECOVERY,
    make_estate,
    place,
)

X = NO_HOP


def test_arcs_are_sorted_and_two_way_unless_one_way():
    links = [
        Link("b", place(), 1, 0, cost=2.0, latency_ms=7.0),
        Link("a", place(), 0, 1, cost=1.0, latency_ms=9.0),
        Link("c", place(), 0, 2, one_way=True),
        Link("self", place(), 2, 2),
    ]
    overlay = build_overlay(make_estate(3, links))
    fields = (overlay.arc_tail, overlay.arc_head, overlay.arc_cost, overlay.arc_latency, overlay.arc_link)
    assert [tuple(arc) for arc in zip(*fields, strict=True)] == [
        (0, 1, 1.0, 9.0, 1),
        (0, 1, 2.0, 7.0, 0),
        (0, 2, 1.0, 0.0, 2),
        (1, 0, 1.0, 9.0, 1),
        (1, 0, 2.0, 7.0, 0),
    ]
    assert overlay.links == 4
    assert overlay.failed_link.shape == (1, 4)


def test_six_brokers_shortest_paths_are_the_documents_tables():
    computed = build_overlay(make_estate(6, SIX_LINKS, topics=SIX_TOPICS))
    given = build_overlay(make_estate(6, SIX_LINKS, topics=SIX_TOPICS, protocol="tables", tables=SIX_TABLES))
    assert np.array_equal(computed.base, given.base)
    assert (computed.base_row == NO_ROW).all()
    assert given.base_row[4, 3] == 7  # broker 4 sends what is for 5 to 5: the eighth row
    assert given.base_row[0, 3] == 9
    pairs = list(zip((given.pair_source + 1).tolist(), (given.pair_dest + 1).tolist(), strict=True))
    assert pairs == [(1, 2), (1, 5), (3, 4), (5, 1), (5, 6), (6, 3)]


def test_without_topics_all_ordered_pairs_are_needed():
    overlay = build_overlay(make_estate(3, TRIANGLE_LINKS))
    pairs = list(zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_topics_without_a_pair_need_none():
    overlay = build_overlay(make_estate(3, TRIANGLE_LINKS, topics={"a": ([1], [1]), "b": ([], [2])}))
    assert overlay.pair_source.size == overlay.pair_dest.size == 0


def test_static_rows_override_and_the_first_counts():
    overlay = build_overlay(make_estate(3, TRIANGLE_LINKS, tables=[(0, 2, [1]), (0, 1, [1, 2]), (1, 0, [1])]))
    assert overlay.base.tolist() == [[X, 0, 0], [2, X, 1], [1, 2, X]]
    assert overlay.base_row.tolist() == [[X, X, X], [0, X, X], [1, X, X]]


def test_triangle_super_tables():
    overlay = build_overlay(make_estate(3, TRIANGLE_LINKS, colours=TRIANGLE_COLOURS, recovery=TRIANGLE_RECOVERY))
    # Look-up arrays of the documents, one row a destination, one column a colour.
    look_up = {
        1: {2: [2, 3, 2, 2], 3: [3, 3, 2, 3]},
        2: {1: [1, 3, 1, 1], 3: [3, 3, 3, 1]},
        3: {1: [1, 1, 2, 1], 2: [2, 2, 2, 1]},
    }
    for loc, rows in look_up.items():
        for dest, hops in rows.items():
            got = [int(next_hops(overlay, c)[0][dest - 1, loc - 1]) + 1 for c in range(4)]
            assert got == hops, (loc, dest)
    assert overlay.delta_key.size == 6  # two entries move for each failed link
    row_of = next_hops(overlay, 1)[1]
    assert row_of[1, 0] == 2  # (to 2, via 3, colour 2) at broker 1
    assert row_of[2, 1] == 6  # unchanged there


def test_a_healing_triangle_has_the_documents_tables():
    planned = build_overlay(make_estate(3, TRIANGLE_LINKS, colours=TRIANGLE_COLOURS, recovery=TRIANGLE_RECOVERY))
    healed = build_overlay(make_estate(3, TRIANGLE_LINKS, colours=TRIANGLE_COLOURS))
    assert np.array_equal(planned.base, healed.base)
    assert np.array_equal(planned.delta_key, healed.delta_key)
    assert np.array_equal(planned.delta_next, healed.delta_next)
    assert (healed.delta_row == NO_ROW).all()


def test_recovery_rows_missing_doubled_and_of_their_own_line():
    rows = [
        (0, 1, 1, [1]),  # 0: colour 1 is the first intact one, so the base
        (0, 1, 2, [1]),  # 1: the second row for that entry
        (0, 1, 1, [2]),  # 2: the same next hop, from another row
        (0, 0, 1, [1]),  # 3: to itself
        (1, 2, 2, [0, 2]),  # 4: not in the base
    ]
    overlay = build_overlay(make_estate(3, TRIANGLE_LINKS, colours=[([0], []), ([], []), ([2], [])], recovery=rows))
    assert overlay.base.tolist() == [[X, X, X], [1, X, X], [X, X, X]]
    assert overlay.base_row.tolist() == [[X, X, X], [0, X, X], [X, X, X]]
    deltas = {
        int(key): (int(hop), int(row))
        for key, hop, row in zip(overlay.delta_key, overlay.delta_next, overlay.delta_row, strict=True)
    }
    assert deltas == {
        (0 * 3 + 1) * 3 + 0: (X, NO_ROW),  # colour 0 has no row for it
        (0 * 3 + 2) * 3 + 1: (2, 4),
        (2 * 3 + 1) * 3 + 0: (1, 2),
        (2 * 3 + 2) * 3 + 1: (2, 4),
    }


def test_no_intact_colour_the_first_is_the_base():
    overlay = build_overlay(make_estate(3, TRIANGLE_LINKS, colours=[([0], []), ([1], [])], recovery=[(0, 1, 2, [0])]))
    assert overlay.base[1, 0] == 2
    assert overlay.delta_key.tolist() == [(1 * 3 + 1) * 3 + 0]
    assert overlay.delta_next.tolist() == [X]


def test_no_recovery_rows_at_all_is_not_the_same_as_none_declared():
    empty = build_overlay(make_estate(3, TRIANGLE_LINKS, colours=TRIANGLE_COLOURS, recovery=[]))
    assert (empty.base == X).all()
    assert empty.delta_key.size == 0


@pytest.mark.parametrize("n", [0, 1])
def test_next_to_nothing(n):
    overlay = build_overlay(make_estate(n, []))
    assert overlay.base.shape == (n, n)
    assert overlay.colours == 1
    assert overlay.pair_source.size == 0
    recovered = build_overlay(make_estate(n, [], colours=[([], [])], recovery=[]))
    assert recovered.delta_key.size == 0


@st.composite
def estates(draw):
    n = draw(st.integers(2, 7))
    broker = st.integers(0, n - 1)
    links = draw(
        st.lists(
            st.tuples(broker, broker, st.sampled_from([1.0, 2.0, 0.5])).filter(lambda link: link[0] != link[1]),
            max_size=10,
        )
    )
    tables = draw(st.lists(st.tuples(broker, broker, st.lists(broker, max_size=3)), max_size=6))
    some = st.lists(st.integers(0, max(len(links) - 1, 0)), max_size=2) if links else st.just([])
    colours = draw(st.lists(st.tuples(some, st.lists(broker, max_size=1)), min_size=1, max_size=5))
    protocol = draw(st.sampled_from(["shortest-path", "tables"]))
    recovery = None
    if draw(st.booleans()):
        used = st.lists(st.integers(0, len(colours) - 1), max_size=3, unique=True)
        recovery = draw(st.lists(st.tuples(broker, broker, broker, used), max_size=30))
    return make_estate(n, links, protocol=protocol, tables=tables, colours=colours, recovery=recovery)


@settings(max_examples=examples(400), deadline=None)
@given(estates())
def test_every_colour_reads_as_the_estate_says(estate):
    overlay = build_overlay(estate)
    n = overlay.n
    assert overlay.delta_key.tolist() == sorted(set(overlay.delta_key.tolist()))
    for c in range(len(estate.colours)):
        hop, row = next_hops(overlay, c)
        expected: dict[tuple[int, int], tuple[int, int]] = {}
        if estate.recovery_rows is not None:
            for index, given in enumerate(estate.recovery_rows):
                if c in given.colours and given.location != given.destination:
                    expected.setdefault((given.destination, given.location), (given.via, index))
        else:
            # Given rows stay in force whatever has failed; only what the protocol computes is computed anew.
            for index, given in enumerate(estate.table_rows):
                for d in given.destinations:
                    if d != given.location:
                        expected.setdefault((d, given.location), (given.via, index))
            if estate.protocol == "shortest-path":
                for at, v in Oracle(overlay).shortest(c)[1].items():
                    expected.setdefault(at, (v, NO_ROW))
        got = {(d, u): (int(hop[d, u]), int(row[d, u])) for d in range(n) for u in range(n) if hop[d, u] != NO_HOP}
        assert got == expected
