"""A server in the test's own event loop that keeps what it is sent and says one thing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

ANSWER = b'{"text": "good"}'


@asynccontextmanager
async def replying(got: list[tuple[dict[str, str], bytes]]) -> AsyncIterator[str]:
    """Its address; `got` grows by the headers, names in small letters, and the body of each request."""

    writers: list[asyncio.StreamWriter] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:]
                parts = (line.partition(":") for line in lines if line)
                headers = {name.lower(): value.strip() for name, _, value in parts}
                got.append((headers, await reader.readexactly(int(headers.get("content-length", "0")))))
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
                writer.write(head.encode() + ANSWER)

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        for writer in writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
