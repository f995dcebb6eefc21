"""The verb `annotate`: out of a study's log and back into it, and into a copy of a dataset."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.annotating import annotated_study, hold_dialogue
from scenes.transcribing import GOLD, silence, transcribing_study, write_down
from vivavoce.annotation.transcripts import duration_s
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    made = annotated_study(folder, "schemes: [context]")
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        hold_dialogue(log, made, 0)
        export_dataset(log, made.name, tmp_path / "data")
    return folder


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["annotate", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stderr


def filled(path: Path) -> Path:
    """The blank form with every turn judged appropriate."""
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(one.replace("context,,", "context,AP,") for one in lines), encoding="utf-8")
    return path


def test_a_blank_form_goes_out_and_comes_back_into_the_log(study: Path, tmp_path: Path) -> None:
    assert "wrote 1 file into" in run(
        "out", study, "--into", tmp_path / "forms", "--blank", "--annotator", "dora"
    )
    form = filled(tmp_path / "forms" / "annotations.csv")
    assert "3 labels read; 1 layers of dialogues are new or changed" in run("in", study, form)
    assert "3 labels read; 0 layers" in run("in", study, form)
    run("out", study, "--into", tmp_path / "tiers", "--format", "eaf")
    assert "context/system@dora" in (tmp_path / "tiers" / "dialogue-000.eaf").read_text(encoding="utf-8")


def test_labels_of_chosen_dialogues_are_taken_in_with_their_chances(study: Path, tmp_path: Path) -> None:
    run("out", tmp_path / "data", "--into", tmp_path / "forms", "--blank", "--scheme", "context")
    form, lots = filled(tmp_path / "forms" / "annotations.csv"), tmp_path / "chances.csv"
    lots.write_text("dialogue_id,chance,drawn,seed,target\ndialogue-000,0.25,yes,1,context.AP\n", "utf-8")
    run("in", tmp_path / "data", form, "--into", tmp_path / "new", "--chances", lots)
    assert Dataset(tmp_path / "new").read("label_chances").to_pylist() == [
        {
            "dialogue_id": "dialogue-000",
            "layer": "context",
            "target": "context.AP",
            "chance": 0.25,
            "drawn": True,
            "doubt": None,
        }
    ]
    for problem, source, text in (
        ("already has probabilities", "new", None),
        ("is not a label", "data", "dialogue_id,chance,drawn,target\ndialogue-000,0.25,yes,found_all\n"),
        ("unknown dialogue", "data", "dialogue_id,chance,drawn,target\nd9,0.25,yes,context.AP\n"),
        ("chance 2", "data", "dialogue_id,chance,drawn,target\ndialogue-000,2,yes,context.AP\n"),
    ):
        if text is not None:
            lots.write_text(text, "utf-8")
        with pytest.raises(InputError, match=problem):
            run("in", tmp_path / source, form, "--into", tmp_path / "newer", "--chances", lots)
    with pytest.raises(InputError, match="need a dataset"):
        run("in", study, form, "--chances", lots)


def test_a_dataset_is_annotated_in_a_copy(study: Path, tmp_path: Path) -> None:
    run("out", tmp_path / "data", "--into", tmp_path / "forms", "--blank", "--scheme", "context")
    form = filled(tmp_path / "forms" / "annotations.csv")
    with pytest.raises(InputError, match="never changed in place"):
        run("in", tmp_path / "data", form)
    run("in", tmp_path / "data", form, "--into", tmp_path / "new")
    assert Dataset(tmp_path / "new").read("annotations").num_rows == 3
    manifest = json.loads((tmp_path / "new" / "dataset.json").read_text())
    assert manifest["study"]["name"] == "city"


def test_recordings_are_listed_transcribed_and_become_references_and_a_manifest(
    study: Path, tmp_path: Path
) -> None:
    silence(tmp_path / "audio" / "dialogue-000_1.wav", 0.5)
    silence(tmp_path / "audio" / "dialogue-000_0.wav")
    items = tmp_path / "items.csv"
    assert "1 recordings into" in run("items", study, "--audio", tmp_path / "audio", "--into", items)
    lines = items.read_text(encoding="utf-8").splitlines()
    assert lines[1] == "dialogue-000_1.wav,dialogue-000,1,,a cheap thai place"

    other = tmp_path / "transcribing"
    plan = transcribing_study(other, unknown=1)
    with Log.open(f"sqlite:///{other / 'log.sqlite'}") as log:
        walk(plan, log, lambda audio: GOLD.get(audio, "=a cheap tie place"))
    run("transcripts", other, "--into", tmp_path / "said.csv", "--manifest", tmp_path / "train.jsonl")
    assert "'=a cheap tie place" in (tmp_path / "said.csv").read_text(encoding="utf-8")
    (line,) = map(json.loads, (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines())
    assert (line["text"], line["duration"]) == ("=a cheap tie place", 0.2)
    assert Path(line["audio_filepath"]) == (other / "audio" / "call-0.wav").resolve()

    run("in", tmp_path / "data", tmp_path / "said.csv", "--into", tmp_path / "new")
    turns = Dataset(tmp_path / "new").read("turns").to_pylist()
    assert [one["reference"] for one in turns][1] == "=a cheap tie place"
    assert [one["text"] for one in turns][1] == "a cheap thai place"


def walk(study: Study, log: Log, write: Callable[[str], str]) -> None:
    """One participant writes everything down."""

    async def run_visit() -> None:
        engine = SessionEngine(study, log, {})
        visit_id = (await engine.open_visit(language="en")).visit_id
        while (state := await engine.state(visit_id)).phase == "stimulus":
            text = write(state.shown.stimulus.audio)
            await write_down(engine, visit_id, text)
        await engine.stop()

    asyncio.run(run_visit())


def test_the_length_of_a_flac_recording_is_read_from_its_head(tmp_path: Path) -> None:
    rate, samples = 16_000, 40_000
    packed = (rate << 44) | (15 << 36) | samples
    path = tmp_path / "one.flac"
    path.write_bytes(b"fLaC" + b"\x00\x00\x00\x22" + bytes(10) + packed.to_bytes(8, "big") + bytes(16))
    assert duration_s(path) == 2.5
    path.write_bytes(b"fLaC")
    assert duration_s(path) is None


def test_a_mistaken_scheme_is_named(study: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown scheme 'contxt'. Did you mean 'context'"):
        run("out", tmp_path / "data", "--into", tmp_path / "x", "--blank", "--scheme", "contxt")
