"""HTTP to a system under test: checked addresses, no redirects, no proxies, answers of bounded size."""

import asyncio
import ipaddress
import os
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.wire import LONGEST, Wire
from vivavoce.core.errors import FailureKind, SystemUnderTestError

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_GLOBAL_UNICAST: Final = ipaddress.ip_network("2000::/3")  # all that IANA gives out; translations lie beyond
_TUNNELS: Final = (ipaddress.ip_network("2002::/16"), ipaddress.ip_network("2001::/32"))
_NEVER: Final = (ipaddress.ip_network("169.254.0.0/16"), ipaddress.ip_network("fe80::/10"))
_REMEMBERED_S: Final = 30.0
_IDLE_S: Final = 1.5  # below two seconds, after which gunicorn closes an idle connection; uvicorn, Node: five
_IDLE_CONNECTIONS: Final = 20  # each is looked at for every request


def is_public(address: _Address) -> bool:
    """True if an address is globally reachable, and not a tunnel that could end on this machine."""
    if address.version == 6 and (
        address not in _GLOBAL_UNICAST or any(address in network for network in _TUNNELS)
    ):
        return False
    return address.is_global and not address.is_multicast


def permitted(address: _Address, *, allow_private: bool) -> bool:
    """True if a bot may be reached there; link-local addresses (cloud metadata) never."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return allow_private and permitted(address.ipv4_mapped, allow_private=True)
    if address.is_multicast or address.is_unspecified:
        return False
    if any(address in network for network in _NEVER if network.version == address.version):
        return False
    return allow_private or is_public(address)


class GuardedTransport(httpx.AsyncBaseTransport):
    """A transport that resolves a name once, checks every address it has, and connects to a checked one.

    The Host header and the TLS name stay those of the address as written. A body larger than longest_bytes
    ends in SystemUnderTestError("bad_answer").
    """

    def __init__(
        self,
        *,
        allow_private: bool,
        longest_bytes: int,
        verify: ssl.SSLContext | bool = True,
        wire: Wire | None = None,
    ) -> None:
        self._verify = verify
        self._connections: dict[str, httpx.AsyncHTTPTransport] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._allow_private, self._longest_bytes = allow_private, longest_bytes
        self._resolved: dict[str, tuple[float, list[str]]] = {}
        self._wire = wire

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        problem: httpx.TransportError | None = None
        wire = self._wire if self._wire is not None and self._wire.listened_to else None
        if wire is not None:
            wire.sent(f"{request.method} {request.url}", await request.aread())
        for address in await self._addresses(host):
            directed = _directed(request, address)
            try:
                response = await self._opened(host).handle_async_request(directed)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                problem = _explained(error, directed.url)
                continue
            assert isinstance(response.stream, httpx.AsyncByteStream)
            status = f"HTTP {response.status_code}"
            response.stream = _BoundedStream(response.stream, self._longest_bytes, wire, status)
            return response
        raise problem or httpx.ConnectError(f"{host} has no address")

    async def _addresses(self, host: str) -> list[str]:
        cached = self._resolved.get(host)
        if cached and time.monotonic() - cached[0] < _REMEMBERED_S:
            return cached[1]
        addresses = await checked_addresses(host, allow_private=self._allow_private)
        self._resolved[host] = (time.monotonic(), addresses)
        return addresses

    def _opened(self, host: str) -> httpx.AsyncHTTPTransport:
        """Connections of this event loop by host name: TLS is verified for the name, not the address."""
        if self._closed:
            raise httpx.ConnectError("the connector was shut down")
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._connections, self._loop = {}, loop
        if host not in self._connections:
            limits = httpx.Limits(max_keepalive_connections=_IDLE_CONNECTIONS, keepalive_expiry=_IDLE_S)
            transport = httpx.AsyncHTTPTransport(verify=self._verify, trust_env=False, limits=limits)
            self._connections[host] = transport
        return self._connections[host]

    async def aclose(self) -> None:
        """Close all connections; later requests are refused and open none."""
        self._closed = True
        connections, self._connections = self._connections, {}
        for transport in connections.values() if self._loop is asyncio.get_running_loop() else ():
            await transport.aclose()


def _directed(request: httpx.Request, address: str) -> httpx.Request:
    """The same request to an address of its host; the Host header and the TLS name stay."""
    if address == request.url.host:
        return request
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )


def _explained(error: httpx.TransportError, url: httpx.URL) -> httpx.TransportError:
    """A failed connection with the operating system's reason, if it gives one."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        if isinstance(cause, OSError) and cause.errno is not None and cause.errno > 0:
            where = f"{url.host}:{url.port}" if url.port else url.host
            return httpx.ConnectError(f"no connection to {where} ({os.strerror(cause.errno)})")
        cause = cause.__cause__ or cause.__context__
    return error


