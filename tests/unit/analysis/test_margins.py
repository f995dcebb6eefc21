"""Differences of rates against a margin: values computed independently, and what holds of any data."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vivavoce.core.errors import InputError
from vivavoce.stats.margins import clustered_pairs, clustered_rates

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "decisions.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["clustered"].values(), ids=GOLDEN["clustered"])
def test_rates_of_people_with_several_dialogues_equal_the_reference(case: dict[str, Any]) -> None:
    counts = [
        np.array(case[name], dtype=float)
        for name in ("successes_a", "dialogues_a", "successes_b", "dialogues_b")
    ]
    test = clustered_rates(*counts, floor=case["floor"])
    score = test.score(-case["margin"])
    assert (score.z, score.df) == (pytest.approx(case["z"]), pytest.approx(case["df"]))
    assert test.p(-case["margin"], "greater") == pytest.approx(case["p"])
    assert test.icc == pytest.approx(case["icc_within"])
    assert test.interval(0.90) == pytest.approx(case["interval_90"], abs=1e-8)
    corrected = clustered_rates(*counts, floor=case["floor"], correct=True)
    assert corrected.interval() == pytest.approx(case["interval_95_mn"], abs=1e-8)


@pytest.mark.parametrize("case", GOLDEN["paired"])
def test_independent_pairs_equal_the_reference(case: dict[str, Any]) -> None:
    kinds = [(1, 1, "both"), (1, 0, "only_first"), (0, 1, "only_second"), (0, 0, "neither")]
    pairs = np.array([(a, b) for a, b, name in kinds for _ in range(case[name])], dtype=float)
    test = clustered_pairs(pairs[:, 0], pairs[:, 1], np.arange(len(pairs)))
    assert test.score(-0.05).z == pytest.approx(case["z_at_margin_minus_0_05"], rel=1e-6)


def pairs_of(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of callers, with the differences that the case gives to some of them."""
    callers = np.repeat(np.arange(case["callers"]), case["dialogues"])
    first, second = np.ones(len(callers)), np.ones(len(callers))
    places = {"first": 0, "second": 1, "third": 2, "eighth": 7}
    for name, gaps in case.get("by_caller", {}).items():
        for number, gap in enumerate(gaps.split(",")):
            side = second if gap == "+1" else first
            side[places[name] * case["dialogues"] + number] = 0.0
    return first, second, callers


@pytest.mark.parametrize("case", GOLDEN["pairs_clustered"])
def test_pairs_of_callers_equal_the_reference(case: dict[str, Any]) -> None:
    test = clustered_pairs(*pairs_of(case))
    margin = 0.05 if "z_at_margin_05" in case else 0.10
    z = case.get("z_at_margin_05", case.get("z_at_margin_10"))
    assert test.score(-margin).z == pytest.approx(z)
    assert test.p(-margin, "greater") == pytest.approx(case["p"])
    assert test.interval(0.90).low == pytest.approx(case["lower_90"])


def test_an_interval_leaves_out_exactly_what_its_test_rejects() -> None:
    rng = np.random.default_rng(1)
    cases = rng.integers(1, 4, (2, 12)).astype(float)
    successes = rng.binomial(cases.astype(int), 0.8).astype(float)
    test = clustered_rates(successes[0], cases[0], successes[1], cases[1])
    for level in (0.8, 0.9, 0.95):
        low, high = test.interval(level)
        assert test.p(low) == pytest.approx(1 - level) == pytest.approx(test.p(high))
        assert low < test.estimate < high


def test_what_cannot_be_compared_is_refused() -> None:
    one, none = np.array([1.0]), np.array([0.0])
    with pytest.raises(InputError):
        clustered_rates(one, one, none, none)
    with pytest.raises(InputError):
        clustered_rates(2 * one, one, one, one)
    with pytest.raises(InputError):
        clustered_pairs(one, one, np.array([0]))
