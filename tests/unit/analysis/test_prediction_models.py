"""Models of quality of every kind: what they predict, how they are scored, explained and written down."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import cohen_kappa_score, recall_score
from statsmodels.stats.outliers_influence import variance_inflation_factor
from typer.testing import CliRunner

from vivavoce.analysis.prediction import correlate, prediction_table
from vivavoce.analysis.prediction.explanation import (
    _calibration,
    _coefficients,
    _collinear,
    _course,
    _importance,
    explain,
)
from vivavoce.analysis.prediction.model import _tree, fit_model, read_model, score, unknown_predictors
from vivavoce.analysis.prediction.table import JUDGEMENTS, PredictionTable, usable
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import compute
from vivavoce.reports.prediction import prediction_figures
from vivavoce.stats.prediction.fitting import KINDS, Kind, fit, kinds_for
from vivavoce.stats.prediction.linear import folds
from vivavoce.stats.prediction.logistic import fit_logistic, penalised
from vivavoce.stats.prediction.ordinal import Ordinal, has_codes
from vivavoce.stats.prediction.scores import HeldOut, rank_correlation, scores
from vivavoce.stats.prediction.trees import Forest, fit_boosting, fit_tree

CALLS, PEOPLE = 80, 16


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Satisfaction falls with the runs of inappropriate turns; duration is noise."""
    draw = np.random.default_rng(11)
    writer = DatasetWriter(tmp_path_factory.mktemp("m") / "D", study={"name": "s"}, source={"kind": "test"})
    for number in range(CALLS):
        key, run = f"d{number:02}", int(draw.integers(0, 5))
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": key,
                    "study": "s",
                    "system": f"bot{number % 2}",
                    "condition": "c",
                    "channel": "text",
                    "participant_id": f"p{number % PEOPLE}",
                    "language": "en",
                    "simulated": False,
                    "duration_s": float(draw.integers(10, 100)),
                }
            ],
        )
        writer.add(
            "turns",
            [
                {
                    "dialogue_id": key,
                    "turn_index": index,
                    "party": ("system", "user")[index % 2],
                    "text": "a b",
                    "reference": "a b",
                }
                for index in range(12)
            ],
        )
        writer.add(
            "annotations",
            [
                {
                    "dialogue_id": key,
                    "turn_index": 2 * place,
                    "layer": "context",
                    "label": "IA" if place < run else "AP",
                    "annotator_id": "a",
                }
                for place in range(6)
            ],
        )
        asked = {"dialogue_id": key, "wording": "project"}
        felt = float(np.clip(round(5 - run + draw.normal(0, 0.4)), 1, 5))
        writer.add(
            "ratings",
            [
                {**asked, "instrument": "satisfaction", "item_id": "satisfied", "value": felt},
                {
                    **asked,
                    "instrument": "cambridge",
                    "item_id": "found_all",
                    "role": "subjective_success",
                    "value": float(felt > 3),
                },
            ],
        )
    return writer.close()


def noisy(n: int, seed: int = 2) -> tuple[Any, Any, list[str]]:
    draw = np.random.default_rng(seed)
    inputs = draw.normal(size=(n, 4))
    return inputs, inputs[:, 1] * 2 + draw.normal(0, 0.5, n), [f"p{number % 30}" for number in range(n)]


def test_a_tree_written_as_arrays_finds_a_step_where_it_is() -> None:
    draw = np.random.default_rng(4)
    inputs = draw.uniform(-1, 1, size=(300, 3))
    answers = np.where(inputs[:, 2] <= 0.25, 1.0, 5.0)
    forest = fit_tree(inputs, answers, [f"p{number % 20}" for number in range(300)])
    assert forest.predict(inputs) == pytest.approx(answers)
    assert forest.trees[0].feature[0] == 2
    assert forest.trees[0].threshold[0] == pytest.approx(0.25, abs=0.05)


def test_boosted_trees_as_arrays_say_what_the_library_says() -> None:
    inputs, answers, groups = noisy(150)
    forest = fit_boosting(inputs, answers, groups)
    library = GradientBoostingRegressor(
        n_estimators=len(forest.trees),
        learning_rate=forest.rate,
        max_depth=2,
        subsample=0.5,
        max_features=1.0,
        min_samples_leaf=10,
        random_state=0,
    ).fit(inputs, answers)
    assert forest.predict(inputs) == pytest.approx(library.predict(inputs))


