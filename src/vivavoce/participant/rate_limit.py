"""Rate limits in memory: a sliding window for each key; delays after wrong passwords."""

import time
from collections import OrderedDict, deque
from typing import Final

MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
REMEMBERED: Final = 20_000


class RateLimit:
    """Counts what passes; after `most` within `window_s` seconds the next one does not. In memory."""

    def __init__(self, most: int, window_s: float) -> None:
        self._most, self._window_s = most, window_s
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def passes(self, key: str, now_s: float | None = None) -> bool:
        """Count one more attempt; False if over the limit."""
        now_s = time.monotonic() if now_s is None else now_s
        times = self._times.setdefault(key, deque())
        self._times.move_to_end(key)
        if len(self._times) > REMEMBERED:
            self._times.popitem(last=False)
        while times and times[0] <= now_s - self._window_s:
            times.popleft()
        if len(times) >= self._most:
            return False
        times.append(now_s)
        return True


LONGEST_S: Final = 60.0
FORGOTTEN_S: Final = 3600.0


class Backoff:
    """Some tries are free for each key; after that waits double from a second to a minute.

    A try that is turned away does not count, so nobody's hammering makes the wait longer.
    """

    def __init__(self, free: int) -> None:
        self._free = free
        self._tries: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_s(self, key: str, now_s: float) -> float:
        """Seconds until the next attempt; 0 if allowed now."""
        count, last_s = self._tries.get(key, (0, now_s))
        if count < self._free or now_s - last_s >= FORGOTTEN_S:
            return 0.0
        return max(0.0, last_s + min(2.0 ** min(count - self._free, 10), LONGEST_S) - now_s)

    def tried(self, key: str, now_s: float) -> None:
        count, last_s = self._tries.pop(key, (0, now_s))
        self._tries[key] = (1 if now_s - last_s >= FORGOTTEN_S else count + 1, now_s)
        if len(self._tries) > REMEMBERED:
            self._tries.popitem(last=False)

    def forget(self, key: str) -> None:
        """Forget the attempts of a key."""
        self._tries.pop(key, None)
