"""What the finders of venues hold in mind: when a place is open, what is not wanted, what was offered."""

import pytest

from vivavoce_bots.catalogue import BOTS


def last(name: str, language: str, said: tuple[str, ...]) -> str:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]).text for text in said][-1]


@pytest.mark.parametrize(
    ("name", "language", "said", "told", "not_told"),
    [
        # a day is a constraint, also of another place where the one on offer is closed then
        ("restaurant", "en", ("a Chinese place, open on Mondays",), "no restaurant", "Spoon is"),
        ("restaurant", "it", ("un pub a est", "il lunedì è aperto?", "un altro"), "lunedì", "Badger è"),
        ("restaurant", "en", ("an Italian place, centre, open Sunday", "White Heron"), "Monday-", "on S"),
        # what is not wanted is enough, and is not asked for
        ("restaurant", "en", ("an Italian place, nothing too posh", "north"), "Quince", "would"),
        ("restaurant", "it", ("un pub a nord", "qualcosa di meno caro?"), "Ferryman", "Mi dispiace"),
        # what there is, and which of it
        ("restaurant", "en", ("cheap, in the centre, what is there?", "the second one"), "Anchor", "Amber"),
        ("boris", "en", ("a restaurant", "what have you got?"), "Chinese, French", "cannot"),
        # what nobody knows, in one sentence, not said back
        ("restaurant", "en", ("cheap Italian near the river",), "what is nearby; I", "river"),
        ("restaurant", "en", ("a pub, centre", "the one with the red door?"), "not know that", "Tulip"),
        ("boris", "it", ("un ristorante", "il pub fa da mangiare?"), "non lo so", "Va bene: un pub"),
        # values of one turn are taken and said together
        ("boris", "en", ("table for four tonight at 7, Italian, centre",), "White Heron", "?"),
        ("boris", "it", ("indiano, domani alle 20, zona est",), "zona est per sabato alle 20:00", "Ha detto"),
        ("boris", "en", ("a pub in the west. Today. 8.",), "at 20:00", "?"),
        ("boris", "en", ("Italian, in the south", "no, the north"), "north", "which cuisine"),
        # who is called dear wants nothing dear; who gives up has left
        ("restaurant", "it", ("buonasera cara, un pub in centro",), "Anchor", "prezzo"),
        ("restaurant", "en", ("a cheap pub", "not that. Forget it, I'm ordering pizza"), "oodbye", "Italian"),
    ],
)
def test_a_finder_keeps_in_mind_what_was_said(
    name: str, language: str, said: tuple[str, ...], told: str, not_told: str
) -> None:
    text = last(name, language, said)
    assert told in text
    assert not_told not in text


@pytest.mark.parametrize(
    ("name", "language", "said", "told", "not_told"),
    [
        # a place that is not wanted is offered no more, nor is a food that somebody does not eat
        ("restaurant", "en", ("French, Saturday", "not the Blue Lantern", "in the east"), "", "Blue"),
        ("boris", "it", ("un pub in centro alle 21", "ma non l'Anchor and Rope"), "altro pub", "Anchor"),
        ("restaurant", "en", ("a place in the centre", "cheap; he doesn't like Chinese"), "", "Chinese"),
        # what one said of a price or an area is given up, or told in numbers
        ("restaurant", "en", ("cheap Italian, centre", "it needn't be cheap"), "White Heron", "sorry"),
        ("restaurant", "en", ("Italian, under 20 quid a head, south",), "Kingfisher", "Elm"),
        ("restaurant", "en", ("French, not on the edge of town",), "Three Olives", "Lantern"),
        # who accepts what was proposed may ask more in the same breath
        ("restaurant", "it", ("cinese in centro, medio", "greca, e come si chiama?"), "Ivory Gate", "Potrei"),
        # a time that another sentence tells, or that takes the place of one
        ("boris", "en", ("a meal on Thursday. Lunchtime, probably",), "at 13:00", "What"),
        ("boris", "en", ("a cafe on Saturday at ten", "what about eleven?"), "at 11:00", "10:00"),
        ("boris", "it", ("un caffè lunedì alle 11", "11 è tardi, facciamo le dieci"), "10:00", "11:00"),
        # what is told of company, doubts and other people is no wish
        ("boris", "it", ("un ristorante stasera, ma i bambini crollano",), "venerdì", "bambini"),
        ("boris", "en", ("a pub. Thursday is best, Jean works on the Friday",), "Thursday", "Friday"),
        ("restaurant", "en", ("a pub", "I don't know if that's the north or what"), "choose from", "Oar is"),
        ("restaurant", "it", ("indiano a nord, e il menù in italiano?",), "indiana", "Quince"),
        # a question about the place on offer, or for another kind of place beside it
        ("restaurant", "it", ("cinese in centro", "cos'è Amber Spoon, inglese?"), "cinese", "nessun"),
        ("restaurant", "en", ("the Kingfisher", "what sort of food is it?"), "Italian", "choose"),
        ("restaurant", "it", ("francese in centro", "bello! e un caffè vicino?"), "caffè", "Olives"),
        ("restaurant", "it", ("indiano, caro", "alto?! no no"), "Dancing Crane", "Come dicevo"),
    ],
)
def test_a_finder_takes_what_is_meant(
    name: str, language: str, said: tuple[str, ...], told: str, not_told: str
) -> None:
    text = last(name, language, said)
    assert told in text
    assert not_told not in text
