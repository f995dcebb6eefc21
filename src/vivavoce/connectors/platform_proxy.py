"""Being the HTTPS proxy of a bot that cannot be pointed elsewhere: CONNECT to its platform ends with us.

The bot is started with HTTPS_PROXY and SSL_CERT_FILE, and needs no change. Other hosts are refused.
"""

import asyncio
import ssl
from pathlib import Path
from typing import Any

from vivavoce.connectors.callback_server import not_free
from vivavoce.core.errors import InputError, SystemUnderTestError


class Proxy:
    """A proxy for one host, which it answers itself from a plain port of this machine."""

    def __init__(self, real_host: str, host: str, port: int, plain_port: int) -> None:
        self._real_host = real_host
        self._host, self.port, self._plain_port = host, port, plain_port
        self._server: asyncio.Server | None = None
        self._context: ssl.SSLContext | None = None
        self._piping: set[asyncio.Task[None]] = set()

    async def start(self, certificate: Path) -> None:
        """Listen; the certificate that the bot must trust is written into the file."""
        self._context = _context(self._real_host, certificate)
        try:
            self._server = await asyncio.start_server(self._connected, self._host, self.port)
        except OSError as error:
            problem = not_free(self._host, self.port, error)
            raise SystemUnderTestError("unreachable", problem, reached=False) from None
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._piping:
            task.cancel()
        await asyncio.gather(*self._piping, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._piping.add(task)
        task.add_done_callback(self._piping.discard)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(f"CONNECT {self._real_host}:443 ".encode()):
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
            await writer.drain()
            assert self._context is not None
            await writer.start_tls(self._context)
            inner = await asyncio.open_connection(self._host, self._plain_port)
            try:
                await asyncio.gather(_pipe(reader, inner[1]), _pipe(inner[0], writer))
            finally:
                inner[1].close()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:  # by `stop`; asyncio would report it as an error of this connection
            pass
        finally:
            writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


def _context(real_host: str, certificate: Path) -> ssl.SSLContext:
    trustme = _trustme()
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(real_host).configure_cert(context)
    return context


def _trustme() -> Any:
    try:
        import trustme
    except ImportError:
        hint = "pip install 'vivavoce[platforms]'"
        raise InputError("trustme is not installed", place="proxy_port", hint=hint) from None
    return trustme
