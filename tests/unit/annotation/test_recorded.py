"""Items of a transcription, taken from the recordings of a trial."""

import asyncio
import csv
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from scenes.eliciting import commanding_study, wav
from scenes.transcribing import write_down
from scenes.voices import conversation
from vivavoce.annotation.recorded import MARGIN_S, recorded_items
from vivavoce.audio.files import probe_sound, write_sound
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.core.paths import copy_file, resolve_path
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine

TRANSCRIBING = """
study: transcripts
languages: [en]
visit:
  - transcribe: {items: items.csv, audio: audio, per_participant: 9, gold: 0.1, min_gold: 1, accuracy: 0.5}
"""


BOTH = {"channels": 2, "speakers": "system user"}


def recording(name: str, content: str, **facts: object) -> dict[str, object]:
    return {
        "recording_id": name,
        "content": content,
        "file": f"recordings/{name}",
        "media_type": "audio/wav",
        "channels": 1,
        "speakers": "user",
        "sample_rate_hz": 16000,
        "frames": 1,
        "duration_s": 1.0,
        "byte_count": 1,
        "sha256": "0",
        "recorded_at": datetime.now(UTC),
        "visit_id": "v1",
        "simulated": False,
        **facts,
    }


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory):
    """A call on two channels that began 3 s after its dialogue, and one turn recorded by itself."""
    tracks, spoken = conversation([0.5, 0.7, 1.2, 0.8])
    folder = tmp_path_factory.mktemp("call") / "dataset"
    with DatasetWriter(folder, study={"name": "calls"}, source={"kind": "test"}) as writer:
        for index, one in enumerate(spoken):
            writer.add(
                "turns",
                [
                    {
                        "dialogue_id": "d1",
                        "turn_index": index,
                        "party": one.party,
                        "text": f"heard {index}",
                    }
                ],
            )
        writer.add("turns", [{"dialogue_id": "d2", "turn_index": 1, "party": "user", "text": "=cheap"}])
        writer.add(
            "recordings",
            [
                recording("whole.flac", "dialogue", dialogue_id="d1", started_s=3.0, **BOTH),
                recording("single.wav", "turn", dialogue_id="d1", turn_index=3),
                recording("other.wav", "turn", dialogue_id="d2", turn_index=1),
                recording("lost.wav", "turn", dialogue_id="d2", turn_index=2),
                recording("broken.wav", "dialogue", dialogue_id="d2", **BOTH),
                recording("check.wav", "check"),
            ],
        )
    sounds = folder / "recordings"
    sounds.mkdir()
    write_sound(tracks, sounds / "whole.flac")
    for name in ("single.wav", "other.wav", "check.wav"):
        (sounds / name).write_bytes(wav(0.5))
    (sounds / "broken.wav").write_bytes(b"no sound")
    return Dataset(folder), spoken


def test_turns_are_cut_out_of_a_call_unless_they_were_recorded_by_themselves(call, tmp_path: Path) -> None:
    dataset, spoken = call
    listed = recorded_items(dataset, dataset.folder / "recordings", tmp_path / "audio")
    names = ("audio", "dialogue_id", "turn_index", "hypothesis")
    assert [tuple(row[name] for name in names) for row in listed.rows] == [
        ("single.wav", "d1", 3, "heard 3"),
        ("other.wav", "d2", 1, "=cheap"),
        ("d1_1.wav", "d1", 1, "heard 1"),
    ]
    assert (listed.gone, listed.unreadable) == (1, 1)
    lasted = probe_sound(tmp_path / "audio" / "d1_1.wav").duration_s
    assert lasted == pytest.approx(spoken[1].offset_s - spoken[1].onset_s + 2 * MARGIN_S, abs=0.15)
    assert {path.name for path in (tmp_path / "audio").iterdir()} == {row["audio"] for row in listed.rows}


def test_a_call_that_lies_elsewhere_is_listed_and_timed_as_on_disk(call, tmp_path: Path) -> None:
    pytest.importorskip("upath")
    here, there = tmp_path, f"memory://call-{uuid4().hex}"
    sound = [file for file in sorted(call[0].folder.rglob("*")) if file.is_file() and file.stem != "broken"]
    for place in (here, there):
        for file in sound:
            target = resolve_path(f"{place}/calls") / file.relative_to(call[0].folder).as_posix()
            target.parent.mkdir(parents=True, exist_ok=True)
            copy_file(file, target)
        run("annotate", "items", f"{place}/calls", "--into", f"{place}/listed/items.csv")
        run("timing", f"{place}/calls", "--into", f"{place}/timed")
    made = resolve_path(f"{there}/listed")
    assert (made / "items.csv").read_text("utf-8") == (here / "listed" / "items.csv").read_text("utf-8")
    for file in (here / "listed" / "audio").iterdir():
        assert (made / "audio" / file.name).read_bytes() == file.read_bytes()
    assert Dataset(f"{there}/timed").hash == Dataset(here / "timed").hash
    with pytest.raises(InputError, match="would replace the old"):
        run("timing", f"{there}/calls", "--into", Path(f"{there}/calls"))


