from __future__ import annotations

import numpy as np
import pytest

from momlint.routed.overlay.costs import exact_costs


def test_decimals_are_what_the_user_wrote():
    costs = exact_costs(4, np.array([0.1, 0.2, 0.3]))
    assert costs.whole.dtype == np.int64
    assert costs.whole.tolist() == [1, 2, 3]
    assert costs.unit == pytest.approx(0.1)
    assert costs.as_float(np.array([3, 6])).tolist() == [0.3, 0.6]


def test_equal_costs_have_unit_one_whole():
    assert exact_costs(9, np.full(5, 2.5)).whole.tolist() == [1] * 5


def test_costs_too_far_apart_for_64_bits_stay_exact():
    costs = exact_costs(3, np.array([1e-300, 1e300, 1.0]))
    assert costs.whole.dtype == np.object_
    assert costs.whole.tolist() == [1, 10**600, 10**300]
    assert costs.as_float(costs.whole).tolist() == [1e-300, 1e300, 1.0]


def test_a_sum_beyond_floats_is_still_not_unreachable():
    costs = exact_costs(3, np.array([1.7e308, 1e-300]))
    assert np.isfinite(costs.as_float(np.array([costs.whole[0] * 2]))).all()
    assert np.isinf(costs.as_float(np.array([costs.infinite]))).all()


def test_sums_between_2_to_53_and_2_to_63_are_rounded_once():
    costs = exact_costs(20, np.array([0.1234567890123456, 1.0]))
    assert costs.whole.dtype == np.int64
    total = int(costs.whole[0]) * 19
    assert costs.as_float(np.array([total])).tolist() == [1234567890123456 * 19 / 10**16]


@pytest.mark.parametrize("bad", [0.0, -1.0, float("inf"), float("nan")])
def test_costs_must_be_positive_and_finite(bad):
    with pytest.raises(ValueError, match="positive finite"):
        exact_costs(2, np.array([1.0, bad]))


def test_no_arcs():
    costs = exact_costs(5, np.zeros(0))
    assert costs.whole.size == 0
    assert np.isinf(costs.as_float(np.array([costs.infinite]))).all()
