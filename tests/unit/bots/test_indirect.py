"""What a bot that finds venues says to questions that it cannot answer, and what idioms mean to it."""

import pytest

from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.indirect import not_known


@pytest.mark.parametrize(
    ("language", "asked", "told"),
    [
        ("en", "Do you do big tables?", "Whether they do big tables I do not know."),
        ("en", "and can we bring our parrot?", "Whether you can bring your parrot I do not know."),
        ("en", "lovely, are there any stairs?", "Whether there are stairs I do not know."),
        ("en", "how far is it?", "How far it is I do not know."),
        ("it", "e c'è posto per dieci?", "Se c'è posto per dieci non lo so."),
        ("it", "avete tavoli grandi?", "Se hanno tavoli grandi non lo so."),
        ("en", "did you know her?", ""),
        ("it", "mi porta il conto?", ""),
    ],
)
def test_a_question_that_cannot_be_answered_is_named(language: str, asked: str, told: str) -> None:
    assert not_known(asked, language) == told


def _told(name: str, language: str, *said: str) -> str:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    session = bot.session("k", language)
    bot.greet(session)
    return [bot.reply(session, [(one, None)]).text for one in said][-1]


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", ("an Italian place, nothing that costs a fortune",), "Quince Garden"),
        ("it", ("una pizzeria che non costi un occhio della testa",), "Quince Garden"),
        ("en", ("Indian in the centre", "it doesn't have to be the centre"), "Dancing Crane"),
        ("it", ("indiano in centro", "e in un'altra zona?"), "Dancing Crane"),
        ("en", ("Italian, moderate, in the south", "forget moderate, I'll pay more"), "Elm House"),
    ],
)
def test_idioms_of_price_and_area_are_wishes(language: str, said: tuple[str, ...], told: str) -> None:
    assert told in _told("restaurant", language, *said)


def test_what_is_told_of_a_place_is_not_told_again_with_an_answer() -> None:
    told = _told("restaurant", "en", "French in the centre", "the Three Olives? what is the address?")
    assert "61 Abbey Walk" in told
    assert "serving French" not in told


def test_a_proposal_is_made_once_in_a_turn() -> None:
    told = _told("boris", "it", "ristorante italiano in centro domenica a pranzo", "e in un'altra zona?")
    assert told.count("Potrei proporre") == 1


def test_a_kind_of_place_is_not_changed_by_what_one_can_do_there() -> None:
    told = _told("boris", "en", "a pub for tonight", "in the centre, where I can eat a decent burger")
    assert "restaurant" not in told


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        (
            "en",
            "Is it spicy everywhere? Italian in the centre",
            "Whether it is spicy everywhere I do not know.",
        ),
        ("en", "a pub in the centre that shows the rugby", "Whether it shows the rugby I do not know."),
        ("it", "un pub in centro, e dev'esserci il calcetto", "Se ci sia il calcetto non lo so."),
    ],
)
def test_a_question_or_a_wish_beside_an_offer_is_named(language: str, said: str, told: str) -> None:
    answer = _told("restaurant", language, said)
    assert told in answer
    assert "centr" in answer