def test_an_ordinal_model_says_the_mean_and_the_median_of_its_chances() -> None:
    model = Ordinal(np.array([0.8, -0.5]), np.array([-1.0, 0.0, 2.0]), np.array([1.0, 2.0, 3.0, 5.0]))
    for inputs in ([0.0, 0.0], [3.0, 0.0], [-2.0, 1.0], [0.0, -4.0]):
        lean = 0.8 * inputs[0] - 0.5 * inputs[1]
        below = [0.0, *(stats.logistic.cdf(one - lean) for one in (-1.0, 0.0, 2.0)), 1.0]
        chances = np.diff(below)
        assert model.chances(np.array([inputs]))[0] == pytest.approx(chances)
        assert model.predict(np.array([inputs]))[0] == pytest.approx(chances @ model.codes)
        median = model.codes[next(place for place in range(4) if below[place + 1] >= 0.5)]
        assert model.choose(np.array([inputs]))[0] == median


SMALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=4, max_size=25)


@given(SMALL)
def test_a_weighted_rank_correlation_is_that_of_the_repeated_cases(cases: list[tuple[int, int, int]]) -> None:
    one, other, often = (np.array(column, dtype=float) for column in zip(*cases, strict=True))
    found = rank_correlation(one, other, often[None, :])[0]
    repeated = [np.repeat(column, often.astype(int)) for column in (one, other)]
    if len(repeated[0]) < 2 or np.ptp(repeated[0]) == 0 or np.ptp(repeated[1]) == 0:
        assert not np.isfinite(found) or len(repeated[0]) >= 2
        return
    expected: Any = stats.spearmanr(*repeated)
    assert found == pytest.approx(float(expected.statistic), abs=1e-9)


def test_kappa_and_recall_are_those_of_another_library() -> None:
    draw = np.random.default_rng(3)
    answers = draw.integers(1, 6, 200).astype(float)
    chosen = np.clip(answers + draw.integers(-1, 2, 200), 1, 5)
    held = HeldOut(answers, chosen, np.full(200, 3.0), chosen, [f"p{number % 25}" for number in range(200)])
    found = scores(held)
    assert found.weighted_kappa == pytest.approx(cohen_kappa_score(answers, chosen, weights="quadratic"))
    assert found.macro_recall == pytest.approx(recall_score(answers, chosen, average="macro"))
    for name in ("r2", "rmse", "spearman", "weighted_kappa", "macro_recall"):
        value, low, high = (getattr(found, f"{name}{end}") for end in ("", "_low", "_high"))
        assert low is not None and value is not None and high is not None
        assert low < value < high


def test_intervals_are_wider_when_the_answers_of_a_person_are_alike() -> None:
    draw = np.random.default_rng(6)
    felt = np.repeat(draw.normal(0, 2, 20), 15)
    said, naive = np.zeros(300), np.full(300, 0.5)
    together = scores(HeldOut(felt, said, naive, None, [f"p{number // 15}" for number in range(300)]))
    apart = scores(HeldOut(felt, said, naive, None, [f"p{number}" for number in range(300)]))
    widths = [float(one.rmse_high or 0) - float(one.rmse_low or 0) for one in (together, apart)]
    assert widths[0] > 2 * widths[1]
    assert together.weighted_kappa is None


def test_a_target_that_is_not_in_codes_has_no_ordinal_model() -> None:
    assert "ordinal" in kinds_for(np.array([1.0, 2.0, 5.0]))
    assert "ordinal" not in kinds_for(np.array([1.0, 2.5]))
    for codes, known in ((1, False), (2, True), (12, True), (13, False)):
        assert has_codes(np.arange(codes, dtype=float)) == known


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_any_kind_scores_from_its_file_as_it_was_fitted(
    dataset: Dataset, tmp_path: Path, kind: Kind
) -> None:
    path = tmp_path / "model.json"
    path.write_text(fit_model(dataset, "satisfied", kind=kind).as_file(), encoding="utf-8")
    table = prediction_table(dataset, "satisfied")
    fitted = fit(kind, table.values, table.answers, table.participants)
    assert list(score(read_model(path), dataset).values()) == pytest.approx(fitted.predict(table.values))
    assert kind in read_model(path).signature


