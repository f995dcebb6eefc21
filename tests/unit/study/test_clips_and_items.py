"""Tables of recordings that a step names: clips to listen to, and recordings to write down."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from vivavoce.steps.listening_test.clips import LONGEST_S, read_clips
from vivavoce.steps.transcription.items import read_items

RATE = 8000


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    """Clips of a second, one as long as may be, one longer, an empty one, one that is no sound."""
    folder = tmp_path / "audio"
    folder.mkdir()
    lengths = {"a.wav": 1.0, "b.wav": 1.0, "c.wav": 1.0, "d.flac": 1.0, "E.WAV": 1.0}
    for name, seconds in (
        lengths | {"long.wav": LONGEST_S, "longer.wav": LONGEST_S + 1, "none.wav": 0.0}
    ).items():
        soundfile.write(folder / name, np.zeros(round(seconds * RATE), dtype="int16"), RATE)
    (folder / "text.wav").write_text("no sound", encoding="utf-8")
    (folder / "notes.txt").write_text("notes", encoding="utf-8")
    (tmp_path / "outside.wav").write_bytes((folder / "a.wav").read_bytes())
    return folder


def table(audio: Path, *lines: str) -> Path:
    path = audio.parent / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a.wav,x", None),
        ("E.WAV,x", None),
        ("d.flac,x", None),
        ("long.wav,x", None),
        ("longer.wav,x", "lasts 61 s"),
        ("none.wav,x", "lasts 0 s"),
        ("notes.txt,x", "is not a clip"),
        (",x", "is not a clip"),
        ("gone.wav,x", "no file 'gone.wav'"),
        ("../outside.wav,x", "no file"),
        ("a.wav,", "has no condition"),
        ("text.wav,x", "text.wav"),
    ],
)
def test_a_clip_is_a_short_sound_in_its_folder_with_a_condition(
    audio: Path, line: str, problem: str | None
) -> None:
    clips, problems = read_clips(table(audio, "audio,condition", "b.wav,y", line), audio, "opinion")
    told = "\n".join(map(str, problems))
    assert len(clips) == (2 if problem is None else 1)
    assert told == "" if problem is None else problem in told and "table.csv:3" in told


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["a.wav,x,1", "b.wav,y,1"], None),
        (["a.wav,x,1", "b.wav,x,1"], "2 clips of 1 conditions"),
        (["a.wav,x,1", "b.wav,y,1", "c.wav,z,1"], "3 clips of 3 conditions"),
        (["a.wav,x,1", "b.wav,y,1", "c.wav,y,1"], "3 clips of 2 conditions"),
        (["a.wav,x,1"], "1 clips of 1 conditions"),
        (["a.wav,x,", "b.wav,y,"], "pair '' has 2 clips"),
    ],
)
def test_a_pair_is_two_clips_of_two_conditions(audio: Path, lines: list[str], problem: str | None) -> None:
    _, problems = read_clips(table(audio, "audio,condition,pair", *lines), audio, "pairs")
    assert (problem is None and not problems) or str(problem) in str(problems[0])
    assert read_clips(table(audio, "audio,condition,pair", *lines), audio, "opinion")[1] == []


def test_columns_that_a_method_needs_are_named(audio: Path) -> None:
    without = table(audio, "audio,condition", "a.wav,x")
    assert "column 'pair'" in str(read_clips(without, audio, "pairs")[1][0])
    assert "column 'condition'" in str(read_clips(table(audio, "audio", "a.wav"), audio, "opinion")[1][0])
    assert "contains no clips" in str(read_clips(table(audio, "audio,condition"), audio, "opinion")[1][0])
    twice = read_clips(table(audio, "audio,condition", "a.wav,x", "a.wav,y"), audio, "opinion")[1]
    assert "listed twice" in str(twice[0]) and len(twice) == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a.wav,d,0,yes", None),
        ("a.wav,,,", None),
        ("E.WAV,d,12,", None),
        ("a.wav,d,,", "a dialogue without turn"),
        ("a.wav,,3,", "a turn without dialogue"),
        ("a.wav,d,x,", "'x' is not"),
        ("a.wav,d,-1,", "'-1' is not"),
        (",d,1,", "is not a recording"),
        ("notes.txt,,,", "is not a recording"),
        ("../outside.wav,,,", "is not in the folder"),
        ("gone.wav,,,", "no file 'gone.wav'"),
        ("b.wav,,,", "is listed twice"),
    ],
)
def test_an_item_is_a_recording_of_a_turn_or_of_none(audio: Path, line: str, problem: str | None) -> None:
    lines = ("audio,dialogue_id,turn_index,gold", "b.wav,d,7,well", line)
    items, problems = read_items(table(audio, *lines), audio)
    assert (items[0].audio, items[0].turn_index, items[0].gold) == ("b.wav", 7, "well")
    told = "\n".join(map(str, problems))
    assert (len(items), told) == (2, "") if problem is None else problem in told and len(items) == 1


def test_a_table_without_items_or_column_is_named(audio: Path) -> None:
    assert "column 'audio'" in str(read_items(table(audio, "file", "a.wav"), audio)[1][0])
    assert "contains no items" in str(read_items(table(audio, "audio,gold"), audio)[1][0])
