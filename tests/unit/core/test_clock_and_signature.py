"""Time as a port, and the line behind a number."""

from vivavoce.core.clock import ManualClock, SystemClock
from vivavoce.core.result import installed_version, signature


def test_a_wall_clock_that_is_set_back_does_not_touch_durations() -> None:
    clock = ManualClock()
    before, started = clock.now(), clock.monotonic_s()
    clock.advance(5)
    clock.step_wall(-3600)
    assert clock.monotonic_s() - started == 5
    assert clock.now() < before


def test_the_system_clock_gives_instants_in_utc() -> None:
    offset = SystemClock().now().utcoffset()
    assert offset is not None and offset.total_seconds() == 0


def test_a_signature_orders_its_parameters_and_leaves_out_what_is_missing() -> None:
    line = signature("success", unit="goal", n=12, data="9f3a", offer="last", policy="credit", seed=None)
    expected = "success|unit:goal|offer:last|policy:credit|n:12|data:9f3a|v:"
    assert line == expected + installed_version()
