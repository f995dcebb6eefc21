"""An unmodified bot for the WhatsApp Cloud API: Vivavoce is the platform.

Wire    signed webhooks, and POST http://HOST:PORT/vNN.N/PHONE_NUMBER_ID/messages from the bot
Memory  in the bot, under a telephone number that is new for each conversation; a reset takes another
Turn    complete when the bot has been idle for `idle_s` and is not typing
Source  https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages and .../webhooks
"""

import secrets
import time
from typing import Any, ClassVar, Final

from pydantic import Field

from vivavoce.connectors.base import Choice, ConnectorSettings
from vivavoce_platforms.graph import GraphConnector, GraphError, GraphSettings
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import mappings, text_of

LONGEST_TEXT: Final = 4096
_USER: Final = "XX."
_MOST_BUTTONS: Final = 3
_MOST_ROWS: Final = 10
_MEDIA: Final = ("image", "sticker", "video", "audio", "document")
_PICTURES: Final = ("image", "sticker")


class WhatsAppSettings(GraphSettings):
    """Settings of a system with `connect: whatsapp`."""

    port: int = Field(8083, ge=0, le=65535, description="port that the bot connects to")
    phone_number_id: str = Field("100000000000001", description="ID of the bot's phone number")
    account_id: str = Field("200000000000001", description="ID of its WhatsApp Business account")


class WhatsAppConnector(GraphConnector[WhatsAppSettings]):
    """A WhatsApp bot that takes us for the WhatsApp Cloud API."""

    name: ClassVar[str] = "whatsapp"
    summary: ClassVar[str] = "an unmodified bot for the WhatsApp Cloud API; Vivavoce acts as WhatsApp"
    settings: ClassVar[type[ConnectorSettings]] = WhatsAppSettings
    platform: ClassVar[str] = "WhatsApp"
    longest_text: ClassVar[int] = LONGEST_TEXT

    def __init__(self, settings: WhatsAppSettings, vault: Any) -> None:
        super().__init__(settings, vault)
        self._asked: dict[str, Chat] = {}

    # --- what the bot is told -------------------------------------------------------------------------

    def _new_chat_id(self) -> str:
        return f"888{secrets.randbelow(10**12):012d}"  # a country code that nobody has

    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        name = f"wamid.{self._number()}"
        self._asked = {
            key: asked_chat for key, asked_chat in self._asked.items() if asked_chat is not chat
        } | {name: chat}
        message: dict[str, Any] = {"from": chat.chat_id, "id": name, "timestamp": str(int(time.time()))}
        message["from_user_id"] = _user(chat.chat_id)
        if payload is None:
            message |= {"type": "text", "text": {"body": text}}
        else:
            button = chat.buttons[payload]
            reply = {"type": button["type"], button["type"]: button["reply"]}
            context = {"from": "15550000000", "id": button["message"]}
            message |= {"type": "interactive", "interactive": reply, "context": context}
        numbers = {"display_phone_number": "15550000000", "phone_number_id": self._settings.phone_number_id}
        contact = {"profile": {"name": "Participant"}, "wa_id": chat.chat_id, "user_id": _user(chat.chat_id)}
        value = {"messaging_product": "whatsapp", "metadata": numbers, "contacts": [contact]}
        changes = [{"value": {**value, "messages": [message]}, "field": "messages"}]
        entry = [{"id": self._settings.account_id, "changes": changes}]
        return {"object": "whatsapp_business_account", "entry": entry}

    # --- what the bot calls ---------------------------------------------------------------------------

    def _call(self, method: str, path: list[str], params: dict[str, Any]) -> dict[str, Any]:
        match method, path:
            case "POST", [_, "messages"]:
                return self._sent(params)
            case "POST", [_, "media"]:
                number = str(self._number())
                self._files[number] = params["file"] if "file" in params else _missing("file")
                return {"id": number}
            case "GET", [number] if number == self._settings.phone_number_id:
                return {"id": number, "display_phone_number": "15550000000", "verified_name": "System"}
            case "POST", [_, "subscribed_apps" | "subscriptions" | "whatsapp_business_profile"]:
                return {"success": True}
        raise GraphError(100, f"Unsupported {method.lower()} request: /{'/'.join(path)}")

    def _sent(self, params: dict[str, Any]) -> dict[str, Any]:
        if params.get("status") == "read":
            return self._read(params)
        to = str(params.get("to") or params.get("recipient") or "")
        chat = self._chats.get(to.lstrip("+").removeprefix(_USER))
        if chat is None:
            raise GraphError(131030, "Recipient phone number not in allowed list")
        kind = str(params.get("type") or "text")
        sent = f"wamid.{self._number()}"
        if kind == "reaction":
            chat.stirred("reaction", params, time.monotonic())
        else:
            message, buttons = self._read_message(sent, kind, params)
            for payload, button in buttons.items():
                chat.buttons[payload] = {**button, "message": message.message_id}
            self._wrote(chat, "messages", params, message)
        contacts = [{"input": to, "wa_id": chat.chat_id, "user_id": _user(chat.chat_id)}]
        return {"messaging_product": "whatsapp", "contacts": contacts, "messages": [{"id": sent}]}

    def _read(self, params: dict[str, Any]) -> dict[str, Any]:
        """The bot has read a message, and may be typing."""
        chat = self._asked.get(str(params.get("message_id")))
        if chat is None:
            raise GraphError(100, "Invalid parameter: message_id")
        chat.stirred("read", params, time.monotonic())
        if params.get("typing_indicator"):
            chat.typing_until_s = time.monotonic() + self._settings.typing_s
        return {"success": True}

    def _read_message(
        self, sent: str, kind: str, params: dict[str, Any]
    ) -> tuple[BotMessage, dict[str, Any]]:
        """A bot's message as people see it, and what is told of each of its buttons."""
        message = BotMessage(sent, "")
        buttons: dict[str, Any] = {}
        content = _mapping(params, kind)
        if kind == "text":
            message.text = text_of(content, "body")
        elif kind == "interactive":
            message.text, buttons, message.images = _interactive(content)
            message.choices = [
                Choice(button["reply"]["title"], payload) for payload, button in buttons.items()
            ]
        elif kind in _MEDIA:
            file = self._files.get(str(content.get("id")))
            address = file.address if file is not None else str(content.get("link") or "")
            message.text = text_of(content, "caption")
            if kind in _PICTURES and address:
                message.images = [address]
            else:
                message.text = "\n".join(filter(None, [message.text, f"[{kind}]"]))
        elif kind == "location":
            where = f"{content.get('latitude')}, {content.get('longitude')}"
            message.text = text_of(content, "name") or where
        elif kind == "template":
            parts = [
                text_of(mapping, "text")
                for part in mappings(content.get("components"))
                for mapping in mappings(part.get("parameters"))
            ]
            message.text = " ".join(filter(None, [f"[template {text_of(content, 'name')}]", *parts]))
        else:
            message.text = f"[{kind}]"
        if not message.text.strip() and not message.images:
            _missing(f"{kind}['body']" if kind == "text" else kind)
        if len(message.text) > LONGEST_TEXT:
            raise GraphError(100, f"Param text['body'] must be at most {LONGEST_TEXT} characters long.")
        return message, buttons


