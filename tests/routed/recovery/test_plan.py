"""Colours in their order, and next hops in every colour against networkx."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.errors import UsageError
from momlint.estate.resolved import Colour, Group, Tolerate
from momlint.findings import Place
from momlint.routed.recovery.colours import Failure, count_tolerated, planned_colours, tolerated
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.sizes import neighbour_counts, row_bound
from tests.budget import examples
from tests.routed.recovery.estates import NOWHERE, expand, make_estate, oracle_tables, random_estate, triangle

PROMISES = [
    Tolerate(),
    Tolerate(links=1),
    Tolerate(brokers=1),
    Tolerate(links=1, brokers=1),
    Tolerate(links=2),
    Tolerate(links=2, brokers=1),
    Tolerate(brokers=2),
]


def test_links_come_before_brokers_and_single_failures_before_combinations() -> None:
    names = {colour.name: colour.failure for colour in planned_colours(triangle(Tolerate(links=1, brokers=1)))}
    assert names == {
        "1": Failure(),
        "2": Failure(links=(0,)),
        "3": Failure(links=(1,)),
        "4": Failure(links=(2,)),
        "5": Failure(brokers=(0,)),
        "6": Failure(brokers=(1,)),
        "7": Failure(brokers=(2,)),
        **{str(8 + 3 * link + broker): Failure((link,), (broker,)) for link in range(3) for broker in range(3)},
    }
    assert list(names) == [str(number) for number in range(1, 17)]


def test_two_links_then_a_link_and_a_broker_then_two_brokers() -> None:
    kinds = [(len(f.links), len(f.brokers)) for f in tolerated(3, 2, Tolerate(links=2, brokers=2))]
    assert kinds == (
        [(0, 0)] + [(1, 0)] * 3 + [(0, 1)] * 2 + [(2, 0)] * 3 + [(1, 1)] * 6 + [(0, 2)] + [(2, 1)] * 6
        + [(1, 2)] * 3 + [(2, 2)] * 3
    )  # fmt: skip


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3), st.integers(0, 3))
def test_every_tolerated_failure_has_exactly_one_place(links: int, brokers: int, k: int, b: int) -> None:
    promise = Tolerate(k, b)
    listed = list(tolerated(links, brokers, promise))
    assert len(listed) == len(set(listed)) == count_tolerated(links, brokers, promise)
    for failure in listed:
        assert len(failure.links) <= k
        assert len(failure.brokers) <= b
    assert len(listed) == sum(comb(links, i) for i in range(k + 1)) * sum(comb(brokers, i) for i in range(b + 1))


def test_declared_colours_keep_their_names_and_places() -> None:
    declared = [Colour("calm", NOWHERE), Colour("3", NOWHERE._replace(document=7), (2,)), Colour("x", NOWHERE, (0, 1))]
    colours = planned_colours(make_estate(3, [(0, 1), (0, 2), (1, 2)], Tolerate(links=1), declared))
    assert [(c.name, c.failure) for c in colours] == [
        ("calm", Failure()),
        ("3", Failure((2,))),
        ("x", Failure((0, 1))),
        ("1", Failure((0,))),
        ("2", Failure((1,))),
    ]
    assert colours[1].place == NOWHERE._replace(document=7)
    assert colours[3].place is None


def test_new_names_pass_over_those_in_use() -> None:
    declared = [Colour("2", NOWHERE, (1,))]
    colours = planned_colours(make_estate(3, [(0, 1), (0, 2), (1, 2)], Tolerate(links=1), declared))
    assert [c.name for c in colours] == ["2", "1", "3", "4"]
    assert [c.failure for c in colours] == [Failure((1,)), Failure(), Failure((0,)), Failure((2,))]


def test_declared_colours_alone_are_planned_with_the_one_without_failure() -> None:
    made = plan(make_estate(3, [(0, 1), (0, 2), (1, 2)], None, [Colour("red", NOWHERE, (0,))]))
    assert [c.name for c in made.colours] == ["red", "1"]
    assert made.home == 1


def test_an_estate_that_promises_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match=r"nothing to plan for.*tolerate"):
        plan(triangle(None))


def test_too_many_colours_are_refused_with_the_limit_and_the_count() -> None:
    ring = make_estate(100, [(i, (i + 1) % 100) for i in range(100)], Tolerate(links=3))
    # 1 + 100 + 4950 + 161700
    with pytest.raises(UsageError, match=r"166,751 colours.*at most 65,536"):
        plan(ring)
    with pytest.raises(UsageError, match=r"4 colours.*at most 3"):
        plan(triangle(), most=3)


@settings(max_examples=examples(250), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(PROMISES))
def test_condensed_and_expanded_again_it_is_dijkstra_in_every_colour(seed: int, promise: Tolerate) -> None:
    estate = random_estate(seed, promise)
    made = plan(estate)
    table = made.table()
    found = expand(table)
    assert all(len(rows) == 1 for rows in found.values())
    assert {key: hop for key, ((_, hop),) in found.items()} == oracle_tables(
        estate, [colour.failure for colour in made.colours]
    )
    # Rows of one broker differ in destination or next hop, and are in the order of first use.
    order = [(int(table.broker[r]), int(table.colours_of(r)[0]), int(table.to[r])) for r in range(table.rows)]
    assert order == sorted(set(order))
    assert len({(int(table.broker[r]), int(table.to[r]), int(table.via[r])) for r in range(table.rows)}) == table.rows
    size = made.sizes(table)
    assert (size.rows <= size.bound).all()
    o = made.overlay
    assert (size.bound == row_bound(o.n, neighbour_counts(o.n, o.arc_tail, o.arc_head))).all()
    assert size.listed.sum() == len(found)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_larger_graphs_too(seed: int) -> None:
    estate = random_estate(seed, Tolerate(links=1, brokers=1), most=16)
    made = plan(estate)
    found = expand(made.table())
    assert {key: hop for key, ((_, hop),) in found.items()} == oracle_tables(
        estate, [colour.failure for colour in made.colours]
    )


def test_groups_have_colours_of_their_own() -> None:
    """A triangle; a duct with two links, a rack with a broker and a link, and a group that is one link again."""
    groups = [((0, 1), ()), ((2,), (0,)), ((1,), ())]
    promise = Tolerate(links=1, groups=1)
    single = [Failure(), *(Failure((link,)) for link in range(3)), Failure((0, 1)), Failure((2,), (0,))]
    # The third group alone is the second link; of the pairs, the first link or the second and the duct are the duct.
    pairs = [
        Failure((0, 2), (0,)),  # link 0 with the rack
        Failure((1, 2), (0,)),  # link 1 with the rack
        Failure((0, 1, 2)),  # link 2 with the duct
        Failure((1, 2)),  # link 2 with the third
    ]
    assert list(tolerated(3, 3, promise, groups)) == [*single, *pairs]
    assert count_tolerated(3, 3, promise, 3) == 16
    estate = make_estate(3, [(0, 1), (0, 2), (1, 2)], promise)
    estate.groups = [Group(f"g{i}", Place(0, ("groups", f"g{i}")), *members) for i, members in enumerate(groups)]
    assert [colour.failure for colour in planned_colours(estate)] == [*single, *pairs]