@pytest.mark.parametrize(
    "damage",
    [
        {"kind": "oracle"},
        {"predictors": 3},
        {"trees": [{"feature": [9]}]},
        {"base": None},
        {"predictors": [{"measure": "no_such", "mean": 0, "deviation": 1}]},
        {"trees": []},
        {"trees": [{"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "value": []}]},
        {"trees": [{"feature": [], "threshold": [], "left": [], "right": [], "value": []}]},
        {"trees": [{"feature": [-1], "threshold": [0.0], "left": [1], "right": [-1], "value": [0.5]}]},
    ],
)
def test_a_damaged_model_is_named_and_never_a_stack_trace(
    dataset: Dataset, tmp_path: Path, damage: dict[str, Any]
) -> None:
    path = tmp_path / "model.json"
    whole = json.loads(fit_model(dataset, "satisfied", kind="tree").as_file())
    path.write_text(json.dumps(whole | damage), encoding="utf-8")
    if damage == {"trees": []}:
        assert len(score(read_model(path), dataset)) == CALLS
        return
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert str(path) in caught.value.place


def test_all_measures_made_of_users_answers_are_known_as_judgements(tmp_path: Path) -> None:
    """Else one of them could leak the answer as a predictor."""

    def written(name: str, ratings: list[dict[str, Any]]) -> set[str]:
        writer = DatasetWriter(tmp_path / name, study={"name": "s"}, source={"kind": "test"})
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": "d",
                    "study": "s",
                    "system": "x",
                    "condition": "x",
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                }
            ],
        )
        writer.add("ratings", ratings)
        table = compute(writer.close())
        return set(table[table["dialogues"] > 0]["measure"])

    answers = [
        {
            "dialogue_id": "d",
            "instrument": instrument,
            "wording": "w",
            "item_id": item,
            "role": role,
            "value": 1.0,
        }
        for instrument, item, role in (
            ("cambridge", "found_all", "subjective_success"),
            ("cambridge", "understood", None),
            ("satisfaction", "satisfied", None),
            ("sus", "q1", None),
        )
    ]
    assert written("answered", answers) - written("silent", []) == set(JUDGEMENTS)


def test_weighted_inappropriateness_is_correlated_with_every_target(dataset: Dataset) -> None:
    rows = {(row.target, row.measure): row for row in correlate(dataset)}
    row = rows["satisfied", "weighted_inappropriateness"]
    assert row.symbol == "wCA:IA"
    found = row.found
    assert found.rho < -0.8
    assert found.low < found.rho < found.high < 0
    assert (found.n, found.participants) == (CALLS, PEOPLE)
    noise = rows["satisfied", "dialogue_duration"].found
    assert noise.low < 0 < noise.high
    assert noise.p > 0.05


def test_an_explanation_names_what_carries_the_prediction(dataset: Dataset) -> None:
    facts = explain(dataset, "satisfied", refits=20)
    first = facts.importance[0]
    assert first.measure in (
        "weighted_inappropriateness",
        "contextually_appropriate",
        "contextually_inappropriate",
    )
    assert first.r2_lost > 0.1
    by_name = {row.measure: row for row in facts.coefficients}
    assert all(row.low <= row.high for row in facts.coefficients)
    assert abs(by_name["dialogue_duration"].weight) < abs(facts.coefficients[0].weight) / 2
    assert sum(row.n for row in facts.calibration) == CALLS
    lowest, highest = facts.calibration[0], facts.calibration[-1]
    assert lowest.answered < highest.answered
    assert {figure.name for figure in prediction_figures(facts)} == {"coefficients", "courses", "calibration"}


