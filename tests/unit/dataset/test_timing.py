import json
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from scenes.voices import conversation
from vivavoce.audio.files import Tracks, write_sound
from vivavoce.audio.turns import SpokenTurn
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.timing import UNPAIRED, pair_turns, recorded_dialogues, recordings_in, time_from_sound
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures.compute import components

GAPS = [0.5, 0.7, 1.2, -0.6, 0.9, 0.4]


@pytest.fixture(scope="module")
def dialogue():
    return conversation(GAPS)


@pytest.fixture
def logged(tmp_path, dialogue):
    """Two dialogues as a chat would log them, the first recorded; it began 3 s after the dialogue."""
    tracks, spoken = dialogue
    folder = tmp_path / "logged"
    with DatasetWriter(folder, study={"name": "calls"}, source={"kind": "test"}) as writer:
        for name, late in (("d1", 4), ("d2", 1)):
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": name,
                        "study": "calls",
                        "system": "a",
                        "condition": "a",
                        "channel": "voice",
                        "language": "en",
                        "simulated": False,
                        "duration_s": 99.0,
                    }
                ],
            )
            for index, one in enumerate(spoken):
                own = (
                    {"sent_s": one.offset_s + late}
                    if one.party == "user"
                    else {"first_output_s": one.onset_s + late}
                )
                writer.add("turns", [{"dialogue_id": name, "turn_index": index, "party": one.party, **own}])
        recording = {
            "recording_id": "r1",
            "content": "dialogue",
            "dialogue_id": "d1",
            "started_s": 3.0,
            "channels": 2,
            "speakers": "system user",
            "file": "recordings/r1.flac",
            "media_type": "audio/flac",
            "sample_rate_hz": 16000,
            "frames": len(tracks.samples),
            "duration_s": tracks.duration_s,
            "byte_count": 1,
            "sha256": "0",
            "recorded_at": datetime(2026, 3, 1, tzinfo=UTC),
            "visit_id": "v1",
            "simulated": False,
        }
        others = {
            "r2": {"content": "turn"},
            "r3": {"channels": 1, "speakers": "user"},
            "r4": {"file": None},
            "r5": {"file": "recordings/not-there.flac"},
            "r6": {"dialogue_id": None},
        }
        writer.add("recordings", [recording])
        for name, differs in others.items():  # of none of them it is known who speaks when in the dialogue
            writer.add("recordings", [recording | {"recording_id": name, "dialogue_id": "d2"} | differs])
    (folder / "recordings").mkdir()
    write_sound(tracks, folder / "recordings" / "r1.flac")
    return Dataset(folder)


def value(dataset, measure):
    parts = components(dataset, [measure]).set_index("dialogue_id").loc["d1"]
    return parts["numerator"] / parts["denominator"]


def test_turns_of_a_recorded_dialogue_have_the_times_of_the_sound(logged, dialogue, tmp_path):
    _, spoken = dialogue
    assert recorded_dialogues(logged).keys() == {"d1"}
    timed, (told,) = time_from_sound(logged, recorded_dialogues(logged), tmp_path / "timed")
    assert (told.dialogue_id, told.logged, told.spoken, told.timed) == ("d1", *[len(GAPS)] * 3)
    turns = [row for row in timed.read("turns").to_pylist() if row["dialogue_id"] == "d1"]
    errors = [abs(row["onset_s"] - 3.0 - one.onset_s) for row, one in zip(turns, spoken, strict=True)]
    assert np.median(errors) <= 0.05
    assert [row["barge_in"] for row in turns] == [
        None if one.party == "system" else gap < 0 for one, gap in zip(spoken, GAPS, strict=True)
    ]
    assert all(row["sent_s"] is None and row["first_output_s"] is None for row in turns)
    dialogues = {row["dialogue_id"]: row for row in timed.read("dialogues").to_pylist()}
    assert dialogues["d1"]["timing_origin"] == "sound"
    assert dialogues["d1"]["duration_s"] == pytest.approx(spoken[-1].offset_s - spoken[0].onset_s, abs=0.1)
    assert value(timed, "system_response_delay") == pytest.approx((GAPS[2] + GAPS[4]) / 2, abs=0.1)
    assert value(timed, "user_response_delay") == pytest.approx((GAPS[1] + GAPS[5]) / 2, abs=0.1)
    assert value(timed, "barge_ins") == 1
    assert value(timed, "dialogue_duration") == dialogues["d1"]["duration_s"]
    assert (dialogues["d2"]["timing_origin"], dialogues["d2"]["duration_s"]) == (None, 99.0)


def test_dialogues_with_clips_that_nobody_timed_are_told_in_the_notes(logged, tmp_path):
    exact, _ = time_from_sound(logged, recorded_dialogues(logged), tmp_path / "exact")
    file = logged.folder / "recordings.parquet"
    rows = [row | {"clips": 5, "clips_placed": 2} for row in pq.read_table(file).to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(file)), file)
    about, _ = time_from_sound(logged, recorded_dialogues(Dataset(logged.folder)), tmp_path / "about")
    told = "1 of them have clips without page timings: their delays are approximate"
    assert told in about.manifest["notes"]
    assert told not in exact.manifest["notes"]


