"""Real from simulated calls: told where they differ, not where they do not, by callers not learnt from."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from scenes.calls import written
from vivavoce.analysis.annotated_calls import Call
from vivavoce.analysis.classifier_two_sample import _acts, _features, _fit, _matrix, _words, tell_apart
from vivavoce.cli.calibration import compare
from vivavoce.dataset.reader import Dataset

OFFER = [("offer", "name", "x")]
FOODS = ("thai", "greek", "turkish", "british")


def calls(seed: int, callers: int, says: list[str], *, own_word: bool = False) -> list[dict[str, Any]]:
    """Calls of three turns each; a caller holds eight. own_word: each caller has a word that no other has."""
    random, held = Random(seed), []
    for caller in range(callers):
        for _ in range(8):
            turns: list[Any] = [("system", "", "hello", [("hello", None, None)])]
            for _ in range(3):
                food = random.choice(FOODS)
                said = random.choice(says).format(food=food) + (f" x{seed}y{caller}" if own_word else "")
                turns += [("user", said, said, [("inform", "food", food)]), ("system", "", "x", OFFER)]
            held.append({"caller": f"c{caller}", "goal": {"food": "thai"}, "found": True, "turns": turns})
    return held


def datasets(
    folder: Path, real: list[dict[str, Any]], other: list[dict[str, Any]]
) -> tuple[Dataset, Dataset]:
    return written(folder / "real", real), written(folder / "simulated", other, simulated=True)


def test_callers_who_say_it_otherwise_are_told_by_their_words_and_not_by_their_acts(tmp_path: Path) -> None:
    real = calls(1, 30, ["uh {food} food", "{food} please"])
    words, acts = tell_apart(*datasets(tmp_path, real, calls(2, 30, ["{food} please", "{food} it is"])))
    assert (words.by, acts.by, words.calls, words.callers) == ("words", "acts", 480, 60)
    assert words.balanced_accuracy > 0.85
    assert (
        words.low is not None and words.high is not None and words.low < words.balanced_accuracy <= words.high
    )
    assert any("uh" in one for one in words.of_real) and any("it" in one for one in words.of_simulated)
    assert not any(food in one for one in words.of_real + words.of_simulated for food in FOODS), (
        "values stand as their slots: which town it is tells nothing"
    )
    assert acts.balanced_accuracy < 0.65
    for told in (words, acts):
        assert len(told.of_real) == len(told.of_simulated) == 6
        assert told.low is not None and 0 <= told.low < told.balanced_accuracy <= told.high <= 1


@pytest.mark.long
@pytest.mark.parametrize("own_word", [False, True])
def test_who_says_the_same_cannot_be_told_even_where_each_caller_could_be_known_again(
    tmp_path: Path, own_word: bool
) -> None:
    """A classifier that had seen the other calls of a caller would know them by their word."""
    says = ["uh {food} food", "{food} please", "i want {food}"]
    one, other = calls(1, 40, says, own_word=own_word), calls(2, 40, says, own_word=own_word)
    words, _ = tell_apart(*datasets(tmp_path, one, other))
    assert 0.35 < words.balanced_accuracy < 0.65
    assert words.low is not None and words.high is not None and words.low < 0.5 < words.high


def test_a_party_that_is_rare_weighs_as_much_as_the_other(tmp_path: Path) -> None:
    """Two of five turns say `uh`, or three of five: told rightly in 65 %; to take all for the many is 0.5."""
    few, many = ["{food}"] * 3 + ["uh {food}"] * 2, ["{food}"] * 2 + ["uh {food}"] * 3
    words, _ = tell_apart(*datasets(tmp_path, calls(1, 120, few), calls(2, 16, many)))
    assert 0.58 < words.balanced_accuracy < 0.75


def test_one_caller_is_too_few(tmp_path: Path) -> None:
    assert tell_apart(*datasets(tmp_path, calls(1, 1, ["{food}"]), calls(2, 9, ["{food}"]))) == []
    two = tell_apart(*datasets(tmp_path / "two", calls(1, 2, ["{food}"]), calls(2, 3, ["{food}"])))
    assert [(one.callers, one.calls) for one in two] == [(5, 40)] * 2


def test_the_comparison_tells_it_on_the_screen_and_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, other = datasets(tmp_path, calls(1, 6, ["uh {food}"]), calls(2, 6, ["{food} it is"]))
    compare(real.folder, other.folder, None, as_json=False)
    shown = capsys.readouterr().out
    assert "classifier words, unseen callers: balanced accuracy 1.000" in " ".join(shown.split())
    compare(real.folder, other.folder, None, as_json=True)
    told = json.loads(capsys.readouterr().out)["told_apart"]
    assert [(one["by"], one["balanced_accuracy"] > 0.95) for one in told] == [("words", True), ("acts", True)]


def test_weights_are_those_of_a_ridge_regression_by_another_library() -> None:
    draw = np.random.default_rng(3)
    inputs, real = draw.normal(size=(90, 4)), np.arange(90) < 25
    inputs[real, 1] += 0.8
    peer = LogisticRegression(C=1.0, class_weight="balanced", tol=1e-8, max_iter=1000).fit(inputs, real)
    found = _fit(csr_array(inputs), real)
    assert found == pytest.approx([*peer.intercept_, *peer.coef_[0]], abs=1e-3)


def test_what_occurs_in_five_calls_is_a_feature_and_calls_weigh_alike_however_long() -> None:
    found = [Counter({"often": 3, "rare": 1}) for _ in range(4)] + [Counter({"often": 1, "other": 7})]
    assert _features(found) == ["often"]
    rows = _matrix(found, ["often", "other"]).toarray()
    length = np.hypot(np.log(2), np.log(8))
    assert rows[0] == pytest.approx([1, 0]) and rows[4] == pytest.approx(
        [np.log(2) / length, np.log(8) / length]
    )
    assert _matrix([Counter()], ["often"]).toarray().tolist() == [[0]]


def test_words_and_acts_of_a_call_are_counted_with_their_neighbours() -> None:
    call = Call(
        "d",
        "p",
        said=["Thai food, thai", "a pub", "bye"],
        words=[3, 12, 1],
        acts=[
            [("inform", "food", "thai"), ("request", "phone", None)],
            [("inform", "type", "pub")],
            [],
        ],
    )
    assert _words(call) == {
        "<food>": 2,
        "food": 1,
        "^ <food>": 1,
        "<food> food": 1,
        "food <food>": 1,
        "<food> $": 1,
        "a": 1,
        "pub": 1,
        "^ a": 1,
        "a pub": 1,
        "pub $": 1,
        "bye": 1,
        "^ bye": 1,
        "bye $": 1,
    }
    assert _acts(call) == {
        "inform + request": 1,
        "inform": 1,
        "null": 1,
        "^, then inform + request": 1,
        "inform + request, then inform": 1,
        "inform, then null": 1,
        "null, then $": 1,
        "3 words": 1,
        "9 words": 1,
        "1 words": 1,
        "3 turns or more": 1,
    }


def test_turns_are_told_by_threes_up_to_fifteen() -> None:
    for turns, told in [(2, 0), (3, 3), (5, 3), (6, 6), (17, 15), (40, 15)]:
        assert _acts(Call("d", "p", acts=[[]] * turns))[f"{told} turns or more"] == 1


@pytest.mark.parametrize("scale", [1.0, 6.0, 40.0])
def test_weights_of_what_is_told_without_a_miss_are_held_back_by_the_penalty(scale: float) -> None:
    """The slope of the penalised loss is 0 there, and its every neighbour loses more."""
    draw = np.random.default_rng(5)
    inputs, real = draw.normal(size=(60, 3)) * scale, np.arange(60) < 24
    inputs[real, 0] += 6 * scale
    found, signs = _fit(csr_array(inputs), real), np.where(real, 1, -1)
    shares = np.where(real, 30 / 24, 30 / 36)

    def loss(weights: np.ndarray) -> float:
        own = np.logaddexp(0, -signs * (inputs @ weights[1:] + weights[0]))
        return float((shares * own).sum() + (weights[1:] ** 2).sum() / 2)

    for place in range(4):
        for by in (-0.03, 0.03):
            assert loss(found + by * np.eye(4)[place] * max(1, abs(found[place]))) > loss(found)
