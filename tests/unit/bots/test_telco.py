"""Self-service by telephone: announced, guided, confirmed."""

import pytest

from vivavoce_bots.telco.bot import TelcoBot
from vivavoce_bots.telco.words import ASKED, SAID


def talk(*texts: str, language: str = "en") -> list[str]:
    bot = TelcoBot()
    session = bot.session("c", language)
    return [bot.greet(session).text, *(bot.reply(session, [(text, None)]).text for text in texts)]


def test_it_announces_its_tasks_first_and_guides_when_it_did_not_understand() -> None:
    hello, lost = talk("banana")
    for task in ("invoice", "transactions", "credit", "tariff", "top up", "transfer"):
        assert task in hello
        assert task in lost


@pytest.mark.parametrize(
    ("said", "told"),
    [("my last invoice", "23 euros"), ("how much credit do I have", "14 euros"),
     ("which tariff plan", "Mare 50"),
     ("the transactions please", "call charges of 6 euros")],
)  # fmt: skip
def test_it_tells_what_is_asked(said: str, told: str) -> None:
    assert told in talk(said)[1]


def test_a_top_up_needs_an_amount_and_a_yes() -> None:
    said = talk("top up my card", "twenty", "yes", "my credit", "the transactions")
    assert said[1] == "How many euros?"
    assert said[2] == "I top up your card by 20 euros. Is that right?"
    assert "now 34 euros" in said[3]
    assert "34 euros" in said[4]
    assert "top-up of 20 euros" in said[5]
    assert "Nothing was done" in talk("top up 20 euros", "no")[2]
    assert "14 euros" in talk("top up 20 euros", "no", "my credit")[3]


def test_a_transfer_needs_amount_recipient_and_enough_credit() -> None:
    said = talk("transfer 10 euros", "Maria", "yes")
    assert said[1] == "To whom shall the money go?"
    assert "10 euros to Maria" in said[2]
    assert "now 4 euros" in said[3]
    assert "not enough" in talk("transfer 50 euros to Maria", "yes")[2]


def test_an_amount_out_of_range_is_refused_and_another_at_the_confirmation_counts() -> None:
    assert "from 5 to 100" in talk("top up 900 euros")[1]
    assert "by 30 euros" in talk("top up 20 euros", "no, 30")[2]


def test_italian_is_understood_and_spoken() -> None:
    said = talk("vorrei ricaricare la carta di venti euro", "sì", "arrivederci", language="it")
    assert said[1] == "Ricarico la carta di 20 euro. È giusto?"
    assert "34 euro" in said[2]
    assert "Arrivederci" in said[3]


def test_both_languages_have_the_same_words() -> None:
    assert SAID["en"].keys() == SAID["it"].keys()
    assert ASKED["en"].keys() == ASKED["it"].keys()
