"""A bot as a Telegram bot: asks a Bot API for updates by long polling and answers with sendMessage.

Source  https://core.telegram.org/bots/api: getUpdates, sendMessage
"""

import asyncio
import logging
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from vivavoce_bots.answering import Answering, OutOfOrder
from vivavoce_bots.bot import Bot
from vivavoce_bots.damage import Damage

_POLL_S: Final = 20
_PAUSES_S: Final = (0.1, 0.5, 2.0, 10.0)
_LONGEST_MESSAGE: Final = 4096
_LOG: Final = logging.getLogger(__name__)


class TelegramBot:
    """A bot behind the Bot API at `base`; chats are its conversations, and `/start` begins one anew."""

    def __init__(
        self,
        bot: Bot,
        base: str,
        token: str,
        *,
        seed: int = 1,
        damage: Damage = Damage(),
        language: str = "en",
    ) -> None:
        self._answering, self._language = Answering(bot, seed=seed, damage=damage), language
        local = urlsplit(base).hostname in ("127.0.0.1", "localhost", "::1")
        self._client = httpx.AsyncClient(
            base_url=f"{base.rstrip('/')}/bot{token}/", timeout=_POLL_S + 15, trust_env=not local
        )
        self._chats: dict[int, asyncio.Task[None]] = {}
        self._offset = 0

    async def run(self) -> None:
        """Ask and answer until cancelled; what goes wrong is tried again, slower each time."""
        failed = 0
        try:
            while True:
                try:
                    for update in await self._call("getUpdates", offset=self._offset, timeout=_POLL_S):
                        self._take(update)
                    failed = 0
                except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
                    _LOG.warning("getUpdates failed: %s", type(error).__name__)
                    await asyncio.sleep(_PAUSES_S[min(failed, len(_PAUSES_S) - 1)])
                    failed += 1
        finally:
            for task in self._chats.values():
                task.cancel()
            await self._client.aclose()

    async def _call(self, method: str, **parameters: Any) -> Any:
        response = await self._client.post(method, json=parameters)
        body = response.json()
        if not body.get("ok"):
            raise ValueError(f"{method}: {body.get('error_code')}")
        return body["result"]

    def _take(self, update: dict[str, Any]) -> None:
        """Note an update as seen, and answer it after what came before in its chat."""
        self._offset = max(self._offset, int(update["update_id"]) + 1)
        message = update.get("message") or update.get("edited_message")
        if not isinstance(message, dict) or not isinstance(message.get("chat"), dict):
            return
        chat, text = message["chat"].get("id"), message.get("text")
        if not isinstance(chat, int) or not isinstance(text, str):
            return
        language = str((message.get("from") or {}).get("language_code") or self._language)
        before = self._chats.get(chat)
        task = asyncio.get_running_loop().create_task(self._answer(before, chat, text, language))
        self._chats[chat] = task
        task.add_done_callback(lambda done: self._forget(chat, done))

    def _forget(self, chat: int, done: "asyncio.Task[None]") -> None:
        if self._chats.get(chat) is done:
            del self._chats[chat]

    async def _answer(self, before: "asyncio.Task[None] | None", chat: int, text: str, language: str) -> None:
        if before is not None:
            with suppress(Exception):
                await asyncio.shield(before)
        if text.strip() == "/start":
            self._answering.forget(str(chat))
            text = ""
        try:
            reply = await self._answering.turn(str(chat), language, [(text, None)])
            await self._call("sendMessage", chat_id=chat, text=reply.text[:_LONGEST_MESSAGE])
        except OutOfOrder:
            return  # a failing Telegram bot stays silent
        except (httpx.HTTPError, ValueError) as error:
            _LOG.warning("sendMessage failed: %s", type(error).__name__)
