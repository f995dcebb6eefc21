"""What a bot asks of a message platform: parameters, files, and the challenge of a webhook."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scenes.platform_bots import texts, told
from vivavoce.connectors.base import Conversation
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.callback_server import CallbackServer
from vivavoce_platforms.platform_requests import UnreadableCall, Upload, parameters

FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"params": {"a": "1"}}, {"a": "1"}),
        ({"params": {"a": "1"}, "json": {"a": 2, "b": "x\0"}}, {"a": 2, "b": "x"}),
        ({"params": {"a": "1"}, "json": [1]}, {"a": "1"}),
        ({"params": {"a": "1"}, "content": b"", "headers": {"content-type": "application/json"}}, {"a": "1"}),
        ({"params": {"a": "1"}, "content": b"b=2", "headers": FORM}, {"a": "1", "b": "2"}),
        ({"content": b"b=2", "headers": {"content-type": "text/plain"}}, {}),
        ({"content": b"b=" + b"2" * 38, "headers": FORM}, {"b": "2" * 38}),
        ({"content": b"b=" + b"2" * 39, "headers": FORM}, "too large"),
        ({"content": b"{", "headers": {"content-type": "application/json; charset=utf-8"}}, "JSON object"),
    ],
)
def test_a_call_has_its_parameters_in_the_address_as_json_or_as_a_form(
    asked: dict[str, Any], found: dict[str, Any] | str
) -> None:
    if isinstance(found, dict):
        assert sent(40, **asked) == found
    else:
        with pytest.raises(UnreadableCall, match=found):
            sent(40, **asked)


@pytest.mark.parametrize(
    ("name", "kind", "data", "upload"),
    [
        ("a.bin", "image/bmp", b"BM", Upload("a.bin", "image/bmp", b"BM")),
        ("a.bin", "image/bmp", b"\x89PNG", Upload("a.bin", "image/png", b"\x89PNG")),
        ("a", "", b"x", Upload("a", "application/octet-stream", b"x")),
    ],
)
def test_a_file_is_of_the_kind_that_its_beginning_or_its_sender_tells(
    name: str, kind: str, data: bytes, upload: Upload
) -> None:
    assert sent(10_000, files={"file": (name, data, kind)}) == {"file": upload}


def sent(longest_bytes: int, **asked: Any) -> dict[str, Any]:
    """The parameters of a call that is made like this."""

    async def run() -> dict[str, Any]:
        found: list[dict[str, Any]] = []

        async def serve(request: Request) -> Response:
            found.append(await parameters(request, longest_bytes))
            return Response("")

        app = Starlette(routes=[Route("/", serve, methods=["POST"])])
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            await client.post("/", **asked)
        return found[0]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "given_back", "problem"),
    [(200, True, None), (200, False, "HTTP 200"), (403, True, "HTTP 403")],
)
def test_a_webhook_is_known_by_the_challenge_that_it_gives_back(
    status: int, given_back: bool, problem: str | None
) -> None:
    said: list[str] = []

    async def serve(request: Request) -> Response:
        if request.method == "GET":
            assert request.query_params["hub.verify_token"] == "verifies"
            challenge = request.query_params["hub.challenge"]
            return Response(challenge if given_back else "no", status_code=status)
        sender = json.loads(await request.body())["entry"][0]["messaging"][0]["sender"]["id"]
        async with httpx.AsyncClient(trust_env=False) as client:
            body = {"recipient": {"id": sender}, "message": {"text": "well"}}
            answer = await client.post(f"{connector.inner.address}/me/messages", json=body)  # of no version
        said.append(answer.json()["recipient_id"])
        return Response("")

    async def run() -> list[str]:
        nonlocal connector
        server = CallbackServer(
            Starlette(routes=[Route("/", serve, methods=["GET", "POST"])]), "127.0.0.1", 0
        )
        await server.start()
        url = f"http://127.0.0.1:{server.port}/"
        settings = {"connect": "messenger", "url": url, "port": 0, "idle_s": 0.1, "allow_private": True}
        connector = make_connector({**settings, "verify_token": "verifies"}, {})
        try:
            return texts(await told(connector, Conversation("here"), "hello"))
        finally:
            await connector.shut_down()
            await server.stop()

    connector: Any = None
    if problem is None:
        assert asyncio.run(run()) == ["well"] and len(said) == 1
    else:
        with pytest.raises(SystemUnderTestError, match=f"did not return the challenge .{problem}"):
            asyncio.run(run())
        assert said == []
