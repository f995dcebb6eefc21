"""Figures of a campaign's report that rest on the log: entities of one utterance, single modules."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.stats.idial import IDIAL, aspects, entities, intents, modules


def act(turn: int, layer: str, slot: str, value: str) -> dict[str, Any]:
    source = "bot" if layer == "understood" else "simulator"
    return {"dialogue_id": "d", "turn_index": turn, "layer": layer, "source": source, "rank": 0,
            "position": 0,            "act": "inform", "slot": slot, "op": "=", "value": value}  # fmt: skip


def dataset(folder: Path, acts: list[dict[str, Any]], channel: str = "text") -> Dataset:
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("dialogues", [{"dialogue_id": "d", "study": "s", "system": "a", "condition": "a",
                                  "channel": channel, "language": "it", "simulated": True}])  # fmt: skip
        writer.add("turns", [{"dialogue_id": "d", "turn_index": 1, "party": "system", "text": "ok",
                              "onset_s": 1.0,                              "offset_s": 2.0}])  # fmt: skip
        writer.add("acts", acts)
        return writer.close()


def test_entities_count_by_how_many_one_utterance_held(tmp_path: Path) -> None:
    said = [
        act(0, "reference", "amount", "5"),
        act(0, "reference", "to", "Anna"),
        act(2, "reference", "to", "Anna"),
    ]
    heard = [act(0, "understood", "amount", "5"), act(0, "understood", "to", "Hanna"),
             act(2, "understood", "to", "anna")]  # fmt: skip
    found = entities(dataset(tmp_path, said + heard))
    told = [(one["held"], one["utterances"], one["entities"], one["understood"]) for one in found]
    assert told == [(1, 1, 1, 1), (2, 1, 2, 1)]
    assert found[1]["low"] == pytest.approx(0.0945, abs=1e-3)  # Wilson's interval of 1 of 2
    assert found[1]["high"] == pytest.approx(0.9055, abs=1e-3)


def test_accounts_in_different_words_are_not_compared(tmp_path: Path) -> None:
    other = [act(0, "reference", "food", "bread"), act(0, "understood", "food", "pane")]
    assert entities(dataset(tmp_path / "a", other)) == []
    assert entities(dataset(tmp_path / "b", [act(0, "reference", "food", "bread")])) == []


def test_synthesis_has_figures_only_where_something_was_spoken(tmp_path: Path) -> None:
    written = modules(dataset(tmp_path / "a", []), comparable=False)
    spoken = modules(dataset(tmp_path / "b", [], channel="phone"), comparable=False)
    assert written["synthesis"] == [] and [one["measure"] for one in spoken["synthesis"]] == [
        "system_turn_duration"
    ]


def test_an_aspect_that_nobody_answered_is_missing(tmp_path: Path) -> None:
    assert [(one["mean"], one["n"]) for one in aspects(dataset(tmp_path, []))] == [(None, 0)] * 3


def test_who_answers_twice_is_one_user_with_the_first_answers(tmp_path: Path) -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    forms = [("v2", "p1", 2, 0.0), ("v1", "p1", 1, 4.0), ("v3", "p2", 1, 2.0)]
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("ratings", [
            {"visit_id": visit, "participant_id": person, "instrument": "idial", "item_id": item.item_id,
             "value": value, "answered_at": day + timedelta(days=when)}
            for visit, person, when, value in forms for item in IDIAL.items
        ])  # fmt: skip
        found = aspects(writer.close(), reverse_item_4=False)
    assert {one["n"] for one in found} == {2}
    assert {one["mean"] for one in found} == {3.0}


def test_the_intent_of_a_dialogue_is_the_kind_of_its_first_assigned_goal(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "toy"}, source={"kind": "test"}) as writer:
        for key, duration_s in (("d0", 30.0), ("d1", 90.0)):
            writer.add("dialogues", [{"dialogue_id": key, "study": "toy", "system": "s", "channel": "text",
                                      "participant_id": key, "simulated": False, "condition": "s",
                                      "language": "en", "end_reason": "user",
                                      "duration_s": duration_s}])  # fmt: skip
            goals = [
                (0, "assigned", "constraint", "area", "loan"), (0, "inferred", "type", None, "return"),
                (1, "assigned", "type", None, "return"), (0, "assigned", "type", None, "loan"),
            ]  # fmt: skip
            writer.add("goals", [
                {"dialogue_id": key, "goal_index": index, "origin": origin, "kind": kind, "slot": slot,
                 "op": "=", "value": value} for index, origin, kind, slot, value in goals
            ])  # fmt: skip
        dataset = writer.close()
    loan, back = intents(dataset, [{"id": "loan", "minutes": 1}, {"id": "return", "minutes": 1}])
    assert (loan["dialogues"], loan["within"], loan["longest_s"]) == (2, 1, 90.0)
    assert back["dialogues"] == 0
