"""Labels that a lot chose by unequal chances weigh by their inverse, in every figure that has no judge."""

from typing import Any

import numpy as np
import pytest

from unit.analysis.test_label_targets import label, made_of
from vivavoce.analysis.clustered_summary import with_intervals
from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.judge_estimates import estimate
from vivavoce.analysis.summary import summarise
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import compute
from vivavoce.measures.values import values
from vivavoce.stats.clusters import chosen_ratio
from vivavoce.stats.difference import compare_clusters

RATE = "contextually_appropriate_rate"
SYSTEMS, PEOPLE = np.array(list("ab" * 6)), np.repeat(np.arange(4), 3)
FAIR = np.array([2, 1, 0, 2, 1, 1, 0, 2, 2, 0, 1, 2])
CHANCES = np.array([0.25, 0.5, 1.0, 0.4] * 3)
DRAWN = np.array([True, True, True, False, True, True, True, True, True, False, True, True])
OF = 2.0  # system turns of each dialogue


@pytest.fixture
def chosen(make: Any) -> Dataset:
    """Ten of twelve dialogues are drawn; one that is not was labelled all the same."""
    labels = [
        label(f"d{n}", "ann", "AP" if turn <= FAIR[n] else "IA", "context", turn)
        for n in range(12)
        if DRAWN[n] or n == 3
        for turn in (1, 2)
    ]
    chances = [
        {
            "dialogue_id": f"d{n}",
            "layer": "context",
            "target": "context.AP",
            "chance": float(CHANCES[n]),
            "drawn": bool(DRAWN[n]),
        }
        for n in range(12)
    ]
    return made_of(make, annotations=labels, label_chances=chances)


def by_hand(here: np.ndarray) -> tuple[float, np.ndarray]:
    """Hajek's ratio of Horvitz-Thompson sums, and what leaving each participant out changes, damped."""
    weights = np.where(DRAWN & here, 1 / CHANCES, 0.0)
    ratio = float((weights * FAIR).sum() / (weights * OF).sum())
    away = []
    for one in range(4):
        rest = weights * (one != PEOPLE)
        own = 1 - float(rest.sum() / weights.sum())
        away.append((ratio - float((rest * FAIR).sum() / (rest * OF).sum())) * np.sqrt(1 - own))
    return ratio, np.array(away)


def test_a_summary_is_hajeks_ratio_with_the_error_of_participants_left_out(chosen: Dataset) -> None:
    rows = summarise(chosen)
    for row in (*rows.by, rows.all):
        here = row.key == SYSTEMS if row.key in ("a", "b") else np.ones(12, dtype=bool)
        ratio, away = by_hand(here)
        found = row.measures[RATE]
        assert found.value == pytest.approx(ratio, abs=1e-12)
        assert found.clustered.se == pytest.approx(np.sqrt((away**2).sum()), abs=1e-12)
        assert found.clustered.method == "inverse_chance_wilson_t"
        assert found.denominator == OF * (DRAWN & here).sum(), "what was judged, not what it stands for"
        assert "weights:inverse chance" in found.signature
        low, high = found.clustered.low, found.clustered.high
        assert low is not None and high is not None and 0 < low < ratio < high < 1
    told = " ".join(map(str, rows.warnings))
    assert "judged 10 of 12 dialogues" in told and "Hajek ratios" in told and "0 sampled dialogues" in told


def test_a_comparison_is_the_difference_of_two_of_them(chosen: Dataset) -> None:
    (first, away_a), (second, away_b) = (by_hand(one == SYSTEMS) for one in "ab")
    found = compare_systems(chosen, measures=[RATE])
    test = found.tests[0]
    assert test.clustered.difference == pytest.approx(first - second, abs=1e-12)
    assert test.clustered.se == pytest.approx(np.sqrt(((away_a - away_b) ** 2).sum()), abs=1e-12)
    assert test.clustered.method == "cluster_robust_t" and "inverse-probability weights" in str(
        test.clustered.why
    )
    assert test.naive.method == "none" and {one.method for one in test.models.values()} == {"none"}
    each = {one.estimand: one.found.difference for one in test.weighted}
    weights = np.where(DRAWN, 1 / CHANCES, 0.0)
    people = [
        np.mean(
            [
                (weights * FAIR)[at].sum() / (weights * OF)[at].sum()
                for one in range(4)
                if (at := (system == SYSTEMS) & (one == PEOPLE) & DRAWN).any()
            ]
        )
        for system in "ab"
    ]
    assert each["per participant"] == pytest.approx(people[0] - people[1], abs=1e-12)
    assert {round(one.clustered.p_adjusted or 0, 12) for one in found.tests} == {
        round(test.clustered.p or 0, 12)
    }


