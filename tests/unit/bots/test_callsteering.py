"""Call steering: identification, an open question, a question that decides, a department."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS

WHO = {
    "en": ("my name is Anna", "Rossi", "4 May 1980"),
    "it": ("mi chiamo Anna", "Rossi", "4 maggio 1980"),
}


def talk(*texts: str, language: str = "en", identified: bool = True) -> Reply:
    bot = BOTS["callsteering"].make("standard", 1, None)
    session = bot.session("c", language)
    bot.greet(session)
    lines = [*(WHO[language] if identified else ()), *texts]
    return [bot.reply(session, [(text, None)]) for text in lines][-1]


def target(reply: Reply) -> str | None:
    return next((act.value for act in reply.acts if act.slot == "target"), None)


def test_it_identifies_before_it_asks_openly() -> None:
    assert "surname" in talk("Anna", identified=False).text
    assert "date of birth" in talk("Anna", "Rossi", identified=False).text
    assert talk().text == "Thank you, Anna. How can I help you?"
    assert "didn't understand" in talk("Anna", "Rossi", "4 May", identified=False).text


@pytest.mark.parametrize(
    ("request_", "department"),
    [
        ("I have a question about my card", "cards"),
        ("my account please", "account"),
        ("my card was stolen", "fraud"),
        ("somebody has been using my money", "fraud"),
        ("let me talk to a person", "operator"),
        ("a payment", "transfers"),
        ("I want a loan of 2000 euros", "small_loans"),
        ("not my card, my account", "account"),
    ],
)
def test_a_clear_matter_is_routed_at_once(request_: str, department: str) -> None:
    reply = talk(request_)
    assert target(reply) == department
    assert reply.end


@pytest.mark.parametrize(
    ("answer", "department"),
    [
        ("lower", "small_loans"),
        ("2500 euros", "small_loans"),
        ("higher", "large_loans"),
        ("9000", "large_loans"),
        ("no, it is about my card", "cards"),
    ],
)
def test_a_loan_is_asked_back_by_its_amount(answer: str, department: str) -> None:
    assert "3000" in talk("I want to get a loan").text
    assert target(talk("I want to get a loan", answer)) == department


@pytest.mark.parametrize(
    ("answers", "department"),
    [(["the card"], "cards"), (["the first"], "transfers"), (["neither", "my account"], "account")],
)
def test_two_matters_are_told_apart(answers: list[str], department: str) -> None:
    question = talk("a payment with my card")
    assert question.text == "Is it about payments or cards?"
    assert [act.value for act in question.acts if act.act == "select"] == ["transfers", "cards"]
    assert target(talk("a payment with my card", *answers)) == department


def test_three_failures_lead_to_an_operator() -> None:
    assert target(talk("mumble", "mumble")) is None
    assert target(talk("mumble", "mumble", "mumble")) == "operator"


def test_italian_is_understood_and_spoken() -> None:
    assert talk(language="it").text == "Grazie, Anna. Come posso aiutarLa?"
    assert target(talk("vorrei un prestito", "inferiore", language="it")) == "small_loans"
    assert target(talk("ho perso la carta", language="it")) == "fraud"
    assert target(talk("vorrei parlare con una persona", language="it")) == "operator"


@pytest.mark.parametrize(
    ("lines", "slot"),
    [
        (["Anna Rossi"], "birth"),
        (["I am Anna Rossi and I was born on May 4, 1980"], "matter"),
        (["Anna", "Rossi", "no, Russo"], "birth"),
        (["why do you want to know?"], "name"),
        (["hello"], "name"),
        (["I want a loan"], "name"),
        (["what is the weather like?"], "name"),
        (["Anna", "go back"], "name"),
        (["Anna", "Rossi", "start over"], "name"),
    ],
)
def test_callers_are_asked_who_they_are_until_it_is_known(lines: list[str], slot: str) -> None:
    reply = talk(*lines, identified=False)
    assert [act.slot for act in reply.acts if act.act == "request"] == [slot], reply.text


def test_a_correction_takes_the_place_of_what_was_said_before() -> None:
    assert talk("Anna", "Rossi", "no, Russo", identified=False).text.startswith("OK, Russo.")
    assert "Maria" in talk("my name is Maria").text


def test_a_matter_that_comes_first_is_kept_for_later() -> None:
    reply = talk("my card was stolen", *WHO["en"], identified=False)
    assert target(reply) == "fraud" and reply.end


@pytest.mark.parametrize("surname", ["Conti", "il mio cognome è Conti", "il cognome è conti"])
def test_a_surname_may_be_a_word_of_the_bank(surname: str) -> None:
    assert "Quando è nato" in talk("Anna", surname, language="it", identified=False).text
    last = talk("Anna", surname, "4 maggio 1980", language="it", identified=False)
    assert last.text == "Grazie, Anna. Come posso aiutarLa?"


@pytest.mark.parametrize(
    "lines", [["my card does not work", "I said my card does not work"], ["I'd rather not say", "my card"]]
)
def test_callers_who_will_not_say_who_they_are_are_put_through_all_the_same(lines: list[str]) -> None:
    assert target(talk(*lines, identified=False)) == "cards"


def test_callers_who_speak_on_after_they_were_put_through_are_answered() -> None:
    reply = talk("card or account", "card", "are you still there?")
    assert reply.text.endswith("How can I help you?") and not reply.end
