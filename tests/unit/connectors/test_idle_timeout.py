"""When a turn of several messages is complete, and when it never is."""

import asyncio

import pytest

from vivavoce.connectors.base import ConnectorSettings, SystemOutput
from vivavoce.connectors.idle_timeout import Item, until_idle
from vivavoce.core.errors import SystemUnderTestError

ENOUGH = 200_000


class Chatterbox(asyncio.Queue[Item]):
    """A bot that is always ahead of whoever listens."""

    def __init__(self) -> None:
        super().__init__()
        self.put_nowait(SystemOutput(kind="message", text="and"))
        self.taken = 0

    def get_nowait(self) -> Item:
        self.taken += 1
        return self._queue[0] if self.taken < ENOUGH else None  # type: ignore[attr-defined]

    async def get(self) -> Item:
        return self.get_nowait()


def test_a_bot_that_talks_faster_than_one_can_listen_times_out_too() -> None:
    async def listen() -> None:
        settings = ConnectorSettings(connect="x", turn_timeout_s=0.05)
        async for _ in until_idle(Chatterbox(), settings, idle_s=1):
            pass

    with pytest.raises(SystemUnderTestError, match=r"timeout: its turn was not complete after 0\.05 s"):
        asyncio.run(listen())


def test_a_turn_that_is_complete_in_time_may_be_read_late() -> None:
    async def listen() -> list[str]:
        arriving: asyncio.Queue[Item] = asyncio.Queue()
        for item in (SystemOutput(kind="message", text="all"), None):
            arriving.put_nowait(item)
        heard: list[str] = []
        async for output in until_idle(arriving, ConnectorSettings(connect="x", turn_timeout_s=0.05), 1):
            heard.append(output.text)
            await asyncio.sleep(0.1)
        return heard

    assert asyncio.run(listen()) == ["all"]


def test_how_long_was_waited_for_more_is_told() -> None:
    async def listen() -> list[SystemOutput]:
        arriving: asyncio.Queue[Item] = asyncio.Queue()
        arriving.put_nowait(SystemOutput(kind="message", text="all"))
        return [one async for one in until_idle(arriving, ConnectorSettings(connect="x"), 0.02)]

    message, waited = asyncio.run(listen())
    assert message.text == "all" and 0.02 <= waited.held_s < 60