def test_predictors_are_called_alike_above_an_inflation_of_five_and_no_others() -> None:
    """Variance inflation by ordinary least squares of each predictor on the others, by another library."""
    draw = np.random.default_rng(4)
    base = draw.normal(size=(60, 3))
    values = np.column_stack([base, base[:, 0] + draw.normal(0, 0.1, 60)])
    designs = sm.add_constant(values)
    expected = {name: variance_inflation_factor(designs, place + 1) for place, name in enumerate("abcd")}
    assert {name for name, one in expected.items() if one > 5} == {"a", "d"}, "the data means anything"
    people = [f"p{number}" for number in range(60)]
    table = PredictionTable("t", tuple("abcd"), (), values, base[:, 1], people, people, people)
    found = _collinear(table, fit("stepwise", values, base[:, 1], people))
    assert {row.measure: pytest.approx(row.vif) for row in found} == {
        name: one for name, one in expected.items() if one > 5
    }


def small_table(width: int = 3) -> PredictionTable:
    """Answers follow the second predictor; people of three to seven dialogues; some values are missing."""
    draw = np.random.default_rng(8)
    people = [f"p{number:02}" for number in range(20) for _ in range(3 + number % 5)]
    values = draw.normal(2, 1.5, (len(people), width))
    answers = 2 * values[:, 1 % width] + draw.normal(0, 1, len(people))
    values[::9, 0] = np.nan
    return PredictionTable("t", tuple("abc")[:width], (), values, answers, people, people, people)


def test_weights_have_the_spread_of_models_of_people_drawn_anew() -> None:
    table, told = small_table(), []
    model = fit("stepwise", table.values, table.answers, table.participants)
    found = _coefficients(table, model, 3, 12, lambda done, whole: told.append((done, whole)))
    rng, names, drawn = np.random.default_rng(3), sorted(set(table.participants)), []
    for _ in range(12):
        rows = [
            (names[one], row)
            for one in rng.integers(0, 20, 20)
            for row, who in enumerate(table.participants)
            if who == names[one]
        ]
        chosen = [row for _, row in rows]
        again = fit("stepwise", table.values[chosen], table.answers[chosen], [who for who, _ in rows])
        drawn.append(again.weights)
    expected = {
        name: (
            model.weights[place],
            *np.quantile(np.array(drawn)[:, place], [0.025, 0.975]),
            np.mean([one[place] != 0 for one in drawn]),
        )
        for place, name in enumerate("abc")
    }
    assert {
        row.measure: pytest.approx((row.weight, row.low, row.high, row.kept)) for row in found
    } == expected
    assert [abs(row.weight) for row in found] == sorted((abs(row.weight) for row in found), reverse=True)
    assert told == [(done, 12) for done in range(1, 13)]


def test_a_predictor_is_worth_what_is_lost_when_its_values_are_shuffled() -> None:
    """Shuffled, every answer meets every value of the predictor: on average over all pairs of dialogues."""
    table = small_table()
    found = _importance(table, "stepwise", 1)
    lost = base = 0.0
    for train, test in folds(table.participants, 5, 1):
        people = [who for who, inside in zip(table.participants, train, strict=True) if inside]
        model = fit("stepwise", table.values[train], table.answers[train], people)
        values, answers = table.values[test], table.answers[test]
        base += ((answers - table.answers[train].mean()) ** 2).sum()
        lost -= ((answers - model.predict(values)) ** 2).sum()
        for one in values[:, 1]:
            lost += ((answers - model.predict(_with(values, one))) ** 2).mean()
    assert found[0].measure == "b" and found[0].r2_lost == pytest.approx(lost / base, rel=0.15)
    assert all(abs(row.r2_lost) < 0.05 for row in found[1:])
    assert _collinear(small_table(1), fit("stepwise", *_of(small_table(1)))) == []


def _with(values: np.ndarray, second: float) -> np.ndarray:
    return np.where(np.arange(values.shape[1]) == 1, second, values)


def _of(table: PredictionTable) -> tuple[Any, Any, list[str]]:
    return table.values, table.answers, table.participants


def test_a_course_is_the_mean_prediction_were_every_dialogue_to_have_a_value() -> None:
    table = small_table()
    model = fit("stepwise", *_of(table))
    for place, name in ((0, "a"), (1, "b")):
        low, high = np.nanquantile(table.values[:, place], [0.05, 0.95])
        points = _course(table, model, name).points
        assert [one.value for one in points] == pytest.approx(list(np.linspace(low, high, 20)))
        for point in points[::7]:
            set_ = np.where(np.arange(3) == place, point.value, table.values)
            assert point.predicted == pytest.approx(model.predict(set_).mean())


