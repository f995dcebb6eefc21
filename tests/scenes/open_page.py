"""The page of an open microphone without a browser: it plays what it is sent and speaks frame by frame."""

import struct
from typing import Any

import numpy as np

from vivavoce_speech.browser.browser_leg import FRAME

SILENCE = np.zeros(FRAME, np.int16)


class Page:
    """One connection: a `Line` on the service's side, `frame` on the participant's."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.number = self.position = self.stalled_ms = 0
        self.waiting = np.zeros(0, np.int16)
        self.played: list[np.ndarray] = []

    # --- what the service does ---------------------------------------------------------------------------

    def post_sound(self, position: int, pcm: bytes) -> None:
        assert position == self.position + len(self.waiting), "sound was left out, or came twice"
        self.waiting = np.concatenate([self.waiting, np.frombuffer(pcm, "<i2")])

    def post(self, kind: str, **facts: object) -> None:
        self.told.append((kind, facts))
        if kind in ("hello", "stop"):
            self.waiting, self.position = np.zeros(0, np.int16), int(facts["position"])  # type: ignore[call-overload]

    def drop_sound(self) -> None: ...

    # --- what the page does ------------------------------------------------------------------------------

    def frame(self, said: np.ndarray = SILENCE) -> bytes:
        """The next frame of the microphone; meanwhile the page plays on."""
        start = self.position
        self._play()
        self.number += 1
        at_ms = 20 * self.number + self.stalled_ms
        head = struct.pack("<IIII", self.number - 1, start, self.position, at_ms)
        return head + said.astype("<i2").tobytes()

    def _play(self) -> None:
        now, self.waiting = self.waiting[:FRAME], self.waiting[FRAME:]
        self.position += len(now)
        self.played.append(now)

    def lose(self, frames: int) -> None:
        """Frames that never arrive."""
        for _ in range(frames):
            self._play()
            self.number += 1

    def stall(self, milliseconds: int) -> None:
        """The sound card runs on, and the page gets nothing of it."""
        self.stalled_ms += milliseconds

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.told]


def frames_of(samples: np.ndarray) -> list[np.ndarray]:
    """Sound in frames of a microphone, the last one filled up."""
    padded = np.pad(samples, (0, -len(samples) % FRAME))
    return list(padded.reshape(-1, FRAME))
