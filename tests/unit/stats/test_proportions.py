"""Intervals, z-tests and Holm: the published values, then what must hold for any counts."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm
from scipy.stats import t as student
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.stats import distributions
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.proportions import (
    INTERVALS,
    Z_METHODS,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    newcombe,
    one_proportion_p,
    two_proportion_z,
    wald,
    wilson,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-proportions.json").read_text(encoding="utf-8")
)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 5000))
    return draw(st.integers(0, n)), n


def test_intervals_are_the_published_ones():
    for case in GOLDEN["intervals"]:
        method, successes, n = case["input"].values()
        assert INTERVALS[method](successes, n) == pytest.approx(case["expected"], abs=case["tolerance"])


def test_wald_reproduces_the_half_widths_of_the_cambridge_table():
    for case in GOLDEN["wald_half_widths_in_points"]:
        low, high = wald(*case["input"])
        assert 50 * (high - low) == pytest.approx(case["expected"], abs=case["tolerance"])


def test_two_proportions_are_compared_as_published():
    for case in GOLDEN["two_proportions"]:
        for method in Z_METHODS:
            z, p = case["expected"][method]
            test = two_proportion_z(*case["input"], method=method)
            assert test.p == pytest.approx(p, abs=case["tolerance"])
            assert test.p == pytest.approx(p, rel=1e-3), "small p values too"
            if z is not None:
                assert test.z == pytest.approx(z, abs=case["tolerance"])
        assert newcombe(*case["input"]) == pytest.approx(case["expected"]["newcombe"], abs=case["tolerance"])


@given(counts(), counts(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_score_intervals_are_those_of_statsmodels(a: tuple[int, int], b: tuple[int, int], level: float):
    alone = proportion_confint(*a, alpha=1 - level, method="wilson")
    assert wilson(*a, level) == pytest.approx(alone, abs=1e-12)
    both = confint_proportions_2indep(*a, *b, method="newcomb", compare="diff", alpha=1 - level)
    assert newcombe(*a, *b, level) == pytest.approx(both, abs=1e-12)


@given(st.floats(-8, 8), st.floats(1, 500), st.floats(0.001, 0.999))
def test_the_laws_are_those_of_scipy(x: float, df: float, p: float):
    assert distributions.normal_tail(x) == norm.sf(x)
    assert distributions.normal_quantile(p) == norm.isf(p)
    assert distributions.t_tail(x, df) == student.sf(x, df)
    assert distributions.t_quantile(p, df) == student.ppf(p, df)


def test_z_of_printed_rates_is_the_recomputed_one():
    for case in GOLDEN["z_at_number_of_calls"]:
        rate_a, n_a, rate_b, n_b = case["input"]
        scale = 10**6  # printed rates are no counts: scale up, and z grows by the root
        z = two_proportion_z(
            round(rate_a * n_a * scale), n_a * scale, round(rate_b * n_b * scale), n_b * scale
        ).z
        z /= math.sqrt(scale)
        assert z == pytest.approx(case["expected"][0], abs=case["tolerance"][0])
        assert math.erfc(abs(z) / math.sqrt(2)) == pytest.approx(
            case["expected"][1], abs=case["tolerance"][1]
        )


def test_five_points_become_significant_at_the_published_number_of_calls():
    for case in GOLDEN["least_n_of_significance"]:
        a, b, method = case["input"].values()
        below = case["expected"] // 20 * 20  # multiples of 20 give whole counts at both rates
        for n, significant in ((below, False), (below + 20, True)):
            p = two_proportion_z(round(b * n), n, round(a * n), n, method=method).p
            assert (p < 0.05) is significant


def test_one_proportion_is_tested_as_published():
    for case in GOLDEN["one_proportion"]:
        assert one_proportion_p(*case["input"]) == pytest.approx(case["expected"], abs=case["tolerance"])


def test_the_least_significant_number_of_143_preferences_is_84():
    assert (
        one_proportion_p(84, 143, method="chi_square")
        < 0.05
        <= one_proportion_p(83, 143, method="chi_square")
    )
    assert one_proportion_p(84, 143) < 0.05 <= one_proportion_p(83, 143)
    assert one_proportion_p(0, 0) is None


def test_holm_adjusts_as_published():
    for case in GOLDEN["holm"]:
        assert holm(case["input"]) == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("interval", [wald, wilson, clopper_pearson])
def test_without_any_case_there_is_no_interval(interval):
    assert interval(0, 0) is None


def test_without_cases_on_one_side_there_is_no_comparison():
    assert two_proportion_z(0, 0, 3, 10) is None
    assert two_proportion_z(3, 10, 0, 0) is None
    assert newcombe(3, 10, 0, 0) is newcombe(0, 0, 3, 10) is None


def test_without_variation_there_is_no_test():
    for successes in [0, 10]:
        for method in Z_METHODS:
            assert two_proportion_z(successes, 10, successes, 10, method=method) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 10), (11, 10), (1, 0)])
def test_impossible_counts_are_refused_with_their_values(successes, n):
    for call in (lambda: wilson(successes, n), lambda: two_proportion_z(1, 2, successes, n)):
        with pytest.raises(InputError, match=f"{successes} successes of {n}"):
            call()


def test_an_impossible_level_is_refused():
    with pytest.raises(InputError, match=r"level 95"):
        wilson(1, 2, 95)


def test_an_unknown_test_is_refused_with_the_nearest_known():
    with pytest.raises(UnknownName, match="z_pooled"):
        two_proportion_z(1, 2, 1, 2, method="pooled_z")


@given(counts())
def test_intervals_stay_within_zero_and_one_and_contain_the_rate(case):
    successes, n = case
    for interval in (wilson, clopper_pearson):
        low, high = interval(successes, n)
        assert 0 <= low <= successes / n + 1e-12 <= high + 2e-12 <= 1 + 4e-12


@given(counts())
def test_failures_mirror_successes(case):
    successes, n = case
    low, high = wilson(successes, n)
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(counts(), st.integers(2, 20))
def test_more_cases_at_the_same_rate_narrow_the_interval(case, factor):
    successes, n = case
    few, many = wilson(successes, n), wilson(successes * factor, n * factor)
    assert many.high - many.low < few.high - few.low


@given(counts())
def test_one_more_success_raises_both_limits(case):
    successes, n = case
    if successes < n:
        before, after = wilson(successes, n), wilson(successes + 1, n)
        assert before.low < after.low
        assert before.high < after.high


@given(counts())
def test_a_higher_level_widens_the_interval(case):
    narrow, wide = wilson(*case, level=0.9), wilson(*case, level=0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@given(counts(), counts(), st.sampled_from(Z_METHODS))
def test_exchanging_the_systems_changes_the_sign_and_nothing_else(a, b, method):
    forward, back = two_proportion_z(*a, *b, method=method), two_proportion_z(*b, *a, method=method)
    if forward is None:
        assert back is None
    else:
        assert back == pytest.approx((-forward.z, forward.p))
    low, high = newcombe(*a, *b)
    assert newcombe(*b, *a) == pytest.approx((-high, -low), abs=1e-12)


@given(counts(), counts())
def test_the_correction_for_continuity_is_conservative(a, b):
    plain = two_proportion_z(*a, *b)
    if plain is not None:
        corrected = two_proportion_z(*a, *b, method="z_pooled_continuity")
        assert corrected.p >= plain.p - 1e-12
        assert 0 <= plain.p <= 1


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_its_place(p_values):
    adjusted = holm(p_values)
    assert [p is None for p in adjusted] == [p is None for p in p_values]
    pairs = sorted((p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None)
    assert all(p <= q <= 1 for p, q in pairs)
    assert [q for _, q in pairs] == sorted(q for _, q in pairs)
    if len(pairs) == 1:
        assert pairs[0][0] == pytest.approx(pairs[0][1])


def test_a_level_lies_between_its_ends():
    for interval in [wilson, wald]:
        for level in [0.0, 1.0, 1.5, -0.5]:
            with pytest.raises(InputError, match="confidence level"):
                interval(3, 10, level)


def test_only_exact_and_plain_intervals_are_closed_at_their_ends():
    for successes in [0, 1, 3, 9, 10]:
        for interval, name in [
            (wald, "normal"),
            (clopper_pearson, "beta"),
            (agresti_coull, "agresti_coull"),
            (jeffreys, "jeffreys"),
        ]:
            low, high = proportion_confint(successes, 10, alpha=0.2, method=name)
            closed = name in ("normal", "beta")
            expected = (
                0.0 if closed and not successes else max(0, low),
                1.0 if closed and successes == 10 else high,
            )
            assert interval(successes, 10, 0.8) == pytest.approx((expected[0], min(1, expected[1])))


def test_a_rate_is_tested_against_any_other():
    """13 of 40 where 8 are expected: 25 / 8 + 25 / 32."""
    assert one_proportion_p(13, 40, 0.2, "chi_square") == pytest.approx(chi2.sf(25 / 8 + 25 / 32, 1))
