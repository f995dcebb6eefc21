"""How long a test waits for what must come: long enough for a slow machine that is busy besides.

A limit that honest work may reach makes a test fail by chance. Only what never comes may have a short one.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from vivavoce.testing.pages import KEPT, PATIENCE_S, eventually

__all__ = ["KEPT", "PATIENCE_S", "eventually", "eventually_there"]
STEP_S: Final = 0.01
Result = TypeVar("Result")


async def eventually_there(
    reached: Callable[[], Result | Awaitable[Result]], awaited: str = "it never came to that"
) -> Result:
    """The same where a loop runs; the question may be a coroutine."""
    until = time.monotonic() + PATIENCE_S
    while True:
        asked = reached()
        answer: Result = await asked if isinstance(asked, Awaitable) else asked
        if answer:
            return answer
        if time.monotonic() > until:
            raise AssertionError(awaited)
        await asyncio.sleep(STEP_S)
