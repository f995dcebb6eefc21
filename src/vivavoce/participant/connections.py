"""Limits of connections: time and bytes of heads, bodies and unread answers; idle connections."""

import asyncio
import ctypes
import socket
import sys
from typing import Any, ClassVar, Final

from httptools import HttpParserError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEAD_S: Final = 15.0  # from the first byte, or from connecting, to the end of a request's head
HEAD_BYTES: Final = 64 * 1024
BODY_S: Final = 30.0  # without a byte of a body that was announced
SLOWEST_BODY: Final = 1024.0  # bytes a second, after the first BODY_S seconds
MOST_WAITING: Final = 400
READ_S: Final = 30.0  # without a kibibyte a second read of an answer
SLOWEST_READER: Final = 1024.0
M_ARENA_MAX: Final = -8  # as malloc.h has it
SENT_BYTES: Final = 128 * 1024  # that the system takes ahead of a reader; by itself it takes megabytes
MOST_UNREAD: Final = 256 * 1024 * 1024  # bytes of all answers: more than a class that loads a sound
TIDY_S: Final = 15.0  # after a connection has ended
MOST_QUEUED: Final = 8  # requests sent before the answer to the one before; browsers send none
# longer than clients keep an idle connection (5 s in most): none is closed while a question is on its way
IDLE_S: Final = 10


class UnreadAnswers:
    """Connections whose other end must read.

    Who reads less than `slowest_reader` bytes a second for `read_s` seconds is disconnected, and whose answer
    has waited longest where more than `most_unread` bytes wait. Pages ask again and go on where they were.
    """

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    read_s, slowest_reader, most_unread = READ_S, SLOWEST_READER, MOST_UNREAD
    _unread: "ClassVar[dict[UnreadAnswers, None]]" = {}
    _reader_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._all_read()
        super().connection_lost(exc)  # pyright: ignore[reportAttributeAccessIssue]

    def pause_writing(self) -> None:
        super().pause_writing()  # pyright: ignore[reportAttributeAccessIssue]
        self._await_reader()

    def resume_writing(self) -> None:
        super().resume_writing()  # pyright: ignore[reportAttributeAccessIssue]
        self._all_read()
        if self.transport.is_closing():  # nothing more is written, after which it would be asked again
            self._await_reader()

    def _await_reader(self) -> None:
        """Disconnect who does not read what waits for them, and the first of all where too much waits."""
        self._all_read()
        waits = self.transport.get_write_buffer_size()
        if not waits:
            return
        self._unread[self] = None
        self._reader_timer = self.loop.call_later(self.read_s, self._has_read, waits)
        while sum(reader.transport.get_write_buffer_size() for reader in [*self._unread]) > self.most_unread:
            next(iter(self._unread))._disconnect()

    def _has_read(self, before: int) -> None:
        self._reader_timer = None
        if before - self.transport.get_write_buffer_size() < min(before, self.slowest_reader * self.read_s):
            self._disconnect()
        else:
            self._await_reader()

    def _all_read(self) -> None:
        self._unread.pop(self, None)
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None

    def _disconnect(self) -> None:
        self._all_read()
        self.transport.abort()


class PatientProtocol(UnreadAnswers, HttpToolsProtocol):
    """HTTP by uvicorn that closes slow and idle connections.

    A request's head must arrive whole within its limits of time and bytes, and its body without a long
    pause and at `slowest_body` bytes a second or more. Of more connections than `most_waiting` without a
    request the oldest is closed. Answers may take longer.
    """

    head_s, head_bytes, body_s, slowest_body = HEAD_S, HEAD_BYTES, BODY_S, SLOWEST_BODY
    most_waiting, most_queued = MOST_WAITING, MOST_QUEUED

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_BYTES)
        self._timer: asyncio.TimerHandle | None = None
        self._answering: RequestResponseCycle | None = None
        self._received, self._body_due_s = 0, 0.0
        self._waiting: dict[PatientProtocol, None] = vars(self.server_state).setdefault("waiting", {})
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_on()
        if self._answering is not None:  # uvicorn tells it to the last that was queued
            self._answering.disconnected = True
            self._answering.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)
        state = vars(self.server_state)
        if not state.get("tidying"):
            state["tidying"] = True
            self.loop.call_later(TIDY_S, self._tidy)

    def _tidy(self) -> None:
        vars(self.server_state)["tidying"] = False
        self.loop.run_in_executor(None, give_memory_back)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)  # sets it back where a head is whole, or a body comes
        if self._received > self.head_bytes:
            self._give_up()

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= self.most_queued:
            self.transport.abort()
            raise HttpParserError("too many requests at once")
        super().on_message_begin()
        if self not in self._waiting:
            self._wait()

    def on_headers_complete(self) -> None:
        self._go_on()
        self._received = 0
        self._body_due_s = self.loop.time() + self.body_s
        self._expect(self.body_s)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._received = 0
        self._body_due_s += len(body) / self.slowest_body
        self._expect(min(self.body_s, self._body_due_s - self.loop.time()))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._go_on()
        self._received = 0
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete:  # it was answered before it was read
            self._wait()

    def handle_websocket_upgrade(self) -> None:
        self._go_on()
        self._all_read()
        super().handle_websocket_upgrade()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        self._await_reader()

    def timeout_keep_alive_handler(self) -> None:
        self._give_up()

    def _wait(self) -> None:
        """Close without waiting: no request has arrived."""
        self._expect(self.head_s)
        self._waiting[self] = None
        if len(self._waiting) > self.most_waiting:
            next(iter(self._waiting))._give_up()

    def _go_on(self) -> None:
        self._waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expect(self, within_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(within_s, self._give_up)

    def _give_up(self) -> None:
        self._go_on()
        if not self.transport.is_closing():
            self.transport.close()
        self._await_reader()


class PatientSocket(UnreadAnswers, WebSocketsSansIOProtocol):
    """WebSockets by uvicorn, of which those that do not answer a ping are not waited for either."""

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._await_reader()


def _ask_allocator(name: str, *values: int) -> None:
    """Call a function of glibc; elsewhere nothing is asked."""
    function = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    if function is not None:
        function(*values)


def give_memory_back() -> None:
    """Return what was freed to the system; glibc keeps it otherwise."""
    _ask_allocator("malloc_trim", 0)


def allow_connections() -> None:
    """Raise this process's limit of open connections as far as the system allows; most begin with 1,024."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = hard if hard != resource.RLIM_INFINITY else max(soft, 65_536)
    if soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def options() -> dict[str, Any]:
    """Connection settings of uvicorn."""
    allow_connections()
    _ask_allocator("mallopt", M_ARENA_MAX, 2)  # of a pool for each thread little would ever come back
    return {"http": PatientProtocol, "ws": PatientSocket, "timeout_keep_alive": IDLE_S, "backlog": 1024}
