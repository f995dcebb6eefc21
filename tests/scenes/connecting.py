"""A connector for the length of one talk with its system."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from scenes.patience import PATIENCE_S
from vivavoce.connectors.base import Connector, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector

Talk = Callable[[Any], Awaitable[Any]]


PATIENT: Final = {"connect_timeout_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S}


def talked(settings: Mapping[str, Any], talk: Talk, secrets: Mapping[str, str] | None = None) -> Any:
    """What a coroutine makes of a connector with these settings, which is shut down afterwards.

    One is patient with its system where the settings do not say otherwise.
    """

    async def run() -> Any:
        connector = make_connector(PATIENT | dict(settings), secrets or {})
        try:
            return await talk(connector)
        finally:
            await connector.shut_down()

    return asyncio.run(run())


def within(settings: Mapping[str, Any], talk: Talk) -> Any:
    """As `talked`, with a system on this machine."""
    return talked({"allow_private": True, **settings}, talk)


async def said(connector: Connector, conversation: Conversation, text: str) -> list[SystemOutput]:
    """What a system gives out when it is told this."""
    turn = UserTurn(key=f"{conversation.key}-{text}", number=1, text=text)
    return [output async for output in connector.send(conversation, turn)]


def texts(outputs: list[SystemOutput]) -> list[str]:
    """The words of its messages."""
    return [output.text for output in outputs if output.kind == "message"]
