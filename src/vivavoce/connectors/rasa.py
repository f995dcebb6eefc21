"""A Rasa bot over its REST channel.

Wire    POST {url}/webhooks/rest/webhook {"sender", "message", "metadata"}; a list of messages comes back, an
        empty one when the bot stays silent
Memory  in the bot's tracker, under the sender; a reset takes another sender
Retry   when the connection was never made
"""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from pydantic import Field

from vivavoce.connectors.answers import bad_answer, clean_text
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.rasa_messages import SESSION_START, greeting_once, read_message
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector, name_of
from vivavoce.connectors.urls import WebAddress


class RasaSettings(ConnectorSettings):
    """Settings of a system with `connect: rasa`."""

    url: WebAddress = Field(description="Rasa server address")
    token: str | None = Field(None, description="${NAME} of a token, sent as ?token=")
    metadata: dict[str, Any] = Field(default_factory=dict, description="metadata of every message")
    start: str | None = Field(SESSION_START, description="message that starts a conversation; null: none")
    longest_answer_bytes: int = Field(
        1_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class RasaConnector(SystemConnector[RasaSettings]):
    """A Rasa bot behind its REST channel."""

    name: ClassVar[str] = "rasa"
    summary: ClassVar[str] = "a Rasa bot over its REST channel"
    settings: ClassVar[type[ConnectorSettings]] = RasaSettings

    def __init__(self, settings: RasaSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._asking = Asking(settings, vault, settings.longest_answer_bytes)
        self._url = vault.expand(settings.url).rstrip("/") + "/webhooks/rest/webhook"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(choices=True, memory="system", greets=self._settings.start is not None)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        start = self._settings.start
        if start is not None and not conversation.history:
            for output in _read(greeting_once(await self._say(conversation, start), start)):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        for output in _read(await self._say(conversation, turn.message)):
            yield output

    async def _say(self, conversation: Conversation, text: str) -> list[Any]:
        """The messages that come back for one."""
        body: dict[str, Any] = {"sender": name_of(conversation), "message": clean_text(text)}
        if self._settings.metadata:
            body["metadata"] = self._settings.metadata
        token = self._settings.token
        params = {"token": self._vault.expand(token)} if token else None
        answer = await self._asking.ask("POST", self._url, json=body, params=params)
        if not isinstance(answer, list):
            raise bad_answer("the answer is not a list of messages")
        return answer

    async def shut_down(self) -> None:
        await self._asking.close()


def _read(messages: list[Any]) -> list[SystemOutput]:
    return [output for message in messages for output in read_message(message)]
