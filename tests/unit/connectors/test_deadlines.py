"""What may not come too soon does not, on an event loop whose clock is behind."""

import asyncio
import time
from collections.abc import Callable

import pytest
import uvloop

from vivavoce.connectors.deadlines import until

Loop = Callable[[], asyncio.AbstractEventLoop]


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_nothing_comes_before_it_is_due(loop: Loop) -> None:
    async def early_s() -> float:
        due_s = time.monotonic() + 0.0304  # uvloop counts whole milliseconds
        await until(due_s)
        return due_s - time.monotonic()

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(early_s()) <= 0


def test_what_is_due_already_waits_for_nothing() -> None:
    asyncio.run(until(time.monotonic() - 1))
