"""One telephone call as the rest of the platform sees it, whatever carries it.

Sound goes both ways in frames of 20 ms at 8 kHz, on the beat of one clock for all calls. On each beat a frame
goes out, what the caller sent is taken in, and both are kept side by side: so the two channels of the
recording stay together, and what the network lost is silence of the right length.
"""

import asyncio
import time
from collections import deque
from typing import Final, Literal, NamedTuple

import numpy as np

from vivavoce.audio.files import Tracks
from vivavoce.audio.sound import Samples, Sound
from vivavoce_speech.dialogue.playout_spans import HeardSpans
from vivavoce_speech.telephony.dtmf import key_sound

RATE_HZ: Final = 8000
FRAME_S: Final = 0.02
FRAME: Final = 160
WAITING_FRAMES: Final = 10  # where more of the caller's frames wait for long, the oldest are dropped
WATCHED_S: Final = 5.0  # how long that is
MOST_WAITING: Final = 500  # more than so many do not wait at all
_SILENCE: Final = np.zeros(FRAME, np.int16)
_SILENCE.setflags(write=False)

HungUpBy = Literal["caller", "platform", "failure"]


class CallInput(NamedTuple):
    """Input from the caller: a frame of sound, a key, or the end of the call.

    at_s  where a frame ends in the recording of the call
    """

    kind: Literal["sound", "key", "end"]
    samples: Samples = _SILENCE
    key: str = ""
    at_s: float = 0.0


class PhoneLeg:
    """A call; an adapter feeds it with `take_sound`, `take_key` and `ended`, and sends what `beat` gives out.

    call_id    ours, random; caller_id: who calls, as the network says; called: the number that was dialled
    live       what is played comes frame by frame from another call
    """

    def __init__(self, call_id: str, caller_id: str, called: str, adapter: str) -> None:
        self.call_id, self.caller_id, self.called, self.adapter = call_id, caller_id, called, adapter
        self.over = asyncio.Event()
        self.ended_by: HungUpBy | None = None
        self.keys = ""
        self.live = False
        self.dropped_frames = 0
        self._heard: asyncio.Queue[CallInput] = asyncio.Queue()
        self._coming: deque[Samples] = deque()
        self._fewest_coming, self._watched_since_s = 0, time.monotonic()
        self._partial = np.zeros(0, np.int16)
        self._going: deque[tuple[Samples, str]] = deque()
        self.spans = HeardSpans()
        self._recorded: list[tuple[Samples, Samples]] = []
        self._played = asyncio.Event()
        self._played.set()

    # --- for who talks with the caller ----------------------------------------------------------------

    async def hear(self) -> CallInput:
        """The next thing that comes from the caller; after the end of the call always its end."""
        if self.over.is_set() and self._heard.empty():
            return CallInput("end")
        return await self._heard.get()

    def play(self, sound: Sound, name: str = "") -> None:
        """Play a sound after what is being played; `spans` says by its name when it was heard."""
        samples = sound.at(RATE_HZ).samples
        padded = np.pad(samples, (0, -len(samples) % FRAME))
        if len(padded) and not self.over.is_set():
            self._going.extend((frame, name) for frame in padded.reshape(-1, FRAME))
            self.spans.given(name, len(padded))
            self._played.clear()

    def stop_playing(self) -> bool:
        """Fall silent at once; whether anything was being played."""
        was = bool(self._going)
        self._going.clear()
        self.spans.hushed()
        self._played.set()
        return was

    @property
    def playing(self) -> bool:
        return bool(self._going)

    @property
    def waiting_s(self) -> float:
        """Seconds of sound that wait to be played."""
        return len(self._going) * FRAME_S

    async def played(self) -> None:
        """Wait until everything was played, or the call is over."""
        await self._played.wait()

    def press(self, keys: str) -> None:
        """Press keys, each after what is being played; a comma waits a second."""
        for key in keys:
            self.play(Sound(key_sound(key), RATE_HZ))

    @property
    def seconds(self) -> float:
        """Length of the call, in seconds of its frames."""
        return len(self._recorded) * FRAME_S

    def recording(self) -> Tracks:
        """Channel 0 what the caller heard, channel 1 what the caller said."""
        frames = [np.stack(pair, axis=1) for pair in self._recorded]
        samples = np.concatenate(frames) if frames else np.zeros((0, 2), np.int16)
        return Tracks(samples, RATE_HZ)

    async def hang_up(self) -> None:
        """End the call from our side; nothing happens where it is over."""
        if not self.over.is_set():
            self.ended("platform")
            await self.disconnect()

    async def disconnect(self) -> None:
        """End the call in the network (implemented by adapters)."""

    # --- for adapters ---------------------------------------------------------------------------------

    def take_sound(self, samples: Samples) -> None:
        """Sound from the caller, in pieces of any length."""
        if len(self._partial) or len(samples) != FRAME:
            samples = np.concatenate([self._partial, samples])
            full_frames = len(samples) // FRAME * FRAME
            self._partial = samples[full_frames:]
            self._coming.extend(samples[:full_frames].reshape(-1, FRAME))
        else:
            self._coming.append(samples)
        self._drop(len(self._coming) - MOST_WAITING)

    def take_key(self, key: str) -> None:
        self.keys += key
        self._heard.put_nowait(CallInput("key", key=key))

    def ended(self, by: HungUpBy) -> None:
        """The call is over; the first to say so is believed."""
        if self.over.is_set():
            return
        self.ended_by = by
        self.over.set()
        self.stop_playing()
        self._heard.put_nowait(CallInput("end"))

    def beat(self) -> Samples:
        """One frame to send; takes one frame of the caller's in, silence where none has come.

        Note  a call that is over is not recorded further, however long its recording takes to be kept
        """
        if self.over.is_set():
            return _SILENCE
        going, name = self._going.popleft() if self._going else (_SILENCE, None)
        if name is not None:
            self.spans.played(name, FRAME, self.seconds, self.seconds + FRAME_S)
        if not self._going:
            self._played.set()
        self._watch_the_waiting()
        coming = self._coming.popleft() if self._coming else _SILENCE
        self._recorded.append((going, coming))
        self._heard.put_nowait(CallInput("sound", coming, at_s=self.seconds))
        return going

    def _watch_the_waiting(self) -> None:
        """Drop what waits all the time, as after a drift of clocks.

        After a moment in which the machine was busy many frames come at once, and as many beats are made up
        for; they are not dropped.
        """
        self._fewest_coming = min(self._fewest_coming, len(self._coming))
        now_s = time.monotonic()
        if now_s - self._watched_since_s >= WATCHED_S:
            self._drop(self._fewest_coming - WAITING_FRAMES)
            self._fewest_coming, self._watched_since_s = len(self._coming), now_s

    def _drop(self, frames: int) -> None:
        for _ in range(frames):
            self._coming.popleft()
            self.dropped_frames += 1
