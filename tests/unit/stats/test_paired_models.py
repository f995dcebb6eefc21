"""Models of paired choices: closed forms, the reference's worths, real judgements, people as clusters."""

import json
from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import t as student
from statsmodels.discrete.discrete_model import Logit

from scenes.judgements import judge_rows
from vivavoce.stats.paired_models import FittedPairs, LogOdds, fit
from vivavoce.stats.preference_models import chances, combined, differences, levels, tie_models, worths

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-preference.json").read_text(encoding="utf-8")
)


def outcomes(won: int, tied: int, lost: int) -> np.ndarray:
    return np.array([1.0] * won + [0.0] * tied + [-1.0] * lost)


def logit(share: float) -> float:
    return log(share / (1 - share))


@example(49, 57, 5)  # the search for it goes far away
@given(st.integers(5, 200), st.integers(1, 200), st.integers(5, 200))
def test_two_versions_with_ties_have_their_closed_forms(won: int, tied: int, lost: int) -> None:
    """Both models fit three shares with two numbers exactly; their formulas turned round give the answer."""
    given_, n = outcomes(won, tied, lost), won + tied + lost
    by_davidson = fit(np.ones((n, 1)), given_, np.arange(n), "davidson")
    by_threshold = fit(np.ones((n, 1)), given_, np.arange(n), "rao_kupper")
    assert by_davidson is not None and by_threshold is not None
    assert by_davidson.estimates[0] == pytest.approx(log(won / lost), abs=1e-4)
    assert by_davidson.readiness == pytest.approx(tied / (won * lost) ** 0.5, rel=1e-3)
    assert by_threshold.estimates[0] == pytest.approx((logit(won / n) - logit(lost / n)) / 2, abs=1e-3)
    assert by_threshold.readiness == pytest.approx(exp(-(logit(won / n) + logit(lost / n)) / 2), rel=1e-2)
    for fitted, name in ((by_davidson, "davidson"), (by_threshold, "rao_kupper")):
        told = chances(float(fitted.estimates[0]), name, fitted.readiness)
        assert told == pytest.approx((won / n, lost / n, tied / n), abs=1e-3)


def test_several_systems_have_the_reference_worths() -> None:
    for case in GOLDEN["davidson"]:
        first, second, said = [], [], []
        for i, j, wins, losses, ties in case["input"]:
            first += [str(i)] * (wins + losses + ties)
            second += [str(j)] * (wins + losses + ties)
            said += [1.0] * wins + [-1.0] * losses + [0.0] * ties
        names = sorted({*first, *second})
        fitted = fit(differences(names, first, second), np.array(said), np.arange(len(said)))
        assert fitted is not None
        assert fitted.readiness == pytest.approx(case["expected"]["nu"], abs=case["tolerance"])
        by_name = {one.name: one.estimate for one in worths(names, fitted)}
        assert [by_name[name] for name in names] == pytest.approx(
            case["expected"]["beta"], abs=case["tolerance"]
        )


def test_decided_choices_have_the_reference_worths() -> None:
    for case in GOLDEN["bradley_terry"]:
        pairs = [
            (str(i), str(j))
            for i, row in enumerate(case["input"])
            for j, won in enumerate(row)
            for _ in range(won)
        ]
        names = sorted({one for pair in pairs for one in pair})
        design = differences(names, [one for one, _ in pairs], [other for _, other in pairs])
        fitted = fit(design, np.ones(len(pairs)), np.arange(len(pairs)), "decided")
        assert fitted is not None and fitted.readiness is None
        found = [one.estimate for one in worths(names, fitted)]
        expected = case["expected"]
        assert found == pytest.approx(expected["logworth"], abs=10 * case["tolerance"])
        assert expit(found[0] - found[1]) == pytest.approx(expected["P12"], abs=10 * case["tolerance"])


