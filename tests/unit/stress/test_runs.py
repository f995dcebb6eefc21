"""Runs: what is on record is not run again, originals are admitted first, and rows say how it went."""

import asyncio
from collections.abc import AsyncIterator
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from scenes.patience import eventually_there
from unit.stress.conftest import RunCases, case
from vivavoce.connectors.base import Act, Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.log.events import LoggedAct
from vivavoce.log.store import Log
from vivavoce.log.stress_events import ReplayFinished, stress_rows, stress_stream
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import Task
from vivavoce_stress.case import LoggedTurn
from vivavoce_stress.continuation import LoggedUser
from vivavoce_stress.runs import Run, RunSettings

CASES = [
    case("ST-4", "en", "please a cheap pub", "plesae a cheap pub", after=("any",)),
    case("ST-2", "en", "a cheap pub", "a cheep pub", after=("any",)),
    case("ST-2", "en", "gibberish indeed", "giberish indeed"),
]
DOMAIN = Path(__file__).resolve().parents[3] / "src/vivavoce/study/domains/restaurants.yaml"


class Counting:
    """A bot of a few rules that counts what it is asked, and dies when it is told to."""

    capabilities = Capabilities()

    def __init__(self, dies_after: int | None = None) -> None:
        self.opened, self.heard, self.closed, self.dies_after = 0, list[str](), 0, dies_after

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        self.opened += 1
        yield SystemOutput(kind="message", text="Hello.")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.heard.append(turn.text)
        if self.dies_after is not None and len(self.heard) > self.dies_after:
            raise KeyboardInterrupt
        if "boom" in turn.text:
            raise SystemUnderTestError("bad_answer", "HTTP 500")
        yield SystemOutput(kind="message", text="Yes." if "pub" in turn.text else "I didn't understand.")
        yield SystemOutput(kind="extras", acts=(Act("affirm" if "pub" in turn.text else "repeat"),))

    async def reset(self, conversation: Conversation) -> None: ...

    async def close(self, conversation: Conversation) -> None:
        self.closed += 1

    async def shut_down(self) -> None: ...


def hold(path: Path, bot: Counting, cases: Any = CASES, **more: Any) -> Any:
    with Log.open(f"sqlite:///{path}") as log:
        settings = more.pop("settings", RunSettings(at_once=1, retry_wait_s=0))
        run = Run("toy", "bot", bot, log, cases, settings, **more)
        return asyncio.run(run.hold())


def rows(path: Path) -> list[dict[str, Any]]:
    with Log.open(f"sqlite:///{path}") as log:
        return list(stress_rows(log.events(stress_stream("toy"))))


def test_every_row_tells_what_became_of_its_case(run_cases: RunCases) -> None:
    found = {row["original"]: row for row in run_cases("vivavoce_bots.calling:restaurant_nbest", CASES)}
    assert found["please a cheap pub"]["verdict"] == "pass"
    assert found["a cheap pub"]["verdict"] in ("fail", "clarification")
    lost = found["gibberish indeed"]
    assert (lost["status"], lost["verdict"]) == ("not_admitted", None)
    assert lost["first_score"] == 0.0 and "did not understand the original" in lost["reason"]


def test_exactly_one_utterance_differs_between_the_two_replays(tmp_path: Path) -> None:
    bot = Counting()
    hold(tmp_path / "log.sqlite", bot, CASES[:1])
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        replays = [
            one.event for one in log.events(stress_stream("toy")) if isinstance(one.event, ReplayFinished)
        ]
    said = [[turn["text"] for turn in one.turns if turn["party"] == "user"] for one in replays]
    assert [one.arm for one in replays] == ["clean", "variant"]
    assert said[0] == ["please a cheap pub", "any", "please a cheap pub"]
    assert said[1] == ["plesae a cheap pub", *said[0][1:]]
    assert bot.opened == bot.closed == 2


