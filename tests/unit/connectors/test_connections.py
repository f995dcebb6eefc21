"""What goes over a connection to a system: once, to whom it was meant for, and nobody else's cookies."""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
import trustme

from scenes.patience import PATIENCE_S
from vivavoce.connectors.base import Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.transport import GuardedTransport
from vivavoce.core.errors import SystemUnderTestError

Answer = Callable[[str], bytes | None]


def answered(body: str, *more: str) -> bytes:
    head = ["HTTP/1.1 200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}", *more]
    return "\r\n".join([*head, "", body]).encode()


@asynccontextmanager
async def serving(
    answer: Answer, context: ssl.SSLContext | None = None, writers: list[asyncio.StreamWriter] | None = None
) -> AsyncIterator[int]:
    """A port whose server gives each request, its head as text, to `answer`; None closes the connection.

    `writers` grows by one for each connection.
    """

    writers = [] if writers is None else writers

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().lower().splitlines()
                length = sum(
                    int(line.partition(":")[2]) for line in lines if line.startswith("content-length")
                )
                await reader.readexactly(length)
                said = answer(head.decode())
                if said is None:
                    break
                writer.write(said)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]
        for writer in writers:
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()


def test_a_request_whose_connection_is_lost_is_not_sent_again() -> None:
    heads: list[str] = []

    def answer(head: str) -> bytes | None:
        heads.append(head)
        return answered("{}") if len(heads) == 1 else None

    async def run() -> None:
        transport = GuardedTransport(allow_private=True, longest_bytes=1000)
        async with serving(answer) as port, httpx.AsyncClient(transport=transport) as client:
            assert (await client.get(f"http://127.0.0.1:{port}/first")).json() == {}
            with pytest.raises(httpx.RemoteProtocolError):
                await client.get(f"http://127.0.0.1:{port}/second")

    asyncio.run(run())
    assert [head.split()[1] for head in heads] == ["/first", "/second"]


