"""Recordings of a dialogue: which exist, their waveforms, and the speech intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import structlog

from vivavoce.audio.files import read_tracks
from vivavoce.audio.turns import Party, speech_of
from vivavoce.audio.voice_activity import SpeechInterval
from vivavoce.audio.waveform import Waveform, waveform
from vivavoce.log.dialogue_rows import logged_dialogue
from vivavoce.log.encryption import Altered, WrongKey
from vivavoce.log.queries import Reader
from vivavoce.log.recordings import RecordingFolder

Row = dict[str, Any]
PARTIES: Final = ("user", "system")
LONGEST_S: Final = 3600.0  # in longer ones speech is not looked for: all samples are in memory for that
KEPT: Final = 32
_report = structlog.get_logger("vivavoce.log")


@dataclass(frozen=True, slots=True)
class DialogueRecording:
    """A recording of a dialogue, or of one turn of it, that is on disk.

    speakers    who is heard on each channel; () where nobody said
    started_s   seconds from the opening of the dialogue to the first frame, 0 where nobody measured
    on_clock    whether somebody measured it
    clips       of how many clips it was laid out, None where it was recorded as it is; placed: untimed ones
    """

    recording_id: str
    path: Path
    media_type: str
    turn_index: int | None = None
    speakers: tuple[Party, ...] = ()
    started_s: float = 0.0
    clips: int | None = None
    placed: int = 0
    on_clock: bool = False


def dialogue_recordings(log: Reader, dialogue_id: str) -> list[DialogueRecording]:
    """The recordings of a dialogue in the order in which they were stored.

    Note    removed ones are left out; so are locked ones that do not open, which is reported
    """
    folder: Path | None = getattr(log, "recording_folder", None)
    recordings: list[DialogueRecording] = []
    for recording in log.recordings(dialogue_id=dialogue_id) if folder is not None else ():
        if recording.removed_at is not None or recording.content not in ("dialogue", "turn"):
            continue
        try:
            path = RecordingFolder(cast(Path, folder)).file(recording.file)
        except LookupError:
            continue
        except (WrongKey, Altered) as error:
            _report.error("recording_not_opened", problem=str(error))
            continue
        recordings.append(
            DialogueRecording(
                recording.recording_id,
                path,
                recording.media_type,
                recording.turn_index if recording.content == "turn" else None,
                tuple(recording.speakers),
                recording.started_s or 0.0,
                recording.clips,
                recording.clips_placed or 0,
                recording.started_s is not None,
            )
        )
    return recordings


def soundtrack(log: Reader, dialogue_id: str, recording: DialogueRecording) -> dict[str, Any]:
    """Waveform and turns of a recording, ready for JSON; times in seconds from its first frame.

    Output  duration_s; channels: speaker (or null) and peaks, 32768 is full scale; turns: party, onset_s,
            offset_s, turn_index and text of the turn in the log, null where the log has no such turn
    Note    where each party has a channel, the sound says who spoke when; else the log does, and turns of
            which it does not know both ends are left out
    Raises  InputError: the recording cannot be read as sound
    """
    facts = recording.path.stat()
    waveforms, speech = _heard(recording.path, facts.st_mtime_ns, recording.speakers)
    logged, utterances = _logged_turns(log, dialogue_id)
    if speech is not None:
        turns = _of_sound(speech, logged, utterances if recording.on_clock else (), recording.started_s)
    else:
        turns = _of_log(recording, logged, waveforms.duration_s)
    names = (
        recording.speakers
        if len(recording.speakers) == len(waveforms.peaks)
        else (None,) * len(waveforms.peaks)
    )
    return {
        "duration_s": waveforms.duration_s,
        "turns": turns,
        "channels": [
            {"speaker": name, "peaks": peaks} for name, peaks in zip(names, waveforms.peaks, strict=True)
        ],
    }


@lru_cache(maxsize=KEPT)
def _heard(
    path: Path, changed_ns: int, speakers: tuple[Party, ...]
) -> tuple[Waveform, dict[Party, list[SpeechInterval]] | None]:
    """The picture, and who speaks when where a channel for each party tells it."""
    waveforms = waveform(path)
    if (
        set(speakers) != set(PARTIES)
        or len(waveforms.peaks) != len(speakers)
        or waveforms.duration_s > LONGEST_S
    ):
        return waveforms, None
    return waveforms, speech_of(read_tracks(path), speakers)


def _logged_turns(log: Reader, dialogue_id: str) -> tuple[list[Row], list[Row]]:
    """The rows of the dialogue's turns, and of its utterances."""
    rows = logged_dialogue(log, dialogue_id)
    if rows is None:
        return [], []
    return sorted(rows.turns, key=lambda row: row["turn_index"]), rows.utterances


def _of_sound(
    speech: dict[Party, list[SpeechInterval]],
    logged: Sequence[Row],
    utterances: Sequence[Row],
    started_s: float,
) -> list[Row]:
    from vivavoce.dataset.timing import match_turns

    later: dict[Party, list[SpeechInterval]] = {
        party: [
            SpeechInterval(stretch.onset_s + started_s, stretch.offset_s + started_s) for stretch in stretches
        ]
        for party, stretches in speech.items()
    }  # on the clock of the log
    matched = match_turns(logged, utterances, later)
    rows = {row["turn_index"]: row for row in logged}
    spoken = [(utterance, rows[index]) for index, utterance in matched.turns.items()] + [
        (utterance, None) for utterance in matched.others
    ]
    spoken.sort(key=lambda pair: pair[0].onset_s)
    return [
        _span(utterance.party, utterance.onset_s - started_s, utterance.offset_s - started_s, row)
        for utterance, row in spoken
    ]


def _of_log(recording: DialogueRecording, logged: Sequence[Row], duration_s: float) -> list[Row]:
    if recording.turn_index is not None:
        recorded_turns = (turn for turn in logged if turn["turn_index"] == recording.turn_index)
        return [_span(turn["party"], 0.0, duration_s, turn) for turn in recorded_turns]
    spans: list[Row] = []
    for logged_turn in logged:
        if logged_turn.get("onset_s") is None or logged_turn.get("offset_s") is None:
            continue
        onset_s, offset_s = (logged_turn[name] - recording.started_s for name in ("onset_s", "offset_s"))
        if offset_s > 0 and onset_s < duration_s:
            spans.append(
                _span(logged_turn["party"], max(0.0, onset_s), min(duration_s, offset_s), logged_turn)
            )
    return spans


def _span(party: str, onset_s: float, offset_s: float, turn: Row | None) -> Row:
    return {
        "party": party,
        "onset_s": round(float(onset_s), 3),
        "offset_s": round(float(offset_s), 3),
        "turn_index": turn["turn_index"] if turn else None,
        "text": turn["text"] if turn else None,
    }