def test_a_turn_that_the_sound_does_not_show_loses_the_times_of_the_log(logged, dialogue, tmp_path):
    tracks, spoken = dialogue
    third = spoken[2]
    tracks = Tracks(tracks.samples.copy(), tracks.rate_hz)
    tracks.samples[round(third.onset_s * 16000) : round(third.offset_s * 16000), 0] = 0
    silent = tmp_path / "own"
    silent.mkdir()
    write_sound(tracks, silent / "d2.wav")
    timed, (told,) = time_from_sound(
        logged, recordings_in(silent, logged, ("system", "user")), tmp_path / "timed"
    )
    assert told.timed < told.logged
    turns = [row for row in timed.read("turns").to_pylist() if row["dialogue_id"] == "d2"]
    assert turns[2]["onset_s"] is None
    assert turns[2]["first_output_s"] is None
    assert turns[2]["untimed"] == UNPAIRED
    assert told.missing == {UNPAIRED: told.logged - told.timed}
    assert turns[-1]["onset_s"] == pytest.approx(spoken[-1].onset_s, abs=0.1)


def test_the_verb_tells_what_was_timed_and_names_what_is_wrong(logged, tmp_path):
    run = CliRunner().invoke(app, ["timing", str(logged.folder), "--into", str(tmp_path / "t"), "--json"])
    assert run.exit_code == 0, run.output
    facts = json.loads(run.stdout)
    (told,) = facts["dialogues"]
    assert (told["dialogue_id"], told["logged"], told["spoken"], told["timed"]) == ("d1", 6, 6, 6)
    assert (told["cut"], told["missing"]) == (False, {})
    assert facts["dataset"] == Dataset(tmp_path / "t").hash
    with pytest.raises(InputError, match="--into: the new dataset would replace the old"):
        time_from_sound(logged, recorded_dialogues(logged), logged.folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"none of 0 audio files .* <dialogue_id>\.wav"):
        recordings_in(tmp_path / "empty", logged, ("user", "system"))


def test_turns_of_the_log_are_those_of_the_sound_that_are_nearest_in_order() -> None:
    for logged, spoken, pairs in [
        ("u0 s5 u10", "u0 s5 u10", [(0, 0), (1, 1), (2, 2)]),
        ("u0 s5 u10", "s5 u10", [(1, 0), (2, 1)]),
        ("u0 s5 u10", "u0 u10", [(0, 0), (2, 1)]),
        ("u0 s5 u10", "u0 s5", [(0, 0), (1, 1)]),
        ("s5", "u0 s5 u10", [(0, 1)]),
        ("s u", "s40 u60", [(0, 0), (1, 1)]),
        ("u0 u20", "u19", [(1, 0)]),
        ("u0", "s0", []),
    ]:
        parties = {"u": "user", "s": "system"}
        turns = [
            {"party": parties[one[0]], "onset_s": float(one[1:]) if one[1:] else None}
            for one in logged.split()
        ]
        said = [SpokenTurn(parties[one[0]], float(one[1:]), float(one[1:]) + 1) for one in spoken.split()]
        assert pair_turns(turns, said) == pairs


@pytest.mark.parametrize(
    ("began", "nearest"),
    [
        ({"onset_s": 9.0, "first_output_s": 0.0}, 1),
        ({"onset_s": None, "first_output_s": 9.0}, 1),
        ({"onset_s": 0.0, "first_output_s": 9.0}, 0),
    ],
)
def test_a_turn_is_as_near_as_its_onset_or_its_first_output_where_it_has_none(
    began: dict[str, float | None], nearest: int
) -> None:
    said = [SpokenTurn("system", 0.5, 1.0), SpokenTurn("system", 8.5, 9.0)]
    assert pair_turns([{"party": "system", **began}], said) == [(0, nearest)]


def test_turns_that_are_very_far_apart_are_still_the_same_where_there_is_no_other() -> None:
    assert pair_turns([{"party": "user", "onset_s": 0.0}], [SpokenTurn("user", 500.0, 501.0)]) == [(0, 0)]


@pytest.mark.parametrize("suffix", [".wav", ".FLAC"])
def test_files_are_found_by_the_names_of_dialogues_and_others_are_left_alone(
    logged, tmp_path, suffix
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    for name in (f"d1{suffix}", f"other{suffix}", "d2.txt"):
        (folder / name).write_bytes(b"")
    found = recordings_in(folder, logged, ("user", "system"))
    assert {name: [one.path.name for one in parts] for name, parts in found.items()} == {
        "d1": [f"d1{suffix}"]
    }
    with pytest.raises(InputError, match="folder not found"):
        recordings_in(tmp_path / "nowhere", logged, ("user",))
