"""Flags told by rules, against annotators, on a dataset that one can count by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.log.turn_flags import turn_flags
from vivavoce.measures import compute
from vivavoce.stats.flagging import score_flags

SAID = ("Which area?", "You can say north.", "Where are you?", "Fine.")
JUDGED = {"a": [(0, "question"), (2, "help")], "b": [(0, "question"), (6, "question")]}
RULES = "flags:\n  x:\n    question: [{pattern: '[?]$'}]\n    help: [you can say]\n"


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Two judged dialogues and one that nobody judged; acts are logged in the third only."""
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    for key in "abc":
        writer.add("dialogues", [{"dialogue_id": key, "study": "s", "system": "x", "condition": "x",
                                  "participant_id": key, "channel": "text", "language": "en",
                                  "simulated": False}])  # fmt: skip
        for number, text in enumerate(SAID):
            turn = {"dialogue_id": key, "turn_index": 2 * number, "party": "system", "text": text}
            writer.add("turns", [turn, turn | {"turn_index": 2 * number + 1, "party": "user"}])
        for index, label in JUDGED.get(key, ()):
            writer.add("annotations", [{"dialogue_id": key, "turn_index": index, "layer": "system_flag",
                                        "label": label, "annotator_id": "ann"}])  # fmt: skip
    writer.add("acts", [{"dialogue_id": "c", "turn_index": 0, "layer": "system", "source": "bot", "rank": 0,
                         "position": 0, "act": "offer"}])  # fmt: skip
    return writer.close()


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, ["flags", *map(str, arguments)])


def test_rules_are_scored_against_annotators_turn_by_turn(dataset: Dataset, tmp_path: Path) -> None:
    """Questions by rule: turns 0 and 4 of both dialogues; meant: 0 of a, 0 and 6 of b."""
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    shown = run(dataset.folder, "--rules", tmp_path / "rules.yaml", "--into", tmp_path / "F", "--json")
    assert shown.exit_code == 0, shown.output
    rows = {row["flag"]: row for row in json.loads(shown.stdout)["flags"]}
    question = rows["question"]
    assert (question["hits"], question["extra"], question["missed"], question["judged"]) == (2, 2, 1, 8)
    assert (question["precision"], question["recall"]) == (0.5, pytest.approx(2 / 3))
    assert question["f1"] == pytest.approx(4 / 7)
    assert question["kappa"] == pytest.approx((5 / 8 - 0.5) / 0.5)
    assert question["told"] == {"rules": 11, "acts": 1}
    assert rows["help"]["recall"] == 1
    assert rows["timeout_prompt"]["told"] == {"unknown": 12}


def test_the_flags_of_rules_reach_the_measures_and_annotators_stand_in_where_there_are_none(
    dataset: Dataset, tmp_path: Path
) -> None:
    annotated = compute(dataset, ["system_questions"])
    assert (annotated.loc[0, "numerator"], annotated.loc[0, "dialogues"]) == (3, 2)
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    assert run(dataset.folder, "--rules", tmp_path / "rules.yaml", "--into", tmp_path / "F").exit_code == 0
    told = compute(Dataset(tmp_path / "F"), ["system_questions", "timeout_prompts"])
    assert told["numerator"].tolist() == [5, 0]
    assert told["dialogues"].tolist() == [3, 2]


def test_what_the_log_says_itself_is_never_told_anew(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    first = run(dataset.folder, "--rules", tmp_path / "rules.yaml", "--into", tmp_path / "F")
    (tmp_path / "rules.yaml").write_text(RULES.replace("[?]$", "north"), encoding="utf-8")
    second = run(tmp_path / "F", "--rules", tmp_path / "rules.yaml", "--into", tmp_path / "G")
    assert (first.exit_code, second.exit_code) == (0, 0)
    turns = {
        (row["dialogue_id"], row["turn_index"]): row
        for row in Dataset(tmp_path / "G").read("turns").to_pylist()
    }
    assert (turns["a", 0]["question"], turns["a", 2]["question"]) == (False, True)
    assert (turns["c", 0]["question"], turns["c", 0]["question_origin"]) == (False, "acts")


def test_acts_in_a_bots_own_words_say_nothing_by_themselves() -> None:
    assert turn_flags("Which area?", ["ask_area"], None)["question"] is None
    assert turn_flags("Which area?", ["request"], None)["question"] is True
    assert turn_flags("Which area?", ["expl-conf"], None)["question"] is True
    assert turn_flags("Which area?", ["recommend"], None)["question"] is False


def test_a_dataset_without_flags_says_that_nothing_is_known(dataset: Dataset) -> None:
    assert {tuple(row.told) for row in score_flags(dataset).flags} == {("unknown",)}
    assert run(dataset.folder).exit_code == 0


def test_flags_are_written_only_by_rules(dataset: Dataset, tmp_path: Path) -> None:
    from vivavoce.core.errors import InputError

    result = run(dataset.folder, "--into", tmp_path / "F")
    assert isinstance(result.exception, InputError)
    assert not (tmp_path / "F").exists()
