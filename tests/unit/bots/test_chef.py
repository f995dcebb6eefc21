"""The cooking robot: predicates and plain commands, what is lacking is asked for, nothing falsely claimed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.acts import Reply
from vivavoce_bots.chef.bot import ChefBot
from vivavoce_bots.chef.notation import Malformed, Predicate, read_predicates
from vivavoce_bots.chef.world import Refused, World, score


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
            "[prendere(padella), mettere(padella, fuoco)]",
            "it",
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
)
def test_commands_become_predicates(said: str, language: str, predicates: list[str]) -> None:
    (reply,) = talk(said, language=language)
    assert done(reply) == predicates


def test_what_it_means_is_the_last_container_and_take_off_is_not_take() -> None:
    *_, put, cover, off = talk("prendi la padella", "mettila sul fuoco", "coprila", "togli il coperchio")
    assert done(put) == ["mettere(*padella*, fuoco)"] and done(cover) == ["coprire(*padella*)"]
    assert done(off) == ["togliere(coperchio)"]
    *_, off = talk("cover the pot", "take off the lid", language="en")
    assert done(off) == ["togliere(coperchio)"]


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
        ("che ore sono", "non lo so"),
    ],
)
def test_it_claims_nothing_done_that_it_cannot_do(said: str, words: str) -> None:
    (reply,) = talk(said)
    assert words in reply.text and done(reply) == [] and not reply.end


def test_of_several_commands_those_before_the_impossible_one_are_done() -> None:
    (reply,) = talk("[prendere(padella), volare(padella), prendere(ciotola)]")
    assert done(reply) == ["prendere(padella)"] and "Questo non lo so fare" in reply.text


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        (["cook the pasta"], "no container has pasta in it yet"),
        (["add pasta to the pot", "cook the pasta"], "the pot is neither on the stove nor in the oven"),
        (["add pasta to the pot", "put the pot on the stove", "cook the pasta"], "there is no water"),
        (["peel the potatoes", "peel the potatoes"], "that is done already"),
        (["peel the flour"], "that is not done to flour"),
        (["put the eggs on the stove"], "without a pan or a pot"),
        (["put the bowl on the stove"], "the bowl would burn"),
        (["cover the pot", "add water to the pot"], "the pot is covered"),
        (["cover the pot", "cover the pot"], "that is done already"),
        (["remove the lid"], "there is no lid there"),
    ],
)
def test_what_cannot_be_as_things_stand_is_refused_with_the_reason(said: list[str], refused: str) -> None:
    *before, last = talk(*said, language="en")
    assert all(done(reply) for reply in before)
    assert refused in last.text and done(last) == []
    assert [act for act in last.acts if act.act == "canthelp"]


def test_commands_have_effects_that_later_commands_find() -> None:
    said = [
        "put water in the pot and put the pot on the stove",
        "add the pasta",
        "cover the pot",
        "remove the lid",
        "cook the pasta",
        "cook the pasta",
    ]
    *steps, again = talk(*said, language="en")
    facts = [{act.value for act in reply.acts if act.slot == "fact"} for reply in steps]
    assert facts[0] == {"dentro(acqua, pentola)", "sta(pentola, fuoco)"}
    assert facts[1] == {"dentro(pasta, pentola)"} and facts[2] == {"coperto(pentola)"}
    assert facts[3] == set() and "cotto(pasta, pentola)" in facts[4]
    assert "already" in again.text


def test_a_refused_command_changes_nothing() -> None:
    world = World()
    world.carry_out("aggiungere", ["latte", "ciotola"])
    before = world.facts()
    impossible = [
        ("sbucciare", ["patate", "sale"]),
        ("cuocere", ["latte"]),
        ("mettere", ["ciotola", "fuoco"]),
        ("togliere", ["latte", "uova", "ciotola"]),
    ]
    for action, things in impossible:
        with pytest.raises(Refused):
            world.carry_out(action, things)
        assert world.facts() == before


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (["add salt to the pan", "no, the pot"], {"dentro(sale, pentola)"}),
        (["add salt to the pan", "I meant sugar"], {"dentro(zucchero, padella)"}),
        (["add salt to the pan", "not the pan, the pot"], {"dentro(sale, pentola)"}),
        (["add salt to the pan", "don't add pepper"], {"dentro(sale, padella)"}),
        (["add salt to the pan", "go back"], set()),
        (["add salt to the pan", "start over"], set()),
        (["add caviar to the pan"], set()),
        (["add salt", "never mind"], set()),
        (["peel the potatoes and put them in the pot"], {"sbucciato(patate)", "dentro(patate, pentola)"}),
        (["peel the potatoes", "go back"], {"sbucciato(patate)"}),
        (
            ["add salt to the pan", "is there salt in the pan?", "what is in the pan?"],
            {"dentro(sale, padella)"},
        ),
    ],
)
def test_what_holds_is_what_was_meant_in_the_end(said: list[str], facts: set[str]) -> None:
    bot = ChefBot()
    session = bot.session("c", "en")
    for text in said:
        bot.reply(session, [(text, None)])
    assert session.world.facts() == facts


@pytest.mark.parametrize(
    ("language", "asked", "told"),
    [
        ("en", "what is in the pot?", "In the pot there is: water."),
        ("en", "where is the pot?", "Pot: on the stove."),
        ("en", "is the pot covered?", "No."),
        ("en", "is the pot on the stove?", "Yes."),
        ("en", "do you have eggs?", "Yes, I have eggs."),
        ("it", "cosa c'è nella pentola?", "Contenuto di pentola: acqua."),
        ("it", "è coperta la pentola?", "No."),
    ],
)
def test_questions_about_the_kitchen_are_answered_and_change_nothing(
    language: str, asked: str, told: str
) -> None:
    bot = ChefBot()
    session = bot.session("c", language)
    bot.reply(session, [("[aggiungere(acqua, pentola), mettere(pentola, fuoco)]", None)])
    before = session.world.facts()
    assert told in bot.reply(session, [(asked, None)]).text
    assert session.world.facts() == before


def test_understanding_is_scored_by_what_happens() -> None:
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
def test_what_is_written_in_the_notation_is_read_back(predicates: list[Predicate]) -> None:
    assert read_predicates("[" + ", ".join(map(str, predicates)) + "]") == predicates


@given(st.text("ab(),[]*; \n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert read_predicates(text)
    except Malformed as error:
        assert "expected" in str(error)


@pytest.mark.parametrize(
    ("said", "language", "told"),
    [
        (["put the butter in the pan. Or should I use oil?"], "en", "up to you"),
        (["metti il burro nella padella. O l'olio?"], "it", "lo decidi tu"),
        (["put the rice in the pot", "is the pot on the stove?", "then do that"], "en", "put(pot, stove)"),
        (["take the pan", "is salt in the pan?", "do that"], "en", "add(salt, pan)"),
        (["put the rice in the pot", "is that everything?"], "en", "next?"),
    ],
)
def test_advice_is_the_cook_s_and_what_was_denied_can_be_had(
    said: list[str], language: str, told: str
) -> None:
    last = talk(*said, language=language)[-1]
    assert told in last.text and not last.end


@pytest.mark.parametrize(
    ("said", "language", "facts", "absent"),
    [
        (
            ["flour and milk in the bowl, stir", "pour the batter into the pan"],
            "en",
            {"dentro(farina, padella)", "dentro(latte, padella)"},
            {"dentro(latte, ciotola)"},
        ),
        (
            ["flour and milk in the bowl", "pour half of it into the pan"],
            "en",
            {"dentro(farina, padella)", "dentro(farina, ciotola)"},
            set(),
        ),
        (
            ["carrots and potatoes in the pot", "take the carrots out and peel them", "put them back"],
            "en",
            {"dentro(carota, pentola)", "sbucciato(carota)"},
            {"sbucciato(patate)"},
        ),
        (
            ["metti il latte nella padella. no aspetta, nel pentolino"],
            "it",
            {"dentro(latte, tegame)"},
            {"dentro(latte, padella)"},
        ),
        (
            ["burro e farina nella ciotola", "metti la pasta nel tegame, cioè la frolla"],
            "it",
            {"dentro(burro, tegame)", "dentro(farina, tegame)"},
            {"dentro(pasta, tegame)"},
        ),
        (["le patate nella pentola", "scaldale? mettila sul fuoco"], "it", {"cotto(patate, pentola)"}, set()),
        (
            ["put the eggs in the pan", "my gran always put salt in the pan, god rest her"],
            "en",
            {"dentro(uova, padella)"},
            {"dentro(sale, padella)"},
        ),
    ],
)
def test_what_was_handled_before_is_what_it_and_them_stand_for(
    said: list[str], language: str, facts: set[str], absent: set[str]
) -> None:
    bot = ChefBot()
    session = bot.session("c", language)
    for text in said:
        bot.reply(session, [(text, None)])
    assert facts <= session.world.facts() and not absent & session.world.facts()


@pytest.mark.parametrize(
    ("said", "language", "told", "not_told"),
    [
        (["carrots in the pot", "are they in or out?"], "en", "in the pot", "Done"),
        (["crack two eggs into the pan", "how many eggs did you put in?"], "en", "Eggs: 2", "Done"),
        (["che cosa hai per metterla in forno?"], "it", "tegame", "farina"),
        (["pentola sul fornello e accendi"], "it", "mettere(pentola, fuoco)", "Non ho"),
        (["pronto? ma con chi parlo..."], "it", "robot da cucina", "No."),
        (
            ["il latte in una ciotola", "va bene, lo bevo dalla ciotola. grazie.. arrivederci"],
            "it",
            "Arrivederci",
            "?",
        ),
        (["great, a talking toaster. take the eggs"], "en", "take(eggs)", "toaster"),
    ],
)
def test_questions_and_stories_are_told_from_commands(
    said: list[str], language: str, told: str, not_told: str
) -> None:
    last = talk(*said, language=language)[-1].text
    assert told in last and not_told not in last


@pytest.mark.parametrize(
    ("said", "language", "told", "not_told"),
    [
        (["pasta in the pot", "cook it", "ok"], "en", "Shall I add water", "What next"),
        (["fry the chicken", "in the pan then?", "yes please"], "en", "cook(pan)", "Shall I"),
        (["cuoci la pasta", "in pentola", "sì"], "it", "mettere(pentola, fuoco)", "Dove"),
        (["metti la carne nella padella e cuocila", "no"], "it", "lascio stare", "Fatto"),
        (["eggs in the bowl, stir. do i need milk", "yes a bit"], "en", "add(milk, bowl)", "recipes"),
        (["ho delle zucchine. le metto in padella?", "sì"], "it", "mettere(zucchine, padella)", "Lo faccio"),
        (["rice in the pot", "is it cooked?", "no, add water"], "en", "add(water, pot)", "cook("),
    ],
)
def test_what_cooking_lacks_or_somebody_asks_about_is_offered_and_a_yes_does_it(
    said: list[str], language: str, told: str, not_told: str
) -> None:
    last = talk(*said, language=language)[-1].text
    assert told in last and not_told not in last


@pytest.mark.parametrize(
    ("said", "language", "told", "not_told"),
    [
        (["peel the potatoes", "are the potatoes peeled?"], "en", "Potatoes: peeled", "not peeled"),
        (["metti le patate nella pentola", "sono cotte le patate?"], "it", "non ancora cotte", "Sì"),
        (["quanto brodo ci vuole per quattro?"], "it", "Questo lo decidi tu", "non ancora"),
        (["water in the pot", "in the pot, where else would it go?"], "en", "next?", "cannot tell"),
        (["I have eggs and flour here. get a bowl"], "en", "take(bowl)", "flour"),
        (["metti l'acqua per la pasta nella pentola"], "it", "mettere(acqua, pentola)", "pasta,"),
        (["a spoon and a half of sugar in the bowl"], "en", "sugar, bowl", "put(spoon"),
        (["milk in the saucepan", "that's it, and now the rice"], "en", "add(rice, saucepan)", "Goodbye"),
    ],
)
def test_answers_say_what_was_asked_and_stories_give_no_food(
    said: list[str], language: str, told: str, not_told: str
) -> None:
    last = talk(*said, language=language)[-1].text
    assert told in last and not_told not in last


def test_an_aside_in_brackets_is_no_predicate() -> None:
    told = talk("put the eggs in the bowl", "lovely (haha ok). stir the bowl", language="en")
    assert done(told[-1]) == ["mescolare(ciotola)"]


@pytest.mark.parametrize(
    ("said", "language", "predicates"),
    [
        (
            "put three potatoes in the pot. Wait, peel them first",
            "en",
            ["sbucciare(patate)", "mettere(patate, pentola)"],
        ),
        (
            "metti la padella sul fuoco, anzi prima una noce di burro",
            "it",
            ["mettere(una noce, burro, padella)", "mettere(padella, fuoco)"],
        ),
        ("pan on, butter in", "en", ["mettere(padella, fuoco)", "aggiungere(burro, *padella*)"]),
        ("put the potatoes in the pot. Peel them? No, with the skin", "en", ["mettere(patate, pentola)"]),
        (
            "aggiungi il formaggio grattugiato nella ciotola",
            "it",
            ["grattare(formaggio)", "aggiungere(formaggio, ciotola)"],
        ),
    ],
)
def test_what_comes_first_is_done_first_and_what_is_denied_is_not(
    said: str, language: str, predicates: list[str]
) -> None:
    (reply,) = talk(said, language=language)
    assert done(reply) == predicates


def test_a_question_says_what_it_is_about_and_commands_nothing() -> None:
    _, salt = talk("put water in the pot", "and the salt, did I put it in?", language="en")
    assert not done(salt) and "not used yet" in salt.text
    (has,) = talk("carota, sedano, cipolla.. li ha?")
    assert not done(has) and "Non ho sedano" in has.text and "carota, cipolla" in has.text


def test_whether_it_is_hot_is_told_from_where_it_stands() -> None:
    _, cold, _, hot = talk(
        "put oil in the pan", "is the pan hot?", "put the pan on the stove", "is it hot?", language="en"
    )
    assert "not on the stove" in cold.text and "on the stove" in hot.text and "not" not in hot.text


def test_a_proposal_is_changed_and_a_lacking_vessel_is_replaced() -> None:
    *_, oven = talk("put the chicken in the pan", "cook it", "yes, but in the oven", language="en")
    assert done(oven) == ["mettere(padella, forno)", "cuocere(padella)"]
    *_, bowl = talk("put milk in the saucepan", "pour it in a cup", "a bowl then", language="en")
    assert done(bowl) == ["mettere(latte, ciotola)"]
