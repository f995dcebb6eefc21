"""Responses that are recorded: what a page may send, and many in one recording, cut as their speaker says."""

import io
import wave
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from vivavoce.audio.sound import Sound as Samples
from vivavoce.audio.voice_activity import SpeechInterval, speech_intervals
from vivavoce.log.events import LoggedSegment
from vivavoce.log.recordings import RecordedSound
from vivavoce.steps.base import Message
from vivavoce.steps.stimulus import Rejected
from vivavoce.trial.errors import Refused

MARGIN_S: Final = 2.0  # a page stops at the limit, give or take what its sound card had buffered
PAUSE_S: Final = 0.5
SHORTEST_S: Final = 0.1
BAD_BORDERS: Final = Message(
    "Check the borders: each piece must end after it starts, and you need at least one piece."
)


def sound_of(audio: bytes) -> RecordedSound:
    """Samples of a WAV file as the page records it: PCM, 16 bits, one channel.

    Raises  Refused: `bad_audio` for anything else or for a file that breaks off, `empty` for no sound
    """
    try:
        with wave.open(io.BytesIO(audio)) as file:
            layout = file.getnchannels(), file.getsampwidth()
            rate, frames = file.getframerate(), file.getnframes()
            is_complete = len(file.readframes(frames)) == frames * layout[0] * layout[1]
    except (wave.Error, EOFError, ValueError, OverflowError, RuntimeError) as error:
        raise Refused("bad_audio", str(error)) from None
    if layout != (1, 2) or not 8000 <= rate <= 192_000 or not is_complete:
        raise Refused(
            "bad_audio", f"{layout[0]} channels, {8 * layout[1]} bits, {rate} Hz, whole: {is_complete}"
        )
    if frames == 0:
        raise Refused("empty")
    return RecordedSound("audio/wav", 1, rate, frames)


def proposed(audio: bytes, stimuli: int) -> list[LoggedSegment]:
    """Stretches of speech, up to a maximum number: those with the shortest pauses are joined.

    Empty  nobody speaks: []
    """
    with wave.open(io.BytesIO(audio)) as file:
        samples = Samples.of_pcm(file.readframes(file.getnframes()), file.getframerate())
    intervals: list[SpeechInterval] = speech_intervals(samples, pause_s=PAUSE_S)
    while len(intervals) > stimuli:
        pauses = [later.onset_s - earlier.offset_s for earlier, later in pairwise(intervals)]
        place = pauses.index(min(pauses))
        intervals[place : place + 2] = [
            SpeechInterval(intervals[place].onset_s, intervals[place + 1].offset_s)
        ]
    return [
        LoggedSegment(onset_s=round(interval.onset_s, 3), offset_s=round(interval.offset_s, 3))
        for interval in intervals
    ]


def cut_out(audio: bytes, segment: LoggedSegment) -> bytes:
    """A stretch of a WAV file as a file of its own, to the frame."""
    into = io.BytesIO()
    with wave.open(io.BytesIO(audio)) as file, wave.open(into, "wb") as piece:
        rate = file.getframerate()
        begin, end = round(segment.onset_s * rate), round(segment.offset_s * rate)
        piece.setparams(file.getparams())
        file.setpos(min(begin, file.getnframes()))
        piece.writeframes(file.readframes(max(0, end - begin)))
    return into.getvalue()


def check_borders(segments: Sequence[LoggedSegment | None], stimuli: int, duration_s: float) -> None:
    """Look whether a recording can be cut so, one piece a stimulus; None where nothing was said.

    Raises  Rejected
    """
    present = [segment for segment in segments if segment is not None]
    if len(segments) != stimuli or not present:
        raise Rejected(BAD_BORDERS)
    for marked in present:
        if not 0 <= marked.onset_s <= marked.offset_s - SHORTEST_S or marked.offset_s > duration_s + 0.001:
            raise Rejected(BAD_BORDERS)
