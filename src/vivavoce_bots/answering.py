"""One bot and its conversations, whatever the channel: memory, pace, known failures."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from vivavoce_bots.acts import Reply
from vivavoce_bots.bot import Bot
from vivavoce_bots.damage import Damage, damaged
from vivavoce_bots.memory import Memory, Remembered

Texts = Sequence[tuple[str, float | None]]


class OutOfOrder(Exception):
    """This turn fails, as the bot was told to fail at times."""


class Answering:
    """Answers turns of many conversations; a turn key that was seen before gets the same answer.

    Raises  OutOfOrder: from `turn` and `afresh`, in the share of turns that the damage says
    """

    def __init__(self, bot: Bot, *, seed: int = 1, damage: Damage = Damage()) -> None:
        self.bot = damaged(bot, damage, seed)
        self._delay_s, self._fail_rate = damage.delay_s, damage.fail_rate
        self._chance = Random(f"failures:{seed}")
        self._memory: Memory[Any] = Memory()
        self._in_threads = (
            getattr(bot, "understanding", "rules") != "rules"
        )  # the others may wait for a model

    @property
    def conversations(self) -> int:
        return len(self._memory)

    def forget(self, key: str) -> None:
        self._memory.forget(key)

    async def turn(self, key: str, language: str, texts: Texts, turn: str = "") -> Reply:
        """The answer in a conversation; a turn without words is greeted."""
        held = self._memory.get(key, lambda: self.bot.session(key, language))
        if turn and turn in held.answers:
            return held.answers[turn]
        await self._pace()
        async with held.lock:
            return await self._run(lambda: self._remembered(held, turn, texts))

    async def afresh(self, key: str, language: str, said: Sequence[str]) -> Reply:
        """The answer to the last of several turns, answered one after the other without memory."""
        await self._pace()
        return await self._run(lambda: self._afresh(key, language, said))

    async def _run(self, work: Callable[[], Reply]) -> Reply:
        return await asyncio.to_thread(work) if self._in_threads else work()

    def _afresh(self, key: str, language: str, said: Sequence[str]) -> Reply:
        session = self.bot.session(key, language)
        reply = self.bot.greet(session)
        for text in said:
            reply = self._answer(session, [(text, None)])
        return reply

    async def _pace(self) -> None:
        await asyncio.sleep(self._delay_s)
        if self._chance.random() < self._fail_rate:
            raise OutOfOrder

    def _remembered(self, held: Remembered[Any], turn: str, texts: Texts) -> Reply:
        if turn and turn in held.answers:
            return held.answers[turn]
        reply = self._answer(held.state, texts)
        if turn:
            held.answers[turn] = reply
        return reply

    def _answer(self, session: Any, texts: Texts) -> Reply:
        if not any(text.strip() for text, _ in texts):
            return self.bot.greet(session)
        return self.bot.reply(session, texts)
