"""What may not come too soon does not, on a loop whose clock is behind; what comes too late is none."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest
import uvloop

from scenes.own_time import run_in_own_time
from vivavoce.connectors.deadlines import paced, until
from vivavoce.core.errors import SystemUnderTestError

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


@pytest.mark.parametrize(
    ("first_s", "whole_s", "come_at_s", "came"),
    [
        (5, 10, [4.5, 9.5], ["4.5", "9.5"]),
        (5, 10, [5.5], ["no output after 5 s"]),
        (5, 10, [1, 6.5, 10.5], ["1", "6.5", "its turn was not complete after 10 s"]),
        (5, 3, [3.5], ["no output after 3 s"]),
        (5, 10, [], []),
    ],
)
def test_outputs_have_a_limit_for_the_first_and_one_for_all(
    first_s: float, whole_s: float, come_at_s: list[float], came: list[str]
) -> None:
    async def source() -> AsyncIterator[str]:
        before_s = 0.0
        for at_s in come_at_s:
            await asyncio.sleep(at_s - before_s)
            before_s = at_s
            yield f"{at_s:g}"

    async def heard() -> list[str]:
        found: list[str] = []
        await asyncio.sleep(1000)
        try:
            async for item in paced(source(), first_s=first_s, whole_s=whole_s):
                found.append(item)
        except SystemUnderTestError as error:
            found.append(error.detail)
        return found

    assert run_in_own_time(heard()) == came
