"""Bytes that no browser sends, at a service, as a process of its own: ATTACK PORT SECONDS PAGE FORM.

PAGE and FORM are the addresses to which it sends. An attack holds `CONNECTIONS` connections, and opens
another for each that is closed. It prints in the end how many it has opened.
"""

import asyncio
import random
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

CONNECTIONS: Final = 250
PAUSE_S: Final = 1.0  # before the next piece, and before the next connection
CHUNKED: Final = b"Transfer-Encoding: chunked\r\n\r\n"
LONG: Final = b"x" * 8192


@dataclass(frozen=True)
class Line:
    """A connection, and the beginnings of a request for a page and of one with a form."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    get: bytes
    post: bytes

    async def drip(self, first: bytes, piece: bytes) -> None:
        """Send something, and then a piece again and again."""
        self.writer.write(first)
        while True:
            self.writer.write(piece)
            await self.writer.drain()
            await asyncio.sleep(PAUSE_S)

    async def ask(self, request: bytes) -> None:
        """Send something, and read until the service has enough of it."""
        self.writer.write(request)
        while await self.reader.read(65_536):
            pass


def wrong_password() -> bytes:
    fields = f"name={random.randbytes(8).hex()}&password=not+the+password".encode()
    return b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(fields) + fields


ATTACKS: Final[dict[str, Callable[[Line], Awaitable[None]]]] = {
    "slow heads": lambda line: line.drip(line.get, b"x"),
    "fat heads": lambda line: line.drip(line.get + b"Long: ", 4 * LONG),
    "half bodies": lambda line: line.ask(line.post + b"Content-Length: 60000\r\n\r\n" + LONG),
    "endless bodies": lambda line: line.drip(line.post + CHUNKED, b"2000\r\n" + LONG + b"\r\n"),
    "huge chunks": lambda line: line.drip(line.post + CHUNKED + b"7fffffffffffffff\r\n", LONG),
    "endless trailers": lambda line: line.drip(line.post + CHUNKED + b"1\r\nx\r\n0\r\nLong: ", LONG),
    "garbage": lambda line: line.drip(b"", random.randbytes(2048)),
    "pipelined requests": lambda line: line.ask((line.get + b"\r\n") * 2_000),
    "unread answers": lambda line: line.drip(b"", (line.get + b"\r\n") * 2),
    "wrong passwords": lambda line: line.ask(line.post + wrong_password()),
}


class Attacker:
    """Connections of one attack; `opened`: how many there were."""

    def __init__(self, name: str, port: int, page: str, form: str) -> None:
        self.attack, self.port, self.opened = ATTACKS[name], port, 0
        head = " HTTP/1.1\r\nHost: here\r\nSec-Fetch-Site: same-origin\r\n"
        kind = "Content-Type: application/x-www-form-urlencoded\r\n"
        self.get, self.post = f"GET {page}{head}".encode(), f"POST {form}{head}{kind}".encode()

    async def hold(self) -> None:
        """A connection with small buffers, and another when it is closed."""
        while True:
            with suppress(OSError), socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.setblocking(False)
                await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self.port))
                reader, writer = await asyncio.open_connection(sock=connection, limit=4096)
                self.opened += 1
                try:
                    await self.attack(Line(reader, writer, self.get, self.post))
                finally:
                    writer.transport.abort()
            await asyncio.sleep(PAUSE_S)

    async def go_on(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for _ in range(CONNECTIONS):
                    group.create_task(self.hold())
                    await asyncio.sleep(1 / CONNECTIONS)


if __name__ == "__main__":
    attack, port, seconds, page, form = sys.argv[1:]
    attacker = Attacker(attack, int(port), page, form)
    asyncio.run(attacker.go_on(float(seconds)))
    print(attacker.opened)
