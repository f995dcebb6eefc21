"""Corrections, complaints and turns that say two things; no answer comes twice word for word."""

from itertools import pairwise

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.framing import unframed
from vivavoce_bots.dialogue.speech import speech

MADE = {name: BOTS[name].make(BOTS[name].variants[0], 1, None) for name in ("chef", "house")}


def talk(name: str, language: str, *said: str) -> list[Reply]:
    bot = MADE[name]
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]) for text in said]


@pytest.mark.parametrize(
    ("language", "said", "frame", "left"),
    [
        ("en", "I told you, Turin", "said", "Turin"),
        ("it", "gliel'ho già detto, Torino", "said", "Torino"),
        ("en", "from Turin to Rome", None, "from Turin to Rome"),
        ("it", "da Torino a Roma", None, "da Torino a Roma"),
    ],
)
def test_words_about_the_conversation_are_told_from_what_is_said_besides(
    language: str, said: str, frame: str | None, left: str
) -> None:
    assert unframed(said, language) == (frame, left)


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("house", "en", ("switch on the lamp", "I told you, in the kitchen"), "kitchen"),
        ("house", "it", ("accendi la lampada", "gliel'ho già detto, in cucina"), "cucina"),
    ],
)
def test_a_complaint_is_answered_and_what_it_says_besides_is_heard(
    name: str, language: str, said: tuple[str, ...], told: str
) -> None:
    last = talk(name, language, *said)[-1].text
    assert told in last
    assert any(one in last for one in speech(language).answers["said"]), "the complaint is taken up"


@pytest.mark.parametrize(
    ("name", "language", "said", "both"),
    [],
)
def test_a_yes_is_done_and_the_question_behind_it_answered(
    name: str, language: str, said: tuple[str, ...], both: tuple[str, str]
) -> None:
    last = talk(name, language, *said)[-1].text
    assert all(one in last for one in both), last


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("name", sorted(MADE))
def test_no_answer_comes_twice_word_for_word(name: str, language: str) -> None:
    texts = [reply.text for reply in talk(name, language, *["mumble jumble"] * 4)]
    assert all(one != two for one, two in pairwise(texts)), texts
