"""Published counts: every reference value digit for digit, and what mistakes are answered with."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2
from statsmodels.stats.multitest import multipletests

from vivavoce.core.errors import InputError
from vivavoce.core.result import as_json
from vivavoce.stats.contingency import chi_square, cochran_q, fisher, mcnemar
from vivavoce.stats.counts import choices, rates, read_counts
from vivavoce.stats.difference import equivalence, equivalent_proportions
from vivavoce.stats.multiple_testing import ADJUSTMENTS
from vivavoce.stats.proportions import DIFFERENCES, INTERVALS, cohen_h, two_proportion_z

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-counts.json").read_text(encoding="utf-8")
)
Z_NAMES = {"z_pooled": "pooled", "z_unpooled": "unpooled", "z_pooled_continuity": "pooled_cc"}


def test_every_interval_is_the_reference_one():
    for case in GOLDEN["intervals"]:
        method, successes, n = case["input"]
        assert INTERVALS[method](successes, n) == pytest.approx(case["expected"], abs=case["tolerance"])


def test_every_comparison_of_two_rates_is_the_reference_one():
    for case in GOLDEN["two_proportions"]:
        expected, close = case["expected"], {"rel": 1e-9, "abs": 1e-12}
        for method, name in Z_NAMES.items():
            assert two_proportion_z(*case["input"], method=method) == pytest.approx(expected[name], **close)
        for method, interval in DIFFERENCES.items():
            name = {"wald": "wald_diff"}.get(method, method)
            assert interval(*case["input"]) == pytest.approx(expected[name], abs=case["tolerance"])
        assert cohen_h(*case["input"]) == pytest.approx(expected["cohen_h"], abs=case["tolerance"])
        assert fisher(*case["input"]) == pytest.approx(expected["fisher"], rel=1e-6)


def test_every_choice_is_tested_as_in_the_reference():
    for case in GOLDEN["choices"]:
        (found,) = choices(read_counts([f"x={case['input'][0]}/{case['input'][1]}"])).choices
        for ours, theirs in {"chi2": "chi2", "p": "p", "p_exact": "exact"}.items():
            assert getattr(found, ours) == pytest.approx(case["expected"][theirs], rel=case["relative"])


def test_twenty_choices_of_the_transcript_study_survive_holm_but_not_bonferroni():
    cells = [86, 87, 96, 93, 104, 111, 104, 108, 91, 101, 100, 94, 106, 114, 104, 94, 106, 101, 104, 110]
    found = choices(read_counts([f"c{place}={k}/143" for place, k in enumerate(cells)])).choices
    assert all(choice.p_holm < 0.05 for choice in found)
    strict = ADJUSTMENTS["bonferroni"]([choice.p_exact for choice in found])
    assert [place for place, p in enumerate(strict) if p >= 0.05] == [0, 1], "alignment: ease, satisfaction"


def test_families_are_adjusted_as_in_the_reference():
    for method in list(ADJUSTMENTS):
        for case in GOLDEN["families"]:
            assert ADJUSTMENTS[method](case["input"]) == pytest.approx(case["expected"][method], abs=1e-12)


@settings(max_examples=15)  # statsmodels collects garbage at every call
@given(st.lists(st.none() | st.floats(0, 1), max_size=12))
def test_adjustments_are_those_of_statsmodels(p_values):
    given_ = [p for p in p_values if p is not None]
    for ours, theirs in {"holm": "holm", "benjamini_hochberg": "fdr_bh", "bonferroni": "bonferroni"}.items():
        adjusted = ADJUSTMENTS[ours](p_values)
        assert [p is None for p in adjusted] == [p is None for p in p_values]
        if given_:
            peer = multipletests(given_, method=theirs)[1]
            assert [p for p in adjusted if p is not None] == pytest.approx(list(peer))


def test_equivalence_is_that_of_the_reference():
    for case in GOLDEN["equivalence"]:
        found, expected = equivalent_proportions(*case["input"]), case["expected"]
        ours = (found.difference, found.se, found.p_lower, found.p_upper, found.p, *found.interval)
        theirs = (*(expected[name] for name in ("d", "se", "p_lower", "p_upper", "p")), *expected["ci90"])
        assert ours == pytest.approx(theirs, abs=case["tolerance"])
        assert found.equivalent is (found.p < 0.05)


@given(st.floats(-0.5, 0.5), st.floats(0.01, 0.2), st.floats(0.01, 0.3))
def test_equivalent_means_that_the_interval_lies_within_the_margin(difference, se, margin):
    found = equivalence(difference, se, margin)
    inside = -margin < found.interval.low and found.interval.high < margin
    if abs(found.p - 0.05) > 1e-9:
        assert found.equivalent is inside


def test_rates_have_the_keys_of_the_calculator():
    facts = rates(read_counts(["A=259/403", "B=263/390", "C=73/130"]))
    assert [(rate.name, rate.k, rate.n) for rate in facts.rates] == [
        ("A", 259, 403),
        ("B", 263, 390),
        ("C", 73, 130),
    ]
    assert set(facts.rates[0].intervals) == {"wald", "wilson", "clopper_pearson"}
    assert [(test.a, test.b) for test in facts.tests[:3]] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert {test.method for test in facts.tests[:3]} == {"z_pooled"}
    assert {test.method for test in facts.tests} == set(Z_NAMES)
    worst = facts.tests[2]
    assert worst.p == pytest.approx(0.019818, abs=5e-7)
    assert worst.p_holm == pytest.approx(3 * worst.p)
    told = as_json(facts)
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_what_is_no_count_is_refused_with_an_example():
    for words in [["A"], ["A=3"], ["A=5/3"], ["A=0/0"], ["A=1/2", "A=1/3"], [], ["=1/2"], ["A=-1/2"]]:
        with pytest.raises(InputError) as refused:
            read_counts(words)
        assert refused.value.hint


def test_two_answers_of_the_same_people_are_compared_by_those_who_changed():
    found = mcnemar(40, 15, 5, 40)
    assert found.difference == pytest.approx(0.1)
    assert found.p == pytest.approx(sum(math.comb(20, k) for k in range(6)) / 2**19)
    assert found.interval.low < 0.1 < found.interval.high
    assert mcnemar(0, 0, 0, 0) is None


def test_cochrans_q_of_two_systems_is_mcnemars_statistic():
    answers = [[1, 0]] * 15 + [[0, 1]] * 5 + [[1, 1]] * 40
    found = cochran_q(answers)
    assert (found.chi2, found.df) == (pytest.approx((15 - 5) ** 2 / 20), 1)
    assert cochran_q([[1, 1], [0, 0]]) is None


def test_the_pooled_test_is_pearsons_and_its_correction_yates():
    for method, continuity in (("z_pooled", False), ("z_pooled_continuity", True)):
        z = two_proportion_z(73, 130, 263, 390, method=method)
        chi = chi_square([[73, 57], [263, 127]], continuity=continuity)
        assert (z.z**2, z.p) == pytest.approx((chi.chi2, chi.p))
    assert chi_square([[0, 5], [0, 7]]) is None
    assert np.isfinite(chi_square([[1, 5, 2], [0, 7, 3]]).p)


def test_rates_and_differences_are_quotients_of_the_counts():
    a, b, c = (259, 403), (263, 390), (12, 13)
    facts = rates(
        read_counts([f"{name}={k}/{n}" for name, (k, n) in zip("ABC", (a, b, c), strict=True)]), 0.9
    )
    assert [rate.ratio for rate in facts.rates] == pytest.approx([259 / 403, 263 / 390, 12 / 13])
    assert facts.rates[0].intervals["wilson"] == pytest.approx(INTERVALS["wilson"](*a, 0.9))
    pairs = [(a, b), (a, c), (b, c)]
    for found, (one, other) in zip(facts.differences, pairs, strict=True):
        assert found.difference == pytest.approx(one[0] / one[1] - other[0] / other[1])
        assert found.cohen_h == pytest.approx(
            2 * math.asin((one[0] / one[1]) ** 0.5) - 2 * math.asin((other[0] / other[1]) ** 0.5)
        )
        assert found.p_fisher == fisher(*one, *other)
    adjusted = multipletests([one.p_fisher for one in facts.differences], method="holm")[1]
    assert [one.p_fisher_holm for one in facts.differences] == pytest.approx(list(adjusted))


def test_all_or_none_of_the_cases_may_succeed():
    assert [(one.successes, one.n) for one in read_counts(["A=3/3", "B=0/1"])] == [(3, 3), (0, 1)]


def test_a_choice_is_held_against_the_share_of_chance_that_is_named():
    (found,) = choices(read_counts(["x=30/80"]), against=0.3, level=0.9).choices
    assert (found.ratio, found.chi2) == pytest.approx((0.375, (30 - 24) ** 2 / (80 * 0.3 * 0.7)))
    assert found.p == pytest.approx(chi2.sf(found.chi2, 1))
    assert found.p_exact == pytest.approx(binomtest(30, 80, 0.3).pvalue)
    assert found.interval == pytest.approx(INTERVALS["wilson"](30, 80, 0.9))


def test_who_changed_gives_the_interval_of_a_paired_difference():
    """(15 - 5) / 100, variance ((15 + 5) / 100 - .1**2) / 100."""
    found = mcnemar(40, 15, 5, 40)
    reach = 1.959964 * ((0.2 - 0.01) / 100) ** 0.5
    assert found.interval == pytest.approx((0.1 - reach, 0.1 + reach), abs=1e-6)
    assert mcnemar(0, 0, 3, 0).difference == -1


@pytest.mark.parametrize("table", [[[0, 5], [0, 7]], [[0, 0], [5, 7]], [[0, 0], [0, 7]]])
def test_a_row_or_column_of_noughts_has_no_chi_square(table):
    assert chi_square(table) is None


@pytest.mark.parametrize("answers", [[[1], [0]], [1, 0], []])
def test_cochrans_q_needs_two_systems(answers):
    assert cochran_q(answers) is None
