"""Library, pharmacy and train desk: black boxes that answer in words, each in its manner."""

import pytest
from starlette.testclient import TestClient

from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.server import Server

COUNTERS = ("library", "pharmacy", "trains")


def talk(name: str, *texts: str, language: str = "en") -> list[str]:
    """The greeting and the answers."""
    bot = BOTS[name].make("standard", 1, None)
    session = bot.session("c", language)
    return [bot.greet(session).text, *(bot.reply(session, [(text, None)]).text for text in texts)]


@pytest.mark.parametrize("name", COUNTERS)
def test_it_tells_its_words_and_nothing_else(name: str) -> None:
    with TestClient(Server(BOTS[name].make("standard", 1, None)).app()) as client:
        told = client.post("/chat", json={"conversation": "c", "text": "help"}).json()
    assert set(told) == {"text", "end"}


def test_a_book_is_lent_when_title_and_card_are_known() -> None:
    said = talk("library", "I'd like a book by Elena Ferrante", "My Brilliant Friend", "1234")
    assert said[1] == "Which one: My Brilliant Friend, The Story of a New Name?"
    assert said[2] == "Card number?"
    assert said[3].startswith("My Brilliant Friend is yours until 18 December.")
    said = talk("library", "vorrei un libro di Ginzburg", "4321", language="it")
    assert "Lessico famigliare: in prestito fino al 18 dicembre" in said[2]


def test_a_book_that_is_out_is_not_lent_but_may_be_reserved() -> None:
    said = talk("library", "borrow Emma", "reserve it", "12", "1234")
    assert "out until 9 December" in said[1]
    assert said[2] == "Card number?"
    assert "four digits" in said[3]
    assert said[4].startswith("Emma is reserved for card 1234.")


def test_what_was_spoken_of_before_is_meant_only_where_a_word_refers_to_it() -> None:
    assert "plasters" in talk("pharmacy", "the price of plasters", "have you got it?")[2]
    assert "aspirin isn't a product" in talk("pharmacy", "the price of plasters", "have you got aspirin?")[2]
    said = talk("pharmacy", "avete i cerotti?", "avete l'aspirina?", language="it")[2]
    assert "non lo conosco: aspirina" in said


@pytest.mark.parametrize(
    ("language", "unknown", "bare"),
    [
        ("en", "have you got aspirin?", "have you got something?"),
        ("en", "do you sell melatonin", "I'd like to reserve a medicine"),
        ("en", "I need bandages, please", "how much is it?"),
        ("it", "quanto costa l'aspirina?", "vorrei sapere quanto costa una medicina"),
        ("it", "avete l'aspirina?", "mi serve un prodotto per mia zia"),
        ("it", "cerco la melatonina", "mi può mettere da parte due confezioni"),
    ],
)
def test_a_product_that_the_pharmacy_does_not_know_is_said_to_be_unknown(
    language: str, unknown: str, bare: str
) -> None:
    """Before, it asked for the product as if none had been named."""
    said = {"en": "isn't a product that I know about", "it": "questo prodotto purtroppo non lo conosco"}[
        language
    ]
    answer = talk("pharmacy", unknown, language=language)[1]
    assert said in answer and answer.endswith("?")
    assert said not in talk("pharmacy", bare, language=language)[1]


def test_nothing_is_put_aside_without_a_yes_nor_before_it_comes() -> None:
    said = talk("pharmacy", "put two packs of sun cream aside", "saturday", "tuesday", "no")
    assert "only comes in on Tuesday" in said[2]
    assert "sun cream, 2 in all" in said[3] and "Tuesday" in said[3]
    assert "put nothing aside" in said[4]
    said = talk("pharmacy", "mettermi da parte due cerotti", "due", "domani", "sì", language="it")
    assert "paga 6,20 euro" in said[4]


def test_the_pharmacy_gives_no_medical_advice() -> None:
    assert "not allowed to say" in talk("pharmacy", "what should I take against a headache")[1]
    assert "non lo posso dire" in talk("pharmacy", "ho la febbre, cosa devo prendere", language="it")[1]


