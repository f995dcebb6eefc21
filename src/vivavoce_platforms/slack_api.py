"""Slack's Web API as a bot sees it: the methods by which it writes into chats and asks about itself."""

import secrets
import time
from collections.abc import Callable
from typing import Any, Final

from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import Choice
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import mappings
from vivavoce_platforms.slack_messages import (
    APP,
    BOT,
    BOT_USER,
    TEAM,
    SlackError,
    read_message,
    shown,
    user_of,
)

_HARMLESS: Final = {
    "api.test",
    "reactions.add",
    "reactions.remove",
    "pins.add",
    "pins.remove",
    "views.publish",
    "conversations.join",
    "conversations.mark",
    "assistant.threads.setTitle",
    "bookmarks.add",
}


class WebApi:
    """One bot's workspace: what it asks for is answered as Slack would, as far as a chat needs."""

    def __init__(self, now_s: Callable[[], float], chats: dict[str, Chat], *, typing_s: float) -> None:
        self._now_s, self._chats, self._typing_s = now_s, chats, typing_s
        self._last_us = 0
        self._hooks: dict[str, tuple[str, str]] = {}

    def ts(self) -> str:
        """A time stamp that no message has had."""
        self._last_us = max(self._last_us + 1, time.time_ns() // 1000)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"

    def new_chat_id(self, *, channel: bool) -> str:
        return ("C" if channel else "D") + secrets.token_hex(8).upper()

    def hook(self, chat: Chat, message_ts: str = "") -> str:
        """A name of a response address for a chat, and for the message whose button was pressed."""
        name = secrets.token_hex(12)
        self._hooks[name] = chat.chat_id, message_ts
        return name

    def respond(self, name: str, params: dict[str, Any]) -> None:
        """Message of a bot to a response address. Raises SlackError."""
        chat_id, message_ts = self._hooks.get(name, ("", ""))
        if chat_id not in self._chats:
            raise SlackError("expired_url")
        place = {**params, "channel": chat_id}
        if params.get("delete_original"):
            self._delete("response_url", {**place, "ts": message_ts})
        elif params.get("replace_original") and message_ts:
            self._update("response_url", {**place, "ts": message_ts})
        else:
            self._post("response_url", place)

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Answer one call of the bot. Raises SlackError for what Slack would refuse."""
        if method in _METHODS:
            return _METHODS[method](self, method, params)
        if method in _HARMLESS:
            return {}
        raise SlackError("unknown_method")

    # --- about the bot and its workspace ----------------------------------------------------------------

    def _auth(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        names = {"url": "https://vivavoce.slack.com/", "team": "Vivavoce", "user": "system", "team_id": TEAM}
        return {**names, "user_id": BOT_USER, "bot_id": BOT, "is_enterprise_install": False}

    def _user(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"user": _user(str(params.get("user") or BOT_USER))}

    def _users(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        people = [_user(user_of(chat_id)) for chat_id in self._chats]
        return {"members": [_user(BOT_USER), *people], "response_metadata": {"next_cursor": ""}}

    def _profile(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"profile": _user(str(params.get("user") or BOT_USER))["profile"]}

    def _bot(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"bot": {"id": BOT, "name": "system", "app_id": APP, "user_id": BOT_USER, "deleted": False}}

    def _team(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"team": {"id": TEAM, "name": "Vivavoce", "domain": "vivavoce"}}

    def _open(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        users = str(params.get("users") or "")
        chat_id = next(
            (chat for chat in self._chats if user_of(chat) == users or chat == params.get("channel")), None
        )
        if chat_id is None:
            raise SlackError("user_not_found")
        return {"channel": {"id": chat_id, "is_im": chat_id.startswith("D")}}

    def _info(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"channel": _channel(self._chat(params))}

    def _list(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        channels = [_channel(chat) for chat in self._chats.values()]
        return {"channels": channels, "response_metadata": {"next_cursor": ""}}

    def _members(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        chat = self._chat(params)
        return {"members": [user_of(chat.chat_id), BOT_USER], "response_metadata": {"next_cursor": ""}}

    def _history(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        """Messages of the bot itself, latest first (in a thread: earliest first)."""
        chat = self._chat(params)
        head = {"type": "message", "user": BOT_USER, "bot_id": BOT, "team": TEAM}
        messages = [{**head, "ts": ts, "text": text} for ts, text in chat.texts.items()]
        ordered = messages if "ts" in params else messages[::-1]
        return {"messages": ordered, "has_more": False}

    # --- writing --------------------------------------------------------------------------------------

    def _post(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        chat, ts = self._chat(params), self.ts()
        message, buttons = read_message(params, ts)
        message.at_s = self._now_s()
        chat.messages.append(message)
        return self._noted(chat, method, params, message, buttons)

    def _update(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        chat, ts = self._chat(params), str(params.get("ts") or "")
        if not ts:
            raise SlackError("message_not_found")
        old = chat.find(ts)
        message, buttons = read_message(params, ts)
        message.at_s = self._now_s()
        if old is None and chat.texts.get(ts) == message.text and not message.choices:
            chat.stirred(method, params, self._now_s())  # only its buttons went, and its words were shown
            return _told(chat, ts, message.text)
        chat.edit(message)
        return self._noted(chat, method, params, message, buttons)

    def _noted(
        self, chat: Chat, method: str, params: dict[str, Any], message: BotMessage, buttons: dict[str, Any]
    ) -> dict[str, Any]:
        chat.texts[message.message_id] = message.text
        chat.buttons.update(buttons)
        chat.stirred(method, params, self._now_s())
        return _told(chat, message.message_id, str(params.get("text") or message.text))

    def _delete(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        chat, ts = self._chat(params), str(params.get("ts"))
        chat.delete(ts)
        chat.stirred(method, params, self._now_s())
        return {"channel": chat.chat_id, "ts": ts}

    def _ephemeral(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"message_ts": self._post(method, params)["ts"]}

    def _link(self, _: str, params: dict[str, Any]) -> dict[str, Any]:
        chat, ts = self._chat(params), str(params.get("message_ts"))
        address = f"https://vivavoce.slack.com/archives/{chat.chat_id}/p{ts.replace('.', '')}"
        return {"channel": chat.chat_id, "permalink": address}

    # --- writing piece by piece -------------------------------------------------------------------------

    def _start_stream(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        chat, ts = self._chat(params), self.ts()
        message = BotMessage(ts, _piece(params), at_s=self._now_s(), streams=True)
        chat.messages.append(message)
        chat.stirred(method, params, self._now_s())
        return {"channel": chat.chat_id, "ts": ts}

    def _append(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        chat, ts = self._chat(params), str(params.get("ts"))
        message = chat.find(ts)
        if message is None or not message.streams:
            raise SlackError("message_not_in_streaming_state")
        message.text += _piece(params)
        chat.stirred(method, params, self._now_s())
        return {"channel": chat.chat_id, "ts": ts}

    def _stop_stream(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        appended = self._append(method, params)
        chat = self._chat(params)
        message = chat.find(appended["ts"])
        assert message is not None
        message.streams, message.text = False, shown(message.text)
        if params.get("blocks"):
            more, buttons = read_message({"text": " ", "blocks": params["blocks"]}, appended["ts"])
            message.text = "\n".join(filter(None, [message.text, more.text.strip()]))
            message.choices, message.images = more.choices, more.images
            chat.buttons.update(buttons)
        chat.texts[appended["ts"]] = message.text
        return _told(chat, appended["ts"], message.text)

    # --- what an assistant shows beside its messages ------------------------------------------------------

    def _status(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Status of the bot; an empty one removes it."""
        chat = self._chat(params)
        chat.stirred(method, params, self._now_s())
        chat.typing_until_s = self._now_s() + self._typing_s if params.get("status") else 0.0
        return {}

    def _prompts(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Suggestions stand below the last message, and are sent as text when one is chosen."""
        chat = self._chat(params)
        prompts = mappings(params.get("prompts"))
        choices = [Choice(str(prompt.get("title")), str(prompt.get("message"))) for prompt in prompts]
        title = clean_text(str(params.get("title") or ""))
        chat.messages.append(BotMessage(self.ts(), title, choices, at_s=self._now_s()))
        chat.stirred(method, params, self._now_s())
        return {}

    def _chat(self, params: dict[str, Any]) -> Chat:
        """The chat that a call names, or the direct chat with the user that it names."""
        chat_id = str(params.get("channel") or params.get("channel_id") or "")
        chat = self._chats.get(chat_id) or self._chats.get("D" + chat_id[1:])
        if chat is None:
            raise SlackError("channel_not_found")
        return chat


def _piece(params: dict[str, Any]) -> str:
    """A piece of a streamed text."""
    chunks = mappings(params.get("chunks"))
    texts = [chunk.get("text") for chunk in chunks if chunk.get("type") == "markdown_text"]
    return clean_text("".join(str(text) for text in [params.get("markdown_text"), *texts] if text))


def _told(chat: Chat, ts: str, text: str) -> dict[str, Any]:
    """A message of the bot as Slack gives it back."""
    message = {"type": "message", "user": BOT_USER, "bot_id": BOT, "app_id": APP, "team": TEAM}
    return {"channel": chat.chat_id, "ts": ts, "text": text, "message": {**message, "ts": ts, "text": text}}


def _user(user_id: str) -> dict[str, Any]:
    name = "system" if user_id == BOT_USER else "participant"
    profile = {"real_name": name.title(), "display_name": name, "first_name": name.title()}
    head = {"id": user_id, "team_id": TEAM, "name": name, "real_name": name.title(), "tz": "Etc/UTC"}
    return {**head, "profile": profile, "is_bot": user_id == BOT_USER, "deleted": False}


def _channel(chat: Chat) -> dict[str, Any]:
    direct = chat.chat_id.startswith("D")
    user = {"user": user_of(chat.chat_id)} if direct else {"name": "participants", "is_member": True}
    return {"id": chat.chat_id, "is_im": direct, "is_channel": not direct, **user}


_METHODS: Final[dict[str, Callable[[WebApi, str, dict[str, Any]], dict[str, Any]]]] = {
    "auth.test": WebApi._auth,
    "users.info": WebApi._user,
    "users.list": WebApi._users,
    "users.profile.get": WebApi._profile,
    "bots.info": WebApi._bot,
    "team.info": WebApi._team,
    "conversations.open": WebApi._open,
    "conversations.info": WebApi._info,
    "conversations.list": WebApi._list,
    "users.conversations": WebApi._list,
    "conversations.members": WebApi._members,
    "conversations.history": WebApi._history,
    "conversations.replies": WebApi._history,
    "chat.postMessage": WebApi._post,
    "chat.meMessage": WebApi._post,
    "chat.postEphemeral": WebApi._ephemeral,
    "chat.update": WebApi._update,
    "chat.delete": WebApi._delete,
    "chat.getPermalink": WebApi._link,
    "chat.startStream": WebApi._start_stream,
    "chat.appendStream": WebApi._append,
    "chat.stopStream": WebApi._stop_stream,
    "assistant.threads.setStatus": WebApi._status,
    "assistant.threads.setSuggestedPrompts": WebApi._prompts,
}
