"""Teams as bots meet it: calls of the Bot Framework's interface, read and refused; nobody listens."""

import json
from typing import Any

import pytest

from vivavoce.connectors.factory import make_connector
from vivavoce_platforms.activities import read_activity
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.teams import ActivityError

CARD = {
    "contentType": "application/vnd.microsoft.card.adaptive",
    "content": {
        "body": [
            {"type": "TextBlock", "text": "Pick a soup"},
            {
                "type": "Container",
                "items": [
                    {"type": "FactSet", "facts": [{"title": "Price", "value": "3"}]},
                    {"type": "Image", "url": "https://x.example/a.png"},
                ],
            },
        ],
        "actions": [
            {"type": "Action.Submit", "title": "Soup", "data": {"dish": "soup"}},
            {"type": "Action.OpenUrl", "title": "Menu", "url": "https://x.example"},
        ],
    },
}


@pytest.fixture
def teams() -> Any:
    settings = {"connect": "teams", "port": 0, "url": "http://127.0.0.1:1/", "allow_private": True}
    inner: Any = make_connector({**settings, "start": "conversationUpdate"}, {}).inner
    inner._chats["a:1"] = Chat("a:1", "it")
    return inner


def test_a_card_is_shown_and_its_button_tells_the_bot_its_data(teams: Any) -> None:
    teams._call(
        "POST", ["v3", "conversations", "a:1", "activities"], {"type": "message", "attachments": [CARD]}
    )
    chat = teams._chats["a:1"]
    (message,) = chat.messages
    assert message.text == "Pick a soup\nPrice 3\nMenu https://x.example"
    assert message.images == ["https://x.example/a.png"]
    (choice,) = message.choices
    told = teams._event(chat, choice.title, choice.payload)
    assert (told["type"], told["value"], "text" in told) == ("message", {"dish": "soup"}, False)


def test_messages_change_go_and_are_written_while_it_types(teams: Any) -> None:
    place, chat = ["v3", "conversations", "a:1", "activities"], teams._chats["a:1"]
    number = json.loads(teams._call("POST", place, {"type": "message", "text": "wait"}).body)["id"]
    teams._call("PUT", [*place, number], {"type": "message", "text": "done"})
    assert [one.text for one in chat.messages] == ["done"]
    teams._call("DELETE", [*place, number], {})
    assert chat.messages == []
    teams._call("POST", place, {"type": "typing"})
    assert chat.typing_until_s > 0 and chat.messages == []


def test_who_joins_is_told_and_members_can_be_asked_for(teams: Any) -> None:
    chat = teams._chats["a:1"]
    joined = teams._event(chat, "conversationUpdate", None)
    assert (joined["type"], joined["membersAdded"][0]["id"]) == ("conversationUpdate", "29:1")
    member = json.loads(teams._call("GET", ["v3", "conversations", "a:1", "members", "29:1"], {}).body)
    assert member["id"] == "29:1"
    opened = teams._call("POST", ["v3", "conversations"], {"members": [{"id": "29:1"}]})
    assert json.loads(opened.body)["id"] == "a:1"


@pytest.mark.parametrize(
    ("path", "params", "code"),
    [
        (["a:2", "activities"], {"type": "message", "text": "x"}, "ConversationNotFound"),
        (["a:1", "activities"], {"type": "message"}, "BadSyntax"),
        (["a:1", "activities"], {"type": "message", "text": "x" * 28_001}, "MessageSizeTooBig"),
        (["a:1", "nothing"], {}, "ServiceError"),
    ],
)
def test_what_teams_would_not_take_is_refused(
    teams: Any, path: list[str], params: dict[str, Any], code: str
) -> None:
    with pytest.raises(ActivityError) as caught:
        teams._call("POST", ["v3", "conversations", *path], params)
    assert caught.value.code == code


def test_strange_cards_are_passed_over() -> None:
    for content in ({"body": "x", "actions": [3]}, {"body": [{"type": "RichTextBlock", "inlines": 3}]}):
        assert read_activity({"attachments": [{**CARD, "content": content}]}).text == ""
