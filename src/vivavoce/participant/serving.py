"""Server of the pages that stops quickly: pending requests for news are answered at once."""

import signal
import socket
from types import FrameType
from typing import Final

import anyio
import uvicorn
from fastapi import FastAPI

from vivavoce.participant import connections
from vivavoce.participant.visit_router import Door

LONGEST_MESSAGE: Final = 128 * 1024


class PageServer(uvicorn.Server):
    """A uvicorn server for an application of `create_app`; door: by which other workers hand over to it."""

    def __init__(
        self,
        app: FastAPI,
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        door: Door | None = None,
        **settings: object,
    ) -> None:
        options = {
            "log_level": "warning",
            "access_log": False,
            "timeout_graceful_shutdown": 5,
            "ws_max_size": LONGEST_MESSAGE,
            "ws_per_message_deflate": False,
            **connections.options(),
        } | settings
        super().__init__(uvicorn.Config(app, host=host, port=port, **options))  # pyright: ignore[reportArgumentType]
        self.site, self._door = app.state.site, door
        self._interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._interrupted |= sig == signal.SIGINT
        super().handle_exit(sig, frame)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until it is stopped. Raises KeyboardInterrupt where that was by Ctrl-C."""
        super().run(sockets)
        if self._interrupted:  # the one that uvicorn raises is lost where a destructor happens to meet it
            raise KeyboardInterrupt

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await anyio.sleep(0)  # loads what else the first turn would wait for
        await super().startup(sockets)
        if self._door is not None and self.started:
            await self._door.open()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.site.close()
        if self._door is not None:
            await self._door.close()
        await super().shutdown(sockets)
