"""Stock replies: a bot that answers quite different variants alike has answered none, in any language."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from unit.stress.conftest import case
from vivavoce.connectors.base import Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_stream
from vivavoce.log.stress_rows import stress_rows
from vivavoce_stress.case import Case
from vivavoce_stress.runs import Run, RunSettings

ANSWERS = {"price": "It is 12 euros.", "open": "We open at 9.", "dogs": "Dogs may come on Monday."}
PRICE = case("ST-2", "en", "the price?", "the prise?")
OPEN = case("ST-4", "en", "when are you open?", "when are you oepn?")
DOGS = case("ST-5", "en", "are dogs welcome?", "are hounds welcome?")


class Bot:
    """Knows three words; to anything else it says what it says, in no language that we have."""

    capabilities = Capabilities()

    def __init__(self, otherwise: str = "Blim blam.", dies_at: str | None = None) -> None:
        self.otherwise, self.dies_at, self.heard = otherwise, dies_at, list[str]()

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="message", text="Hello.")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.heard.append(turn.text)
        if self.dies_at == turn.text:
            raise KeyboardInterrupt
        known = (answer for word, answer in ANSWERS.items() if word in turn.text)
        yield SystemOutput(kind="message", text=next(known, self.otherwise.format(said=turn.text)))

    async def reset(self, conversation: Conversation) -> None: ...

    async def close(self, conversation: Conversation) -> None: ...

    async def shut_down(self) -> None: ...


def held(path: Path, bot: Bot, *cases: Case, repeats: int = 1) -> dict[str, dict[str, Any]]:
    with Log.open(f"sqlite:///{path}") as log:
        settings = RunSettings(at_once=1, retry_wait_s=0, repeats=repeats)
        asyncio.run(Run("toy", "bot", bot, log, cases, settings).hold())
        return {row["original"]: row for row in stress_rows(log.events(stress_stream("toy")))}


def verdicts(path: Path, bot: Bot, *cases: Case, repeats: int = 1) -> list[str]:
    found = held(path, bot, *cases, repeats=repeats)
    return [found[one.original]["verdict"] for one in cases]


@pytest.mark.parametrize("repeats", [1, 3])
def test_what_different_variants_are_answered_and_no_original_is_fails(tmp_path: Path, repeats: int) -> None:
    found = held(tmp_path / "log.sqlite", Bot(), PRICE, OPEN, repeats=repeats)
    assert [(row["verdict"], row["rung"]) for row in found.values()] == [("fail", "evidence")] * 2
    assert all("Blim blam." in row["reason"] for row in found.values())


def test_one_utterance_alone_proves_no_stock_reply_however_often_it_is_varied(tmp_path: Path) -> None:
    again = case("ST-4", "en", "the price?", "the pirce?")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        asyncio.run(Run("toy", "bot", Bot(), log, [PRICE, again], RunSettings(at_once=1)).hold())
        rows = list(stress_rows(log.events(stress_stream("toy"))))
    assert [row["verdict"] for row in rows] == ["unsure", "unsure"]


def test_what_an_original_is_answered_too_is_no_stock_reply(tmp_path: Path) -> None:
    cats = case("ST-4", "en", "are cats welcome?", "are cats wlecome?")
    assert verdicts(tmp_path / "log.sqlite", Bot(), PRICE, OPEN, cats) == ["unsure", "unsure", "pass"]


def test_a_stock_reply_beside_something_else_may_be_an_answer(tmp_path: Path) -> None:
    bot = Bot("Blim blam. It is about {said}")
    assert verdicts(tmp_path / "log.sqlite", bot, PRICE, OPEN)[0] != "fail"


def test_a_stock_reply_beside_a_question_needs_clarification(tmp_path: Path) -> None:
    bot = Bot("Perhaps {said} Blim blam.")
    assert verdicts(tmp_path / "log.sqlite", bot, PRICE, OPEN) == ["clarification"] * 2


def test_a_run_that_died_judges_by_what_was_said_before_it_too(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with pytest.raises(KeyboardInterrupt):
        held(path, Bot(dies_at=DOGS.original), PRICE, OPEN, DOGS)
    bot = Bot()
    assert verdicts(path, bot, PRICE, OPEN, DOGS) == ["fail"] * 3
    assert bot.heard == [DOGS.original, DOGS.variant]
