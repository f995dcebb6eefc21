"""Events of recordings: an audio file lies beside the log, or was removed and left only these two facts."""

from typing import Literal

from vivavoce.log.event import Event

Content = Literal["command", "commands", "response", "responses", "dialogue", "turn", "check"]
Speaker = Literal["user", "system"]
Removal = Literal["redone", "withdrawal", "erasure", "retention"]


class RecordingStored(Event):
    """A whole audio file is on disk; its name, hash and length never change.

    content    command, or response to another stimulus: one; commands, responses: many in a row;
               dialogue: all of it; turn: one; check: of the microphone
    speakers   who is heard on each channel, in the channels' order
    step       of the visit; position: of the stimulus in that step
    started_s  seconds from the opening of the dialogue to the first frame
    clips      of how many clips it was laid out; null: it was recorded as it is
    clips_placed  so many of them lie where they were offered or arrived, for nobody told when they were heard
    """

    kind = "recording_stored"
    recording_id: str
    file: str
    sha256: str
    byte_count: int
    media_type: str
    content: Content
    speakers: list[Speaker]
    sample_rate_hz: int
    frames: int
    duration_s: float
    step: int | None = None
    position: int | None = None
    dialogue_id: str | None = None
    turn_index: int | None = None
    started_s: float | None = None
    microphone_distance_m: float | None = None
    clips: int | None = None
    clips_placed: int | None = None


class RecordingRemoved(Event):
    """The file of a recording was deleted; what is left of it is this tombstone."""

    kind = "recording_removed"
    recording_id: str
    reason: Removal
