"""Recordings to transcribe as a trial left them: of user turns, spoken commands, whole dialogues."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from vivavoce.audio.files import SOUND_TYPES, read_sound, read_tracks, write_sound
from vivavoce.audio.sound import Sound
from vivavoce.audio.turns import Party, SpokenTurn, speech_of, turns_of_speech
from vivavoce.core.errors import InputError
from vivavoce.core.extras import later
from vivavoce.core.paths import copy_file, resolve_path
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.timing import SoundSource, pair_turns

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy", "speech")

Row = dict[str, Any]
MARGIN_S: Final = 0.3
_UNSAFE: Final = re.compile(r"[^\w.-]+", re.ASCII)


class ListedRecording(NamedTuple):
    """Result for recordings: items, and numbers of unusable ones."""

    rows: list[Row]
    gone: int
    unreadable: int


def recorded_items(dataset: Dataset, sounds: Path, into: Path) -> ListedRecording:
    """One item for each recorded user turn and spoken command; its sound is put into a folder.

    sounds  folder of the recordings' files
    into    folder for the items' sound; a recording is copied, what is no WAV or FLAC is written as WAV
    Note    of a whole dialogue's recording users' turns are cut out where they have a channel of their own,
            0.3 s before and after with them, and paired with the log's in order; a turn that has a recording
            of its own is taken from that; what was removed is left out
    Raises  InputError: nothing that a user said was recorded
    """
    recorded = [row for row in dataset.read("recordings").to_pylist() if row["file"]]
    files = {row["recording_id"]: sounds / Path(row["file"]).name for row in recorded}
    present = [row for row in recorded if files[row["recording_id"]].is_file()]
    into = resolve_path(into)
    into.mkdir(parents=True, exist_ok=True)
    turns = _turns(dataset)
    rows: list[Row] = []
    unreadable = 0
    for row in present:
        if row["content"] in ("command", "turn"):
            try:
                rows += _item_of(row, files[row["recording_id"]], into, turns)
            except InputError:
                unreadable += 1
    done = {_place(row) for row in rows}
    for dialogue_id, parts in _whole_dialogues(present, files).items():
        try:
            rows += list(_cut(parts, turns[dialogue_id], into, done))
        except InputError:
            unreadable += len(parts)
    if not rows:
        raise InputError(
            "no recorded user turns and no spoken commands",
            place=str(sounds),
            hint="add recordings of user turns with --audio FOLDER; datasets need `export --audio`",
        )
    return ListedRecording(rows, len(recorded) - len(present), unreadable)


def _turns(dataset: Dataset) -> dict[str, list[Row]]:
    by_dialogue: dict[str, list[Row]] = defaultdict(list)
    for row in dataset.read("turns").sort_by("turn_index").to_pylist():
        by_dialogue[row["dialogue_id"]].append(row)
    return by_dialogue


def _place(row: Row) -> tuple[str, int]:
    return row["dialogue_id"], row["turn_index"]


def _item_of(row: Row, path: Path, into: Path, turns: dict[str, list[Row]]) -> Iterator[Row]:
    """A recording that holds one utterance of a user."""
    spoken_turn = next(
        (turn for turn in turns[row["dialogue_id"]] if turn["turn_index"] == row["turn_index"]), None
    )
    if row["content"] == "command" or (row["speakers"] == "user" and spoken_turn is not None):
        yield _item(_copied(path, into), spoken_turn)


def _whole_dialogues(rows: list[Row], files: dict[str, Path]) -> dict[str, list[SoundSource]]:
    """Recordings with a channel for each party, by dialogue."""
    sources: dict[str, list[SoundSource]] = defaultdict(list)
    for row in rows:
        if row["content"] == "dialogue" and sorted(row["speakers"].split()) == ["system", "user"]:
            speakers = cast("tuple[Party, ...]", tuple(row["speakers"].split()))
            part = SoundSource(files[row["recording_id"]], speakers, row["started_s"] or 0.0)
            sources[row["dialogue_id"]].append(part)
    return sources


def _cut(
    parts: list[SoundSource], logged: list[Row], into: Path, done: set[tuple[str, int]]
) -> Iterator[Row]:
    """The user's turns of one dialogue that are not done, each a file named after dialogue and turn."""
    spoken: list[tuple[SpokenTurn, SoundSource, Sound]] = []
    for part in sorted(parts, key=lambda source: source.started_s):
        tracks = read_tracks(part.path)
        channel = tracks.channel(part.speakers.index("user"))
        turns = turns_of_speech(speech_of(tracks, part.speakers, started_s=part.started_s))
        spoken += [(speech, part, channel) for speech in turns]
    for place, number in pair_turns(logged, [interval for interval, _, _ in spoken]):
        logged_turn, (turn, part, channel) = logged[place], spoken[number]
        if logged_turn["party"] == "user" and _place(logged_turn) not in done:
            name = _UNSAFE.sub("-", f"{logged_turn['dialogue_id']}_{logged_turn['turn_index']}") + ".wav"
            write_sound(_piece(channel, turn, part.started_s), into / name)
            yield _item(name, logged_turn)


def _piece(channel: Sound, spoken_turn: SpokenTurn, started_s: float) -> Sound:
    first = max(0, round((spoken_turn.onset_s - started_s - MARGIN_S) * channel.rate_hz))
    last = round((spoken_turn.offset_s - started_s + MARGIN_S) * channel.rate_hz)
    return Sound(np.ascontiguousarray(channel.samples[first:last]), channel.rate_hz)


def _copied(path: Path, into: Path) -> str:
    """The file's name in the folder; it stays what ties a command's transcript to its recording."""
    if path.suffix.lower() in SOUND_TYPES:
        copy_file(path, into / path.name)
        return path.name
    name = f"{path.stem}.wav"
    write_sound(read_sound(path), into / name)
    return name


def _item(audio: str, turn: Row | None = None) -> Row:
    return {
        "audio": audio,
        "dialogue_id": turn["dialogue_id"] if turn else None,
        "turn_index": turn["turn_index"] if turn else None,
        "gold": None,
        "hypothesis": (turn["text"] or None) if turn else None,
    }
