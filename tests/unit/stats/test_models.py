"""Models that check a difference: what they are fitted to, and their intervals by hand."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t as student

from vivavoce.stats.models import (
    Cases,
    _cases_one_by_one,
    _random_effects,
    _wald,
    check_models,
    gee,
    mixed_linear,
    mixed_logistic,
)


def cases(tops: list, bottoms: list, people: list | None = None, is_a: list | None = None) -> Cases:
    size = len(tops)
    return Cases(
        np.array(tops, dtype=float),
        np.array(bottoms, dtype=float),
        np.array(people or range(size)),
        np.zeros(size, int),
        np.array(is_a or [place % 2 == 0 for place in range(size)]),
    )


@pytest.mark.parametrize(
    ("tops", "bottoms", "counted"),
    [
        ([0, 2, 3], [1, 2, 5], True),
        ([0, 2.5], [1, 3], False),
        ([0, 2], [1, 2.5], False),
        ([-1, 2], [1, 2], False),
        ([0, 3], [1, 2], False),
    ],
)
def test_successes_are_whole_numbers_from_0_to_all_cases(tops, bottoms, counted):
    assert cases(tops, bottoms).counted is counted


def test_cases_are_taken_one_by_one_where_they_are_counted():
    values, rows = _cases_one_by_one(cases([2, 0, 1], [3, 2, 1]))
    assert values.tolist() == [1, 1, 0, 0, 0, 1] and rows.tolist() == [0, 0, 0, 1, 1, 2]
    values, rows = _cases_one_by_one(cases([2.5, 3], [5, 2]))
    assert values.tolist() == [0.5, 1.5] and rows.tolist() == [0, 1]


def test_dialogues_without_a_case_are_not_known():
    assert cases([1, 0, 2], [2, 0, 4]).known().denominators.tolist() == [2, 4]


@pytest.mark.parametrize(
    "given",
    [
        cases([1, 0, 1], [1, 1, 1], is_a=[True] * 3),
        cases([1, 0, 1], [1, 1, 1], is_a=[False] * 3),
        cases([1, 2, 3], [2, 4, 6]),
    ],
)
def test_one_group_alone_or_one_value_alone_has_no_model(given):
    assert {one.method for one in check_models(given).values()} == {"none"}


@pytest.mark.parametrize(("clusters", "df"), [(9, 8), (2, 1), (1, 1)])
def test_interval_and_p_are_of_one_t(clusters, df):
    reach = student.ppf(0.95, df) * 0.3
    expected = {
        "difference": -0.4,
        "low": -0.4 - reach,
        "high": -0.4 + reach,
        "p": 2 * student.sf(0.4 / 0.3, df),
    }
    assert _wald(-0.4, 0.3, clusters, 0.9) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("people", "is_a", "tasks", "names"),
    [
        ([0, 1, 2, 3, 4, 5], [1, 0] * 3, [0] * 6, []),
        ([0, 0, 1, 2, 3, 4], [1, 0] * 3, [0] * 6, ["by"]),
        ([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 1, 1], [0, 1] * 3, ["task"]),
        ([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 1, 1], [0, 1, 2] * 2, []),
        ([0, 0, 1, 1, 2, 2], [1, 0] * 3, [0, 1] * 3, ["by", "task"]),
    ],
)
def test_people_who_met_both_and_tasks_that_recur_have_intercepts(people, is_a, tasks, names):
    """Tasks recur where each has three dialogues or more."""
    given = Cases(np.ones(6), np.ones(6), np.array(people), np.array(tasks), np.array(is_a, dtype=bool))
    grouping, found = _random_effects(given)
    assert found == ["participant", *("participant by system" if one == "by" else one for one in names)]
    if "by" in names:
        assert len(set(grouping[1].tolist())) == len({*zip(people, is_a, strict=True)})


def drawn(people: int, seed: int = 5) -> Cases:
    """Rates of some .7 and .45 with three to six dialogues of one to three cases a person."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), 3 + np.arange(people) % 4)
    is_a = rng.random(len(who)) < 0.4
    sizes = rng.integers(1, 4, len(who))
    rates = np.clip(np.where(is_a, 0.7, 0.45) + rng.normal(0, 0.15, people)[who], 0.05, 0.95)
    return Cases(
        rng.binomial(sizes, rates).astype(float), sizes.astype(float), who, np.zeros(len(who), int), is_a
    )


