"""Quality prediction: folds keep people together, judgements are refused, known signals are found."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from typer.testing import CliRunner

from scenes.engines import carrying
from vivavoce.analysis.prediction import correlate, evaluate, prediction_table
from vivavoce.analysis.prediction.correlation import _rho
from vivavoce.analysis.prediction.evaluation import _in_sample
from vivavoce.analysis.prediction.explanation import explain
from vivavoce.analysis.prediction.model import fit_model, read_model, score
from vivavoce.analysis.prediction.table import PredictionTable
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.stats.prediction import scores as scoring
from vivavoce.stats.prediction.cross_fitting import cross_fitted
from vivavoce.stats.prediction.fitting import Fitted
from vivavoce.stats.prediction.linear import Linear, elastic_net, fit, folds, stepwise
from vivavoce.stats.prediction.scores import HeldOut, scores

PEOPLE = 12


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Sixty dialogues whose satisfaction falls with the number of user turns, and noise."""
    draw = np.random.default_rng(5)
    writer = DatasetWriter(tmp_path_factory.mktemp("p") / "D", study={"name": "s"}, source={"kind": "test"})
    for number in range(60):
        key, turns = f"d{number:02}", int(draw.integers(2, 12))
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
                {"dialogue_id": key, "turn_index": index, "party": "user", "text": "a b", "reference": "a b"}
                for index in range(turns)
            ],
        )
        asked = {"dialogue_id": key, "wording": "project"}
        writer.add(
            "ratings",
            [
                {
                    **asked,
                    "instrument": "satisfaction",
                    "item_id": "satisfied",
                    "value": float(np.clip(round(6 - turns / 2 + draw.normal(0, 0.3)), 1, 5)),
                },
                {
                    **asked,
                    "instrument": "cambridge",
                    "item_id": "found_all",
                    "role": "subjective_success",
                    "value": float(turns < 7),
                },
            ],
        )
    return writer.close()


def learn_mean(_: np.ndarray, answers: np.ndarray, people: Sequence[str]) -> Callable[..., np.ndarray]:
    return partial(np.full_like, fill_value=answers.mean() + len(set(people)))


def test_folds_and_draws_fitted_elsewhere_give_the_same_digits(dataset: Dataset) -> None:
    kinds, moved = ("mean", "elastic_net", "tree"), list[tuple[int, int]]()
    asked = {"target": "satisfied", "predictors": ["user_turns", "dialogue_duration"]}
    values, answers = np.arange(60.0), np.arange(60.0) % 7
    people = [f"p{number % PEOPLE}" for number in range(60)]
    here = (
        evaluate(dataset, **asked, kinds=kinds),
        explain(dataset, **asked, refits=4),
        cross_fitted(values, answers, people, train=learn_mean).tolist(),
    )
    with carrying() as engine:
        there = (
            evaluate(dataset, **asked, kinds=kinds, progress=lambda *one: moved.append(one)),
            explain(dataset, **asked, refits=4),
            cross_fitted(values, answers, people, train=learn_mean).tolist(),
        )
    assert there == here
    assert engine.pieces > 3 * (10 + 2) + 4 and moved[-1] == (36, 36), "ten folds of people, two of systems"


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=60), st.integers(2, 6))
def test_a_group_is_never_on_both_sides_and_every_case_is_tested_once(groups: list[str], number: int) -> None:
    tested = np.zeros(len(groups), dtype=int)
    for train, test in folds(groups, number):
        assert not {groups[i] for i in np.flatnonzero(train)} & {groups[i] for i in np.flatnonzero(test)}
        tested += test
    assert (tested == 1).all()


@pytest.mark.long
def test_the_model_that_says_the_mean_explains_nothing_and_the_others_find_the_signal(
    dataset: Dataset,
) -> None:
    found = evaluate(dataset, "satisfaction")
    models = found.by["participant"]
    assert models["mean"].r2 == 0
    for kind in ("stepwise", "elastic_net"):
        assert models[kind].r2 > 0.8
        assert models[kind].r2_low < models[kind].r2 < models[kind].r2_high
        assert models[kind].weighted_kappa > 0.8
    assert (found.n, found.participants, found.systems) == (60, PEOPLE, 2)
    assert found.weights[0].weight < 0
    assert found.judgements == ()


