"""Real from simulated calls: told where they differ, not where they do not, by callers not learnt from."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scenes.calls import written
from vivavoce.cli.calibration import compare
from vivavoce.log.dataset import Dataset
from vivavoce.stats.telling_apart import tell_apart

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


@pytest.mark.long
@pytest.mark.parametrize("own_word", [False, True])
def test_who_says_the_same_cannot_be_told_even_where_each_caller_could_be_known_again(
    tmp_path: Path, own_word: bool
) -> None:
    """A classifier that had seen the other calls of a caller would know him by his word."""
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


def test_the_comparison_tells_it_on_the_screen_and_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, other = datasets(tmp_path, calls(1, 6, ["uh {food}"]), calls(2, 6, ["{food} it is"]))
    compare(real.folder, other.folder, None, as_json=False)
    shown = capsys.readouterr().out
    assert "told apart by words, callers unseen: balanced accuracy 1.000" in " ".join(shown.split())
    compare(real.folder, other.folder, None, as_json=True)
    told = json.loads(capsys.readouterr().out)["told_apart"]
    assert [(one["by"], one["balanced_accuracy"] > 0.95) for one in told] == [("words", True), ("acts", True)]
