"""Word error rate: which hypothesis is compared with what, and what is left out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import compute

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "parameters-recognition.json").read_text(encoding="utf-8")
)
Make = Callable[..., Dataset]


def spoken(*pairs: tuple[Any, Any], channel: str = "phone", source: str | None = "live") -> dict[str, Any]:
    """A dialogue of user turns, each `(said, heard)`."""
    turns = [
        {"turn_index": index, "party": "user", "reference": said, "text": heard}
        for index, (said, heard) in enumerate(pairs)
    ]
    hypotheses = [
        {"turn_index": index, "source": source, "rank": 0, "text": heard}
        for index, (_, heard) in enumerate(pairs)
        if source and heard is not None
    ]
    return {"dialogue": {"channel": channel}, "rows": {"turns": turns, "hypotheses": hypotheses}}


def error_rate(dataset: Dataset) -> tuple[float, float]:
    row = compute(dataset, ["word_error_rate"]).iloc[0]
    return row["numerator"], row["denominator"]


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_the_worked_examples_come_out_as_printed(case: dict[str, Any], make_dataset: Make) -> None:
    dataset = make_dataset({"d": spoken(*case["pairs"])})
    assert error_rate(dataset) == (case["errors"], case["words"])
    value = compute(dataset, ["word_error_rate"]).loc[0, "value"]
    assert value == pytest.approx(case["word_error_rate"], abs=GOLDEN["tolerance"])


def test_an_empty_hypothesis_deletes_every_word(make_dataset: Make) -> None:
    assert error_rate(make_dataset({"d": spoken(("two words", ""))})) == (2, 2)
    assert error_rate(make_dataset({"d": spoken(("two words", None))})) == (2, 2)


def test_words_heard_in_silence_are_insertions_and_count_when_pooled(make_dataset: Make) -> None:
    dataset = make_dataset({"d": spoken(("", "hello there")), "e": spoken(("yes", "yes"))})
    assert error_rate(dataset) == (2, 1)
    assert compute(dataset, ["word_error_rate"]).loc[0, "dialogues"] == 1


def test_a_turn_without_transcript_is_left_out(make_dataset: Make) -> None:
    assert error_rate(make_dataset({"d": spoken((None, "hello"), ("yes", "no"))})) == (1, 1)


def test_a_typed_dialogue_has_no_word_error_rate(make_dataset: Make) -> None:
    dataset = make_dataset({"d": spoken(("typed text", "typed text"), channel="text", source=None)})
    assert compute(dataset, ["word_error_rate"])["value"].isna().all()


def test_only_the_live_first_hypothesis_counts(make_dataset: Make) -> None:
    dialogue = spoken(("yes", "no"))
    dialogue["rows"]["hypotheses"] += [
        {"turn_index": 0, "source": "live", "rank": 1, "text": "yes"},
        {"turn_index": 0, "source": "batch", "rank": 0, "text": "yes"},
    ]
    assert error_rate(make_dataset({"d": dialogue})) == (1, 1)


def test_without_logged_hypotheses_the_recognised_text_of_a_spoken_turn_stands_in(make_dataset: Make) -> None:
    assert error_rate(make_dataset({"d": spoken(("yes", "no"), source=None)})) == (1, 1)


def test_a_turn_that_the_system_heard_by_itself_counts_only_where_it_said_what_it_heard(
    make_dataset: Make,
) -> None:
    dialogue = spoken(("yes please", None), ("no", "no"))
    for turn in dialogue["rows"]["turns"]:
        turn["by_sound"] = True
    dialogue["rows"]["hypotheses"].append({"turn_index": 0, "source": "log", "rank": 0, "text": "yes"})
    assert error_rate(make_dataset({"d": dialogue})) == (0, 1)
