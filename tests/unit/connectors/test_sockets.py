"""Where a WebSocket is connected to, and what goes wrong on it, in words that say whose fault it is."""

import asyncio
import socket
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.sockets import open_socket, socket_reported
from vivavoce.core.errors import SystemUnderTestError


@pytest.mark.parametrize(
    ("code", "failure", "said"),
    [
        (1009, "bad_answer", "the answer is too large"),
        (1007, "bad_answer", "the answer is not UTF-8 text"),
        (1011, "closed", "internal error"),
    ],
)
def test_what_made_us_close_the_connection_is_said(code: int, failure: str, said: str) -> None:
    with pytest.raises(SystemUnderTestError, match=said) as refused, socket_reported(Vault([], {})):
        raise ConnectionClosedError(None, Close(code, ""), None)
    assert refused.value.failure == failure


@pytest.mark.parametrize(
    ("url", "port"),
    [("ws://bot.example/", 80), ("wss://bot.example/", 443), ("wss://bot.example:8080/", 8080)],
)
def test_every_address_of_a_name_is_tried_at_the_port_of_its_scheme(url: str, port: int) -> None:
    tried: list[Any] = []

    async def look(host: str, *_: Any, **__: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, 0)) for address in ("93.184.216.34", "2606:4700:4700::1111")]

    async def refuse(made: socket.socket, address: tuple[str, int]) -> None:
        tried.append((made.family, *address))
        raise OSError(f"nobody at {address[0]}")

    async def run() -> None:
        loop: Any = asyncio.get_running_loop()
        loop.getaddrinfo, loop.sock_connect = look, refuse
        await open_socket(url, ConnectorSettings(connect="websocket"), 1000)

    with pytest.raises(SystemUnderTestError) as caught:
        asyncio.run(run())
    assert tried == [
        (socket.AF_INET, "93.184.216.34", port),
        (socket.AF_INET6, "2606:4700:4700::1111", port),
    ]
    assert caught.value.detail == "nobody at 2606:4700:4700::1111" and not caught.value.reached