@pytest.mark.parametrize("n", [23, 7])
def test_tenths_of_predictions_have_the_answers_of_people_drawn_anew(n: int) -> None:
    draw = np.random.default_rng(6)
    said, answers = draw.normal(size=n), draw.normal(size=n)
    people = [f"p{number % 5}" for number in range(n)]
    found = _calibration(HeldOut(answers, said, said, None, people), 2)
    assert len(found) == min(10, n) and sum(one.n for one in found) == n
    draws = np.random.default_rng(2).multinomial(5, [0.2] * 5, size=500)
    for one, rows in zip(found, np.array_split(np.argsort(said), len(found)), strict=True):
        counts = draws[:, [int(people[row][1]) for row in rows]]
        means = [np.average(answers[rows], weights=own) for own in counts if own.sum()]
        expected = said[rows].mean(), answers[rows].mean(), *np.quantile(means, [0.025, 0.975]), len(rows)
        assert (one.predicted, one.answered, one.low, one.high, one.n) == pytest.approx(expected)


def test_measures_that_half_of_the_dialogues_lack_or_that_another_says_are_no_predictors() -> None:
    ramp, nothing = np.arange(8.0), np.nan
    rows = pd.DataFrame(
        {
            "ramp": ramp,
            "fall": -ramp,
            "constant": 3.0,
            "bent": ramp**2,
            "half": [1, 2, 1, 3, *[nothing] * 4],
            "few": [1, 2, 3, *[nothing] * 5],
            "subjective_success": [1.0, 0] * 4,
        }
    )
    names, left_out = usable(rows, False)
    assert names == ["ramp", "bent", "half"]
    why = "missing in more than half, or always the same"
    assert left_out == (("fall", "ramp"), ("constant", why), ("few", why))
    assert usable(rows, True)[0][-1] == "subjective_success"


@pytest.mark.parametrize(("others", "warned"), [(9, True), (10, False)])
def test_ten_other_answers_are_enough_to_learn_from(others: int, warned: bool) -> None:
    answers = np.array([1.0] * 30 + [0.0] * others)
    table = PredictionTable("t", (), (), np.empty((len(answers), 0)), answers, [], [], [])
    assert bool(table.warnings) is warned


def test_trees_have_no_weights_but_what_they_go_by_is_shown(dataset: Dataset) -> None:
    facts = explain(dataset, "satisfied", kind="tree")
    assert facts.coefficients is None
    assert {figure.name for figure in prediction_figures(facts)} == {"importance", "courses", "calibration"}
    assert isinstance(fit("tree", np.eye(20), np.arange(20.0), list("ab" * 10)).inner, Forest)


