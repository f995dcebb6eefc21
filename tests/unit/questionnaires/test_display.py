"""Rounding for display."""

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.questionnaires import INSTRUMENTS
from vivavoce.questionnaires.display import half_up, shown


def test_the_published_idial_mean_is_rounded_half_up():
    """Ten users, four items, sum 81: the report prints 2.03, Python's round gives 2.02."""
    assert round(81 / 40, 2) == 2.02
    assert shown(81 / 40) == "2.03"


def test_the_mean_over_ten_users_prints_as_published():
    idial = INSTRUMENTS.get("idial")
    forms = [{"q5": 2, "q6": 2, "q8": 2, "q9": 2}] * 9 + [{"q5": 3, "q6": 2, "q8": 2, "q9": 2}]
    scores = [idial.score(form)["satisfaction"] for form in forms]
    assert shown(sum(score for score in scores if score is not None) / 10) == "2.03"


def test_a_missing_figure_is_a_dash_and_never_zero():
    assert shown(None) == "–"


def test_binary_noise_does_not_decide():
    assert shown(0.1 + 0.2 + 0.025 - 0.3) == "0.03"
    assert shown(-2.5, 0) == "-3"


@given(st.integers(-10_000, 10_000), st.integers(0, 3))
def test_rounding_moves_a_figure_by_half_a_unit_at_most(thousandths, digits):
    value = thousandths / 1000
    assert abs(float(half_up(value, digits)) - value) <= 0.5 * 10**-digits + 1e-9
