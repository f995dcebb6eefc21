"""Sound that a microphone never gave: frames that come late, and stay late.

A page may hand its frames over late and make up for it at once; then nothing is missing. Where a busy machine
or a sleeping tab lets the sound card run on without it, every later frame is late by what was lost.
"""

from typing import Final, Generic, NamedTuple, TypeVar

FRAME_MS: Final = 20
USUAL_MS: Final = 60  # lateness that says nothing: sound cards hand over several frames at once
WATCHED_MS: Final = 500  # so long a frame must be late, and all after it, before it counts as a gap

Frame = TypeVar("Frame")


class PlacedFrame(NamedTuple, Generic[Frame]):
    """A frame, and how many are missing before it."""

    missing: int
    frame: Frame


class Lateness(Generic[Frame]):
    """The frames of one connection in their order; late ones are held until it is known why.

    filled  frames that were missing so far
    """

    def __init__(self) -> None:
        self.filled = 0
        self._least_ms = 0
        self._base_ms: int | None = None
        self._held: list[Frame] = []
        self._held_since_ms = 0

    def take(self, frame: Frame, number: int, at_ms: int, most: int) -> list[PlacedFrame[Frame]]:
        """The frames of which it is known by now where they lie.

        number  of the frame, from 0, those included that were lost on their way
        at_ms   when it was full, on the page's clock
        most    so many can be missing at most, by our own clock; a page's clock may be set anew
        """
        shown_ms = at_ms - FRAME_MS * (number + 1 + self.filled)
        if self._base_ms is None or shown_ms < self._base_ms:
            self._base_ms = shown_ms
        late_ms = shown_ms - self._base_ms
        if late_ms <= USUAL_MS:
            return [*self._release(0), PlacedFrame(0, frame)]
        if not self._held:
            self._held_since_ms, self._least_ms = at_ms, late_ms
        self._held.append(frame)
        self._least_ms = min(self._least_ms, late_ms)
        return self.end(most) if at_ms - self._held_since_ms >= WATCHED_MS else []

    def end(self, most: int) -> list[PlacedFrame[Frame]]:
        """What is still held: late until the end. Empty: nothing is held"""
        if not self._held or self._base_ms is None:
            return []
        missing = max(0, min(self._least_ms // FRAME_MS, most))
        self._base_ms += self._least_ms - FRAME_MS * missing
        self.filled += missing
        return self._release(missing)

    def _release(self, missing: int) -> list[PlacedFrame[Frame]]:
        held, self._held = self._held, []
        return [PlacedFrame(0 if number else missing, frame) for number, frame in enumerate(held)]