def test_a_ticket_is_a_form_that_may_be_filled_in_one_line_and_corrected_at_the_end() -> None:
    said = talk(
        "trains",
        "a ticket from Milan to Rome on Monday",
        "the second",
        "two",
        "first",
        "no, second class",
        "yes",
    )
    assert said[1].startswith("TRAIN? 1) 08:05, 2) 10:35")
    assert "Train 2, 10:35. Passengers: 2. Class: first. Total 144 euros" in said[4]
    assert "Class: second. Total 96 euros" in said[5]
    assert said[6].startswith("CONFIRMED. Booking 40210.")
    said = talk(
        "trains", "Torino Napoli", "domani", "quello delle 9:35", "3 persone in seconda classe", language="it"
    )
    assert "Treno 2, 09:35. Passeggeri: 3. Classe: seconda. Totale 234 euro" in said[4]


def test_the_same_station_twice_and_more_passengers_than_seats_are_refused() -> None:
    assert "are the same" in talk("trains", "from Rome to Rome")[1]
    said = talk("trains", "a ticket from Rome to Naples on Monday", "1", "9")
    assert said[3] == "From 1 to 6 passengers. PASSENGERS? (1 to 6)"


@pytest.mark.parametrize(("language", "said", "told", "never"), [
    ("en", ("a ticket from Bologna to Naples on Sunday, I must be there by one, for two",), "CLASS", "11:40"),
    ("en", ("is there a coffee trolley on the train?",), "FOOD ON BOARD", "TICKETS"),
    ("en", ("from Florence to Rome on Monday for two", "the first.. no, the second one"), "CLASS", "TRAIN"),
    ("en", ("I left my bag with the wool on the seat. Has anybody found it?",), "WHAT WAS FOUND", "DEPART"),
    ("en", ("is it cheaper to Rome from Florence or from Bologna?",), "Bologna to Rome, second", "TRAIN?"),
    ("en", ("how much is it from Milan to Rome in first class for two?",), "144 for 2", "TRAIN?"),
    ("it", ("devo andare a Modena da Bologna",), "Stazione non servita: Modena", "PARTENZA"),
    ("it", ("il prezzo da Bologna, o Firenze, Firenze, per Milano",), "Da Firenze a Milano", "Bologna"),
    ("it", ("un biglietto da Roma a Napoli", "domani no, dopodomani", "quello delle due", "seconda"),
     "Giorno: domenica. Treno 2, 14:00", "sabato"),
    ("it", ("un biglietto da Roma a Napoli lunedì", "il primo", "in cinque", "la Carla paga per me. seconda"),
     "Passeggeri: 5", "Passeggeri: 1"),
])  # fmt: skip
def test_the_train_desk_holds_the_journey_in_mind(
    language: str, said: tuple[str, ...], told: str, never: str
) -> None:
    last = talk("trains", *said, language=language)[-1]
    assert told in last
    assert never not in last


@pytest.mark.parametrize(("name", "language", "words"), [
    ("library", "en", ["borrow, reserve or renew", "What do you need:", "Not understood."]),
    ("library", "it", ["prendere in prestito", "Che cosa Le serve:", "Non ho capito «dipingi un drago»."]),
    ("pharmacy", "en", ["put things aside", "what can I do for you:", "lost me"]),
    ("pharmacy", "it", ["metterlo da parte", "che cosa posso fare per Lei:", "mi sono perso"]),
    ("trains", "en", ["refund, lost property", "Request?", "Entry not recognised"]),
    ("trains", "it", ["rimborso, oggetti smarriti", "Richiesta?", "Valore non riconosciuto"]),
])  # fmt: skip
def test_help_start_over_and_what_is_of_another_domain(name: str, language: str, words: list[str]) -> None:
    asked = {
        "en": ["help", "start over", "paint my dragon"],
        "it": ["aiuto", "ricominciamo", "dipingi un drago"],
    }
    said = talk(name, *asked[language], language=language)[1:]
    assert all(word in told for word, told in zip(words, said, strict=True))


@pytest.mark.parametrize("name", COUNTERS)
def test_who_is_not_understood_is_told_what_to_say_and_no_question_is_a_trap(name: str) -> None:
    first = {"library": "borrow", "pharmacy": "reserve", "trains": "ticket"}[name]
    said = talk(name, first, *["blue elephants"] * 4, "goodbye")
    assert said[2].endswith(said[1])
    assert len(said[2]) > len(said[1]) and said[3] != said[2]
    assert not said[4].endswith(said[1])
    bot = BOTS[name].make("standard", 1, None)
    assert bot.reply(bot.session("c", "en"), [("goodbye", None)]).end


def test_who_says_no_and_asks_on_is_not_hung_up_on() -> None:
    told = talk("pharmacy", "avete ibuprofene?", "no ma non volevo consigli. avete cerotti?", language="it")
    assert "3,10" in told[-1] and "arrivederci" not in told[-1]
