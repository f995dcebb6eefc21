"""A chat on a message platform: what the bot has written since the participant's turn, and what it does."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.connectors.base import Choice

_SECRET: Final = ("token", "access_token", "appsecret_proof")  # never noted, whether we know it or not


@dataclass(slots=True)
class BotMessage:
    """One message of the bot as the participant will see it; `at_s` is when it first came.

    streams  more of its text is to come
    """

    message_id: Any
    text: str
    choices: list[Choice] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    at_s: float = 0.0
    streams: bool = False


@dataclass(slots=True)
class Chat:
    """One conversation. Its number and those of its messages are as the platform writes them.

    buttons   what the platform tells the bot of a button, by the button's payload
    messages  what the bot wrote and nobody has shown yet
    calls     what the bot asked of the platform since the turn began
    active_s  when it last did something in this turn; None: it has not yet
    """

    chat_id: Any
    language: str
    buttons: dict[str, Any] = field(default_factory=dict)
    messages: list[BotMessage] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    texts: dict[Any, str] = field(default_factory=dict)
    stir: asyncio.Event = field(default_factory=asyncio.Event)
    begun_s: float = 0.0
    active_s: float | None = None
    typing_until_s: float = 0.0

    def begin_turn(self, now_s: float) -> None:
        """Assign later messages to this turn; keep those that came too late for the last one."""
        self.calls, self.begun_s, self.active_s, self.typing_until_s = [], now_s, None, 0.0

    @property
    def answered(self) -> bool:
        """True if the bot has written something in this turn and no message is in progress."""
        has_messages = any(message.at_s >= self.begun_s for message in self.messages)
        return (
            self.active_s is not None
            and has_messages
            and not any(message.streams for message in self.messages)
        )

    def find(self, message_id: Any) -> BotMessage | None:
        """A message that nobody has been shown yet."""
        return next((message for message in self.messages if message.message_id == message_id), None)

    def edit(self, changed: BotMessage) -> None:
        """A message of this turn is replaced; one that was shown before is shown again as it is now."""
        recent = self.find(changed.message_id)
        if recent is None:
            self.messages.append(changed)
        else:
            recent.text, recent.choices, recent.images = changed.text, changed.choices, changed.images
            if recent.at_s < self.begun_s:  # it came too late for the last turn
                recent.at_s = changed.at_s

    def delete(self, message_id: Any) -> None:
        self.messages = [message for message in self.messages if message.message_id != message_id]

    def stirred(self, method: str, params: Mapping[str, Any], now_s: float) -> None:
        """The bot did something."""
        public = {name: value for name, value in params.items() if name not in _SECRET}
        self.calls.append((method, public))
        self.active_s, self.typing_until_s = now_s, 0.0
        self.stir.set()
