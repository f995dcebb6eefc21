"""Slack as a bot sees it: refused calls, blocks as people see them, messages changed and taken back."""

import asyncio
import time
from typing import Any

import httpx
import pytest

from vivavoce.connectors.factory import make_connector
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.slack_api import WebApi
from vivavoce_platforms.slack_messages import SlackError, message_event, press_event, read_message


def test_calls_that_slack_refuses_are_refused() -> None:
    async def run() -> None:
        settings = {"connect": "slack", "port": 0, "token": "right", "allow_private": True}
        connector: Any = make_connector(settings, {})
        await connector.start()
        address = f"{connector.inner.address}/api"

        async def error(method: str, token: str = "right", **body: Any) -> str | None:
            headers = {"authorization": f"Bearer {token}"}
            return (await client.post(f"{address}/{method}", json=body, headers=headers)).json().get("error")

        async with httpx.AsyncClient(trust_env=False) as client:
            assert await error("auth.test") is None
            form = (await client.post(f"{address}/auth.test", data={"token": "right"})).json()
            assert form["ok"] and form["bot_id"]
            assert await error("auth.test", token="wrong") == "invalid_auth"
            assert await error("chat.postMessage", channel="D1", text="x") == "channel_not_found"
            assert await error("chat.appendStream", channel="D1", ts="1") == "channel_not_found"
            assert await error("views.open", trigger_id="t") == "unknown_method"
            garbage = {"authorization": "Bearer right", "content-type": "application/json"}
            answer = await client.post(f"{address}/auth.test", content=b"\x00{", headers=garbage)
            assert answer.json() == {"ok": False, "error": "invalid_json"}
        await connector.shut_down()

    asyncio.run(run())


def test_blocks_are_read_as_people_see_them() -> None:
    option = {"text": {"type": "plain_text", "text": "Soup"}, "value": "soup"}
    words = [{"type": "text", "text": "and "}, {"type": "emoji", "name": "tea"}]
    rich = {"type": "rich_text_section", "elements": words}
    fields = [{"type": "mrkdwn", "text": "_today_"}, {"type": "mrkdwn", "text": "a_b_c"}]
    menu = {"type": "static_select", "action_id": "eat", "options": [option]}
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "*Menu*"}},
        {"type": "section", "fields": fields},
        {"type": "rich_text", "elements": [rich]},
        {"type": "image", "image_url": "https://x.example/p.png", "alt_text": "p"},
        {"type": "actions", "block_id": "food", "elements": [menu]},
    ]
    message, buttons = read_message({"text": "fallback", "blocks": blocks}, "1.2")
    assert message.text == "*Menu*\ntoday\na_b_c\nand :tea:"
    assert message.images == ["https://x.example/p.png"]
    assert [(one.title, one.payload) for one in message.choices] == [("Soup", "eat=soup")]
    assert buttons["eat=soup"]["action"]["selected_option"] == option
    with pytest.raises(SlackError, match="no_text"):
        read_message({"text": ""}, "1.2")
    with pytest.raises(SlackError, match="invalid_blocks"):
        read_message({"text": "x", "blocks": "{"}, "1.2")


class Workspace:
    """A bot's workspace with one chat, and a clock that stands."""

    def __init__(self) -> None:
        self.chat = Chat("D1", "en")
        self.api = WebApi(lambda: 100.0, {"D1": self.chat, "C2": Chat("C2", "en")}, typing_s=6.0)
        self.chat.begin_turn(100.0)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.api.call(method, {"channel": "D1", **params})

    @property
    def shown(self) -> list[tuple[str, list[tuple[str, str]]]]:
        return [
            (one.text, [(choice.title, choice.payload) for choice in one.choices])
            for one in self.chat.messages
        ]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def actions(*elements: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "actions", "elements": list(elements)}]


