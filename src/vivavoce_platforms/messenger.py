"""An unmodified bot for Facebook Messenger (and, in the same shape, Instagram): Vivavoce is the platform.

Wire    signed webhooks, and POST http://HOST:PORT/vNN.N/me/messages from the bot
Memory  in the bot, under a page-scoped id that is new for each conversation; a reset takes another
Turn    complete when the bot has been idle for `idle_s` and is not typing
Source  https://developers.facebook.com/docs/messenger-platform: webhook events, Send API
"""

import json
import secrets
import time
from typing import Any, ClassVar, Final

from pydantic import Field

from vivavoce.connectors.base import Choice, ConnectorSettings
from vivavoce_platforms.graph import GraphConnector, GraphError, GraphSettings
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import mappings, text_of

LONGEST_TEXT: Final = 2000
_MOST_QUICK: Final = 13
_PICTURE: Final = "image"


class MessengerSettings(GraphSettings):
    """Settings of a system with `connect: messenger`."""

    port: int = Field(8084, ge=0, le=65535, description="port that the bot connects to")
    page_id: str = Field("300000000000001", description="number of the bot's page")
    start: str | None = Field(None, description="payload of Get Started, which starts a conversation")


class MessengerConnector(GraphConnector[MessengerSettings]):
    """A Messenger bot that takes us for Messenger."""

    name: ClassVar[str] = "messenger"
    summary: ClassVar[str] = "an unmodified Messenger bot; Vivavoce acts as Messenger"
    settings: ClassVar[type[ConnectorSettings]] = MessengerSettings
    platform: ClassVar[str] = "Messenger"
    longest_text: ClassVar[int] = LONGEST_TEXT

    # --- what the bot is told -------------------------------------------------------------------------

    def _new_chat_id(self) -> str:
        return f"9{secrets.randbelow(10**15):015d}"

    async def _chat(self, conversation: Any) -> Chat:
        chat = await super()._chat(conversation)
        if self._settings.start is not None:
            chat.buttons.setdefault(self._settings.start, {"kind": "postback", "title": "Get Started"})
        return chat

    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        now_ms, page = int(time.time() * 1000), self._settings.page_id
        messaging: dict[str, Any] = {
            "sender": {"id": chat.chat_id},
            "recipient": {"id": page},
            "timestamp": now_ms,
        }
        payload = text if payload is None and text == self._settings.start else payload
        button = chat.buttons[payload] if payload is not None else {}
        name = f"m_{self._number()}"
        if button.get("kind") == "postback":
            messaging["postback"] = {"mid": name, "title": button["title"], "payload": payload}
        elif button:
            messaging["message"] = {"mid": name, "text": button["title"], "quick_reply": {"payload": payload}}
        else:
            messaging["message"] = {"mid": name, "text": text}
        return {"object": "page", "entry": [{"id": page, "time": now_ms, "messaging": [messaging]}]}

    # --- what the bot calls ---------------------------------------------------------------------------

    def _call(self, method: str, path: list[str], params: dict[str, Any]) -> dict[str, Any]:
        match method, path:
            case "POST", [_, "messages"]:
                return self._sent(params)
            case "POST" | "DELETE", [_, "messenger_profile" | "thread_settings"]:
                return {"result": "success"}
            case "POST", [_, "subscribed_apps"]:
                return {"success": True}
            case "GET", ["me"]:
                return {"id": self._settings.page_id, "name": "System"}
            case "GET", [number] if number in self._chats:
                language = self._chats[number].language
                return {"id": number, "first_name": "Participant", "last_name": "", "locale": language}
        raise GraphError(100, f"Unsupported {method.lower()} request: /{'/'.join(path)}")

    def _sent(self, params: dict[str, Any]) -> dict[str, Any]:
        params = {name: _unpacked(value) for name, value in params.items()}
        number = text_of(params, "recipient", "id")
        chat = self._chats.get(number)
        if chat is None:
            raise GraphError(100, "(#100) No matching user found")
        action = params.get("sender_action")
        if action:
            chat.stirred(str(action), params, time.monotonic())
            if action == "typing_on":
                chat.typing_until_s = time.monotonic() + self._settings.typing_s
            return {"recipient_id": number}
        content = params.get("message")
        if not isinstance(content, dict):
            raise GraphError(100, "(#100) Param message must be an object")
        message = BotMessage(f"m_{self._number()}", text_of(content, "text"))
        _read_attachment(content, message, chat)
        _read_quick_replies(content, message, chat)
        if not message.text and not message.images and not message.choices:
            raise GraphError(100, "(#100) Message cannot be empty, must provide valid attachment or text")
        if len(message.text) > LONGEST_TEXT:
            raise GraphError(100, f"(#100) Length of param message[text] must be at most {LONGEST_TEXT}")
        self._wrote(chat, "messages", params, message)
        return {"recipient_id": number, "message_id": message.message_id}


def _read_quick_replies(content: dict[str, Any], message: BotMessage, chat: Chat) -> None:
    replies = [mapping for mapping in mappings(content.get("quick_replies")) if "payload" in mapping]
    if len(replies) > _MOST_QUICK:
        raise GraphError(100, f"(#100) Param message[quick_replies] must have at most {_MOST_QUICK} elements")
    for reply in replies:
        _offer("quick_reply", reply, message, chat)


def _read_attachment(content: dict[str, Any], message: BotMessage, chat: Chat) -> None:
    """A picture, another file, or a template with its texts and buttons."""
    attachment = content.get("attachment")
    if not isinstance(attachment, dict):
        return
    kind, payload = str(attachment.get("type")), attachment.get("payload")
    payload = payload if isinstance(payload, dict) else {}
    if kind != "template":
        address = text_of(payload, "url")
        if kind == _PICTURE and address:
            message.images.append(address)
        else:
            message.text = "\n".join(filter(None, [message.text, f"[{kind}]"]))
        return
    lines = [message.text, text_of(payload, "text")]
    for element in [payload, *mappings(payload.get("elements"))]:
        lines += [text_of(element, name) for name in ("title", "subtitle")]
        message.images += filter(None, [text_of(element, "image_url")])
        for button in mappings(element.get("buttons")):
            if button.get("type") == "postback":
                _offer("postback", button, message, chat)
            elif button.get("type") == "web_url":
                lines.append(f"{text_of(button, 'title')}: {text_of(button, 'url')}")
    message.text = "\n".join(filter(None, lines))


def _offer(kind: str, button: dict[str, Any], message: BotMessage, chat: Chat) -> None:
    title, payload = text_of(button, "title"), text_of(button, "payload")
    message.choices.append(Choice(title, payload))
    chat.buttons[payload] = {"kind": kind, "title": title}


def _unpacked(value: Any) -> Any:
    """A parameter of a form, which is JSON where it is no plain word."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
