"""Talk with the two bots that find venues, as brief, chatty, confused and hostile people hold it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

import vivavoce.study
from vivavoce_bots.acts import Reply
from vivavoce_bots.boris.bot import BorisBot
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.domain import Domain, read_domain
from vivavoce_bots.restaurant.bot import RestaurantBot

TOWN = read_domain()
MARLOWE = read_domain(Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml")
BOT = RestaurantBot(TOWN)


def talk(*said: str, language: str = "en", bot: Any = BOT) -> list[Reply]:
    session = bot.session("c", language)
    return [bot.greet(session), *(bot.reply(session, [(text, None)]) for text in said)]


def acts(reply: Reply) -> set[tuple[str, str | None, str | None]]:
    return {(act.act, act.slot, act.value) for act in reply.acts}


def venue(reply: Reply) -> str | None:
    return next((act.value for act in reply.acts if act.act == "offer"), None)


ITALIAN = {"en": "an Italian restaurant in the centre", "it": "un ristorante italiano in centro"}


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("en", "does it have parking?", "no information about parking at White Heron"),
        ("en", "is it pricey?", "Yes"),
        ("en", "is it cheap?", "No"),
        ("en", "cheap?", "No"),
        ("en", "is it in the centre?", "Yes"),
        ("en", "when is it open?", "is open"),
        ("en", "can I bring a trombone?", "bring a trombone I do not know"),
        ("en", "is it near the station?", "is nearby"),
        ("en", "is there a bus?", "only know places"),
        ("it", "è molto caro?", "Sì"),
        ("it", "ha il parcheggio?", "non ho informazioni"),
        ("it", "è caro?", "Sì"),
        ("it", "è economico?", "No"),
        ("it", "a che ora chiude?", "è aperto"),
    ],
)
def test_a_question_about_the_venue_on_offer_is_answered_and_is_no_constraint(
    language: str, question: str, answer: str
) -> None:
    _, offer, told, more = talk(
        ITALIAN[language], question, "phone" if language == "en" else "telefono", language=language
    )
    assert venue(offer) == "White Heron"
    assert answer in told.text
    assert "01555 794 972" in more.text, "the venue is still the one on offer"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "greek instead of italian"),
        ("en", "not Italian, Greek"),
        ("en", "no, I meant Greek"),
        ("en", "I don't want Italian, I'd like Greek"),
        ("en", "Greek rather than Italian"),
        ("en", "could we go with greek food"),
        ("it", "greco invece di italiano"),
        ("it", "non italiano, greco"),
        ("it", "no, intendevo greco"),
        ("it", "greco al posto di italiano"),
    ],
)
def test_a_correction_replaces_what_was_said(language: str, said: str) -> None:
    reply = talk(ITALIAN[language], said, language=language)[-1]
    assert venue(reply) == "Ivory Gate"


@pytest.mark.parametrize(
    ("language", "question", "later"),
    [("en", "is it pricey?", "That depends on the place"), ("it", "è caro?", "Dipende dal posto")],
)
def test_a_question_about_a_venue_is_no_wish_before_there_is_one(
    language: str, question: str, later: str
) -> None:
    _, told, offer = talk(question, ITALIAN[language], language=language)
    assert later in told.text
    assert venue(offer) == "White Heron"
    assert ("inform", "pricerange", "expensive") in acts(offer), "then it is answered"


def test_what_cannot_be_searched_by_is_told_in_one_sentence() -> None:
    (_, told) = talk("somewhere for the children with live music")
    assert told.text.startswith("About children or music I have no information. ")


def test_e_means_and_in_italian_unless_it_has_its_accent_or_is_a_question() -> None:
    assert venue(talk("un ristorante francese", "e in centro", language="it")[-1]) == "Three Olives"
    assert ("inform", "pricerange", "expensive") in acts(talk(ITALIAN["it"], "è caro", language="it")[-1])


@pytest.mark.parametrize(
    ("language", "cheaper", "another", "area"),
    [
        ("en", "do you have something cheaper?", "another one", "another area"),
        ("it", "avete qualcosa di più economico?", "un altro", "un'altra zona"),
    ],
)
def test_cheaper_another_one_and_another_area_are_understood(
    language: str, cheaper: str, another: str, area: str
) -> None:
    pub = {"en": "a pub in the north", "it": "un pub al nord"}[language]
    first, cheap, other = (talk(pub, said, language=language) for said in (cheaper, cheaper, another))
    assert venue(first[1]) == "Crooked Oar"
    assert venue(cheap[2]) == "Ferryman", "there is no moderate one"
    assert venue(other[2]) == "Ferryman"
    asked = talk(pub, area, language=language)[-1]
    assert "request" in {act.act for act in asked.acts} or venue(asked) not in (
        None,
        "Crooked Oar",
        "Ferryman",
    )


@pytest.mark.parametrize("language", ["en", "it"])
def test_where_nothing_matches_what_there_is_instead_is_proposed_until_something_suits(language: str) -> None:
    wish, no, yes = {
        "en": ("an expensive Indian restaurant in the north", "no", "yes please"),
        "it": ("un ristorante indiano caro al nord", "no", "sì grazie"),
    }[language]
    _, none, other, found = talk(wish, no, yes, language=language)
    assert {("canthelp", "food", "indian"), ("select", "food", "greek")} <= acts(none)
    assert acts(other) == {("select", "area", "east")}
    assert venue(found) == "Paper Moon Terrace"
    *_, declined, afresh = talk(wish, no, no, no, language=language)
    assert ("ack", None, "change") in acts(declined)
    assert {("ack", None, "restart"), ("request", "type", None)} <= acts(afresh)


def test_a_value_that_the_town_does_not_have_is_said_not_to_be_there() -> None:
    none = talk("do you have any Thai?")[-1]
    assert "no restaurant serving Thai food" in none.text
    assert venue(talk("a Thai restaurant in the north", bot=RestaurantBot(MARLOWE))[-1]) is not None


@pytest.mark.parametrize(
    ("language", "said", "words"),
    [
        ("en", "help", "Say, for example"),
        ("en", "what can I say", "Say, for example"),
        ("en", "what kinds of food do you have?", "Chinese, French, Greek, Indian, Italian and Spanish"),
        ("en", "I don't know", "coffee shop"),
        ("en", "how are you?", "thank you"),
        ("en", "are you a robot?", "computer program"),
        ("en", "you are stupid", "I am sorry"),
        ("en", "let me talk to a person", "do my best"),
        ("it", "aiuto", "Dica, per esempio"),
        ("it", "che cucine avete?", "cinese, francese, greca"),
        ("it", "boh", "caffè"),
        ("it", "come sta?", "grazie"),
        ("it", "con chi parlo?", "Sono un programma"),
        ("it", "sei stupido", "Mi dispiace"),
        ("it", "un operatore", "farò del mio meglio"),
    ],
)
@pytest.mark.parametrize("name", ["restaurant", "boris"])
def test_help_and_small_talk_are_answered_and_the_question_is_asked_again(
    name: str, language: str, said: str, words: str
) -> None:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    reply = talk(said, language=language, bot=bot)[-1]
    assert words.casefold() in reply.text.casefold()
    assert ("request", "type", None) in acts(reply)


@pytest.mark.parametrize(
    ("language", "first", "over", "back", "again"),
    [
        ("en", "a pub", "start over", "go back", "what did you say?"),
        ("it", "un pub", "ricominciamo", "torni indietro", "come, scusi?"),
    ],
)
@pytest.mark.parametrize("name", ["restaurant", "boris"])
def test_start_over_go_back_and_repeat(
    name: str, language: str, first: str, over: str, back: str, again: str
) -> None:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    _, one, fresh = talk(first, over, language=language, bot=bot)
    assert ("request", "type", None) not in acts(one)
    assert {("ack", None, "restart"), ("request", "type", None)} <= acts(fresh)
    assert ("request", "type", None) in acts(talk(first, back, language=language, bot=bot)[-1])
    assert acts(talk(first, again, language=language, bot=bot)[-1]) == acts(one)


@pytest.mark.parametrize(
    "said",
    [
        ("thanks, that's all",),
        ("forget it",),
        ("what is the phone number", "no thanks"),
        ("thank you", "no"),
        ("bye bye",),
    ],
)
def test_a_goodbye_in_any_words_ends_the_conversation(said: tuple[str, ...]) -> None:
    replies = talk(ITALIAN["en"], *said)
    assert replies[-1].end
    assert not any(reply.end for reply in replies[:-1])


def test_ciao_greets_at_the_beginning_and_takes_leave_at_the_end() -> None:
    replies = talk("ciao", ITALIAN["it"], "ciao", language="it")
    assert [reply.end for reply in replies] == [False, False, False, True]


def test_whoever_is_not_understood_hears_what_can_be_said_and_is_led_on() -> None:
    for bot in (BOT, BorisBot(TOWN)):
        replies = talk(*["blah"] * 24, bot=bot)
        assert any(act.act == "help" for reply in replies[:4] for act in reply.acts)
        assert any(venue(reply) for reply in replies)


def test_several_constraints_and_a_change_of_mind_in_one_call() -> None:
    replies = talk(
        "cheap Indian food in the east please",
        "actually make it moderate and in the south",
        "and the phone number",
    )
    assert [venue(reply) for reply in replies[1:3]] == ["Juniper Table", "Velvet Plum"]
    assert "01555 572 672" in replies[3].text


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "what was the name again?", ("offer", "name", "White Heron")),
        ("en", "forget about the centre", ("request", "area", None)),
        ("en", "yes, that's it", ("reqmore", None, None)),
        ("it", "si spende molto?", ("inform", "pricerange", "expensive")),
        ("it", "quanto costa la cena?", ("inform", "price", "51 pounds")),
        ("it", "non ce n'è uno meno caro?", ("canthelp", "pricerange", "moderate")),
        ("it", "come si chiamava?", ("offer", "name", "White Heron")),
    ],
)
def test_what_people_said_to_an_offer_and_was_taken_wrongly(
    language: str, said: str, told: tuple[str, str | None, str | None]
) -> None:
    reply = talk(ITALIAN[language], said, language=language)[-1]
    assert told in acts(reply), reply.text
    assert not reply.end


def test_another_one_declined_leads_to_the_next_proposal_and_not_to_silence() -> None:
    *_, proposed, other = talk("a coffee shop in the north", "another", "another", "no")
    assert ("select", "area", "west") in acts(proposed)
    assert ("select", "area", "west") not in acts(other)


WALKS = [
    "yes",
    "no",
    "a pub",
    "Italian",
    "thai",
    "in the north",
    "not cheap",
    "cheaper",
    "another one",
    "any",
    "help",
    "undo",
    "start over",
    "repeat",
    "what?",
    "you idiot",
    "hello",
    "thanks",
    "parking?",
    "is it expensive?",
    "the phone",
    "on Friday",
    "at nine",
    "I don't know",
    "blah",
    "another area",
    "greek instead of italian",
    "what food is there?",
    "you choose",
    "White Heron",
    "children welcome",
    "never",
    "",
    "sì",
    "boh",
    "un altro",
    "è caro?",
    "non al nord",
    "più economico",
    "ricominciamo",
    "alle otto",
    "qualunque",
]
ANSWERS = {
    "type": "restaurant",
    "food": "Chinese",
    "area": "north",
    "pricerange": "cheap",
    "day": "Saturday",
    "time": "at eight",
    "children": "yes",
    "internet": "yes",
}
FINDS = [(name, variant) for name in ("restaurant", "boris") for variant in BOTS[name].variants]


def walk(bot: Any, random: Random, key: str) -> None:
    """Words at random, and then a caller who answers every question: an offer or a goodbye is near."""
    session = bot.session(key, random.choice(["en", "it"]))
    reply = bot.greet(session)
    for _ in range(random.randrange(1, 14)):
        reply = bot.reply(session, [(random.choice(WALKS), None)])
    if reply.end:
        return
    session.language = "en"
    reply = bot.reply(session, [("repeat", None)])
    for _ in range(25):
        if venue(reply) or reply.end or session.state.venue:
            return
        asked = next((act.slot for act in reply.acts if act.act == "request"), None)
        said = ANSWERS.get(asked or "", "yes") if asked else "yes"
        reply = bot.reply(session, [(said, None)])
    raise AssertionError(f"no way out: {key}: {reply.text}")


def walk_often(walks: int, name: str, variant: str, domain: Domain | None = None) -> None:
    bot = BOTS[name].make(variant, 1, None)
    random = Random(f"{name}:{variant}")
    for number in range(walks):
        walk(bot, random, f"{name} {variant} {number}")


@pytest.mark.parametrize(("name", "variant"), FINDS)
def test_there_is_a_way_out_of_500_random_walks(name: str, variant: str) -> None:
    walk_often(500 // len(FINDS) + 1, name, variant)


@pytest.mark.long
@pytest.mark.parametrize(("name", "variant"), FINDS)
def test_there_is_a_way_out_of_10000_random_walks(name: str, variant: str) -> None:
    walk_often(10_000, name, variant)


def test_what_another_is_better_than_is_not_wanted() -> None:
    *_, offer = talk("un ristorante", "meglio italiano che indiano", "qualsiasi", "qualsiasi", language="it")
    assert ("inform", "food", "italian") in acts(offer)


def test_a_question_with_a_venue_on_offer_that_nobody_knows_is_no_riddle() -> None:
    *_, answer = talk("an Italian restaurant", "any", "any", "too far from the station?")
    assert "is nearby" in answer.text


@pytest.mark.parametrize(
    ("language", "said", "place", "cannot"),
    [
        ("en", "can you book a table in a cheap pub?", "Anchor and Rope", "cannot book"),
        ("it", "vorrei prenotare un pub economico", "Anchor and Rope", "Non posso prenotare"),
    ],
)
def test_a_place_is_found_for_whoever_would_book_it(
    language: str, said: str, place: str, cannot: str
) -> None:
    reply = talk(said, language=language)[-1]
    assert venue(reply) == place and cannot in reply.text


def test_the_name_is_promised_before_there_is_a_venue() -> None:
    asked = talk("a restaurant", "what is its name?")[-1]
    assert "no information" not in asked.text