def test_the_error_of_a_share_is_the_usual_one_and_grows_when_people_repeat_themselves() -> None:
    said = outcomes(60, 0, 40)
    alone = fit(np.ones((100, 1)), said, np.arange(100), "decided")
    alike = fit(np.ones((100, 1)), said, np.arange(100) // 10, "decided")
    assert alone is not None and alike is not None
    usual = (1 / (100 * 0.6 * 0.4)) ** 0.5
    assert alone.interval([1.0]).se == pytest.approx(usual, rel=0.01)
    assert alike.interval([1.0]).se == pytest.approx(usual * 10**0.5, rel=0.06)


@pytest.mark.parametrize("said", [outcomes(20, 0, 0), outcomes(0, 8, 0), outcomes(0, 0, 0)])
def test_nothing_to_tell_apart_has_no_fit(said: np.ndarray) -> None:
    assert fit(np.ones((len(said), 1)), said, np.arange(len(said))) is None


def test_columns_that_say_the_same_have_no_fit() -> None:
    assert fit(np.ones((30, 2)), outcomes(20, 0, 10), np.arange(30)) is None


def test_only_variables_with_ties_have_tie_models() -> None:
    rows = judge_rows(40, {"empathy": 0.7}, ties=0.2) + judge_rows(40, {"facing": 0.6})
    every = tie_models(rows)
    assert {one.question for one in every} == {None, "ease", "utility", "satisfaction", "interaction"}
    found = [one for one in every if one.question is None]
    assert [(one.variable, one.model) for one in found] == [
        ("empathy", "decided"),
        ("empathy", "davidson"),
        ("empathy", "rao_kupper"),
    ]
    assert {one.participants for one in found} == {40}
    assert found[0].estimate == pytest.approx(found[1].estimate, abs=1e-4)
    assert abs(found[2].estimate) < abs(found[1].estimate)


def test_the_tie_models_of_a_question_are_those_of_its_choices_alone() -> None:
    rows = judge_rows(40, {"empathy": 0.7}, ties=0.2) + judge_rows(40, {"facing": 0.6}, ties=0.3)
    every = tie_models(rows)
    alone = tie_models([row for row in rows if (row["variable"], row["question"]) == ("facing", "utility")])
    asked = [one for one in every if (one.variable, one.question) == ("facing", "utility")]
    assert asked == [replace(one, question="utility") for one in alone] and asked[0].choices == 40
    for one in every:
        if one.model != "rao_kupper":
            assert one.share == pytest.approx(1 / (1 + exp(-one.estimate)))
        if one.model == "davidson":
            assert one.tied == pytest.approx(one.ties / one.choices, abs=1e-4)
    whole = tie_models([row for row in rows if row["variable"] == "facing"])
    assert whole == [one for one in every if one.variable == "facing"]


def levelled(people: int, scale: dict[str, float], seed: int = 1) -> list[dict]:
    """Choices between all levels, each as likely as its worth says."""
    rows, names = [], list(scale)
    for place, a in enumerate(names):
        for b in names[place + 1 :]:
            share = 1 / (1 + exp(scale[a] - scale[b]))
            rows += [
                {**row, "control_level": a, "experimental_level": b}
                for row in judge_rows(people, {"formality": share}, seed=seed + len(rows))
            ]
    return rows


def test_known_levels_are_ranked_and_their_worths_lie_in_the_intervals() -> None:
    scale = {"casual": -0.4, "plain": 0.6, "stiff": -0.2}
    (found,) = levels(levelled(120, scale))
    assert found.best == "plain"
    assert found.participants == 120
    for one in found.levels:
        assert one.low < scale[one.name] < one.high
    assert sum(one.share for one in found.levels) == pytest.approx(1)


def test_levels_never_compared_with_each_other_have_no_worths() -> None:
    rows = judge_rows(20, {"formality": 0.6})
    apart = [{**row, "control_level": "x", "experimental_level": "y"} for row in rows]
    (found,) = levels(rows + apart)
    assert found.levels is None


def test_combined_strategies_have_effects_of_their_own_and_together() -> None:
    scale = {"casual/cool": 0.0, "casual/warm": 0.8, "formal/cool": 0.3, "formal/warm": 0.6}
    rows = [{**row, "variable": "register/empathy"} for row in levelled(150, scale, seed=7919)]
    (found,) = combined(rows)
    assert found.interactions
    true = {"register=formal": 0.3, "empathy=warm": 0.8, "register=formal x empathy=warm": -0.5}
    for one in found.terms:
        assert one.low < true[one.term] < one.high, one


def test_a_combination_of_two_cells_only_has_main_effects_or_nothing() -> None:
    rows = [
        {**row, "variable": "register/empathy", "control_level": "a/c", "experimental_level": "b/d"}
        for row in judge_rows(20, {"x": 0.6})
    ]
    (found,) = combined(rows)
    assert found.terms == [] and found.interactions is False


@pytest.mark.shared
@pytest.mark.parametrize("case", GOLDEN["marco"], ids=lambda case: case["input"])
def test_the_judgements_of_marco_are_analysed_by_the_tie_models(shared: Path, case: dict) -> None:
    file = shared / "data" / "marco" / "human_evaluation" / "human_annotation.json"
    choices = {"MarCo": "experimental", "Tie": "tie", "HDSA": "control"}
    rows = [
        {
            "variable": "generator",
            "choice": choices[said],
            "participant_id": None,
            "visit_id": dialogue["file"],
            "control_level": "HDSA",
            "experimental_level": "MarCo",
        }
        for dialogue in json.loads(file.read_text(encoding="utf-8"))
        for turn in dialogue["info"]
        for said in turn["MarCo vs. HDSA"][case["input"]]
    ]
    assert len(rows) == 2226
    win, tie, loss = (case["expected"][name] for name in ("win", "tie", "loss"))
    by_model = {one.model: one for one in tie_models(rows)}
    assert by_model["davidson"].participants == by_model["rao_kupper"].participants == 100
    for name in ("davidson", "rao_kupper"):
        assert by_model[name].tied == pytest.approx(tie, abs=case["tolerance"])
    assert by_model["davidson"].estimate == pytest.approx(log(win / loss), abs=0.02)
    threshold = (logit(win) - logit(loss)) / 2
    assert by_model["rao_kupper"].estimate == pytest.approx(threshold, abs=0.02)
    assert by_model["decided"].share == pytest.approx(win / (win + loss), abs=0.005)
    for one in by_model.values():
        assert one.low < one.estimate < one.high


def drawn_choices(seed: int, ties: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(150), rng.normal(size=150)])
    people = rng.integers(20, size=150)
    eta = design @ [0.4, -0.7] + rng.normal(0, 0.5, 20)[people]
    won = np.where(rng.random(150) < 1 / (1 + np.exp(-eta)), 1.0, -1.0)
    return design, np.where(rng.random(150) < 0.25, 0.0, won) if ties else won, people


