"""Conversations in memory: forgotten after a while, each turn answered once."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from vivavoce_bots.acts import Reply

State = TypeVar("State")


@dataclass
class Remembered(Generic[State]):
    """One conversation: its state, and the answers already given by turn key."""

    state: State
    used_at: float
    answers: dict[str, Reply] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Memory(Generic[State]):
    """Conversations by key, the oldest dropped when there are too many or unused for too long."""

    def __init__(
        self, *, keep_s: float = 3600.0, most: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keep_s, self._most, self._clock = keep_s, most, clock
        self._held: OrderedDict[str, Remembered[State]] = OrderedDict()

    def get(self, key: str, fresh: Callable[[], State]) -> Remembered[State]:
        now = self._clock()
        while self._held and now - next(iter(self._held.values())).used_at > self._keep_s:
            self._held.popitem(last=False)
        if key not in self._held:
            if len(self._held) >= self._most:
                self._held.popitem(last=False)
            self._held[key] = Remembered(fresh(), now)
        held = self._held[key]
        held.used_at = now
        self._held.move_to_end(key)
        return held

    def forget(self, key: str) -> None:
        self._held.pop(key, None)

    def __len__(self) -> int:
        return len(self._held)
