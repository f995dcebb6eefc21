"""Discord's interface as a bot sees it: how it writes into direct channels, and what it is told of them."""

import json
import secrets
import time
from datetime import UTC, datetime
from typing import Any, Final

from vivavoce.connectors.base import Choice
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import Upload, mappings, text_of

LONGEST_TEXT: Final = 2000
APPLICATION: Final = "100000000000000001"
_BEGINNING_MS: Final = 1_420_070_400_000  # when Discord's numbers begin
_LONGEST_NUMBER: Final = 30
_ROW, _BUTTON, _SELECT, _LINK = 1, 2, 3, 5
_DIRECT: Final = 1
_BOT: Final = {
    "id": APPLICATION,
    "username": "system",
    "discriminator": "0",
    "global_name": None,
    "avatar": None,
    "bot": True,
    "verified": True,
    "mfa_enabled": False,
    "flags": 0,
    "email": None,
}


class DiscordError(Exception):
    """Errors of Discord, by HTTP status, error code and message."""

    def __init__(self, status: int, code: int, message: str) -> None:
        self.status, self.code, self.message = status, code, message
        super().__init__(message)


class DiscordApi:
    """One bot's Discord: what it asks for is answered as Discord would, as far as a direct channel needs."""

    def __init__(self, chats: dict[Any, Chat], *, typing_s: float) -> None:
        self._chats, self._typing_s, self._last = chats, typing_s, 0
        # by token of an interaction: its chat and the message of its button; the message that answers it
        self._asked: dict[str, tuple[Chat, str]] = {}
        self._first: dict[str, str] = {}

    def number(self) -> str:
        """A number that nothing has had. It is even: the one after it is a channel's user."""
        now = (int(time.time() * 1000) - _BEGINNING_MS) << 22
        self._last = max(now, self._last + 2) & ~1
        return str(self._last)

    # --- what the bot is told -------------------------------------------------------------------------

    def ready(self, address: str) -> dict[str, Any]:
        """The first event of a connection."""
        head = {
            "v": 10,
            "user": _BOT,
            "guilds": [],
            "private_channels": [],
            "session_id": secrets.token_hex(16),
        }
        return {**head, "resume_gateway_url": address, "application": {"id": APPLICATION, "flags": 0}}

    def said(self, chat: Chat, text: str) -> dict[str, Any]:
        """A participant's message."""
        return {**self._message(chat, self.number(), text), "author": _user(chat), "channel_type": _DIRECT}

    def pressed(self, chat: Chat, payload: str) -> dict[str, Any]:
        """A participant's pressed button, or what they selected."""
        button, token = chat.buttons[payload], secrets.token_hex(24)
        self._asked = {key: pending for key, pending in self._asked.items() if pending[0] is not chat}
        self._first = {key: number for key, number in self._first.items() if key in self._asked}
        self._asked[token] = chat, button["message"]
        message = self._message(chat, button["message"], chat.texts.get(button["message"], ""))
        head = {"id": self.number(), "application_id": APPLICATION, "token": token, "version": 1, "type": 3}
        place = {"channel_id": chat.chat_id, "channel": _channel(chat), "user": _user(chat)}
        more = {
            "locale": chat.language,
            "entitlements": [],
            "authorizing_integration_owners": {},
            "context": 1,
        }
        data = {"data": {**button["data"], "id": 1}, "message": message, "app_permissions": "0"}
        return {**head, **place, **more, **data, "attachment_size_limit": 10_000_000}

    # --- what the bot calls ---------------------------------------------------------------------------

    def call(self, method: str, path: list[str], params: dict[str, Any], address: str) -> Any:
        """Answer one call of the bot; None: Discord answers nothing. Raises DiscordError."""
        params = _whole(params)
        match method, path:
            case "GET", ["users", "@me"]:
                return _BOT
            case "GET", ["gateway"] | ["gateway", "bot"]:
                limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
                url = f"{address.replace('http', 'ws', 1)}/gateway"
                return {"url": url, "shards": 1, "session_start_limit": limit}
            case "GET", ["applications", "@me"] | ["oauth2", "applications", "@me"]:
                return _application()
            case "PUT", ["applications", _, *_, "commands"]:
                return []
            case "GET", ["users", number]:
                return _user(self._of_user(number))
            case "POST", ["users", "@me", "channels"]:
                return _channel(self._of_user(str(params.get("recipient_id"))))
            case "POST", ["interactions", _, token, "callback"]:
                return self._called_back(token, params)
            case "POST", ["webhooks", _, token]:
                return self._wrote(self._interaction(token)[0], "followup", params)
            case "PATCH" | "DELETE", ["webhooks", _, token, "messages", number]:
                return self._changed_answer(method, token, number, params)
            case _, ["channels", number, *rest]:
                return self._in_channel(method, self._chat(number), rest, params)
        raise DiscordError(404, 0, "404: Not Found")

    def _in_channel(self, method: str, chat: Chat, path: list[str], params: dict[str, Any]) -> Any:
        match method, path:
            case "GET", []:
                return _channel(chat)
            case "GET", ["messages" | "pins"]:
                return [self._message(chat, number, text) for number, text in reversed(chat.texts.items())]
            case "GET", ["messages", number] if number in chat.texts:
                return self._message(chat, number, chat.texts[number])
            case "POST", ["messages"]:
                return self._wrote(chat, "messages", params)
            case "PATCH", ["messages", number]:
                return self._changed(chat, number, params)
            case "DELETE", ["messages", number]:
                return self._deleted(chat, number)
            case "POST", ["typing"]:
                self._thinks(chat, "typing", params)
                return None
            case "PUT" | "DELETE", ["messages" | "pins", *_]:
                chat.stirred("/".join(path), params, time.monotonic())
                return None
        raise DiscordError(404, 10008, "Unknown Message")

    def _called_back(self, token: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """A bot's first answer to a pressed button: a message, a changed one, or one of these to come."""
        chat, message = self._interaction(token)
        message_facts = None
        raw_data = params.get("data")
        data: dict[str, Any] = raw_data if isinstance(raw_data, dict) else {}
        match params.get("type"):
            case 4:
                message_facts = self._wrote(chat, "callback", data)
                self._first[token] = message_facts["id"]
            case 7:
                message_facts = self._changed(chat, message, data)
            case 5:
                self._thinks(chat, "callback", params)
            case _:
                chat.stirred("callback", params, time.monotonic())
        if str(params.get("with_response")).lower() not in ("true", "1"):
            return None
        interaction = {"id": self.number(), "type": 3, "activity_instance_id": None}
        resource = {"type": params.get("type"), **({"message": message_facts} if message_facts else {})}
        return {
            "interaction": {**interaction, "response_message_id": message_facts and message_facts["id"]},
            "resource": resource,
        }

    def _changed_answer(self, method: str, token: str, number: str, params: dict[str, Any]) -> Any:
        chat, message = self._interaction(token)
        if number == "@original":
            number = self._first.get(token) or ""
            if not number and method == "PATCH":  # what was to come after all
                answer = self._wrote(chat, "callback", params)
                self._first[token] = answer["id"]
                return answer
        number = number or message
        return self._changed(chat, number, params) if method == "PATCH" else self._deleted(chat, number)

    def _wrote(self, chat: Chat, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self.number()
        message = self._read(chat, number, params)
        chat.messages.append(message)
        return self._noted(chat, method, params, message)

    def _changed(self, chat: Chat, number: str, params: dict[str, Any]) -> dict[str, Any]:
        if number not in chat.texts:
            raise DiscordError(404, 10008, "Unknown Message")
        is_delivered, keeps_content = (
            chat.find(number) is None,
            "content" not in params and "embeds" not in params,
        )
        message = self._read(
            chat, number, {"content": chat.texts[number], **params} if keeps_content else params
        )
        if is_delivered and not message.choices and message.text == chat.texts[number]:
            chat.stirred("edit", params, time.monotonic())  # only its buttons went, and its words were shown
            return self._message(chat, number, message.text)
        chat.edit(message)
        return self._noted(chat, "edit", params, message)

    def _deleted(self, chat: Chat, number: str) -> None:
        chat.delete(number)
        chat.stirred("delete", {"message": number}, time.monotonic())

    def _noted(self, chat: Chat, method: str, params: dict[str, Any], message: BotMessage) -> dict[str, Any]:
        chat.texts[message.message_id] = message.text
        files = [name for name, value in params.items() if isinstance(value, Upload)]
        chat.stirred(method, {name: params[name] for name in params if name not in files}, time.monotonic())
        facts = self._message(chat, message.message_id, text_of(params, "content"))
        return {**facts, "embeds": mappings(params.get("embeds"))}

    def _thinks(self, chat: Chat, method: str, params: dict[str, Any]) -> None:
        chat.stirred(method, params, time.monotonic())
        chat.typing_until_s = time.monotonic() + self._typing_s

    def _read(self, chat: Chat, number: str, params: dict[str, Any]) -> BotMessage:
        """A bot's message as people see it. Raises DiscordError: nothing is in it, or too much."""
        text = text_of(params, "content")
        if len(text) > LONGEST_TEXT:
            raise DiscordError(
                400, 50035, f"Invalid Form Body: content must be {LONGEST_TEXT} or fewer in length."
            )
        message = BotMessage(number, text, at_s=time.monotonic())
        for embed in mappings(params.get("embeds")):
            _read_embed(embed, message)
        for file in (value for value in params.values() if isinstance(value, Upload)):
            if file.kind.startswith("image/"):
                message.images.append(file.address)
            else:
                message.text = "\n".join(filter(None, [message.text, f"[{file.name}]"]))
        for row in mappings(params.get("components")):
            for component in mappings(row.get("components")):
                _read_component(component, message, chat)
        if not message.text.strip() and not message.images and not message.choices:
            raise DiscordError(400, 50006, "Cannot send an empty message")
        return message

    # --- who and where --------------------------------------------------------------------------------

    def _chat(self, number: str) -> Chat:
        chat = self._chats.get(number)
        if chat is None:
            raise DiscordError(404, 10003, "Unknown Channel")
        return chat

    def _of_user(self, number: str) -> Chat:
        is_number = number.isdecimal() and len(number) < _LONGEST_NUMBER
        chat = self._chats.get(str(int(number) - 1)) if is_number else None
        if chat is None:
            raise DiscordError(404, 10013, "Unknown User")
        return chat

    def _interaction(self, token: str) -> tuple[Chat, str]:
        if token not in self._asked:
            raise DiscordError(404, 10062, "Unknown interaction")
        return self._asked[token]

    def _message(self, chat: Chat, number: str, text: str) -> dict[str, Any]:
        sent = datetime.fromtimestamp(((int(number) >> 22) + _BEGINNING_MS) / 1000, UTC).isoformat()
        lists = {"mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "components": []}
        marks = {
            "tts": False,
            "mention_everyone": False,
            "pinned": False,
            "edited_timestamp": None,
            "type": 0,
        }
        return {
            "id": number,
            "channel_id": chat.chat_id,
            "author": _BOT,
            "content": text,
            "timestamp": sent,
            "flags": 0,
            **lists,
            **marks,
        }


def _whole(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a call with files, which come as JSON in a field of a form."""
    if not isinstance(params.get("payload_json"), str):
        return params
    try:
        payload = json.loads(params["payload_json"])
    except (ValueError, RecursionError):
        raise DiscordError(400, 50109, "The request body contains invalid JSON.") from None
    remaining = {name: value for name, value in params.items() if name != "payload_json"}
    payload = payload if isinstance(payload, dict) else {}
    inner = payload.pop("data", None)  # of an answer to a button: its files belong to what it says
    return (
        {**payload, "data": {**inner, **remaining}} if isinstance(inner, dict) else {**payload, **remaining}
    )


def _read_embed(embed: dict[str, Any], message: BotMessage) -> None:
    lines = [message.text, text_of(embed, "title"), text_of(embed, "description")]
    for field in mappings(embed.get("fields")):
        lines.append(f"{text_of(field, 'name')}: {text_of(field, 'value')}")
    lines.append(text_of(embed, "footer", "text"))
    message.text = "\n".join(filter(None, lines))
    address = text_of(embed, "image", "url")
    message.images += [address] if address.startswith(("http", "data")) else []


def _read_component(component: dict[str, Any], message: BotMessage, chat: Chat) -> None:
    """A button or a menu becomes choices; a button that opens a page is shown with its address."""
    kind, name = component.get("type"), text_of(component, "custom_id")
    if component.get("disabled"):
        return
    if kind == _BUTTON and component.get("style") == _LINK:
        line = f"{text_of(component, 'label')}: {text_of(component, 'url')}"
        message.text = "\n".join(filter(None, [message.text, line]))
    elif kind == _BUTTON and name:
        title = text_of(component, "label") or text_of(component, "emoji", "name")
        _offer(title, name, {"custom_id": name, "component_type": kind}, message, chat)
    elif kind == _SELECT and name:
        for option in mappings(component.get("options")):
            value = text_of(option, "value")
            data = {"custom_id": name, "component_type": kind, "values": [value]}
            _offer(text_of(option, "label"), f"{name}={value}", data, message, chat)


def _offer(title: str, payload: str, data: dict[str, Any], message: BotMessage, chat: Chat) -> None:
    message.choices.append(Choice(title, payload))
    chat.buttons[payload] = {"message": message.message_id, "data": data}


def _user(chat: Chat) -> dict[str, Any]:
    name = {"username": "participant", "global_name": "Participant", "discriminator": "0", "avatar": None}
    return {"id": str(int(chat.chat_id) + 1), **name, "public_flags": 0, "bot": False}


def _channel(chat: Chat) -> dict[str, Any]:
    return {
        "id": chat.chat_id,
        "type": _DIRECT,
        "recipients": [_user(chat)],
        "last_message_id": None,
        "flags": 0,
    }


def _application() -> dict[str, Any]:
    owner = {**_BOT, "id": "100000000000000002", "username": "owner", "bot": False}
    facts = {
        "description": "",
        "icon": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "summary": "",
    }
    return {
        "id": APPLICATION,
        "name": "system",
        **facts,
        "verify_key": "0" * 64,
        "owner": owner,
        "flags": 0,
        "team": None,
        "bot": _BOT,
    }
