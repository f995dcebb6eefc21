"""A dataset as it shows itself, of some of its dialogues alone, and what its study file declared."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import UnknownName
from vivavoce.core.statement import statement
from vivavoce.dataset.copying import select_dialogues
from vivavoce.dataset.populations import populations
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

TALK = {
    "study": "s",
    "system": "a",
    "condition": "a",
    "channel": "text",
    "language": "en",
    "simulated": False,
}
JUDGED = {
    "judge": "j",
    "kind": "model",
    "target": "clear",
    "asked": 1,
    "refused": 0,
    "unreadable": 0,
    "frozen": "0",
    "judged_at": datetime(2026, 1, 1, tzinfo=UTC),
}
PREFERRED = {
    "visit_id": "v",
    "role": "main",
    "pair_id": "p",
    "variable": "x",
    "control_level": "0",
    "experimental_level": "1",
    "question": "q",
    "choice": "tie",
    "simulated": False,
}


def dataset(folder: Path, study: dict[str, Any] | None = None, **tables: list[dict[str, Any]]) -> Dataset:
    with DatasetWriter(folder, study={"name": "s"} | (study or {}), source={"kind": "test"}) as writer:
        for name, rows in tables.items():
            writer.add(name, rows)
        return writer.close()


def test_a_dataset_says_how_much_it_holds(tmp_path: Path) -> None:
    assert repr(dataset(tmp_path / "none")) == f"<Dataset s in {str(tmp_path / 'none')!r}: nothing>"
    held = dataset(
        tmp_path / "some",
        dialogues=[TALK | {"dialogue_id": f"d{place}"} for place in range(2)],
        participants=[{"participant_id": "p", "simulated": False}],
        judgements=[JUDGED | {"dialogue_id": f"d{place}"} for place in range(2)],
        preferences=[PREFERRED | {"participant_id": "p"}],
    )
    assert held.holdings() == {"dialogue": 2, "participant": 1, "judgement": 3}
    assert repr(held).endswith(": 2 dialogues, 1 participant, 3 judgements>")


def test_a_column_that_no_table_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown column 'colour'"):
        dataset(tmp_path / "d", dialogues=[TALK | {"dialogue_id": "d", "taste": 1, "colour": 2}])


def test_of_some_dialogues_everything_stays_that_their_people_did(tmp_path: Path) -> None:
    whole = dataset(
        tmp_path / "whole",
        dialogues=[
            TALK | {"dialogue_id": f"d{place}", "participant_id": who}
            for place, who in enumerate(("ann", "ann", "ben", None))
        ],
        participants=[{"participant_id": who, "simulated": False} for who in ("ann", "ben", "eve")],
        turns=[{"dialogue_id": f"d{place}", "turn_index": 0, "party": "user"} for place in range(4)],
        ratings=[
            {"instrument": "i", "item_id": "q", "participant_id": who, "dialogue_id": of, "value": 1.0}
            for who, of in (("ann", "d0"), ("ann", "d1"), ("ann", None), ("ben", None))
        ],
        judgements=[
            JUDGED | {"dialogue_id": "d0", "other_dialogue_id": other} for other in (None, "d1", "d0")
        ],
        entities=[
            {
                "entity_id": "e",
                "name": "Om",
                "slot": "food",
                "value": "thai",
                "source": "database",
                "match": "exact",
            }
        ],
    )
    some = select_dialogues(whole, {"d0", "d3"}, tmp_path / "some", note=statement("chosen by hand"))

    def column(table: str, name: str) -> list[Any]:
        return some.read(table).column(name).to_pylist()

    assert column("dialogues", "dialogue_id") == column("turns", "dialogue_id") == ["d0", "d3"]
    assert column("participants", "participant_id") == ["ann"]
    assert column("ratings", "dialogue_id") == ["d0", None]
    assert column("judgements", "other_dialogue_id") == [None, "d0"]
    assert column("entities", "name") == ["Om"]


@pytest.mark.parametrize(
    ("flags", "first"),
    [("{barge_in: experts}", True), ("{barge_in: log}", False), ("{help: experts}", False), ("{}", False)],
)
def test_experts_word_counts_first_where_the_study_says_so(tmp_path: Path, flags: str, first: bool) -> None:
    made = dataset(tmp_path / "d", {"file": f"study: s\nanalysis: {{flags: {flags}}}\n"})
    assert made.experts_first("barge_in") is first
    assert dataset(tmp_path / "without").experts_first("barge_in") is False


def test_people_are_of_where_they_came_from_and_programs_of_their_population_s_file(tmp_path: Path) -> None:
    file = "study: s\npopulations: {students: {recruiters: [campus]}}\n"
    told = {
        "ann": ("campus", False, None),
        "ben": ("panel", False, {"population": "young"}),
        "cid": (None, False, None),
        "pop": ("campus", True, {"population": "young"}),
        "bot": ("campus", True, {"other": 1}),
        "raw": (None, True, None),
    }
    made = dataset(
        tmp_path / "d",
        {"file": file},
        participants=[
            {
                "participant_id": who,
                "pool": pool,
                "simulated": simulated,
                "attributes": known and json.dumps(known),
            }
            for who, (pool, simulated, known) in told.items()
        ],
    )
    assert populations(made) == {
        "ann": "students",
        "ben": "panel",
        "pop": "young (simulated)",
        "bot": "campus (simulated)",
        "raw": "programs (simulated)",
    }


def test_the_facts_of_our_channels_are_known_where_only_their_name_is_stored(tmp_path: Path) -> None:
    channels = ("text", "voice", "phone", "radio")
    with DatasetWriter(tmp_path / "d", study={"name": "s"}, source={"kind": "log"}) as writer:
        facts = {"study": "s", "system": "a", "condition": "a", "language": "en", "simulated": False}
        rows = [{"dialogue_id": f"d-{channel}", "channel": channel, **facts} for channel in channels]
        writer.add("dialogues", [*rows, {**rows[0], "dialogue_id": "told", "spoken": True}])
    dataset = Dataset(tmp_path / "d")
    found = {row["dialogue_id"]: row["spoken"] for row in dataset.read("dialogues").to_pylist()}
    assert found == {"d-text": False, "d-voice": True, "d-phone": True, "d-radio": None, "told": True}
    called = dataset.read("dialogues", ["calls_out"])
    assert called.column_names == ["calls_out"] and sum(called["calls_out"].to_pylist()) == 1
