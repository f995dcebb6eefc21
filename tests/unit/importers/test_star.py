"""STAR dialogues as a dataset: turns and times of written messages, questionnaires, what is broken."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import InputError
from vivavoce.importers.base import IMPORTERS
from vivavoce.measures import compute
from vivavoce_corpora.star import import_star

START = 1_590_000_000


def event(second: int, agent: str, action: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    return {"Agent": agent, "Action": action, "UnixTime": START + second, "Text": text, **more}


DIALOGUE: dict[str, Any] = {
    "DialogueID": 7,
    "AnonymizedUserWorkerID": "u",
    "AnonymizedWizardWorkerID": "w",
    "CompletionLevel": "Complete",
    "Scenario": {
        "Domains": ["ride"],
        "Happy": True,
        "MultiTask": False,
        "UserTask": "Get a ride.",
        "WizardCapabilities": [{"Domain": "ride", "Task": "ride_book"}],
    },
    "Events": [
        event(0, "UserGuide", "instruct", "Say hello."),
        event(2, "User", "utter", "Hello there"),
        event(5, "User", "utter", "I need a ride"),
        event(9, "Wizard", "request_suggestions", "where"),
        event(11, "Wizard", "pick_suggestion", "Where to?", ActionLabel="ride_ask_destination"),
        event(15, "Wizard", "utter", "And when?"),
        event(25, "User", "utter", "Home"),
        event(26, "Wizard", "query", APIName="ride"),
        event(31, "Wizard", "pick_suggestion", "I cannot do that", ActionLabel="out_of_scope"),
        event(40, "User", "complete"),
    ],
    "UserQuestionnaire": [
        {"Question": "Did the assistant find you a suitable ride?", "Answer": False},
        {"Question": "Did the assistant stay calm and helpful throughout the dialogue?", "Answer": True},
    ],
    "WizardQuestionnaire": [{"Question": "Did the user seem confused? (Maybe told to.)", "Answer": True}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dialogues").mkdir()
    (tmp_path / "dialogues" / "7.json").write_text(json.dumps(DIALOGUE), encoding="utf-8")
    return tmp_path / "dialogues"


def test_messages_in_a_row_are_one_turn_and_drafts_are_none(folder: Path, tmp_path: Path) -> None:
    turns = import_star([folder], tmp_path / "D").dataset.read("turns").to_pylist()
    assert [(turn["party"], turn["text"]) for turn in turns] == [
        ("user", "Hello there\nI need a ride"),
        ("system", "Where to?\nAnd when?"),
        ("user", "Home"),
        ("system", "I cannot do that"),
    ]
    assert [(turn["question"], turn["error_message"]) for turn in turns[1::2]] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dialogue_duration", 31 - 5),
        ("user_turns", 2),
        ("system_questions", 1),
        ("system_error_messages", 1),
        ("system_response_delay", ((11 - 5) + (31 - 25)) / 2),
        ("user_response_delay", 25 - 15),
        ("system_completion_delay", ((15 - 5) + (31 - 25)) / 2),
        ("subjective_success", 0),
        ("user_words", 7),
    ],
)
def test_measures_of_written_dialogues_are_those_counted_by_hand(
    folder: Path, tmp_path: Path, name: str, expected: float
) -> None:
    assert compute(import_star([folder], tmp_path / "D").dataset, [name]).loc[0, "value"] == expected


def test_what_the_corpus_does_not_log_is_missing(folder: Path, tmp_path: Path) -> None:
    dataset = import_star([folder], tmp_path / "D").dataset
    names = ["word_error_rate", "user_turn_duration", "system_turn_duration", "recognition_rejections"]
    assert compute(dataset, names)["dialogues"].sum() == 0


def test_factors_questionnaires_and_the_wizards_view_are_kept(folder: Path, tmp_path: Path) -> None:
    dataset = import_star([folder], tmp_path / "D").dataset
    (row,) = dataset.read("dialogues").to_pylist()
    assert (row["condition"], row["factor_domain"], row["factor_wizard"]) == ("happy-one", "ride", "w")
    assert [one["item_id"] for one in dataset.read("ratings").to_pylist()] == [
        "task_done",
        "calm_and_helpful",
    ]
    (label,) = dataset.read("annotations").to_pylist()
    assert (label["layer"], label["label"], label["value"]) == ("wizard", "seem_confused", "yes")


def test_archives_are_read_and_broken_dialogues_named(folder: Path, tmp_path: Path) -> None:
    (folder / "8.json").write_text("{", encoding="utf-8")
    (folder / "9.json").write_text(
        json.dumps({**DIALOGUE, "DialogueID": 9, "Scenario": None}), encoding="utf-8"
    )
    (folder / "10.json").write_text(json.dumps(DIALOGUE), encoding="utf-8")
    with tarfile.open(tmp_path / "star.tar.gz", "w:gz") as archive:
        archive.add(folder, "dialogues")
    result = IMPORTERS.get("star").read([tmp_path / "star.tar.gz"], tmp_path / "D")
    assert result.calls == 1
    assert len(result.skipped) == 3
    with pytest.raises(InputError, match=r"8\.json|9\.json|7 appears twice"):
        import_star([tmp_path / "star.tar.gz"], tmp_path / "E", strict=True)


def test_a_dialogue_that_never_began_is_kept_and_measured_as_missing(folder: Path, tmp_path: Path) -> None:
    (folder / "9.json").write_text(json.dumps({**DIALOGUE, "DialogueID": 9, "Events": []}), encoding="utf-8")
    dataset = import_star([folder], tmp_path / "D").dataset
    assert [row["dialogue_number"] for row in dataset.read("dialogues").to_pylist()] == [1, 2]
    assert compute(dataset, ["dialogue_duration"]).loc[0, "dialogues"] == 1


def test_a_folder_without_dialogues_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no dialogue found"):
        import_star([tmp_path], tmp_path / "D")


@pytest.mark.shared
def test_the_real_sample_is_read_whole_and_measured(shared: Path, tmp_path: Path) -> None:
    result = import_star([shared / "data" / "star"], tmp_path / "D")
    assert result.calls == 220
    assert result.skipped == []
    table = compute(result.dataset, ["system_response_delay", "user_response_delay", "turns"])
    assert (table["dialogues"] > 190).all()
    assert table.loc[0, "value"] > 1
