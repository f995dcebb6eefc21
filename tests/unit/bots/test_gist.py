"""What is told besides is passed over; a word that nobody knows is a thing only where it may be one."""

import pytest

from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.gist import gist, names_nothing, requested, rewritten

MADE = {name: BOTS[name].make(BOTS[name].variants[0], 1, None) for name in ("house", "chef")}


def talk(name: str, language: str, *said: str) -> list[str]:
    session = MADE[name].session("c", language)
    MADE[name].greet(session)
    return [MADE[name].reply(session, [(text, None)]).text for text in said]


def test_a_request_is_a_command_and_what_is_told_besides_is_left_out() -> None:
    assert requested("Could you put the kettle on, please?", "en") == "put the kettle on, please."
    assert requested("lo puoi togliere?", "it") == "togliere lo."
    assert requested("is it on?", "en") == "is it on?"
    said = "my aunt hates rain, open the door because she is wet"
    assert gist(said, "en", lambda text: "door" in text).strip() == "open the door"
    assert gist(said, "en", lambda text: "rain" in text) == said, "nothing that tells would be left"
    assert gist(said, "en", lambda text: "door" in text, lambda text: "wet" in text) == (
        "open the door because she is wet"
    )
    assert rewritten("a good splash", [["a good (\\w+)", "one \\1"]]) == "one splash"


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("slowly", "en"),
        ("sliver", "en"),
        ("promised", "en"),
        ("stasera", "it"),
        ("facciamo", "it"),
        ("velocemente", "it"),
        ("bellissime", "it"),
        ("rimettila", "it"),
    ],
)
def test_words_that_name_no_thing(word: str, language: str) -> None:
    assert names_nothing(word, language)


@pytest.mark.parametrize(("word", "language"), [("tempura", "en"), ("piano", "en"), ("tartine", "it")])
def test_words_that_may_name_a_thing(word: str, language: str) -> None:
    assert not names_nothing(word, language)


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("house", "en", ["switch the kitchen lamp on so I don't fall over the dog"], ["kitchen lamp is on"]),
        ("house", "en", ["close the bedroom blinds halfway"], ["only all the way", "open or close"]),
        ("house", "en", ["fan on, full blast"], ["runs fast"]),
        ("house", "it", ["facciamo un po' di luce, quella vicino alla finestra"], ["vicino alla finestra"]),
        ("house", "it", ["quel ventilatore è spento da ore, accendilo"], ["Ho acceso il ventilatore"]),
        ("chef", "en", ["put the pan on the stove, the way granny did it"], ["put(pan, stove)"]),
        ("chef", "en", ["crack the eggs into the bowl", "did you add salt?"], ["No, not yet"]),
        ("chef", "it", ["metti la padella sul fuoco e un pizzico di sale, non mezzo chilo"], ["sale"]),
    ],
)
def test_a_turn_is_heard_for_what_is_known(
    name: str, language: str, said: list[str], told: list[str]
) -> None:
    answer = talk(name, language, *said)[-1]
    assert all(words in answer for words in told), answer
    strange = ("I don't know", "I do not know", "I have no", "Non conosco", "Non ho ", "già spento")
    assert not any(words in answer for words in strange), answer


def test_a_thing_that_nobody_knows_is_still_named_where_it_is_all_that_is_said() -> None:
    assert "“blue”" in talk("house", "en", "switch on the blue lamp")[0]
    assert "I have no saffron" in talk("chef", "en", "add saffron to the pot")[0]


def test_what_is_poured_from_one_box_into_another_is_there_alone() -> None:
    said = ["crack two eggs into the bowl", "pour the eggs into the pan", "what is in the bowl?"]
    assert "nothing in the bowl" in talk("chef", "en", *said)[-1]