NORTH = {"type": "button", "action_id": "go", "value": "n", "text": plain("North")}
SOUP, BREAD = {"text": plain("Soup"), "value": "s"}, {"text": plain("Bread"), "value": "b"}
READ: dict[str, tuple[dict[str, Any], str, list[tuple[str, str]], list[str]]] = {
    "text": ({"text": "hi"}, "hi", [], []),
    "text of Markdown": ({"markdown_text": "**hi** there"}, "hi there", [], []),
    "forty thousand characters": ({"text": "x" * 40_000}, "x" * 40_000, [], []),
    "an address and a mail": (
        {"text": "<https://x.example> <mailto:a@x.example|a@x.example>"},
        "https://x.example a@x.example (mailto:a@x.example)",
        [],
        [],
    ),
    "an address named as it is": (
        {"text": "<https://x.example|https://x.example>"},
        "https://x.example",
        [],
        [],
    ),
    "mentions": ({"text": "<@U1> <#C1|general> <!here>"}, "@U1 @general @here", [], []),
    "marks": ({"text": "*a* _b_ ~c~ `d` 2*3*4 a_b_c * e *"}, "a b c d 2*3*4 a_b_c * e *", [], []),
    "plain marks": ({"blocks": [{"type": "section", "text": plain("*a*")}]}, "*a*", [], []),
    "fields": ({"blocks": [{"type": "section", "fields": [plain("a"), plain("b")]}]}, "a\nb", [], []),
    "context": (
        {"blocks": [{"type": "context", "elements": [plain("a"), {"type": "image"}, plain("b")]}]},
        "a b",
        [],
        [],
    ),
    "only a button": ({"blocks": actions(NORTH)}, "", [("North", "go=n")], []),
    "a button without a value": ({"blocks": actions({**NORTH, "value": None})}, "", [("North", "go")], []),
    "a button without a name": (
        {"blocks": [{**actions({"type": "button", "text": "N"})[0], "block_id": "place"}]},
        "",
        [("N", "place")],
        [],
    ),
    "a button without any name": (
        {"text": "a", "blocks": [{"type": "divider"}, *actions({"type": "button", "text": "N"})]},
        "a",
        [("N", "b1")],
        [],
    ),
    "a link as a button": (
        {"blocks": actions({"type": "button", "text": plain("Map"), "url": "https://m"})},
        "Map: https://m",
        [],
        [],
    ),
    "a menu in groups": (
        {
            "blocks": actions(
                {
                    "type": "overflow",
                    "action_id": "eat",
                    "options": [SOUP],
                    "option_groups": [{"options": [BREAD]}],
                }
            )
        },
        "",
        [("Soup", "eat=s"), ("Bread", "eat=b")],
        [],
    ),
    "a button beside a text": (
        {"blocks": [{"type": "section", "text": plain("Where?"), "accessory": NORTH}]},
        "Where?",
        [("North", "go=n")],
        [],
    ),
    "a picture beside a text": (
        {
            "blocks": [
                {"type": "section", "text": plain("Here"), "accessory": {"type": "image", "image_url": "u"}}
            ]
        },
        "Here",
        [],
        ["u"],
    ),
    "only a picture": ({"blocks": [{"type": "image", "image_url": "u"}]}, "", [], ["u"]),
    "elements of what has none": (
        {"text": "a", "blocks": [{"type": "section", "elements": [NORTH]}]},
        "a",
        [],
        [],
    ),
    "blocks as JSON": ({"blocks": '[{"type": "section", "text": "a"}]'}, "a", [], []),
    "no blocks in a form": ({"text": "a", "blocks": "", "attachments": ""}, "a", [], []),
    "text and an attachment": ({"text": "a", "attachments": [{"text": "b"}]}, "a\nb", [], []),
    "an attachment alone": (
        {"attachments": [{"pretext": "p", "title": "t", "text": "x"}]},
        "p\nt\nx",
        [],
        [],
    ),
    "an attachment that falls back": ({"attachments": [{"fallback": "f", "image_url": "u"}]}, "f", [], ["u"]),
    "an attachment of blocks": (
        {"text": "a", "attachments": [{"text": "no", "blocks": actions(NORTH)}]},
        "a",
        [("North", "go=n")],
        [],
    ),
    "an attachment with empty and wrong fields": (
        {"attachments": [{"pretext": "", "title": 5, "text": "x"}]},
        "x",
        [],
        [],
    ),
    "blocks and an attachment": (
        {"text": "no", "blocks": [{"type": "section", "text": "b"}], "attachments": [{"text": "c"}]},
        "b\nc",
        [],
        [],
    ),
    "rich text": (
        {
            "blocks": [
                {
                    "type": "rich_text",
                    "elements": [
                        {
                            "type": "rich_text_section",
                            "elements": [
                                {"type": "text", "text": "a "},
                                {"type": "link", "url": "https://x"},
                            ],
                        },
                        {"type": "rich_text_quote", "elements": [{"type": "user", "user_id": "U1"}]},
                        {
                            "type": "rich_text_list",
                            "elements": [
                                {"type": "rich_text_section", "elements": [{"type": "emoji", "name": "tea"}]}
                            ],
                        },
                    ],
                }
            ]
        },
        "a https://x\nU1\n:tea:",
        [],
        [],
    ),
}


