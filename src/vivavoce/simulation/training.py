"""Training a bot against simulated callers, in this process and without the log: nobody is measured here.

A bot that can be trained is reached by `connect: python` with `in_process: true`; its `call` names a method
of an object that also has `learn(conversation, reward)` and `learnt()`, which gives what is to be kept.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from vivavoce.connectors.base import Act, Connector, Conversation, SystemOutput, UserTurn
from vivavoce.core.errors import InputError
from vivavoce.simulation.agenda_user import Caller
from vivavoce.simulation.asr_channel import ASRChannel
from vivavoce.simulation.user_profile import Population
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import Task

MOST_TURNS: Final = 60


@runtime_checkable
class Trainable(Protocol):
    """Methods of a learning bot beside its turns."""

    def learn(self, conversation: str, reward: float) -> None: ...

    def learnt(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Reward:
    """Reward of a dialogue: an amount for success, less a price for each turn and each word heard."""

    success: float = 20.0
    turn: float = 1.0
    word: float = 0.05

    def of(self, met: bool, turns: int, words: int) -> float:
        return self.success * met - self.turn * turns - self.word * words


@dataclass(frozen=True, slots=True)
class Practice:
    """One dialogue held for practice."""

    met: bool
    turns: int
    words: int


def trainable(settings: Mapping[str, Any], system: str) -> Trainable:
    """The object that learns behind a system's settings.

    Raises  InputError: the system is not a Python method in this process, or its object cannot learn
    """
    if settings.get("connect") != "python" or settings.get("in_process") is not True:
        raise InputError(
            "only Python bots in this process can be trained",
            place=f"systems.{system}",
            hint="set connect: python and in_process: true",
        )
    module, _, name = str(settings.get("call", "")).partition(":")
    loaded: Any = importlib.import_module(module)
    for part in name.split(".")[:-1]:
        loaded = getattr(loaded, part, None)
    if not isinstance(loaded, Trainable):
        raise InputError(
            f"{settings.get('call')} does not support training",
            place=f"systems.{system}.call",
            hint="use a method of an object with learn(conversation, reward) and learnt()",
        )
    return loaded


class Practising:
    """Callers and noise of one domain and language, the same for the same seed."""

    def __init__(
        self,
        ontology: Ontology,
        tasks: Sequence[Task],
        language: str,
        rates: Sequence[float],
        seed: int,
    ) -> None:
        if not tasks or not rates:
            raise InputError("training needs tasks and at least one word error rate", place="simulate train")
        self._ontology, self._tasks, self._language = ontology, tasks, language
        self._channels = [ASRChannel(ontology, language, rate) for rate in rates]
        self._population = Population(seed)

    async def hold(self, connector: Connector, number: int) -> tuple[str, Practice]:
        """The dialogue of this number; the key of its conversation, and how it went."""
        chance = self._population.random(number, "practice")
        channel = self._channels[number % len(self._channels)]
        traits = self._population.traits(number)
        caller = Caller(chance.choice(self._tasks), self._ontology, traits, self._language, chance)
        conversation = Conversation(key=f"practice-{number}", language=self._language)
        turns, words = 0, 0
        text, acts = await _gathered(connector.open(conversation))
        while turns < MOST_TURNS:
            words += len(text.split())
            utterance = caller.reply(acts, text)
            hypotheses = channel.hear(utterance.text, chance)
            turns += 1
            user_turn = UserTurn(
                key=str(turns), number=turns, text=hypotheses[0].text if hypotheses else "", heard=hypotheses
            )
            text, acts = await _gathered(connector.send(conversation, user_turn))
            if utterance.hangs_up:
                caller.feed_audio(acts, text)
                break
        await connector.close(conversation)
        return conversation.key, Practice(caller.judge().met, turns, words)


async def _gathered(outputs: AsyncIterator[SystemOutput]) -> tuple[str, list[Act] | None]:
    """The text and the acts of one system turn; null for a system that tells none."""
    texts: list[str] = []
    acts: list[Act] | None = None
    async for output in outputs:
        if output.kind == "message":
            texts.append(output.text)
        elif output.kind == "extras" and output.acts:
            acts = [*(acts or ()), *output.acts]
    return " ".join(texts), acts


def train(
    practising: Practising,
    connector: Connector,
    bot: Trainable,
    dialogues: int,
    *,
    reward: Reward = Reward(),
    progress: Callable[[int, int], None] | None = None,
) -> list[Practice]:
    """Hold so many dialogues, each followed by its reward; returns how they went."""

    async def run() -> list[Practice]:
        practices: list[Practice] = []
        for number in range(dialogues):
            key, practice = await practising.hold(connector, number)
            bot.learn(key, reward.of(practice.met, practice.turns, practice.words))
            practices.append(practice)
            if progress and number % 50 == 49:
                progress(number + 1, dialogues)
        return practices

    return asyncio.run(run())