@pytest.mark.parametrize(("people", "kind"), [(39, "bias_reduced"), (40, "robust")])
def test_gee_gives_the_difference_of_rates_with_the_error_of_its_slope(people, kind):
    given = drawn(people)
    found = gee(given, 0.9)
    values, rows = _cases_one_by_one(given)
    model = sm.GEE(
        values,
        np.column_stack([np.ones(len(rows)), given.is_a[rows]]),
        groups=given.people[rows],
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Exchangeable(),
    ).fit(cov_type=kind)
    rates = [1 / (1 + np.exp(-model.params[0] - side * model.params[1])) for side in (1, 0)]
    steep = [one * (1 - one) for one in rates]
    slope = np.array([steep[0] - steep[1], steep[0]])
    error = np.sqrt(slope @ model.cov_params() @ slope)
    reach = student.ppf(0.95, people - 1) * error
    middle = rates[0] - rates[1]
    assert (found.difference, found.low, found.high) == pytest.approx(
        (middle, middle - reach, middle + reach)
    )
    assert found.p == pytest.approx(2 * student.sf(abs(middle) / error, people - 1))
    assert found.odds_ratio == pytest.approx(np.exp(model.params[1]))
    assert f"{people} participants; {kind.replace('_', '-')}" in found.why


def test_a_mean_is_checked_on_its_own_scale():
    given = drawn(40)
    given = given._replace(numerators=given.numerators + 0.5)
    assert not given.counted
    values = given.numerators / given.denominators
    model = sm.GEE(
        values,
        np.column_stack([np.ones(len(values)), given.is_a]),
        groups=given.people,
        cov_struct=sm.cov_struct.Exchangeable(),
    ).fit(cov_type="robust")
    found = gee(given)
    assert (found.difference, found.odds_ratio) == (pytest.approx(model.params[1]), None)
    reach = student.ppf(0.975, 39) * model.bse[1]
    assert (found.low, found.high) == pytest.approx((model.params[1] - reach, model.params[1] + reach))
    peer = sm.MixedLM(values, np.column_stack([np.ones(len(values)), given.is_a]), given.people).fit()
    mixed = mixed_linear(given)
    assert mixed.difference == pytest.approx(peer.fe_params[1], abs=1e-3)
    assert mixed.high - mixed.low == pytest.approx(2 * student.ppf(0.975, 39) * peer.bse_fe[1], rel=1e-2)


def test_a_mixed_logistic_models_difference_has_the_error_that_its_odds_have():
    """Nearly: z of the difference and z of the log odds of a model without spread are about the same."""
    found = mixed_logistic(drawn(40))
    assert found.low < found.difference < found.high and found.odds_ratio > 1
    reach = (found.high - found.low) / 2
    error = reach / student.ppf(0.975, 39)
    assert found.p == pytest.approx(2 * student.sf(found.difference / error, 39))
    assert found.difference == pytest.approx(gee(drawn(40)).difference, abs=0.03)
    assert error == pytest.approx(
        (gee(drawn(40)).high - gee(drawn(40)).low) / 2 / student.ppf(0.975, 39), rel=0.3
    )


def test_the_bootstrap_gives_the_difference_of_ratios_of_sums():
    given = drawn(10)
    found = check_models(given)["bootstrap"]
    sides = [given.numerators[one].sum() / given.denominators[one].sum() for one in (given.is_a, ~given.is_a)]
    assert found.difference == pytest.approx(sides[0] - sides[1])
    assert found.low is not None and found.low < found.difference < found.high
