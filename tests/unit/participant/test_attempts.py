"""How many turns pass in a minute, and visits in an hour."""

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.participant.rate_limit import HOUR_S, MINUTE_S, RateLimit


def test_as_many_pass_as_may_and_others_are_not_held_up_by_it() -> None:
    pace = RateLimit(2, MINUTE_S)
    assert [pace.passes("a", now_s) for now_s in (0.0, 1.0, 2.0)] == [True, True, False]
    assert pace.passes("b", 2.0)


def test_who_waits_until_the_first_is_a_minute_ago_may_go_on() -> None:
    pace = RateLimit(2, MINUTE_S)
    assert pace.passes("a", 0.0) and pace.passes("a", 30.0)
    assert not pace.passes("a", 59.9)
    assert pace.passes("a", 60.0)
    assert not pace.passes("a", 61.0)


@given(
    st.lists(st.floats(0, 5 * HOUR_S), max_size=60), st.integers(1, 5), st.sampled_from([MINUTE_S, HOUR_S])
)
def test_no_minute_or_hour_ever_holds_more_than_may_pass(
    moments: list[float], most: int, window_s: float
) -> None:
    pace = RateLimit(most, window_s)
    passed = [now_s for now_s in sorted(moments) if pace.passes("a", now_s)]
    for begin_s in passed:
        assert sum(begin_s <= now_s < begin_s + window_s for now_s in passed) <= most
