"""Deadlines for a bot's turn: one for its first output, one for its end; and what may not come too soon."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TypeVar

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.core.errors import SystemUnderTestError

Item = TypeVar("Item")


async def until(due_s: float) -> None:
    """Sleep until time.monotonic() has come to due_s, and never less: a loop may count whole milliseconds."""
    while (left_s := due_s - time.monotonic()) > 0:
        await asyncio.sleep(left_s)


def in_time(source: AsyncIterator[Item], settings: ConnectorSettings) -> AsyncGenerator[Item]:
    """`paced`, by the limits that a system's settings set."""
    limits = settings.first_output_timeout_s, settings.turn_timeout_s
    return paced(source, first_s=limits[0], whole_s=limits[1])


async def paced(source: AsyncIterator[Item], *, first_s: float, whole_s: float) -> AsyncGenerator[Item]:
    """The items of a source, as long as they come in time; the source is closed in every case.

    Raises  SystemUnderTestError("timeout"): no first output in first_s, or no end in whole_s seconds
    """
    clock = asyncio.get_running_loop().time
    start, received = clock(), 0
    async with aclosing(source):  # pyright: ignore[reportArgumentType]
        while True:
            limit = whole_s if received else min(first_s, whole_s)
            try:
                async with asyncio.timeout_at(start + limit):
                    item = await anext(source)
            except StopAsyncIteration:
                return
            except TimeoutError:
                what = "its turn was not complete" if received else "no output"
                raise SystemUnderTestError("timeout", f"{what} after {limit:g} s") from None
            received += 1
            yield item
