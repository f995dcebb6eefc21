"""A way to a server that a test can cut and mend, as a network does."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from scenes.patience import PATIENCE_S
from scenes.processes import free_port


class BrokenLine:
    """A port that leads to another one, until it is cut; then nothing gets through, and nobody is let in."""

    def __init__(self, to_port: int) -> None:
        self.port, self._to_port = free_port(), to_port
        self._whole = True
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        self._call(self._set(False))

    def mend(self) -> None:
        self._call(self._set(True))

    def _call(self, work) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _set(self, whole: bool) -> None:
        self._whole = whole
        if not whole:
            for writer in list(self._writers):
                writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._whole:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._to_port)
        self._writers |= {writer, back}
        with suppress(OSError):
            await asyncio.gather(self._copy(reader, back), self._copy(there, writer))
        self._writers -= {writer, back}

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while content := await reader.read(65_536):
                writer.write(content)
                await writer.drain()
        writer.close()

    async def _serve(self, started: threading.Event) -> None:
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        started.set()
        await self._stopping.wait()
        server.close()
        await self._set(False)
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    def run(self, started: threading.Event) -> None:
        self._loop.run_until_complete(self._serve(started))
        self._loop.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)


@contextmanager
def broken_line(to_port: int) -> Iterator[BrokenLine]:
    line, started = BrokenLine(to_port), threading.Event()
    thread = threading.Thread(target=line.run, args=(started,))
    thread.start()
    assert started.wait(PATIENCE_S)
    try:
        yield line
    finally:
        line.stop()
        thread.join(PATIENCE_S)
