"""Several workers of one service: who leads what, and how it gets there, also when the leader dies."""

import asyncio
import functools
import gc
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from scenes.patience import eventually_there
from vivavoce.participant.visit_router import Door, Handover, WorkerShare, _Line, door_of

LED_BY_ONE = next(
    f"visit-{number}" for number in range(99) if WorkerShare(0, 2).leader(f"visit-{number}") == 1
)


def in_a_loop(test: Callable[[Path], Coroutine[Any, Any, None]]) -> Callable[[Path], None]:
    @functools.wraps(test)
    def run(tmp_path: Path) -> None:
        asyncio.run(test(tmp_path))

    return run


async def echo(request: Request) -> Response:
    facts = {"worker": request.app.state.number, "path": request.url.path, "query": request.url.query}
    request.app.state.served += 1
    return JSONResponse({**facts, "body": (await request.body()).decode()}, headers={"x-seen": "yes"})


async def drip(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"first "
        await request.app.state.go_on.wait()
        yield b"last"

    return StreamingResponse(pieces())


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(f"{socket.app.state.number} heard {text}")


async def away(_: Request, __: Exception) -> Response:
    return JSONResponse({"error": "not_saved"}, 503)


def worker(folder: Path, number: int, patience_s: float = 20.0) -> Any:
    """The pages of one of two workers; a cookie names its visit."""

    async def visit_of_token(token: str) -> str | None:
        return token or None

    routes = [Route(path, echo, methods=["GET", "POST"]) for path in ("/visit", "/start", "/", "/annotate/x")]
    app: Any = Starlette(routes=[*routes, Route("/drip", drip), WebSocketRoute("/talk", talk)])
    app.state.number, app.state.served, app.state.go_on = number, 0, asyncio.Event()
    engine = SimpleNamespace(visit_of_token=visit_of_token)
    app.state.site = SimpleNamespace(base="", cookie="visit", engine=engine, closing=asyncio.Event())
    app.add_middleware(
        Handover,
        site=app.state.site,
        share=WorkerShare(number, 2),
        folder=folder,
        away=away,
        patience_s=patience_s,
    )
    return app


@asynccontextmanager
async def door(app: Any, folder: Path) -> AsyncIterator[Door]:
    opened = Door(app, door_of(folder, app.state.number))
    await opened.open()
    try:
        yield opened
    finally:
        await opened.close()


def browser(app: Any, visit: str = LED_BY_ONE) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://pages", cookies={"visit": visit} if visit else {}
    )


def test_each_key_has_one_leader_and_all_workers_lead_some() -> None:
    shares = [WorkerShare(number, 3) for number in range(3)]
    leaders = [[share.leads(f"visit-{key}") for share in shares] for key in range(300)]
    assert all(sum(one) == 1 for one in leaders)
    assert min(sum(column) for column in zip(*leaders, strict=True)) > 60


@in_a_loop
async def test_what_belongs_to_a_visit_gets_to_its_leader_whole(tmp_path: Path) -> None:
    asked, leader = worker(tmp_path, 0), worker(tmp_path, 1)
    async with door(leader, tmp_path), browser(asked) as client:
        answer = await client.post("/visit?after=3", content="x" * 200_000)
        again = await client.get("/visit")
    assert answer.json() == {"worker": 1, "path": "/visit", "query": "after=3", "body": "x" * 200_000}
    assert answer.headers["x-seen"] == "yes"
    assert again.json()["worker"] == 1
    assert (asked.state.served, leader.state.served) == (0, 2)


@in_a_loop
async def test_who_has_no_visit_is_answered_by_whoever_was_asked_and_counted_in_one_place(
    tmp_path: Path,
) -> None:
    first, second = worker(tmp_path, 0), worker(tmp_path, 1)
    doors = (door(first, tmp_path), door(second, tmp_path))
    async with doors[0], doors[1], browser(first, "") as one, browser(second, "") as other:
        assert [(await who.get("/")).json()["worker"] for who in (one, other)] == [0, 1]
        begins = {(await who.post("/start")).json()["worker"] for who in (one, other)}
        experts = {(await who.post("/annotate/x")).json()["worker"] for who in (one, other)}
    assert len(begins) == 1  # whose addresses are the same
    assert experts == {0}


