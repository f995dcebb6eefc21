"""Flags told by rules, against annotators, on a dataset that one can count by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score, f1_score, precision_score, recall_score
from typer.testing import CliRunner

from vivavoce.analysis.flagging import _Counts, score_flags
from vivavoce.cli.main import app
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.turn_flags import turn_flags
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import compute

SAID = ("Which area?", "You can say north.", "Where are you?", "Fine.")
JUDGED = {"a": [(0, "question"), (2, "help")], "b": [(0, "question"), (6, "question")]}
RULES = "flags:\n  x:\n    question: [{pattern: '[?]$'}]\n    help: [you can say]\n"


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Two judged dialogues and one that nobody judged; acts are logged in the third only."""
    writer = DatasetWriter(tmp_path / "D", study={"name": "s"}, source={"kind": "test"})
    for key in "abc":
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": key,
                    "study": "s",
                    "system": "x",
                    "condition": "x",
                    "participant_id": key,
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                }
            ],
        )
        for number, text in enumerate(SAID):
            turn = {"dialogue_id": key, "turn_index": 2 * number, "party": "system", "text": text}
            writer.add("turns", [turn, turn | {"turn_index": 2 * number + 1, "party": "user"}])
        for index, label in JUDGED.get(key, ()):
            writer.add(
                "annotations",
                [
                    {
                        "dialogue_id": key,
                        "turn_index": index,
                        "layer": "system_flag",
                        "label": label,
                        "annotator_id": "ann",
                    }
                ],
            )
    writer.add(
        "acts",
        [
            {
                "dialogue_id": "c",
                "turn_index": 0,
                "layer": "system",
                "source": "bot",
                "rank": 0,
                "position": 0,
                "act": "offer",
            }
        ],
    )
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


def test_flags_have_the_figures_of_scikit_learn() -> None:
    for hits, extra, missed, none in [
        (5, 2, 3, 7),
        (1, 4, 2, 0),
        (3, 1, 6, 2),
        (2, 0, 2, 3),
        (2, 2, 0, 1),
        (0, 3, 1, 4),
    ]:
        pairs = [(True, True)] * hits + [(True, False)] * extra + [(False, True)] * missed
        pairs += [(False, False)] * none
        counts = _Counts()
        for number, (told, meant) in enumerate(pairs):
            counts.add(f"p{number % 3}", told=told, meant=meant)
        found = counts.score("x", "question")
        one, other = ([pair[side] for pair in pairs] for side in (1, 0))
        assert (found.hits, found.extra, found.missed, found.judged) == (hits, extra, missed, len(pairs))
        assert found.precision == pytest.approx(precision_score(one, other))
        assert found.recall == pytest.approx(recall_score(one, other))
        assert found.f1 == pytest.approx(f1_score(one, other))
        assert found.kappa == pytest.approx(cohen_kappa_score(one, other))
        if hits:
            assert found.low <= found.f1 <= found.high
            own = [[p for n, p in enumerate(pairs) if n % 3 == who] for who in range(3)]
            of_each = [f1_score([m for _, m in part], [t for t, _ in part], zero_division=0) for part in own]
            assert min(of_each) - 1e-9 <= found.low and found.high <= max(of_each) + 1e-9


@pytest.mark.parametrize(
    ("pair", "n", "figures"),
    [
        ((True, True), 3, (1, 1, 1, None)),
        ((True, False), 2, (0, None, 0, 0)),
        ((False, True), 2, (None, 0, 0, 0)),
        ((False, False), 4, (None, None, None, None)),
        ((True, True), 0, (None, None, None, None)),
    ],
)
def test_of_turns_that_are_all_alike_only_some_figures_are_known(pair, n, figures) -> None:
    counts = _Counts()
    for _ in range(n):
        counts.add("p", told=pair[0], meant=pair[1])
    found = counts.score("x", "help")
    assert (found.precision, found.recall, found.f1, found.kappa) == figures
    assert found.low is None, "one participant alone"


def test_flags_of_the_log_itself_are_told_so_and_unknown_callers_are_people_of_their_own(make) -> None:
    """Of two calls without a caller one is right and one is not, so the interval has two people."""
    turns = [
        {"dialogue_id": f"d{call}", "turn_index": index, "party": party, "text": "x", "question": asked}
        for call in range(2)
        for index, (party, asked) in enumerate([("system", True), ("user", None), ("system", call == 0)])
    ]
    labels = [
        {
            "dialogue_id": f"d{call}",
            "turn_index": index,
            "layer": "system_flag",
            "label": "question",
            "annotator_id": "ann",
        }
        for call in range(2)
        for index in (0, 2)
    ]
    dataset = make(("x", None, None), ("x", None, None), rows={"turns": turns, "annotations": labels})
    (row,) = (one for one in score_flags(dataset).flags if one.flag == "question")
    assert (row.turns, row.set, row.told) == (4, 3, {"log": 4})
    assert (row.hits, row.missed, row.extra) == (3, 1, 0)
    assert row.low < row.f1 < row.high
