"""Recordings of people under damage: as a recogniser bears it, against the accepted transcripts."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vivavoce.audio.files import probe_sound, read_sound, side_by_side, write_sound
from vivavoce.audio.sound import Sound, joined, silence
from vivavoce.audio.speech import make_synthesiser
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce_stress.robustness import hear, read_trial, recorded_turns

SAID = {"ada": "I want a cheap pub", "bob": "what is the phone number", "eve": "thank you goodbye"}
TRIAL = """\
recogniser: {use: pocketsphinx, sentences: sentences.txt}
conditions:
  clean: {}
  drowned: {snr_db: -20, noise: white}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three speakers' turns, the last of a program, with a wrong live hypothesis and right transcripts."""
    made = tmp_path_factory.mktemp("trial")
    (made / "data" / "recordings").mkdir(parents=True)
    rows: dict[str, list[dict[str, Any]]] = {"dialogues": [], "turns": [], "recordings": []}
    for number, (speaker, text) in enumerate(SAID.items()):
        file, of = f"recordings/{number}.wav", {"dialogue_id": f"d{number}", "turn_index": 1}
        spoken = asyncio.run(make_synthesiser("flite").speak(text, language="en"))
        write_sound(spoken, made / "data" / file)
        facts = probe_sound(made / "data" / file)
        simulated = {"simulated": speaker == "eve"}
        rows["dialogues"].append(
            {
                "dialogue_id": f"d{number}",
                "study": "s",
                "system": "bot",
                "condition": "bot",
                "language": "en",
                "channel": "voice",
                **simulated,
            }
        )
        rows["turns"].append({**of, "party": "user", "text": "wrong", "reference": "wrong"})
        rows["recordings"].append(
            {
                **of,
                "recording_id": f"r{number}",
                "participant_id": speaker,
                "visit_id": f"v{number}",
                "content": "turn",
                "speakers": "user",
                "file": file,
                "media_type": "audio/wav",
                "channels": 1,
                "sample_rate_hz": facts.rate_hz,
                "frames": facts.frames,
                "duration_s": facts.duration_s,
                "byte_count": 1,
                "sha256": "0",
                "recorded_at": datetime.now(UTC),
                **simulated,
            }
        )
    with DatasetWriter(made / "data", study={"name": "s"}, source={"kind": "test"}) as writer:
        for table, found in rows.items():
            writer.add(table, found)
        writer.close()
    lines = [f"{number}.wav,d{number},1,{text},anna,en," for number, text in enumerate(SAID.values())]
    head = "audio,dialogue_id,turn_index,transcript,transcriber,language,transcribed_at"
    (made / "said.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    (made / "sentences.txt").write_text("\n".join(SAID.values()), encoding="utf-8")
    (made / "trial.yaml").write_text(TRIAL, encoding="utf-8")
    return made


def test_noise_raises_the_word_error_rate_and_speakers_are_what_the_interval_is_over(folder: Path) -> None:
    paths = [str(folder / name) for name in ("data", "said.csv", "trial.yaml")]
    result = CliRunner().invoke(app, ["stress", "recogniser", *paths, "--json"])
    assert result.exit_code == 0, result.output
    clean, drowned = json.loads(result.stdout)["conditions"]
    assert (clean["condition"], clean["errors"], clean["words"], clean["turns"]) == ("clean", 0, 10, 2)
    assert (drowned["speakers"], drowned["words"]) == (2, 10), "the program's turn is left out"
    assert drowned["word_error_rate"] > 0.5
    assert (drowned["low"] is None) == (drowned["word_error_rate"] == 1), "all wrong: nothing varied"
    assert drowned["damage"]["snr_db"] == -20 and "unit:word" in drowned["signature"]


@pytest.mark.long
def test_the_same_turns_are_compared_and_several_recognisers_stand_side_by_side(
    folder: Path, tmp_path: Path
) -> None:
    trial = folder / "two.yaml"
    strict = "  strict: {use: pocketsphinx, sentences: sentences.txt, language_weight: 12}\n"
    narrow = "  narrow: {use: pocketsphinx, sentences: sentences.txt}\n"
    some_left = TRIAL.replace("-20", "8")  # where every word is lost nothing varies, and there is no interval
    trial.write_text(f"{some_left}listeners:\n{narrow}{strict}", encoding="utf-8")
    command = ["stress", "recogniser", str(folder / "data"), str(folder / "said.csv"), str(trial)]
    facts = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    rates = {(one["recogniser"], one["condition"]): one["word_error_rate"] for one in facts["conditions"]}
    assert set(rates) == {(who, what) for who in ("narrow", "strict") for what in ("clean", "drowned")}
    (narrow,) = (one for one in facts["differences"] if one["recogniser"] == "narrow")
    assert narrow["difference"] == pytest.approx(rates["narrow", "drowned"] - rates["narrow", "clean"])
    assert (narrow["condition"], narrow["against"], narrow["worse"]) == ("drowned", "clean", 2)
    assert narrow["low"] < narrow["difference"] < narrow["high"]
    lines = CliRunner().invoke(app, command).stdout.splitlines()
    for one in facts["conditions"]:
        (line,) = (line for line in lines if f"{one['recogniser']}: {one['condition']}" in line)
        assert line.split()[-4:] == [str(one[name]) for name in ("errors", "words", "turns", "speakers")], (
            "the same seed draws the same noise"
        )


@pytest.mark.long
def test_turns_of_a_call_are_cut_out_of_its_recording(folder: Path, tmp_path: Path) -> None:
    """System on the left, user on the right; the second turn of the user is the one with a transcript."""
    said = [read_sound(folder / "data" / "recordings" / f"{number}.wav").at(16_000) for number in (0, 1)]
    gap = silence(1.0, 16_000)
    user = joined([gap, said[0], gap, said[1], gap], 16_000)
    (tmp_path / "recordings").mkdir()
    call = side_by_side(Sound(user.samples[::-1].copy(), 16_000), user)
    write_sound(call, tmp_path / "recordings" / "call.wav")
    starts = 1.0, 2.0 + said[0].duration_s
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        of = {"dialogue_id": "d", "study": "s", "system": "bot", "condition": "bot", "language": "en"}
        writer.add("dialogues", [{**of, "channel": "phone", "simulated": False}])
        writer.add(
            "turns",
            [
                {
                    "dialogue_id": "d",
                    "turn_index": number,
                    "party": "user",
                    "onset_s": 5 + starts[number],
                    "offset_s": 5 + starts[number] + said[number].duration_s,
                }
                for number in (0, 1)
            ],
        )
        writer.add(
            "recordings",
            [
                {
                    "recording_id": "r",
                    "participant_id": "ada",
                    "visit_id": "v",
                    "content": "dialogue",
                    "speakers": "system user",
                    "dialogue_id": "d",
                    "started_s": 5.0,
                    "file": "recordings/call.wav",
                    "media_type": "audio/wav",
                    "channels": 2,
                    "sample_rate_hz": 16_000,
                    "frames": len(user.samples),
                    "duration_s": user.duration_s,
                    "byte_count": 1,
                    "sha256": "0",
                    "recorded_at": datetime.now(UTC),
                    "simulated": False,
                }
            ],
        )
        dataset = writer.close()
    recorded = recorded_turns(dataset, {("d", 1): SAID["bob"]})
    trial = read_trial(folder / "trial.yaml")
    clean, drowned = asyncio.run(hear(recorded, trial, folder))
    assert (clean.condition, clean.said, clean.heard) == ("clean", SAID["bob"], SAID["bob"])
    assert drowned.heard != SAID["bob"]


def test_what_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    dataset = Dataset(folder / "data")
    with pytest.raises(InputError, match=r"no recorded participant turn.*--audio"):
        recorded_turns(dataset, {("d2", 1): SAID["eve"], ("d9", 1): "x"})
    wrong = tmp_path / "trial.yaml"
    wrong.write_text("recogniser: pocketsphinx\nconditions:\n  car: {snr: 3}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"trial.yaml:3 conditions.car.snr: unknown key 'snr'"):
        read_trial(wrong)
