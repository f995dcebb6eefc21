"""A connector to copy; see `docs/how-to/extend.md`."""

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
from vivavoce.core.errors import SystemUnderTestError


class ShoutSettings(ConnectorSettings):
    """What the study file may say under `connect: shout`; unknown keys are refused by name."""

    mark: str = Field("!", description="what stands at the end")


class ShoutConnector:
    name = "shout"
    summary = "says everything again, louder"
    settings = ShoutSettings

    def __init__(self, settings: ShoutSettings) -> None:
        self._settings = settings
        self.capabilities = Capabilities(memory="caller", idempotent=True, greets=False)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "ShoutConnector":
        return cls(settings)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        return
        yield

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        if not turn.message.isprintable():
            raise SystemUnderTestError("refused", "it cannot say that", reached=False)
        text = turn.message.upper() + self._settings.mark
        yield SystemOutput(kind="message", text=text)

    async def reset(self, conversation: Conversation) -> None:
        conversation.history = ()
        conversation.state.clear()

    async def close(self, conversation: Conversation) -> None:
        pass

    async def shut_down(self) -> None:
        pass
