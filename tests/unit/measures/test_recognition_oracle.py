"""The best of the first k hypotheses: never worse than the first, and never better for a smaller k."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import compute

Make = Callable[..., Dataset]
TALK = st.lists(st.sampled_from(["cheap", "thai", "food", "in", "north"]), max_size=5).map(" ".join)


def heard(said: str | None, *texts: str, source: str = "live") -> dict[str, Any]:
    """A user turn with its hypotheses, best first."""
    return {"said": said, "texts": texts, "source": source}


def dialogue(*turns: dict[str, Any]) -> dict[str, Any]:
    rows = {
        "turns": [
            {"turn_index": index, "party": "user", "reference": turn["said"], "text": turn["texts"][0]}
            for index, turn in enumerate(turns)
        ],
        "hypotheses": [
            {"turn_index": index, "source": turn["source"], "rank": rank, "text": text}
            for index, turn in enumerate(turns)
            for rank, text in enumerate(turn["texts"])
        ],
    }
    return {"dialogue": {"channel": "phone"}, "rows": rows}


def parts(dataset: Dataset, name: str) -> tuple[float, float]:
    row = compute(dataset, [name]).iloc[0]
    return row["numerator"], row["denominator"]


def test_the_oracle_takes_the_hypothesis_with_fewest_errors_turn_by_turn(make_dataset: Make) -> None:
    dataset = make_dataset(
        {
            "d": dialogue(
                heard("i want cheap food", "i want food", "i won cheap food", "i want cheap food"),
                heard("in the north", "the north please", "in north"),
                heard("yes", "no"),  # errors: 1, 1, 0; 2, 1; 1
            )
        }
    )
    assert parts(dataset, "word_error_rate") == (1 + 2 + 1, 4 + 3 + 1)
    assert parts(dataset, "oracle_word_error_rate_2") == (1 + 1 + 1, 8)
    assert parts(dataset, "oracle_word_error_rate_5") == (0 + 1 + 1, 8)
    assert parts(dataset, "oracle_word_error_rate") == (2, 8)
    assert parts(dataset, "sentence_error_rate") == (3, 3)
    assert parts(dataset, "oracle_sentence_error_rate_2") == (3, 3)
    assert parts(dataset, "oracle_sentence_error_rate") == (2, 3)
    assert parts(dataset, "hypotheses_per_turn") == (6, 3)


def test_hypotheses_of_another_pass_and_turns_without_transcript_do_not_count(make_dataset: Make) -> None:
    batch = heard("yes", "no", "yes", source="batch")
    dataset = make_dataset({"d": dialogue(batch, heard(None, "no", "yes"))})
    assert parts(dataset, "oracle_word_error_rate") == (1, 1)


def test_capitals_and_punctuation_are_no_errors(make_dataset: Make) -> None:
    dataset = make_dataset({"d": dialogue(heard("no chinese food please", "No, Chinese food, please."))})
    assert parts(dataset, "word_error_rate") == (0, 4)
    assert parts(dataset, "oracle_sentence_error_rate") == (0, 1)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(TALK.filter(bool), st.lists(TALK, min_size=1, max_size=12)), min_size=1, max_size=4)
)
def test_more_hypotheses_are_never_worse_and_the_counts_are_those_of_jiwer(
    talks: Sequence[tuple[str, Sequence[str]]],
) -> None:
    with TemporaryDirectory() as folder:
        writer = DatasetWriter(Path(folder), study={"name": "toy"}, source={"kind": "test"})
        one = dialogue(*(heard(said, *texts) for said, texts in talks))
        base = {"dialogue_id": "d", "study": "toy", "system": "bot", "condition": "bot", "language": "en"}
        base |= {"simulated": False}
        writer.add("dialogues", [base | one["dialogue"]])
        for table, rows in one["rows"].items():
            writer.add(table, [{"dialogue_id": "d", **row} for row in rows])
        dataset = writer.close()
        names = [
            "word_error_rate",
            *(f"oracle_word_error_rate_{k}" for k in (2, 5, 10)),
            "oracle_word_error_rate",
        ]
        found = [parts(dataset, name)[0] for name in names]
    peer = [
        sum(min(_errors(said, text) for text in texts[:depth]) for said, texts in talks)
        for depth in (1, 2, 5, 10, 12)
    ]
    assert found == peer
    assert found == sorted(found, reverse=True)


def _errors(said: str, text: str) -> int:
    counted = jiwer.process_words(said, text)
    return counted.substitutions + counted.deletions + counted.insertions


@pytest.mark.shared
def test_the_real_calls_have_the_errors_that_jiwer_counts_in_the_released_files(dstc2: Dataset) -> None:
    """Counted apart from this project: jiwer 4.0 on the label and log files, transcripts in lower case."""
    counted = {"word_error_rate": 11441, "oracle_word_error_rate_2": 9804, "oracle_word_error_rate_5": 8188}
    table = compute(dstc2, [*counted, "hypotheses_per_turn"]).set_index("measure")
    assert {name: table.loc[name, "numerator"] for name in counted} == counted
    assert set(table.loc[list(counted), "denominator"]) == {36271}
    assert table.loc["hypotheses_per_turn", "value"] == 5
