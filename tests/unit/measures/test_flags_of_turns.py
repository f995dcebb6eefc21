"""Flags that log and experts both tell: turn by turn, and who counts first as the study says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import compute

Make = Callable[..., Dataset]
KEY = {"dialogue_id": "d"}


def turn(index: int, party: str, **flags: Any) -> dict[str, Any]:
    return KEY | {"turn_index": index, "party": party, "text": "some words", **flags}


def label(layer: str, index: int | None, name: str, who: str = "anna") -> dict[str, Any]:
    return KEY | {"turn_index": index, "layer": layer, "label": name, "annotator_id": who}


def value(dataset: Dataset, measure: str) -> float | None:
    found = compute(dataset, [measure])
    return None if found["dialogues"].iloc[0] == 0 else float(found["value"].iloc[0])


@pytest.fixture
def talk(tmp_path: Path) -> Callable[..., Dataset]:
    """One dialogue of these turns and labels; `flags` is what its study declares."""

    def make(turns: list[dict], labels: list[dict], flags: str | None = None) -> Dataset:
        file = f"study: s\nanalysis:\n  exclude: []\n  flags: {{{flags or ''}}}\n"
        study = {"name": "s"} | ({"file": file, "revision": "r"} if flags is not None else {})
        folder = tmp_path / f"d{len(list(tmp_path.iterdir()))}"
        with DatasetWriter(folder, study=study, source={"kind": "log"}) as writer:
            writer.add(
                "dialogues",
                [
                    KEY
                    | {
                        "study": "s",
                        "system": "a",
                        "condition": "a",
                        "channel": "voice",
                        "language": "en",
                        "simulated": False,
                    }
                ],
            )
            writer.add("turns", turns)
            writer.add("annotations", labels)
        return Dataset(folder)

    return make


def test_a_flag_logged_of_one_turn_leaves_the_others_to_the_experts(talk: Make) -> None:
    turns = [turn(0, "system", question=True), turn(1, "user"), turn(2, "system"), turn(3, "system")]
    labels = [label("system_flag", 0, "question"), label("system_flag", 2, "question")]
    assert value(talk(turns, labels), "system_questions") == 2


def test_the_log_counts_first_where_both_judge_a_turn(talk: Make) -> None:
    turns = [turn(0, "system", question=False), turn(2, "system")]
    labels = [label("system_flag", 0, "question"), label("system_flag", 2, "question")]
    assert value(talk(turns, labels), "system_questions") == 1
    assert value(talk(turns, labels, "question: experts"), "system_questions") == 2


def test_experts_barge_ins_win_where_the_study_says_so_in_counts_and_in_delays(talk: Make) -> None:
    turns = [
        turn(0, "system", onset_s=0.0, offset_s=2.0),
        turn(1, "user", barge_in=False, onset_s=3.0, offset_s=4.0),
        turn(2, "system", onset_s=5.0, offset_s=6.0),
        turn(3, "user", barge_in=True, onset_s=10.0, offset_s=11.0),
    ]
    labels = [label("barge_in", 1, "yes")]
    by_log = talk(turns, labels)
    assert value(by_log, "barge_ins") == 1
    assert value(by_log, "user_response_delay") == 1.0
    by_experts = talk(turns, labels, "barge_in: experts")
    assert value(by_experts, "barge_ins") == 1
    assert value(by_experts, "user_response_delay") == 4.0


def test_experts_count_first_only_for_the_flags_that_the_study_names(talk: Make) -> None:
    turns, labels = [turn(0, "system", question=False)], [label("system_flag", 0, "question")]
    assert value(talk(turns, labels, "help: experts"), "system_questions") == 0
    assert value(talk(turns, labels, "question: log"), "system_questions") == 0
    assert value(talk(turns, labels, "help: log, question: experts"), "system_questions") == 1


def test_whose_word_counts_is_in_the_signature(talk: Make) -> None:
    assert talk([turn(0, "user")], [], "barge_in: experts, help: experts").hash.endswith(
        "|experts:barge_in,help"
    )


def test_where_neither_tells_the_measure_is_missing_and_experts_who_found_none_say_zero(talk: Make) -> None:
    assert value(talk([turn(0, "system")], []), "system_help_messages") is None
    assert value(talk([turn(0, "system")], [label("system_flag", None, "none")]), "system_help_messages") == 0
