"""Several processes that serve one study: each visit is led by one of them, by its key, whoever is asked.

A request that another process leads is handed over by a Unix socket, as the messages of ASGI that it is made
of, so that tabs, waiting for news and limits are where the visit is. When the leader dies its successor has
the visit from the log; what was asked meanwhile is asked again, which changes nothing twice.
"""

import asyncio
import hashlib
import itertools
import marshal
import struct
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.participant import sign_in
from vivavoce.participant.site import Site

PATIENCE_S: Final = 30.0  # a worker that died is back by then, also on a slow machine
STEP_S: Final = 0.1
KEPT_BYTES: Final = 1024 * 1024  # of a request, to ask again; a longer one is asked once
HANDED: Final = "vivavoce.handed"
_CARRIED: Final = (
    "type",
    "asgi",
    "http_version",
    "server",
    "client",
    "scheme",
    "method",
    "root_path",
    "path",
    "raw_path",
    "query_string",
    "headers",
    "subprotocols",
)
_LENGTH: Final = struct.Struct("!I")
Handler = Callable[[Request, Exception], Awaitable[Response]]
_report = structlog.get_logger("vivavoce.participant")


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """This worker of a service; number: from 0, below `workers`."""

    number: int
    workers: int

    def leader(self, key: str) -> int:
        """The number of the worker that leads what has this key."""
        digest = hashlib.blake2s(key.encode(), digest_size=4).digest()
        return int.from_bytes(digest, "big") % self.workers

    def leads(self, key: str) -> bool:
        """True if this worker leads."""
        return self.leader(key) == self.number


def door_of(folder: Path, number: int) -> Path:
    """The socket on which a worker takes what others hand over."""
    return folder / f"worker-{number}.sock"


class LeaderGone(Exception):
    """The worker to which something was handed over went away before it had answered."""


class _Line:
    """Frames on a connection between two workers: (number of the request, what it is, a message)."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def read(self) -> tuple[int, str, Any]:
        """Raises  IncompleteReadError, OSError: the other side is gone"""
        (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
        return marshal.loads(await self._reader.readexactly(length))

    def write(self, number: int, what: str, message: Any = None) -> None:
        """Raises  OSError: the other side is gone"""
        if self._writer.is_closing():  # uvloop would raise a RuntimeError
            raise ConnectionResetError("the other worker has stopped")
        frame = marshal.dumps((number, what, message))
        self._writer.write(_LENGTH.pack(len(frame)) + frame)

    async def drain(self) -> None:
        await self._writer.drain()

    def close(self) -> None:
        self._writer.close()


class _Asked:
    """The line to one leader, for all requests that are handed over to it."""

    def __init__(self, line: _Line) -> None:
        self._line, self._numbers = line, itertools.count()
        self._open: dict[int, asyncio.Queue[tuple[str, Any]]] = {}
        self.gone = False
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with suppress(asyncio.IncompleteReadError, OSError):
            while True:
                number, what, message = await self._line.read()
                if (queue := self._open.get(number)) is not None:
                    queue.put_nowait((what, message))
        self.gone = True
        for queue in self._open.values():
            queue.put_nowait(("gone", None))
        self._line.close()

    async def ask(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry one request to the leader and its answer back. Raises  LeaderGone"""
        if self.gone:
            raise LeaderGone
        number, queue = next(self._numbers), asyncio.Queue[tuple[str, Any]]()
        self._open[number] = queue
        hearing: set[asyncio.Task[None]] = set()

        async def hear() -> None:
            with suppress(OSError):  # whoever reads the line says that it is gone
                self._line.write(number, "message", await receive())

        try:
            self._line.write(number, "scope", {name: scope[name] for name in _CARRIED if name in scope})
            while True:
                what, message = await queue.get()
                if what == "send":
                    await send(message)
                elif what == "receive":
                    task = asyncio.create_task(hear())
                    hearing.add(task)
                    task.add_done_callback(hearing.discard)
                elif what == "gone":
                    raise LeaderGone
                else:
                    return
        finally:
            del self._open[number]
            for task in hearing:
                task.cancel()

    def close(self) -> None:
        self._reading.cancel()
        self._line.close()