def test_decided_choices_have_the_logistic_regression_of_another_library() -> None:
    design, given, people = drawn_choices(1, ties=True)
    found, kept = fit(design, given, people, "decided"), given != 0
    peer = Logit((given[kept] > 0).astype(float), design[kept]).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": people[kept], "use_correction": False}
    )
    groups = len(set(people[kept]))
    assert found is not None and (found.clusters, found.choices) == (groups, int(kept.sum()))
    assert found.estimates == pytest.approx(peer.params, abs=1e-5)
    assert found.covariance == pytest.approx(peer.cov_params() * groups / (groups - 1), rel=1e-4)
    assert (found.log_likelihood, found.readiness) == (pytest.approx(peer.llf), None)


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_models_with_ties_have_the_likelihood_and_errors_of_their_chances(ties) -> None:
    """Independent: chances written out for each choice, their slopes by differences."""
    design, given, people = drawn_choices(2, ties=True)
    found = fit(design, given, people, ties)
    assert found is not None and found.readiness is not None

    def logs(values: np.ndarray) -> np.ndarray:
        eta = design @ values[:2]
        if ties == "davidson":
            parts = np.column_stack([np.exp(eta / 2), np.exp(-eta / 2), np.full(len(eta), np.exp(values[2]))])
            won, lost, tied = (parts / parts.sum(axis=1, keepdims=True)).T
        else:
            theta = np.exp(np.exp(values[2]))
            won, lost = 1 / (1 + theta * np.exp(-eta)), 1 / (1 + theta * np.exp(eta))
            tied = 1 - won - lost
        return np.log(np.where(given > 0, won, np.where(given < 0, lost, tied)))

    last = log(found.readiness) if ties == "davidson" else log(log(found.readiness))
    at, step = np.append(found.estimates, last), 1e-4
    moves = step * np.eye(3)
    scores = np.column_stack([(logs(at + one) - logs(at - one)) / (2 * step) for one in moves])
    assert found.log_likelihood == pytest.approx(logs(at).sum())
    assert scores.sum(axis=0) == pytest.approx(0, abs=1e-3)
    second = np.array(
        [
            [
                (logs(at + a + b) - logs(at + a - b) - logs(at - a + b) + logs(at - a - b)).sum()
                / (4 * step**2)
                for b in moves
            ]
            for a in moves
        ]
    )
    sums = np.array([scores[people == one].sum(axis=0) for one in np.unique(people)])
    bread = np.linalg.inv(-second)
    groups = len(sums)
    expected = (bread @ (sums.T @ sums) @ bread * groups / (groups - 1))[:2, :2]
    assert found.covariance == pytest.approx(expected, rel=1e-3)
    limits = found.interval([1.0, 0.5])
    se = float(np.sqrt(np.array([1, 0.5]) @ expected @ [1, 0.5]))
    assert limits.se == pytest.approx(se, rel=1e-3)
    assert limits.high == pytest.approx(limits.estimate + student.ppf(0.975, groups - 1) * se, rel=1e-3)
    assert limits.p == pytest.approx(2 * student.sf(abs(limits.estimate) / se, groups - 1), rel=1e-2)


