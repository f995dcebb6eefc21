"""Connections that ask for nothing, ask for half of something or read no answer go; who asks is answered."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
import uvicorn

from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port
from vivavoce.participant.connections import PatientProtocol, UnreadAnswers, options

PROMPT_S = 1.5  # in which who has connected asks, however busy the machine
ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
LONG = ASKED.replace(b"GET /", b"GET /long")
LONGEST = 16 * 1024 * 1024  # more than a system takes from us for a reader who never reads


class Door:
    """A server that answers when it is let."""

    def __init__(self) -> None:
        self.port, self.may_answer = free_port(), threading.Event()
        self.server: uvicorn.Server

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            while True:
                await send({"type": "websocket.send", "bytes": b"x" * 65_536})
        if scope["path"] == "/slow":
            await asyncio.to_thread(self.may_answer.wait, PATIENCE_S)
        await receive()
        body = b"x" * LONGEST if scope["path"] == "/long" else b"ok"
        length = b"%d" % len(body)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
        await send({"type": "http.response.body", "body": body})

    @contextmanager
    def knock(self, said: bytes = b"") -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(said)
            yield connection

    def unread_bytes(self) -> int:
        """Bytes of answers that this process holds for their readers."""
        connections = list(self.server.server_state.connections)
        return sum(connection.transport.get_write_buffer_size() for connection in connections)

    def answers(self) -> bool:
        with suppress(ConnectionError), self.knock(ASKED) as connection:
            return connection.recv(100).startswith(b"HTTP/1.1 200")
        return False


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    monkeypatch.setattr(PatientProtocol, "head_s", PROMPT_S)
    monkeypatch.setattr(PatientProtocol, "body_s", PROMPT_S)
    monkeypatch.setattr(UnreadAnswers, "read_s", PROMPT_S)
    monkeypatch.setattr(PatientProtocol, "most_waiting", 20)
    opened = Door()
    config = uvicorn.Config(opened, port=opened.port, log_level="error", lifespan="off", **options())
    server = opened.server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    eventually(lambda: server.started)
    yield opened
    opened.may_answer.set()
    server.should_exit = True
    thread.join(PATIENCE_S)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: here\r\n",
        b"POST /slow HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nhalf",
        ASKED + b"GET / HTTP/1.1\r\nHo",
    ],
    ids=["nothing", "half a head", "half a body", "half a second request"],
)
def test_what_never_becomes_a_request_is_closed(door: Door, said: bytes) -> None:
    with door.knock(said) as connection:
        eventually(lambda: connection.recv(1000) == b"")
    eventually(door.answers)


def test_a_head_without_end_is_closed_and_others_are_answered_meanwhile(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "head_s", 10 * PATIENCE_S)
    with door.knock(b"GET / HTTP/1.1\r\nLong: ") as endless:
        endless.settimeout(PATIENCE_S)
        sent = 0
        with suppress(ConnectionError):
            while sent < 4_000_000:
                sent += endless.send(b"x" * 1000)
        assert sent < 4_000_000
    assert door.answers()


@pytest.mark.parametrize(("piece", "closed"), [(b"x", True), (b"x" * 4096, False)], ids=["drip", "upload"])
def test_a_body_may_take_its_time_but_not_drip(door: Door, piece: bytes, closed: bool) -> None:
    head = b"POST /slow HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n"
    with door.knock(head) as connection:
        connection.settimeout(PROMPT_S / 5)
        end = time.monotonic() + (PATIENCE_S if closed else 3 * PROMPT_S)
        gone = False
        while time.monotonic() < end and not gone:
            with suppress(TimeoutError):
                try:
                    connection.sendall(piece)
                    gone = connection.recv(10) == b""
                except ConnectionError:
                    gone = True
        assert gone is closed


def test_an_answer_may_take_longer_than_a_question(door: Door) -> None:
    with door.knock(ASKED.replace(b"GET /", b"GET /slow")) as slow:
        with door.knock() as idle:
            assert idle.recv(1) == b""  # so much time has passed
        door.may_answer.set()
        assert slow.recv(100).startswith(b"HTTP/1.1 200")


def test_of_too_many_connections_the_oldest_go_and_who_asks_is_answered(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "head_s", 10 * PATIENCE_S)
    with ExitStack() as stack:
        idle = [stack.enter_context(door.knock()) for _ in range(60)]
        assert door.answers()
        assert [one.recv(1) for one in idle[:40]] == [b""] * 40
        idle[-1].sendall(ASKED)
        assert idle[-1].recv(100).startswith(b"HTTP/1.1 200")


def test_who_reads_no_answer_is_disconnected_and_nothing_is_held_for_them(door: Door) -> None:
    with door.knock(LONG):
        eventually(lambda: door.unread_bytes() > 0.9 * LONGEST)  # the system holds little in our place
        eventually(lambda: not door.unread_bytes())
        eventually(lambda: not door.server.server_state.connections)
    assert door.answers()


def test_who_reads_nothing_of_a_websocket_is_disconnected(door: Door) -> None:
    asked = ASKED[:-2] + b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    asked += b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    with door.knock(asked) as socket_:
        assert socket_.recv(12) == b"HTTP/1.1 101"
        eventually(door.unread_bytes)
        eventually(lambda: not door.server.server_state.connections)


def test_who_reads_slowly_gets_the_whole_answer(door: Door) -> None:
    with door.knock(LONG) as slow:
        began, received = time.monotonic(), 0
        while received < LONGEST:
            piece = slow.recv(256 * 1024)
            assert piece, f"disconnected after {received} bytes"
            received += len(piece)
            time.sleep(3 * PROMPT_S / 64)
        assert time.monotonic() - began > 2 * PROMPT_S


def rest_of(connection: socket.socket) -> int:
    """How many bytes still come."""
    received = 0
    with suppress(ConnectionError):
        while piece := connection.recv(1024 * 1024):
            received += len(piece)
    return received


def test_where_too_much_is_unread_who_has_waited_longest_is_disconnected(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UnreadAnswers, "read_s", 10 * PATIENCE_S)
    monkeypatch.setattr(UnreadAnswers, "most_unread", 3 * LONGEST)
    last = LONG.replace(b"Host", b"Connection: close\r\nHost")
    with ExitStack() as stack:
        readers = []
        for _ in range(6):
            readers.append(stack.enter_context(door.knock(last)))
            assert readers[-1].recv(1)
        assert door.answers()
        assert door.unread_bytes() <= 3 * LONGEST
        whole = [rest_of(reader) > LONGEST for reader in readers]
    assert whole == sorted(whole) and 2 <= whole.count(True) <= 4


def test_who_sends_many_requests_before_reading_is_disconnected(door: Door) -> None:
    with door.knock(ASKED.replace(b"GET /", b"GET /slow") + ASKED * 3) as few:
        with door.knock(ASKED * 2_000) as many:
            received = b""
            with suppress(ConnectionError):
                while piece := many.recv(65_536):
                    received += piece
            assert received.count(b"HTTP/1.1 200") < 20
        door.may_answer.set()
        received = b""
        while received.count(b"HTTP/1.1 200") < 4:
            received += few.recv(65_536)
    assert door.answers()


def test_what_follows_a_body_may_not_be_endless(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatientProtocol, "body_s", 10 * PATIENCE_S)
    head = b"POST /slow HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nLong: "
    with door.knock(head) as endless:
        sent = 0
        with suppress(ConnectionError):
            while sent < 4_000_000:
                sent += endless.send(b"x" * 1000)
        assert sent < 4_000_000
