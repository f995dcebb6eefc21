"""Call steering: identification, an open question, a question that decides, a target."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.callsteering.bot import CallSteeringBot

WHO = {
    "en": ("my name is Anna", "Rossi", "4 May 1980"),
    "it": ("mi chiamo Anna", "Rossi", "4 maggio 1980"),
}


def talk(*texts: str, language: str = "en", identified: bool = True) -> Reply:
    bot = CallSteeringBot()
    session = bot.session("c", language)
    bot.greet(session)
    said = [*(WHO[language] if identified else ()), *texts]
    return [bot.reply(session, [(text, None)]) for text in said][-1]


def target(reply: Reply) -> str | None:
    return next((act.value for act in reply.acts if act.slot == "target"), None)


def test_it_identifies_before_it_asks_openly() -> None:
    assert "surname" in talk("Anna", identified=False).text
    assert "date of birth" in talk("Anna", "Rossi", identified=False).text
    assert talk().text == "Thank you, Anna. How can I help you?"
    assert "did not understand" in talk("Anna", "Rossi", "yesterday", identified=False).text


@pytest.mark.parametrize(
    ("said", "routed"),
    [
        ("I have a question about my card", "cards"),
        ("my account please", "account"),
        ("my card was stolen", "fraud"),
        ("let me talk to a person", "operator"),
        ("a payment", "transfers"),
    ],
)
def test_a_clear_matter_is_routed_at_once(said: str, routed: str) -> None:
    reply = talk(said)
    assert target(reply) == routed
    assert reply.end


@pytest.mark.parametrize(
    ("answer", "routed"),
    [
        ("lower", "small_loans"),
        ("2500 euros", "small_loans"),
        ("higher", "large_loans"),
        ("9000", "large_loans"),
    ],
)
def test_a_loan_is_asked_back_by_its_amount(answer: str, routed: str) -> None:
    assert "3000" in talk("I want to get a loan").text
    assert target(talk("I want to get a loan", answer)) == routed


def test_two_matters_are_told_apart() -> None:
    assert talk("a payment with my card").text == "Is it about cards or about payments?"
    assert target(talk("a payment with my card", "the card")) == "cards"


def test_three_failures_lead_to_an_operator() -> None:
    assert target(talk("mumble", "mumble")) is None
    assert target(talk("mumble", "mumble", "mumble")) == "operator"


def test_italian_is_understood_and_spoken() -> None:
    assert talk(language="it").text == "Grazie, Anna. Come posso aiutarLa?"
    assert target(talk("vorrei un prestito", "inferiore", language="it")) == "small_loans"
    assert target(talk("ho perso la carta", language="it")) == "fraud"
    assert target(talk("vorrei parlare con una persona", language="it")) == "operator"


@pytest.mark.parametrize(
    ("said", "asked"),
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
def test_who_calls_is_asked_for_until_it_is_known(said: list[str], asked: str) -> None:
    reply = talk(*said, identified=False)
    assert [act.slot for act in reply.acts if act.act == "request"] == [asked], reply.text


def test_a_correction_takes_the_place_of_what_was_said_before() -> None:
    assert talk("Anna", "Rossi", "no, Russo", identified=False).text.startswith("Very well, Russo.")
    assert "Maria" in talk("my name is Maria").text


def test_a_matter_that_was_told_first_is_kept_for_later() -> None:
    reply = talk("my card was stolen", *WHO["en"], identified=False)
    assert target(reply) == "fraud" and reply.end


@pytest.mark.parametrize(
    ("said", "routed"),
    [
        (["not my card, my account"], "account"),
        (["I want a loan of 2000 euros"], "small_loans"),
        (["I want a loan", "no, it is about my card"], "cards"),
        (["a payment with my card", "both", "the other one"], "transfers"),
        (["a payment with my card", "neither", "my account"], "account"),
        (["help", "my account"], "account"),
    ],
)
def test_the_call_goes_where_the_caller_means_in_the_end(said: list[str], routed: str) -> None:
    assert target(talk(*said)) == routed


@pytest.mark.parametrize("said", ["Conti", "il mio cognome è Conti", "il cognome è conti"])
def test_a_surname_may_be_a_word_of_the_bank(said: str) -> None:
    assert "Quando è nato" in talk("Anna", said, language="it", identified=False).text
    last = talk("Anna", said, "4 maggio 1980", language="it", identified=False)
    assert last.text == "Grazie, Anna. Come posso aiutarLa?"


def test_who_will_not_say_who_they_are_is_put_through_all_the_same() -> None:
    reply = talk("my card does not work", "I said my card does not work", identified=False)
    assert target(reply) == "cards"


@pytest.mark.parametrize(
    ("said", "language", "told"),
    [
        (["Is this the chemist's?"], "en", "bank"),
        (["Pronto? Farmacia?"], "it", "banca"),
        (["Finalmente! È un'ora che aspetto!"], "it", "Qual è il Suo nome?"),
        (["sono Mariangela Conti"], "it", "Quando è nato"),
        (["Anna", "Rossi", "November the second, 1938"], "en", "Thank you, Anna"),
    ],
)
def test_names_are_names_and_the_place_is_told(said: list[str], language: str, told: str) -> None:
    assert told in talk(*said, language=language, identified=False).text


def test_who_speaks_on_after_a_choice_was_put_through_is_answered() -> None:
    reply = talk("card or account", "card", "are you still there?")
    assert reply.text.endswith("How can I help you?") and not reply.end


@pytest.mark.parametrize(
    ("said", "language", "told"),
    [
        (
            ["Dorothy", "Wilson. or should I say my maiden name?", "1947... the 5th of june"],
            "en",
            "you, Dorothy",
        ),
        (["allora io sono Carlo, ma il conto è di Rosa"], "it", "cognome"),
        (["Ann", "Lee", "in 1950", "14th Feb"], "en", "Thank you, Ann"),
        (["my account", "I'm not telling you my name"], "en", "accounts"),
    ],
)
def test_who_calls_is_heard_in_any_order(said: list[str], language: str, told: str) -> None:
    assert told in talk(*said, language=language, identified=False).text


def test_a_mortgage_is_a_large_loan_and_words_decide_over_the_limit() -> None:
    assert target(talk("un mutuo per la casa", language="it")) == "large_loans"
    superior = talk("un prestito", "superiore, magari bastassero 3000", language="it")
    assert target(superior) == "large_loans"
