"""The Bot API that we are to a Telegram bot: what it sends, changes, fetches and is refused."""

import asyncio
import json
from typing import Any

import pytest

from scenes.patience import PATIENCE_S
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.platform_requests import Upload
from vivavoce_platforms.telegram_api import BotApi
from vivavoce_platforms.telegram_messages import BotApiError


class Account:
    """A bot's account with one chat, in which the participant has said hello, and a clock that stands."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.chat = Chat(10**9, "en")
        self.api = BotApi(lambda: self.now_s, {10**9: self.chat}, typing_s=6.0)
        self.chat.begin_turn(self.now_s)

    async def call(self, method: str, **params: Any) -> Any:
        return await self.api.call("4242:TEST", method, {"chat_id": 10**9, **params})

    async def refused(self, method: str, **params: Any) -> str:
        with pytest.raises(BotApiError) as caught:
            await self.call(method, **params)
        return f"{caught.value.code} {caught.value.description}"

    @property
    def shown(self) -> list[tuple[str, list[str], list[str]]]:
        return [
            (one.text, [choice.title for choice in one.choices], one.images) for one in self.chat.messages
        ]


KEYBOARD = {"inline_keyboard": [[{"text": "Go", "callback_data": "g"}, {"text": "Map", "url": "https://m"}]]}
UPLOAD = Upload("p.png", "image/png", b"\x89PNG")


@pytest.mark.parametrize(
    ("method", "params", "shown", "told"),
    [
        ("sendMessage", {"text": "x" * 4096}, ("x" * 4096, [], []), {"text": "x" * 4096}),
        (
            "sendMessage",
            {"text": "hi", "reply_markup": KEYBOARD},
            ("hi\nMap: https://m", ["Go"], []),
            {"text": "hi", "reply_markup": KEYBOARD},
        ),
        (
            "sendMessage",
            {"text": "hi", "reply_markup": {"keyboard": [["One", {"text": "Two"}]]}},
            ("hi", ["One", "Two"], []),
            {"text": "hi", "reply_markup": None},
        ),
        ("sendMessage", {"text": "hi", "chat_id": str(10**9)}, ("hi", [], []), {"text": "hi"}),
        ("sendMessage", {"text": "<b>hi</b>", "parse_mode": "HTML"}, ("hi", [], []), {"text": "hi"}),
        ("sendLocation", {"latitude": 45.5, "longitude": 9.25}, ("45.5, 9.25", [], []), {}),
        ("sendVenue", {"latitude": 45.5, "longitude": 9.25, "title": "Duomo"}, ("Duomo", [], []), {}),
        ("sendPhoto", {"photo": "https://b/p.png"}, ("", [], ["https://b/p.png"]), {"caption": None}),
        ("sendPhoto", {"photo": UPLOAD, "caption": "in"}, ("in", [], [UPLOAD.address]), {"caption": "in"}),
        ("sendSticker", {"sticker": "attach://one", "one": UPLOAD}, ("", [], [UPLOAD.address]), {}),
        ("sendAnimation", {"animation": "https://b/a.gif"}, ("", [], ["https://b/a.gif"]), {}),
        ("sendDocument", {"document": UPLOAD}, ("[document]", [], []), {"caption": None}),
        ("sendVoice", {"voice": UPLOAD, "caption": "hear"}, ("hear\n[voice]", [], []), {"caption": "hear"}),
        (
            "sendMediaGroup",
            {"media": '[{"type": "photo", "media": "https://b/1.png"}]'},
            ("", [], ["https://b/1.png"]),
            None,
        ),
        (
            "sendMediaGroup",
            {"media": ["no", {"type": "photo"}, {"type": "photo", "media": "https://b/1.png"}]},
            ("", [], ["https://b/1.png"]),
            None,
        ),
    ],
)
def test_what_a_bot_sends_is_shown_and_given_back_as_the_real_server_would(
    method: str, params: dict[str, Any], shown: tuple, told: dict[str, Any] | None
) -> None:
    async def run() -> None:
        account = Account()
        given = await account.call(method, **params)
        assert account.shown == [shown] and account.chat.answered
        if told is not None:
            assert {name: given.get(name) for name in told} == told
            assert given["chat"]["id"] == 10**9 and given["from"]["id"] == 4242
            again = await account.call("sendMessage", text="next")
            assert again["message_id"] == given["message_id"] + 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("sendMessage", {}, "400 Bad Request: message text is empty"),
        ("sendMessage", {"text": "hi", "chat_id": None}, "400 Bad Request: chat not found"),
        ("sendMessage", {"text": "hi", "chat_id": "@name"}, "400 Bad Request: chat not found"),
        ("sendPhoto", {"photo": "attach://one"}, "400 Bad Request: there is no photo in the request"),
        ("sendMediaGroup", {"media": '"one"'}, "400 Bad Request: there are no messages to send"),
        ("sendMediaGroup", {}, "400 Bad Request: there are no messages to send"),
        ("editMessageText", {"text": "hi"}, "400 Bad Request: message to edit not found"),
    ],
)
def test_what_a_bot_sends_wrongly_is_not_shown(method: str, params: dict[str, Any], said: str) -> None:
    account = Account()
    assert asyncio.run(account.refused(method, **params)) == said
    assert account.shown == []


def test_a_file_that_was_sent_once_is_shown_again_by_its_number() -> None:
    async def run() -> None:
        account = Account()
        sent = await account.call("sendPhoto", photo=UPLOAD)
        await account.call("sendPhoto", photo=sent["photo"][0]["file_id"])
        assert account.shown == [("", [], [UPLOAD.address])] * 2
        document = await account.call("sendDocument", document=UPLOAD)
        found = await account.call("getFile", file_id=document["document"]["file_id"])
        assert account.api.file(found["file_path"]) == UPLOAD

    asyncio.run(run())


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], Any]] = {
    "its text": ({}, {"text": "new"}, ("new", [], [])),
    "its text, which had buttons": ({"reply_markup": KEYBOARD}, {"text": "new"}, ("new", [], [])),
    "its buttons": ({}, {"reply_markup": KEYBOARD}, ("old\nMap: https://m", ["Go"], [])),
    "buttons with the text as it was": (
        {},
        {"text": "old", "reply_markup": KEYBOARD},
        ("old\nMap: https://m", ["Go"], []),
    ),
    "nothing": ({}, {"text": "old"}, "400 Bad Request: message is not modified"),
    "nothing, with buttons": (
        {"reply_markup": KEYBOARD},
        {"text": "old", "reply_markup": KEYBOARD},
        "400 Bad Request: message is not modified",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_message_that_nobody_has_seen_is_changed_in_its_place(change: str) -> None:
    before, after, expected = CHANGES[change]

    async def run() -> None:
        account = Account()
        sent = await account.call("sendMessage", text="old", **before)
        where = {"message_id": str(sent["message_id"])}
        if isinstance(expected, str):
            assert await account.refused("editMessageText", **where, **after) == expected
        else:
            changed = await account.call("editMessageText", **where, **after)
            assert changed["message_id"] == sent["message_id"]
            assert account.shown == [expected]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"text": "new"}, [("new", [], [])]),
        ({"text": "old"}, [("old", [], [])]),
        ({"reply_markup": KEYBOARD}, [("", ["Go"], [])]),
        ({"reply_markup": {"inline_keyboard": []}}, []),
    ],
)
def test_a_message_that_was_seen_is_shown_again_where_words_or_buttons_come(
    change: dict, shown: list
) -> None:
    """To take the buttons away, as bots do when one was pressed, says nothing."""

    async def run() -> None:
        account = Account()
        sent = await account.call("sendMessage", text="old")
        account.chat.messages.clear()
        await account.call("editMessageReplyMarkup", message_id=sent["message_id"], **change)
        assert account.shown == shown

    asyncio.run(run())


def test_a_caption_is_changed_and_its_picture_stays() -> None:
    async def run() -> None:
        account = Account()
        sent = await account.call("sendPhoto", photo="https://b/p.png", caption="old")
        await account.call("editMessageCaption", message_id=sent["message_id"], caption="new")
        assert account.shown == [("new", [], ["https://b/p.png"])]
        await account.call("deleteMessage", message_id=str(sent["message_id"]))
        assert account.shown == []

    asyncio.run(run())


def test_a_pressed_button_belongs_to_its_message_and_a_notice_is_shown_once() -> None:
    async def run() -> None:
        account = Account()
        sent = await account.call("sendMessage", text="Where?", reply_markup=KEYBOARD)
        account.chat.messages.clear()
        query = account.api.pressed(account.chat, "g")["callback_query"]
        assert query["data"] == "g" and query["from"]["id"] == 10**9
        assert (query["message"]["message_id"], query["message"]["text"]) == (sent["message_id"], "Where?")
        for number, text in (("none", "not ours"), (query["id"], "Going"), (query["id"], "Going")):
            await account.call("answerCallbackQuery", callback_query_id=number, text=text)
        assert account.shown == [("Going", [], [])]
        quiet = account.api.pressed(account.chat, "g")["callback_query"]["id"]
        await account.call("answerCallbackQuery", callback_query_id=quiet)
        assert len(account.shown) == 1

    asyncio.run(run())


@pytest.mark.parametrize(("token", "number"), [("4242:TEST", 4242), ("4242", 4242), ("TEST", 1), ("", 1)])
def test_a_bot_is_told_the_number_of_its_token(token: str, number: int) -> None:
    assert asyncio.run(Account().api.call(token, "getMe", {}))["id"] == number


def test_updates_are_given_in_order_as_many_as_asked_for_until_they_are_counted_past() -> None:
    async def run() -> None:
        account = Account()
        updates = [account.api.said(account.chat, text) for text in ("one", "two", "three")]
        for update in updates:
            account.api.offer(update)
        first, second, third = (update["update_id"] for update in updates)
        assert (second - first, third - second) == (1, 1)

        async def given(**params: Any) -> list[int]:
            return [one["update_id"] for one in await account.call("getUpdates", **params)]

        assert await given(limit=1) == [first] and not account.api.taken(updates[1])
        assert await given(limit=1) == [first]
        assert await given(offset=0) == [first, second, third]
        assert await given(offset=second) == [second, third]
        assert await given() == [second, third]
        assert await given(offset=third + 1) == []
        assert await given(timeout=0.01) == []

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def told(updates: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(one["update_id"], one["message"]["text"]) for one in updates]


def test_an_update_that_was_never_given_is_not_lost_where_a_bot_has_counted_further() -> None:
    """A bot that was connected before a restart of ours asks for numbers that we have not come to."""

    async def run() -> None:
        account = Account()
        for text in ("one", "two"):
            account.api.offer(account.api.said(account.chat, text))
        ((first, _),) = told(await account.call("getUpdates", limit=1))
        assert told(await account.call("getUpdates", offset=first + 1)) == [(first + 1, "two")]
        assert told(await account.call("getUpdates", offset=first + 2)) == []
        account.api.offer(account.api.said(account.chat, "three"))
        assert told(await account.call("getUpdates", offset=first + 3)) == [(first + 3, "three")]
        assert told(await account.call("getUpdates", offset=first + 4)) == []
        account.api.offer(account.api.said(account.chat, "four"))
        assert told(await account.call("getUpdates", offset=first + 1000)) == [(first + 1000, "four")]
        assert told(await account.call("getUpdates", offset=first + 1001)) == []
        assert told(await account.call("getUpdates", offset=first + 2000)) == []
        account.api.offer(account.api.said(account.chat, "five"))
        assert told(await account.call("getUpdates", offset=first + 2000)) == [(first + 2000, "five")]

    asyncio.run(run())


def test_numbers_of_chats_are_those_of_people_and_lengths_are_whole() -> None:
    account = Account()
    assert all(account.api.new_chat_id() >= 10**9 for _ in range(9))
    (entity,) = account.api.said(account.chat, "\U0001f600 /start")["message"]["entities"]
    assert json.dumps(entity) == '{"type": "bot_command", "offset": 3, "length": 6}'


def test_who_waits_for_updates_gets_the_next_one_and_loses_its_place_to_a_later_one() -> None:
    async def run() -> None:
        account = Account()
        waiting = asyncio.create_task(account.call("getUpdates", timeout=PATIENCE_S))
        await asyncio.sleep(0)
        later = asyncio.create_task(account.call("getUpdates", timeout=PATIENCE_S))
        await asyncio.sleep(0)
        account.api.offer(account.api.said(account.chat, "hello"))
        assert [one["message"]["text"] for one in await later] == ["hello"]
        waiting.cancel()
        account.api.withdraw((await account.call("getUpdates"))[0])
        waiting = asyncio.create_task(account.call("getUpdates", timeout=PATIENCE_S))
        await asyncio.sleep(0)
        account.api.stop()
        assert await waiting == [] and await account.call("getUpdates", timeout=PATIENCE_S) == []

    asyncio.run(run())


def test_what_waits_for_the_bot_goes_with_its_chat_and_when_the_bot_says_so() -> None:
    async def run() -> None:
        account, other = Account(), Chat(5, "en")
        account.chat.buttons["g"] = 1
        for update in (
            account.api.said(account.chat, "mine"),
            account.api.pressed(account.chat, "g"),
            account.api.said(other, "theirs"),
        ):
            account.api.offer(update)
        assert (await account.call("getWebhookInfo"))["pending_update_count"] == 3
        account.api.forget(account.chat.chat_id)
        assert [one["message"]["text"] for one in await account.call("getUpdates")] == ["theirs"]
        await account.call("deleteWebhook", drop_pending_updates=False)
        assert (await account.call("getWebhookInfo"))["pending_update_count"] == 1
        await account.call("deleteWebhook", drop_pending_updates=True)
        assert (await account.call("getWebhookInfo"))["pending_update_count"] == 0

    asyncio.run(run())


def test_a_bot_has_a_webhook_until_it_takes_it_away() -> None:
    async def run() -> None:
        account = Account()
        await account.call("setWebhook", url="https://b/hook", secret_token="s")
        assert (await account.call("getWebhookInfo"))["url"] == "https://b/hook"
        assert "while webhook is active" in await account.refused("getUpdates")
        await account.call("setWebhook", url="")
        assert (await account.call("getWebhookInfo"))["url"] == ""
        assert await account.call("getUpdates") == []

    asyncio.run(run())


def test_typing_lasts_for_as_long_as_is_set_or_until_something_is_written() -> None:
    async def run() -> None:
        account = Account()
        await account.call("sendChatAction", action="typing")
        assert account.chat.typing_until_s == 106.0 and not account.chat.answered
        await account.call("sendMessage", text="hi")
        assert account.chat.typing_until_s == 0.0

    asyncio.run(run())