async def checked_addresses(host: str, *, allow_private: bool) -> list[str]:
    """Every address of a name, if a bot may be reached at all of them.

    Raises  httpx.ConnectError: it has none; SystemUnderTestError("refused"): one is not allowed
    """
    loop = asyncio.get_running_loop()
    try:
        entries = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx.ConnectError(f"cannot resolve the name {host!r} ({error.strerror})") from error
    addresses = list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in entries))
    for address in addresses:
        if not permitted(ipaddress.ip_address(address), allow_private=allow_private):
            raise SystemUnderTestError("refused", address_problem(host, address), reached=False)
    return addresses


def address_problem(host: str, address: str) -> str:
    """Reason why an address is not used, with the next step."""
    label = host if host == address else f"{host} ({address})"
    return f"{label} is on this computer or a private network; set allow_private: true to allow it"


class _BoundedStream(httpx.AsyncByteStream):
    """A body that may not grow beyond a number of bytes."""

    def __init__(
        self, inner: httpx.AsyncByteStream, longest_bytes: int, wire: Wire | None, status: str
    ) -> None:
        self._inner, self._longest_bytes = inner, longest_bytes
        self._wire, self._status, self._heard = wire, status, bytearray()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for chunk in self._inner:
            received += len(chunk)
            if self._wire is not None and len(self._heard) <= LONGEST:
                self._heard += chunk
            if received > self._longest_bytes:
                raise SystemUnderTestError(
                    "bad_answer", f"the answer is larger than {self._longest_bytes} bytes"
                )
            yield chunk

    async def aclose(self) -> None:
        if self._wire is not None:
            self._wire.received(self._status, bytes(self._heard))
            self._wire = None
        await self._inner.aclose()


class SystemClient(httpx.AsyncClient):
    """A client for one system, shared by all its conversations.

    A request goes straight to the guarded transport: nothing else of httpx is wanted on its way, neither
    redirects nor authentication nor cookies, which would pass from one conversation to another.
    """

    def __init__(self, settings: ConnectorSettings, longest_bytes: int, vault: Vault) -> None:
        self._guarded = GuardedTransport(
            allow_private=settings.allow_private, longest_bytes=longest_bytes, wire=Wire(settings, vault)
        )
        super().__init__(
            transport=self._guarded,
            timeout=httpx.Timeout(settings.turn_timeout_s, connect=settings.connect_timeout_s),
            headers={"user-agent": "vivavoce", "accept-encoding": "identity"},
            follow_redirects=False,
            trust_env=False,
        )

    async def send(self, request: httpx.Request, *, stream: bool = False, **_: object) -> httpx.Response:
        response = await self._guarded.handle_async_request(request)
        response.request = request
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response


def make_client(settings: ConnectorSettings, longest_bytes: int, vault: Vault) -> SystemClient:
    """A client for one system, shared by all its conversations."""
    return SystemClient(settings, longest_bytes, vault)


@contextmanager
def reported(vault: Vault) -> Iterator[None]:
    """Turns what goes wrong on the wire into SystemUnderTestError, with secrets removed."""
    try:
        yield
    except SystemUnderTestError as error:
        raise SystemUnderTestError(
            error.failure,
            vault.redact(error.detail),
            reached=error.reached,
            retry_after_s=error.retry_after_s,
        ) from None
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        detail = vault.redact(str(error)) or "the connection timed out"
        raise SystemUnderTestError("unreachable", detail, reached=False) from None
    except httpx.TimeoutException:
        raise SystemUnderTestError("timeout", "the answer timed out") from None
    except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError, httpx.CloseError) as error:
        detail = vault.redact(str(error)) or "the connection was closed before the end"
        raise SystemUnderTestError("closed", detail) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise SystemUnderTestError("bad_answer", vault.redact(str(error))) from None


def check_status(response: httpx.Response, body: bytes) -> None:
    """Raises SystemUnderTestError for every status but 2xx."""
    status = response.status_code
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        where = response.headers.get("location", "elsewhere")
        raise SystemUnderTestError("refused", f"HTTP {status}: redirects to {where}; write the final address")
    message = " ".join(body[:300].decode("utf-8", "replace").split())
    if message.startswith("<"):
        message = f"{response.reason_phrase}, as a web page".lstrip(" ,")
    failure: FailureKind = "refused" if status < 500 else "bad_answer"
    raise SystemUnderTestError(
        failure, f"HTTP {status}{': ' + message if message else ''}", retry_after_s=_retry_after(response)
    )


def _retry_after(response: httpx.Response) -> float | None:
    """The seconds after which a busy system wants to be asked again; a date counts from now."""
    value = response.headers.get("retry-after", "").strip()
    if response.status_code not in (429, 503) or not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
