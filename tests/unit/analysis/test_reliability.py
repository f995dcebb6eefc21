"""Alpha and omega: published values, and cases whose answer is known beforehand."""

import json
from pathlib import Path

import numpy as np
import pytest

from vivavoce.analysis.reliability import cronbach_alpha, omega_of_loadings, reliability

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "reliability.json").read_text(encoding="utf-8"))


def test_alpha_has_the_reference_value():
    (case,) = GOLDEN["cronbach_alpha"]
    found = cronbach_alpha(np.array(case["input"], dtype=float))
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


def test_omega_has_the_reference_value():
    (case,) = GOLDEN["omega"]
    assert omega_of_loadings(case["input"]) == pytest.approx(case["expected"], abs=case["tolerance"])


def test_omega_of_a_one_factor_sample_comes_near_that_of_its_loadings():
    loadings = np.array([0.7, 0.6, 0.8, 0.5])
    rng = np.random.default_rng(3)
    answers = rng.normal(size=(4000, 1)) * loadings + rng.normal(size=(4000, 4)) * np.sqrt(1 - loadings**2)
    assert reliability(answers).omega == pytest.approx(0.749446, abs=0.02)


def test_an_item_that_is_always_answered_alike_leaves_omega_missing_and_alpha_given():
    rng = np.random.default_rng(1)
    answers = np.hstack([rng.integers(1, 6, size=(60, 3)).astype(float), np.full((60, 1), 3.0)])
    found = reliability(answers)
    assert found.alpha is not None
    assert found.omega is None


@pytest.mark.parametrize("answers", [np.ones((5, 3)), np.array([[1.0, 2.0]]), np.array([[1.0], [2.0]])])
def test_alpha_is_missing_where_nothing_varies_or_too_little_is_there(answers):
    found = reliability(answers)
    assert found.alpha is None
    assert found.interval is None


def test_the_interval_holds_the_estimate_and_is_the_same_every_time():
    rng = np.random.default_rng(2)
    trait = rng.normal(size=(80, 1))
    answers = np.round(trait + rng.normal(size=(80, 4)))
    first, second = reliability(answers), reliability(answers)
    assert first == second
    assert first.interval.low < first.alpha < first.interval.high
