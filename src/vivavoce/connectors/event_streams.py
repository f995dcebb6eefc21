"""Answers that come as server-sent events, or whole where a server does not stream after all."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from typing import Any, Final

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError

from vivavoce.connectors.answers import bad_answer, read_json
from vivavoce.connectors.base import ConnectorSettings, SystemOutput
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import check_status, make_client, reported

ACCEPTED: Final = {"accept": "text/event-stream, application/json"}
_PAUSE_S: Final = 0.2

Events = AsyncIterator[ServerSentEvent]


class EventStreams:
    """One system's HTTP interface that streams; every failure is a SystemUnderTestError without secrets."""

    def __init__(self, settings: ConnectorSettings, vault: Vault, longest_bytes: int) -> None:
        self._vault = vault
        self.client = make_client(settings, longest_bytes, vault)

    async def ask(
        self,
        request: httpx.Request,
        streamed: Callable[[Events], AsyncIterator[SystemOutput]],
        whole: Callable[[Any], Iterable[SystemOutput]],
    ) -> AsyncGenerator[SystemOutput]:
        """What one of the two readers makes of the answer: of its events, or of its JSON."""
        with reported(self._vault):
            response = await self._connected(request)
            try:
                if response.headers.get("content-type", "").startswith("text/event-stream"):
                    check_status(response, b"")
                    async for output in streamed(_events(response)):
                        yield output
                else:
                    body = await response.aread()
                    check_status(response, body)
                    for output in whole(read_json(body)):
                        yield output
            finally:
                await response.aclose()

    async def close(self) -> None:
        await self.client.aclose()

    async def _connected(self, request: httpx.Request) -> httpx.Response:
        """A second try where the first was never heard."""
        try:
            return await self.client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            await asyncio.sleep(_PAUSE_S)
            return await self.client.send(request, stream=True)


async def _events(response: httpx.Response) -> Events:
    try:
        async for event in EventSource(response).aiter_sse():
            yield event
    except SSEError as error:
        raise bad_answer(f"the stream cannot be read: {error}") from None
