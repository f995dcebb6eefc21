"""When a turn of several messages is complete, and when it never is."""

import asyncio

import pytest

from scenes.own_time import run_in_own_time
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


BEGUN_S = 1000
WAITED, LATE = "", "its turn was not complete after 10 s"


@pytest.mark.parametrize(
    ("silent_ok_s", "arriving", "heard", "ends_s"),
    [
        (None, [(1, "a"), (2.5, "b")], ["a", "b", WAITED], 4.5),
        (None, [(1, "a"), (3.5, "b")], ["a", WAITED], 3),
        (None, [(1, "a")] * 3, ["a", "a", "a", WAITED], 3),
        (None, [(1, "a"), (1.5, None), (2, "b")], ["a"], 1.5),
        (None, [(4.5, "a")], ["a", WAITED], 6.5),
        (None, [(5.5, "a")], ["no output after 5 s"], 5),
        (None, [(1.5 * n, "a") for n in range(1, 9)], ["a"] * 6 + [LATE], 10),
        (None, [(4, "a"), (5.5, "a"), (7, "a"), (8, "a")], ["a"] * 4 + [LATE], 10),
        (3, [], [], 3),
        (3, [(2.5, "a"), (4, "b")], ["a", "b", WAITED], 6),
        (3, [(3.5, "a")], [], 3),
    ],
)
def test_a_turn_ends_when_nothing_comes_for_a_while_or_its_time_is_over(
    silent_ok_s: float | None, arriving: list[tuple[float, str | None]], heard: list[str], ends_s: float
) -> None:
    """Two seconds of silence end it; it may take five to begin and ten altogether."""

    async def listen() -> tuple[list[str], float]:
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Item]()
        await asyncio.sleep(BEGUN_S)
        for after_s, text in arriving:
            item = None if text is None else SystemOutput(kind="message", text=text)
            loop.call_later(after_s, queue.put_nowait, item)
        settings = ConnectorSettings(connect="x", first_output_timeout_s=5, turn_timeout_s=10)
        found: list[str] = []
        try:
            async for output in until_idle(queue, settings, 2, silent_ok_s=silent_ok_s):
                found.append(output.text)
        except SystemUnderTestError as error:
            found.append(error.detail)
        return found, loop.time() - BEGUN_S

    assert run_in_own_time(listen()) == (heard, ends_s)


@pytest.mark.parametrize(("reads_for_s", "heard"), [(8.5, ["a", "b"]), (9.0, ["a", LATE])])
def test_what_waits_when_the_time_is_over_is_not_heard(reads_for_s: float, heard: list[str]) -> None:
    async def listen() -> list[str]:
        loop, queue, found = asyncio.get_running_loop(), asyncio.Queue[Item](), list[str]()
        await asyncio.sleep(BEGUN_S)
        for after_s, text in ((1, "a"), (2, "b")):
            loop.call_later(after_s, queue.put_nowait, SystemOutput(kind="message", text=text))
        try:
            async for output in until_idle(queue, ConnectorSettings(connect="x", turn_timeout_s=10), 20):
                found.append(output.text)
                if len(found) == 2:
                    break
                await asyncio.sleep(reads_for_s)
        except SystemUnderTestError as error:
            found.append(error.detail)
        return found

    assert run_in_own_time(listen()) == heard
