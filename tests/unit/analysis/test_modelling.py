"""`analyse --model`: formulas, what a dataset offers them, contrasts, tests, warnings."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import t as scipy_t
from statsmodels.regression.mixed_linear_model import MixedLM
from typer.testing import CliRunner

from scenes.mixed_data import draw_trial
from vivavoce.analysis import modelling
from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.flow import balance_warnings
from vivavoce.analysis.modelling import _attributes, _check, _Judge, _order, fit_model, make_frame
from vivavoce.analysis.summary import summarise
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.result import as_json
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.formula import read_formula
from vivavoce.stats.glmm import NotFitted, fit_mixed_linear

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "mixed-models.json").read_text(encoding="utf-8"))[
    "expected"
]
CROSSED = "success ~ manager * acoustics + order + (1|participant) + (1|task)"


@pytest.fixture
def trial(make) -> Dataset:
    """The trial of the golden numbers as a dataset; answers are the item `scale.ease`."""
    data = draw_trial()
    rows = [
        (manager + acoustics, person, success)
        for manager, acoustics, person, success in zip(
            data["manager"], data["acoustics"], data["participant"], data["success"], strict=True
        )
    ]
    ratings = [
        {
            "dialogue_id": f"d{place}",
            "participant_id": person,
            "instrument": "scale",
            "wording": "file",
            "language": "en",
            "item_id": "ease",
            "value": float(answer),
        }
        for place, (person, answer) in enumerate(zip(data["participant"], data["answer"], strict=True))
    ]
    columns = {
        "factor_manager": data["manager"].tolist(),
        "factor_acoustics": data["acoustics"].tolist(),
        "task_id": data["task"].tolist(),
        "dialogue_number": [int(one) for one in data["order"]],
        "duration_s": data["duration"].tolist(),
    }
    return make(*rows, ratings=ratings, **columns)


def close(facts: list[dict], name: str, expected: list[float], within: float = 1e-3) -> None:
    assert [one[name] for one in facts] == pytest.approx(expected, abs=within)


def test_intervals_of_contrasts_are_those_of_t_over_participants(trial):
    """Calculated here from estimate and error: t with participants - 1 degrees of freedom, at each level."""
    for level in (0.8, 0.95):
        facts = fit_model(trial, "success ~ manager + (1|participant)", level=level)
        (contrast,) = facts.contrasts
        degrees = len(set(trial.read("dialogues").column("participant_id").to_pylist())) - 1
        reach = scipy_t.ppf(0.5 + level / 2, degrees) * contrast.se
        middle = contrast.difference
        assert (contrast.low, contrast.high) == pytest.approx((middle - reach, middle + reach))
        assert contrast.p == pytest.approx(2 * scipy_t.sf(abs(middle) / contrast.se, degrees))
        ratio = contrast.odds_ratio
        assert ratio and ratio.low < ratio.value < ratio.high
        slope = next(one for one in facts.coefficients if one.name == "manager S1")
        wide = scipy_t.ppf(0.5 + level / 2, degrees) * slope.se
        assert (ratio.value, ratio.p) == pytest.approx((np.exp(-slope.estimate), slope.p))
        assert (ratio.low, ratio.high) == pytest.approx(
            (np.exp(-slope.estimate - wide), np.exp(-slope.estimate + wide))
        )
        assert (facts.scale, facts.n, facts.rows) == ("probability", 361, 361)


def test_a_formula_is_fitted_to_a_dataset_as_lme4_fits_it(trial):
    facts = fit_model(trial, CROSSED)
    expected = GOLDEN["rate_crossed"]
    assert json.loads(json.dumps(as_json(facts), allow_nan=False))["warnings"] == [*map(str, facts.warnings)]
    assert (facts.response, facts.family, facts.n) == ("subjective_success", "rate", 361)
    told = [one.name for one in facts.coefficients]
    assert told[0] == "Intercept" and "acoustics A1 : manager S1" in [
        " : ".join(sorted(one.split(" : "))) for one in told
    ]
    where = {"Intercept": 0, "manager S1": 1, "acoustics A1": 2, "order": 3}
    for one in facts.coefficients:
        assert one.estimate == pytest.approx(expected["effects"][where.get(one.name, 4)], abs=1e-3)
    assert facts.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-3)
    manager = next(one for one in facts.contrasts if one.variable == "manager")
    assert (manager.a, manager.b) == ("S0", "S1")
    assert manager.difference == pytest.approx(-expected["difference"], abs=1e-3)
    assert manager.se == pytest.approx(expected["error"], rel=0.01)
    assert "unit:participant" in manager.signature and "n:36" in manager.signature
    (interaction,) = [one for one in facts.terms if ":" in one.term]
    assert interaction.chi2 == pytest.approx(GOLDEN["interaction"]["chi2"], abs=1e-3)
    assert interaction.p == pytest.approx(GOLDEN["interaction"]["p"], abs=1e-3)
    assert {one.term for one in facts.terms} == {"acoustics : manager", "order"}, "margins stay under it"


@pytest.mark.long
def test_durations_and_answers_get_the_models_that_fit_them(trial):
    right = "~ manager * acoustics + order + (1|participant) + (1|task)"
    mean = fit_model(trial, f"dialogue_duration {right}")
    assert (mean.family, mean.method, mean.scale) == ("mean", "reml", "s")
    assert mean.residual == pytest.approx(GOLDEN["mean_crossed"]["residual"], abs=1e-3)
    slope = next(one.estimate for one in mean.coefficients if one.name == "order")
    more = next(one for one in mean.contrasts if one.variable == "order")
    assert (more.a, more.b, more.difference) == ("+1", None, pytest.approx(slope))
    answers = fit_model(trial, "scale.ease ~ manager + acoustics + order + (1|participant)")
    assert (answers.family, answers.unit, len(answers.thresholds)) == ("ordinal", "answer", 4)
    one = answers.contrasts[0]
    assert one.odds_ratio.value < 1 and -4 < one.difference < 0
    assert one.odds_ratio.value == pytest.approx(np.exp(-answers.coefficients[0].estimate))


@pytest.mark.parametrize("response", ["success", "scale.ease"])
def test_a_term_is_tested_by_the_model_without_it(trial, response):
    """Twice the gain in log likelihood, against chi-square of its column."""
    whole = fit_model(trial, f"{response} ~ manager + acoustics + (1|participant)")
    for term, other in (("manager", "acoustics"), ("acoustics", "manager")):
        less = fit_model(trial, f"{response} ~ {other} + (1|participant)")
        (tested,) = [one for one in whole.terms if one.term == term]
        gain = 2 * (whole.log_likelihood - less.log_likelihood)
        assert tested.chi2 == pytest.approx(gain, abs=1e-3) and gain > 0
        assert tested.p == pytest.approx(chi2.sf(gain, 1), rel=1e-2)


def test_an_unbalanced_design_is_told_with_and_without_a_model(trial):
    (warning,) = [told for one in fit_model(trial, CROSSED).warnings if "unbalanced" in (told := str(one))]
    assert "of acoustics makes up" in warning and "controls for one" in warning
    for facts in (summarise(trial, "manager"), compare_systems(trial, by="manager")):
        assert any("manager and acoustics are unbalanced" in str(one) for one in facts.warnings)
    assert not balance_warnings(trial, "system"), "cells of the design are what they are"


def test_confounded_and_balanced_factors_are_told_apart(make):
    rows = [("abcd"[place % 4], f"p{place // 4}", place % 3 > 0) for place in range(80)]
    one = ["one" if place % 2 else "two" for place in range(80)]
    balanced = make(
        *rows, name="even", factor_one=one, factor_other=["xy"[place // 2 % 2] for place in range(80)]
    )
    assert not balance_warnings(balanced, "one")
    same = make(*rows, name="same", factor_one=one, factor_other=["xy"[place % 2] for place in range(80)])
    (warning,) = balance_warnings(same, "one")
    assert "one and other are confounded: the only combinations are one × y, two × x" in str(warning)
    with pytest.raises(InputError, match="cannot be separated from the other terms"):
        fit_model(same, "success ~ one * other + (1|participant)")


def test_few_participants_get_estimates_without_intervals(make):
    rows = [("ab"[place % 2], f"p{place % 6}", place % 5 > 1 + place % 2) for place in range(90)]
    facts = fit_model(make(*rows), "success ~ system + (1|participant)")
    (contrast,) = facts.contrasts
    assert contrast.difference is not None
    assert (contrast.low, contrast.p, contrast.odds_ratio.p) == (None, None, None)
    assert any("Only 6 participants" in str(one) for one in facts.warnings)


def test_what_is_unknown_is_left_out_and_counted(trial, make):
    data = draw_trial()
    rows = [
        ("s", person, success) for person, success in zip(data["participant"], data["success"], strict=True)
    ]
    known = [None if place < 7 else value for place, value in enumerate(data["manager"].tolist())]
    facts = fit_model(make(*rows, name="holes", factor_manager=known), "success ~ manager + (1|participant)")
    assert facts.rows == 361 - 7
    assert any("7 of 361 dialogues are left out" in str(one) for one in facts.warnings)
    facts = fit_model(trial, "success ~ manager + (1|task)")
    assert any("no (1|participant)" in str(one) for one in facts.warnings)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("success", "cannot read the formula"),
        ("success ~ manager", "no random effect"),
        ("success ~ (manager|participant)", "a random slope"),
        ("success ~ manager + __import__('os') + (1|participant)", "cannot read"),
        ("success ~ {manager} + (1|participant)", "cannot read"),
        ("success ~ manager - 1 + (1|participant)", "no intercept"),
        ("success ~ mangaer + (1|participant)", "manager"),
        ("success ~ manager + (1|person)", "participant"),
        ("succes ~ manager + (1|participant)", "success"),
        ("scale.eas ~ manager + (1|participant)", "scale.ease"),
        ("success ~ channel + (1|participant)", "is text in every dialogue"),
        ("success ~ manager + + (1|participant", "cannot read"),
        ("success ~ manager(order) + (1|participant)", "cannot read"),
    ],
)
def test_formulas_that_cannot_be_read_say_what_and_what_to_write(trial, formula, told):
    with pytest.raises((InputError, UnknownName)) as refused:
        fit_model(trial, formula)
    assert told in str(refused.value)


def test_a_family_that_does_not_fit_is_refused(trial):
    for name, formula in (
        ("rate", "dialogue_duration"),
        ("count", "dialogue_duration"),
        ("rate", "scale.ease"),
    ):
        with pytest.raises(InputError):
            fit_model(trial, f"{formula} ~ manager + (1|participant)", name)
    with pytest.raises(UnknownName, match="ordinal"):
        fit_model(trial, "success ~ manager + (1|participant)", "gaussian")


def test_formulas_are_taken_apart():
    found = read_formula("scale.ease ~ (1 | participant:manager) + a*b - a:b + (1|task)")
    assert (found.response, found.names) == ("scale.ease", ("a", "b"))
    assert found.grouping == (("participant", "manager"), ("task",))
    assert read_formula("y ~ (1|participant)").fixed == "1"


@pytest.mark.long
def test_the_terminal_shows_contrasts_terms_and_deviations(trial):
    found = CliRunner().invoke(
        app, ["analyse", str(trial.folder), "--model", CROSSED], catch_exceptions=False
    )
    for words in ("S0 - S1", "odds ratio", "random intercept", "(Holm) over 3 contrasts", "laplace"):
        assert words in " ".join(found.output.split())


def test_terms_of_a_mean_are_tested_by_likelihoods_that_can_be_compared(trial):
    """Those of fits that are not restricted; a restricted one knows which terms it has."""
    facts = fit_model(trial, "dialogue_duration ~ manager + (1|participant)")
    (found,) = facts.terms
    assert (facts.scale, facts.contrasts[0].odds_ratio) == ("s", None)
    assert found.p_adjusted == found.p == pytest.approx(chi2.sf(found.chi2, 1)) and found.df == 1
    dialogues = trial.read("dialogues").to_pandas()
    likelihoods = [
        MixedLM.from_formula(f"duration_s ~ {right}", dialogues, groups="participant_id")
        .fit(reml=False, method="powell")
        .llf
        for right in ("factor_manager", "1")
    ]
    assert found.chi2 == pytest.approx(2 * (likelihoods[0] - likelihoods[1]), rel=1e-3)


def test_the_order_of_dialogues_is_the_one_logged_else_that_of_starting(make):
    talks = [("a", "p", 1), ("a", "q", 1), ("a", "p", 0), ("a", "p", 1)]
    columns = ["dialogue_id", "participant_id", "dialogue_number", "started_at"]

    def order(name: str, **given: list) -> list[float]:
        return _order(make(*talks, name=name, **given).read("dialogues").select(columns).to_pandas()).tolist()

    assert order("logged", dialogue_number=[3, 1, 2, 1]) == [3, 1, 2, 1]
    assert order("partly", dialogue_number=[3, None, 2, 1]) == order("started") == [1, 1, 2, 3]


@pytest.mark.parametrize(("most", "contrasts"), [(2, 1), (1, 0)])
def test_levels_are_compared_in_pairs_up_to_the_most_there_may_be(trial, monkeypatch, most, contrasts):
    monkeypatch.setattr(modelling, "MOST_LEVELS", most)
    facts = fit_model(trial, "success ~ manager + (1|participant)")
    assert len(facts.contrasts) == contrasts, "the dialogue managers are two"


@pytest.mark.parametrize(
    ("family", "values", "name", "right"),
    [
        ("count", [0, 2, 5], "turns", True),
        ("count", [0, 2.5], "turns", False),
        ("count", [-1, 2], "turns", False),
        ("rate", [0, 1], "scale.ease", True),
        ("rate", [1, 2], "scale.ease", False),
        ("rate", [2, 3], "found", True),
        ("ordinal", list(range(20)), "scale.ease", True),
        ("ordinal", list(range(21)), "scale.ease", False),
        ("mean", [-1, 2.5], "turns", True),
    ],
)
def test_a_family_takes_the_values_that_it_can(family, values, name, right):
    if right:
        _check(family, np.array(values, dtype=float), name)
        return
    with pytest.raises(InputError, match=name):
        _check(family, np.array(values, dtype=float), name)


@pytest.mark.parametrize(("people", "error", "told"), [(10, 0.4, True), (9, 0.4, False), (10, 0.0, False)])
def test_ten_participants_and_an_error_give_limits(people, error, told):
    found = _Judge(people, 0.9).interval(-0.7, error, "slope")
    assert (found.name, found.estimate, found.se) == ("slope", -0.7, error)
    if not told:
        assert (found.low, found.high, found.p) == (None, None, None)
        return
    reach = scipy_t.ppf(0.95, 9) * 0.4
    expected = (-0.7 - reach, -0.7 + reach, 2 * scipy_t.sf(0.7 / 0.4, 9))
    assert (found.low, found.high, found.p) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("fixed", "grouping", "why"),
    [
        ([[1, 0], [1, 1]], [0, 1], "cannot be separated"),
        ([[1, 2], [1, 2], [1, 2]], [0, 0, 1], "cannot be separated"),
        ([[1, 0], [1, 1], [1, 3]], [0, 0, 0], "at least 2 levels"),
        ([[1, 0], [1, 1], [1, 3]], [0, 1, 2], "at least 2 levels"),
    ],
)
def test_a_linear_model_of_too_few_values_is_not_fitted(fixed, grouping, why):
    values = np.array([1.0, 2.5, 2.0])[: len(fixed)]
    with pytest.raises(NotFitted, match=why):
        fit_mixed_linear(values, np.array(fixed, dtype=float), [np.array(grouping)])


def test_two_groups_of_values_have_a_linear_model():
    """Means of balanced groups: restricted likelihood gives the classical analysis of variance."""
    values = np.array([1.0, 2.0, 4.5, 6.0, 8.0, 3.0])
    who = np.array([0, 0, 1, 1, 2, 2])
    found = fit_mixed_linear(values, np.ones((6, 1)), [who])
    means = np.array([values[who == one].mean() for one in range(3)])
    within = sum(((values[who == one] - means[one]) ** 2).sum() for one in range(3)) / 3
    between = 2 * means.var(ddof=1)
    assert found.effects == pytest.approx([values.mean()])
    assert found.residual == pytest.approx(within**0.5, rel=1e-3)
    assert found.deviations == pytest.approx([max(0.0, (between - within) / 2) ** 0.5], abs=1e-3)


def test_a_frame_has_the_rows_whose_response_and_variables_are_known(make):
    talks = [("a", "p", 1), ("a", None, 0), ("b", "q", None), ("b", "q", 1), ("b", None, 1)]
    dataset = make(*talks, duration_s=[60.0, 7.5, 8.0, None, 30.0])
    found = make_frame(dataset, read_formula("success ~ system + (1|participant)"))
    assert (len(found.tops), found.left_out, found.family) == (4, 0, "rate"), "one was not asked"
    assert found.tops.tolist() == [1, 0, 1, 1] and len(set(found.variables["participant"])) == 4
    timed = make_frame(dataset, read_formula("success ~ dialogue_duration + (1|participant)"))
    assert timed.variables["dialogue_duration"].tolist() == [60.0, 7.5, 30.0] and timed.left_out == 1
    mean = make_frame(dataset, read_formula("success ~ system + (1|participant)"), "mean")
    assert (mean.family, mean.bottoms.tolist()) == ("mean", [1, 1, 1, 1])
    long = make_frame(dataset, read_formula("dialogue_duration ~ system + (1|participant)"))
    assert (long.family, long.tops.tolist(), long.measured_in) == ("mean", [60.0, 7.5, 8.0, 30.0], "s")
    with pytest.raises(InputError, match="has a single value"):
        make_frame(make(*talks[:1] * 3, name="same"), read_formula("success ~ order + (1|participant)"))
    with pytest.raises(InputError, match="no dialogue has cases of word_error_rate"):
        make_frame(dataset, read_formula("word_error_rate ~ system + (1|participant)"))


def test_answers_of_two_values_are_a_rate_and_of_three_an_order(make):
    def family(*values: float) -> str:
        ratings = [
            {
                "dialogue_id": f"d{place}",
                "participant_id": "p",
                "instrument": "scale",
                "wording": "file",
                "language": "en",
                "item_id": "ease",
                "value": value,
            }
            for place, value in enumerate(values)
        ]
        talks = [("ab"[place % 2], "p", None) for place in range(len(values))]
        made = make(*talks, name=f"of{len(values)}", ratings=ratings)
        return make_frame(made, read_formula("scale.ease ~ system + (1|participant)")).family

    assert (family(0, 1, 1, 0), family(0, 1, 2)) == ("rate", "ordinal")


def test_what_is_known_of_participants_is_numbers_or_texts(make):
    people = [
        {"participant_id": who, "attributes": told, "simulated": False}
        for who, told in (
            ("p", '{"age": 30, "job": "cook", "mixed": 1, "list": [1]}'),
            ("q", '{"age": 41.5, "mixed": "x"}'),
            ("r", None),
        )
    ]
    found = _attributes(make(("a", "p", 1), rows={"participants": people}))
    assert set(found) == {"age", "job", "mixed"}
    assert [found["age"](who) for who in "pq"] == [30.0, 41.5] and np.isnan(found["age"]("r"))
    assert [found["job"](who) for who in ("p", "q", None)] == ["cook", None, None]
    assert [found["mixed"](who) for who in "pq"] == ["1", "x"]
