"""Outages are no verdicts: what the system failed at is tried again; what stays so is told, not left out."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from unit.stress.conftest import case
from unit.stress.test_runs import Counting, hold, rows
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce.core.errors import FailureKind, SystemUnderTestError
from vivavoce.log.store import Log
from vivavoce.log.stress_events import StressRunPlanned, stress_stream
from vivavoce_stress.runs import RunSettings
from vivavoce_stress.scores import score
from vivavoce_stress.verdict_queue import VerdictQueue

CASES = [case("ST-2", "en", "a pub", "a pubb"), case("ST-2", "en", "a good pub", "a good pubb")]


class Failing(Counting):
    """A bot that fails at some of the turns it is told, by their number, or at whatever holds a word."""

    def __init__(
        self, *turns: int, kind: FailureKind = "bad_answer", word: str = "\0", after: int = 0
    ) -> None:
        super().__init__()
        self.turns, self.word, self.after = turns, word, after
        self.kind: FailureKind = kind

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.heard.append(turn.text)
        number = len(self.heard)
        if number in self.turns or (self.word in turn.text and number > self.after):
            raise SystemUnderTestError(self.kind, "HTTP 500")
        yield SystemOutput(kind="message", text="The Swan is a nice pub.")


def settings(**more: Any) -> RunSettings:
    return RunSettings(at_once=1, retry_wait_s=0, **more)


@pytest.mark.parametrize("kind", ["bad_answer", "timeout"])
def test_an_original_at_which_the_system_failed_once_is_tried_again_after_the_others(
    tmp_path: Path, kind: FailureKind
) -> None:
    path, bot = tmp_path / "log.sqlite", Failing(1, kind=kind)
    done = hold(path, bot, CASES, settings=settings())
    assert bot.heard == ["a pub", "a good pub", "a good pubb", "a pub", "a pubb"]
    assert [row["verdict"] for row in rows(path)] == ["pass", "pass"]
    assert (done.tried_again, done.outages) == (1, 0)
    assert '"a pub"' in rows(path)[0]["clean_transcript"] and "Swan" in rows(path)[0]["clean_transcript"]


def test_an_outage_that_lasts_is_no_verdict_and_no_case_is_lost_by_it(tmp_path: Path) -> None:
    path, bot = tmp_path / "log.sqlite", Failing(word="a pub")
    done = hold(path, bot, CASES, settings=settings(attempts=3))
    assert bot.heard.count("a pub") == 3 and done.outages == 1
    lost, fine = rows(path)
    assert (lost["status"], lost["verdict"], fine["verdict"]) == ("outage", None, "pass")
    assert "HTTP 500" in lost["reason"] and "3" in lost["reason"]
    whole = score(rows(path), "data")["whole"]
    assert (whole["outage"], whole["not_admitted"], whole["worst"], whole["best"]) == (1, 0, 0.5, 1.0)
    with Log.open(f"sqlite:///{path}") as log:
        cases = VerdictQueue.of(log.events(stress_stream("toy"))).cases
    assert not cases[done.run_id, CASES[0].case_id].asked, "a person cannot judge what was not said"


def test_the_same_command_tries_again_what_was_lost_to_an_outage_and_only_that(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    before = hold(path, Failing(word="a pub"), CASES, settings=settings())
    again = Failing()
    done = hold(path, again, CASES, settings=settings())
    assert done.run_id == before.run_id and again.heard == ["a pub", "a pubb"]
    assert [row["verdict"] for row in rows(path)] == ["pass", "pass"]
    assert hold(path, Failing(), CASES, settings=settings()).run_id != before.run_id, "nothing was left to do"


def test_a_variant_at_which_the_system_fails_every_time_fails_while_the_original_is_still_answered(
    tmp_path: Path,
) -> None:
    path, bot = tmp_path / "log.sqlite", Failing(word="pubb")
    hold(path, bot, CASES[:1], settings=settings(attempts=2))
    assert bot.heard == ["a pub", "a pubb", "a pubb", "a pub"], "the original is asked again at the end"
    (row,) = rows(path)
    assert (row["status"], row["verdict"]) == ("applied", "fail") and "HTTP 500" in row["reason"]


def test_a_variant_that_met_an_outage_of_the_whole_system_is_no_verdict(tmp_path: Path) -> None:
    path, bot = tmp_path / "log.sqlite", Failing(word="pub", after=1)
    hold(path, bot, CASES[:1], settings=settings(attempts=2))
    assert bot.heard == ["a pub", "a pubb", "a pubb", "a pub", "a pub"]
    assert [row["status"] for row in rows(path)] == ["outage"]


def test_the_limits_are_declared_with_the_run_and_are_not_of_its_plan(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    hold(path, Failing(), CASES, settings=settings(attempts=5))
    with Log.open(f"sqlite:///{path}") as log:
        stored = [one.event for one in log.events(stress_stream("toy"))]
    planned = next(one for one in stored if isinstance(one, StressRunPlanned))
    assert (planned.settings["attempts"], planned.settings["retry_wait_s"]) == (5, 0)
    assert RunSettings(attempts=5).facts() == RunSettings().facts()


def test_a_run_that_died_while_it_waited_goes_on_with_the_attempts_that_are_left(tmp_path: Path) -> None:
    path, dying = tmp_path / "log.sqlite", Failing(word="a pub")

    class Killed(BaseException):
        pass

    async def killed(seconds: float) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "sleep", killed)
        with pytest.raises(Killed):
            hold(path, dying, CASES, settings=settings(attempts=2))
    again = Failing(word="a pub")
    hold(path, again, CASES, settings=settings(attempts=2))
    assert again.heard == ["a pub"]
    assert [row["status"] for row in rows(path)] == ["outage", "applied"]
