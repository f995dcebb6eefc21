"""Looking early: published boundaries and e-values, and alpha held in simulated trials."""

import json
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from vivavoce.analysis.stopping import boundaries, conditional_power, judge
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.stats.anytime import (
    betting_evidence,
    e_value,
    watch_differences,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-sequential.json").read_text(encoding="utf-8")
)


def test_boundaries_are_the_published_ones():
    for case in GOLDEN["boundaries"]:
        found = boundaries(*case["input"])
        assert [look.z for look in found] == pytest.approx(case["expected"], abs=case["tolerance"])
        assert found[-1].spent == pytest.approx(0.05)


def test_e_values_are_the_reference_ones():
    for case in GOLDEN["e_values"]:
        assert e_value(*case["input"]) == pytest.approx(case["expected"], rel=case["relative"])


def test_one_look_is_the_ordinary_test():
    (look,) = boundaries(1)
    assert look.z == pytest.approx(1.959964, abs=1e-6)


def test_unequal_looks_spend_what_their_information_allows():
    early, late = boundaries([0.2, 1.0]), boundaries([0.8, 1.0])
    assert early[0].z > late[0].z
    assert early[1].z < late[1].z


@pytest.mark.parametrize("looks", [0, [0.5, 0.4], [0.0, 1.0], [0.5, 1.5]])
def test_looks_that_make_no_sense_are_refused(looks):
    with pytest.raises(InputError):
        boundaries(looks)
    with pytest.raises(UnknownName):
        boundaries(3, "linear")


def test_a_trial_stops_for_effect_and_for_futility_and_says_why():
    looks = boundaries(4)
    final = looks[-1].z
    assert judge(5.0, looks[1], expected=2.8, final=final).stop == "effect"
    hopeless = judge(-0.0, looks[2], expected=0.5, final=final)
    assert hopeless.stop == "futility"
    assert "%" in hopeless.why
    assert judge(1.5, looks[1], expected=2.8, final=final).stop is None
    assert conditional_power(3.0, 1.0, expected=2.8, final=final) == 1


def test_a_trial_that_shows_nothing_halfway_may_still_end_on_either_side():
    """Half of the information is to come, so the rest has a spread of root 1/2: 2 P(Z > 1.96 root 2)."""
    found = conditional_power(0.0, 0.5, expected=0.0, final=1.96)
    assert found == pytest.approx(2 * (1 - NormalDist().cdf(1.96 * 2**0.5)))


def sequences(seed: int, trials: int, length: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((trials, length))


def held(trials: int, seed: int, looks: int = 10) -> dict[str, float]:
    """Share of trials without any effect that are stopped at one of ten looks, by procedure."""
    sums = np.cumsum(sequences(seed, trials, looks), axis=1) / np.sqrt(np.arange(1, looks + 1))
    bars = {name: [look.z for look in boundaries(looks, name)] for name in ("obrien_fleming", "pocock")}
    bars["peeking"] = [1.959964] * looks
    return {name: float((np.abs(sums) >= np.array(bar)).any(axis=1).mean()) for name, bar in bars.items()}


def first_at_20(differences: list[float]) -> int | None:
    """Participants after whom the evidence reaches 20."""
    evidence = betting_evidence(differences, np.array([0.0]))
    return next((n for n, values in enumerate(evidence, start=1) if values[0] >= 20), None)


def anytime_errors(trials: int, seed: int) -> dict[str, float]:
    """Share of null trials ever stopped when every one of 200 participants is looked at."""
    rng = np.random.default_rng(seed)
    successes = rng.integers(0, 2, (trials, 200)).cumsum(axis=1).tolist()
    differences = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], (trials, 200)).tolist()
    return {
        "choices": float(
            np.mean(
                [any(e_value(so_far, n) >= 20 for n, so_far in enumerate(one, start=1)) for one in successes]
            )
        ),
        "differences": float(np.mean([first_at_20(one) is not None for one in differences])),
    }


def test_ten_looks_hold_alpha_and_peeking_does_not():
    share = held(20_000, 1)
    assert share["obrien_fleming"] == pytest.approx(0.05, abs=0.006)
    assert share["pocock"] == pytest.approx(0.05, abs=0.006)
    assert share["peeking"] == pytest.approx(0.193, abs=0.01)


@pytest.mark.long
def test_ten_looks_hold_alpha_in_many_trials():
    share = held(400_000, 2)
    assert share["obrien_fleming"] == pytest.approx(0.05, abs=0.0012)
    assert share["pocock"] == pytest.approx(0.05, abs=0.0012)
    assert all(error <= 0.05 for error in anytime_errors(1000, 3).values())


def test_looking_after_every_participant_holds_alpha():
    assert all(error <= 0.06 for error in anytime_errors(60, 4).values())


def test_a_real_difference_is_found_with_few_people():
    """Reference 2.5: a difference of .3 is shown with some 37 people, half of the time."""
    rng = np.random.default_rng(5)
    trials = [(rng.random(200) < 0.65).astype(float) - (rng.random(200) < 0.35) for _ in range(200)]
    needed = [first_at_20(trial.tolist()) or 201 for trial in trials]
    assert np.median(needed) <= 45


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(InputError):
        e_value(5, 3)
    with pytest.raises(InputError):
        watch_differences([])


def test_what_just_reaches_a_bar_has_reached_it_and_what_has_just_the_power_goes_on():
    look, final = boundaries(4)[1], boundaries(4)[-1].z
    for sign in (1, -1):
        assert judge(sign * look.z, look, expected=2.8, final=final).stop == "effect"
        assert judge(sign * (look.z - 1e-9), look, expected=2.8, final=final).stop is None
        assert conditional_power(sign * final, 1.0, expected=2.8, final=final) == 1
        assert conditional_power(sign * (final - 1e-9), 1.0, expected=2.8, final=final) == 0
    power = conditional_power(0.3, look.information, expected=2.8, final=final)
    assert judge(0.3, look, expected=2.8, final=final, futility=power).stop is None
    assert judge(0.3, look, expected=2.8, final=final, futility=power + 1e-9).stop == "futility"
    assert judge(0.3, look, expected=2.8, final=final, futility=power + 1e-9, last=True).stop is None


def test_conditional_power_is_that_of_what_is_to_come_added_to_what_is_known():
    """At .36 of the information, z = 1.3: .6 x 1.3 now, .64 x 2.8 to come, with a spread of .8."""
    middle, normal = 0.6 * 1.3 + 0.64 * 2.8, NormalDist(0, 0.8)
    expected = 1 - normal.cdf(2.0 - middle) + normal.cdf(-2.0 - middle)
    for sign in (1, -1):
        found = conditional_power(sign * 1.3, 0.36, expected=2.8, final=2.0)
        assert found == pytest.approx(expected)


def test_a_look_that_may_spend_next_to_nothing_stops_no_trial():
    first, last = boundaries([0.01, 1.0])
    assert first.z == float("inf") and last.z == pytest.approx(1.959964, abs=1e-5)
    assert boundaries([0.5, 1.0])[0].spent == pytest.approx(0.00305, abs=5e-6)
