"""Discord as a bot sees it: what is refused, as Discord refuses it, and calls of wrong types."""

import json
import random
import zlib
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from unit.connectors.test_platform_shapes import changed
from vivavoce.connectors.answers import clean
from vivavoce.connectors.factory import make_connector
from vivavoce_platforms.discord_api import DiscordApi, DiscordError
from vivavoce_platforms.platform_chat import Chat

BUTTON = {"type": 2, "style": 1, "label": "North", "custom_id": "n"}
MENU = {"type": 3, "custom_id": "m", "options": [{"label": "Up", "value": "u"}]}
LINK = {"type": 2, "style": 5, "label": "See", "url": "https://x.example"}
ROWS = [{"type": 1, "components": [BUTTON, LINK]}, {"type": 1, "components": [MENU]}]
EMBED = {
    "title": "Soup",
    "fields": [{"name": "Price", "value": "4"}],
    "image": {"url": "https://x.example/a"},
}
CALLS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("POST", ["channels", "10", "messages"], {"content": "hi", "components": ROWS, "embeds": [EMBED]}),
    ("PATCH", ["channels", "10", "messages", "12"], {"content": "hi", "components": ROWS}),
    (
        "POST",
        ["interactions", "1", "T", "callback"],
        {"type": 4, "data": {"content": "x", "embeds": [EMBED]}},
    ),
    ("POST", ["interactions", "1", "T", "callback"], {"type": 7, "data": {"content": "x"}}),
    ("PATCH", ["webhooks", "1", "T", "messages", "@original"], {"content": "x"}),
]


def an_api() -> tuple[DiscordApi, Chat]:
    chat = Chat("10", "en", texts={"12": "before"})
    api = DiscordApi({"10": chat}, typing_s=1.0)
    api._asked["T"] = chat, "12"
    return api, chat


def test_buttons_menus_links_and_cards_are_shown_and_what_is_pressed_is_told() -> None:
    api, chat = an_api()
    api.call("POST", ["channels", "10", "messages"], CALLS[0][2], "http://us")
    (message,) = chat.messages
    assert message.text == "hi\nSoup\nPrice: 4\nSee: https://x.example"
    assert [(one.title, one.payload) for one in message.choices] == [("North", "n"), ("Up", "m=u")]
    told = api.pressed(chat, "m=u")
    assert told["data"]["values"] == ["u"] and told["message"]["id"] == message.message_id


@pytest.mark.parametrize(
    ("method", "path", "params", "refusal"),
    [
        ("POST", ["channels", "11", "messages"], {"content": "x"}, (404, 10003)),
        ("POST", ["channels", "10", "messages"], {"content": " "}, (400, 50006)),
        ("POST", ["channels", "10", "messages"], {"content": "x" * 2001}, (400, 50035)),
        ("POST", ["interactions", "1", "none", "callback"], {"type": 4}, (404, 10062)),
        ("PATCH", ["channels", "10", "messages", "99"], {"content": "x"}, (404, 10008)),
        ("GET", ["guilds", "1"], {}, (404, 0)),
    ],
)
def test_what_discord_refuses_is_refused_with_its_code(
    method: str, path: list[str], params: dict[str, Any], refusal: tuple[int, int]
) -> None:
    with pytest.raises(DiscordError) as refused:
        an_api()[0].call(method, path, params, "http://us")
    assert (refused.value.status, refused.value.code) == refusal


def test_a_call_of_wrong_types_is_refused_or_shown_and_never_an_error_of_ours() -> None:
    draw = random.Random(7)
    for _ in range(2000):
        api, _chat = an_api()
        method, path, params = draw.choice(CALLS)
        given = clean(changed(params, draw))
        try:
            json.dumps(api.call(method, path, given if isinstance(given, dict) else {}, "http://us"))
        except DiscordError:
            pass


def test_the_gateway_asks_for_the_token_and_packs_where_a_bot_wishes() -> None:
    connector: Any = make_connector({"connect": "discord", "port": 0, "token": "${T}"}, {"T": "right"})
    with TestClient(Starlette(routes=connector.inner._routes())) as client:
        with client.websocket_connect("/gateway?v=10&encoding=json&compress=zlib-stream") as line:
            unpacked = zlib.decompressobj()
            assert json.loads(unpacked.decompress(line.receive_bytes()))["op"] == 10
            line.send_json({"op": 2, "d": {"token": "right"}})
            assert json.loads(unpacked.decompress(line.receive_bytes()))["t"] == "READY"
        with client.websocket_connect("/gateway") as line:
            assert line.receive_json()["op"] == 10
            line.send_json({"op": 2, "d": {"token": "wrong"}})
            assert line.receive()["code"] == 4004
        refused = client.get("/api/v10/users/@me", headers={"authorization": "Bot wrong"})
        assert (refused.status_code, refused.json()["message"]) == (401, "401: Unauthorized")
        assert client.get("/api/v10/users/@me", headers={"authorization": "Bot right"}).json()["bot"]
