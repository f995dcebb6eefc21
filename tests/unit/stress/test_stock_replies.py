"""Stock replies: a bot that answers quite different variants alike has answered none, in any language."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from unit.stress.conftest import case
from vivavoce.connectors.base import Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_rows, stress_stream
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


class Wordy(Bot):
    """Answers what it does not know by its own words for prices, or what else it is given."""

    def __init__(self, *otherwise: str) -> None:
        super().__init__()
        self.left = list(otherwise)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        known = (answer for word, answer in TICKETS.items() if word in turn.text)
        yield SystemOutput(kind="message", text=next(known, None) or self.left.pop(0))


TICKETS = {"price": "A full ticket is 12 euros.", "open": "We open at 9."}
PRICE_TOO = case("ST-4", "en", "the price?", "the pirce?")


def verdict_rows(path: Path, bot: Bot, *cases: Case) -> list[tuple[str, str | None]]:
    with Log.open(f"sqlite:///{path}") as log:
        asyncio.run(Run("toy", "bot", bot, log, cases, RunSettings(at_once=1, retry_wait_s=0)).hold())
        return [(row["verdict"], row["rung"]) for row in stress_rows(log.events(stress_stream("toy")))]


def test_what_several_variants_of_one_request_alone_are_answered_with_the_same_content_passes(
    tmp_path: Path,
) -> None:
    bot = Wordy(*["Yes, 12 euros for the full ticket."] * 2)
    found = verdict_rows(tmp_path / "log.sqlite", bot, PRICE, PRICE_TOO)
    assert found == [("pass", "evidence")] * 2


@pytest.mark.parametrize(
    "answers",
    [
        ["Yes, 12 euros for the full ticket.", "You pay 12 euros for the full ticket."],  # once each
        ["Yes, 14 euros for the full ticket."] * 2,  # another number
        ["All of this is 12."] * 2,  # about nothing that the original spoke of
    ],
)
def test_other_words_met_once_of_other_content_or_about_nothing_known_decide_nothing(
    tmp_path: Path, answers: list[str]
) -> None:
    found = verdict_rows(tmp_path / "log.sqlite", Wordy(*answers), PRICE, PRICE_TOO)
    assert [verdict for verdict, _ in found] == ["unsure"] * 2


def test_words_that_another_request_was_answered_with_are_no_answer_of_this_one(tmp_path: Path) -> None:
    bot = Wordy(*["Yes, 12 euros for the full ticket."] * 3)
    found = verdict_rows(tmp_path / "log.sqlite", bot, PRICE, PRICE_TOO, OPEN)
    assert "pass" not in [verdict for verdict, _ in found]


def test_a_question_where_the_original_was_answered_is_clarification(tmp_path: Path) -> None:
    assert verdicts(tmp_path / "log.sqlite", Wordy("Full or reduced?"), PRICE) == ["clarification"]
    both = Wordy("Full or reduced? The cheapest is 9.")
    assert verdicts(tmp_path / "other.sqlite", both, PRICE) == ["unsure"]