@pytest.mark.parametrize("what", READ)
def test_a_message_is_read_as_people_see_it(what: str) -> None:
    params, text, choices, images = READ[what]
    message, _ = read_message(params, "1.2")
    titles = [(one.title, one.payload) for one in message.choices]
    assert (message.text, titles, message.images) == (text, choices, images)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": " ", "blocks": []}, "no_text"),
        ({"text": 5}, "invalid_arguments"),
        ({"text": "x", "blocks": 5}, "invalid_blocks"),
        ({"text": "x", "attachments": "["}, "invalid_attachments"),
        ({"attachments": [{"blocks": "{"}]}, "invalid_blocks"),
    ],
)
def test_a_message_that_slack_would_not_show_is_refused(params: dict[str, Any], error: str) -> None:
    with pytest.raises(SlackError, match=error):
        read_message(params, "1.2")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("static_select", {"selected_option": SOUP}),
        ("multi_static_select", {"selected_options": [SOUP]}),
        ("checkboxes", {"selected_options": [SOUP]}),
        ("radio_buttons", {"selected_option": SOUP}),
    ],
)
def test_a_chosen_entry_is_told_as_its_kind_of_menu_does(kind: str, told: dict[str, Any]) -> None:
    menu = {"type": kind, "action_id": "eat", "options": [SOUP]}
    _, buttons = read_message({"blocks": actions(menu)}, "1.2")
    head = {"type": kind, "action_id": "eat", "block_id": "b0"}
    assert buttons == {"eat=s": {"message": "1.2", "action": {**head, **told}}}


def test_what_was_written_is_changed_taken_back_and_given_in_the_order_that_is_asked_for() -> None:
    work = Workspace()
    first = work.call("chat.postMessage", text="one")["ts"]
    second = work.call("chat.postMessage", text="two", blocks=actions(NORTH))["ts"]
    assert first < second and work.chat.answered
    latest = work.call("conversations.history")["messages"]
    assert [(one["ts"], one["text"]) for one in latest] == [(second, "two"), (first, "one")]
    thread = work.call("conversations.replies", ts=first)["messages"]
    assert [one["text"] for one in thread] == ["one", "two"]
    changed = work.call("chat.update", ts=first, text="new")
    assert (changed["text"], work.shown) == ("new", [("new", []), ("two", [("North", "go=n")])])
    work.call("chat.delete", ts=second)
    assert work.shown == [("new", [])]
    work.call("chat.update", ts=first, markdown_text="**newer**")
    assert work.shown == [("newer", [])]
    for wrong, error in (({"ts": first}, "no_text"), ({"text": "x"}, "message_not_found")):
        with pytest.raises(SlackError, match=error):
            work.call("chat.update", **wrong)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"text": "Where?", "blocks": []}, []),
        ({"text": "North it is", "blocks": []}, [("North it is", [])]),
        ({"text": "Where?", "blocks": actions({**NORTH, "value": "m"})}, [("Where?", [("North", "go=m")])]),
    ],
)
def test_a_message_that_was_seen_is_shown_again_unless_only_its_buttons_went(
    change: dict, shown: list
) -> None:
    work = Workspace()
    ts = work.call("chat.postMessage", text="Where?", blocks=actions(NORTH))["ts"]
    work.chat.messages.clear()
    work.call("chat.update", ts=ts, **change)
    assert work.shown == shown
    assert [method for method, _ in work.chat.calls] == ["chat.postMessage", "chat.update"]


def test_to_change_a_message_that_nobody_has_seen_to_what_it_was_takes_its_buttons_away() -> None:
    work = Workspace()
    ts = work.call("chat.postMessage", text="Where?", blocks=actions(NORTH))["ts"]
    work.call("chat.update", ts=ts, text="Where?", blocks=[])
    assert work.shown == [("Where?", [])]


def test_a_streamed_message_is_whole_when_it_is_stopped() -> None:
    work = Workspace()
    chunk = {"type": "markdown_text", "text": "**c**"}
    ts = work.call("chat.startStream", markdown_text="a ")["ts"]
    work.call("chat.appendStream", ts=ts, markdown_text="b ", chunks=[chunk, {"type": "task", "text": "no"}])
    assert not work.chat.answered
    told = work.call("chat.stopStream", ts=ts, blocks=[{"type": "section", "text": "d"}, *actions(NORTH)])
    assert work.shown == [("a b c\nd", [("North", "go=n")])] and told["text"] == "a b c\nd"
    assert work.chat.answered and work.chat.buttons["go=n"]["message"] == ts
    for stopped in (ts, "1.2"):
        with pytest.raises(SlackError, match="message_not_in_streaming_state"):
            work.call("chat.appendStream", ts=stopped, markdown_text="more")


def test_time_stamps_are_the_present_and_never_the_same() -> None:
    api, began_s = Workspace().api, time.time()
    first = api.ts()
    assert began_s - 1 <= float(first) <= time.time() and len(first.partition(".")[2]) == 6
    api._last_us = 4_000_000_000_999_998  # as if many had been asked for at once
    assert [api.ts() for _ in range(3)] == ["4000000000.999999", "4000000001.000000", "4000000001.000001"]


