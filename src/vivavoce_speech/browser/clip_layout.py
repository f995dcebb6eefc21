"""Dialogues by voice in which people press to speak: clips laid out as one recording, a party a channel.

What was recorded are the turns, each by itself. Where the page said when a clip began, it lies there; else
it lies where the sound was offered, or so that it ends when it arrived. Between clips nothing was recorded:
silence there is by construction.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import exists, or_, select

from vivavoce.audio.degradation import Degradation, damaged
from vivavoce.audio.files import read_sound
from vivavoce.audio.sound import Sound as Spoken
from vivavoce.core.extras import later
from vivavoce.log.history import DialogueHistory
from vivavoce.log.microphone_events import MicrophoneOpened
from vivavoce.log.playback_events import SoundDamaged, SoundOffered, SoundPlayed
from vivavoce.log.queries import Reader
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import RecordedSound, RecordingFolder
from vivavoce.log.tables import dialogues, recordings
from vivavoce_speech.browser.time_line import PlacedClip, beginning_s, merge_clips

if TYPE_CHECKING:
    import soundfile
else:
    soundfile = later("soundfile")

RATE_HZ: Final = 16_000
CHANNELS: Final = 2
SYSTEM, USER = 0, 1
LONGEST_S: Final = 4 * 3600.0


class Laid(NamedTuple):
    """Position of a clip.

    length_s  what was heard of it; None: all
    timed     the page said when it began
    damaged   what happened to it before it was heard; None: nothing
    """

    recording_id: str
    channel: int
    start_s: float
    length_s: float | None
    timed: bool
    damaged: SoundDamaged | None = None


def recording_id_of(dialogue_id: str) -> str:
    """The key of the recording that a dialogue's clips become; always the same."""
    return "recording-" + sha256(f"laid out {dialogue_id}".encode()).hexdigest()[:16]


def waiting(log: Reader, study: str, before: datetime) -> list[tuple[str, str]]:
    """Visit and key of the dialogues by voice that ended before and have clips, but no recording of them.

    Note  one of whose clips was removed is left out: half a dialogue would look like a whole one
    """
    of_it = recordings.c.dialogue_id == dialogues.c.dialogue_id
    turns = exists().where(of_it, recordings.c.content == "turn")
    mixed = exists().where(of_it, recordings.c.clips.is_not(None))
    gone = exists().where(of_it, recordings.c.removed_at.is_not(None))
    statement = select(dialogues.c.visit_id, dialogues.c.dialogue_id).where(
        dialogues.c.study == study,
        dialogues.c.channel == "voice",
        dialogues.c.status != "running",
        or_(dialogues.c.ended_at.is_(None), dialogues.c.ended_at <= before),
        turns,
        ~mixed,
        ~gone,
    )
    with log.reading() as connection:
        return [(row[0], row[1]) for row in connection.execute(statement.order_by(dialogues.c.position))]


def layout(dialogue: DialogueHistory) -> list[Laid]:
    """Positions of a dialogue's clips.

    Empty   nobody spoke into a clip, or it was held before pages told times: []
    """
    if dialogue.opened is None:
        return []
    open_microphone = bool(dialogue.of(MicrophoneOpened))
    laids: list[Laid] = []
    for stored in dialogue.events:
        event = stored.event
        if isinstance(event, RecordingStored) and event.content == "turn" and event.speakers == ["user"]:
            if event.started_s is not None:
                laids.append(Laid(event.recording_id, USER, event.started_s, None, True))
            elif not open_microphone and (came_s := dialogue.elapsed_s(stored)) is not None:
                start_s = max(0.0, came_s - event.duration_s)
                laids.append(Laid(event.recording_id, USER, start_s, None, False))
    system_clips = _heard(dialogue)
    return laids + system_clips if laids and (system_clips or any(laid.timed for laid in laids)) else []


def _heard(dialogue: DialogueHistory) -> list[Laid]:
    """Played sounds of the page, each time; sounds without a report lie where they were offered."""
    played: dict[int, list[SoundPlayed]] = {}
    for sound in dialogue.of(SoundPlayed):
        played.setdefault(sound.turn_index, []).append(sound)
    damage = {degraded.turn_index: degraded for degraded in dialogue.of(SoundDamaged)}
    laids: list[Laid] = []
    for offered in dialogue.of(SoundOffered):
        times, how = played.get(offered.turn_index), damage.get(offered.turn_index)
        if times is None:
            laids.append(Laid(offered.recording_id, SYSTEM, offered.at_s, None, False, how))
        for sound in times or ():
            laids.append(Laid(offered.recording_id, SYSTEM, sound.started_s, sound.played_s, True, how))
    return laids


def written(
    folder: RecordingFolder, dialogue_id: str, clips: Sequence[Laid], files: Mapping[str, str]
) -> RecordingStored | None:
    """Lay the clips out and put the recording on disk; the event that makes it visible.

    files   file of each recording
    Empty   no sound in them, or they lie hours apart: None
    Raises  LookupError: a clip is gone; InputError: one cannot be read; the recording
            cannot be written
    """
    sounds = {
        clip.recording_id: _as_heard(read_sound(folder.file(files.get(clip.recording_id, ""))), clip.damaged)
        for clip in clips
    }
    parts = [
        PlacedClip(_cut(sounds[clip.recording_id], clip.length_s), clip.channel, clip.start_s)
        for clip in clips
    ]
    parts = [part for part in parts if len(part.sound.samples)]
    if not parts or max(part.start_s for part in parts) - beginning_s(parts) > LONGEST_S:
        return None
    encoded, frames = BytesIO(), 0
    with soundfile.SoundFile(
        encoded, "w", samplerate=RATE_HZ, channels=CHANNELS, subtype="PCM_16", format="FLAC"
    ) as flac:
        for block in merge_clips(parts, CHANNELS, RATE_HZ):
            flac.write(block)
            frames += len(block)
    recording_id = recording_id_of(dialogue_id)
    stored = folder.keep(recording_id, encoded.getvalue(), "audio/flac")
    return stored.event(
        recording_id,
        RecordedSound("audio/flac", CHANNELS, RATE_HZ, frames),
        "dialogue",
        ["system", "user"],
        dialogue_id=dialogue_id,
        started_s=round(beginning_s(parts), 3),
        clips=len(clips),
        clips_placed=sum(not clip.timed for clip in clips),
    )


def _as_heard(sound: Spoken, how: SoundDamaged | None) -> Spoken:
    """The clip as it was damaged for who heard it: the same draw again."""
    return sound if how is None else damaged(sound, Degradation.model_validate(how.damage), how.drawn).sound


def _cut(sound: Spoken, length_s: float | None) -> Spoken:
    if length_s is None:
        return sound
    return Spoken(sound.samples[: round(length_s * sound.rate_hz)], sound.rate_hz)