@pytest.mark.parametrize(("clusters", "variance"), [(1, 0.04), (7, 0.0)])
def test_one_person_or_no_error_gives_log_odds_without_limits(clusters: int, variance: float) -> None:
    found = FittedPairs(np.array([0.6]), np.array([[variance]]), None, -3.0, clusters, 9)
    assert found.interval([0.5]) == LogOdds(0.3)


def test_two_people_give_limits_by_t_of_one_degree_of_freedom() -> None:
    found = FittedPairs(np.array([0.6]), np.array([[0.04]]), None, -3.0, 2, 9).interval([0.5], 0.9)
    reach = student.ppf(0.95, 1) * 0.1
    expected = (0.3, 0.1, 0.3 - reach, 0.3 + reach, 2 * student.sf(3, 1))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("names", "first", "second", "design"),
    [
        ("abc", "abc", "bca", [[1, -1], [0, 1], [-1, 0]]),
        ("ab", "aab", "bba", [[1], [1], [-1]]),
    ],
)
def test_each_name_but_the_last_has_a_column(names: str, first: str, second: str, design: list) -> None:
    assert differences(list(names), list(first), list(second)).tolist() == design


def test_worths_are_shares_of_odds_about_their_mean() -> None:
    """Log odds of a and b against c of .7 and -.2: about their mean .1667 they are .5333, -.3667, -.1667."""
    covariance = np.array([[0.09, 0.02], [0.02, 0.05]])
    a, c, b = worths("abc", FittedPairs(np.array([0.7, -0.2]), covariance, None, -3.0, 30, 90))
    logs = {"a": 0.7 - 0.5 / 3, "b": -0.2 - 0.5 / 3, "c": -0.5 / 3}
    whole = sum(exp(one) for one in logs.values())
    for one in (a, b, c):
        assert one.estimate == pytest.approx(logs[one.name])
        assert one.share == pytest.approx(exp(logs[one.name]) / whole)
    weights = np.array([2 / 3, -1 / 3])
    assert a.se == pytest.approx((weights @ covariance @ weights) ** 0.5)


def test_three_levels_are_ranked_and_two_are_not() -> None:
    scale = {"plain": 0.9, "short": 0.3, "long": 0.0}
    assert len(levels(levelled(30, scale, seed=3))) == 1
    assert levels(levelled(30, {"plain": 0.9, "long": 0.0}, seed=3)) == []


@pytest.mark.parametrize(
    ("variable", "names", "right"),
    [
        ("register/empathy", ("a/c", "b/d"), True),
        ("register", ("a/c", "b/d"), False),
        ("register/empathy", ("a/c", "b"), False),
        ("register/empathy", ("a/c/e", "b/d"), False),
    ],
)
def test_only_levels_with_as_many_parts_as_their_variable_are_combined(variable, names, right) -> None:
    rows = [
        {**row, "variable": variable, "control_level": names[0], "experimental_level": names[1]}
        for row in judge_rows(5, {"x": 0.6})
    ]
    assert bool(combined(rows)) is right