def answered(folder: Path, values: list[float]) -> Dataset:
    """Dialogues of different lengths with these answers to one question."""
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        for number, value in enumerate(values):
            key = f"d{number:03}"
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": key,
                        "study": "s",
                        "system": "bot",
                        "condition": "c",
                        "channel": "text",
                        "participant_id": f"p{number % 20}",
                        "language": "en",
                        "simulated": False,
                    }
                ],
            )
            writer.add(
                "turns",
                [
                    {"dialogue_id": key, "turn_index": index, "party": "user", "text": "a b"}
                    for index in range(1 + number % 7)
                ],
            )
            writer.add(
                "ratings",
                [
                    {
                        "dialogue_id": key,
                        "wording": "project",
                        "instrument": "cambridge",
                        "item_id": "found_all",
                        "value": value,
                    }
                ],
            )
        return writer.close()


def test_who_predicts_what_nearly_everybody_answers_alike_is_warned(tmp_path: Path) -> None:
    few = answered(tmp_path / "few", [1.0] * 190 + [0.0] * 5)
    (warning,) = evaluate(few, "found_all", kinds=("mean", "elastic_net")).warnings
    assert warning.startswith("190 of 195 dialogues have the same answer (1)") and "97%" in warning
    words = ["predict", "fit", str(few.folder), "--target", "found_all", "--out", str(tmp_path / "m.json")]
    told = CliRunner().invoke(app, words, catch_exceptions=False)
    assert "warning: 190 of 195 dialogues have the same answer" in told.stderr
    assert read_model(tmp_path / "m.json").warnings == [warning]
    enough = answered(tmp_path / "enough", [1.0] * 150 + [0.0] * 45)
    assert prediction_table(enough, "found_all").warnings == []
    with pytest.raises(InputError, match=r"all 30 dialogues have the same answer. Choose a target"):
        prediction_table(answered(tmp_path / "same", [1.0] * 30), "found_all")


def test_ten_dialogues_with_an_answer_are_the_fewest(tmp_path: Path) -> None:
    assert len(prediction_table(answered(tmp_path / "ten", [1.0, 0.0] * 5), "found_all").answers) == 10
    with pytest.raises(InputError, match="9 dialogues with an answer"):
        prediction_table(answered(tmp_path / "nine", [1.0] * 5 + [0.0] * 4), "found_all")


def test_judgements_are_refused_as_predictors_unless_asked_for_and_then_named(dataset: Dataset) -> None:
    assert "subjective_success" not in prediction_table(dataset, "satisfaction").predictors
    with pytest.raises(InputError, match="subjective_success is a user judgement"):
        prediction_table(dataset, "satisfaction", ["subjective_success"])
    assert prediction_table(dataset, "satisfaction", judgements=True).judgements == ("subjective_success",)


def test_a_performance_function_weighs_normalised_success_against_costs_as_published() -> None:
    path = Path(__file__).parents[2] / "golden" / "performance.json"
    case = json.loads(path.read_text(encoding="utf-8"))
    names = list(case["weights"])
    weights = np.array([case["weights"][name] for name in names])
    performance = Linear(np.zeros(len(names)), np.ones(len(names)), weights, 0.0)
    found = performance.predict(np.array([[case["normalised"][name] for name in names]]))[0]
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])
    assert f"{found:.2f}" == case["printed"]


def test_predictors_that_say_the_same_are_taken_once(dataset: Dataset) -> None:
    predictors = prediction_table(dataset, "satisfaction").predictors
    assert len({"turns", "user_turns", "user_words"} & set(predictors)) == 1


def test_pure_noise_is_not_predictable_out_of_sample() -> None:
    draw = np.random.default_rng(3)
    values, answers = draw.normal(size=(120, 20)), draw.normal(size=120)
    groups = [f"p{number % 20}" for number in range(120)]
    for train, test in folds(groups, 5):
        people = [group for group, inside in zip(groups, train, strict=True) if inside]
        model = fit("elastic_net", values[train], answers[train], people)
        base = ((answers[test] - answers[train].mean()) ** 2).sum()
        assert 1 - ((answers[test] - model.predict(values[test])) ** 2).sum() / base < 0.2


def test_the_elastic_net_without_penalty_is_least_squares_and_with_a_large_one_nothing() -> None:
    draw = np.random.default_rng(1)
    values = draw.normal(size=(80, 4))
    answers = values @ np.array([1.0, -2.0, 0.0, 0.5]) + draw.normal(0, 0.1, 80)
    least_squares = np.linalg.lstsq(values, answers, rcond=None)[0]
    assert elastic_net(values, answers, 0.0) == pytest.approx(least_squares, abs=1e-3)
    assert stepwise(values, answers, 4) == pytest.approx(least_squares)
    assert (elastic_net(values, answers, 100.0) == 0).all()
    assert np.flatnonzero(stepwise(values, answers, 1)).tolist() == [1]