def test_a_status_is_typing_until_it_is_taken_back() -> None:
    work = Workspace()
    work.call("assistant.threads.setStatus", status="thinks")
    assert work.chat.typing_until_s == 106.0
    work.call("assistant.threads.setStatus", status="")
    assert work.chat.typing_until_s == 0.0


def test_suggestions_are_choices_that_are_said_as_they_stand() -> None:
    work = Workspace()
    work.call("assistant.threads.setSuggestedPrompts", title="Try", prompts=[{"title": "A", "message": "a?"}])
    assert work.shown == [("Try", [("A", "a?")])]


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        ({"text": "new"}, ["old", "new"]),
        ({"text": "new", "replace_original": True}, ["new"]),
        ({"delete_original": True}, []),
    ],
)
def test_an_answer_to_a_button_stands_beside_its_message_or_in_its_place(
    params: dict[str, Any], shown: list[str]
) -> None:
    work = Workspace()
    name = work.api.hook(work.chat, work.call("chat.postMessage", text="old")["ts"])
    work.api.respond(name, params)
    assert [text for text, _ in work.shown] == shown


def test_an_answer_to_a_command_replaces_nothing_and_one_to_nobody_is_refused() -> None:
    work = Workspace()
    work.api.respond(work.api.hook(work.chat), {"text": "new", "replace_original": True})
    assert work.shown == [("new", [])]
    with pytest.raises(SlackError, match="expired_url"):
        work.api.respond("unknown", {"text": "x"})


def test_a_bot_is_told_who_it_is_and_who_is_there() -> None:
    work = Workspace()
    me = work.call("auth.test")["user_id"]
    assert work.call("users.info")["user"]["is_bot"] and work.call("users.info", user=me)["user"]["is_bot"]
    person = work.call("users.info", user="U1")["user"]
    assert (person["id"], person["name"], person["is_bot"]) == ("U1", "participant", False)
    assert work.call("users.profile.get", user="U1")["profile"]["display_name"] == "participant"
    assert work.call("users.profile.get")["profile"]["display_name"] == "system"
    assert [one["id"] for one in work.call("users.list")["members"]] == [me, "U1", "U2"]
    assert work.call("conversations.members")["members"] == ["U1", me]
    channels = work.call("conversations.list")["channels"]
    assert [(one["id"], one["is_im"], one["is_channel"]) for one in channels] == [
        ("D1", True, False),
        ("C2", False, True),
    ]
    assert channels[0]["user"] == "U1" and channels[1]["name"] == "participants"
    link = work.call("chat.getPermalink", message_ts="1.2")["permalink"]
    assert link.endswith("/archives/D1/p12")


@pytest.mark.parametrize(
    ("params", "found"),
    [({"users": "U1"}, "D1"), ({"channel": "C2"}, "C2"), ({"users": "U9"}, None), ({}, None)],
)
def test_a_chat_is_opened_by_who_is_in_it_or_by_its_number(params: dict[str, Any], found: str | None) -> None:
    work = Workspace()
    if found is None:
        with pytest.raises(SlackError, match="user_not_found"):
            work.api.call("conversations.open", params)
    else:
        assert work.api.call("conversations.open", params)["channel"] == {"id": found, "is_im": found == "D1"}


@pytest.mark.parametrize(("params", "known"), [("D1", True), ("U1", True), ("U2", False), ("", False)])
def test_a_message_goes_to_a_chat_or_to_the_user_of_a_direct_one(params: str, known: bool) -> None:
    work = Workspace()
    if known:
        assert work.call("chat.postMessage", channel=params, text="x")["channel"] == "D1"
        assert work.api.call("chat.postEphemeral", {"channel_id": params, "text": "x"})["message_ts"]
    else:
        with pytest.raises(SlackError, match="channel_not_found"):
            work.call("chat.postMessage", channel=params, text="x")


@pytest.mark.parametrize("mention", [False, True])
def test_a_message_is_told_as_one_of_a_direct_chat_or_of_a_channel(mention: bool) -> None:
    event = message_event(Chat("D1", "en"), "a < b", "1700000000.5", mention=mention)
    said = event["event"]
    assert (said["type"], said["user"]) == ("app_mention" if mention else "message", "U1")
    assert said["text"] == ("<@U0SYSTEM> a &lt; b" if mention else "a &lt; b")
    assert ("channel_type" in said, event["event_time"]) == (not mention, 1700000000)


def test_the_event_of_a_button_carries_the_message_it_stands_under() -> None:
    work = Workspace()
    ts = work.call("chat.postMessage", text="Where?", blocks=actions(NORTH))["ts"]
    event = press_event(work.chat, work.chat.buttons["go=n"], "9.9", "t", "https://hook")
    assert (event["message"]["text"], event["message"]["ts"], event["user"]["id"]) == ("Where?", ts, "U1")
    assert event["actions"][0]["value"] == "n" and event["actions"][0]["action_ts"] == "9.9"
