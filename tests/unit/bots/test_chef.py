"""The cooking robot: predicates and plain commands, what is lacking is asked for, nothing falsely claimed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.acts import Reply
from vivavoce_bots.chef.bot import ChefBot
from vivavoce_bots.chef.notation import Malformed, Predicate, read_predicates


def talk(*said: str, language: str = "it") -> list[Reply]:
    bot = ChefBot()
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]) for text in said]


def done(reply: Reply) -> list[str | None]:
    return [act.value for act in reply.acts if act.slot == "done"]


@pytest.mark.parametrize(
    ("said", "language", "predicates"),
    [
        ("prendere(padella)", "it", ["prendere(padella)"]),
        (
            "[prendere(padella), mettere(padella, fuoco)]", "it",
            ["prendere(padella)", "mettere(padella, fuoco)"],
        ),
        ("aggiungere(pizzico, sale, ciotola)", "it", ["aggiungere(pizzico, sale, ciotola)"]),
        ("aggiungere([farina, acqua], ciotola)", "it", ["aggiungere([farina, acqua], ciotola)"]),
        ("put(pan, stove)", "en", ["mettere(padella, fuoco)"]),
        ("metti la padella sul fuoco", "it", ["mettere(padella, fuoco)"]),
        ("take the pan and put the pan on the stove", "en", ["prendere(padella)", "mettere(padella, fuoco)"]),
        ("aggiungi 300 g di farina nella ciotola", "it", ["aggiungere(300 g, farina, ciotola)"]),
        ("add salt and butter to the pan", "en", ["aggiungere(sale, burro, padella)"]),
    ],
)  # fmt: skip
def test_commands_become_predicates(said: str, language: str, predicates: list[str]) -> None:
    (reply,) = talk(said, language=language)
    assert done(reply) == predicates


def test_a_container_that_was_not_said_is_the_last_one_and_marked_as_implicit() -> None:
    *_, reply = talk("metti la farina nella ciotola", "aggiungi il latte")
    assert done(reply) == ["aggiungere(latte, *ciotola*)"]


def test_what_is_lacking_is_asked_for_and_then_done() -> None:
    asked, reply = talk("aggiungi il sale", "nella pentola")
    assert [(act.act, act.slot) for act in asked.acts] == [("request", "container")] and done(asked) == []
    assert done(reply) == ["aggiungere(sale, pentola)"]
    asked, reply = talk("take", "the pan", language="en")
    assert asked.text == "What shall I take?" and done(reply) == ["prendere(padella)"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("aggiungere(caviale, ciotola)", "Non ho caviale"),
        ("volare(padella)", "Questo non lo so fare"),
        ("mescolare(ciotola)", "non c'è niente dentro"),
        ("prendere(padella", "a closing parenthesis expected"),
        ("che ore sono", "Non ho capito"),
    ],
)
def test_it_claims_nothing_done_that_it_cannot_do(said: str, words: str) -> None:
    (reply,) = talk(said)
    assert words in reply.text and done(reply) == [] and not reply.end


def test_of_several_commands_those_before_the_impossible_one_are_done() -> None:
    (reply,) = talk("[prendere(padella), volare(padella), prendere(ciotola)]")
    assert done(reply) == ["prendere(padella)"] and "Questo non lo so fare" in reply.text


names = st.text("abcdefghilmnopqrstuvz", min_size=1, max_size=8)


@given(st.lists(st.builds(Predicate, names, st.lists(names, max_size=4).map(tuple)), min_size=1, max_size=5))
def test_what_is_written_in_the_notation_is_read_back(predicates: list[Predicate]) -> None:
    assert read_predicates("[" + ", ".join(map(str, predicates)) + "]") == predicates


@given(st.text("ab(),[]*; \n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert read_predicates(text)
    except Malformed as error:
        assert "expected" in str(error)
