"""Requests and answers of httpx, carried by aiohttp, which needs a third of the time for it.

Nothing but carrying happens here: no redirect, cookie, proxy or decompression, and nothing is sent twice.
A server closes a connection that was idle when it likes, and a busy event loop hears of that late: nothing is
written on one that is closed already.
"""

import asyncio
import os
import select
import ssl
import sys
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any, Final

import aiohttp
import httpx
from aiohttp.abc import AbstractStreamWriter
from yarl import URL

_OURS: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")  # headers that httpx has set
_LONGEST_HEADER: Final = 64 * 1024
_IDLE_S: Final = 1.5  # below two seconds, after which gunicorn closes an idle connection; uvicorn, Node: five


class AiohttpTransport:
    """Connections to one system, kept open for its next request; those of one event loop."""

    def __init__(self, verify: ssl.SSLContext | bool = True) -> None:
        self._verify = verify
        self._secure: ssl.SSLContext | None = None
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def carry(self, request: httpx.Request, address: str) -> httpx.Response:
        """The answer of this address to a request for its host; its body comes as it is read.

        Raises  httpx.TransportError: of the same kinds as httpx's own transport
        """
        url, method = request.url, request.method
        host = f"[{address}]" if ":" in address else address
        try:
            answer = await self._opened().request(
                method,
                URL(f"{url.scheme}://{host}{url.raw_path.decode('ascii')}", encoded=True).with_port(url.port),
                headers=_written(request.headers),
                data=_Content(content) if (content := await request.aread()) else None,
                allow_redirects=False,
                ssl=self._context() if url.scheme == "https" else True,
                server_hostname=url.host if url.scheme == "https" else None,
                timeout=_limits(*_timeouts(request)),
            )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _as_httpx(error) from error
        return httpx.Response(
            answer.status,
            headers=list(answer.raw_headers),
            stream=_Body(answer),
            extensions={"reason_phrase": (answer.reason or "").encode("latin-1", "replace")},
        )

    async def close(self) -> None:
        """Close all connections; later requests are refused and open none."""
        self._closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._closed:
            raise httpx.ConnectError("the connector was shut down")
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            if self._session is not None:
                self._session.detach()  # its connections went with their event loop
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=_Connections(limit=0, keepalive_timeout=_IDLE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                skip_auto_headers=_OURS,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
                middlewares=(_once,),
            )
        return self._session

    def _context(self) -> ssl.SSLContext | bool:
        if not isinstance(self._verify, bool):
            return self._verify
        self._secure = self._secure or httpx.create_ssl_context(verify=self._verify, trust_env=False)
        return self._secure


class _Connections(aiohttp.TCPConnector):
    """Connections of which none is used again that the server has closed."""

    async def _get(self, key: Any, traces: Any) -> aiohttp.connector.Connection | None:
        while (connection := await super()._get(key, traces)) is not None and _closed(connection.transport):
            connection.close()
        return connection


class _Unwritten(aiohttp.ClientConnectionResetError):
    """The connection was closed before anything of a request was written."""


class _Content(aiohttp.BytesPayload):
    """Body of a request. Before Python 3.12 a task writes it later, when the server may have closed."""

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        if _closed(getattr(writer, "transport", None)):
            raise _Unwritten
        await super().write_with_length(writer, content_length)


def _closed(transport: asyncio.BaseTransport | None) -> bool:
    """True if the other end has closed a connection, possibly unknown to the loop."""
    if transport is None or transport.is_closing():
        return True
    raw_socket = transport.get_extra_info("socket")
    if raw_socket is None or sys.platform == "win32":
        return False
    looking = select.poll()
    looking.register(
        raw_socket.fileno(), getattr(select, "POLLRDHUP", 0)
    )  # where it is unknown, POLLHUP says so
    return bool(looking.poll(0))


class _Body(httpx.AsyncByteStream):
    """The body of an answer; closed before its end, its connection is, too."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._answer.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _as_httpx(error) from error

    async def aclose(self) -> None:
        self._answer.close()


async def _once(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Send a request, again if nothing of it went out; what else aiohttp would send again, it may not."""
    for retries_left in (1, 0):
        try:
            return await send(request)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if not (retries_left and isinstance(error.__cause__, _Unwritten)):
                raise _as_httpx(error) from error
    raise AssertionError("unreachable")


def _written(headers: httpx.Headers) -> list[tuple[str, str]]:
    """The headers as they were written, but for how the body is cut, which the carrier sees to."""
    coding = headers.encoding
    decoded = [(name.decode(coding), value.decode(coding)) for name, value in headers.raw]
    return [(name, value) for name, value in decoded if name.lower() != "transfer-encoding"]


def _timeouts(request: httpx.Request) -> tuple[float | None, float | None]:
    timeouts = request.extensions.get("timeout", {})
    return timeouts.get("connect"), timeouts.get("read")


@lru_cache(maxsize=64)
def _limits(connect_s: float | None, read_s: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=connect_s, sock_read=read_s, ceil_threshold=600)


def _unconnected(error: aiohttp.ClientConnectorError) -> str:
    """Failed connection and reason, in the operating system's words if it gives any."""
    number = error.os_error.errno
    if isinstance(error, aiohttp.ClientSSLError) or number is None or number <= 0:
        return str(error)
    return f"no connection to {error.host}:{error.port} ({os.strerror(number)})"


def _as_httpx(error: Exception) -> httpx.TransportError:
    """An error of aiohttp as httpx would name it; a request that never went out met no connection."""
    message = str(error)
    if isinstance(error.__cause__, _Unwritten):
        return httpx.ConnectError("the connection was closed before the request was written")
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return httpx.ConnectTimeout(message)
    if isinstance(error, TimeoutError):
        return httpx.ReadTimeout(message)
    if isinstance(error, aiohttp.ClientConnectorError):
        return httpx.ConnectError(_unconnected(error))
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return httpx.RemoteProtocolError("the server disconnected without an answer")
    if isinstance(error, aiohttp.ClientPayloadError):
        return httpx.RemoteProtocolError("the connection was closed in the middle of the answer")
    if isinstance(error, aiohttp.ClientResponseError):
        return httpx.RemoteProtocolError(f"not an HTTP answer: {error.message}")
    return httpx.ReadError(message)
