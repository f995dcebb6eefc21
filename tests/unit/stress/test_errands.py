"""What is asked with a variant alone: of another errand, or what the original had told; and when to leave."""

import json
from typing import Any

import pytest

from unit.stress.conftest import case
from vivavoce_stress.cascade import Verdict, judge
from vivavoce_stress.continuation import LoggedUser
from vivavoce_stress.failures import kind_of
from vivavoce_stress.goal import GoalInWords
from vivavoce_stress.replay import Replayed


def held(done: str, *texts: str) -> Replayed:
    """The user speaks first, with the utterance under test."""
    turns = [
        {"party": "system" if at % 2 else "user", "text": text, "acts": None} for at, text in enumerate(texts)
    ]
    told = GoalInWords(done=done).told_in(turns)
    assert told is not None
    return Replayed(turns=turns, injected=0, met=True, met_at=told.place, met_words=told.words)


def kind(found: Verdict) -> str:
    return kind_of(
        {
            "why": json.dumps(found.reason.facts()),
            "verdict": found.verdict,
            "verdict_automatic": found.verdict,
        }
    )


def test_who_asked_for_the_price_and_is_asked_for_a_day_was_taken_for_another() -> None:
    for language, said, asks, verdict in [
        ("it", "quanto costa il tennis?", "Per quale giorno?", "fail"),
        ("it", "quanto costa il tennis?", "A che ora? (9, 10)", "fail"),
        ("it", "quanto costa il tennis?", "Per quante persone?", "fail"),
        ("it", "quanto costa il tennis?", "A che nome?", "fail"),
        ("it", "quanto costa il tennis?", "Per quale sport?", "clarification"),
        ("it", "quanto costa il tennis di sabato?", "Per quale giorno?", "clarification"),
        ("it", "quanto costa il tennis nel weekend?", "Per quale giorno?", "clarification"),
        ("it", "quanto costa un campo da tennis?", "Per quante persone?", "clarification"),
        ("it", "quanto costa il tennis?", "Non ho capito. Per quale giorno?", "clarification"),
        ("en", "how much is tennis?", "For which day?", "fail"),
        ("en", "how much is tennis?", "How many players?", "fail"),
        ("en", "how much is tennis?", "And your name?", "fail"),
        ("en", "how much is tennis?", "Which sport?", "clarification"),
        ("en", "how much is tennis on Monday?", "For which day?", "clarification"),
        ("en", "how much is tennis next week?", "For which day?", "clarification"),
        ("en", "how much is tennis for two?", "How many players?", "clarification"),
        ("en", "how much is tennis?", "Sorry, I did not understand. For which day?", "clarification"),
    ]:
        served = "Tennis: 14 euro."
        clean = held("14 euro", said, served, "ciao", "Ciao!")
        changed = said.replace("costa", "cotsa").replace("much", "mcuh")
        found = judge([clean], held("14 euro", changed, asks, said, served, "ciao", "Ciao!"), language)
        assert (found.verdict, found.rung) == (verdict, "task_outcome")
        assert (kind(found) == "wrong_answer") == (verdict == "fail")


def test_what_a_booking_is_asked_where_its_original_was_asked_another_thing_is_its_own_errand() -> None:
    """The original was not served at once: the errand may well need what is asked."""
    end = ("yes", "BOOKED.", "bye", "Bye.")
    clean = held("BOOKED", "I want a court for tennis", "For how long?", "an hour", "All right?", *end)
    variant = held(
        "BOOKED",
        "I want a cuort for tennis",
        "For which day?",
        "I want a court for tennis",
        "For how long?",
        "an hour",
        "All right?",
        *end,
    )
    assert judge([clean], variant, "en").verdict == "clarification"


@pytest.mark.parametrize(
    ("language", "asked", "instead", "other_words"),
    [
        ("it", "CLASSE? (prima/seconda)", "PASSEGGERI? (da 1 a 6)", "Che CLASSE, prima o seconda?"),
        ("en", "CLASS? (first/second)", "PASSENGERS? (1 to 6)", "Which CLASS, first or second?"),
    ],
)
def test_an_answer_that_happens_to_fit_hides_no_question_that_the_original_made_needless(
    language: str, asked: str, instead: str, other_words: str
) -> None:
    def booked(*questions: str) -> Replayed:
        end = ("sì", "OK. 78 euro. CONFIRM?", "yes", "CONFIRMED.", "bye", "Bye.")
        answered = [text for question in questions for text in ("seconda 1", question)][1:]
        return held("CONFIRMED", "un biglietto", "TRENO? 1) 7:05", "2", *answered, *end)

    then = "DAY?"
    found = judge([booked(asked, then)], booked(instead, then), language)
    assert (found.verdict, found.rung, kind(found)) == ("clarification", "task_outcome", "asked_more")
    assert f"“{instead.split('? ')[0]}?”" in str(found.reason)
    longer = judge([booked(asked, then)], booked(asked, then, instead), language)
    assert (longer.verdict, longer.reason) == (found.verdict, found.reason), "not what it answered at first"
    assert judge([booked(asked, then)], booked(other_words, then), language).verdict == "pass"
    assert judge([booked(asked, then)], booked(then, then), language).verdict == "clarification"


def test_turns_after_the_goal_are_no_further_turns() -> None:
    ask, right = "a court for tennis on Monday", "Tennis, Monday. RIGHT?"
    clean = held("BOOKED", ask, right, "yes", "BOOKED.")
    late = held(
        "BOOKED", "a court for tennis on Mnoday", right, "yes", "BOOKED.", "thanks", "What?", ask, right
    )
    assert judge([clean], late, "en").verdict == "pass"


@pytest.mark.parametrize(
    ("language", "bye", "lost"),
    [
        ("it", "va bene grazie arrivederci", "Non ho capito. Può ripetere?"),
        ("en", "ok thank you goodbye", "Sorry, I did not understand. Could you repeat that?"),
    ],
)
def test_who_was_served_and_is_not_understood_when_they_take_leave_leaves(
    language: str, bye: str, lost: str
) -> None:
    def after(*said: str) -> list[str | None]:
        goal = GoalInWords(done="BOOKED")
        who = LoggedUser(case("ST-4", language, "tennis", "tenins", (), (bye,), goal=goal))
        system: dict[str, Any] = {"party": "system", "acts": None}
        return [who.next({**system, "text": text}) for text in said]

    assert after("BOOKED. More?", lost) == [bye, None]
    assert after("A court. More?", lost) == [bye, "tennis"], "who was not served says it again"
