"""How numbers are written."""

from datetime import UTC, datetime

import pytest

from vivavoce.reports.language import (
    MISSING,
    amount,
    count,
    differences,
    durations,
    instant,
    measured,
    p_value,
    percent,
    plural,
    points,
    span,
    z_value,
)


def test_missing_is_a_dash_and_never_zero():
    for write in [percent, points, p_value, z_value, count, instant]:
        assert write(None) == MISSING
        assert amount(None, "s") == span(None, 0.5) == MISSING


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0004, "< .001"), (0.0123, ".012"), (0.05, ".050"), (0.9991, ".999"), (1.0, "1")],
)
def test_p_values_have_three_decimals_and_a_floor(p, shown):
    assert p_value(p) == shown


def test_differences_carry_their_sign_and_zero_carries_none():
    assert (points(0.024), points(-0.024), points(-0.0001)) == ("+2.4", "\u22122.4", "0.0")
    assert z_value(-2.33) == "\u22122.33"


def test_amounts_are_written_in_their_unit():
    assert (amount(0.3154, "ratio"), amount(3.456, "s")) == ("31.5%", "3.46\u202fs")
    assert amount(7.25, "words") == "7.25"


def test_durations_that_stand_together_have_one_unit_and_are_told_apart():
    for seconds, shown in [
        ((0.0304, 0.0301, 0.0308), "30.4 ms|30.1 ms|30.8 ms"),
        ((0.175, 0, None), "175 ms|0 ms|–"),
        ((8.4,), "8.40 s"),
        ((56.78, 0.2), "56.8 s|0.2 s"),
        ((127, 30), "2 min 7 s|30 s"),
        ((127.1, 127.4), "127.1 s|127.4 s"),
        ((7260,), "2 h 1 min"),
        ((0,), "0 s"),
        ((0.0004,), "0.4 ms"),
    ]:
        assert "|".join(durations(*seconds)).replace("\u202f", " ").replace("\xa0", " ") == shown
        assert measured(0.0304, 0.0301, 0.0308, "s") == ("30.4\u202fms", "30.1 to 30.8")
        assert differences(-0.003, 0.002, "s") == "\u22123.0\u202fms to +2.0\u202fms"


def test_counts_and_nouns_agree():
    assert (plural(1, "dialogue"), plural(1300, "dialogue")) == ("1 dialogue", "1\u202f300 dialogues")


def test_days_are_written_out():
    assert instant(datetime(2026, 3, 1, tzinfo=UTC)) == "1\u00a0March\u00a02026"