@in_a_loop
async def test_an_answer_comes_piece_by_piece(tmp_path: Path) -> None:
    asked, leader = worker(tmp_path, 0), worker(tmp_path, 1)
    got: list[bytes] = []
    sent = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Any:
        for message in sent:
            return message
        return await asyncio.Future()  # the browser stays

    async def send(message: Any) -> None:
        got.append(message.get("body", b""))

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/drip",
        "raw_path": b"/drip",
        "query_string": b"",
        "headers": [(b"cookie", f"visit={LED_BY_ONE}".encode())],
        "client": ("127.0.0.1", 1),
        "http_version": "1.1",
        "scheme": "http",
        "server": ("pages", 80),
        "root_path": "",
    }
    async with door(leader, tmp_path):
        answering = asyncio.create_task(asked(scope, receive, send))
        await eventually_there(lambda: b"first " in got)
        assert b"last" not in got
        leader.state.go_on.set()
        await answering
    assert b"".join(got) == b"first last"


@in_a_loop
async def test_what_was_asked_of_a_leader_that_dies_is_asked_of_its_successor(tmp_path: Path) -> None:
    asked, leader, successor = (worker(tmp_path, number) for number in (0, 1, 1))
    stuck = asyncio.Event()

    async def never(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        stuck.set()
        await asyncio.Future()

    async with browser(asked) as client:
        async with door(leader, tmp_path):
            assert (await client.get("/visit")).status_code == 200
        dying = Door(never, door_of(tmp_path, 1))
        await dying.open()
        answering = asyncio.create_task(client.post("/visit", content="said once"))
        await stuck.wait()
        await dying.close(patience_s=0)
        async with door(successor, tmp_path):
            assert (await answering).json()["body"] == "said once"
    assert successor.state.served == 1


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_an_answer_to_a_worker_that_has_died_is_no_failure_of_the_pages(tmp_path: Path, loop: str) -> None:
    failed: list[Exception] = []
    gone = asyncio.Event()

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await gone.wait()
        try:
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        except Exception as error:
            failed.append(error)
            raise

    async def try_it() -> None:
        leader = Door(answer, door_of(tmp_path, 1))
        await leader.open()
        complaints: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        asker = _Line(*await asyncio.open_unix_connection(str(door_of(tmp_path, 1))))
        asker.write(1, "scope", {"type": "http", "path": "/visit"})
        await asker.drain()
        await eventually_there(lambda: leader._answers)
        asker.close()
        await eventually_there(lambda: not leader._met)
        await asyncio.sleep(0.05)  # what is closed is let go of at the next turn of the loop
        gone.set()
        await eventually_there(lambda: failed)
        await leader.close()
        gc.collect()
        assert [type(one) for one in failed] == [ConnectionResetError] and complaints == []

    factory = pytest.importorskip(loop).new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(try_it())


@in_a_loop
async def test_where_no_successor_comes_the_browser_is_told_to_come_again(tmp_path: Path) -> None:
    async with browser(worker(tmp_path, 0, patience_s=0)) as client:
        answer = await client.post("/visit", content="x")
    assert (answer.status_code, answer.json()) == (503, {"error": "not_saved"})


def test_a_websocket_is_carried_as_well(tmp_path: Path) -> None:
    asked, leader = worker(tmp_path, 0), worker(tmp_path, 1)
    opened = Door(leader, door_of(tmp_path, 1))
    with TestClient(asked, cookies={"visit": LED_BY_ONE}) as client:
        assert client.portal is not None
        client.portal.call(opened.open)
        with client.websocket_connect("/talk") as socket:
            socket.send_text("hello")
            assert socket.receive_text() == "1 heard hello"
        client.portal.call(opened.close)


def test_a_websocket_whose_leader_is_away_is_closed(tmp_path: Path) -> None:
    with (
        TestClient(worker(tmp_path, 0, patience_s=0), cookies={"visit": LED_BY_ONE}) as client,
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/talk"),
    ):
        pass