def test_the_verb_writes_figures_and_names_the_judgements_among_the_predictors(
    dataset: Dataset, tmp_path: Path
) -> None:
    out = tmp_path / "figures"
    run = [
        "predict",
        "explain",
        str(dataset.folder),
        "--target",
        "satisfied",
        "--model",
        "tree",
        "--judgements",
    ]
    shown = CliRunner().invoke(app, [*run, "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    assert "predictors: subjective_success" in shown.output
    for name in ("importance", "courses", "calibration"):
        assert (out / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
        assert "vega-lite" in json.loads((out / f"{name}.vl.json").read_text(encoding="utf-8"))["$schema"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "oracle"],
        ["--with", "no_such_measure"],
        ["--with", "SubSucc"],
        ["--target", "happiness"],
    ],
)
def test_what_cannot_be_a_model_a_predictor_or_a_target_is_refused(
    dataset: Dataset, arguments: list[str]
) -> None:
    target = [] if "--target" in arguments else ["--target", "satisfied"]
    shown = CliRunner().invoke(app, ["predict", "explain", str(dataset.folder), *target, *arguments])
    assert isinstance(shown.exception, InputError)


def test_boosting_keeps_as_many_trees_as_are_best_for_people_held_back() -> None:
    values, answers, people = noisy(120)
    train, test = folds(people, 5)[0]
    grown = GradientBoostingRegressor(
        n_estimators=200,
        learning_rate=0.05,
        max_depth=2,
        subsample=0.5,
        random_state=0,
        max_features=min(1.0, 10 / values.shape[1]),
        min_samples_leaf=min(10, int(train.sum()) // 10),
    ).fit(values[train], answers[train])
    errors = [((answers[test] - said) ** 2).sum() for said in grown.staged_predict(values[test])]
    best = 1 + int(np.argmin(errors))
    assert 1 < best < 200, "the data means anything"
    assert len(fit_boosting(values, answers, people).trees) == best
    assert len(fit_boosting(values, answers, ["p"] * 120).trees) == 200, "nobody can be held back"


WHOLE_TREE = {
    "feature": [1, -1, -1],
    "threshold": [0.5, 0.0, 0.0],
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "value": [0.0, 1.0, 2.0],
}


@pytest.mark.parametrize(
    ("damage", "right"),
    [
        ({}, True),
        ({"feature": [2, -1, -1]}, False),
        ({"feature": [0, -1, -1]}, True),
        ({"feature": [-2, -1, -1]}, False),
        ({"left": [3, -1, -1]}, False),
        ({"left": [0, -1, -1]}, True),
        ({"right": [-2, -1, -1]}, False),
        ({"right": [3, -1, -1]}, False),
        ({"value": [0.0, 1.0]}, False),
        ({"threshold": [0.5] * 4}, False),
    ],
)
def test_a_tree_goes_to_nodes_and_features_that_there_are(damage: dict[str, Any], right: bool) -> None:
    if right:
        found = _tree(WHOLE_TREE | damage, 2)
        if not damage:
            assert found.predict(np.array([[9.0, 0.5], [0.0, 0.6]])).tolist() == [1.0, 2.0]
        return
    with pytest.raises(ValueError, match="a broken tree"):
        _tree(WHOLE_TREE | damage, 2)


def test_an_ordinal_model_has_a_code_more_than_thresholds(dataset: Dataset, tmp_path: Path) -> None:
    whole = json.loads(fit_model(dataset, "satisfied", kind="ordinal").as_file())
    for codes in (whole["codes"][:-1], [*whole["codes"], 6.0], whole["codes"]):
        path = tmp_path / "model.json"
        path.write_text(json.dumps(whole | {"codes": codes}), encoding="utf-8")
        if codes == whole["codes"]:
            assert unknown_predictors(read_model(path), dataset) == []
            continue
        with pytest.raises(InputError, match="damaged"):
            read_model(path)


def test_a_logistic_model_under_a_penalty_is_that_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(5)
    inputs = rng.standard_normal((120, 6))
    answers = (rng.random(120) < 1 / (1 + np.exp(-1.5 - inputs[:, 0]))).astype(float)
    found = penalised(inputs, answers, 20.0)
    theirs = LogisticRegression(C=1 / 20, tol=1e-10, max_iter=1000).fit(inputs, answers)
    assert found.predict(inputs) == pytest.approx(theirs.predict_proba(inputs)[:, 1], abs=1e-5)
    assert found.weights == pytest.approx(theirs.coef_[0], abs=1e-5)


def test_the_penalty_of_a_logistic_model_is_chosen_on_other_participants() -> None:
    """One input tells the answers, the other only who somebody is: it is not learnt by heart."""
    rng = np.random.default_rng(6)
    people = np.repeat(np.arange(30), 4)
    known = rng.standard_normal(120)
    answers = (rng.random(120) < 1 / (1 + np.exp(-2 * known))).astype(float)
    groups = [str(one) for one in people]
    useful = fit_logistic(np.column_stack([known, np.where(known > 9, 1.0, np.nan)]), answers, groups)
    noise = fit_logistic(rng.standard_normal((120, 40)), answers, groups)
    assert abs(useful.inner.weights[0]) > 1.0 and useful.inner.weights[1] == 0
    assert np.abs(noise.inner.weights).max() < 0.2
    assert useful.predict(np.array([[3.0, np.nan]]))[0] > 0.9
