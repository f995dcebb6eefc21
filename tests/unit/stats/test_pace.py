"""When a planned number of visits is reached; limits from printed tables of the F distribution."""

import pytest

from vivavoce.stats.eta import time_to_come

HOUR = 3600.0


def test_the_expected_time_is_that_of_the_pace_and_its_limits_are_those_of_the_tables() -> None:
    # upper 2.5 % points of F: (20, 20) 2.46, (20, 10) 3.42; the lower one of (10, 20) is 1 / 3.42
    found = time_to_come(10, 5 * HOUR, 10)
    assert found is not None and found.expected_s == 5 * HOUR
    assert found.high_s == pytest.approx(5 * HOUR * 2.46, rel=0.002)
    few = time_to_come(5, HOUR, 10)
    assert few is not None and few.high_s == pytest.approx(10 * HOUR / 5 * 3.42, rel=0.002)
    many = time_to_come(9, HOUR, 5)  # the lower limit counts one visit more
    assert many is not None and many.low_s == pytest.approx(5 * HOUR / 10 / 3.42, rel=0.002)


def test_more_visits_tell_more() -> None:
    few, many = time_to_come(5, HOUR, 50), time_to_come(500, 100 * HOUR, 50)
    assert few is not None and many is not None and few.expected_s == many.expected_s
    assert few.low_s < many.low_s < many.expected_s < many.high_s < few.high_s


@pytest.mark.parametrize(("visits", "observed_s"), [(0, HOUR), (4, HOUR), (9, 0.0)])
def test_fewer_than_five_visits_or_no_time_tell_nothing(visits: int, observed_s: float) -> None:
    assert time_to_come(visits, observed_s, 10) is None
