"""What a system did instead of serving the user: the kind under which a reader finds a case."""

import json

import pytest

from unit.stress.test_errands import held
from vivavoce_stress.cascade import judge
from vivavoce_stress.failures import kind_of
from vivavoce_stress.goal import GoalInWords
from vivavoce_stress.replay import Replayed


def kind_with(original: Replayed, variant: Replayed, language: str) -> tuple[str, str]:
    found = judge([original], variant, language)
    turns = [
        json.dumps([{**turn, "injected": at == 0} for at, turn in enumerate(one.turns)])
        for one in (variant, original)
    ]
    facts = {"why": json.dumps(found.reason.facts()), "verdict": found.verdict}
    return found.verdict, kind_of(facts | {"transcript": turns[0], "clean_transcript": turns[1]})


def test_who_is_served_only_when_they_say_it_again_is_told_what_the_system_said_first() -> None:
    for language, said, kind in [
        ("en", "No such station: Mikan.", "unknown"),
        ("it", "Stazione non servita: Mliano. Quale stazione?", "unknown"),
        ("en", "Class not recognised. First or second class?", "unknown"),
        ("it", "Non conosco questo tipo di posto. Quale posto?", "unknown"),
        ("en", "Sorry, I did not understand.", "not_understood"),
        ("en", "Which repair?", "asked_more"),
        ("it", "Quale riparazione?", "asked_more"),
    ]:
        end = ("Day? (yes/no)", "Monday", "It is done.", "bye", "Bye.")
        original = held("done", "a ticket", *end)
        variant = held("done", "a tikcet", said, "a ticket", *end)
        assert kind_with(original, variant, language) == ("clarification", kind)


def test_what_an_original_is_told_too_is_no_lack_of_the_variant() -> None:
    original = held("done", "to Rome", "No such station. Done: Turin.", "bye", "Bye.")
    variant = held("done", "to Roem", "No such stop listed. Done: Turin.", "bye", "Bye.")
    assert kind_with(original, variant, "en")[0] == "pass"


def told(*texts: str) -> Replayed:
    """A dialogue of one question, whose goal its answer tells."""
    turns = [
        {"party": "system" if at % 2 else "user", "text": text, "acts": None} for at, text in enumerate(texts)
    ]
    goal = GoalInWords(done="euros a pack").told_in(turns)
    met = (True, goal.place, goal.words) if goal else (False, None, None)
    return Replayed(turns=turns, injected=0, met=met[0], met_at=met[1], met_words=met[2])


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Good news, that's here: syrup, at 4.20 euros! Anything else?", "unsure"),
        ("Good news, that's here: syrup, at 9.50 euros! Anything else?", "fail"),
        ("We are open until seven.", "fail"),
    ],
)
def test_the_price_told_in_words_that_nobody_named_waits_for_a_person(said: str, verdict: str) -> None:
    """Before, the right price was a fail, for its words were not those of the goal."""
    first, then = "Let me see: syrup, that's 4.20 euros a pack. Anything else?", ("goodbye", "Bye.")
    original = told("the price of syrup", first, *then)
    again = told("the prixe of syrup", said, "the price of syrup", first, *then)
    never = told("the prixe of syrup", said, *then)
    assert [judge([original], one, "en").verdict for one in (again, never)] == [verdict] * 2


@pytest.mark.parametrize("price", [5, 6])
def test_another_number_than_was_asked_for_fails_though_the_price_is_that_number(price: int) -> None:
    """Before, 1 pot for 5 passed where a pot costs 5."""
    original = held("Noted", "five pots of rose", f"Noted: 5 x rose, {5 * price} euros.", "bye", "Bye.")
    variant = held("Noted", "fve pots of rose", f"Noted: 1 x rose, {price} euros.", "bye", "Bye.")
    assert judge([original], variant, "en").verdict == "fail"
    dearer = held("Noted", "fve pots of rose", f"Noted: 5 x rose, {7 * price} euros.", "bye", "Bye.")
    assert judge([original], dearer, "en").verdict != "fail"
