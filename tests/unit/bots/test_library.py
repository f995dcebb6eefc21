"""The library's desk holds in mind what was told, done and refused, and answers each question of a turn."""

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
        # names that are in no catalogue, and words that are none
        ("en", ("renew To Kill a Mockingbird",), "“To Kill a Mockingbird” is not in", "“Kill"),
        ("en", ("any crime novel?", "Ha, those again!"), "?", "Ha”"),
        ("en", ("Carol is doing Jane Eyre, have you got a copy?",), "“Jane Eyre” is not", "copy"),
        ("en", ("do you have anything on training terriers?",), "training terriers” is not", "know"),
        ("it", ("Avete L'isola del tesoro? L'ho letto da piccola.",), "«L'isola del tesoro» non", "L'isola»"),
        ("it", ("prendo Emma", "reserve"), "?", "catalogo"),
        # what they have at home, what was done with the wrong book, the other one, the next one
        ("en", ("renew Murder on the Orient Express", "another Agatha Christie?"), "Nothing else", "shelf"),
        ("en", ("renew Emma 4471", "no, I meant Animal Farm"), "taken back. Animal Farm", "Emma"),
        ("it", ("prenoto Emma 2081", "rinnovare il libro che ho a casa"), "Quale titolo", "Emma"),
        ("it", ("un giallo", "Il nome della rosa l'ha già visto, l'altro. Lo prendo"), "Numero", "?,"),
        ("en", ("I finished that Ferrante. I want the next one, is it in?",), "Name: out", "Brilliant"),
        # questions that are answered from the rules
        ("en", ("renew Emma 4471", "when is it due?"), "8 January", "19"),
        ("en", ("renew Emma", "2281, or the small one 0094?"), "Emma is renewed", "four digits"),
        ("it", ("avete Il nome della rosa?", "lo prendo o lo devo prenotare?"), "non serve", "lo so"),
        ("it", ("e quando c'è qualcuno al banco?",), "9-19", "Che cosa"),
        ("en", ("is there a nice corner to read?",), "a study room I know nothing", "That I"),
        # leave-taking that stands before something kind
        ("en", ("hours", "That's all, thank you ever so much, have a biscuit on me!"), "Goodbye", "else"),
    ],
)  # fmt: skip
def test_a_turn_is_taken_as_it_is_meant(language: str, said: tuple[str, ...], told: str, untold: str) -> None:
    answer = talk(language, *said)
    assert told in answer
    assert untold not in answer


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "opening hours please"),
        ("en", "I would like to ask for the opening hours"),
        ("it", "vorrei chiedere gli orari"),
    ],
)
def test_who_asks_for_the_hours_is_told_them_and_is_served(language: str, said: str) -> None:
    answer = talk(language, said)
    assert "9" in answer
    assert answer.endswith(("Anything else?", "Altro?"))
