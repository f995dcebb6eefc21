"""Time as a port: UTC instants for people, a monotonic clock for durations."""

import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol


class Clock(Protocol):
    """Clock of the rooms."""

    def now(self) -> datetime:
        """The instant, in UTC. Only for people; never subtract two of these."""
        ...

    def monotonic_s(self) -> float:
        """Seconds on a clock that never steps back; comparable within one process run."""
        ...


class SystemClock:
    """The machine's own clocks."""

    now = staticmethod(partial(datetime.now, UTC))
    monotonic_s = staticmethod(time.monotonic)


class ManualClock:
    """A clock that stands still until told, for tests and simulation."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now, self._monotonic_s = start, 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic_s(self) -> float:
        return self._monotonic_s

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic_s += seconds

    def step_wall(self, seconds: float) -> None:
        """Move the wall clock only, as an administrator or daylight saving would."""
        self._now += timedelta(seconds=seconds)
