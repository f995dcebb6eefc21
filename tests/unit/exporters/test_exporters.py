"""Exports in the formats of other tools: what is in them, what is said not to be, and the way back."""

import csv
import json
import runpy
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.exporters.base import EXPORTERS, MANIFEST
from vivavoce.importers.base import IMPORTERS

CAME = datetime(2027, 3, 14, 15, 9, 26, 500_000, tzinfo=UTC)
SAID = [
    ("system", "Hello! Where to?", {"first_output_s": 0.5, "complete_s": 1.0}),
    ("user", "=SUM(A1) to «Nowhere», yes", {"sent_s": 4.25}),
    ("system", "Yes.", {"first_output_s": 5.0, "complete_s": 6.5}),
    ("user", "yes", {"sent_s": 8.0}),
    ("system", "Yes.", {"first_output_s": 8.5, "complete_s": 9.0}),
    ("user", "bye", {"sent_s": 12.0}),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Two dialogues of one person with one system: one said twice the same, one without a turn."""
    dialogue = {
        "study": "ferries",
        "system": "purser",
        "condition": "calm",
        "participant_id": "anna",
        "channel": "text",
        "language": "en-GB",
        "simulated": False,
        "started_at": CAME,
        "ended_at": CAME + timedelta(seconds=20),
        "factor_sea": "calm",
    }
    with DatasetWriter(
        tmp_path / "data", study={"name": "ferries"}, source={"kind": "log"}, factors=["sea"]
    ) as writer:
        writer.add("participants", [{"participant_id": "anna", "simulated": False, "first_seen_at": CAME}])
        writer.add("dialogues", [{**dialogue, "dialogue_id": key} for key in ("d1", "d2")])
        rows = enumerate(SAID)
        writer.add(
            "turns",
            [
                {"dialogue_id": "d1", "turn_index": n, "party": who, "text": text, **times}
                for n, (who, text, times) in rows
            ],
        )
        answer = {"participant_id": "anna", "instrument": "q"}
        writer.add(
            "ratings",
            [
                {**answer, "dialogue_id": "d1", "item_id": "good", "value": 4.0},
                {**answer, "visit_id": "v1", "item_id": "age", "value": 40.0},
            ],
        )
        writer.add(
            "tool_calls",
            [
                {
                    "dialogue_id": "d1",
                    "turn_index": 2,
                    "call_index": 0,
                    "name": "timetable",
                    "arguments": '{"to": 1}',
                    "result": "none",
                    "failed": False,
                    "started_s": 5.0,
                    "duration_s": 1.0,
                }
            ],
        )
        writer.add(
            "usage",
            [
                {
                    "dialogue_id": "d1",
                    "turn_index": 2,
                    "usage_index": 0,
                    "model": "m",
                    "input_tokens": 9,
                    "output_tokens": 3,
                }
            ],
        )
        writer.add(
            "incidents",
            [
                {
                    "dialogue_id": "d1",
                    "failure": "timeout",
                    "detail": "10.1.2.3 slept",
                    "happened_at": CAME,
                }
            ],
        )
        return writer.close()


def turns(dataset: Dataset) -> list[tuple[Any, ...]]:
    return [
        (row["dialogue_id"], row["turn_index"], row["party"], row["text"])
        for row in dataset.everything.read("turns").to_pylist()
    ]


@pytest.mark.parametrize("name", EXPORTERS.names())
def test_what_is_not_in_an_export_is_said_and_counted(name: str, dataset: Dataset, tmp_path: Path) -> None:
    exporter = EXPORTERS.get(name)
    lost = [str(one) for one in exporter.export(dataset, tmp_path / "out")]
    facts = YAML(typ="safe", pure=True).load((tmp_path / "out" / MANIFEST).read_text("utf-8"))
    readme = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert (facts["format"], facts["study"], facts["level"]) == (name, "ferries", "internal")
    assert set(facts["files"]) == {
        str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*") if one.is_file()
    } - {MANIFEST}
    assert all(f"- {one}" in readme for one in lost)
    if name in ("csv", "huggingface"):
        assert lost == []
    else:
        assert "1 rows of `incidents` are not in this format." in lost


@pytest.mark.parametrize("name", ["convokit", "otel"])
def test_turns_speakers_and_times_come_back_as_they_were(name: str, dataset: Dataset, tmp_path: Path) -> None:
    EXPORTERS.get(name).export(dataset, tmp_path / "out")
    back = IMPORTERS.get(name).make_dataset([tmp_path / "out"], tmp_path / "back").dataset
    assert turns(back) == turns(dataset)
    (dialogue,) = back.read("dialogues").to_pylist()
    assert dialogue["started_at"] == CAME + timedelta(seconds=0.5)  # what was said first
    sent = [row["sent_s"] for row in back.read("turns").to_pylist() if row["party"] == "user"]
    assert sent == pytest.approx([3.75, 7.5, 11.5], abs=1e-6)
    system = [row["complete_s"] for row in back.read("turns").to_pylist() if row["party"] == "system"]
    whole = [0.5, 6.0, 8.5] if name == "otel" else [0.0, 4.5, 8.0]  # a corpus has one time an utterance
    assert system == pytest.approx(whole, abs=1e-6)


def test_what_agents_did_comes_back_from_spans(dataset: Dataset, tmp_path: Path) -> None:
    EXPORTERS.get("otel").export(dataset, tmp_path / "out")
    back = IMPORTERS.get("otel").make_dataset([tmp_path / "out"], tmp_path / "back").dataset
    (call,) = back.read("tool_calls").to_pylist()
    (used,) = [row for row in back.read("usage").to_pylist() if row["input_tokens"]]
    assert (call["name"], call["arguments"], call["result"]) == ("timetable", '{"to": 1}', "none")
    assert (used["model"], used["input_tokens"], used["output_tokens"]) == ("m", 9, 3)
    for line in (tmp_path / "out" / "spans.jsonl").read_text("utf-8").splitlines():
        for span in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            assert len(bytes.fromhex(span["traceId"])) == 16 and len(bytes.fromhex(span["spanId"])) == 8
            assert int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"])


def test_calls_of_tools_stay_in_their_turns_where_nobody_noted_any_time(tmp_path: Path) -> None:
    """As in the results of benchmarks, which have neither dates nor times."""
    dialogue = {
        "dialogue_id": "d1",
        "study": "s",
        "system": "agent",
        "condition": "agent",
        "channel": "text",
        "language": "en",
        "simulated": True,
    }
    called = {"dialogue_id": "d1", "name": "look", "arguments": "{}", "result": "1", "failed": False}
    said = [("user", "one"), ("system", "a"), ("user", "two"), ("system", None), ("user", "three")]
    with DatasetWriter(tmp_path / "data", study={"name": "s"}, source={"kind": "log"}) as writer:
        writer.add("dialogues", [dialogue])
        writer.add(
            "turns",
            [
                {"dialogue_id": "d1", "turn_index": n, "party": who, "text": text}
                for n, (who, text) in enumerate(said)
            ],
        )
        writer.add(
            "tool_calls",
            [{**called, "turn_index": turn, "call_index": n} for n, turn in enumerate((1, 1, 3))],
        )
        dataset = writer.close()
    EXPORTERS.get("otel").export(dataset, tmp_path / "out")
    back = IMPORTERS.get("otel").make_dataset([tmp_path / "out"], tmp_path / "back").dataset
    assert turns(back) == turns(dataset)
    assert [row["turn_index"] for row in back.read("tool_calls").to_pylist()] == [1, 1, 3]


def test_a_corpus_of_convokit_is_whole(dataset: Dataset, tmp_path: Path) -> None:
    EXPORTERS.get("convokit").export(dataset, tmp_path / "out")
    lines = (tmp_path / "out" / "utterances.jsonl").read_text("utf-8").splitlines()
    said = [json.loads(line) for line in lines]
    speakers = json.loads((tmp_path / "out" / "speakers.json").read_text("utf-8"))
    conversations = json.loads((tmp_path / "out" / "conversations.json").read_text("utf-8"))
    assert [one["reply-to"] for one in said] == [None, *(one["id"] for one in said[:-1])]
    assert len({one["id"] for one in said}) == len(said)
    assert {one["speaker"] for one in said} == set(speakers) == {"anna", "system purser"}
    assert {one["conversation_id"] for one in said} == set(conversations) == {said[0]["id"]}
    assert conversations["d1"]["meta"]["ratings"][0]["value"] == 4.0
    assert said[1]["timestamp"] == (CAME + timedelta(seconds=4.25)).timestamp()


def test_the_card_of_hugging_face_names_files_and_features_that_are_there(
    dataset: Dataset, tmp_path: Path
) -> None:
    EXPORTERS.get("huggingface").export(dataset, tmp_path / "out")
    head = (tmp_path / "out" / "README.md").read_text("utf-8").split("---\n")[1]
    card = YAML(typ="safe", pure=True).load(head)
    assert card["language"] == ["en"] and card["size_categories"] == ["n<1K"]
    infos = {one["config_name"]: one for one in card["dataset_info"]}
    for config in card["configs"]:
        table = pq.read_table(tmp_path / "out" / config["data_files"][0]["path"])
        info = infos[config["config_name"]]
        assert [one["name"] for one in info["features"]] == table.column_names
        assert info["splits"][0]["num_examples"] == table.num_rows
    said = pq.read_table(tmp_path / "out" / "data" / "conversations.parquet").to_pylist()
    assert Counter(one["role"] for one in said[0]["messages"]) == {"user": 3, "assistant": 3}
    assert (said[0]["factor_sea"], said[1]["messages"]) == ("calm", [])


@pytest.mark.parametrize("name", EXPORTERS.names())
def test_a_level_holds_in_every_format(name: str, dataset: Dataset, tmp_path: Path) -> None:
    arguments = ["export", str(dataset.folder), "--into", str(tmp_path / "out"), "--format", name]
    told = CliRunner().invoke(app, [*arguments, "--level", "shareable"])
    assert told.exit_code == 0 and "level shareable" in told.stderr
    held = b"".join(one.read_bytes() for one in (tmp_path / "out").rglob("*") if one.is_file())
    rows = [
        str(row) for one in (tmp_path / "out").rglob("*.parquet") for row in pq.read_table(one).to_pylist()
    ]
    assert b"10.1.2.3" not in held and b"2027" not in held
    assert not any("10.1.2.3" in row or "2027" in row for row in rows)


def test_csv_cells_are_safe_and_the_codebook_tells_each_column(dataset: Dataset, tmp_path: Path) -> None:
    EXPORTERS.get("csv").export(dataset, tmp_path / "out")
    with (tmp_path / "out" / "turns.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["text"] == "'=SUM(A1) to «Nowhere», yes"
    with (tmp_path / "out" / "codebook.csv").open(encoding="utf-8", newline="") as file:
        meanings = {(row["table"], row["column"]): row["meaning"] for row in csv.DictReader(file)}
    assert all(meanings["turns", column] for column in rows[0])


def test_a_format_of_a_package_is_written(dataset: Dataset, tmp_path: Path) -> None:
    module = Path(__file__).parents[2] / "strangers" / "exporter" / "vivavoce_stranger_exporter.py"
    scope = runpy.run_path(str(module))
    lost = [str(one) for one in scope["PLAY"].export(dataset, tmp_path / "out")]
    play = (tmp_path / "out" / "play.txt").read_text("utf-8").splitlines()
    assert play[:3] == ['ACT 1 "d1"', 'DESK: "Hello! Where to?"', 'VISITOR: "=SUM(A1) to «Nowhere», yes"']
    assert "2 rows of `dialogues` are not in this format." in lost


def test_nothing_is_replaced_unasked(dataset: Dataset, tmp_path: Path) -> None:
    out = tmp_path / "out"
    EXPORTERS.get("huggingface").export(dataset, out)
    with pytest.raises(InputError, match="holds an export already"):
        EXPORTERS.get("csv").export(dataset, out)
    (out / "mine.txt").write_text("mine")
    with replacing():
        EXPORTERS.get("otel").export(dataset, out)
        with pytest.raises(InputError, match="holds other files"):
            EXPORTERS.get("csv").export(dataset, dataset.folder)
    assert sorted(one.name for one in out.iterdir()) == ["README.md", MANIFEST, "mine.txt", "spans.jsonl"]
