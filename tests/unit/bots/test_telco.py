"""Self-service by telephone: announced, guided, confirmed."""

import pytest

from vivavoce_bots.acts import Act
from vivavoce_bots.catalogue import BOTS

VARIANTS = BOTS["telco"].variants


def talk(*texts: str, language: str = "en", variant: str = "standard") -> list[str]:
    return [text for text, _ in hold(*texts, language=language, variant=variant)]


def hold(*texts: str, language: str = "en", variant: str = "standard") -> list[tuple[str, tuple[Act, ...]]]:
    """Texts and acts of a conversation, the greeting first."""
    bot = BOTS["telco"].make(variant, 1, None)
    session = bot.session("c", language)
    replies = [bot.greet(session), *(bot.reply(session, [(text, None)]) for text in texts)]
    return [(reply.text, reply.acts) for reply in replies]


def test_it_announces_its_tasks_first_and_guides_when_it_did_not_understand() -> None:
    hello, lost = talk("banana")
    for task in ("invoice", "transactions", "credit", "tariff", "top up", "transfer"):
        assert task in hello
        assert task in lost


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("my last invoice", "23 euros"),
        ("how much credit do I have", "14 euros"),
        ("which tariff plan", "Mare 50"),
        ("the transactions please", "call charges of 6 euros"),
    ],
)
def test_it_tells_what_is_asked(question: str, answer: str) -> None:
    assert answer in talk(question)[1]


def test_a_top_up_needs_an_amount_and_a_yes() -> None:
    replies = talk("top up my card", "twenty", "yes", "my credit", "the transactions")
    assert replies[1] == "How many euros?"
    assert replies[2] == "I top up your card by 20 euros. Is that right?"
    assert "now 34 euros" in replies[3] and "34 euros" in replies[4]
    assert "and top-up of 20 euros" in replies[5]
    assert "Nothing was done" in talk("top up 20 euros", "no")[2]
    assert "14 euros" in talk("top up 20 euros", "no", "my credit")[3]


def test_a_transfer_needs_amount_recipient_and_enough_credit() -> None:
    replies = talk("transfer 10 euros", "Maria", "yes")
    assert replies[1] == "To whom shall the money go?"
    assert "10 euros to Maria" in replies[2]
    assert "now 4 euros" in replies[3]
    assert "not enough" in talk("transfer 50 euros to Maria")[1], "before the yes"


def test_an_amount_out_of_range_is_refused_and_another_at_the_confirmation_counts() -> None:
    assert "from 5 to 100" in talk("top up 900 euros")[1]
    assert "by 30 euros" in talk("top up 20 euros", "no, 30")[2]


def test_italian_is_understood_and_spoken() -> None:
    replies = talk("vorrei ricaricare la carta di venti euro", "sì", "arrivederci", language="it")
    assert replies[1] == "Ricarico la carta di 20 euro. È giusto?"
    assert "34 euro" in replies[2] and "Arrivederci" in replies[3]


def test_an_amount_for_nothing_yet_is_asked_about_and_kept() -> None:
    *_, question, confirmation = talk("20 euros", "a top-up")
    assert "20 euros" in question and "transfer" in question
    assert confirmation == "I top up your card by 20 euros. Is that right?"


CALLS = {
    "en": ["I am worried about my bill", "top up 20 euros", "yes", "the weather in Rome", "my balance", "no"],
    "it": [
        "sono preoccupata per la bolletta",
        "una ricarica di 20 euro",
        "sì",
        "il tempo a Roma",
        "il saldo",
        "no",
    ],
}


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_a_strategy_shows_and_changes_nothing_of_what_is_done(variant: str, language: str) -> None:
    plain = hold(*CALLS[language], language=language)
    other = hold(*CALLS[language], language=language, variant=variant)
    assert [acts for _, acts in plain] == [acts for _, acts in other] and plain != other
    assert all(any("34" in text for text, _ in replies) for replies in (plain, other))


def test_strategies_show_where_they_are_named_after() -> None:
    def turns(variant: str) -> list[str]:
        return talk(*CALLS["en"], variant=variant)

    assert turns("empathy")[1].startswith("I am sorry to hear that. Your last invoice")
    assert turns("facing")[4].startswith("I am afraid that is beyond me")
    assert "last bill is 23" in turns("alignment")[1] and "Your balance is 34" in turns("alignment")[5]
    assert turns("informality")[0].startswith("Hi,")
    assert len(" ".join(turns("brevity"))) < 0.8 * len(" ".join(turns("informality")))


def test_values_are_misheard_as_other_values_of_their_slot() -> None:
    from random import Random

    from vivavoce_bots.engine.file_bot import FileBot

    bot, random = FileBot("telco"), Random(1)
    heard = [bot.mishear("send it to my mother", "en", 0.5, random) for _ in range(400)]
    assert 0.4 < sum("mother" in text.split() for text in heard) / 400 < 0.6
    assert any("your brother" in text for text in heard) and "send it to" in heard[0]
