"""A connector for the length of one talk with its system."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from vivavoce.connectors.make import make_connector

Talk = Callable[[Any], Awaitable[Any]]


def talked(settings: Mapping[str, Any], talk: Talk, secrets: Mapping[str, str] | None = None) -> Any:
    """What a coroutine makes of a connector with these settings, which is shut down afterwards."""

    async def run() -> Any:
        connector = make_connector(settings, secrets or {})
        try:
            return await talk(connector)
        finally:
            await connector.shut_down()

    return asyncio.run(run())
