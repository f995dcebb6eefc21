"""Means between two ends, by t on the logit of their place: against formulas written out here."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

from vivavoce.stats.bounded import bounded_mean, bounded_share
from vivavoce.stats.clusters import NOTHING_VARIED
from vivavoce.stats.proportions import wilson

ANSWERS = [1.0, 2.0, 5.0, 4.0, 4.0, 3.0, 5.0, 4.0, 2.0]


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_a_mean_of_answers_of_one_each_has_the_t_interval_of_its_logit(level: float) -> None:
    n, place = len(ANSWERS), (np.mean(ANSWERS) - 1) / 4
    spread = np.std(ANSWERS, ddof=1) / 4 / np.sqrt(n) / (place * (1 - place))
    found = bounded_mean(np.arange(n), ANSWERS, 1, 5, level)
    reach = student.ppf((1 + level) / 2, n - 1) * spread
    ends = 1 + 4 * expit(logit(place) + np.array([-reach, reach]))
    assert (found.mean, found.low, found.high) == pytest.approx((np.mean(ANSWERS), *ends))
    assert found.p == pytest.approx(2 * student.sf(abs(logit(place)) / spread, n - 1))
    assert found.participants == n and found.icc is None
    share = bounded_share(np.arange(n), [(one - 1) / 4 for one in ANSWERS], level)
    assert (share.low, share.high) == pytest.approx(tuple((ends - 1) / 4))
    assert share.p == pytest.approx(found.p)


def test_answers_of_people_who_answer_alike_say_no_more() -> None:
    once = bounded_mean(np.arange(9), ANSWERS, 1, 5)
    thrice = bounded_mean(np.tile(np.arange(9), 3), ANSWERS * 3, 1, 5)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert (thrice.participants, thrice.icc) == (9, pytest.approx(1))


def test_one_person_or_the_same_of_everybody_has_no_interval() -> None:
    alone = bounded_mean(np.zeros(3, int), [1.0, 2, 3], 1, 5)
    assert (alone.mean, alone.low, alone.p, alone.method) == (
        2,
        None,
        None,
        "none: fewer than 2 participants",
    )
    same = bounded_mean(np.arange(3), [4.0] * 3, 1, 5)
    assert (same.mean, same.low, same.p, same.method) == (4, None, None, NOTHING_VARIED)


@pytest.mark.parametrize(
    ("value", "people", "won", "cases", "p"),
    [
        (1.0, [0, 1, 2], 3, 3, 0.25),
        (0.0, [0, 1, 2, 3], 0, 4, 0.125),
        (1.0, [0, 0, 1, 1, 2, 2], 3, 3, 0.25),
        (1.0, [0, 0, 0, 1], 1, 1, 1.0),
    ],
)
def test_all_or_nothing_is_tested_as_so_many_effective_people(value, people, won, cases, p) -> None:
    """n over m* cases: of 3 and 1 answers 16 / 10, which is one."""
    found = bounded_share(np.array(people), [value] * len(people))
    low, high = wilson(won, cases, 0.95)
    assert (found.mean, found.low, found.high, found.p) == pytest.approx((value, low, high, p))
    assert (found.participants, found.method) == (len(set(people)), "wilson_effective_participants")


def test_halves_of_everybody_and_one_person_alone_are_no_all_or_nothing() -> None:
    assert bounded_share(np.arange(3), [0.5] * 3).method == NOTHING_VARIED
    assert bounded_share(np.zeros(3, int), [1.0] * 3).method == "none: fewer than 2 participants"
    assert bounded_share(np.arange(4), [1.0, 1, 1, 0]).method == "cluster_robust_logit_t"
