"""Self-service by telephone: announced, guided, confirmed."""

import re

import pytest

from vivavoce_bots.acts import Act
from vivavoce_bots.telco.bot import TelcoBot
from vivavoce_bots.telco.words import ASKED, CALLED, INSTEAD, SAID


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
    [
        ("my last invoice", "23 euros"),
        ("how much credit do I have", "14 euros"),
        ("which tariff plan", "Mare 50"),
        ("the transactions please", "call charges of 6 euros"),
    ],
)
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
    assert "not enough" in talk("transfer 50 euros to Maria")[1], "it is said before the yes"


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
    assert ASKED["en"].keys() == ASKED["it"].keys() == CALLED["en"].keys() | {"top_up", "transfer"}
    for instead in INSTEAD.values():
        for language, said in instead.items():
            for sentence, text in said.items():
                gaps = set(re.findall(r"{\w+}", SAID[language][sentence]))
                assert set(re.findall(r"{\w+}", text)) <= gaps


def test_a_caller_is_helped_and_nothing_goes_round_in_circles() -> None:
    said = talk("help", "top up my card", "banana", "banana", "banana", "go back", "start over", "you idiot")
    assert "top up 20 euros" in said[1]
    assert said[3].startswith("I did not understand “banana”. How many euros?")
    assert "What would you like: invoice" in said[5], "what was asked in vain is let go"
    assert all(line.endswith("?") for line in said[1:])


def test_what_was_paid_stays_paid() -> None:
    said = talk("top up 20 euros", "yes", "go back", "my credit")
    assert said[3].startswith("What is done, I cannot take back.")
    assert "34 euros" in said[4]


CALLS = {
    "en": [
        "I am worried about my bill",
        "top up 20 euros",
        "yes",
        "the weather in Rome",
        "my balance",
        "no",
    ],
    "it": [
        "sono preoccupata per la bolletta",
        "una ricarica di 20 euro",
        "sì",
        "il tempo a Roma",
        "il saldo",
        "no",
    ],
}


def held(variant: str, language: str) -> tuple[list[str], list[tuple[Act, ...]]]:
    """What the bot says in a conversation with a strategy, and its acts."""
    bot = TelcoBot(variant, 1)
    session = bot.session("c", language)
    replies = [bot.greet(session), *(bot.reply(session, [(text, None)]) for text in CALLS[language])]
    return [reply.text for reply in replies], [reply.acts for reply in replies]


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("variant", TelcoBot.variants[1:])
def test_a_strategy_shows_and_changes_nothing_of_what_is_done(variant: str, language: str) -> None:
    (plain, control), (other, experimental) = held(TelcoBot.variants[0], language), held(variant, language)
    assert control == experimental and plain != other
    assert all(any("34" in text for text in texts) for texts in (plain, other))


def test_strategies_show_where_they_are_named_after() -> None:
    def turns(variant: str) -> list[str]:
        return held(variant, "en")[0]

    assert turns("empathy")[1].startswith("I am sorry to hear that. Your last invoice")
    assert turns("facing")[4].startswith("I am afraid that is beyond me")
    assert "last bill is 23" in turns("alignment")[1] and "Your balance is 34" in turns("alignment")[5]
    assert turns("informality")[0].startswith("Hi,")
    assert len(" ".join(turns("brevity"))) < 0.8 * len(" ".join(turns("informality")))


def test_an_amount_for_nothing_yet_is_asked_about_and_kept() -> None:
    *_, asked, confirmed = talk("20 euros", "a top-up")
    assert "20 euros" in asked and "transfer" in asked
    assert confirmed == "I top up your card by 20 euros. Is that right?"


@pytest.mark.parametrize(
    ("said", "language", "told"),
    [
        (["could you send him 15 euros", "his name is Paul"], "en", "15 euros to Paul"),
        (["transfer 10 euros to Maria", "cancel it"], "en", "Nothing was done"),
        (["mi metta altri venti euro"], "it", "Ricarico la carta di 20 euro"),
        (["mandare dei soldi a Marco", "dieci", "no, a Mirko"], "it", "10 euro a Mirko"),
        (["quanto mi è rimasto?"], "it", "14 euro"),
    ],
)
def test_money_is_understood_in_more_words(said: list[str], language: str, told: str) -> None:
    assert told in talk(*said, language=language)[-1]


@pytest.mark.parametrize(
    ("said", "language", "told", "not_told"),
    [
        (["I topped up 20, so where's the rest?"], "en", "leaves 14 euros", "top up your card"),
        (["the top up of 20, was that me?"], "en", "not shown to me", "How many"),
        (["what plan am I on? And how much is my bill?"], "en", "Mare 50", "not know"),
        (["top up 20 euros", "no, leave it, my son will do it. Bye."], "en", "Nothing was done", "Done"),
        (["bonifico 50 euro a Giulia", "ricarica 60", "sì"], "it", "Trasferisco 50 euro a Giulia", "altro?"),
        (["ah sì? e quanto c'è sulla carta adesso?"], "it", "14 euro", "Quanti euro"),
    ],
)
def test_questions_begin_nothing_and_what_is_open_is_kept(
    said: list[str], language: str, told: str, not_told: str
) -> None:
    last = talk(*said, language=language)[-1]
    assert told in last and not_told not in last


@pytest.mark.parametrize(
    ("said", "sent", "language", "not_possible", "transfer"),
    [
        (
            "can I top up my grandson's phone with ten euros?",
            "ok then send him ten",
            "en",
            "Nobody else's card",
            "I transfer 10 euros to your grandson",
        ),
        (
            "si può ricaricare il numero di un'altra persona?",
            "allora bonifico di 10 euro a Giada",
            "it",
            "La carta di altri",
            "Trasferisco 10 euro a Giada",
        ),
    ],
)
def test_nobody_else_s_card_is_topped_up_and_that_is_said_once(
    said: str, sent: str, language: str, not_possible: str, transfer: str
) -> None:
    _, first, then = talk(said, sent, language=language)
    assert not_possible in first
    assert transfer in then
    assert not_possible not in then


@pytest.mark.parametrize(
    ("said", "language", "told", "not_told"),
    [
        ("14? I put 20 on it on Monday. Where did it go?", "en", "6 euros went on calls", "I top up"),
        ("my phone says top up but i did top up. can i ring now?", "en", "14 euros", "How many"),
        ("can I pay the bill with the 14?", "en", "through the bank", "To whom"),
        ("chiedevo dei 15 euro di mia cognata", "it", "Di 15 euro", "Quanti euro"),
        ("quindi la bolletta è un'altra cosa dalla ricarica?", "it", "si paga a parte", "Quanti euro"),
        ("ero io che ricarico troppo, grazie e buona serata", "it", "Arrivederci", "Quanti euro"),
    ],
)
def test_what_is_only_told_of_money_begins_nothing(
    said: str, language: str, told: str, not_told: str
) -> None:
    last = talk(said, language=language)[-1]
    assert told in last and not_told not in last


def test_a_name_given_at_the_end_keeps_and_is_confirmed() -> None:
    said = talk(
        "vorrei mandare 10 euro a mia nipote", "ok. si chiama Martina. le arrivano oggi?", language="it"
    )
    assert "10 euro a Martina" in said[-1] and "subito" in said[-1]