def test_a_table_of_measures_and_people_beside_a_judge_say_the_same(chosen: Dataset) -> None:
    found = with_intervals(chosen, values(chosen, [RATE]), "system")
    plain = compute(chosen, [RATE], "system")
    assert "weights:inverse chance" in found["signature"][0]
    facts = estimate(chosen, "parameters", "context.AP")
    for place, group in enumerate(facts.groups):
        assert found["value"][place] == plain["value"][place] == pytest.approx(group.people.estimate)
        assert group.people.se == pytest.approx(
            (summarise(chosen).by[place].measures[RATE].clustered.se), abs=1e-12
        )


def test_measures_that_look_at_no_chosen_layer_stay_as_they_are(chosen: Dataset) -> None:
    rows = summarise(chosen).by[0].measures
    assert rows["user_turns"].denominator == 6 and "weights" not in rows["user_turns"].signature
    assert compare_systems(chosen, measures=["user_turns"]).tests[0].clustered.method != "cluster_robust_t"


def test_where_all_that_was_drawn_is_fair_the_interval_is_that_of_every_other_rate(make: Any) -> None:
    labels = [label(f"d{n}", "ann", "AP", "context", turn) for n in range(12) for turn in (1, 2)]
    chances = [
        {
            "dialogue_id": f"d{n}",
            "layer": "context",
            "target": "context.AP",
            "chance": float(CHANCES[n]),
            "drawn": True,
        }
        for n in range(12)
    ]
    found = summarise(made_of(make, annotations=labels, label_chances=chances)).all.measures[RATE]
    assert (found.value, found.clustered.high) == (1.0, 1.0)
    assert found.clustered.method == "wilson_effective_participants" and (found.clustered.low or 0) < 1


@pytest.mark.long
@pytest.mark.parametrize("callers", [140, 40])
def test_the_interval_holds_what_is_true_and_the_test_keeps_its_level(callers: int) -> None:
    """Dialogues that look bad are labelled four times as often; 600 trials, so that 95 % is known to .9."""
    rng, trials = np.random.default_rng(99), 600
    held = alarms = plain = 0
    for _ in range(trials):
        who = np.repeat(np.arange(callers), 1 + rng.poisson(4, callers))
        own = rng.beta(0.65 * 17 / 3, 0.35 * 17 / 3, callers)
        truth = (rng.random(len(who)) < own[who]).astype(float)
        looks = np.where(rng.random(len(who)) < 0.6, truth, rng.random(len(who)) < 0.8)
        chances = np.where(looks > 0.5, 0.15, 0.6)
        drawn, first = rng.random(len(who)) < chances, rng.random(len(who)) < 0.5
        weights = np.where(drawn, 1 / chances, 0.0)
        found = chosen_ratio(who, truth * drawn, drawn.astype(float), weights)
        held += (found.low or 0) <= 0.65 <= (found.high or 0)
        sides = [(who[at], (truth * weights)[at], weights[at]) for at in (first, ~first)]
        test = compare_clusters(sides[0][0], sides[1][0], sides[0][1:], sides[1][1:], weighed=True)
        alarms += test is not None and (test.p or 0) < 0.05
        plain += abs(truth[drawn].mean() - 0.65) < 0.05
    assert 0.93 <= held / trials <= 0.975 and 0.03 <= alarms / trials <= 0.07
    assert plain / trials < 0.05, "as they are, labels are nowhere near"