class _Kept:
    """Body of a browser's request, kept while another leader may need it."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._heard, self._bytes = receive, list[Message](), 0

    @property
    def whole(self) -> bool:
        return self._bytes <= KEPT_BYTES

    def again(self) -> Receive:
        """All of it from its beginning."""
        told = 0

        async def receive() -> Message:
            nonlocal told
            if told == len(self._heard):
                message = await self._receive()
                self._heard.append(message)
                self._bytes += len(message.get("body") or b"")
            told += 1
            return self._heard[told - 1]

        return receive


class Handover:
    """Middleware of one worker: hands over requests that another worker leads.

    away  what answers where the leader does not come back within `patience_s`
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        site: Site,
        share: WorkerShare,
        folder: Path,
        away: Handler,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.app, self.site, self.share, self.folder = app, site, share, folder
        self._away, self._patience_s = away, patience_s
        self._leaders: dict[int, _Asked] = {}
        self._calling: dict[int, asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or HANDED in scope:
            await self.app(scope, receive, send)
            return
        leader = await self._leader(scope)
        if leader is None or leader == self.share.number:
            await self.app(scope, receive, send)
        else:
            await self._hand_over(leader, scope, receive, send)

    async def _leader(self, scope: Scope) -> int | None:
        """Leader of a request; None: the worker that received it.

        Rate limits in memory have one place: a network address that begins visits, experts who sign in.
        """
        path = scope["path"].removeprefix(self.site.base)
        if path.startswith("/static/"):
            return None
        if path.startswith(sign_in.HOME):
            return 0
        connection = HTTPConnection(scope)
        token = connection.cookies.get(self.site.cookie)
        visit_id = await self.site.engine.visit_of_token(token) if token else None
        if visit_id is not None:
            return self.share.leader(visit_id)
        if scope["type"] == "websocket" or scope["method"] in ("GET", "HEAD"):
            return None
        if path == "/start":
            return self.share.leader(connection.client.host if connection.client else "unknown")
        return 0

    async def _hand_over(self, leader: int, scope: Scope, receive: Receive, send: Send) -> None:
        buffer, answered, until_s = _Kept(receive), False, time.monotonic() + self._patience_s

        async def noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        while True:
            try:
                line = await self._line(leader)
                await line.ask(scope, buffer.again(), noted)
                return
            except (LeaderGone, OSError):
                if answered:
                    raise
                late = time.monotonic() > until_s or self.site.closing.is_set()
                if late or not buffer.whole:
                    break
            await asyncio.sleep(STEP_S)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1013})
            return
        response = await self._away(Request(scope), LeaderGone(f"worker {leader} is away"))
        await response(scope, receive, send)

    async def _line(self, leader: int) -> _Asked:
        """Connection to a leader. Raises  OSError: there is no leader yet"""
        async with self._calling.setdefault(leader, asyncio.Lock()):
            asked_leader = self._leaders.get(leader)
            if asked_leader is None or asked_leader.gone:
                met = await asyncio.open_unix_connection(str(door_of(self.folder, leader)))
                asked_leader = self._leaders[leader] = _Asked(_Line(*met))
            return asked_leader

    def close(self) -> None:
        for line in self._leaders.values():
            line.close()


class Door:
    """Takes what other workers hand over, by a socket of this one's."""

    def __init__(self, app: ASGIApp, path: Path) -> None:
        self._app, self._path = app, path
        self._server: asyncio.Server | None = None
        self._met: dict[_Line, asyncio.Task[None] | None] = {}
        self._answers: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._meet, str(self._path))

    async def close(self, patience_s: float = 1.0) -> None:
        """Answer what is under way as far as that goes at once; who asked for the rest asks again."""
        if self._server is not None:
            self._server.close()
        if self._answers:
            await asyncio.wait(self._answers, timeout=patience_s)
        for line in self._met:
            line.close()
        for task in self._answers:
            task.cancel()
        meetings = [task for task in self._met.values() if task is not None]
        await asyncio.gather(*self._answers, *meetings, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, incoming = _Line(reader, writer), dict[int, asyncio.Queue[Message]]()
        self._met[line] = asyncio.current_task()
        try:
            while True:
                number, what, message = await line.read()
                if what == "scope":
                    incoming[number] = asyncio.Queue()
                    task = asyncio.create_task(self._answer(line, number, message, incoming))
                    self._answers.add(task)
                    task.add_done_callback(self._answers.discard)
                elif number in incoming:
                    incoming[number].put_nowait(message)
        except (asyncio.IncompleteReadError, OSError):
            for queue in incoming.values():
                queue.put_nowait({"type": "http.disconnect"})
        finally:
            del self._met[line]
            line.close()

    async def _answer(
        self, line: _Line, number: int, scope: Mapping[str, Any], incoming: dict[int, asyncio.Queue[Message]]
    ) -> None:
        async def receive() -> Message:
            line.write(number, "receive")
            return await incoming[number].get()

        async def send(message: Message) -> None:
            line.write(number, "send", dict(message))
            await line.drain()

        try:
            with suppress(OSError):
                await self._app({**scope, "state": {}, HANDED: True}, receive, send)
        except Exception as error:  # the pages have answered it; here nobody else would hear of it
            _report.error("handed_over_failed", path=scope.get("path"), error=repr(error))
        finally:
            incoming.pop(number, None)
            with suppress(OSError):
                line.write(number, "over")
