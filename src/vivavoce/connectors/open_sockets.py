"""The sockets of one system, one for each conversation."""

import asyncio
from collections.abc import Mapping

from websockets.asyncio.client import ClientConnection

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.sockets import open_socket


class OpenSockets:
    """Sockets by the key of their conversation; one that was closed counts as none."""

    def __init__(self, settings: ConnectorSettings, longest_bytes: int) -> None:
        self._settings, self._longest_bytes = settings, longest_bytes
        self._made: dict[str, ClientConnection] = {}

    def of(self, conversation: str) -> ClientConnection | None:
        made = self._made.get(conversation)
        return made if made is not None and made.close_code is None else None

    async def open(
        self, conversation: str, url: str, headers: Mapping[str, str] | None = None
    ) -> ClientConnection:
        """A new socket for a conversation. Raises SystemUnderTestError, `reached` false."""
        made = await open_socket(url, self._settings, self._longest_bytes, headers)
        self._made[conversation] = made
        return made

    async def drop(self, conversation: str) -> None:
        made = self._made.pop(conversation, None)
        if made is not None:
            await made.close()

    async def drop_all(self) -> None:
        made, self._made = list(self._made.values()), {}
        await asyncio.gather(*(one.close() for one in made), return_exceptions=True)
