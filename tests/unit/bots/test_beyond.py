"""What bots say of what is beyond them, and of questions that they cannot answer; nothing is done instead."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.beyond import read_beyond, told_apart
from vivavoce_bots.dialogue.speech import read_data

MADE = {name: BOTS[name].make(BOTS[name].variants[0], 1, None) for name in ("chef", "house")}


def talk(name: str, *said: str, language: str = "en") -> list[Reply]:
    bot = MADE[name]
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]) for text in said]


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("house", "en", ("switch on the kitchen lamp", "the heating, turn it up"), "no heating among"),
        ("house", "it", ("accendi la lavastoviglie",), "non c'è: lavastoviglie"),
    ],
)
def test_what_is_beyond_a_bot_is_said_and_nothing_is_done_instead(
    name: str, language: str, said: tuple[str, ...], told: str
) -> None:
    last = talk(name, *said, language=language)[-1]
    assert told in last.text and not last.end
    assert not any(act.slot == "done" for act in last.acts)


def test_what_is_said_besides_is_done() -> None:
    reply = talk("house", "turn on the dishwasher and switch on the kitchen lamp")[-1]
    assert "no dishwasher" in reply.text and "kitchen lamp is on" in reply.text


def test_every_topic_has_phrases_and_one_sentence_in_both_languages() -> None:
    for bot, topics in read_data("beyond").items():
        assert bot in BOTS
        for topic in topics.values():
            assert set(topic) - {"asked"} == {"en", "it"}
            assert all(topic[language]["of"] and topic[language]["says"] for language in ("en", "it"))


def test_a_bot_without_topics_has_nothing_beyond_it() -> None:
    assert told_apart("my internet is down", read_beyond("stranger")["en"]) == (None, "my internet is down")


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [("en", "who invented this?", "cannot tell"), ("it", "chi l'ha inventato?", "non lo so")],
)
def test_a_question_that_it_cannot_answer_was_not_misheard(language: str, said: str, told: str) -> None:
    assert told in talk("house", said, language=language)[-1].text


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("chef", "it", ("prendi la pentola", "aggiungi dell'acqua"), "acqua"),
        (
            "chef",
            "en",
            ("put the pot on the stove, my mother always used salt",),
            "stove). What next",
        ),
        ("house", "en", ("switch on all lamps", "not the bedroom"), "right in the bedroom are off"),
        ("house", "it", ("in cucina è buio, faccia luce", "sì"), "Ho acceso la lampada in cucina"),
        ("house", "en", ("what's on channel one tonight", "let's watch that"), "shows channel one"),
        ("house", "it", ("accendi la tv", "canale sette"), "non c'è"),
    ],
)
def test_corrections_and_what_was_spoken_of_are_followed(
    name: str, language: str, said: tuple[str, ...], told: str
) -> None:
    assert told in talk(name, *said, language=language)[-1].text
