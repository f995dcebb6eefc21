"""A TCP server of the telephone's: its connections are bounded, and end with it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import structlog

from vivavoce.core.errors import InputError

LONGEST_LINE: Final = 65_536
STOP_S: Final = 10.0

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_report = structlog.get_logger("vivavoce.telephony")


class TcpServer:
    """Serves each connection in a task of its own and closes it afterwards, whatever happens in it.

    address  HOST:PORT; port 0: any free one
    at_once  more connections than these are closed at once
    place    what the address is called in the study file

    Raises  InputError: nobody can listen there (by `start`)
    """

    def __init__(self, address: str, serve: Serve, *, at_once: int, place: str) -> None:
        host, _, port = address.rpartition(":")
        self.host, self.port = host.strip("[]"), int(port)
        self._serve, self._at_once, self._place = serve, at_once, place
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """How many there are now."""
        return len(self._tasks)

    async def start(self) -> None:
        try:
            self._server = await asyncio.start_server(
                self._connected, self.host, self.port, limit=LONGEST_LINE
            )
        except OSError as error:
            raise InputError(
                f"cannot listen on {self.host}:{self.port} ({error.strerror})", place=self._place,
                hint="write another address, here and in Asterisk's dial plan",
            ) from None  # fmt: skip
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Take no more connections."""
        if self._server is not None:
            self._server.close()

    async def stop(self) -> None:
        """Take no more connections, and wait a little for the end of those that are there."""
        self.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= self._at_once:
            _report.warning("connection_refused", place=self._place, reason="too many at once")
            writer.close()
            return
        task = asyncio.create_task(self._until_closed(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _until_closed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except Exception as error:  # what one connection does must not stop the others
            _report.exception("connection_failed", place=self._place, error=repr(error))
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
