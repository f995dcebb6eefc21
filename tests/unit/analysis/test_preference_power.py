"""The power of a comparison of transcripts, by simulated judges, against sums over the binomial."""

import pytest
from scipy.stats import binom, chi2

from vivavoce.analysis.preference_power import power_of_plan
from vivavoce.core.errors import InputError
from vivavoce.study.planted_preferences import PlantedPreferences, read_planted


def summed(share: float, judges: int, alpha: float) -> float:
    """The chance that chi-square against an even split is significant, summed over all counts."""
    return sum(
        binom.pmf(k, judges, share)
        for k in range(judges + 1)
        if chi2.sf((2 * k - judges) ** 2 / judges, 1) < alpha
    )


def test_one_cell_has_the_power_that_the_binomial_gives():
    planted = PlantedPreferences({("empathy", None): 0.62})
    found = power_of_plan("city", ["empathy"], ["ease"], planted, judges=143, trials=4000)
    (one,) = found.cells
    assert one.limits.low < one.power < one.limits.high
    assert one.power == pytest.approx(summed(0.62, 143, 0.05), abs=2 * (one.limits.high - one.power))
    assert found.simulated and found.false_alarm is None and "n:4000" in found.signature


def test_holm_over_the_plan_costs_power_and_keeps_false_alarms():
    planted = PlantedPreferences({("empathy", "ease"): 0.62}, alike=0.5)
    variables, questions = ["empathy", "facing", "formality"], ["ease", "use", "joy", "talk"]
    found = power_of_plan("city", variables, questions, planted, judges=143, trials=2000)
    cells = {(one.variable, one.question): one for one in found.cells}
    assert len(cells) == 12 and cells["facing", "joy"].planted is None
    error = (cells["empathy", "ease"].limits.high - cells["empathy", "ease"].power) / 1.96
    strict, alone = summed(0.62, 143, 0.05 / 12), summed(0.62, 143, 0.05)
    assert strict - 4 * error < cells["empathy", "ease"].power < alone - 4 * error
    assert 0 < found.false_alarm < 0.05 + 4 * (0.05 * 0.95 / 2000) ** 0.5


def test_shares_stay_what_was_planted_however_alike_answers_are_and_ties_take_choices_away():
    planted = PlantedPreferences({("empathy", None): 0.7}, alike=0.9)
    found = power_of_plan("city", ["empathy"], ["ease", "use"], planted, judges=20_000, trials=1, tied=0.3)
    shares = [one.pilot for one in found.cells]
    assert shares == pytest.approx([0.7, 0.7], abs=0.02)
    assert abs(shares[0] - shares[1]) < 0.02


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("empaty=0.6", "no variable 'empaty'"),
        ("empathy:eas=0.6", "no question 'eas'"),
        ("empathy=1", "cannot read"),
        ("empathy", "no variable ''"),
    ],
)
def test_a_preference_that_cannot_be_planted_is_refused(word, told):
    with pytest.raises(InputError, match=told):
        read_planted([word], ["empathy"], ["ease"])


def test_a_question_of_its_own_goes_before_its_variable():
    planted = read_planted(["empathy=0.6", "empathy:ease=0.3"], ["empathy"], ["ease", "use"])
    assert (planted.share("empathy", "ease"), planted.share("empathy", "use")) == (0.3, 0.6)
