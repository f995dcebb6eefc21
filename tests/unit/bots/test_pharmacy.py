"""The pharmacy: what it does not keep, what is put right at once, orders that change when they are done."""

import pytest

from vivavoce_bots.catalogue import BOTS


def talk(*said: str, language: str = "en") -> list[str]:
    bot = BOTS["pharmacy"].make("standard", 1, None)
    session = bot.session("c1", language)
    bot.greet(session)
    return [bot.reply(session, [(one, None)]).text for one in said]


@pytest.mark.parametrize(
    ("language", "said", "kept", "strange"),
    [
        (
            "en",
            "Hello! My boy is red as a lobster. Do you have after sun cream, and plasters as well?",
            "plasters, at 3.10",
            "After sun cream I don't have",
        ),
        (
            "it",
            "mi servono dei cerotti, e magari una crema per i piedi, ho le scarpe nuove",
            "cerotti, a 3,10",
            "Crema per i piedi purtroppo non ne ho",
        ),
        (
            "en",
            "I'm to bring something for a stuffy nose and a box of paracetamol. Have you got those?",
            "paracetamol, at 4.20",
            "against a stuffy nose I may not say",
        ),
    ],
)
def test_each_thing_that_is_asked_for_is_answered(language: str, said: str, kept: str, strange: str) -> None:
    answer = talk(said, language=language)[0]
    assert kept in answer and strange in answer
    assert "sun cream. It comes" not in answer  # after sun is no sun cream


def test_a_thing_of_ones_own_is_not_asked_for() -> None:
    said = talk("do you have ibuprofen? I take my blood pressure tablets, too")[0]
    assert "ibuprofen, at 5.90" in said and "tablets I don't have" not in said.lower()


@pytest.mark.parametrize(
    ("language", "said", "amount", "day"),
    [
        ("en", "put one box of plasters aside, no wait, two boxes, for monday", "2 in all", "Monday"),
        ("en", "keep two vitamin C. On Tuesday we'll be away, so I'll come tomorrow", "2 in all", "Saturday"),
        ("it", "me ne tenga una scatola di cerotti, anzi due, passo lunedì", "confezioni 2", "lunedì"),
        ("it", "tenga un collirio. domani ho il dentista, facciamo lunedì", "confezioni 1", "lunedì"),
    ],
)
def test_what_is_put_right_while_it_is_said_holds(language: str, said: str, amount: str, day: str) -> None:
    answer = talk(said, language=language)[0]
    assert amount in answer and day in answer


def test_an_order_that_is_done_can_be_changed() -> None:
    said = talk(
        "put two plasters and one cough syrup aside for monday",
        "yes",
        "oh, leave out the syrup",
        "no wait, make it three",
        "Tuesday, then",
        "what do I pay in total?",
    )
    assert "12" not in said[2] and "plasters, 2 in all, for Monday. You pay 6.20" in said[2]
    assert "plasters, 3 in all, for Monday. You pay 9.30" in said[3]
    assert "plasters, 3 in all, for Tuesday" in said[4]
    assert "9.30" in said[5] and "syrup" not in said[5]


def test_a_changed_order_is_not_put_on_a_day_before_it_comes() -> None:
    said = talk(
        "put one sun cream aside for tuesday", "yes", "no, make it monday", "what have you put aside?"
    )
    assert "only comes in on Tuesday" in said[2]
    assert "sun cream, 1 in all" in said[3]


def test_a_price_that_is_said_again_is_no_amount() -> None:
    said = talk("have you got vitamin C?", "Seven thirty, my word! Go on, put me one by for monday")
    assert "vitamin C, 1 in all" in said[1] and "Monday" in said[1]


def test_a_no_with_a_question_behind_it_ends_nothing() -> None:
    bot = BOTS["pharmacy"].make("standard", 1, None)
    session = bot.session("c1", "en")
    bot.greet(session)
    bot.reply(session, [("have you got plasters?", None)])
    reply = bot.reply(session, [("no, when do you close?", None)])
    assert not reply.end and "half past seven" in reply.text
