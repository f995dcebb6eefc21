"""Sums by columns are exact before they are rounded, as those of `math.fsum`."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vivavoce.core.exact_sums import exact_sum

NUMBERS = st.floats(-1e300, 1e300) | st.sampled_from([5e-324, -5e-324, 1e-310, 0.1, -0.1, 2.0**60, -0.0])


@given(arrays(np.float64, st.integers(0, 40), elements=NUMBERS))
def test_it_is_the_sum_of_fsum(values: np.ndarray) -> None:
    assert exact_sum(values) == math.fsum(values.tolist())


def test_many_are_summed_without_a_rounding_between_them() -> None:
    values = np.random.default_rng(1).exponential(size=50_000) - 1
    assert exact_sum(values) == math.fsum(values.tolist()) != float(np.cumsum(values)[-1])


@pytest.mark.parametrize("odd", [math.inf, math.nan])
def test_what_is_no_number_stays_none(odd: float) -> None:
    assert repr(exact_sum(np.array([1.0, odd]))) == repr(math.fsum([1.0, odd]))


def test_it_is_never_minus_zero() -> None:
    assert math.copysign(1, exact_sum(np.array([-0.0]))) == 1
