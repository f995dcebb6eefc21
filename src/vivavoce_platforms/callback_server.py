"""A small web server inside our process, for systems that call us instead of being called."""

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from vivavoce.core.errors import SystemUnderTestError


def not_free(host: str, port: int, error: OSError) -> str:
    """Reason why we cannot listen there, with the next step."""
    problem = f"cannot listen on {host}:{port} ({error.strerror})"
    if error.errno != errno.EADDRINUSE:
        return problem
    return (
        f"{problem}; another process uses the port, perhaps `vivavoce serve` of this study. Test the system "
        "on the participants' page, or stop the other process"
    )


class _Quiet(uvicorn.Server):
    """A server that leaves signals to the process it runs in."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        yield


class CallbackServer:
    """An application behind one port of one address.

    Raises  SystemUnderTestError("unreachable"): the port is taken
    """

    def __init__(self, app: Starlette, host: str, port: int) -> None:
        self._app, self.host, self.port = app, host, port
        self._starting = asyncio.Lock()
        self._server: _Quiet | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        async with self._starting:
            if self._server is not None:
                return
            listening = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((self.host, self.port))
            except OSError as error:
                listening.close()
                problem = not_free(self.host, self.port, error)
                raise SystemUnderTestError("unreachable", problem, reached=False) from None
            self.port = listening.getsockname()[1]
            config = uvicorn.Config(
                self._app,
                log_level="error",
                access_log=False,
                lifespan="off",
                server_header=False,
                timeout_graceful_shutdown=1,
            )
            self._server = _Quiet(config)
            self._serving = asyncio.create_task(self._server.serve(sockets=[listening]))
            while not self._server.started and not self._serving.done():
                await asyncio.sleep(0.005)

    async def stop(self) -> None:
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await asyncio.wait({self._serving}, timeout=10)
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)  # or its port is still held
