"""Messages between Slack and a bot: events in, messages with blocks and buttons out.

Source  https://docs.slack.dev/reference: message payloads, Block Kit, interaction payloads
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import Choice
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import mappings

TEAM: Final = "T0VIVAVOCE"
APP: Final = "A0VIVAVOCE"
BOT_USER: Final = "U0SYSTEM"
BOT: Final = "B0SYSTEM"
LONGEST_TEXT: Final = 40_000

_LINK: Final = re.compile(r"<((?:https?|mailto):[^|>]+)(?:\|([^>]*))?>")
_MENTION: Final = re.compile(r"<[@#!]([^|>]+)(?:\|([^>]*))?>")
_MARK: Final = re.compile(r"(?<![\w*_~`])([*_~`])(?=\S)(.+?)(?<=\S)\1(?![\w*_~`])")
_MARKDOWN: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_MENUS: Final = ("static_select", "overflow", "radio_buttons", "multi_static_select", "checkboxes")


class SlackError(Exception):
    """Errors of Slack for rejected calls."""

    def __init__(self, error: str) -> None:
        self.error = error
        super().__init__(error)


def escaped(text: str) -> str:
    """A text as Slack hands it to bots."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shown(text: str, *, marked: bool = True) -> str:
    """A bot's text as people see it in Slack; `marked`: with the marks of its format."""
    if marked:
        text = _MARKDOWN.sub(r"\1", text)
        text = _MARK.sub(r"\2", text)
    text = _LINK.sub(
        lambda match: f"{match[2]} ({match[1]})" if match[2] and match[2] != match[1] else match[1], text
    )
    text = _MENTION.sub(lambda match: f"@{match[2] or match[1]}", text)
    return clean_text(html.unescape(text))


def user_of(chat_id: str) -> str:
    """The participant whose chat it is."""
    return "U" + chat_id[1:]


def message_event(chat: Chat, text: str, ts: str, *, mention: bool) -> dict[str, Any]:
    """The event that tells the bot of a message in a direct chat, or of one that mentions it in a channel."""
    escaped_text = escaped(text)
    event = {
        "type": "app_mention" if mention else "message",
        "user": user_of(chat.chat_id),
        "team": TEAM,
        "channel": chat.chat_id,
        "ts": ts,
        "event_ts": ts,
        "client_msg_id": f"m-{ts}",
        "text": f"<@{BOT_USER}> {escaped_text}" if mention else escaped_text,
    }
    if not mention:
        event["channel_type"] = "im"
    authorized = {"enterprise_id": None, "team_id": TEAM, "user_id": BOT_USER, "is_bot": True}
    return {
        "token": "unused",
        "team_id": TEAM,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{ts.replace('.', '')}",
        "event_time": int(float(ts)),
        "event_context": f"4-{ts}",
        "authorizations": [{**authorized, "is_enterprise_install": False}],
        "is_ext_shared_channel": False,
    }


def command_event(chat: Chat, text: str, trigger: str, response_url: str) -> dict[str, Any]:
    """Event of a slash command."""
    command, _, argument_text = text.partition(" ")
    return {
        "token": "unused",
        "team_id": TEAM,
        "team_domain": "vivavoce",
        "channel_id": chat.chat_id,
        "channel_name": "directmessage",
        "user_id": user_of(chat.chat_id),
        "user_name": "participant",
        "command": command,
        "text": argument_text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger,
    }


