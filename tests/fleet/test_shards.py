"""Cutting work into shards."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from momlint.fleet.shards import ROUNDS, TARGET, cut

SECONDS = st.lists(st.floats(0, 20, allow_nan=False), max_size=60)


@given(SECONDS, st.integers(1, 8))
def test_every_unit_is_in_one_shard_and_in_order(seconds: list[float], takers: int) -> None:
    shards = cut(seconds, takers)
    assert [unit for shard in shards for unit in shard] == list(range(len(seconds)))
    assert all(shards)


@given(SECONDS, st.integers(1, 8))
def test_a_shard_of_several_units_is_not_much_over_its_size(seconds: list[float], takers: int) -> None:
    for shard in cut(seconds, takers):
        rest = sum(seconds[unit] for unit in shard[:-1])
        assert rest + seconds[shard[-1]] / 2 <= TARGET or len(shard) == 1


def test_much_work_makes_shards_of_the_target() -> None:
    shards = cut([0.1] * 1000, takers=2)
    assert {len(shard) for shard in shards[:-1]} == {round(TARGET / 0.1)}


def test_little_work_is_shared_out() -> None:
    assert len(cut([0.01] * 12, takers=2)) == 2 * ROUNDS


def test_a_large_unit_is_alone() -> None:
    assert cut([0.1, 9.0, 0.1], takers=1) == [[0], [1], [2]]
