"""What a page sends as a recorded response: WAV, 16 bits, one channel."""

import io
import wave
from typing import Final

from vivavoce.log.recordings import RecordedSound
from vivavoce.trial.errors import Refused

MARGIN_S: Final = 2.0  # a page stops at the limit, give or take what its sound card had buffered


def sound_of(audio: bytes) -> RecordedSound:
    """What a WAV file holds: PCM, 16 bits, one channel, as the page records it.

    Raises  Refused: `bad_audio` for anything else or for a file that breaks off, `empty` for no sound
    """
    try:
        with wave.open(io.BytesIO(audio)) as file:
            layout = file.getnchannels(), file.getsampwidth()
            rate, frames = file.getframerate(), file.getnframes()
            whole = len(file.readframes(frames)) == frames * layout[0] * layout[1]
    except (wave.Error, EOFError, ValueError, OverflowError, RuntimeError) as error:
        raise Refused("bad_audio", str(error)) from None
    if layout != (1, 2) or not 8000 <= rate <= 192_000 or not whole:
        raise Refused("bad_audio", f"{layout[0]} channels, {8 * layout[1]} bits, {rate} Hz, whole: {whole}")
    if frames == 0:
        raise Refused("empty")
    return RecordedSound("audio/wav", 1, rate, frames)
