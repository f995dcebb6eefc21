"""Base of connectors: settings with their secrets, names and ends of conversations."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeVar

from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import ConnectorSettings, Conversation, PastTurn, SystemOutput, UserTurn
from vivavoce.connectors.messages import Messages, MessageShape
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.urls import check_address
from vivavoce.connectors.wire import Wire

VARIABLES: Final = {"conversation", "key", "number", "text", "title", "payload", "language"}


class Closable(Protocol):
    """Something that a connector holds for a conversation."""

    async def close(self) -> Any: ...


SettingsOf = TypeVar("SettingsOf", bound=ConnectorSettings)
Held = TypeVar("Held", bound=Closable)


class SystemConnector(Generic[SettingsOf]):
    """Base class of our connectors: by default no greeting and nothing to close.

    knows_names  the system knows conversations by `name_of`; one that was reset is another one to it
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    settings: ClassVar[type[ConnectorSettings]]
    knows_names: ClassVar[bool] = True

    def __init__(self, settings: SettingsOf, vault: Vault) -> None:
        url = getattr(settings, "url", None)
        if url is not None:
            check_address(url, allow_private=settings.allow_private, place="url")
        self._settings, self._vault, self._wire = settings, vault, Wire(settings, vault)
        shape = getattr(settings, "messages", None)
        self._messages = Messages(shape, vault) if isinstance(shape, MessageShape) else None

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Self:
        cls.check_installed()
        return cls(settings, Vault.of(settings.model_dump(), secrets))

    @staticmethod
    def check_installed() -> object:
        """Raises  InputError: a package that this kind of system needs is not installed"""

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        return
        yield

    async def reset(self, conversation: Conversation) -> None:
        await self.close(conversation)
        (renamed if self.knows_names else forgotten)(conversation)

    async def close(self, conversation: Conversation) -> None:
        """Do nothing."""

    async def shut_down(self) -> None:
        """Do nothing."""

    def _variables(self, conversation: Conversation, turn: UserTurn | None = None) -> dict[str, Any]:
        """Template variables and secrets; without a turn those of an empty one."""
        turn = turn or UserTurn(key="", number=0, text="")
        variables: dict[str, Any] = {
            "conversation": name_of(conversation),
            "key": turn.key,
            "number": turn.number,
            "text": clean_text(turn.message),
            "title": clean_text(turn.text),
            "payload": turn.payload,
            "language": conversation.language,
            "secrets": self._vault.values,
            "history": [
                {"party": turn.party, "text": clean_text(turn.text)} for turn in conversation.history
            ],
        }
        if self._messages is not None:
            past = [
                PastTurn(past_turn.party, clean_text(past_turn.text)) for past_turn in conversation.history
            ]
            variables["messages"] = self._messages.of(variables, past)
        return variables


class HoldingConnector(SystemConnector[SettingsOf], Generic[SettingsOf, Held]):
    """A connector that holds something for each conversation, by its key: a connection, a process, a page."""

    def __init__(self, settings: SettingsOf, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._held: dict[str, Held] = {}

    async def close(self, conversation: Conversation) -> None:
        connection = self._held.pop(conversation.key, None)
        if connection is not None:
            await connection.close()

    async def shut_down(self) -> None:
        connections, self._held = list(self._held.values()), {}
        await asyncio.gather(*(connection.close() for connection in connections), return_exceptions=True)


def name_of(conversation: Conversation) -> str:
    """The name under which a system knows a conversation: its random key, and how often it was reset."""
    generation = conversation.state.get("generation", 0)
    return f"{conversation.key}-{generation}" if generation else conversation.key


def renamed(conversation: Conversation) -> None:
    """Forget everything; for the system it is another conversation from now on."""
    generation = conversation.state.get("generation", 0)
    forgotten(conversation)
    conversation.state["generation"] = generation + 1


def forgotten(conversation: Conversation) -> None:
    """Forget everything."""
    conversation.state.clear()
    conversation.history = ()
