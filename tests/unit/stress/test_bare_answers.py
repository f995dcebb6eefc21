"""A bare yes belongs to the question to which it was said, and what is done must be of what was asked for."""

from typing import Any

import pytest

from unit.stress.conftest import case
from vivavoce_stress.cascade import judge
from vivavoce_stress.continuation import Course, LoggedUser
from vivavoce_stress.replay import Replayed

MORE = "Is there anything else that I can do for you?"
ASIDE = (
    "3 packs of aspirin for Monday",
    "Aspirin, 3 in all, on Monday. Shall I put it aside?",
    "that is right",
    f"That's put aside for you, for Monday. {MORE}",
    "thanks bye",
)


def turns(*texts: str) -> list[dict[str, Any]]:
    return [
        {"party": "system" if at % 2 else "user", "text": text, "acts": None} for at, text in enumerate(texts)
    ]


def user() -> LoggedUser:
    made = case("ST-4", "en", ASIDE[0], "3 packs of apsirin for Monday", (), (ASIDE[2], ASIDE[4]))
    return LoggedUser(made, course=Course.of(turns(*ASIDE), 3, 0))


def asked(text: str) -> dict[str, Any]:
    return {"party": "system", "text": text, "acts": None}


def test_an_open_question_is_not_answered_by_a_bare_yes() -> None:
    who = user()
    said = [who.next(asked("Which product would that be?")) for _ in range(2)]
    assert said == [ASIDE[0], "thanks bye"]  # says it again, then leaves
    assert who.next(asked("Which product would that be?")) is None


def test_the_question_to_which_it_was_said_is_answered_by_it_in_other_words_too() -> None:
    assert user().next(asked("So I put it aside, shall I?")) == "that is right"


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ("Aspirin, 3 in all, on Monday. Shall I put it aside?", "pass"),
        ("So: aspirin, on Monday, 3 of them. Shall I put it aside?", "pass"),
        ("Aspirin, 3 in all, on Tuesday. Shall I put it aside?", "fail"),
        ("Aspirin, 2 in all, on Monday. Shall I put it aside?", "fail"),
        ("Aspirin, 3 in all, the day after Sunday. Shall I put it aside?", "unsure"),
    ],
)
def test_what_is_done_of_another_day_or_number_is_no_pass(told: str, verdict: str) -> None:
    day = next(one for one in ("Tuesday", "Monday", "the day after Sunday") if one in told)
    done = f"That's put aside for you, for {day}. {MORE}"
    clean, variant = (
        Replayed(turns=turns(*texts), injected=0, met=True, met_at=3, met_words=texts[3].split(". ")[0])
        for texts in (ASIDE, ("3 packs, the day after Sunday", told, "that is right", done, "thanks bye"))
    )
    found = judge([clean], variant, "en")
    assert found.verdict == verdict
    if verdict != "pass":
        assert "not of the same: “" in str(found.reason)


BOOKED = "Booked: brakes, Tuesday. Anything else?"
ASKED_FOR = "I want my brakes repaired on Tuesday"


def held(*texts: str) -> Replayed:
    done = texts.index(BOOKED)
    return Replayed(turns=turns(*texts), injected=0, met=True, met_at=done, met_words=BOOKED)


@pytest.mark.parametrize("detour", [(), ("yes thanks", "Goodbye!", ASKED_FOR, "Brakes on Tuesday. Right?")])
def test_a_wrong_day_that_the_user_accepted_fails_though_all_is_well_once_they_begin_anew(
    detour: tuple[str, ...],
) -> None:
    """Whether the original had to be said anew, too, or not."""
    right, end = "Brakes on Tuesday. Right?", ("yes", BOOKED, "bye", "Goodbye!")
    anew = detour or ("yes", "Booked: brakes, Monday. Anything else?", ASKED_FOR, right)
    clean = held(ASKED_FOR, right, *detour, *end)
    changed = "I want my brakes repaired on the day after Monday"
    found = judge([clean], held(changed, "Brakes on Monday. Right?", *anew, *end), "en")
    assert (found.verdict, found.rung) == ("fail", "task_outcome")
    assert "“Brakes on Tuesday. Right?” / “Brakes on Monday. Right?”" in str(found.reason)
    noticed = held(changed, "Brakes on Monday. Right?", ASKED_FOR, right, *detour, *end)
    assert judge([clean], noticed, "en").verdict == "clarification", "who corrects it at once is served"


def test_saying_the_request_again_counts_where_the_original_needed_that_only_later() -> None:
    right, unclear = "Brakes on Tuesday. Right?", "Sorry? Right, yes or no?"
    end = ("yes", BOOKED, "bye", "Goodbye!")
    clean = held(ASKED_FOR, right, "exactly", unclear, ASKED_FOR, right, *end)
    changed = "I want my braeks repaired on Tuesday"
    variant = held(changed, "What is to be repaired?", ASKED_FOR, right, "exactly", unclear, *end)
    found = judge([clean], variant, "en")
    assert (found.verdict, found.rung) == ("clarification", "task_outcome")
    assert "the user had to say the request again" in str(found.reason)
    alike = held(changed, right, "exactly", unclear, ASKED_FOR, right, *end)
    assert judge([clean], alike, "en").verdict == "pass"