def test_a_run_that_died_is_taken_up_and_what_was_done_is_not_done_again(tmp_path: Path) -> None:
    path, whole = tmp_path / "log.sqlite", Counting()
    hold(tmp_path / "other.sqlite", whole)
    dying = Counting(dies_after=len(whole.heard) // 2)
    with pytest.raises(KeyboardInterrupt):
        hold(path, dying)
    again = Counting()
    done = hold(path, again)
    assert done.taken_over > 0 and done.begun_again == 1
    assert done.held + done.taken_over == 6
    assert again.opened == done.held
    assert [row["verdict"] for row in rows(path)] == [
        row["verdict"] for row in rows(tmp_path / "other.sqlite")
    ]
    anew = hold(path, Counting())
    assert anew.taken_over == 0 and anew.run_id != done.run_id


def test_what_an_earlier_run_of_the_same_plan_did_is_not_taken_over_by_a_later_one(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    hold(path, Counting())
    with pytest.raises(KeyboardInterrupt):
        hold(path, Counting(dies_after=2))
    again = Counting()
    done = hold(path, again)
    assert done.taken_over < 6 and done.held == again.opened == 6 - done.taken_over


class Crowded(Counting):
    """A bot that answers nobody before so many speak at once."""

    def __init__(self, enough: int) -> None:
        super().__init__()
        self.enough, self.speaking = enough, 0
        self.full = False

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.speaking += 1
        self.full = self.full or self.speaking >= self.enough
        await eventually_there(lambda: self.full, "too few replays go on at once")
        async for output in super().send(conversation, turn):
            yield output
        self.speaking -= 1


def test_as_many_replays_go_on_at_once_as_were_asked_for_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    cases = [case("ST-2", "en", f"a pub {number}", f"a pubb {number}") for number in range(9)]
    hold(path, Crowded(enough=3), cases, settings=RunSettings(at_once=3))
    with Log.open(f"sqlite:///{path}") as log:
        kinds = [one.event.kind for one in log.events(stress_stream("toy"))]
    steps = [(kind == "replay_begun") - (kind == "replay_finished") for kind in kinds]
    assert max(accumulate(steps)) == 3 and kinds.count("replay_finished") == 18


def test_with_repeats_the_original_is_replayed_as_often_and_once_before(tmp_path: Path) -> None:
    path, bot = tmp_path / "log.sqlite", Counting()
    hold(path, bot, [case("ST-2", "en", "a pub", "a pubb")], settings=RunSettings(repeats=3, at_once=1))
    assert bot.heard.count("a pub") == 4 and bot.heard.count("a pubb") == 3
    (row,) = rows(path)
    assert (row["clean_count"], row["clean_passed_count"]) == (3, 3)
    assert (row["variant_count"], row["variant_passed_count"]) == (3, 3)


class Moody(Counting):
    """A bot that tells no acts and answers the original now so, now so, and the variant always alike."""

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.heard.append(turn.text)
        swan = turn.text == "a pub" and self.heard.count("a pub") % 2
        yield SystemOutput(kind="message", text="The Swan is nice." if swan else "Try the Anchor.")


def test_a_variant_is_held_against_as_many_replays_of_the_original_as_each_of_those(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    begun_s = monotonic()
    hold(path, Moody(), [case("ST-2", "en", "a pub", "a pubb")], settings=RunSettings(repeats=3, at_once=1))
    took_s = monotonic() - begun_s
    (row,) = rows(path)
    assert (row["clean_passed_count"], row["variant_passed_count"]) == (3, 3), "each was answered so before"
    with Log.open(f"sqlite:///{path}") as log:
        stored = [one.event for one in log.events(stress_stream("toy"))]
    durations = [one.duration_s for one in stored if isinstance(one, ReplayFinished)]
    assert len(durations) == 7 and min(durations) >= 0 and sum(durations) <= took_s


def test_a_failure_of_the_system_is_part_of_the_result_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    hold(path, Counting(), [case("ST-1", "en", "a pub", "a boom pub"), case("ST-1", "en", "boom", "a pub")])
    assert [(row["status"], row["verdict"]) for row in rows(path)] == [
        ("applied", "fail"),
        ("outage", None),
    ]


def test_an_empty_plan_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no cases to run.*stress review"):
        hold(tmp_path / "log.sqlite", Counting(), [])


def test_the_logged_user_answers_what_he_is_asked_and_says_it_again_once() -> None:
    area = LoggedTurn(text="in the north", acts=(LoggedAct(act="inform", slot="area", value="north"),))
    food = LoggedTurn(text="Greek food", acts=(LoggedAct(act="inform", slot="food", value="greek"),))
    made = case("ST-4", "en", "a pub", "a pbu").model_copy(update={"after": (food, area)})
    user = LoggedUser(made)
    asked = {"text": "Where?", "acts": [{"act": "request", "slot": "area", "value": None}]}
    lost = {"text": "Pardon?", "acts": [{"act": "repeat", "slot": None, "value": None}]}
    assert user.next(lost) == "a pub"
    assert user.next(asked) == "in the north"
    assert user.next(lost) == "Greek food"
    assert user.next(lost) is None


def test_the_logged_user_settles_a_question_which_is_meant_only_where_his_log_has_no_answer() -> None:
    which = {"text": "Pub or club?", "acts": [{"act": "select", "slot": "type", "value": "pub"}]}
    logged = case("ST-4", "en", "a pub", "a pbu").model_copy(update={"after": (LoggedTurn(text="any"),)})
    assert LoggedUser(logged).next(which) == "any"
    settling = LoggedUser(logged, settles=True)
    assert [settling.next(which) for _ in range(3)] == ["a pub", "any", None]


def test_a_bot_that_asks_which_food_a_rarer_word_means_needed_clarification(tmp_path: Path) -> None:
    """It does not know `panozzo`, and offers foods that are spelt alike; told again, it counts."""
    path = tmp_path / "log.sqlite"
    counter = make_connector(
        {
            "connect": "python",
            "call": "vivavoce_bots.calling:carbs",
            "in_process": True,
            "greeting": True,
        }
    )
    said = "ho mangiato 80 g di pane", "ho mangiato 80 g di panozzo"
    hold(path, counter, [case("ST-5", "it", *said, after=("basta",))])
    (row,) = rows(path)
    assert (row["verdict"], row["rung"]) == ("clarification", "acts")
    assert (
        "the system asked again, then continued as before" in row["reason"]
        and "select(food=" in row["reason"]
    )


@pytest.mark.parametrize("continuation", ["logged", "simulated"])
def test_a_task_with_a_goal_is_judged_by_its_goal(tmp_path: Path, continuation: str) -> None:
    ontology = load_ontology(DOMAIN)
    task = Task(
        task_id="t", type="pub", constraints={"pricerange": "cheap"}, requests=("phone",), text={"en": "x"}
    )
    acts = (
        LoggedAct(act="inform", slot="type", value="pub", op="="),
        LoggedAct(act="inform", slot="pricerange", value="cheap", op="="),
    )
    after = (
        ()
        if continuation == "simulated"
        else ("any area", *["I do not care"] * 2, "what is the phone number")
    )
    cases = [
        case("ST-4", "en", "I want a cheap pub", said, after=after, task=task, original_acts=acts)
        for said in ("I wnat a cheap pub", "I want a thrifty pub")
    ]
    settings = {
        "connect": "python",
        "call": "vivavoce_bots.calling:restaurant_nbest",
        "greeting": True,
        "environment": {"VIVAVOCE_BOT_DOMAIN": str(DOMAIN)},
    }

    async def both() -> None:
        connector = make_connector(settings)
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
            more: Any = RunSettings(continuation=continuation)  # type: ignore[arg-type]
            await Run("toy", "bot", connector, log, cases, more, ontology).hold()
        await connector.shut_down()

    asyncio.run(both())
    good, bad = rows(tmp_path / "log.sqlite")
    assert (good["verdict"], good["rung"]) == ("pass", "task_outcome"), good["reason"]
    assert bad["verdict"] in ("fail", "clarification") and bad["rung"] == "task_outcome"
