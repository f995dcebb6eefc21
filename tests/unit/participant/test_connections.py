"""Connections that ask for nothing, or half of something, go; whoever asks is answered."""

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
from vivavoce.participant.connections import PatientProtocol, options

PROMPT_S = 1.5  # in which who has connected asks, however busy the machine
ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


class Door:
    """A server that answers when it is let."""

    def __init__(self) -> None:
        self.port, self.may_answer = free_port(), threading.Event()

    async def __call__(self, scope, receive, send) -> None:
        if scope["path"] == "/slow":
            await asyncio.to_thread(self.may_answer.wait, PATIENCE_S)
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    @contextmanager
    def knock(self, said: bytes = b"") -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(said)
            yield connection

    def answers(self) -> bool:
        with suppress(ConnectionError), self.knock(ASKED) as connection:
            return connection.recv(100).startswith(b"HTTP/1.1 200")
        return False


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    monkeypatch.setattr(PatientProtocol, "head_s", PROMPT_S)
    monkeypatch.setattr(PatientProtocol, "body_s", PROMPT_S)
    monkeypatch.setattr(PatientProtocol, "most_waiting", 20)
    opened = Door()
    config = uvicorn.Config(opened, port=opened.port, log_level="error", lifespan="off", **options())
    server = uvicorn.Server(config)
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
