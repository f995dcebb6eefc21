"""Rounding for display."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.rounding import half_up
from vivavoce.questionnaires import INSTRUMENTS
from vivavoce.questionnaires.display import shown

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "display.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["expected"])
def test_a_mean_is_rounded_half_up_as_it_was_published(case):
    assert shown(case["sum"] / case["answers"], case["digits"]) == case["expected"]


def test_rounding_half_to_even_would_print_another_mean():
    assert round(81 / 40, 2) == 2.02


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
