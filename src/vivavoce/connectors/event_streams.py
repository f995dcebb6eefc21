"""Answers that come as server-sent events or lines of JSON, or whole where a server does not stream.

What an answer is shows in how it begins: servers name their streams as they like.
"""

import asyncio
import json
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
_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
_LONGEST_FIELD: Final = max(map(len, _FIELDS))
_LINES: Final = {
    "application/x-ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/json-seq",
}

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
        """Outputs of one of the two readers: of events, or of JSON."""
        with reported(self._vault):
            response = await self._connected(request)
            try:
                if response.is_error or response.is_redirect:
                    check_status(response, await response.aread())
                start = _Begun(response)
                if await start.is_event_stream():
                    async for output in streamed(_events(start)):
                        yield output
                elif await start.is_lines():
                    async for output in streamed(_lines(start)):
                        yield output
                else:
                    for output in whole(read_json(await start.rest())):
                        yield output
            finally:
                await response.aclose()

    async def ask_whole(self, request: httpx.Request) -> Any:
        """The JSON answer to a request that streams nothing."""
        with reported(self._vault):
            response = await self._connected(request)
            try:
                body = await response.aread()
                if response.is_error or response.is_redirect:
                    check_status(response, body)
                return self._vault.redact(read_json(body))
            finally:
                await response.aclose()

    async def close(self) -> None:
        await self.client.aclose()

    async def _connected(self, request: httpx.Request) -> httpx.Response:
        """Second try if the first never reached the system."""
        try:
            return await self.client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            await asyncio.sleep(_PAUSE_S)
            return await self.client.send(request, stream=True)


class _Begun(httpx.AsyncByteStream):
    """An answer of which the beginning may have been looked at."""

    def __init__(self, response: httpx.Response) -> None:
        self._kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self._pieces, self._held, self._ended = response.aiter_bytes(), b"", False

    async def is_event_stream(self) -> bool:
        if self._kind == "text/event-stream":
            return True
        while len(self._held.lstrip()) < _LONGEST_FIELD and await self._more():
            pass
        return self._held.lstrip().startswith(_FIELDS)

    async def is_lines(self) -> bool:
        """True for a JSON line per event: by content type, or a complete mapping with more behind it."""
        if self._kind in _LINES:
            return True
        if not self._held.lstrip().startswith(b"{"):
            return False
        while not _first_and_more(self._held) and await self._more():
            pass
        return _first_and_more(self._held)

    async def rest(self) -> bytes:
        return b"".join([piece async for piece in self])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        buffered, self._held = self._held, b""
        if buffered:
            yield buffered
        async for piece in self._pieces:
            yield piece

    async def _more(self) -> bool:
        if not self._ended:
            piece = await anext(self._pieces, None)
            self._ended = piece is None
            self._held += piece or b""
        return not self._ended


def _first_and_more(data: bytes) -> bool:
    """True if the first line is a complete mapping and another begins after it."""
    first, _, more = data.lstrip().partition(b"\n")
    if not more.strip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except ValueError:
        return False


async def _lines(begun: _Begun) -> Events:
    async for line in httpx.Response(200, stream=begun).aiter_lines():
        if line.strip():
            yield ServerSentEvent(data=line)


async def _events(begun: _Begun) -> Events:
    try:
        response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=begun)
        async for event in EventSource(response).aiter_sse():
            yield event
    except SSEError as error:
        raise bad_answer(f"cannot read the stream: {error}") from None
