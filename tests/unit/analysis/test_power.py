"""Power: the numbers of the 2011 paper, the formulas' own identities, the simulation, the study file."""

import json
from pathlib import Path

import pytest
from statsmodels.stats.power import TTestIndPower

from vivavoce.analysis.planning import answer, plan_of_study
from vivavoce.analysis.power import Nested, likert, one_rate, power_of_two_rates, preference, two_rates
from vivavoce.analysis.simulation_of_power import simulate_two_rates
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-power.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", GOLDEN["two_rates"])
def test_the_sizes_around_the_claim_of_810_calls_are_the_published_ones(case):
    facts, expected = two_rates(*case["input"]), case["expected"]
    for name in (
        "pooled",
        "continuity_corrected",
        "unpooled",
        "unpooled_continuity_corrected",
        "steps_of_ten",
    ):
        assert facts["critical_difference"][name] == expected[name]
    for name in ("per_group", "per_group_continuity_corrected"):
        assert facts[name] == expected[name]
    assert two_rates(*case["input"], power=0.9)["per_group"] == expected["per_group_90"]
    half = facts["half_the_difference"]
    assert round(half["pooled"], 2) == expected["half_pooled"]
    assert round(half["continuity_corrected"], 2) == expected["half_continuity_corrected"]
    for n in (806, 810):
        power = power_of_two_rates(*case["input"], n)
        assert power == pytest.approx(expected[f"power_at_{n}"], abs=5e-6)


def test_the_size_found_has_the_power_asked_for():
    for a, b in ((0.45, 0.5), (0.6, 0.8), (0.9, 0.85)):
        n = two_rates(a, b)["per_group"]
        assert power_of_two_rates(a, b, n) >= 0.8 > power_of_two_rates(a, b, n - 2)


def test_nesting_costs_its_design_effect():
    facts = two_rates(0.45, 0.5, nested=Nested(calls=6, icc=0.2))["clustered"]
    assert facts["design_effect"] == pytest.approx(2)
    assert (facts["per_group"], facts["participants"]) == (3130, 1044)
    within = two_rates(0.45, 0.5, nested=Nested(calls=6, icc=0.2, design="within"))["clustered"]
    assert within["design_effect"] == pytest.approx(0.8)
    assert within["participants"] == 418


def test_one_rate_preference_and_likert_agree_with_each_other_and_their_sources():
    one, choice = one_rate(0.6), preference(0.6, ties=0.5)
    assert choice["decided"] == one["per_group"] == 194
    assert choice["per_group"] == 388
    assert one["exact"] > one["per_group"]
    assert one_rate(0.5, half_width=0.05)["precision"] == 381
    scale = likert(0.5, 1.2)
    assert TTestIndPower().power(0.5 / 1.2, scale["per_group"], 0.05) >= 0.8
    assert scale["per_group_ranks"] == pytest.approx(scale["per_group"] / 0.955, abs=1)


@pytest.mark.parametrize("design", ["between", "within"])
def test_simulated_trials_have_the_power_of_the_formula(design):
    nested = Nested(calls=6, icc=0.2, interaction=0.05 if design == "within" else 0.0, design=design)
    people = two_rates(0.4, 0.55, nested=nested)["clustered"]["participants"]
    found = simulate_two_rates(0.4, 0.55, people, nested, draws=1000, seed=2)
    assert found.share == pytest.approx(0.8, abs=0.045)
    again = simulate_two_rates(0.4, 0.55, people, nested, draws=1000, seed=2)
    assert again == found


def test_a_study_file_says_how_many_participants(tmp_path):
    write_study(tmp_path, "cambridge-2011", name="plan")
    plan = plan_of_study(load_study(tmp_path / "study.yaml"))
    assert (plan.measure, plan.calls, plan.design) == ("objective_success_inferred", 3, "within")
    facts = answer("study", [], plan=plan)
    assert facts["per_group"] == 1565
    assert facts["clustered"]["calls"] == 3
    assert any("fewest dialogues" in text for text in facts["assumptions"])
    other = answer("two-rates", [0.5, 0.7], plan=plan, calls=6, icc=0.1, design="between", seed=3)
    assert other["clustered"]["design_effect"] == pytest.approx(1.5)
    assert other["simulated"]["power"] == pytest.approx(0.8, abs=0.06)
    assert other["simulated"]["type_one_error"] == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    ("question", "values", "options"),
    [
        ("two-rates", [0.4], {}),
        ("two-rates", [0.4, 0.4], {}),
        ("two-rates", [0.4, 1.4], {}),
        ("two-rates", [0.4, 0.5], {"alpha": 2.0}),
        ("two-rates", [0.4, 0.5], {"calls": 0.5}),
        ("likert", [0.0, 1.0], {}),
        ("preference", [0.6], {"ties": 1.0}),
        ("one-rate", [0.6], {"half_width": 0.9}),
        ("likert", [0.5, 1.0], {"seed": 1}),
        ("study", [], {}),
    ],
)
def test_questions_that_make_no_sense_are_refused(question, values, options):
    with pytest.raises(InputError):
        answer(question, values, **options)


def test_unknown_questions_name_the_known_ones():
    with pytest.raises(UnknownName, match="likert"):
        answer("two-rats", [0.4, 0.5])
    with pytest.raises(UnknownName, match="between"):
        answer("two-rates", [0.4, 0.5], design="crossed")
