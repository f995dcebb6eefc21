"""Trials of the benchmark that are counted many at a time are what the package says of each."""

import numpy as np
import pytest
from benchmarks._judged_trials import Trials, differences, means

from vivavoce.stats.prediction_powered import powered_difference, powered_mean

TRIALS, CALLERS = 40, 9


def drawn(kind: str) -> tuple[Trials, np.ndarray]:
    rng = np.random.default_rng(7)
    caller = np.repeat(np.arange(TRIALS * CALLERS), rng.integers(1, 7, TRIALS * CALLERS))
    truth = (rng.random(len(caller)) < 0.7).astype(float)
    truth[caller < 2 * CALLERS] = 1.0  # trials in which nothing varies
    said = np.where(rng.random(len(caller)) < 0.6, truth, rng.random(len(caller)))
    odds = np.where(said > 0.5, 0.2, 0.7)
    labels = np.where(rng.random(len(caller)) < (0.1 if kind == "few labels" else odds), truth, np.nan)
    labels[caller == 3 * CALLERS] = 0.0
    labels[(caller > 3 * CALLERS) & (caller < 4 * CALLERS)] = np.nan  # one person was asked
    chances = odds if kind == "chances" else None
    trials = Trials((TRIALS, CALLERS), caller, None if kind == "people alone" else said, labels, chances)
    return trials, rng.random(len(caller)) < 0.5


def test_means_of_many_trials_are_those_of_each() -> None:
    for rate in [True, False]:
        for kind in ["joined", "people alone", "chances", "few labels"]:
            trials, _ = drawn(kind)
            found = means(trials, rate=rate)
            for number in range(TRIALS):
                one = powered_mean(trials.one(number), rate=rate)
                for name in ("estimate", "low", "high", "se"):
                    told = getattr(one, name)
                    expected = np.nan if told is None else told
                    assert getattr(found, name)[number] == pytest.approx(expected, abs=1e-9, nan_ok=True), (
                        name,
                        number,
                    )


@pytest.mark.parametrize("kind", ["joined", "people alone", "chances", "few labels"])
def test_differences_of_many_trials_are_those_of_each(kind: str) -> None:
    trials, first = drawn(kind)
    a, b = trials.only(first), trials.only(~first)
    found = differences(a, b)
    for number in range(TRIALS):
        one = powered_difference(a.one(number), b.one(number))
        for name in ("estimate", "low", "high", "se", "p"):
            told = getattr(one, name)
            expected = np.nan if told is None else told
            assert getattr(found, name)[number] == pytest.approx(expected, abs=1e-9, nan_ok=True), (
                name,
                number,
            )
