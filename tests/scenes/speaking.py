"""A system that listens and speaks by itself, and a leg on which a test speaks faster than people do."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import numpy as np

from scenes.voices import voice
from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Samples, Sound
from vivavoce.connectors.base import Audio, Capabilities, Conversation, Heard, SystemOutput, UserTurn
from vivavoce_speech.telephony.leg import FRAME, PhoneLeg

BEAT_S = 0.001  # in which 20 ms pass
SPEECH = Sound(pcm16(voice("Hello, this is a test of speech.", "rms")), 16_000)


def tone(hertz: float, seconds: float, rate_hz: int = 24_000) -> Sound:
    """A tone that nobody takes for speech of the platform's."""
    at = np.arange(round(seconds * rate_hz)) / rate_hz
    return Sound(pcm16(0.5 * np.sin(2 * np.pi * hertz * at)), rate_hz)


def loudness_at(sound: Sound, hertz: float) -> float:
    """Seconds of our tone of this frequency that the sound holds, by correlation in windows of 20 ms."""
    window = sound.rate_hz // 50
    whole = sound.samples[: len(sound.samples) // window * window].reshape(-1, window) / 32768
    wave = np.exp(-2j * np.pi * hertz * np.arange(window) / sound.rate_hz)
    return float(np.sum(np.abs(whole @ wave)) * 2 / sound.rate_hz / 0.5)


def likeness(one: Sound, other: Sound) -> float:
    """How alike two sounds are where the shorter lies best in the other: 1 for the same, 0 for unlike."""
    needle, hay = sorted((sound.at(8000).samples.astype(float) for sound in (one, other)), key=len)
    size = len(needle) + len(hay)
    found = np.fft.irfft(np.fft.rfft(hay, size) * np.conj(np.fft.rfft(needle, size)), size)
    place = int(np.argmax(found[: len(hay) - len(needle) + 1]))
    there = hay[place : place + len(needle)]
    return float(found[place] / (np.linalg.norm(needle) * np.linalg.norm(there) + 1e-9))


# other sentences of the tests reach 0.56 at most, the same one 0.84 where a busy machine loses packets
SAME_WORDS = 0.7


def same_words(one: Sound, other: Sound) -> float:
    """The correlation of two sounds' spectra where the shorter fits best; codecs hardly matter to it."""
    needle, hay = sorted((_spectra(sound) for sound in (one, other)), key=len)
    places = range(len(hay) - len(needle) + 1)
    return max(
        float(np.corrcoef(needle.ravel(), hay[place : place + len(needle)].ravel())[0, 1]) for place in places
    )


def _spectra(sound: Sound) -> np.ndarray:
    samples = sound.at(8000).samples.astype(float)
    frames = np.lib.stride_tricks.sliding_window_view(samples, 240)[::80] * np.hanning(240)
    return np.log(np.abs(np.fft.rfft(frames, axis=1)) + 100)


class Singer:
    """Answers every turn with a tone of `hertz`; a `gate` holds back all but its first piece."""

    def __init__(
        self, *, rate_hz: int = 16_000, hertz: float = 440.0, seconds: float = 0.6, **more: object
    ) -> None:
        facts: dict[str, object] = {"audio": True, "audio_rate_hz": rate_hz, "memory": "caller", **more}
        self.capabilities = Capabilities(**facts)  # pyright: ignore[reportArgumentType]
        self.answer = tone(hertz, seconds)
        self.words, self.heard = "", ""
        self.sent: list[UserTurn] = []
        self.interrupted: list[float] = []
        self.gate: asyncio.Event | None = None

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="message", text="Hello.")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.sent.append(turn)
        pcm, half = self.answer.pcm, len(self.answer.pcm) // 4 * 2
        yield SystemOutput(kind="audio", audio=Audio(pcm[:half], self.answer.rate_hz))
        if self.gate is not None:
            await self.gate.wait()
        if not self.interrupted:
            yield SystemOutput(kind="audio", audio=Audio(pcm[half:], self.answer.rate_hz))
        if self.words:
            yield SystemOutput(kind="message", text=self.words)
        if self.heard:
            yield SystemOutput(kind="extras", heard=(Heard(self.heard, 0.9),))

    async def interrupt(self, conversation: Conversation, played_s: float) -> None:
        self.interrupted.append(played_s)
        if self.gate is not None:
            self.gate.set()

    async def reset(self, conversation: Conversation) -> None: ...
    async def close(self, conversation: Conversation) -> None: ...
    async def shut_down(self) -> None: ...


class FastLeg(PhoneLeg):
    """A leg whose clock runs faster, and into which a test speaks.

    may_play  while this is false it stands still instead of playing: its clock is faster than disks are
    """

    def __init__(self) -> None:
        super().__init__("call-1", "555", "100", "test")
        self.may_play: Callable[[], bool] = lambda: True
        self._speech: deque[Samples] = deque()
        self._beating = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        while not self.over.is_set():
            if not self.playing or self.may_play():
                if self._speech:
                    self.take_sound(self._speech.popleft())
                self.beat()
            await asyncio.sleep(BEAT_S)

    def speak(self, sound: Sound = SPEECH) -> None:
        samples = sound.at(8000).samples
        self._speech.extend(samples[at : at + FRAME] for at in range(0, len(samples), FRAME))

    @property
    def speaking(self) -> bool:
        return bool(self._speech)

    async def stop(self) -> None:
        self._beating.cancel()
        with suppress(asyncio.CancelledError):
            await self._beating
