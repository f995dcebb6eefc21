"""The system-directed bot: one question at a time, nothing counts before it was confirmed."""

from pathlib import Path

import pytest

import vivavoce.study
from vivavoce_bots.acts import DONTCARE, Reply
from vivavoce_bots.boris.bot import BorisBot, Lead
from vivavoce_bots.dialogue.conversation import Session
from vivavoce_bots.dialogue.domain import read_domain

BOT = BorisBot(read_domain(), variant="explicit")
ELSEWHERE = BorisBot(read_domain(Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"))


def say(session: Session[Lead], *texts: str) -> Reply:
    return [BOT.reply(session, [(text, None)]) for text in texts][-1]


def asked(reply: Reply) -> list[tuple[str, str | None, str | None]]:
    return [(act.act, act.slot, act.value) for act in reply.acts if act.act in ("confirm", "request")]


def offered(reply: Reply) -> list[str | None]:
    return [act.value for act in reply.acts if act.act == "offer"]


def test_it_leads_from_the_first_question_to_a_venue() -> None:
    session = BOT.session("c")
    assert asked(BOT.greet(session)) == [("request", "type", None)]
    assert asked(say(session, "a restaurant")) == [("confirm", "type", "restaurant")]
    assert asked(say(session, "yes")) == [("request", "food", None)]
    assert asked(say(session, "Italian, in the south")) == [("confirm", "food", "italian")]
    assert asked(say(session, "yes")) == [("confirm", "area", "south")]
    assert asked(say(session, "yes")) == [("request", "pricerange", None)]
    assert asked(say(session, "moderate", "that is correct")) == [("request", "day", None)]
    assert asked(say(session, "on Saturday at half past eight")) == [("confirm", "day", "saturday")]
    assert asked(say(session, "yes")) == [("confirm", "time", "20:30")]
    offer = say(session, "yes")
    assert offered(offer) == ["Kingfisher"]
    assert "on Saturday" in offer.text and "at 20:30" in offer.text
    assert "01555 321 873" in say(session, "what is the phone number").text
    assert say(session, "is it open on Sunday?").text.startswith("No")
    assert say(session, "goodbye").end


def test_what_was_not_confirmed_does_not_count() -> None:
    session = BOT.session("c")
    BOT.greet(session)
    say(session, "a pub")
    assert asked(say(session, "no")) == [("request", "type", None)]
    assert session.state.confirmed == {}
    assert asked(say(session, "a restaurant", "no, a coffee shop")) == [("confirm", "type", "coffeeshop")]
    say(session, "yes")
    assert session.state.confirmed == {"type": "coffeeshop"}


def test_an_unclear_answer_is_asked_again_twice_at_most() -> None:
    session = BOT.session("c")
    say(session, "a pub")
    assert asked(say(session, "mumble")) == [("confirm", "type", "pub")]
    assert asked(say(session, "mumble")) == [("request", "type", None)]


def test_yes_confirms_that_a_slot_does_not_matter() -> None:
    session = BOT.session("c")
    say(session, "a pub", "yes", "I don't care", "yes")
    assert session.state.confirmed["area"] == DONTCARE


def test_no_match_alternatives_and_a_changed_mind() -> None:
    session = BOT.session("c")
    none = say(session, "an expensive Indian restaurant in the north", *["yes"] * 3)
    assert "canthelp" in {act.act for act in none.acts}
    assert "Greek or French food" in none.text, "what there is instead"
    offer = say(session, "in the east then", "yes", "any day", "it does not matter")
    assert offered(offer) == ["Paper Moon Terrace"]
    other = say(session, "anything else?")
    assert ("canthelp", "name", "Paper Moon Terrace") in [(a.act, a.slot, a.value) for a in other.acts]


def test_a_kind_of_food_leads_on_without_the_question_what_kind_of_place() -> None:
    session = BOT.session("c")
    BOT.greet(session)
    assert asked(say(session, "I want to eat something Italian")) == [("confirm", "food", "italian")]
    assert asked(say(session, "yes")) == [("request", "area", None)]


def test_tomorrow_evening_is_a_day_and_a_time_and_the_day_is_told_by_name() -> None:
    session = BOT.session("c", "it")
    day = say(session, "vorrei cenare domani sera", "sì")
    assert asked(day) == [("confirm", "day", "saturday")]
    assert day.text == "Ha detto per sabato, cioè domani?"
    assert asked(say(session, "sì")) == [("confirm", "time", "20:00")]
    again = say(session, "sì", "domani")
    assert again.text.startswith("Va bene: per sabato."), "what is known already is told"


def test_a_venue_that_is_closed_then_is_not_offered() -> None:
    """Silver Birch opens from Tuesday to Sunday; it alone is Chinese and in the south."""
    session = BOT.session("c")
    say(session, "Chinese food in the south", "yes", "yes")
    none = say(session, "on Monday", "yes", "at noon", "yes")
    assert {("canthelp", "day", "monday"), ("canthelp", "time", "12:00")} <= {a[:3] for a in none.acts}
    assert offered(say(session, "on Tuesday then", "yes")) == ["Silver Birch"]
    told = say(session, "when is it open?")
    assert "Tuesday-Sunday 12:00-15:00 18:00-23:00" in told.text


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("en", "at eight", "20:00"),
        ("en", "half past seven", "19:30"),
        ("en", "quarter to nine", "20:45"),
        ("en", "9 am", "09:00"),
        ("en", "20:15", "20:15"),
        ("en", "noon", "12:00"),
        ("en", "seven", "19:00"),
        ("it", "alle otto e mezza", "20:30"),
        ("it", "alle venti", None),
        ("it", "alle 20", "20:00"),
        ("it", "alle nove meno un quarto", "20:45"),
        ("it", "a mezzogiorno", "12:00"),
    ],
)
def test_a_time_is_understood_as_people_say_it(language: str, text: str, told: str | None) -> None:
    acts = BOT._understanding[language].acts(text, "time")
    assert [act.value for act in acts if act.slot == "time"] == ([told] if told else [])


def test_where_nothing_tells_when_venues_are_open_day_and_time_are_not_asked() -> None:
    session = ELSEWHERE.session("c")
    replies = [ELSEWHERE.greet(session)]
    for _ in range(20):
        replies.append(ELSEWHERE.reply(session, [("any", None)]))
        replies.append(ELSEWHERE.reply(session, [("yes", None)]))
    assert not {act.slot for reply in replies for act in reply.acts} & {"day", "time"}


@pytest.mark.parametrize(("language", "words"), [("it", "Che tipo di posto"), ("en", "What kind of place")])
def test_it_speaks_two_languages(language: str, words: str) -> None:
    assert words in BOT.greet(BOT.session("c", language)).text
