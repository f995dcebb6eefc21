"""WebSockets to systems under test: checked addresses, no proxies, frames of bounded size."""

import asyncio
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, PayloadTooBig, WebSocketException

from vivavoce.connectors.base import ConnectorSettings, Conversation
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import HoldingConnector, SettingsOf
from vivavoce.connectors.transport import checked_addresses
from vivavoce.core.errors import SystemUnderTestError

_TOO_BIG: Final = 1009
_NOT_UTF8: Final = 1007


class SocketConnector(HoldingConnector[SettingsOf, ClientConnection]):
    """A connector with a socket for each conversation; its settings have `longest_answer_bytes`."""

    def _open_one(self, conversation: Conversation) -> ClientConnection | None:
        """The conversation's socket; one that was closed counts as none."""
        connection = self._held.get(conversation.key)
        return connection if connection is not None and connection.close_code is None else None

    async def _connect(
        self, conversation: Conversation, url: str, headers: Mapping[str, str]
    ) -> ClientConnection:
        """A new socket for a conversation. Raises SystemUnderTestError, `reached` false."""
        settings: Any = self._settings
        connection = await open_socket(url, settings, settings.longest_answer_bytes, headers)
        self._held[conversation.key] = connection
        return connection


async def open_socket(
    url: str, settings: ConnectorSettings, longest_bytes: int, headers: Mapping[str, str] | None = None
) -> ClientConnection:
    """Connected WebSocket. Raises SystemUnderTestError with `reached` false."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "wss" else 80)
    try:
        async with asyncio.timeout(settings.connect_timeout_s):
            addresses = await checked_addresses(parts.hostname or "", allow_private=settings.allow_private)
            connected = await _connected(addresses, port)
            return await connect(
                url,
                sock=connected,
                proxy=None,
                max_size=longest_bytes,
                additional_headers=headers,
                user_agent_header="vivavoce",
                compression=None,
                close_timeout=1,
                open_timeout=None,
            )
    except TimeoutError:
        limit = settings.connect_timeout_s
        problem = f"the connection was not established in {limit:g} s"
    except InvalidHandshake as error:
        raise SystemUnderTestError("refused", f"not a WebSocket ({error})", reached=False) from None
    except (OSError, httpx.ConnectError, WebSocketException, ValueError) as error:
        problem = str(error) or "the connection was not established"
    raise SystemUnderTestError("unreachable", problem, reached=False)


async def _connected(addresses: list[str], port: int) -> socket.socket:
    problem: OSError | None = None
    for address in addresses:
        raw_socket = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        raw_socket.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(raw_socket, (address, port))
            return raw_socket
        except OSError as error:
            raw_socket.close()
            problem = error
    raise problem or OSError("no address")


@contextmanager
def socket_reported(vault: Vault) -> Iterator[None]:
    """Turns what goes wrong on a WebSocket into SystemUnderTestError, with secrets removed."""
    try:
        yield
    except PayloadTooBig as error:
        raise SystemUnderTestError("bad_answer", f"the answer is too large ({error})") from None
    except ConnectionClosed as error:
        code = error.sent.code if error.sent else None
        if code in (_TOO_BIG, _NOT_UTF8):
            what = "the answer is too large" if code == _TOO_BIG else "the answer is not UTF-8 text"
            raise SystemUnderTestError("bad_answer", what) from None
        raise SystemUnderTestError("closed", vault.redact(str(error))) from None
    except OSError as error:
        raise SystemUnderTestError("closed", vault.redact(str(error))) from None