def test_correlations_name_targets_and_mark_judgements(dataset: Dataset) -> None:
    rows = correlate(dataset, "satisfied")
    assert rows[0].found.rho < -0.9
    assert {row.measure for row in rows if row.judgement} == {"subjective_success"}


def test_an_unknown_target_is_answered_with_those_there_are(dataset: Dataset) -> None:
    with pytest.raises(UnknownName, match="satisfaction"):
        evaluate(dataset, "satisfactoin")


def test_a_model_written_as_json_scores_dialogues_as_it_was_fitted(dataset: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    runner = CliRunner()
    written = runner.invoke(
        app, ["predict", "fit", str(dataset.folder), "--target", "satisfaction", "--out", str(path)]
    )
    assert written.exit_code == 0
    table = prediction_table(dataset, "satisfaction")
    model = fit("elastic_net", table.values, table.answers, table.participants)
    said = score(read_model(path), dataset)
    assert list(said.values()) == pytest.approx(model.predict(table.values))
    assert path.read_text(encoding="utf-8") == fit_model(dataset, "satisfaction").as_file()
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="not a quality model"):
        read_model(path)


def test_the_verb_shows_what_is_predictable(dataset: Dataset) -> None:
    shown = CliRunner().invoke(app, ["predict", "evaluate", str(dataset.folder), "--target", "satisfaction"])
    assert shown.exit_code == 0
    assert "60 dialogues of 12 people" in shown.stdout
    as_json = CliRunner().invoke(app, ["predict", "correlate", str(dataset.folder), "--json"])
    assert json.loads(as_json.stdout)["correlations"]


@pytest.mark.shared
@pytest.mark.long
def test_a_third_of_the_felt_understanding_of_real_calls_is_predictable(dstc2: Dataset) -> None:
    models = evaluate(dstc2, "understood_me").by["participant"]
    assert 0.2 < models["elastic_net"].r2_low < models["elastic_net"].r2_high < 0.55


def test_each_system_is_predicted_by_the_others_and_progress_is_told_to_its_end(dataset: Dataset) -> None:
    """The model `mean` by hand: what one system gets is the mean answer of the other."""
    told: list[tuple[int, int]] = []
    kinds = ("mean", "stepwise")
    found = evaluate(dataset, "satisfaction", kinds=kinds, progress=lambda *step: told.append(step))
    table = prediction_table(dataset, "satisfaction")
    systems = np.array(table.systems)
    means = {one: table.answers[systems != one].mean() for one in set(table.systems)}
    errors = table.answers - np.array([means[one] for one in systems])
    assert found.by["system"]["mean"].rmse == pytest.approx(np.sqrt((errors**2).mean()))
    assert found.by["participant"]["mean"].rmse != pytest.approx(np.sqrt((errors**2).mean()))
    by_system = found.by["system"]
    assert by_system["mean"].spearman is None and by_system["stepwise"].spearman > 0.5
    folds_of_both = 2 * (10 + 2)
    assert told == [(number + 1, folds_of_both) for number in range(folds_of_both)]
    assert found.deviation == pytest.approx(np.std(table.answers, ddof=1))
    made = found.in_sample["stepwise"]
    n, p = len(table.answers), made.predictors
    assert made.adjusted_r2 == pytest.approx(1 - (1 - made.r2) * (n - 1) / (n - p - 1))
    assert [abs(one.weight) for one in found.weights] == sorted(
        (abs(one.weight) for one in found.weights), reverse=True
    )


def test_one_system_alone_cannot_be_left_out(tmp_path: Path) -> None:
    dataset = answered(tmp_path, [float(number % 2) for number in range(40)])
    found = evaluate(dataset, "found_all", kinds=("mean",))
    assert found.by["system"] is None and found.by["participant"] is not None


