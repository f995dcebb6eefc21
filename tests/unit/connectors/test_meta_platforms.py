"""Bots for WhatsApp and Messenger, on libraries that know one address only, take us for the platform."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from scenes.platform_bots import SECRET, platform_bot, texts, titles, told
from vivavoce.connectors.base import Conversation, heard_on_the_wire
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.graph import GraphError
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.platform_requests import Upload


def test_an_unmodified_whatsapp_bot_answers_with_buttons_lists_and_typing(tmp_path: Path) -> None:
    async def run() -> None:
        signed = {"app_secret": "${SECRET}", "verify_token": "verifies", "folder": tmp_path}
        async with platform_bot("whatsapp", "whatsapp_pywa_bot.py", **signed) as connector:
            here, there = Conversation("here"), Conversation("there")
            with heard_on_the_wire([]) as frames:
                assert texts(await told(connector, here, "one")) == ["first was one"]
            assert SECRET not in str(frames) and "TEST" not in str(frames)
            asked = await told(connector, here, "where")
            assert (texts(asked), titles(asked[0])) == (["Where to?"], [("North", "n"), ("South", "s")])
            assert texts(await told(connector, here, "South", "s")) == ["picked s (South)"]
            listed = await told(connector, here, "list")
            assert titles(listed[0]) == [("Soup", "soup"), ("Bread", "bread")]
            assert texts(await told(connector, here, "Soup", "soup")) == ["chosen soup"]
            assert texts(await told(connector, here, "late")) == ["here at last"]
            both = await asyncio.gather(told(connector, here, "x"), told(connector, there, "y"))
            assert [texts(outputs) for outputs in both] == [["first was one"], ["first was y"]]

    asyncio.run(run())


def test_an_unmodified_messenger_bot_answers_with_quick_replies_buttons_and_typing(tmp_path: Path) -> None:
    async def run() -> None:
        signed = {"app_secret": "${SECRET}", "start": "GET_STARTED", "folder": tmp_path}
        async with platform_bot("messenger", "messenger_fb_bot.py", **signed) as connector:
            here = Conversation("here")
            greeting = [output async for output in connector.open(here)]
            assert texts(greeting) == ["chosen GET_STARTED"]
            assert texts(await told(connector, here, "one")) == ["Participant, first was one"]
            asked = await told(connector, here, "where")
            assert (texts(asked), titles(asked[0])) == (["Where to?"], [("North", "n"), ("South", "s")])
            assert texts(await told(connector, here, "North", "n")) == ["picked n (North)"]
            menu = await told(connector, here, "menu")
            assert texts(menu) == ["What to eat?\nCard: https://x.example"]
            assert texts(await told(connector, here, "Soup", "soup")) == ["chosen soup"]
            assert texts(await told(connector, here, "late")) == ["here", "at last"]
            await connector.reset(here)
            assert texts(await told(connector, here, "two")) == ["Participant, first was two"]

    asyncio.run(run())


def test_a_webhook_that_does_not_give_back_the_challenge_is_refused() -> None:
    async def run() -> None:
        async with platform_bot("messenger", "messenger_fb_bot.py", verify_token="verifies") as connector:
            with pytest.raises(SystemUnderTestError, match="did not return the challenge") as caught:
                await told(connector, Conversation("here"), "one")
            assert not caught.value.reached

    asyncio.run(run())


REFUSED: list[tuple[str, str, dict[str, Any], int]] = [
    ("whatsapp", "1/messages", {"to": "1", "type": "text", "text": {"body": "x"}}, 131030),
    ("whatsapp", "1/messages", {"to": "CHAT", "type": "text", "text": "x"}, 100),
    ("whatsapp", "1/messages", {"to": "CHAT", "type": "text", "text": {"body": "x" * 4097}}, 100),
    ("whatsapp", "1/nothing", {}, 100),
    ("messenger", "me/messages", {"recipient": {"id": "1"}, "message": {"text": "x"}}, 100),
    ("messenger", "me/messages", {"recipient": {"id": "CHAT"}, "message": {}}, 100),
    ("messenger", "me/messages", {"recipient": {"id": "CHAT"}, "message": {"text": "x" * 2001}}, 100),
]


@pytest.mark.parametrize(("platform", "path", "body", "code"), REFUSED)
def test_what_the_platform_refuses_is_refused(
    platform: str, path: str, body: dict[str, Any], code: int
) -> None:
    async def run() -> None:
        settings = {"connect": platform, "port": 0, "url": "http://127.0.0.1:1/", "token": "right"}
        connector: Any = make_connector({**settings, "connect_timeout_s": 0.05, "allow_private": True}, {})
        here = Conversation("here")
        with pytest.raises(SystemUnderTestError, match="unreachable"):
            await told(connector, here, "hello")
        address, number = f"{connector.inner.address}/v26.0/{path}", here.state["chat"]
        if body.get("to") == "CHAT":
            body["to"] = number
        elif body.get("recipient") == {"id": "CHAT"}:
            body["recipient"] = {"id": number}
        async with httpx.AsyncClient(trust_env=False) as client:
            for token, expected in (("wrong", 190), ("right", code)):
                headers = {"authorization": f"Bearer {token}"}
                answer = (await client.post(address, json=body, headers=headers)).json()
                assert answer["error"]["code"] == expected
                answer = (await client.post(address, json={**body, "access_token": token})).json()
                assert answer["error"]["code"] == expected
            root = await client.get(connector.inner.address, params={"access_token": "right"})
            assert root.json()["error"]["code"] == 100
        await connector.shut_down()

    asyncio.run(run())


class Platform:
    """A connector that is the platform, with one chat in which a turn has begun; nobody listens."""

    def __init__(self, name: str, **settings: Any) -> None:
        chosen = {"connect": name, "port": 0, "url": "http://127.0.0.1:1/", "allow_private": True, **settings}
        self.inner: Any = make_connector(chosen, {}).inner
        self.chat = self.inner._chats["1"] = Chat("1", "it")
        self.place = {"to": "1"} if name == "whatsapp" else {"recipient": {"id": "1"}}

    def call(self, **params: Any) -> dict[str, Any]:
        return self.inner._call("POST", ["me", "messages"], {**self.place, **params})

    @property
    def shown(self) -> list[tuple[str, list[tuple[str, str]], list[str]]]:
        return [
            (one.text, [(choice.title, choice.payload) for choice in one.choices], one.images)
            for one in self.chat.messages
        ]


Shown = tuple[str, list[tuple[str, str]], list[str]]


def interactive(kind: str, action: dict[str, Any], **more: Any) -> dict[str, Any]:
    content = {"type": kind, "body": {"text": "Which?"}, "action": action, **more}
    return {"type": "interactive", "interactive": content}


def replies(number: int, title: str = "t") -> dict[str, Any]:
    return {"buttons": [{"reply": {"id": f"b{n}", "title": title}} for n in range(number)]}


def rows(number: int, title: str = "t") -> dict[str, Any]:
    half = [{"id": f"b{n}", "title": title} for n in range(number)]
    return {"sections": [{"rows": half[: number // 2]}, {"rows": half[number // 2 :]}]}


def picked(number: int, title: str = "t") -> list[tuple[str, str]]:
    return [(title, f"b{n}") for n in range(number)]


WHATSAPP: dict[str, tuple[dict[str, Any], Shown]] = {
    "text": ({"text": {"body": "hi"}}, ("hi", [], [])),
    "the longest text": ({"text": {"body": "x" * 4096}}, ("x" * 4096, [], [])),
    "to a number with a plus": ({"to": "+1", "text": {"body": "hi"}}, ("hi", [], [])),
    "to a user's number": ({"to": None, "recipient": "XX.1", "text": {"body": "hi"}}, ("hi", [], [])),
    "three buttons": (interactive("button", replies(3)), ("Which?", picked(3), [])),
    "a button of twenty characters": (
        interactive("button", replies(1, "x" * 20)),
        ("Which?", picked(1, "x" * 20), []),
    ),
    "ten rows": (interactive("list", rows(10)), ("Which?", picked(10), [])),
    "a row of 24 characters": (interactive("list", rows(1, "x" * 24)), ("Which?", picked(1, "x" * 24), [])),
    "a picture, a header and a footer": (
        interactive(
            "button",
            replies(1),
            header={"text": "Menu", "image": {"link": "https://b/p.png"}},
            footer={"text": "Enjoy"},
        ),
        ("Menu\nWhich?\nEnjoy", picked(1), ["https://b/p.png"]),
    ),
    "a link": (
        interactive("cta_url", {"parameters": {"display_text": "Map", "url": "https://m"}}),
        ("Which?\nMap: https://m", [], []),
    ),
    "a picture": (
        {"type": "image", "image": {"link": "https://b/p.png", "caption": "in"}},
        ("in", [], ["https://b/p.png"]),
    ),
    "a picture that is nowhere": ({"type": "image", "image": {"id": "9"}}, ("[image]", [], [])),
    "a document": (
        {"type": "document", "document": {"link": "https://b/d.pdf", "caption": "read"}},
        ("read\n[document]", [], []),
    ),
    "a place": (
        {"type": "location", "location": {"latitude": 45.5, "longitude": 9.25}},
        ("45.5, 9.25", [], []),
    ),
    "a place with a name": (
        {"type": "location", "location": {"latitude": 45.5, "longitude": 9.25, "name": "Duomo"}},
        ("Duomo", [], []),
    ),
    "a template": (
        {"type": "template", "template": {"name": "hi", "components": [{"parameters": [{"text": "Ada"}]}]}},
        ("[template hi] Ada", [], []),
    ),
    "contacts": ({"type": "contacts", "contacts": {}}, ("[contacts]", [], [])),
}


@pytest.mark.parametrize("what", WHATSAPP)
def test_what_a_whatsapp_bot_sends_is_shown(what: str) -> None:
    params, shown = WHATSAPP[what]
    platform = Platform("whatsapp")
    sent = platform.call(**params)
    assert platform.shown == [shown] and sent["contacts"][0]["wa_id"] == "1"
    assert platform.chat.answered


@pytest.mark.parametrize(
    ("params", "code"),
    [
        (interactive("button", replies(4)), 131009),
        (interactive("list", rows(11)), 131009),
        (interactive("button", replies(1, "x" * 21)), 131009),
        (interactive("list", rows(1, "x" * 25)), 131009),
        (interactive("button", replies(1, "")), 131009),
        (interactive("button", {"buttons": [{"reply": {"title": "t"}}]}), 131009),
        ({"type": "interactive", "interactive": {"type": "button", "action": {}}}, 100),
        ({"text": {"body": " "}}, 100),
        ({"type": "interactive"}, 100),
        ({"to": None, "text": {"body": "hi"}}, 131030),
        ({"type": "interactive", "interactive": {"type": "list", "action": {}}}, 100),
    ],
)
def test_what_whatsapp_would_not_show_is_refused(params: dict[str, Any], code: int) -> None:
    platform = Platform("whatsapp")
    with pytest.raises(GraphError) as caught:
        platform.call(**params)
    assert caught.value.code == code and platform.shown == []


def test_a_whatsapp_bot_uploads_a_picture_and_names_it_by_its_number() -> None:
    platform, file = Platform("whatsapp"), Upload("p.png", "image/png", b"\x89PNG")
    number = platform.inner._call("POST", ["1", "media"], {"file": file})["id"]
    platform.call(type="sticker", sticker={"id": number})
    platform.call(type="image", image={"link": "https://b/p.png", "caption": "both"})
    platform.call(type="image", image={"id": number, "link": "https://b/p.png"})
    assert platform.shown == [
        ("", [], [file.address]),
        ("both", [], ["https://b/p.png"]),
        ("", [], [file.address]),
    ]
    with pytest.raises(GraphError, match="file is required"):
        platform.inner._call("POST", ["1", "media"], {})


def test_a_whatsapp_bot_that_reads_may_type_and_a_reaction_is_no_message() -> None:
    platform = Platform("whatsapp", typing_s=60)
    asked = platform.inner._event(platform.chat, "hello", None)["entry"][0]["changes"][0]["value"]
    number = asked["messages"][0]["id"]
    assert asked["messages"][0]["text"] == {"body": "hello"}
    platform.call(status="read", message_id=number)
    assert platform.chat.typing_until_s == 0.0
    platform.call(status="read", message_id=number, typing_indicator={"type": "text"})
    assert platform.chat.typing_until_s > time.monotonic()
    platform.call(type="reaction", reaction={"emoji": "x"})
    assert platform.shown == [] and [name for name, _ in platform.chat.calls] == ["read", "read", "reaction"]
    for other in (platform.chat, Chat("2", "en")):
        platform.inner._event(other, "more", None)
    with pytest.raises(GraphError, match="message_id"):
        platform.call(status="read", message_id=number)


@pytest.mark.parametrize(
    ("action", "kind"), [(replies(2), "button_reply"), (rows(2), "list_reply")], ids=["buttons", "rows"]
)
def test_a_whatsapp_bot_is_told_of_a_choice_and_the_message_it_stood_in(action: dict, kind: str) -> None:
    platform = Platform("whatsapp")
    sent = platform.call(**interactive("button" if kind == "button_reply" else "list", action))
    event = platform.inner._event(platform.chat, "t", "b1")["entry"][0]["changes"][0]["value"]
    (told,) = event["messages"]
    assert told["interactive"] == {"type": kind, kind: {"id": "b1", "title": "t"}}
    assert told["context"]["id"] == sent["messages"][0]["id"] != told["id"]


@pytest.mark.parametrize(
    ("platform", "method", "path", "answer"),
    [
        ("whatsapp", "GET", ["77"], {"id": "77"}),
        ("whatsapp", "GET", ["78"], None),
        ("whatsapp", "POST", ["1", "subscriptions"], {"success": True}),
        ("messenger", "GET", ["me"], {"id": "88", "name": "System"}),
        ("messenger", "GET", ["1"], {"first_name": "Participant", "locale": "it"}),
        ("messenger", "GET", ["2"], None),
        ("messenger", "DELETE", ["me", "messenger_profile"], {"result": "success"}),
        ("messenger", "GET", ["me", "messages"], None),
    ],
)
def test_what_bots_ask_of_themselves_and_of_people(
    platform: str, method: str, path: list[str], answer: dict[str, Any] | None
) -> None:
    own = {"phone_number_id": "77"} if platform == "whatsapp" else {"page_id": "88"}
    inner = Platform(platform, **own).inner
    if answer is None:
        with pytest.raises(GraphError, match="Unsupported"):
            inner._call(method, path, {})
    else:
        assert answer.items() <= inner._call(method, path, {}).items()


def template(**payload: Any) -> dict[str, Any]:
    return {"attachment": {"type": "template", "payload": payload}}


QUICK = {"content_type": "text", "title": "North", "payload": "n"}
POSTBACK = {"type": "postback", "title": "Soup", "payload": "s"}
LINK = {"type": "web_url", "title": "Map", "url": "https://m"}
MESSENGER: dict[str, tuple[dict[str, Any], Shown]] = {
    "text": ({"text": "hi"}, ("hi", [], [])),
    "the longest text": ({"text": "x" * 2000}, ("x" * 2000, [], [])),
    "thirteen quick replies": (
        {"text": "Which?", "quick_replies": [QUICK] * 13},
        ("Which?", [("North", "n")] * 13, []),
    ),
    "a quick reply that asks for an address": (
        {"text": "Which?", "quick_replies": [{"content_type": "user_email"}, QUICK]},
        ("Which?", [("North", "n")], []),
    ),
    "a picture": (
        {"attachment": {"type": "image", "payload": {"url": "https://b/p.png"}}},
        ("", [], ["https://b/p.png"]),
    ),
    "a picture that is nowhere": ({"attachment": {"type": "image", "payload": {}}}, ("[image]", [], [])),
    "a file": (
        {"text": "read", "attachment": {"type": "file", "payload": {"url": "https://b/d.pdf"}}},
        ("read\n[file]", [], []),
    ),
    "buttons": (
        template(template_type="button", text="Which?", buttons=[POSTBACK, LINK, {"type": "phone_number"}]),
        ("Which?\nMap: https://m", [("Soup", "s")], []),
    ),
    "cards": (
        template(
            elements=[
                {"title": "a", "subtitle": "b", "image_url": "https://b/p.png", "buttons": [POSTBACK]},
                {"title": "c"},
            ]
        ),
        ("a\nb\nc", [("Soup", "s")], ["https://b/p.png"]),
    ),
}


@pytest.mark.parametrize("as_form", [False, True])
@pytest.mark.parametrize("what", MESSENGER)
def test_what_a_messenger_bot_sends_is_shown(what: str, as_form: bool) -> None:
    content, shown = MESSENGER[what]
    platform = Platform("messenger")
    params = {"recipient": {"id": "1"}, "message": content}
    platform.call(**{name: json.dumps(value) if as_form else value for name, value in params.items()})
    assert platform.shown == [shown] and platform.chat.answered


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"message": {"text": "Which?", "quick_replies": [QUICK] * 14}}, "at most 13"),
        ({"message": {"text": ""}}, "cannot be empty"),
        ({"message": "{"}, "must be an object"),
        ({"recipient": {"id": "2"}, "message": {"text": "hi"}}, "No matching user"),
        ({"recipient": "1", "message": {"text": "hi"}}, "No matching user"),
    ],
)
def test_what_messenger_would_not_show_is_refused(params: dict[str, Any], said: str) -> None:
    platform = Platform("messenger")
    with pytest.raises(GraphError, match=said):
        platform.call(**params)
    assert platform.shown == []


@pytest.mark.parametrize(
    ("action", "types"), [("typing_on", True), ("typing_off", False), ("mark_seen", False)]
)
def test_a_messenger_bot_types_when_it_says_so(action: str, types: bool) -> None:
    platform = Platform("messenger", typing_s=60)
    platform.call(sender_action=action)
    assert (platform.chat.typing_until_s > time.monotonic()) == types and platform.shown == []


def test_a_messenger_bot_is_told_of_quick_replies_of_buttons_and_of_get_started() -> None:
    platform = Platform("messenger", start="BEGIN")
    conversation = Conversation("here", state={"chat": "1"})

    def told(text: str, payload: str | None = None) -> dict[str, Any]:
        (said,) = platform.inner._event(platform.chat, text, payload)["entry"][0]["messaging"]
        return said

    async def opened() -> None:
        platform.chat = await platform.inner._chat(conversation)
        await platform.inner.shut_down()

    asyncio.run(opened())
    platform.call(message={"text": "Which?", "quick_replies": [QUICK]})
    platform.call(message=template(text="Which?", buttons=[POSTBACK]))
    assert told("hello")["message"]["text"] == "hello"
    quick = told("North", "n")["message"]
    assert (quick["text"], quick["quick_reply"]) == ("North", {"payload": "n"})
    pressed = told("Soup", "s")
    assert (pressed["postback"]["title"], pressed["postback"]["payload"]) == ("Soup", "s")
    assert "message" not in pressed and told("BEGIN")["postback"]["payload"] == "BEGIN"
