"""Cooking robot: predicates and plain commands, questions about the kitchen, and refusals with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.chef.notation import Malformed, Predicate, read_predicates
from vivavoce_bots.chef.world import Refused, World, score


def talk(*lines: str, language: str = "en") -> list[Reply]:
    bot = BOTS["chef"].make("standard", 1, None)
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(line, None)]) for line in lines]


def values(reply: Reply, slot: str = "done") -> list[str | None]:
    return [act.value for act in reply.acts if act.slot == slot]


@pytest.mark.parametrize(
    ("line", "language", "predicates"),
    [
        ("prendere(padella)", "it", ["prendere(padella)"]),
        (
            "[prendere(padella), mettere(padella, fuoco)]",
            "it",
            ["prendere(padella)", "mettere(padella, fuoco)"],
        ),
        ("aggiungere(pizzico, sale, ciotola)", "it", ["aggiungere(pizzico, sale, ciotola)"]),
        ("aggiungere([farina, acqua], ciotola)", "it", ["aggiungere([farina, acqua], ciotola)"]),
        ("aggiungere(300 g, farina, ciotola)", "en", ["aggiungere(300 g, farina, ciotola)"]),
        ("put(pan, stove)", "en", ["mettere(padella, fuoco)"]),
        (
            "[put(water, pot), put(pot, stove), cook(pot, 10 minutes)]",
            "en",
            ["mettere(acqua, pentola)", "mettere(pentola, fuoco)", "cuocere(pentola, 10 minuti)"],
        ),
        ("metti la padella sul fuoco", "it", ["mettere(padella, fuoco)"]),
        ("take the pan and put the pan on the stove", "en", ["prendere(padella)", "mettere(padella, fuoco)"]),
        ("aggiungi 300 g di farina nella ciotola", "it", ["aggiungere(300 g, farina, ciotola)"]),
        ("add salt and butter to the pan", "en", ["aggiungere([sale, burro], padella)"]),
        (
            "peel the potatoes and put them in the pot",
            "en",
            ["sbucciare(patate)", "mettere(patate, pentola)"],
        ),
        ("crack two eggs into the pan", "en", ["aprire(2, uova, padella)"]),
        ("il latte e la farina nella ciotola", "it", ["mettere([latte, farina], ciotola)"]),
        ("metti il burro, no, l'olio in padella", "it", ["mettere(olio, padella)"]),
    ],
)
def test_commands_become_predicates(line: str, language: str, predicates: list[str]) -> None:
    (reply,) = talk(line, language=language)
    assert values(reply) == predicates


def test_pronouns_stand_for_the_last_thing_or_container() -> None:
    *_, put, cover, off = talk(
        "prendi la padella", "mettila sul fuoco", "coprila", "togli il coperchio", language="it"
    )
    assert values(put) == ["mettere(padella, fuoco)"] and values(cover) == ["coprire(padella)"]
    assert values(off) == ["togliere(coperchio)"]
    *_, stir = talk("put the butter in the pan", "put the pan on the stove", "stir it")
    assert values(stir) == ["mescolare(padella)"]


def test_a_container_that_was_not_named_is_the_last_one_and_marked_as_implicit() -> None:
    *_, reply = talk("metti la farina nella ciotola", "aggiungi il latte", language="it")
    assert values(reply) == ["aggiungere(latte, *ciotola*)"]


def test_a_missing_argument_is_asked_for() -> None:
    question, reply = talk("aggiungi il sale", "nella pentola", language="it")
    assert ("request", "container") in [(act.act, act.slot) for act in question.acts] and not values(question)
    assert values(reply) == ["aggiungere(sale, pentola)"]
    question, reply = talk("take", "the pan")
    assert question.text.startswith("What shall I") and values(reply) == ["prendere(padella)"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["aggiungere(caviale, ciotola)"], "Non ho caviale"),
        (["volare(padella)"], "Questo non lo so fare"),
        (["mescolare(ciotola)"], "non c'è niente dentro"),
        (["prendere(padella"], "Non riesco a leggere"),
        (["cuoci la pasta"], "in nessun recipiente"),
        (["aggiungi lo zafferano nella pentola"], "Non ho zafferano"),
        (["taglia la cipolla"], "So mettere"),
        (["accendi il forno"], "si regolano da soli"),
    ],
)
def test_what_it_cannot_do_it_does_not_claim(lines: list[str], words: str) -> None:
    *_, reply = talk(*lines, language="it")
    assert words in reply.text and not values(reply) and not reply.end


def test_of_several_commands_those_before_the_impossible_one_are_done() -> None:
    (reply,) = talk("[prendere(padella), volare(padella), prendere(ciotola)]", language="it")
    assert values(reply) == ["prendere(padella)"] and "Questo non lo so fare" in reply.text


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["add pasta to the pot", "cook the pasta"], "the pot is neither on the stove nor in the oven"),
        (["add pasta to the pot", "put the pot on the stove", "cook the pasta"], "there is no water"),
        (["peel the potatoes", "peel the potatoes"], "that is done already"),
        (["peel the flour"], "that is not done to flour"),
        (["put the eggs on the stove"], "without a pan or a pot"),
        (["put the bowl on the stove"], "the bowl would burn"),
        (["cover the pot", "add water to the pot"], "the pot is covered"),
        (["remove the lid"], "there is no lid there"),
    ],
)
def test_impossible_commands_are_refused_with_the_reason(lines: list[str], reason: str) -> None:
    *before, last = talk(*lines)
    assert all(values(reply) for reply in before)
    assert reason in last.text and not values(last)
    assert [act for act in last.acts if act.act == "canthelp"]


def test_effects_of_commands_are_reported_as_facts() -> None:
    fill, add, cook, again = talk(
        "put water in the pot and put the pot on the stove",
        "add the pasta",
        "cook the pasta",
        "cook the pasta",
    )
    assert values(fill, "fact") == ["dentro(acqua, pentola)", "sta(pentola, fuoco)"]
    assert values(add, "fact") == ["dentro(pasta, pentola)"] and values(cook, "fact") == [
        "cotto(pasta, pentola)"
    ]
    assert "already" in again.text


@pytest.mark.parametrize(
    ("lines", "language", "answer"),
    [
        (["what is in the pot?"], "en", "In the pot there is: water."),
        (["where is the pot?"], "en", "Pot: stove."),
        (["is the pot covered?"], "en", "No, not yet."),
        (["is the pot on the stove?"], "en", "Yes."),
        (["do you have eggs?"], "en", "Yes, I have eggs."),
        (["what have you done?"], "en", "add(water, pot), put(pot, stove)"),
        (["undo", "where is the pot?"], "en", "not used yet"),
        (["start over", "what is in the pot?"], "en", "nothing"),
        (["cosa c'è nella pentola?"], "it", "Contenuto di pentola: acqua."),
        (["è coperta la pentola?"], "it", "No, non ancora."),
    ],
)
def test_questions_about_the_kitchen_are_answered(lines: list[str], language: str, answer: str) -> None:
    replies = talk("aggiungere(acqua, pentola)", "mettere(pentola, fuoco)", *lines, language=language)
    assert answer in replies[-1].text and not values(replies[-1])


@pytest.mark.parametrize("line", ["no, the pot", "not the pan, the pot"])
def test_a_correction_takes_the_last_command_back(line: str) -> None:
    *_, contents = talk("add salt to the pan", line, "what is in the pan?")
    assert "nothing" in contents.text


def test_a_refused_command_changes_nothing() -> None:
    world = World()
    world.carry_out("aggiungere", ["latte", "ciotola"])
    before = world.facts()
    impossible = [
        ("sbucciare", ["patate", "sale"]),
        ("cuocere", ["latte"]),
        ("mettere", ["ciotola", "fuoco"]),
        ("mettere", ["farina", "ciotola", "fuoco"]),
        ("togliere", ["latte", "uova", "ciotola"]),
    ]
    for action, things in impossible:
        with pytest.raises(Refused):
            world.carry_out(action, things)
        assert world.facts() == before


def test_understanding_is_scored_by_effects() -> None:
    meant = read_predicates("[prendere(padella), mettere(padella, fuoco), aprire(uovo, padella)]")
    assert score(meant, meant).f1 == 1
    otherwise = read_predicates("[aprire(uovo, padella), prendere(padella), mettere(padella, fuoco)]")
    assert score(otherwise, meant).f1 == 1, "another way to the same end"
    wrong = score(read_predicates("[prendere(padella), mettere(pentola, fuoco)]"), meant)
    assert wrong == (1, 2, 4)
    assert wrong.f1 == pytest.approx(1 / 3)
    nothing = read_predicates("[controllare(pasta)]")
    assert score(nothing, nothing).f1 is None


names = st.text("abcdefghilmnopqrstuvz", min_size=1, max_size=8)


@given(st.lists(st.builds(Predicate, names, st.lists(names, max_size=4).map(tuple)), min_size=1, max_size=5))
def test_predicates_are_read_as_they_are_written(predicates: list[Predicate]) -> None:
    assert read_predicates("[" + ", ".join(map(str, predicates)) + "]") == predicates


@given(st.text("ab(),[]*; \n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert read_predicates(text)
    except Malformed as error:
        assert "expected" in str(error)
