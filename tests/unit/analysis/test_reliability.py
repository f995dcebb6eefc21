"""Alpha and omega: published values, and cases whose answer is known beforehand."""

import json
from pathlib import Path

import numpy as np
import pytest
from statsmodels.multivariate.factor import Factor

from vivavoce.analysis.scales import cronbach_alpha, omega_of_loadings, reliability
from vivavoce.stats.bootstrap import ends

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


def test_the_interval_draws_people_and_forms_of_one_person_are_not_more_evidence():
    rng = np.random.default_rng(4)
    level = rng.normal(3, 1, 12)[:, None]
    answers = level + rng.normal(0, 0.7, (12, 4))
    alone = reliability(answers)
    again = reliability(
        np.repeat(answers, 6, axis=0), [f"p{number}" for number in range(12) for _ in range(6)]
    )
    taken_apart = reliability(np.repeat(answers, 6, axis=0))
    assert alone.interval is not None and again.interval is not None and taken_apart.interval is not None
    widths = [one.interval[1] - one.interval[0] for one in (alone, again, taken_apart)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert widths[2] < widths[1] / 2
    assert reliability(answers[:9]).interval is None


def test_omega_rests_on_the_loadings_that_another_library_finds():
    rng = np.random.default_rng(6)
    answers = np.round(rng.normal(size=(60, 1)) * [0.9, 0.6, 0.8, 0.4] + rng.normal(size=(60, 4)))
    peer = Factor(answers, n_factor=1, method="ml").fit(maxiter=2000).loadings[:, 0]
    assert reliability(answers).omega == pytest.approx(omega_of_loadings(np.abs(peer).tolist()), abs=1e-3)
    turned = answers * [-1, 1, 1, 1]
    assert reliability(turned).omega < reliability(answers).omega


@pytest.mark.parametrize(("forms", "items", "known"), [(30, 3, True), (29, 3, False), (30, 2, False)])
def test_omega_takes_thirty_forms_of_three_items(forms, items, known):
    answers = np.random.default_rng(7).normal(size=(40, 1)) + np.random.default_rng(8).normal(size=(40, 3))
    assert (reliability(answers[:forms, :items]).omega is not None) == known


def test_the_interval_is_that_of_people_drawn_one_by_one():
    """Independent: alpha of people drawn in a loop, by variances over n - 1."""
    rng = np.random.default_rng(9)
    people = np.repeat(np.arange(25), 2)
    answers = rng.normal(size=25)[people][:, None] + rng.normal(0, 0.8, (50, 3))
    drawn = []
    for _ in range(1500):
        rows = np.concatenate([np.flatnonzero(people == one) for one in rng.integers(25, size=25)])
        total = answers[rows].sum(axis=1).var(ddof=1)
        drawn.append(3 / 2 * (1 - answers[rows].var(axis=0, ddof=1).sum() / total))
    found = reliability(answers, [f"p{one}" for one in people])
    assert found.interval == pytest.approx(np.quantile(drawn, ends(0.95, 25)), abs=0.025)


def test_items_that_are_always_answered_alike_have_alpha_1_and_no_interval():
    one = np.random.default_rng(10).integers(1, 6, 20).astype(float)
    found = reliability(np.column_stack([one, one]))
    assert (found.alpha, found.interval) == (pytest.approx(1), None)


@pytest.mark.parametrize(("people", "known"), [(9, False), (10, True)])
def test_an_interval_takes_ten_people_however_many_forms(people, known):
    answers = np.random.default_rng(11).normal(size=(30, 1)) + np.random.default_rng(12).normal(size=(30, 2))
    assert (reliability(answers, [f"p{one % people}" for one in range(30)]).interval is not None) == known


def test_two_forms_give_no_alpha():
    answers = np.array([[1.0, 5.0, 2.0], [4.0, 1.0, 3.0], [2.0, 2.0, 5.0]])
    assert reliability(answers[:2]).alpha is None
    assert reliability(answers).alpha is not None
