"""The Bot API as a bot sees it: its methods, the updates it fetches, the chats it may write to."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from typing import Any, Final

from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import Choice
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import Upload
from vivavoce_platforms.telegram_messages import (
    LONGEST_TEXT,
    BotApiError,
    chat_of,
    choices_of,
    markup_of,
    shown,
    text_message,
    user_of,
)

_LONGEST_POLL_S: Final = 50.0
_MEDIA: Final = {
    "sendphoto": "photo",
    "sendanimation": "animation",
    "sendsticker": "sticker",
    "sendvoice": "voice",
    "sendaudio": "audio",
    "sendvideo": "video",
    "sendvideonote": "video_note",
    "senddocument": "document",
}
_PLACES: Final = ("sendlocation", "sendvenue")


class BotApi:
    """One bot's account: what it asks for is answered as the real server would, as far as a chat needs."""

    def __init__(self, now_s: Callable[[], float], chats: dict[int, Chat], *, typing_s: float) -> None:
        self._now_s, self._typing_s = now_s, typing_s
        self._bot_id = 1
        self._chats = chats
        self._updates: list[dict[str, Any]] = []
        self._given: set[int] = set()
        self._queries: dict[str, int] = {}
        self._files: dict[str, Upload] = {}
        self._next_update = int(time.time())
        self._next_message = 100
        self._news, self._poll = asyncio.Event(), 0
        self.seen_s: float | None = None
        self.webhook: dict[str, Any] = {}
        self.closing = False

    # --- our side -----------------------------------------------------------------------------------

    def new_chat_id(self) -> int:
        return 10**9 + secrets.randbelow(2**48)

    def forget(self, chat_id: int | None) -> None:
        self._updates = [update for update in self._updates if self._chat_id_of(update) != chat_id]

    def said(self, chat: Chat, text: str) -> dict[str, Any]:
        """The update that tells the bot of a message."""
        message_id = self._number()
        return self._update(message=text_message(chat.chat_id, chat.language, message_id, text))

    def pressed(self, chat: Chat, data: str) -> dict[str, Any]:
        """The update that tells the bot of a pressed button."""
        message_id = chat.buttons[data]
        message = self._message(chat, message_id, {"text": chat.texts.get(message_id, "")})
        query_id = str(secrets.randbits(62))
        self._queries[query_id] = chat.chat_id
        query = {"id": query_id, "from": user_of(chat.chat_id, chat.language)}
        return self._update(callback_query={**query, "chat_instance": "1", "data": data, "message": message})

    def offer(self, update: dict[str, Any]) -> None:
        """Put an update where the bot fetches it."""
        self._updates.append(update)
        self._news.set()

    def taken(self, update: dict[str, Any]) -> bool:
        return update["update_id"] in self._given

    def withdraw(self, update: dict[str, Any]) -> None:
        self._updates = [pending for pending in self._updates if pending is not update]

    def _update(self, **content: Any) -> dict[str, Any]:
        self._next_update += 1
        return {"update_id": self._next_update, **content}

    def _chat_id_of(self, update: dict[str, Any]) -> int | None:
        message = update.get("message") or update["callback_query"]["message"]
        return message["chat"]["id"]

    def _number(self) -> int:
        self._next_message += 1
        return self._next_message

    # --- the bot's side -----------------------------------------------------------------------------

    async def call(self, token: str, method: str, params: dict[str, Any]) -> Any:
        """Answer one request of the bot. Raises BotApiError for what the real server would refuse."""
        self.seen_s = self._now_s()
        name = method.lower()
        self._bot_id = int(token.partition(":")[0]) if token.partition(":")[0].isdecimal() else 1
        if name == "getupdates":
            return await self._get_updates(params)
        if name in _SIMPLE:
            return _SIMPLE[name](self, params)
        if name == "sendmessage":
            return self._send(method, params, str(params.get("text") or ""))
        if name in _MEDIA:
            return self._send_media(method, params, _MEDIA[name])
        if name == "sendmediagroup":
            return self._send_group(method, params)
        if name in _PLACES:
            where = f"{params.get('latitude')}, {params.get('longitude')}"
            return self._send(method, params, str(params.get("title") or where))
        return True

    async def _get_updates(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        if self.webhook:
            raise BotApiError(409, "Conflict: can't use getUpdates method while webhook is active")
        offset = int(params.get("offset") or 0)
        if offset > self._next_update + 1 or self._skips_unseen(offset):
            self._count_on_from(offset)
        self._updates = [update for update in self._updates if update["update_id"] >= offset]
        self._poll += 1
        mine, self._news = self._poll, asyncio.Event()
        deadline = self._now_s() + min(float(params.get("timeout") or 0), _LONGEST_POLL_S)
        news = self._news
        while not self._updates and self._now_s() < deadline and not self.closing:
            try:
                await asyncio.wait_for(news.wait(), deadline - self._now_s())
            except TimeoutError:
                break
            if mine != self._poll:
                raise BotApiError(409, "Conflict: terminated by other getUpdates request")
            news.clear()
        if mine != self._poll:
            raise BotApiError(409, "Conflict: terminated by other getUpdates request")
        updates = self._updates[: int(params.get("limit") or 100)]
        self._given.update(update["update_id"] for update in updates)
        self.seen_s = self._now_s()
        return updates

    def _skips_unseen(self, offset: int) -> bool:
        """Check if an offset skips an update that was never delivered: it was counted before a restart."""
        ids = (update["update_id"] for update in self._updates)
        return any(number < offset and number not in self._given for number in ids)

    def _count_on_from(self, offset: int) -> None:
        """A bot that knew us before a restart has counted further: number what waits from there."""
        self._next_update = offset - 1
        for update in self._updates:
            self._next_update += 1
            update["update_id"] = self._next_update

    def stop(self) -> None:
        """Answer whoever waits for updates."""
        self.closing = True
        self._news.set()

    def _get_me(self, _: dict[str, Any]) -> dict[str, Any]:
        facts = {"can_join_groups": True, "can_read_all_group_messages": False}
        return {**self._me, **facts, "supports_inline_queries": False}

    @property
    def _me(self) -> dict[str, Any]:
        name = {"first_name": "System", "username": "system_under_test_bot"}
        return {"id": self._bot_id, "is_bot": True, **name}

    def _set_webhook(self, params: dict[str, Any]) -> bool:
        self.webhook = (
            {"url": params["url"], "secret": params.get("secret_token")} if params.get("url") else {}
        )
        return True

    def _delete_webhook(self, params: dict[str, Any]) -> bool:
        self.webhook = {}
        if str(params.get("drop_pending_updates", "")).lower() == "true":
            self._updates = []
        return True

    def _get_webhook(self, _: dict[str, Any]) -> dict[str, Any]:
        pending = len(self._updates)
        return {
            "url": self.webhook.get("url", ""),
            "has_custom_certificate": False,
            "pending_update_count": pending,
        }

    def _chat_of(self, params: dict[str, Any]) -> Chat:
        chat = self._chats.get(int(params["chat_id"])) if _is_number(params.get("chat_id")) else None
        if chat is None:
            raise BotApiError(400, "Bad Request: chat not found")
        return chat

    def _send(
        self, method: str, params: dict[str, Any], text: str, images: list[str] | None = None, **content: Any
    ) -> dict[str, Any]:
        chat = self._chat_of(params)
        if len(text) > LONGEST_TEXT:
            raise BotApiError(400, "Bad Request: message is too long")
        if not text.strip() and images is None:
            raise BotApiError(400, "Bad Request: message text is empty")
        markup = markup_of(params)
        choices, links = choices_of(markup)
        clean = clean_text(shown(text, params.get("parse_mode")))
        message = BotMessage(self._number(), "\n".join([clean, *links]).strip(), choices, images or [])
        message.at_s = self._now_s()
        self._note(chat, message.message_id, clean, choices, markup)
        chat.messages.append(message)
        self._stirred(chat, method, params)
        keyboard = {"reply_markup": markup} if "inline_keyboard" in markup else {}
        return self._message(chat, message.message_id, {**(content or {"text": clean}), **keyboard})

    def _send_media(self, method: str, params: dict[str, Any], kind: str) -> dict[str, Any]:
        file = params.get(kind)
        caption = str(params.get("caption") or "")
        if isinstance(file, str) and file.startswith("attach://"):
            file = params.get(file.removeprefix("attach://"))
        if isinstance(file, str):
            file = self._files.get(file, file)
        if not file:
            raise BotApiError(400, f"Bad Request: there is no {kind} in the request")
        address = file.address if isinstance(file, Upload) else str(file)
        picture = kind in ("photo", "sticker", "animation")
        text = caption if picture else f"{caption}\n[{kind}]".strip()
        file_id = secrets.token_hex(12)
        if isinstance(file, Upload):
            self._files[file_id] = file
        size = {"file_id": file_id, "file_unique_id": file_id, "width": 1, "height": 1, "duration": 1}
        content: dict[str, Any] = {kind: [size] if kind == "photo" else size}
        if caption:
            content["caption"] = caption
        return self._send(method, params, text, [address] if picture else [], **content)

    def _send_group(self, method: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        media = params.get("media")
        media = json.loads(media) if isinstance(media, str) else media
        if not isinstance(media, list):
            raise BotApiError(400, "Bad Request: there are no messages to send")
        return [
            self._send_media(method, {**params, **item, item["type"]: item["media"]}, item["type"])
            for item in media
            if isinstance(item, dict) and {"type", "media"} <= item.keys()
        ]

    def _typing(self, params: dict[str, Any]) -> bool:
        chat = self._chat_of(params)
        self._stirred(chat, "sendChatAction", params)
        chat.typing_until_s = self._now_s() + self._typing_s
        return True

    def _answer_query(self, params: dict[str, Any]) -> bool:
        """The bot has noticed a pressed button; a notice that it gives is shown like a message."""
        chat = self._chats.get(self._queries.pop(str(params.get("callback_query_id")), 0))
        if chat is not None and params.get("text"):
            notice = BotMessage(self._number(), clean_text(str(params["text"])), at_s=self._now_s())
            chat.messages.append(notice)
            self._stirred(chat, "answerCallbackQuery", params)
        return True

    def _edit(self, params: dict[str, Any]) -> dict[str, Any]:
        """A message of this turn is replaced; one of an earlier turn is shown again as it is now."""
        chat = self._chat_of(params)
        message_id = int(params.get("message_id") or 0)
        if message_id not in chat.texts:
            raise BotApiError(400, "Bad Request: message to edit not found")
        markup = markup_of(params)
        choices, links = choices_of(markup)
        text = params.get("text") if "text" in params else params.get("caption")
        new_text = (
            chat.texts[message_id] if text is None else clean_text(shown(str(text), params.get("parse_mode")))
        )
        recent = chat.find(message_id)
        if text is not None and new_text == chat.texts[message_id] and recent and choices == recent.choices:
            raise BotApiError(400, "Bad Request: message is not modified")
        self._note(chat, message_id, new_text, choices, markup)
        full_text = "\n".join([new_text, *links]).strip()
        if recent is not None or text is not None or choices:
            shown_again = full_text if recent is not None or text is not None else ""
            images = recent.images if recent is not None else []
            chat.edit(BotMessage(message_id, shown_again, choices, images, at_s=self._now_s()))
        self._stirred(chat, "editMessage", params)
        return self._message(chat, message_id, {"text": new_text})

    def _delete(self, params: dict[str, Any]) -> bool:
        chat = self._chat_of(params)
        chat.delete(int(params.get("message_id") or 0))
        self._stirred(chat, "deleteMessage", params)
        return True

    def _get_chat(self, params: dict[str, Any]) -> dict[str, Any]:
        return {**chat_of(self._chat_of(params).chat_id), "accent_color_id": 0, "max_reaction_count": 11}

    def _get_file(self, params: dict[str, Any]) -> dict[str, Any]:
        file_id = str(params.get("file_id"))
        if file_id not in self._files:
            raise BotApiError(400, "Bad Request: invalid file_id")
        return {"file_id": file_id, "file_unique_id": file_id, "file_path": f"files/{file_id}"}

    def file(self, path: str) -> Upload | None:
        return self._files.get(path.removeprefix("files/"))

    def _note(
        self, chat: Chat, message_id: int, text: str, choices: list[Choice], markup: dict[str, Any]
    ) -> None:
        """Remember a message, and where its buttons belong."""
        chat.texts[message_id] = text
        if "inline_keyboard" in markup:
            chat.buttons.update({choice.payload: message_id for choice in choices})

    def _stirred(self, chat: Chat, method: str, params: dict[str, Any]) -> None:
        public = {
            name: param if not isinstance(param, Upload) else param.name for name, param in params.items()
        }
        chat.stirred(method, public, self._now_s())

    def _message(self, chat: Chat, message_id: int, content: dict[str, Any]) -> dict[str, Any]:
        """One of the bot's messages as the server would give it back."""
        head = {"message_id": message_id, "from": self._me, "chat": chat_of(chat.chat_id)}
        return {**head, "date": int(time.time()), **content}


_SIMPLE: Final[dict[str, Callable[[BotApi, dict[str, Any]], Any]]] = {
    "getme": BotApi._get_me,
    "setwebhook": BotApi._set_webhook,
    "deletewebhook": BotApi._delete_webhook,
    "getwebhookinfo": BotApi._get_webhook,
    "sendchataction": BotApi._typing,
    "answercallbackquery": BotApi._answer_query,
    "editmessagetext": BotApi._edit,
    "editmessagecaption": BotApi._edit,
    "editmessagereplymarkup": BotApi._edit,
    "deletemessage": BotApi._delete,
    "getchat": BotApi._get_chat,
    "getfile": BotApi._get_file,
}


def _is_number(value: Any) -> bool:
    try:
        int(value)
    except (TypeError, ValueError):
        return False
    return True
