"""Limits on a system: places, rate, Retry-After, rest after failures, spend ceiling."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from vivavoce.connectors.base import ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.rate_limit import LimitedConnector
from vivavoce.core.errors import SystemUnderTestError

TURN = UserTurn(key="k", number=1, text="hello")


class Bot:
    """Answers, or fails in the order given; counts how many turns are in flight."""

    capabilities: Any = None

    def __init__(self, *failures: SystemUnderTestError | None, takes_s: float = 0.0) -> None:
        self.failures, self.takes_s = list(failures), takes_s
        self.begun: list[float] = []
        self.now = self.most = 0

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.begun.append(time.monotonic())
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.takes_s)
            failure = self.failures.pop(0) if self.failures else None
            if failure is not None:
                raise failure
            yield SystemOutput(kind="message", text="well")
        finally:
            self.now -= 1


def governed(bot: Bot, now: list[float] | None = None, **settings: Any) -> LimitedConnector:
    clock = (lambda: now[0]) if now is not None else None
    return LimitedConnector(bot, ConnectorSettings(connect="x", **settings), clock)  # type: ignore[arg-type]


async def say(system: LimitedConnector) -> list[str]:
    return [output.text async for output in system.send(Conversation("c"), TURN)]


async def fails(system: LimitedConnector) -> str:
    with pytest.raises(SystemUnderTestError) as caught:
        await say(system)
    return str(caught.value)


def test_no_more_turns_are_in_flight_than_the_system_takes() -> None:
    async def run() -> int:
        bot = Bot(takes_s=0.01)
        system = governed(bot, max_concurrency=3)
        await asyncio.gather(*(say(system) for _ in range(20)))
        return bot.most

    assert asyncio.run(run()) == 3


def test_turns_keep_the_rate() -> None:
    async def run() -> list[float]:
        bot, start = Bot(), time.monotonic()
        system = governed(bot, turns_per_minute=1200)
        await asyncio.gather(*(say(system) for _ in range(6)))
        return [begun - start for begun in bot.begun]

    assert all(begun >= 0.05 * number - 0.005 for number, begun in enumerate(asyncio.run(run())))


def test_a_busy_system_is_asked_again_when_it_wants_to_be() -> None:
    async def run() -> tuple[list[str], list[float]]:
        bot = Bot(SystemUnderTestError("refused", "HTTP 429", retry_after_s=0.1))
        return await say(governed(bot)), bot.begun

    texts, begun = asyncio.run(run())
    assert texts == ["well"]
    assert begun[1] - begun[0] >= 0.1


def test_a_system_that_wants_too_long_is_not_waited_for() -> None:
    busy = SystemUnderTestError("refused", "HTTP 429", retry_after_s=900)
    assert "429" in asyncio.run(fails(governed(Bot(busy))))


def test_a_real_servers_retry_after_is_read(faulty: str) -> None:
    settings = {"connect": "http", "url": f"{faulty}/busy", "allow_private": True}
    assert asyncio.run(_through(settings)) == ["second time"]


async def _through(settings: dict[str, Any]) -> list[str]:
    connector = make_connector(settings, {})
    try:
        return [one.text async for one in connector.send(Conversation("c"), TURN) if one.kind == "message"]
    finally:
        await connector.shut_down()


def test_after_failures_in_a_row_a_system_rests_and_a_good_answer_ends_the_rest() -> None:
    async def run() -> None:
        now = [100.0]
        dead = [SystemUnderTestError("closed", "gone") for _ in range(6)]
        system = governed(Bot(*dead), now, failure_threshold=3, reset_s=60)
        await fails(system)
        await fails(system)
        assert system.resting is None
        await fails(system)
        assert system.resting == "3 consecutive failures, the last: closed: gone"
        now[0] += 61
        assert system.resting is None
        await fails(system)
        assert system.resting is not None
        await fails(system)
        await fails(system)
        assert await say(system) == ["well"]
        assert system.resting is None

    asyncio.run(run())


def test_a_system_never_costs_more_than_its_ceiling_even_when_all_ask_at_once() -> None:
    async def run() -> None:
        system = governed(Bot(takes_s=0.01), price_per_turn=0.3, budget=1.0)
        said = await asyncio.gather(*(say(system) for _ in range(10)), return_exceptions=True)
        assert sum(one == ["well"] for one in said) == 3
        assert {str(one)[:23] for one in said if one != ["well"]} == {"refused: budget used up"}
        assert system.resting == "its turns cost 0.9 of at most 1"

    asyncio.run(run())


def test_a_turn_may_cost_all_that_is_left_and_what_was_sent_before_counts() -> None:
    async def run() -> None:
        system = governed(Bot(), price_per_turn=0.5, budget=1.0)
        system.charge(1)
        assert system.spent == 0.5 and system.resting is None
        assert await say(system) == ["well"]
        assert system.spent == 1.0 and system.resting == "its turns cost 1 of at most 1"
        assert "budget used up" in await fails(system)
        free = governed(Bot(), budget=0.0)
        free.charge(9)
        assert free.spent == 0.0 and await say(free) == ["well"]

    asyncio.run(run())


def test_a_rest_ends_when_its_time_is_over_and_none_begins_where_none_is_set() -> None:
    async def run() -> None:
        now = [100.0]
        system = governed(
            Bot(*[SystemUnderTestError("closed", "gone")] * 2), now, failure_threshold=1, reset_s=60
        )
        await fails(system)
        for at_s, rests in ((159.9, True), (160.0, False)):
            now[0] = at_s
            assert (system.resting is not None) == rests
        never = governed(
            Bot(*[SystemUnderTestError("closed", "gone")] * 9), now, failure_threshold=0, reset_s=60
        )
        for _ in range(9):
            await fails(never)
        assert never.resting is None

    asyncio.run(run())


def test_a_busy_system_is_asked_three_times_and_what_began_to_answer_only_once() -> None:
    busy = SystemUnderTestError("refused", "HTTP 429", retry_after_s=0.0)

    async def run() -> None:
        for failures, texts in ((2, ["well"]), (3, None)):
            bot = Bot(*[busy] * failures)
            if texts is None:
                await fails(governed(bot))
            else:
                assert await say(governed(bot)) == texts
            assert len(bot.begun) == 3
        halting = Halting(busy)
        await fails(governed(halting))
        assert len(halting.begun) == 1

    asyncio.run(run())


class Halting(Bot):
    """Says something before it fails."""

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="delta", text="w")
        async for output in super().send(conversation, turn):
            yield output


@pytest.mark.parametrize(("after_s", "asked"), [(30.0, 2), (30.5, 1)])
def test_a_system_is_waited_for_as_long_as_a_turn_may_take(after_s: float, asked: int) -> None:
    """By a clock that a wait moves on."""

    async def run() -> int:
        now = [100.0]

        async def wait(seconds: float) -> None:
            now[0] += seconds

        bot = Bot(SystemUnderTestError("refused", "HTTP 429", retry_after_s=after_s))
        system = governed(bot, now, turn_timeout_s=30)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("vivavoce.connectors.rate_limit.asyncio.sleep", wait)
            if asked == 2:
                await say(system)
                assert now[0] == 100.0 + after_s
            else:
                await fails(system)
        return len(bot.begun)

    assert asyncio.run(run()) == asked