def test_a_rank_correlation_is_judged_by_leaving_participants_out_one_by_one() -> None:
    """Independent: a jackknife of Fisher's z in a loop over scipy's rho."""
    rng = np.random.default_rng(4)
    one = rng.integers(1, 6, 45).astype(float)
    other, people = one + rng.normal(0, 2, 45), np.array([f"p{number % 9}" for number in range(45)])
    found = _rho(one, other, people.tolist())
    z = np.arctanh(stats.spearmanr(one, other).statistic)
    kept = [people != who for who in sorted(set(people))]
    each = [np.arctanh(stats.spearmanr(one[left], other[left]).statistic) for left in kept]
    error = np.sqrt(8 / 9 * ((np.array(each) - np.mean(each)) ** 2).sum())
    reach = stats.t.ppf(0.975, 8) * error
    assert (found.rho, found.n, found.participants) == (pytest.approx(np.tanh(z)), 45, 9)
    assert (found.low, found.high) == pytest.approx((np.tanh(z - reach), np.tanh(z + reach)))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(z) / error, 8))
    two = _rho(one, other, ["p", "q"] * 22 + ["p"])
    assert (two.low, two.p, two.participants) == (None, None, 2)
    assert _rho(one, one, people.tolist()).low is None


def test_a_dialogue_counts_by_its_distance_from_those_of_training_and_a_missing_value_as_their_mean() -> None:
    model = Linear(np.array([10.0, 1.0]), np.array([2.0, 4.0]), np.array([3.0, 5.0]), 1.0)
    values = np.array([[16.0, 9.0], [4.0, np.nan]])  # 3 and 2 spreads above; 3 below, and unknown
    assert model.predict(values).tolist() == [1 + 3 * 3 + 5 * 2, 1 - 3 * 3]


def test_dialogues_of_one_participant_have_scores_without_intervals() -> None:
    answers, said = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 3])
    naive = np.full(4, 2.5)
    alone = scores(HeldOut(answers, said, naive, None, ["p"] * 4), draws=20)
    assert alone.r2 == pytest.approx(1 - 1 / 5)
    assert (alone.r2_low, alone.r2_high, alone.rmse_low, alone.spearman_low) == (None,) * 4
    assert scores(HeldOut(answers, said, naive, None, ["p", "q"] * 2), draws=20).rmse_low is not None


def test_answers_in_perfect_order_without_one_participant_have_no_interval() -> None:
    """Fisher's z has no value there, so nothing can be said of how far the correlation may be away."""
    one, people = np.arange(1.0, 7), ["p", "p", "q", "q", "r", "r"]
    other = np.array([1.0, 2, 3, 4, 6, 5])
    found = _rho(one, other, people)
    assert found.rho == pytest.approx(1 - 6 * 2 / (6 * 35))
    assert (found.low, found.high, found.p) == (None, None, None)


@pytest.mark.parametrize(
    ("dialogues", "weights", "adjusted"),
    [
        (5, [1.0, 0.0, 0.0], 1 - (1 - 0.9) * 4 / 3),
        (5, [1.0, 0.0, 1e-9], 1 - (1 - 0.9) * 4 / 2),
        (5, [1.0, 1e-9, 1e-9], 1 - (1 - 0.9) * 4 / 1),
        (4, [1.0, 1e-9, 1e-9], None),
    ],
)
def test_the_adjusted_r2_is_missing_where_predictors_leave_no_freedom(
    dialogues: int, weights: list[float], adjusted: float | None
) -> None:
    """1 - (1 - R2)(n - 1) / (n - p - 1), for which n - p - 1 must be above 0."""
    answers = np.arange(1.0, dialogues + 1)
    off = np.sqrt(0.1 * ((answers - answers.mean()) ** 2).sum())
    values = np.column_stack([answers + off * (answers == 1), np.zeros((dialogues, 2))])
    model = Fitted("mean", none := Linear(np.zeros(3), np.ones(3), np.array(weights), 0.0), none)
    table = PredictionTable("t", ("a", "b", "c"), (), values, answers, *[["x"] * dialogues] * 3)
    found = _in_sample(model, table, seed=1)
    assert found.r2 == pytest.approx(0.9)
    assert found.adjusted_r2 == (None if adjusted is None else pytest.approx(adjusted))


def test_answers_that_are_all_alike_have_no_r2_in_sample() -> None:
    model = Fitted("mean", none := Linear(np.zeros(1), np.ones(1), np.ones(1), 0.0), none)
    table = PredictionTable("t", ("a",), (), np.ones((5, 1)), np.full(5, 3.0), *[["x"] * 5] * 3)
    found = _in_sample(model, table, seed=1)
    assert (found.r2, found.adjusted_r2) == (None, None)


