"""A black box whose team says by which words it tells that it is done: they admit, and decide, its cases."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from unit.stress.conftest import case
from unit.stress.test_runs import Counting, hold, rows
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce_stress.cascade import admit, judge
from vivavoce_stress.case import plan_key
from vivavoce_stress.failures import kind_of
from vivavoce_stress.goal import GivenValue, GoalInWords
from vivavoce_stress.replay import Replayed

PAPERS = ("Daily", "Weekly")
SOLD = GoalInWords(done=r"\bis yours\b", given=(GivenValue(own="Daily", others=("Weekly",)),))


class Kiosk(Counting):
    """Asks for the paper, then for the day, and sells it: a form in words, which tells no acts.

    moods  conversations of which it sells nothing, by their number
    """

    def __init__(self, *moods: int) -> None:
        super().__init__()
        self._moods, self._form = moods, dict[str, dict[str, str]]()

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        self.opened += 1
        self._form[conversation.key] = {"mood": "bad"} if self.opened in self._moods else {}
        yield SystemOutput(kind="message", text="Kiosk. PAPER?")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.heard.append(turn.text)
        form, text = self._form[conversation.key], turn.text
        paper = next((one for one in PAPERS if one in text), None)
        day = next((one for one in ("Monday", "Friday") if one in text), None)
        form |= {name: value for name, value in (("paper", paper), ("day", day)) if value}
        if "rain" in text:
            said = "Umbrella wanted?"
        elif "news" in text:
            said = "News of today are read here. More?"
        elif "paper" not in form:
            said = "Which one was that? PAPER?"
        elif "day" not in form:
            said = "Fine. DAY?"
        elif "yes" in text and "mood" not in form:
            said = f"The {form['paper']} of {form['day']} is yours. More?"
        else:
            said = f"The {form['paper']} of {form['day']}: RIGHT?"
        yield SystemOutput(kind="message", text=said)


def sold(original: str, variant: str, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> Any:
    return case("ST-4", "en", original, variant, before, after, goal=SOLD)


def test_an_original_that_goes_astray_is_tried_again_and_then_left_out(tmp_path: Path) -> None:
    astray = sold("the Dialy", "the Daily", after=("on Monday", "yes"))
    once = sold("the Daily", "the Dail", after=("on Monday", "yes"))
    bot = Kiosk(1)  # the first replay of `once` comes to nothing, the second to its end
    hold(tmp_path / "log.sqlite", bot, [once, astray])
    found = {row["original"]: row for row in rows(tmp_path / "log.sqlite")}
    assert (found["the Daily"]["status"], bot.heard.count("the Dialy")) == ("applied", 3)
    left = found["the Dialy"]
    assert (left["status"], left["verdict"]) == ("not_admitted", None)
    assert left["reason"] == "the original did not reach the task's goal"


def test_the_words_that_tell_that_it_is_done_decide(tmp_path: Path) -> None:
    cases = [
        sold("on Monday", "onn Monday, I say", ("the Daily",), ("yes",)),  # in other words, to the same end
        sold("the Daily", "the Dayli", after=("on Monday", "yes")),  # asked again, then sold
        sold("Daily", "Weekly", after=("on Monday", "yes")),  # another paper is sold
        sold("thanks", "thnaks", ("the Daily", "on Monday", "yes"), ("bye",)),  # it was sold before
    ]
    bot = Kiosk()
    hold(tmp_path / "log.sqlite", bot, cases)
    assert bot.heard[-2:] == ["thnaks", "bye"], "and nobody asks for it again"
    found = {row["original"]: row for row in rows(tmp_path / "log.sqlite")}
    told = "the system tells that it is done, as with the original: “The Daily of Monday is yours.”"
    passed = found["on Monday"]
    assert (passed["verdict"], passed["rung"], passed["reason"]) == ("pass", "task_outcome", told)
    assert (found["the Daily"]["verdict"], found["the Daily"]["rung"]) == ("clarification", "task_outcome")
    other = found["Daily"]
    assert (other["verdict"], other["rung"]) == ("fail", "task_outcome")
    assert other["reason"].startswith("the system answered “Fine. DAY?”; with the original the system tells")
    assert "“The Daily of Monday is yours.”, with the variant never" in other["reason"]
    again = found["the Daily"]["reason"]
    assert again.startswith("the system puts a question again: “PAPER?”; ") and "only after that" in again
    assert kind_of(found["the Daily"]) == "question_again"
    assert found["thanks"]["rung"] == "exact_match"


def test_who_is_sold_another_paper_first_was_not_served_though_theirs_comes_later(tmp_path: Path) -> None:
    """The user says yes to the wrong one, sees it, and asks anew: what was sold stands."""
    bought = sold("Daily", "Weekly", ("on Monday",), ("yes", "the Daily", "yes"))
    hold(tmp_path / "log.sqlite", Kiosk(), [bought])
    (row,) = rows(tmp_path / "log.sqlite")
    assert (row["verdict"], row["rung"]) == ("fail", "task_outcome")
    assert "“The Weekly of Monday is yours.”" in row["reason"]


def test_what_is_done_with_another_value_than_the_tasks_is_told() -> None:
    goal = GoalInWords(done="CONFIRMED", given=(GivenValue(own="2", others=("1",), name="seats"),))

    def held(seats: str, number: int = 0) -> Replayed:
        texts = ("book", f"Seats: {seats}. Class: first. Confirm?", "yes", "CONFIRMED.")
        turns = [
            {"party": "system" if at % 2 else "user", "text": text, "acts": None}
            for at, text in enumerate(texts)
        ]
        told = goal.told_in(turns)
        found = Replayed(turns=turns, injected=0, met=told is not None)
        found.met_words = told.words if told else goal.done_otherwise(turns)
        found.met_at = told.place if told else None
        return found

    verdict = judge([held("2")], held("1"), "en")
    assert (verdict.verdict, verdict.rung) == ("fail", "task_outcome")
    assert "another value than the task's, “Seats: 1”" in str(verdict.reason)
    assert str(admit(held("1"), "en")).endswith("the task's goal: the system said “Seats: 1”")


def test_a_question_that_is_put_again_is_answered_as_in_the_original(tmp_path: Path) -> None:
    lost_day = sold("on Monday", "on Mnoday", ("the Daily",), ("yes",))
    lost_paper = sold("the Daily", "the Dialy", after=("on Monday", "yes"))
    bot = Kiosk()
    rain = sold("the Daily", "the Daily rain", after=("on Monday", "yes"))
    news = sold("the Daily", "the news", after=("on Monday", "yes", "bye"))
    hold(tmp_path / "log.sqlite", bot, [lost_day, lost_paper, rain, news])
    assert bot.heard == [
        "the Daily",
        "on Monday",
        "yes",
        "the Daily",
        "on Mnoday",
        "on Monday",
        "yes",
        "the Daily",
        "on Monday",
        "yes",
        "the Dialy",
        "the Daily",
        "on Monday",
        "yes",
        "the Daily",
        "on Monday",
        "yes",
        "the Daily rain",
        "the Daily",
        "on Monday",
        "yes",
        "the Daily",
        "on Monday",
        "yes",
        "bye",
        "the news",
        "the Daily",
        "on Monday",
        "yes",
        "bye",
    ]
    found = [(row["verdict"], row["rung"]) for row in rows(tmp_path / "log.sqlite")]
    # what it asks for leaves the user a hint; news and no question, but whether there is more, do not
    assert found == [("clarification", "task_outcome")] * 3 + [("fail", "task_outcome")]
    wrong = rows(tmp_path / "log.sqlite")[3]
    assert kind_of(wrong) == "wrong_answer" and "had to say the original again" in wrong["reason"]


def test_a_plan_without_such_words_is_the_one_that_earlier_versions_made() -> None:
    made = case("ST-2", "en", "a pub", "a pubb")
    assert plan_key([made], {}) == "2c35e0b20852"
    assert plan_key([made.model_copy(update={"goal": SOLD})], {}) != "2c35e0b20852"
