"""Time at which each played item was heard, counted in the samples of its recording."""

from collections import Counter
from typing import NamedTuple


class HeardSpan(NamedTuple):
    """From when to when, in seconds from the first frame of the leg."""

    onset_s: float
    offset_s: float

    @property
    def duration_s(self) -> float:
        return self.offset_s - self.onset_s


class HeardSpans:
    """Sound by name: what waits to be played, and what was heard; nameless sound is not kept."""

    def __init__(self) -> None:
        self._heard: dict[str, HeardSpan] = {}
        self._waiting = Counter[str]()

    def given(self, name: str, samples: int) -> None:
        """So much of it waits to be played."""
        self._waiting[name] += samples

    def played(self, name: str, samples: int, onset_s: float, offset_s: float) -> None:
        """So much of it was heard, and when."""
        self._waiting[name] -= samples
        if name:
            before = self._heard.get(name)
            self._heard[name] = HeardSpan(before.onset_s if before else onset_s, offset_s)

    def hushed(self) -> None:
        """Mark waiting items as never heard."""
        self._waiting.clear()

    def waits(self, name: str) -> bool:
        return self._waiting[name] > 0

    def of(self, name: str) -> HeardSpan | None:
        """Time of playing so far; None: not yet, or never."""
        return self._heard.get(name)
