"""Addresses that lead to this machine or its neighbours, however written: nothing is connected to."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from scenes.payloads import hosts_of_this_machine
from vivavoce.connectors.base import Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.transport import GuardedTransport
from vivavoce.core.errors import InputError, SystemUnderTestError

pytestmark = pytest.mark.reliability
REDIRECTS = (301, 302, 303, 307, 308)
HOSTS = list(dict.fromkeys(hosts_of_this_machine()))


@contextmanager
def listening(
    family: int = socket.AF_INET, *, to: str = "", status: int = 200
) -> Iterator[tuple[int, list[str]]]:
    """A service of this machine, and who asked it for what; `to`: where it sends whoever asks."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            if to:
                self.send_header("Location", to)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = answer

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        address_family = family

    server = Server(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def talk(settings: dict[str, Any], timeout_s: float = 30) -> str:
    """What comes of saying something to a system at this address: a failure, or "reached"."""
    try:
        connector = make_connector(settings, {})
    except InputError:
        return "refused in the study file"
    conversation = Conversation("key-0001")
    try:
        async with asyncio.timeout(timeout_s):
            async for _ in connector.send(conversation, UserTurn(key="key-0001", number=1, text="hello")):
                pass
        return "reached"
    except SystemUnderTestError as error:
        return error.failure
    finally:
        await connector.shut_down()


@pytest.mark.parametrize("kind", ["http", "websocket", "openai"])
def test_no_way_to_write_this_machine_is_connected_to(kind: str, note_figures: Callable[..., None]) -> None:
    schemes = {"http": "http", "websocket": "ws", "openai": "http"}
    more = {"openai": {"model": "m"}}.get(kind, {})
    with listening() as (port, asked), listening(socket.AF_INET6) as (port_6, asked_6):

        async def run() -> dict[str, str]:
            found = {}
            for host in HOSTS:
                url = f"{schemes[kind]}://{host}:{port_6 if host.startswith('[') else port}/chat"
                found[url] = await talk({"connect": kind, "url": url, **more})
            return found

        found = asyncio.run(run())
    assert asked + asked_6 == []
    assert "reached" not in found.values() and {"refused", "refused in the study file"} <= set(found.values())
    tried = [url for url, told in found.items() if "//[" in url and not told.startswith("refused")]
    assert tried == [], "no name is looked up here, so nothing but a refusal keeps it from being tried"
    note_figures("addresses of this machine", connector=kind, written=len(found), connected=0)
    assert len(found) >= 60


def test_the_services_can_be_reached_where_that_is_allowed(note_figures: Callable[..., None]) -> None:
    """Else the tests beside it could not fail."""
    with listening() as (port, asked):
        asyncio.run(talk({"connect": "http", "url": f"http://127.0.0.1:{port}/chat", "allow_private": True}))
    assert asked == ["/chat"]
    note_figures("addresses of this machine, allowed", connected=len(asked))


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_system_that_sends_on_to_another_machine_is_not_followed(
    status: int, note_figures: Callable[..., None]
) -> None:
    with (
        listening() as (inside, asked),
        listening(to=f"http://127.0.0.1:{inside}/x", status=status) as (port, first),
    ):
        settings = {"connect": "http", "url": f"http://127.0.0.1:{port}/chat", "allow_private": True}
        assert asyncio.run(talk(settings)) == "refused"
    assert (first, asked) == (["/chat"], [])
    note_figures("sent on to another machine", status=status, followed=len(asked))


@pytest.mark.parametrize("changes_after", [0, 1, 2])
def test_a_name_that_means_this_machine_the_next_time_is_never_connected_to(
    changes_after: int, monkeypatch: pytest.MonkeyPatch, note_figures: Callable[..., None]
) -> None:
    """DNS rebinding: the address that was checked is connected to, and a new look is checked again."""
    carried: list[str] = []

    async def carry(_: object, request: httpx.Request) -> httpx.Response:
        carried.append(request.url.host)
        return httpx.Response(200, stream=httpx.ByteStream(b""), request=request)

    monkeypatch.setattr("httpx.AsyncHTTPTransport.handle_async_request", carry)
    monkeypatch.setattr("vivavoce.connectors.transport._REMEMBERED_S", -1.0)  # every request looks anew
    looked = 0

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        nonlocal looked
        looked += 1
        address = "8.8.8.8" if looked <= changes_after else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    async def run() -> None:
        asyncio.get_running_loop().getaddrinfo = resolve  # type: ignore[method-assign]
        transport = GuardedTransport(allow_private=False, longest_bytes=1000)
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            for _ in range(changes_after):
                await client.get("http://bot.example/")
            with pytest.raises(SystemUnderTestError, match="private network"):
                await client.get("http://bot.example/")

    asyncio.run(run())
    assert carried == ["8.8.8.8"] * changes_after and looked == changes_after + 1
    note_figures("a name that comes to mean this machine", requests_before=changes_after, connected_after=0)
