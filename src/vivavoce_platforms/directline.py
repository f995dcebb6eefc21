"""A bot of the Bot Framework over Direct Line 3.0.

Wire    POST {url}/conversations, then one activity a turn; activities that come back are fetched by
        watermark until one expects input, or until none came for `idle_s` and the bot is not typing
Memory  in the bot, under the conversation that Direct Line opened; a reset opens another
Retry   when the connection was never made
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Final
from urllib.parse import quote, urlsplit

from pydantic import Field

from vivavoce.connectors.answers import bad_answer, clean_text
from vivavoce.connectors.base import (
    Capabilities,
    Choice,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector, name_of, renamed
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce_platforms.activities import read_activity

_PATH: Final = "/v3/directline"
_CLOUD: Final = "botframework.com"


class DirectLineSettings(ConnectorSettings):
    """Settings of a system with `connect: directline`."""

    url: WebAddress = Field(
        "https://directline.botframework.com",
        description="Direct Line address; a path replaces /v3/directline",
    )
    secret: str | None = Field(
        None, description="${NAME} of the channel's secret; optional for your own server"
    )
    greeting_s: float = Field(3.0, ge=0, le=120, description="seconds to wait for a greeting; 0: no greeting")
    idle_s: float = Field(2.0, gt=0, le=60, description="silence that ends the bot's turn")
    typing_s: float = Field(6.0, gt=0, le=60, description="time for which `typing` extends its turn")
    poll_s: float = Field(0.2, gt=0, le=10, description="polling interval in seconds")
    longest_answer_bytes: int = Field(
        1_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class DirectLineConnector(SystemConnector[DirectLineSettings]):
    """A bot behind Direct Line."""

    name: ClassVar[str] = "directline"
    summary: ClassVar[str] = "a Bot Framework bot over Direct Line 3.0"
    settings: ClassVar[type[ConnectorSettings]] = DirectLineSettings

    def __init__(self, settings: DirectLineSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._asking = Asking(settings, vault, settings.longest_answer_bytes)
        address, secret = vault.expand(settings.url).rstrip("/"), settings.secret
        if secret is None and (urlsplit(address).hostname or "").endswith(_CLOUD):
            hint = "write secret: ${NAME}, and set NAME to a secret of the bot's Direct Line channel"
            raise InputError("'secret' is missing", place="secret", hint=hint)
        self._base = address + ("" if urlsplit(address).path else _PATH) + "/conversations"
        self._headers = {"authorization": f"Bearer {vault.expand(secret)}"} if secret else {}

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(choices=True, memory="system", greets=self._settings.greeting_s > 0)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        await self._address(conversation)
        greeting_s = self._settings.greeting_s
        if greeting_s and not conversation.history:
            async for output in self._heard(conversation, greeting_s):
                yield output

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        return in_time(self._exchange(conversation, turn), self._settings)

    async def _exchange(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        address = await self._address(conversation)
        activity = {
            "type": "message",
            "from": {"id": _user(conversation)},
            "text": clean_text(turn.message),
            "locale": conversation.language,
        }
        await self._asking.ask("POST", f"{address}/activities", json=activity, headers=self._headers)
        outputs = self._heard(conversation, None)
        async with aclosing(outputs):
            async for output in outputs:
                yield output

    async def _address(self, conversation: Conversation) -> str:
        """The conversation's address; it is opened when there is none."""
        if "id" not in conversation.state:
            user = {"user": {"id": _user(conversation)}}
            opened = await self._asking.ask("POST", self._base, json=user, headers=self._headers)
            if not isinstance(opened, dict) or not isinstance(opened.get("conversationId"), str):
                raise bad_answer("the answer has no conversationId")
            conversation.state["id"] = opened["conversationId"]
        return f"{self._base}/{quote(conversation.state['id'], safe='')}"

    async def _heard(
        self, conversation: Conversation, silent_ok_s: float | None
    ) -> AsyncGenerator[SystemOutput]:
        """Activities until the bot expects input, or is idle; a greeting may stay out."""
        settings, clock = self._settings, time.monotonic
        started, last, typing_until = clock(), None, 0.0
        while True:
            expects_input = False
            for activity in await self._news(conversation):
                kind = activity.get("type")
                if kind == "typing":
                    typing_until = clock() + settings.typing_s
                elif kind == "endOfConversation":
                    yield SystemOutput(kind="end")
                    return
                elif kind == "message":
                    last, typing_until = clock(), 0.0
                    for output in _read(activity):
                        yield output
                    expects_input = activity.get("inputHint") == "expectingInput" or expects_input
            if expects_input:  # and what was said beside the question was said, too
                return
            now = clock()
            if last is not None and now - last >= settings.idle_s and now >= typing_until:
                yield SystemOutput(kind="extras", held_s=now - last)
                return
            if (
                last is None
                and silent_ok_s is not None
                and now - started >= silent_ok_s
                and now >= typing_until
            ):
                return
            await asyncio.sleep(settings.poll_s)

    async def _news(self, conversation: Conversation) -> list[dict[str, Any]]:
        """Activities of the bot since the last look."""
        address, watermark = await self._address(conversation), conversation.state.get("watermark")
        params = {"watermark": watermark} if watermark is not None else None
        answer = await self._asking.ask(
            "GET", f"{address}/activities", headers=self._headers, params=params, idempotent=True
        )
        activities = answer.get("activities") if isinstance(answer, dict) else None
        if not isinstance(activities, list):
            raise bad_answer("the answer has no activities")
        if answer.get("watermark") is not None:
            conversation.state["watermark"] = str(answer["watermark"])
        mine = _user(conversation)
        return [
            activity for activity in activities if isinstance(activity, dict) and _sender(activity) != mine
        ]

    async def reset(self, conversation: Conversation) -> None:
        renamed(conversation)

    async def close(self, conversation: Conversation) -> None:
        if "id" not in conversation.state:
            return
        ending = {"type": "endOfConversation", "from": {"id": _user(conversation)}}
        try:
            address = await self._address(conversation)
            await self._asking.ask("POST", f"{address}/activities", json=ending, headers=self._headers)
        except SystemUnderTestError:
            pass

    async def shut_down(self) -> None:
        await self._asking.close()


def _user(conversation: Conversation) -> str:
    return f"dl_{name_of(conversation)}"


def _sender(activity: dict[str, Any]) -> Any:
    sender = activity.get("from")
    return sender.get("id") if isinstance(sender, dict) else None


def _read(activity: dict[str, Any]) -> list[SystemOutput]:
    content = read_activity(activity)
    outputs = [SystemOutput(kind="extras", raw=activity)]
    choices = tuple(Choice(action.title, action.text) for action in content.actions if action.text)
    if content.text or content.images or choices:
        message = SystemOutput(kind="message", text=content.text, choices=choices, images=content.images)
        outputs.insert(0, message)
    return outputs