def test_a_dataset_without_sound_says_how_to_get_it(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "d", study={"name": "x"}, source={"kind": "test"}):
        pass
    with pytest.raises(InputError, match="export --audio"):
        recorded_items(Dataset(tmp_path / "d"), tmp_path / "d" / "recordings", tmp_path / "audio")


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stderr


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """Three commands were spoken."""
    study = commanding_study(tmp_path / "robot", by="speech")

    async def speak() -> None:
        with Log.open(f"sqlite:///{tmp_path / 'robot' / 'log.sqlite'}") as log:
            engine = SessionEngine(study, log, {})
            visit_id = (await engine.open_visit(language="en")).visit_id
            for position in range(3):
                key, audio = f"command-{position}", wav(0.5 + position)
                await engine.forms.record(visit_id, step=0, position=position, key=key, audio=audio, takes=1)
            await engine.stop()

    asyncio.run(speak())
    return tmp_path / "robot"


def test_spoken_commands_are_listed_transcribed_and_get_their_words(robot: Path, tmp_path: Path) -> None:
    items = tmp_path / "work" / "items.csv"
    assert "3 recordings into" in run("annotate", "items", robot, "--into", items)
    listed = rows_of(items)
    first = listed[0]["audio"]
    items.write_text(items.read_text(encoding="utf-8").replace(f"{first},,,,", f"{first},,,fill the kettle,"))
    run("annotate", "items", robot, "--into", items)
    assert [row["gold"] for row in rows_of(items)] == ["fill the kettle", "", ""]

    (tmp_path / "work" / "study.yaml").write_text(TRANSCRIBING, encoding="utf-8")
    log = f"sqlite:///{robot / 'log.sqlite'}"
    transcribe(tmp_path / "work", log, {first: "fill the kettle"})
    run("annotate", "transcripts", tmp_path / "work", "--into", tmp_path / "said.csv", "--log", log)
    run("export", robot, "--into", tmp_path / "same-log")
    told = Dataset(tmp_path / "same-log").read("commands").to_pylist()
    texts = {Path(row["recording"]).name: row["text"] for row in told}
    assert texts == {row["audio"]: None if row["gold"] else f"words of {row['audio']}" for row in listed} | {
        first: None
    }


def test_transcripts_of_commands_are_taken_into_a_dataset(robot: Path, tmp_path: Path) -> None:
    run("export", robot, "--into", tmp_path / "data", "--audio")
    run("annotate", "items", tmp_path / "data", "--into", tmp_path / "work" / "items.csv")
    listed = [row["audio"] for row in rows_of(tmp_path / "work" / "items.csv")]
    said = tmp_path / "said.csv"
    said.write_text(f"audio,dialogue_id,turn_index,transcript\n{listed[1]},,,boil it\n", encoding="utf-8")
    assert "1 transcripts into" in run("annotate", "in", tmp_path / "data", said, "--into", tmp_path / "new")
    new = {row["recording"]: row["text"] for row in Dataset(tmp_path / "new").read("commands").to_pylist()}
    assert new[f"recordings/{listed[1]}"] == "boil it" and list(new.values()).count(None) == 2
    said.write_text("audio,dialogue_id,turn_index,transcript\nstranger.wav,,,boil it\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no user turn"):
        run("annotate", "in", tmp_path / "data", said, "--into", tmp_path / "newer")


def transcribe(folder: Path, url: str, known: dict[str, str]) -> None:
    """One participant writes everything down."""
    study = load_study(folder)

    async def write() -> None:
        with Log.open(url) as log:
            engine = SessionEngine(study, log, {})
            visit_id = (await engine.open_visit(language="en")).visit_id
            while (state := await engine.state(visit_id)).phase == "stimulus":
                audio = state.shown.stimulus.audio
                text = known.get(audio, f"words of {audio}")
                await write_down(engine, visit_id, text)
            await engine.stop()

    asyncio.run(write())
