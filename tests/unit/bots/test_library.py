"""The library's desk holds what was told, wanted, done and refused, and answers each question of a turn."""

import pytest

from vivavoce_bots.catalogue import BOTS

BOT = BOTS["library"].make("standard", 1, None)


def talk(language: str, *texts: str) -> str:
    """The last answer."""
    session = BOT.session("c", language)
    said = BOT.greet(session).text
    for text in texts:
        said = BOT.reply(session, [(text, None)]).text
    return said


@pytest.mark.parametrize(
    ("language", "said", "told", "untold"),
    [
        ("en", ("renew To Kill a Mockingbird",), "“To Kill a Mockingbird” is not in", "“Kill"),
        ("en", ("any crime novel?", "Ha, those again! Ta-ra!"), "Goodbye", "Ha”"),
        ("en", ("Hours. When is there an actual human there on Saturday?",), "Saturday 9 to 13", "catalogue"),
        ("en", ("do you have anything on training terriers?",), "On training terriers", "know"),
        (
            "en",
            ("renew Emma 4471", "no, I meant Animal Farm"),
            "of Emma is taken back. Animal Farm",
            "Emma: ",
        ),
        (
            "en",
            ("a thriller", "put the second one by, 4471", "the other one, too"),
            "The Name of the Rose is",
            "?”",
        ),
        ("en", ("renew Emma 4471", "when is it due?"), "8 January", "19"),
        (
            "it",
            ("prenoto Il nome della rosa 2081", "rinnovare il libro che ho a casa"),
            "Quale titolo",
            "rosa",
        ),
        (
            "it",
            ("avete Il nome della rosa?", "lo prendo o si prenota prima?"),
            "non serve prenotarlo",
            "lo so",
        ),
        ("it", ("prendo Emma e La fattoria degli animali", "3316"), "fattoria degli animali: in", "9-19"),
        (
            "it",
            ("un giallo", "tutti e due", "2 0 4 8"),
            "Assassinio sull'Orient Express: in prestito",
            "Quale",
        ),
        ("it", ("prenoto Emma 1234", "rinnovato o prenotato?"), "prenotato per Lei", "rinnovato"),
    ],
)
def test_a_turn_is_taken_as_it_is_meant(language: str, said: tuple[str, ...], told: str, untold: str) -> None:
    answer = talk(language, *said)
    assert told in answer
    assert untold not in answer


def test_the_pharmacy_takes_the_last_day_and_names_the_form_that_it_does_not_have() -> None:
    bot = BOTS["pharmacy"].make("standard", 1, None)
    session = bot.session("c", "en")
    bot.greet(session)
    turns = (
        "cough syrup and throat lozenges, have you got them?",
        "put one pack of cough syrup aside",
        "monday then. no, my son can drive me tuesday.",
    )
    said = [bot.reply(session, [(text, None)]).text for text in turns]
    assert "cough syrup, at" in said[0] and "throat lozenges" in said[0]
    assert "Tuesday" in said[2] and "Monday" not in said[2]
