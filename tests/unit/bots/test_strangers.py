"""What strangers said and no bot followed: two at once, asides, threats, corrections, the errand before."""

import pytest

from vivavoce_bots.catalogue import BOTS


def talk(name: str, language: str, *texts: str) -> list[str]:
    """The answers, without the greeting."""
    entry = BOTS[name]
    bot = entry.make(entry.variants[0], 1, None)
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]).text for text in texts]


@pytest.mark.parametrize(
    ("name", "language", "said", "told", "not_told"),
    [
        # refused devices, reasons that are no wishes, one of two messages
        ("house", "en", ("close the blinds", "no blinds! Turn on the kitchen lamp"), "lamp is on", "blinds"),
        ("house", "it", ("accendi la luce in cucina", "La spenga. È troppa luce"), "spento", "tapparelle"),
        ("house", "it", ("Spenga la destra e accenda la sinistra, in camera",), "a destra", "Che"),
        ("house", "en", ("delete the message about the bicycle",), "left: Paola's", "Shall I"),
        # what was cut already, water off, asked beside a command
        ("chef", "en", ("I've already chopped the onion. Put the onion in the pot",), "onion, pot", "cut"),
        ("chef", "it", ("metti la padella sul fuoco", "la padella è sul fuoco?"), "Sì", "Fatto"),
        # a threat is no goodbye
        ("boris", "en", ("a pub", "yes, and tell me one or I'm hanging up!"), "?", "oodbye"),
        # what was asked is told before goodbye
        ("restaurant", "en", ("a cheap Chinese place", "its address, and we're done"), "The address of", "?"),
        # of three values in a sentence the last one counts, though it was the first
        ("restaurant", "en", ("French, no, Greek, no wait, French, in the centre",), "French", "Greek"),
        ("restaurant", "it", ("un ristorante a nord, il greco non lo mangiamo",), "?", "cucina greca"),
        ("restaurant", "it", ("un pub", "ricominciamo: un caffè in zona sud"), "caffè in zona sud", "?"),
        ("restaurant", "en", ("just give me a pub in the west",), "is a pub", "restaurant"),
        # numbers that are no amount, facts amid an operation, data volume
        # taunts are not said back, what was said last is said again
        ("boris", "en", ("a pub", "South, yes! How slow is this box?"), "?", "cannot tell"),
        # what was told of the venue is not told again; its first name will do
        ("restaurant", "en", ("a cheap pub, centre", "the Anchor, its phone?"), "phone", "is a pub"),
    ],
)
def test_what_strangers_say_is_followed(
    name: str, language: str, said: tuple[str, ...], told: str, not_told: str
) -> None:
    answer = talk(name, language, *said)[-1]
    assert told in answer
    assert not_told not in answer


@pytest.mark.parametrize("remark", ["What a shame!", "So you have no Emma?", "Four euros?"])
def test_remarks_are_not_said_back_as_questions(remark: str) -> None:
    assert remark.rstrip("?!") not in talk("telco", "en", "my credit", remark)[-1]


def test_yes_or_no_and_nothing_behind_it_is_answered() -> None:
    """A string of them ended in a crash where a question waited."""
    assert all(talk("telco", "en", "top up 20 euros", "yes " * 15, "no " * 40))
