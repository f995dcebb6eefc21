"""Files of sound: reading, writing and probing WAV and FLAC, always as 16-bit samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, NamedTuple

from vivavoce.audio.sound import Samples, Sound
from vivavoce.core.errors import InputError
from vivavoce.core.extras import later
from vivavoce.core.paths import is_elsewhere, made_here

if TYPE_CHECKING:
    import numpy as np
    import soundfile
    import soxr
    from numpy.typing import NDArray
else:
    np = later("numpy", "speech")
    soundfile = later("soundfile")
    soxr = later("soxr")

Format = Literal["wav", "flac"]

SOUND_TYPES: Final = {".wav": "audio/wav", ".flac": "audio/flac"}
FULL_SCALE: Final = 32768
_FORMATS: Final = {"wav": "WAV", "flac": "FLAC"}
_CURE: Final = "give a WAV or FLAC file"


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Sound of several channels, in a recording of a dialogue a channel for each party.

    samples   16-bit signed, shape (frames, channels)
    rate_hz   frames a second
    """

    samples: Samples
    rate_hz: int

    def __post_init__(self) -> None:
        if self.samples.dtype != np.int16 or self.samples.ndim != 2:
            raise InputError(
                f"samples are {self.samples.dtype}, shape {self.samples.shape}",
                place="Tracks",
                hint="give 16-bit samples of shape (frames, channels); see pcm16()",
            )

    @property
    def channels(self) -> int:
        """Number of channels."""
        return self.samples.shape[1]

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz

    def channel(self, number: int) -> Sound:
        """One channel, 0-based."""
        if not 0 <= number < self.channels:
            raise InputError(f"no channel {number}", place="Tracks", hint=f"it has {self.channels}, from 0")
        return Sound(np.ascontiguousarray(self.samples[:, number]), self.rate_hz)


class SoundFacts(NamedTuple):
    """Header of a sound file, its samples unread."""

    format: str
    rate_hz: int
    channels: int
    frames: int

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.frames / self.rate_hz


def side_by_side(*sounds: Sound) -> Tracks:
    """Sounds that begin together, a channel each; shorter ones are filled up with silence.

    Raises  InputError: none, or of several rates
    """
    if len({sound.rate_hz for sound in sounds}) != 1:
        rates = sorted({sound.rate_hz for sound in sounds})
        raise InputError(
            f"rates {rates}", place="side_by_side", hint="give sounds of one rate; see Sound.at()"
        )
    joined = np.zeros((max(len(sound.samples) for sound in sounds), len(sounds)), np.int16)
    for number, sound in enumerate(sounds):
        joined[: len(sound.samples), number] = sound.samples
    return Tracks(joined, sounds[0].rate_hz)


def read_tracks(source: Path | bytes, *, place: str = "") -> Tracks:
    """Read a WAV or FLAC file, or the bytes of one.

    Output  16-bit samples, whatever the file holds
    Empty   a WAV file without samples gives no frames; a FLAC file needs some
    Raises  InputError: no such file, or no sound that can be read
    """
    with _opened(source, place) as file:
        try:
            if file.subtype in ("FLOAT", "DOUBLE"):  # the library would cut these to whole numbers, unscaled
                values = np.asarray(file.read(dtype="float32", always_2d=True), np.float32)
                return Tracks(pcm16(values), file.samplerate)
            samples = file.read(dtype="int16", always_2d=True)
            return Tracks(samples.astype(np.int16, copy=False), file.samplerate)
        except soundfile.LibsndfileError as error:
            raise _unreadable(error, _place(source, place)) from error


def blocks_of(path: Path, frames: int) -> Iterator[Samples]:
    """A file's samples in blocks of shape (frames, channels), the last one shorter, never all in memory.

    Raises  InputError: no such file, or no sound that can be read
    """
    with _opened(path, "") as file:
        as_integers = file.subtype not in ("FLOAT", "DOUBLE")  # as in read_tracks
        try:
            for block in file.blocks(frames, dtype="int16" if as_integers else "float32", always_2d=True):
                yield (
                    block.astype(np.int16, copy=False)
                    if as_integers
                    else pcm16(np.asarray(block, np.float32))
                )
        except soundfile.LibsndfileError as error:
            raise _unreadable(error, str(path)) from error


def read_sound(source: Path | bytes, *, place: str = "") -> Sound:
    """Read a file as one channel, the mean of those that it has.

    Raises  InputError: no such file, or no sound that can be read
    """
    tracks = read_tracks(source, place=place)
    return Sound(np.rint(tracks.samples.mean(axis=1)).astype(np.int16), tracks.rate_hz)


def probe_sound(source: Path | bytes, *, place: str = "") -> SoundFacts:
    """Format, rate, channels and length of a sound file, without reading its samples.

    Raises  InputError: no such file, or no sound that can be read
    """
    with _opened(source, place) as file:
        return SoundFacts(file.format, file.samplerate, file.channels, file.frames)


def write_sound(sound: Sound | Tracks, path: Path) -> None:
    """Write 16-bit WAV or FLAC, by the file's suffix.

    Raises  InputError: another suffix
    """
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in _FORMATS:
        raise InputError(f"cannot write {path.suffix!r}", place=str(path), hint="name it .wav or .flac")
    with made_here(path) as local, local.open("wb") as file:  # its head is written last
        _write(sound, file, _FORMATS[suffix])


def encode_sound(sound: Sound | Tracks, kind: Format = "wav") -> bytes:
    """The bytes of a 16-bit WAV or FLAC file."""
    buffer = BytesIO()
    _write(sound, buffer, _FORMATS[kind])
    return buffer.getvalue()


def pcm16(values: NDArray[np.floating]) -> Samples:
    """Values from -1 to 1 as 16-bit samples; what is louder is clipped."""
    return np.clip(np.rint(values * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def as_float(samples: Samples) -> NDArray[np.float32]:
    """16-bit samples as values from -1 to 1."""
    return samples.astype(np.float32) / np.float32(FULL_SCALE)


class StreamResampler:
    """Changes the rate of one channel that arrives piece by piece."""

    def __init__(self, rate_hz: int, wanted_hz: int) -> None:
        self._stream = None if rate_hz == wanted_hz else soxr.ResampleStream(rate_hz, wanted_hz, 1, "int16")

    def feed(self, samples: Samples, *, last: bool = False) -> Samples:
        """Return the output so far; a few milliseconds stay inside until the last piece."""
        return samples if self._stream is None else self._stream.resample_chunk(samples, last=last)


def _opened(source: Path | bytes, place: str) -> soundfile.SoundFile:
    where = _place(source, place)
    if not isinstance(source, bytes):
        if not source.is_file():
            raise InputError("no such sound file", place=where, hint=_CURE)
        if is_elsewhere(source):
            source = source.read_bytes()
    try:
        return soundfile.SoundFile(BytesIO(source) if isinstance(source, bytes) else str(source))
    except soundfile.LibsndfileError as error:
        raise _unreadable(error, where) from error


def _place(source: Path | bytes, place: str) -> str:
    return place or ("" if isinstance(source, bytes) else str(source))


def _unreadable(error: soundfile.LibsndfileError, place: str) -> InputError:
    return InputError(f"cannot be read as sound ({error.error_string.rstrip('.')})", place=place, hint=_CURE)


def _write(sound: Sound | Tracks, file: BinaryIO, kind: str) -> None:
    soundfile.write(file, sound.samples, sound.rate_hz, subtype="PCM_16", format=kind)
