"""The wire below an MCP session: the SDK's requests over our checked, bounded transport."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import httpx2

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import GuardedTransport, reported
from vivavoce.core.errors import SystemUnderTestError


class McpTransport(httpx2.AsyncBaseTransport):
    """Carries what the SDK asks for, and remembers what went wrong.

    problem  the first failure of a request that was to be answered
    broken   set together with it: the SDK may wait for ever for an answer that failed
    """

    def __init__(self, settings: ConnectorSettings, vault: Vault, longest_bytes: int) -> None:
        self._inner = GuardedTransport(allow_private=settings.allow_private, longest_bytes=longest_bytes)
        self._vault = vault
        self.problem: SystemUnderTestError | None = None
        self.broken = asyncio.Event()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answers = request.method == "POST"  # a GET only listens for what nobody asked for
        carried = httpx.Request(
            request.method,
            str(request.url),
            headers=list(request.headers.raw),
            content=await request.aread(),
            extensions={"timeout": dict(request.extensions.get("timeout", {}))},
        )
        try:
            with reported(self._vault):
                response = await self._inner.handle_async_request(carried)
        except SystemUnderTestError as error:
            self.failed(error, answers)
            raise httpx2.ConnectError(str(error)) from None
        assert isinstance(response.stream, httpx.AsyncByteStream)
        body = _Body(response.stream, self, answers)
        return httpx2.Response(response.status_code, headers=response.headers.raw, stream=body)

    def failed(self, error: SystemUnderTestError, answers: bool) -> None:
        if answers:
            self.problem = self.problem or error
            self.broken.set()

    def reading(self) -> Any:
        return reported(self._vault)

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Body(httpx2.AsyncByteStream):
    """An answer's body as it comes."""

    def __init__(self, inner: httpx.AsyncByteStream, carrier: McpTransport, answers: bool) -> None:
        self._inner, self._carrier, self._answers = inner, carrier, answers

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            with self._carrier.reading():
                async for chunk in self._inner:
                    yield chunk
        except SystemUnderTestError as error:
            self._carrier.failed(error, self._answers)
            raise httpx2.ReadError(str(error)) from None

    async def aclose(self) -> None:
        await self._inner.aclose()
