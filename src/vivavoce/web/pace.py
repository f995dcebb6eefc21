"""How often one may do something: a sliding window for each key, in memory."""

import time
from collections import OrderedDict, deque
from typing import Final

MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
REMEMBERED: Final = 20_000


class Pace:
    """Counts what passes; after `most` within `window_s` seconds the next one does not. In memory."""

    def __init__(self, most: int, window_s: float) -> None:
        self._most, self._window_s = most, window_s
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def passes(self, key: str, now_s: float | None = None) -> bool:
        """Whether one more may pass; it is counted if so."""
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