def press_event(
    chat: Chat, button: dict[str, Any], ts: str, trigger: str, response_url: str
) -> dict[str, Any]:
    """Event of a pressed button, or of a chosen menu entry."""
    message = button["message"]
    user = {"id": user_of(chat.chat_id), "username": "participant", "name": "participant", "team_id": TEAM}
    place = {"type": "message", "message_ts": message, "channel_id": chat.chat_id, "is_ephemeral": False}
    text = chat.texts.get(message, "")
    original = {"type": "message", "user": BOT_USER, "bot_id": BOT, "ts": message, "text": text}
    return {
        "type": "block_actions",
        "user": user,
        "api_app_id": APP,
        "token": "unused",
        "container": place,
        "trigger_id": trigger,
        "team": {"id": TEAM, "domain": "vivavoce"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": chat.chat_id, "name": "directmessage"},
        "message": {**original, "team": TEAM},
        "state": {"values": {}},
        "response_url": response_url,
        "actions": [{**button["action"], "action_ts": ts}],
    }


def read_message(params: dict[str, Any], ts: str) -> tuple[BotMessage, dict[str, dict[str, Any]]]:
    """A bot's message as people see it, and what is told of each of its buttons, by payload.

    Raises  SlackError: there is nothing to show, or its blocks cannot be read
    """
    text = params.get("text") or params.get("markdown_text") or ""
    if not isinstance(text, str):
        raise SlackError("invalid_arguments")
    lines, choices, images = [], [], []
    buttons: dict[str, dict[str, Any]] = {}
    for kind, value in _parts(_blocks(params)):
        if kind == "text":
            lines.append(value)
        elif kind == "image":
            images.append(value)
        else:
            payload, title = value.pop("payload"), value.pop("title")
            choices.append(Choice(title, payload))
            buttons[payload] = {"message": ts, "action": value}
    content = "\n".join(line for line in lines if line.strip()) or shown(text)
    if not content.strip() and not choices and not images:
        raise SlackError("no_text")
    if len(content) > LONGEST_TEXT:
        raise SlackError("msg_too_long")
    return BotMessage(ts, content, choices, images), buttons


def _blocks(params: dict[str, Any]) -> list[dict[str, Any]]:
    """Blocks, those of attachments included; an attachment without blocks becomes one of text."""
    blocks = list(_list(params.get("blocks"), "invalid_blocks"))
    attachments = _list(params.get("attachments"), "invalid_attachments")
    if attachments and not blocks and isinstance(params.get("text"), str) and params["text"]:
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": params["text"]}})
    for attachment in attachments:
        if attachment.get("blocks"):
            blocks += _list(attachment["blocks"], "invalid_blocks")
            continue
        texts = [attachment.get(name) for name in ("pretext", "title", "text")]
        texts = [text for text in texts if isinstance(text, str) and text] or [
            str(attachment.get("fallback") or "")
        ]
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(texts)}})
        if isinstance(attachment.get("image_url"), str):
            blocks.append({"type": "image", "image_url": attachment["image_url"]})
    return blocks


def _list(value: Any, error: str) -> list[dict[str, Any]]:
    """A list that came as JSON in a form, or as it is."""
    if isinstance(value, str):
        try:
            value = json.loads(value or "[]")
        except ValueError:
            raise SlackError(error) from None
    if not isinstance(value, list | None):
        raise SlackError(error)
    return [entry for entry in value or () if isinstance(entry, dict)]


def _parts(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Visible content of blocks, in order: texts, pictures, buttons."""
    for number, block in enumerate(blocks):
        kind, block_id = block.get("type"), str(block.get("block_id") or f"b{number}")
        if kind in ("section", "header", "markdown"):
            fields = [block.get("text"), *mappings(block.get("fields"))]
            yield "text", "\n".join(_text(field) for field in fields if field)
        elif kind == "context":
            yield (
                "text",
                " ".join(_text(mapping) for mapping in mappings(block.get("elements")) if "text" in mapping),
            )
        elif kind == "rich_text":
            yield "text", "".join(_rich(block)).strip()
        elif kind == "image":
            yield "image", str(block.get("image_url") or "")
        elements = block.get("elements") if kind == "actions" else [block.get("accessory")]
        for element in mappings(elements):
            yield from _element(element, block_id)


def _element(element: dict[str, Any], block_id: str) -> Iterator[tuple[str, Any]]:
    kind, action_id = element.get("type"), str(element.get("action_id") or block_id)
    action = {"type": kind, "action_id": action_id, "block_id": block_id}
    if kind == "image":
        yield "image", str(element.get("image_url") or "")
    elif kind == "button" and isinstance(element.get("url"), str):
        yield "text", f"{_text(element.get('text'))}: {element['url']}"
    elif kind == "button":
        value = element.get("value")
        action |= {"text": element.get("text")} | ({"value": value} if value is not None else {})
        yield "button", {**action, "title": _text(element.get("text")), "payload": _payload(action_id, value)}
    elif kind in _MENUS:
        options = mappings(element.get("options"))
        for group in mappings(element.get("option_groups")):
            options += mappings(group.get("options"))
        for option in options:
            chosen = {"selected_options": [option]} if kind.startswith(("multi", "check")) else {}
            chosen = chosen or {"selected_option": option}
            title, payload = _text(option.get("text")), _payload(action_id, option.get("value"))
            yield "button", {**action, **chosen, "title": title, "payload": payload}


def _payload(action_id: str, value: Any) -> str:
    return action_id if value is None else f"{action_id}={value}"


def _text(text_object: Any) -> str:
    """The text of a text object, or a text as it is."""
    if isinstance(text_object, dict):
        return shown(str(text_object.get("text") or ""), marked=text_object.get("type") != "plain_text")
    return shown(str(text_object or ""))


def _rich(element: dict[str, Any]) -> Iterator[str]:
    """The words of rich text, a line for each of its parts."""
    kind = element.get("type")
    if kind in ("text", "link", "emoji", "user"):
        name = element.get("text") or element.get("url") or element.get("user_id")
        yield clean_text(str(name or f":{element.get('name')}:"))
    for mapping in mappings(element.get("elements")):
        yield from _rich(mapping)
    if kind in ("rich_text_section", "rich_text_preformatted", "rich_text_quote"):
        yield "\n"
