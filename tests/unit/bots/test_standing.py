"""Questions about where a conversation stands are answered from it, whatever the bot."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.standing import told_of_standing


def talk(kind: str, *said: str, language: str = "en") -> list[Reply]:
    bot = BOTS[kind].make(BOTS[kind].variants[0], 1, None)
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(one, None)]) for one in said]


@pytest.mark.parametrize(
    ("text", "language", "kinds", "rest"),
    [
        ("One roll. What have you written down so far?", "en", ("noted",), "One roll."),
        ("The small one. Did you get that?", "en", ("got",), "The small one."),
        ("Did it work?", "en", ("did",), ""),
        ("What? What did you just do?", "en", ("what_did",), ""),
        ("And if I want it off again, what do I say?", "en", ("next",), ""),
        ("What have you got?", "en", (), "What have you got?"),
        ("I have got that already.", "en", (), "I have got that already."),
        ("Bruni. Ma l'ha scritto?", "it", ("got",), "Bruni."),
        ("E adesso che devo fare?", "it", ("next",), ""),
        ("Va bene. Ha fatto?", "it", ("did",), "Va bene."),
        ("Ho fatto la spesa.", "it", (), "Ho fatto la spesa."),
    ],
)
def test_questions_about_the_conversation_are_told_apart(
    text: str, language: str, kinds: tuple[str, ...], rest: str
) -> None:
    assert told_of_standing(text, language) == (kinds, rest)


@pytest.mark.parametrize(
    ("kind", "language", "said", "told"),
    [
        ("house", "en", ["turn on the kitchen lamp", "did it work?"], "kitchen lamp is on"),
        ("house", "en", ["did it work?"], "nothing yet"),
        ("house", "it", ["accendi la radio", "che cosa ha fatto?"], "radio è accesa"),
        ("chef", "en", ["put the pan on the stove", "what did you just do?"], "put(pan, stove)"),
    ],
)
def test_it_is_told_from_what_was_said_and_done(kind: str, language: str, said: list[str], told: str) -> None:
    *_, last = talk(kind, *said, language=language)
    assert told in last.text
    assert not last.end


def test_what_is_said_beside_the_question_is_done_first() -> None:
    (reply,) = talk("house", "Turn on the kitchen lamp. Did it work?")
    assert reply.text.count("kitchen lamp is on") == 1
