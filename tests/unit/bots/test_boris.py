"""The system-directed bot: one question at a time, nothing counts before it was confirmed."""

import pytest

from vivavoce_bots.acts import DONTCARE, Reply
from vivavoce_bots.boris.bot import BorisBot, Session
from vivavoce_bots.restaurant.domain import read_domain

BOT = BorisBot(read_domain())


def say(session: Session, *texts: str) -> Reply:
    return [BOT.reply(session, [(text, None)]) for text in texts][-1]


def asked(reply: Reply) -> list[tuple[str, str | None, str | None]]:
    return [(act.act, act.slot, act.value) for act in reply.acts if act.act in ("confirm", "request")]


def test_it_leads_from_the_first_question_to_a_venue() -> None:
    session = BOT.session("c")
    assert asked(BOT.greet(session)) == [("request", "type", None)]
    assert asked(say(session, "a restaurant")) == [("confirm", "type", "restaurant")]
    assert asked(say(session, "yes")) == [("request", "food", None)]
    assert asked(say(session, "Italian, in the south")) == [("confirm", "food", "italian")]
    assert asked(say(session, "yes")) == [("confirm", "area", "south")]
    assert asked(say(session, "yes")) == [("request", "pricerange", None)]
    offer = say(session, "moderate", "that is correct")
    assert ("offer", "Kingfisher") in [(act.act, act.value) for act in offer.acts]
    assert "01555 321 873" in say(session, "what is the phone number").text
    assert say(session, "goodbye").end


def test_what_was_not_confirmed_does_not_count() -> None:
    session = BOT.session("c")
    BOT.greet(session)
    say(session, "a pub")
    assert asked(say(session, "no")) == [("request", "type", None)]
    assert session.confirmed == {}
    assert asked(say(session, "a restaurant", "no, a coffee shop")) == [("confirm", "type", "coffeeshop")]
    say(session, "yes")
    assert session.confirmed == {"type": "coffeeshop"}


def test_an_unclear_answer_is_asked_again_twice_at_most() -> None:
    session = BOT.session("c")
    say(session, "a pub")
    assert asked(say(session, "mumble")) == [("confirm", "type", "pub")]
    assert asked(say(session, "mumble")) == [("request", "type", None)]


def test_yes_confirms_that_a_slot_does_not_matter() -> None:
    session = BOT.session("c")
    say(session, "a pub", "yes", "I don't care", "yes")
    assert session.confirmed["area"] == DONTCARE


def test_no_match_alternatives_and_a_changed_mind() -> None:
    session = BOT.session("c")
    none = say(session, "an expensive Indian restaurant in the north", *["yes"] * 4)
    assert {act.act for act in none.acts} == {"canthelp"}
    offer = say(session, "in the east then", "yes")
    assert ("offer", "Paper Moon Terrace") in [(act.act, act.value) for act in offer.acts]
    other = say(session, "anything else?")
    assert ("canthelp", "name", "Paper Moon Terrace") in [(a.act, a.slot, a.value) for a in other.acts]


@pytest.mark.parametrize(("language", "words"), [("it", "Che tipo di posto"), ("en", "What kind of place")])
def test_it_speaks_two_languages(language: str, words: str) -> None:
    assert words in BOT.greet(BOT.session("c", language)).text