def test_folds_are_as_even_as_groups_allow() -> None:
    for seed in range(4):
        groups = [name for name, size in zip("abcdef", (5, 3, 3, 2, 2, 1), strict=True) for _ in range(size)]
        assert [int(test.sum()) for _, test in folds(groups, 2, seed)] == [8, 8]
        assert len(folds(groups, 9, seed)) == 6


def test_inputs_are_normalised_by_what_is_known_of_them_and_constants_stay() -> None:
    values = np.array([[1.0, 3.0, np.nan], [4.0, 3.0, 2.0], [np.nan, 3.0, 7.0], [7.0, 3.0, np.nan]])
    found = fit("mean", values, np.array([1.0, 2, 4, 5]), list("abcd"))
    assert found.centre == pytest.approx(np.nanmean(values, axis=0))
    assert found.spread == pytest.approx([np.nanstd(values[:, 0]), 1.0, np.nanstd(values[:, 2])])
    assert found.normalised(values)[2] == pytest.approx([0, 0, (7 - 4.5) / 2.5])
    assert found.predict(values).tolist() == [3.0] * 4


def test_the_input_taken_second_explains_what_the_first_has_left() -> None:
    """The second input is close to the first, and alone says more than the third."""
    draw = np.random.default_rng(2)
    first, third = draw.normal(size=(2, 200))
    values = np.column_stack([first, first + draw.normal(0, 0.3, 200), third])
    values /= np.sqrt((values**2).sum(axis=0))
    first, third = values[:, 0], values[:, 2]
    answers = 3 * first + third
    assert np.flatnonzero(stepwise(values, answers, 2)).tolist() == [0, 2]
    assert stepwise(values, answers, 2)[[0, 2]] == pytest.approx([3, 1])


def test_participants_are_drawn_as_often_as_was_asked_for_some_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = list("aabcc")
    whole = np.concatenate(list(scoring._drawn(people, 10, 3)))
    monkeypatch.setattr(scoring, "CHUNK", 19)
    parts = list(scoring._drawn(people, 10, 3))
    assert [len(one) for one in parts] == [3, 3, 3, 1]
    assert (np.concatenate(parts) == whole).all() and (whole[:, [0, 2, 3]].sum(axis=1) == 3).all()


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([1.0, 0.0] * 5, True),
        ([1.0, 0.0] * 4 + [1.0], False),
        ([1.0] * 12, False),
    ],
)
def test_ten_dialogues_whose_answers_differ_have_correlations(
    tmp_path: Path, values: list[float], rows: bool
) -> None:
    assert bool(correlate(answered(tmp_path, values), "found_all")) is rows


def test_correlations_are_sorted_by_target_and_then_by_strength(dataset: Dataset) -> None:
    rows = [(row.target, abs(row.found.rho)) for row in correlate(dataset)]
    assert rows == sorted(rows, key=lambda one: (one[0], -one[1]))
    assert len({target for target, _ in rows}) > 1


@pytest.mark.parametrize(
    ("asked", "alike", "said"),
    [
        (10, False, True),
        (9, False, False),
        (10, True, False),
    ],
)
def test_ten_answers_of_others_that_differ_make_a_prediction(asked: int, alike: bool, said: bool) -> None:
    """Two people of twelve dialogues, of whom one gave ten answers: each is predicted by the other's."""
    answers = np.array([1.0 if alike else float(number % 3) for number in range(24)])
    answers[10:12] = answers[12 + asked :] = np.nan
    people = ["p"] * 12 + ["q"] * 12
    found = cross_fitted(
        np.ones((24, 1)),
        answers,
        people,
        number=2,
        train=lambda x, y, groups: fit("mean", x, y, groups).predict,
    )
    means = [answers[12 : 12 + asked].mean() if said else np.nan, np.nan if alike else answers[:10].mean()]
    assert found == pytest.approx(np.repeat(means, 12), nan_ok=True)


def test_scores_are_those_of_sums_written_out() -> None:
    answers, said = np.array([1.0, 4, 2, 5, 3]), np.array([2.0, 3, 2, 4, 5])
    naive, chosen = np.array([3.0, 2, 3, 2, 2]), np.array([1.0, 4, 3, 4, 3])
    found = scores(HeldOut(answers, said, naive, chosen, list("abcde")), draws=30)
    assert found.r2 == pytest.approx(1 - (1 + 1 + 0 + 1 + 4) / (4 + 4 + 1 + 9 + 1))
    assert found.rmse == pytest.approx((7 / 5) ** 0.5)
    assert found.macro_recall == pytest.approx(3 / 5)