@pytest.mark.parametrize(("name", "trusted"), [("bot.example", True), ("other.example", False)])
def test_a_certificate_must_be_for_the_name_as_written(name: str, trusted: bool) -> None:
    authority = trustme.CA()
    served, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("bot.example").configure_cert(served)
    authority.configure_trust(trusting)

    async def here(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    async def run() -> str:
        asyncio.get_running_loop().getaddrinfo = here  # type: ignore[method-assign]
        transport = GuardedTransport(allow_private=True, longest_bytes=1000, verify=trusting)
        async with (
            serving(lambda head: answered(str(f"Host: {name}:" in head).lower()), served) as port,
            httpx.AsyncClient(transport=transport) as client,
        ):
            return (await client.get(f"https://{name}:{port}/")).text

    if trusted:
        assert asyncio.run(run()) == "true"
    else:
        with pytest.raises(httpx.ConnectError, match="certificate"):
            asyncio.run(run())


def test_a_cookie_stays_in_the_conversation_in_which_the_system_set_it() -> None:
    known: list[str] = []

    def answer(head: str) -> bytes:
        cookie = next((line for line in head.splitlines() if line.lower().startswith("cookie:")), "")
        if not cookie:
            known.append(f"visitor={len(known)}")
            return answered('{"text": "new"}', f"Set-Cookie: {known[-1]}; Path=/")
        return answered(json.dumps({"text": cookie.partition(": ")[2]}))

    async def run() -> dict[str, list[str]]:
        async with serving(answer) as port:
            settings = {"connect": "http", "url": f"http://127.0.0.1:{port}/", "allow_private": True}
            connector = make_connector(settings)
            talks = {key: Conversation(key) for key in ("first", "second")}
            said: dict[str, list[str]] = {key: [] for key in talks}

            async def say(key: str) -> None:
                turn = UserTurn(key=f"{key}{len(said[key])}", number=len(said[key]) + 1, text="hello")
                outputs = connector.send(talks[key], turn)
                said[key] += [one.text async for one in outputs if one.kind == "message"]

            for key in ("first", "second", "first", "second"):
                await say(key)
            await connector.reset(talks["second"])
            await say("second")
            await connector.shut_down()
            return said

    assert asyncio.run(run()) == {"first": ["new", "visitor=0"], "second": ["new", "visitor=1", "new"]}


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def run() -> str:
        transport = GuardedTransport(allow_private=True, longest_bytes=1000)
        async with serving(lambda _: answered("1")) as port, httpx.AsyncClient(transport=transport) as client:
            return (await client.get(f"http://127.0.0.1:{port}/")).text

    assert asyncio.run(run()) == "1"


def test_nothing_is_sent_after_the_connector_was_shut_down() -> None:
    heads: list[str] = []

    def answer(head: str) -> bytes:
        heads.append(head)
        return answered('{"text": "hello"}')

    async def run() -> None:
        async with serving(answer) as port:
            address = f"http://127.0.0.1:{port}"
            settings = {"connect": "http", "url": address, "allow_private": True, "close": {"url": address}}
            connector, conversation = make_connector(settings), Conversation("late")
            await connector.shut_down()
            await connector.close(conversation)
            with pytest.raises(SystemUnderTestError, match="unreachable: the connector was shut down"):
                async for _ in connector.send(conversation, UserTurn(key="k", number=1, text="hello")):
                    pass

    asyncio.run(run())
    assert heads == []


@pytest.mark.parametrize("reason", ["Gone Fishing", ""])
def test_path_and_query_go_as_they_are_and_the_reason_comes_back(reason: str) -> None:
    heads: list[str] = []

    def answer(head: str) -> bytes:
        heads.append(head.splitlines()[0])
        return f"HTTP/1.1 404 {reason}\r\nContent-Length: 0\r\n\r\n".encode()

    async def run() -> httpx.Response:
        transport = GuardedTransport(allow_private=True, longest_bytes=1000)
        async with serving(answer) as port, httpx.AsyncClient(transport=transport) as client:
            return await client.get(f"http://127.0.0.1:{port}/a%2Fb/%7Ec?q=%20x&r=1+2")

    assert asyncio.run(run()).reason_phrase == reason
    assert heads == ["GET /a%2Fb/%7Ec?q=%20x&r=1+2 HTTP/1.1"]


def test_connections_are_kept_in_a_loop_and_new_in_another() -> None:
    transport = GuardedTransport(allow_private=True, longest_bytes=1000)
    made: list[object] = []

    def answer(head: str) -> bytes:
        made.append(transport._opened("127.0.0.1"))
        return answered("{}")

    async def run() -> None:
        async with serving(answer) as port:
            for path in ("first", "second"):
                request = httpx.Request("GET", f"http://127.0.0.1:{port}/{path}")
                response = await transport.handle_async_request(request)
                await response.aread()
                await response.aclose()
            await transport._opened("127.0.0.1").aclose()

    for _ in range(2):
        asyncio.run(run())
    assert made[0] is made[1] and made[2] is made[3] and made[1] is not made[2]


def test_names_at_one_address_share_no_connection() -> None:
    writers: list[asyncio.StreamWriter] = []

    async def run() -> None:
        transport = GuardedTransport(allow_private=True, longest_bytes=1000)
        async with (
            serving(lambda head: answered("{}"), writers=writers) as port,
            httpx.AsyncClient(transport=transport) as client,
        ):
            for host in ("localhost", "127.0.0.1", "localhost"):
                await client.get(f"http://{host}:{port}/")

    asyncio.run(run())
    assert len(writers) == 2


class ClosesWhatIsIdle(threading.Thread):
    """A server that answers the first request of a connection and closes it when it is told."""

    def __init__(self) -> None:
        super().__init__()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._told, self._closed = threading.Event(), threading.Event()
        self.heard: list[bytes] = []

    def close_the_first(self) -> None:
        """While this waits, the event loop of whoever asks does nothing."""
        self._told.set()
        assert self._closed.wait(PATIENCE_S)

    def stop(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self.join(PATIENCE_S)

    def run(self) -> None:
        with self._listening, suppress(OSError):
            self._answer_one()
            self._answer_one()

    def _answer_one(self) -> None:
        connection, _ = self._listening.accept()
        connection.settimeout(PATIENCE_S)
        with connection:
            self.heard.append(connection.recv(65_536))
            connection.sendall(answered('{"text": "hello"}'))
            assert self._told.wait(PATIENCE_S)
        self._closed.set()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_that_the_server_closed_while_we_were_busy_is_not_used_again(method: str) -> None:
    server = ClosesWhatIsIdle()

    async def run() -> list[str]:
        address = f"http://127.0.0.1:{server.port}/"
        connector = make_connector(
            {"connect": "http", "url": address, "method": method, "allow_private": True}
        )
        conversation, said = Conversation("busy"), []

        async def say(number: int) -> None:
            turn = UserTurn(key=f"k{number}", number=number, text="hello")
            said.extend(
                [one.text async for one in connector.send(conversation, turn) if one.kind == "message"]
            )

        await say(1)
        server.close_the_first()
        await say(2)
        await connector.shut_down()
        return said

    server.start()
    try:
        assert asyncio.run(run()) == ["hello", "hello"]
    finally:
        server.stop()
    assert len(server.heard) == 2
