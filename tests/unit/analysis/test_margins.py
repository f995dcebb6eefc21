"""Margins: what a difference must stay below, and which cannot tell anything."""

import math

import pytest
from scipy.stats import t

from vivavoce.analysis.declared import (
    check_margin,
    check_margins_used,
    equivalences,
    margin_of,
    possible_margins,
)
from vivavoce.core.errors import InputError
from vivavoce.stats.difference import equivalence, equivalent_proportions
from vivavoce.stats.multiple_testing import holm

SAID, SHOWN = "subjective_success", "objective_success_assigned"


@pytest.mark.parametrize(
    ("name", "margin", "right"),
    [
        ("rates", 0.05, True),
        ("rates", 0.999, True),
        ("rates", 1.0, False),
        ("rates", 0.0, False),
        ("rates", -0.1, False),
        (SAID, 1.0, False),
        ("word_error_rate", 1.0, False),
        ("turns", 1.0, True),
        ("turns", 0.0, False),
        ("turns", math.inf, False),
        ("turns", math.nan, False),
    ],
)
def test_a_margin_lies_above_nothing_and_of_a_ratio_below_one(name: str, margin: float, right: bool) -> None:
    assert possible_margins({name: margin}) == ({name: margin} if right else {})
    if right:
        assert check_margin(name, margin) == margin
        return
    with pytest.raises(InputError, match=f"margin {margin:g}"):
        check_margin(name, margin)


def test_a_margin_is_the_measures_own_else_that_of_all_success_rates() -> None:
    for name, margins, expected in [
        (SAID, None, None),
        (SAID, 0.1, 0.1),
        ("turns", 0.1, None),
        (SAID, {"rates": 0.2}, 0.2),
        (SAID, {"rates": 0.2, SAID: 0.3}, 0.3),
        (SHOWN, {SAID: 0.3}, None),
        ("turns", {"turns": 2.0}, 2.0),
        ("turns", {"rates": 0.2}, None),
    ]:
        assert margin_of(name, margins) == expected


@pytest.mark.parametrize(
    ("margins", "names", "right"),
    [
        (0.1, [SAID], True),
        (0.1, ["turns"], False),
        (None, [], True),
        ({"turns": 1.0}, ["turns", SAID], True),
        ({"turns": 1.0}, [SAID], False),
        ({"rates": 0.1}, [SAID], True),
        ({"rates": 0.1}, ["turns"], False),
        ({SAID: 1.0}, [SAID], False),
    ],
)
def test_a_margin_of_what_is_not_compared_is_refused(margins, names, right) -> None:
    if right:
        check_margins_used(margins, names)
        return
    with pytest.raises(InputError):
        check_margins_used(margins, names)


def test_an_error_or_margin_of_nothing_cannot_be_tested() -> None:
    for margin, se in ((0.0, 0.1), (0.1, 0.0), (-0.1, 0.1), (0.1, -0.1)):
        with pytest.raises(InputError):
            equivalence(0.0, se, margin)
    assert equivalent_proportions(0, 0, 3, 4, 0.1) is None and equivalent_proportions(3, 4, 0, 0, 0.1) is None
    assert equivalent_proportions(4, 4, 0, 3, 0.1) is None
    found = equivalent_proportions(45, 90, 20, 50, 0.2)
    assert found is not None and found.difference == pytest.approx(0.1)
    assert found.se == pytest.approx(math.sqrt(0.25 / 90 + 0.24 / 50))


def test_a_refused_margin_names_its_measure_and_the_scale_it_lies_on() -> None:
    with pytest.raises(InputError, match=r"margin 2. .*between 0 and 1"):
        check_margin("rates", 2)
    with pytest.raises(InputError, match=r"margin 1 of word_error_rate. .*between 0 and 1"):
        check_margin("word_error_rate", 1)
    with pytest.raises(InputError, match=r"margin 0 of turns. .*above 0, in the unit"):
        check_margin("turns", 0)


class Known:
    """A comparison whose test of equivalence is the plain one."""

    def __init__(self, difference: float) -> None:
        self.difference = difference

    def equivalence(self, margin: float, *, alpha: float = 0.05):
        return equivalence(self.difference, 0.04, margin, df=11, alpha=alpha) if self.difference < 9 else None


def test_equivalences_are_adjusted_over_those_that_could_be_tested() -> None:
    """By two one-sided t-tests written out; a measure without a margin, without a comparison or a result."""
    compared = [
        (SAID, Known(0.01)),
        ("turns", Known(0.0)),
        (SHOWN, Known(-0.09)),
        (SAID, None),
        (SAID, Known(9.0)),
        (SHOWN, Known(0.11)),
    ]
    found = equivalences(compared, {SAID: 0.15, SHOWN: 0.2}, "holm")
    assert [one is None for one in found] == [False, True, False, True, True, False]
    told = [one for one in found if one]
    p = [
        max(t.sf((difference + margin) / 0.04, 11), t.sf((margin - difference) / 0.04, 11))
        for difference, margin in ((0.01, 0.15), (-0.09, 0.2), (0.11, 0.2))
    ]
    assert [one.p for one in told] == pytest.approx(p)
    assert [one.p_adjusted for one in told] == pytest.approx(holm(p))
    assert [one.tests for one in told] == [3, 3, 3]
    assert [one.equivalent for one in told] == [True, True, True] and holm(p)[2] < 0.05
    (wide,) = equivalences([(SAID, Known(0.12))], {SAID: 0.15}, "holm")
    assert wide.p > 0.05 and wide.equivalent is False
    reach = t.ppf(0.95, 11) * 0.04
    assert wide.interval == pytest.approx((0.12 - reach, 0.12 + reach))