def _interactive(content: dict[str, Any]) -> tuple[str, dict[str, Any], list[str]]:
    """The words of a message with buttons or a list, what is told of each choice, and its picture.

    Raises  GraphError: more choices, or longer ones, than WhatsApp takes
    """
    lines = [text_of(content, "header", "text"), text_of(content, "body", "text")]
    lines.append(text_of(content, "footer", "text"))
    action = _mapping(content, "action")
    buttons: dict[str, Any] = {}
    if content.get("type") == "button":
        offered, most, kind, longest = mappings(action.get("buttons")), _MOST_BUTTONS, "button_reply", 20
        replies = [offer["reply"] for offer in offered if isinstance(offer.get("reply"), dict)]
    else:
        sections = mappings(action.get("sections"))
        replies, most, kind, longest = [], _MOST_ROWS, "list_reply", 24
        for section in sections:
            replies += mappings(section.get("rows"))
    if len(replies) > most:
        raise GraphError(131009, f"Parameter value is not valid: at most {most} choices")
    for reply in replies:
        reply_fields = {
            name: text for name in ("id", "title", "description") if (text := text_of(reply, name))
        }
        if not reply_fields.get("id") or not 1 <= len(reply_fields.get("title", "")) <= longest:
            raise GraphError(131009, f"Parameter value is not valid: a title has 1 to {longest} characters")
        buttons[reply_fields["id"]] = {"type": kind, "reply": reply_fields}
    if content.get("type") == "cta_url":
        link = _mapping(action, "parameters")
        lines.append(f"{text_of(link, 'display_text')}: {text_of(link, 'url')}")
    picture = text_of(content, "header", "image", "link")
    return "\n".join(filter(None, lines)), buttons, [picture] if picture else []


def _user(chat_id: str) -> str:
    """The number by which a business knows a user beside their telephone number."""
    return _USER + chat_id


def _mapping(params: dict[str, Any], name: str) -> dict[str, Any]:
    value = params.get(name)
    return value if isinstance(value, dict) else _missing(name)


def _missing(name: str) -> Any:
    raise GraphError(100, f"The parameter {name} is required.")
