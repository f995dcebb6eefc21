"""Limits of a system: concurrent turns, turns per minute, cost, and a pause after repeated failures.

Waiting for a free place is not the system's doing, but it is time that a participant waits: keep the limits
above what the study needs. A system that asks to be left alone for a while (Retry-After) is asked again then.
No secret leaves it in pieces of text, either.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, nullcontext
from dataclasses import replace
from typing import Any, Final

from vivavoce.connectors.base import (
    Audio,
    AudioStreaming,
    Capabilities,
    Connector,
    ConnectorSettings,
    Conversation,
    Interruptible,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import SystemUnderTestError

_TRIES: Final = 3


class Pieces:
    """Text that comes in pieces: each is given out as far as no secret can have begun in it."""

    def __init__(self, vault: Vault) -> None:
        self._vault, self._held = vault, ""

    def take(self, piece: str) -> str:
        """Text that can be passed on now, with secrets replaced."""
        text = self._vault.redact(self._held + piece)
        safe = self._vault.safe(text)
        self._held = text[safe:]
        return text[:safe]

    def rest(self) -> str:
        """Text held back, when nothing follows."""
        held_text, self._held = self._held, ""
        return held_text


class LimitedConnector:
    """A connector, and the limits that its settings put on it. One object for all conversations."""

    def __init__(
        self,
        inner: Connector,
        settings: ConnectorSettings,
        now_s: Callable[[], float] | None = None,
        vault: Vault | None = None,
    ) -> None:
        self.inner, self._settings, self._vault = inner, settings, vault or Vault((), {})
        self._now_s = now_s or time.monotonic
        self._places = asyncio.Semaphore(settings.max_concurrency) if settings.max_concurrency else None
        self._next_turn_s = self._quiet_until_s = 0.0
        self._failures_in_a_row, self._rests_until_s = 0, 0.0
        self._problem = ""
        self.spent = 0.0

    @property
    def capabilities(self) -> Capabilities:
        return self.inner.capabilities

    @property
    def room(self) -> Any:
        """Conversations for a wizard; None without one."""
        return getattr(self.inner, "room", None)

    @property
    def awaited(self) -> str | None:
        """Address at which we wait for the system's bot; None if we connect to it."""
        return getattr(self.inner, "awaited", None)

    @property
    def resting(self) -> str | None:
        """Reason to send no new dialogue to this system now; None if allowed."""
        limit = self._settings.budget
        if limit is not None and self.spent + (self._settings.price_per_turn or 0.0) > limit:
            return f"its turns cost {self.spent:g} of at most {limit:g}"
        if self._now_s() < self._rests_until_s:
            return f"{self._failures_in_a_row} consecutive failures, the last: {self._problem}"
        return None

    def charge(self, turns: int) -> None:
        """Book the turns that were sent before this process began."""
        self.spent = turns * (self._settings.price_per_turn or 0.0)

    async def start(self) -> None:
        """Begin to listen, where the system calls us."""
        start = getattr(self.inner, "start", None)
        if start is not None:
            await start()

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        async for output in self._limited(lambda: self.inner.open(conversation)):
            yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self._pay()
        async for output in self._limited(lambda: self.inner.send(conversation, turn)):
            yield output
        self._failures_in_a_row, self._rests_until_s = 0, 0.0

    async def interrupt(self, conversation: Conversation, played_s: float) -> None:
        """Let the system stop its answer, if it can be interrupted."""
        if isinstance(self.inner, Interruptible):
            await self.inner.interrupt(conversation, played_s)

    def feed_audio(self, conversation: Conversation, piece: Audio, *, begins: bool) -> bool:
        """Let the system hear a piece of a turn that is being spoken, where it can."""
        if not isinstance(self.inner, AudioStreaming):
            return False
        return self.inner.feed_audio(conversation, piece, begins=begins)

    async def reset(self, conversation: Conversation) -> None:
        await self.inner.reset(conversation)

    async def close(self, conversation: Conversation) -> None:
        await self.inner.close(conversation)

    async def shut_down(self) -> None:
        await self.inner.shut_down()

    def _pay(self) -> None:
        """Book a turn before it is sent, so that concurrent turns cannot exceed the budget."""
        price, limit = self._settings.price_per_turn or 0.0, self._settings.budget
        if limit is not None and self.spent + price > limit:
            raise SystemUnderTestError("refused", f"budget used up: {self.resting}", reached=False)
        self.spent += price

    async def _limited(self, begin: Callable[[], AsyncIterator[SystemOutput]]) -> AsyncIterator[SystemOutput]:
        async with self._places or nullcontext():
            for attempt in range(1, _TRIES + 1):
                await self._wait()
                has_output, pieces = False, Pieces(self._vault)
                try:
                    async with aclosing(begin()) as outputs:  # pyright: ignore[reportArgumentType]
                        async for output in outputs:
                            has_output = True
                            yield _kept_whole(output, pieces)
                    if remainder := pieces.rest():
                        yield SystemOutput(kind="delta", text=remainder)
                except SystemUnderTestError as error:
                    if has_output or attempt == _TRIES or not self._asked_to_wait(error):
                        self._failed(error)
                        raise
                else:
                    return  # a greeting may be ours, so only an answer ends a rest

    async def _wait(self) -> None:
        """Wait for the turn's time: by the rate, or until the system wants to be asked again."""
        now = self._now_s()
        start = max(now, self._quiet_until_s)
        if self._settings.turns_per_minute:
            start = max(start, self._next_turn_s)
            self._next_turn_s = start + 60.0 / self._settings.turns_per_minute
        if start > now:
            await asyncio.sleep(start - now)

    def _asked_to_wait(self, error: SystemUnderTestError) -> bool:
        if error.retry_after_s is None or error.retry_after_s > self._settings.turn_timeout_s:
            return False
        self._quiet_until_s = max(self._quiet_until_s, self._now_s() + error.retry_after_s)
        return True

    def _failed(self, error: SystemUnderTestError) -> None:
        self._failures_in_a_row += 1
        self._problem = str(error)
        after = self._settings.failure_threshold
        if after and self._failures_in_a_row >= after:
            self._rests_until_s = self._now_s() + self._settings.reset_s


def _kept_whole(output: SystemOutput, pieces: Pieces) -> SystemOutput:
    """An output, of a piece as much as ends in no secret's middle; a message repeats the pieces before it."""
    if output.kind == "delta":
        return replace(output, text=pieces.take(output.text))
    if output.kind == "message":
        pieces.rest()
    return output
