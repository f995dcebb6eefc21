"""Long, confused and angry turns: what of them counts, and what is said of the rest, in both languages."""

from itertools import pairwise

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.clauses import (
    asks_openly,
    clauses_of,
    first_strange,
    present,
    quoted,
    sentences_of,
    without_meanwhile,
)
from vivavoce_bots.dialogue.conversation import DialogueBot
from vivavoce_bots.dialogue.hearing import Hearing, leaves_behind
from vivavoce_bots.dialogue.opening import Clock

MADE = {name: entry.make(entry.variants[0], 1, None) for name, entry in BOTS.items()}


def talk(name: str, *said: str, language: str = "en", key: str = "c") -> list[Reply]:
    bot = MADE[name]
    session = bot.session(key, language)
    return [bot.greet(session), *(bot.reply(session, [(text, None)]) for text in said)]


def test_a_turn_has_sentences_and_clauses() -> None:
    assert sentences_of("Hm... a pub! Which one?") == ["Hm...", "a pub!", "Which one?"]
    assert clauses_of("well, a pub: cheap") == ["well", "a pub", "cheap"]
    assert asks_openly("which areas are there?", "en")
    assert not asks_openly("are you deaf?", "en")
    assert quoted("I have walked the whole day with my aunt and her dog, is it far from here?") == (
        "is it far from here?"
    )
    assert first_strange("a pub, near the gasworks", lambda one: ["gasworks"] * ("gas" in one)) == "gasworks"
    assert present("Yesterday we had fish. Today I want soup.", "en") == "Today I want soup."
    assert present("una volta abbiamo mangiato sushi", "it") == "una volta abbiamo mangiato sushi"
    assert without_meanwhile("boil it while I feed the hens, then stop") == "boil it , then stop"


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("boris", "en", ["a pub", "by the lighthouse"], "did not understand “lighthouse”"),
        ("boris", "it", ["un pub", "dietro il faro"], "Non ho capito «dietro il faro»"),
        (
            "restaurant",
            "en",
            ["a restaurant", "Do the waiters sing?"],
            "That I do not know",
        ),
        (
            "restaurant",
            "it",
            ["un pub", "Chi lava i piatti?"],
            "Chi lava i piatti non lo so",
        ),
    ],
)
def test_what_nobody_knows_is_named(name: str, language: str, said: list[str], told: str) -> None:
    assert told in talk(name, *said, language=language)[-1].text


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("boris", "en", "a farewell party with Greek food", "Greek"),
        ("boris", "it", "il ramen no, francese", "francese"),
        ("boris", "it", "una volta le ho fatto provare la cucina greca. Un pub", "pub"),
        ("boris", "en", "a restaurant, no wait. A pub. What areas are there?", "choose from centre"),
        ("house", "en", "the kitchen is so gloomy, switch the lamp on in there", "kitchen lamp is on"),
        ("house", "en", "switch the frilly fan on", "fan is on"),
        ("chef", "en", "put the pot on the table while I lay out the forks", "put(pot, table)"),
    ],
)
def test_each_clause_counts_for_what_it_says(name: str, language: str, said: str, told: str) -> None:
    reply = talk(name, said, language=language)[1]
    assert told.lower() in reply.text.lower()
    assert not reply.end


def test_a_number_of_people_is_no_time_and_a_party_is_no_goodbye() -> None:
    assert Clock("en").find("a table for about ten of us", asked=False) is None
    assert Clock("en").find("ten of us at eight", asked=True) == "20:00"
    assert Clock("it").find("siamo in nove, alle otto", asked=True) == "20:00"
    hearing = Hearing("en")
    assert not leaves_behind(hearing.heard("something for a goodbye"))
    assert leaves_behind(hearing.heard("well, goodbye"))


@pytest.mark.parametrize("name", ["telco", "chef"])
@pytest.mark.parametrize("language", ["en", "it"])
def test_no_question_is_asked_in_vain_more_than_three_times(name: str, language: str) -> None:
    begin = {"telco": ("a transfer", "un bonifico"), "chef": ("put the pan", "metti la padella")}
    said = talk(name, begin[name][language == "it"], *["hm, mmmh tja"] * 5, language=language)
    asked = said[1].text.rsplit(". ", 1)[-1]
    in_vain = [one.text.endswith(asked) for one in said[2:]]
    assert not all(in_vain[:4]), [one.text for one in said]


@pytest.mark.parametrize("name", ["restaurant", "boris"])
@pytest.mark.parametrize("language", ["en", "it"])
def test_a_finder_never_says_the_same_twice_in_a_row(
    name: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"en": ["what is the weather like?", "no"], "it": ["che tempo fa?", "no"]}[language]

    def repeated() -> int:
        turns = [
            talk(name, *[text] * 5, language=language, key=str(key)) for text in said for key in range(8)
        ]
        return sum(one.text == other.text for replies in turns for one, other in pairwise(replies))

    assert repeated() == 0
    monkeypatch.setattr(DialogueBot, "_varied", lambda _bot, _session, _acts, text: text)
    assert repeated() > 0, "the turns above are such that a bot would repeat itself"


def test_who_agrees_and_says_goodbye_gets_what_was_agreed() -> None:
    said = talk("telco", "top up 20 euros", "Yes. Goodbye.")
    assert "34 euros" in said[-1].text
    assert said[-1].end
    assert talk("telco", "top up 20 euros", "No! Goodbye!")[-1].end
