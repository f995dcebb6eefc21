"""Which dialogues people judge next."""

import numpy as np
import pytest

from vivavoce.core.errors import InputError
from vivavoce.stats.label_choice import _chances, choose_dialogues
from vivavoce.stats.power import labels_with_judge
from vivavoce.stats.prediction.cross_fitting import cross_fitted
from vivavoce.stats.prediction_powered import JudgedCases, powered_mean


def test_chances_are_what_happens_and_doubt_raises_them() -> None:
    doubt, strata = np.array([0.0, 0.5, 1.0, np.nan] * 25), np.repeat(["a", "b"], 50)
    drawn = np.zeros(100)
    for seed in range(400):
        found = choose_dialogues(doubt, strata, 20, seed=seed)
        assert 18 <= found.drawn.sum() <= 22
        drawn += found.drawn
    assert found.chances.sum() == pytest.approx(20) and found.chances.min() > 0
    assert found.chances[0] < found.chances[3] == found.chances[1] < found.chances[2]
    assert drawn / 400 == pytest.approx(found.chances, abs=0.1)


def test_estimates_from_dialogues_so_chosen_are_right() -> None:
    rng, found = np.random.default_rng(1), []
    for seed in range(200):
        who = np.repeat(np.arange(40), 6)
        truth = (rng.random(240) < 0.7).astype(float)
        said = np.where(rng.random(240) < 0.7, truth, 1.0)
        choice = choose_dialogues(1 - 0.8 * said, np.full(240, "s"), 60, seed=seed)
        labels = np.where(choice.drawn, truth, np.nan)
        found.append(powered_mean(JudgedCases(who, said, labels, choice.chances), rate=True).estimate)
    assert np.mean(found) == pytest.approx(0.7, abs=0.015)


def test_more_than_there_are_cannot_be_chosen() -> None:
    with pytest.raises(InputError, match="5 of 4 dialogues"):
        choose_dialogues(np.ones(4), np.full(4, "s"), 5)


def test_a_judge_saves_nothing_where_people_judge_all_that_is_held() -> None:
    once, twice, *_, tenfold = labels_with_judge(300, 0.6)
    assert (once.labels, once.saved, once.held) == (300, 0, 300)
    assert (twice.labels, twice.held) == (235, 600)  # 300 (1 - .36) / (1 - .18)
    assert 0.33 < tenfold.saved < 0.36  # towards r squared


@pytest.mark.parametrize("agreement", [1, -1])
def test_a_judge_that_always_agrees_or_never_is_no_plan(agreement: int) -> None:
    with pytest.raises(InputError, match=f"agreement {agreement}"):
        labels_with_judge(300, agreement)


def test_nobody_is_predicted_by_a_model_that_saw_them() -> None:
    """A model that learns participants by heart says nothing of those left out."""
    people = [str(one) for one in np.repeat(np.arange(20), 5)]
    answers = np.repeat(np.arange(20) % 2, 5).astype(float)
    values = np.eye(20)[np.repeat(np.arange(20), 5)]

    def train(x: np.ndarray, y: np.ndarray, _: object):
        weights = np.linalg.lstsq(x, y, rcond=None)[0]
        return lambda new: new @ weights

    said = cross_fitted(values, answers, people, train=train)
    assert said == pytest.approx(np.zeros(100))
    hidden = np.where(np.arange(100) % 5 == 0, answers, np.nan)
    assert not np.isnan(cross_fitted(values, hidden, people, train=train)).any()


def test_chances_go_with_doubt_but_for_the_even_share_and_none_is_above_one() -> None:
    for doubt, wanted, even, chances in [
        ([0, 0, 0, 10], 2, 0.5, [1 / 3, 1 / 3, 1 / 3, 1]),
        ([1, 2, 3, 4], 1, 0.5, [0.175, 0.225, 0.275, 0.325]),
        ([1, 2, 3, 4], 2, 1.0, [0.5] * 4),
        ([0, 0, 0, 0], 1, 0.1, [0.25] * 4),
        ([1, 5], 2, 0.5, [1, 1]),
        ([0, 0, 6, 6], 3, 0.2, [0.5, 0.5, 1, 1]),
    ]:
        assert _chances(np.array(doubt, dtype=float), wanted, even) == pytest.approx(chances)


@pytest.mark.parametrize(
    ("number", "even", "right"),
    [
        (4, 0.5, True),
        (1, 1.0, True),
        (0, 0.5, False),
        (5, 0.5, False),
        (2, 0.0, False),
        (2, 1.1, False),
    ],
)
def test_what_can_be_drawn_is_one_to_all_by_an_even_share_above_nothing(
    number: int, even: float, right: bool
) -> None:
    if right:
        found = choose_dialogues(np.full(4, np.nan), np.array(list("abbb")), number, even=even)
        assert found.chances == pytest.approx([number / 4] * 4)
        assert found.drawn.all() == (number == 4)
        return
    with pytest.raises(InputError):
        choose_dialogues(np.ones(4), np.full(4, "s"), number, even=even)
