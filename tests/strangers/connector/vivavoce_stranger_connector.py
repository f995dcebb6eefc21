"""The desk of a library, which renews books."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import Field

from vivavoce.connectors.base import (
    Capabilities,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)


class DeskSettings(ConnectorSettings):
    """What the study file may say under `connect: desk`."""

    books: tuple[str, ...] = Field(description="what the library has lent")


class DeskConnector:
    name = "desk"
    summary = "the desk of a library"
    settings = DeskSettings

    def __init__(self, settings: DeskSettings) -> None:
        self._books = settings.books
        self.capabilities = Capabilities(memory="none", idempotent=True, greets=True)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "DeskConnector":
        return cls(settings)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="message", text="Library desk. Which book shall I renew?")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        named = [book for book in self._books if book in turn.message.lower()]
        told = [f"The {book} is renewed." for book in named] or ["Sorry, which book do you mean?"]
        yield SystemOutput(kind="message", text=" ".join([*told, "Anything else?"]))

    async def reset(self, conversation: Conversation) -> None:
        pass

    async def close(self, conversation: Conversation) -> None:
        pass

    async def shut_down(self) -> None:
        pass
