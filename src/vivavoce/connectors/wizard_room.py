"""Meeting point of a participant's conversation and the person who plays the system.

The connector adds conversations and waits for answers; the wizard's page takes and answers them. All in one
process and one event loop; everything kept here is also in the log.
"""

import asyncio
import time
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from vivavoce.connectors.base import PastTurn
from vivavoce.core.errors import SystemUnderTestError

GONE_AFTER_S: Final = 90.0
STILL_THE_PROPOSAL: Final = 0.5
Source = Literal["free", "prompt", "script", "proposal", "edited", "silence", "greeting"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A wizard's reply and its source; label names the prompt or script.

    source  proposal  the program's, unchanged; edited: at least half of the words of both are the same
    free      written; script, prompt: chosen
    silence   no reply: the conversation ended
    greeting  the first message, sent automatically
    """

    text: str
    wizard: str
    source: Source = "free"
    label: str = ""
    ends: bool = False


@dataclass(slots=True)
class Seat:
    """One conversation: waiting for a wizard, or held by one.

    asked     the participant's turn that is to be answered; None while it is their turn
    proposal  what the system behind would say, for a wizard who decides in its place
    closing   with it that system would end the conversation
    """

    key: str
    language: str
    strategy: str
    since_s: float
    lines: list[PastTurn] = field(default_factory=list)
    wizard: str | None = None
    asked: str | None = None
    asked_s: float = 0.0
    proposal: str | None = None
    closing: bool = False
    understood: list[str] = field(default_factory=list)
    reply: "asyncio.Future[Reply] | None" = None
    over: bool = False

    @property
    def opening(self) -> bool:
        """The wizard may speak first."""
        return self.reply is not None and self.asked is None


def _ended() -> SystemUnderTestError:
    return SystemUnderTestError("closed", "the conversation has ended")


class NotYours(Exception):
    """The conversation is another wizard's, is over, or waits for nothing."""


class Room:
    """The conversations of one system that is a person."""

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        self.seats: dict[str, Seat] = {}
        self.version = 0
        self._here: dict[str, float] = {}
        self._news = asyncio.Event()

    # --- the connector's side -----------------------------------------------------------------------

    def enter(self, seat: Seat) -> Seat:
        self.seats[seat.key] = seat
        self._changed()
        return seat

    def leave(self, key: str) -> None:
        seat = self.seats.pop(key, None)
        if seat is not None:
            seat.over = True
            if seat.reply is not None and not seat.reply.done():
                seat.reply.set_exception(_ended())
            self._changed()

    async def paired(self, seat: Seat) -> None:
        """Wait until a wizard has taken the conversation. Raises SystemUnderTestError: it has ended."""
        while seat.wizard is None:
            if seat.over:
                raise _ended()
            await self.changed(self.version)

    async def answered(self, seat: Seat, asked: str | None) -> Reply:
        """Show the wizard what was said, and wait for the reply; nothing said: the wizard may begin."""
        loop = asyncio.get_running_loop()
        seat.asked, seat.asked_s, seat.reply = asked, time.monotonic(), loop.create_future()
        if asked is not None:
            seat.lines.append(PastTurn("user", asked))
        self._changed()
        try:
            return await seat.reply
        finally:
            seat.asked = seat.reply = seat.proposal = None
            seat.understood, seat.closing = [], False
            self._changed()

    # --- the wizard's side --------------------------------------------------------------------------

    def here(self, wizard: str, now_s: float) -> None:
        """A wizard is there; conversations of those who have gone are free to be taken again."""
        self._here[wizard] = now_s
        for seat in self.seats.values():
            gone = seat.wizard is not None and now_s - self._here.get(seat.wizard, now_s) > GONE_AFTER_S
            if gone:
                seat.wizard = None
                self._changed()

    def take(self, key: str, wizard: str) -> None:
        """Raises NotYours: another wizard was quicker, or the participant has left."""
        seat = self.seats.get(key)
        if seat is None or seat.wizard not in (None, wizard):
            raise NotYours
        seat.wizard = wizard
        self._here[wizard] = time.monotonic()
        self._changed()

    def release(self, key: str, wizard: str) -> None:
        """Give a conversation back to the waiting room, where another wizard may take it."""
        self._of(key, wizard).wizard = None
        self._changed()

    def say(self, key: str, reply: Reply) -> None:
        """Raises NotYours: it is not this wizard's conversation, or the participant's turn."""
        seat = self._of(key, reply.wizard)
        if seat.reply is None or seat.reply.done():
            raise NotYours
        seat.reply.set_result(reply)

    def worded(self, seat: Seat, wizard: str, text: str, *, ends: bool = False) -> Reply:
        """A reply of these words; where they came from is told by the words, not by who sends them."""
        proposal = (seat.proposal or "").strip()
        if not text:
            return Reply(text, wizard, "silence", ends=ends)
        if text == proposal:
            return Reply(text, wizard, "proposal", ends=ends)
        scripted = self.settings.strategies.get(seat.strategy, {})
        sources: tuple[tuple[Source, dict[str, str]], ...] = (
            ("script", scripted),
            ("prompt", self.settings.prompts),
        )
        for source, ready in sources:
            for label, words in ready.items():
                if text == words.strip():
                    return Reply(text, wizard, source, label, ends)
        alike = SequenceMatcher(None, proposal.casefold().split(), text.casefold().split(), autojunk=False)
        edited = bool(proposal) and alike.ratio() >= STILL_THE_PROPOSAL
        return Reply(text, wizard, "edited" if edited else "free", ends=ends)

    def _of(self, key: str, wizard: str) -> Seat:
        seat = self.seats.get(key)
        if seat is None or seat.wizard != wizard:
            raise NotYours
        return seat

    async def changed(self, after: int) -> int:
        """Wait for a change since this version of the room; return the current version."""
        while self.version <= after:
            await self._news.wait()
        return self.version

    def touched(self) -> None:
        """Something about a seat has changed that those who look should see."""
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()
