"""What a bot asks of a message platform in shapes of the wrong types."""

import asyncio
import json
import random
from typing import Any

import pytest

from vivavoce.connectors.answers import clean
from vivavoce.connectors.factory import make_connector
from vivavoce_platforms.graph import GraphError
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.slack_messages import SlackError

WRONG: list[Any] = [
    None,
    True,
    -1,
    1.5,
    "",
    [],
    {},
    [[]],
    {"a": 1},
    ["x"],
    [None],
    {"text": 5},
    "{",
    "\ud800",
]


BUTTON = {"type": "button", "action_id": "a", "value": "n", "text": {"type": "plain_text", "text": "N"}}


OPTION = {"text": {"type": "plain_text", "text": "o"}, "value": "1"}


BLOCKS = [
    {
        "type": "section",
        "text": {"type": "mrkdwn", "text": "x"},
        "fields": [{"text": "y"}],
        "accessory": BUTTON,
    },
    {"type": "actions", "elements": [BUTTON, {"type": "static_select", "options": [OPTION]}]},
    {"type": "actions", "elements": [{"type": "overflow", "option_groups": [{"options": [OPTION]}]}]},
    {"type": "context", "elements": [{"type": "mrkdwn", "text": "z"}]},
    {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text"}]}]},
]


REPLY = {
    "type": "button",
    "body": {"text": "b"},
    "action": {"buttons": [{"reply": {"id": "i", "title": "t"}}]},
}


ROWS = {
    "type": "list",
    "body": {"text": "b"},
    "action": {"sections": [{"rows": [{"id": "1", "title": "t"}]}]},
}


ELEMENT = {"title": "t", "buttons": [{"type": "postback", "title": "t", "payload": "p"}]}


TEMPLATE = {"type": "template", "payload": {"template_type": "generic", "elements": [ELEMENT]}}


QUICK = {"text": "x", "quick_replies": [{"content_type": "text", "title": "t", "payload": "p"}]}


CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "slack": [
        (
            "chat.postMessage",
            {"text": "hi", "blocks": BLOCKS, "attachments": [{"text": "a", "blocks": BLOCKS}]},
        ),
        ("chat.update", {"ts": "1.2", "text": "hi", "blocks": BLOCKS}),
        ("chat.startStream", {"markdown_text": "x", "chunks": [{"type": "markdown_text", "text": "x"}]}),
        ("assistant.threads.setSuggestedPrompts", {"prompts": [{"title": "a", "message": "b"}]}),
    ],
    "whatsapp": [
        ("messages", {"type": "text", "text": {"body": "x"}}),
        ("messages", {"type": "interactive", "interactive": REPLY}),
        ("messages", {"type": "interactive", "interactive": ROWS}),
        ("messages", {"type": "template", "template": {"components": [{"parameters": [{"text": "x"}]}]}}),
        ("messages", {"status": "read", "message_id": "m"}),
    ],
    "messenger": [
        ("messages", {"message": QUICK}),
        ("messages", {"message": {"attachment": TEMPLATE}}),
        ("messages", {"sender_action": "typing_on"}),
    ],
}


PLACE = {"slack": {"channel": "D1"}, "whatsapp": {"to": "1"}, "messenger": {"recipient": {"id": "1"}}}


def changed(value: Any, draw: random.Random) -> Any:
    """A value of another kind, somewhere."""
    keys = (
        list(value) if isinstance(value, dict) else list(range(len(value) if isinstance(value, list) else 0))
    )
    if not keys or draw.random() < 0.2:
        return draw.choice(WRONG)
    key, value = draw.choice(keys), value.copy()
    value[key] = changed(value[key], draw)
    return value


@pytest.mark.parametrize("platform", sorted(CALLS))
def test_a_call_of_wrong_types_is_refused_or_shown_and_never_an_error_of_ours(platform: str) -> None:
    settings = {"connect": platform, "port": 0, "url": "http://127.0.0.1:1/", "allow_private": True}
    draw = random.Random(7)

    async def run() -> Any:
        connector: Any = make_connector(settings, {})
        number = "D1" if platform == "slack" else "1"
        chat = connector.inner._chats[number] = Chat(number, "en")
        for _ in range(1500):
            method, params = draw.choice(CALLS[platform])
            given = clean(changed(params, draw))
            given = {**PLACE[platform], **(given if isinstance(given, dict) else {})}
            try:
                if platform == "slack":
                    json.dumps(connector.inner._api.call(method, given))
                else:
                    json.dumps(connector.inner._call("POST", ["me", method], given))
            except (SlackError, GraphError):
                pass
        outputs = connector.inner._outputs(chat)
        await connector.shut_down()
        return outputs

    outputs = asyncio.run(run())
    shown = [(one.title, one.payload) for output in outputs for one in output.choices]
    assert all(isinstance(text, str) for pair in shown for text in pair)
    assert len(outputs) > 100 and all(isinstance(output.text, str) for output in outputs)
