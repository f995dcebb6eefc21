"""The counter of carbohydrates: foods, quantities, unknown names, strategies."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.carbs.bot import CarbsBot
from vivavoce_bots.carbs.foods import Lexicon, learn_phrases, read_foods, read_manner
from vivavoce_bots.carbs.meal import Session
from vivavoce_bots.carbs.reading import Reader
from vivavoce_bots.dialogue.hearing import Hearing

ENGLISH, ITALIAN = Lexicon("en"), Lexicon("it")
HEARING = {language: Hearing(language, learn_phrases) for language in ("en", "it")}


def items(lexicon: Lexicon, text: str) -> list[tuple[str | None, float | None]]:
    return [
        (item.food.key if item.food else None, item.quantity.of(item.food) if item.food else None)
        for item in Reader(lexicon, HEARING[lexicon.language]).read(text).ops
    ]


def talk(variant: str, *texts: str, language: str = "en") -> tuple[Session, list[str]]:
    bot = CarbsBot(variant)
    session = bot.session("c", language)
    return session, [bot.greet(session).text, *(bot.reply(session, [(text, None)]).text for text in texts)]


def test_foods_and_quantities_are_read_in_both_languages() -> None:
    assert items(ENGLISH, "I had two slices of bread, 80 g of pasta and an apple") == [
        ("bread", 100.0),
        ("pasta", 80.0),
        ("apple", 180.0),
    ]
    assert items(ITALIAN, "ho mangiato un piatto di spaghetti, 1,5 etti di pollo e due mele") == [
        ("pasta", 200.0),
        ("chicken", 150.0),
        ("apple", 360.0),
    ]
    assert items(ENGLISH, "rice") == [("rice", None)]


def test_the_total_is_the_sum_of_grams_times_content() -> None:
    session, said = talk("control", "100 g of rice and 200 g of pasta", "no")
    assert session.total == 28 + 62
    assert "90 g of carbohydrates" in said[-1]


def test_a_missing_quantity_is_asked_for_and_a_portion_is_proposed() -> None:
    session, said = talk("control", "risotto", "yes", "no")
    assert "A portion is 250 g" in said[1]
    assert session.total == 50


def test_an_unknown_dish_is_likened_to_the_most_similar_ones() -> None:
    session, said = talk("control", "150 g of schnitzl", "1", "no")
    assert "1 breaded cutlet" in said[1]
    assert session.total == round(13 * 1.5)


def test_nothing_is_counted_for_a_dish_that_nobody_knows() -> None:
    session, said = talk("control", "qqqqq wwwww", "no")
    assert "leave it out" in said[1]
    assert session.total == 0


def test_a_name_is_learnt_where_the_vocabulary_can_be_extended_and_there_alone() -> None:
    taught = ["100 g of seitan", "no", "chickpeas", "another 200 g of seitan", "no"]
    session, said = talk("vocabulary-extension", *taught)
    assert "remember seitan" in said[3]
    assert session.total == 27 + 54
    assert "seitan 200 g" in said[-1]
    control, _ = talk("control", "100 g of seitan", "no", "another 200 g of seitan", "no")
    assert control.lexicon.learnt == {}


def test_each_strategy_changes_what_it_is_named_after() -> None:
    assert "sorry to hear" in talk("empathy", "I am tired")[1][1]
    assert "sorry to hear" not in talk("control", "I am tired")[1][1]
    assert talk("formality")[1][0].startswith("Good day")
    assert "only count carbohydrates" in talk("facing", "what is the weather?")[1][1]
    assert "cannot tell you" in talk("control", "what is the weather?")[1][1]
    assert "didn't understand" in talk("control", "blah blah the weather")[1][1]
    assert "spaghetti 200 g" in talk("alignment", "a plate of spaghetti", "no")[1][-1]
    assert "pasta 200 g" in talk("control", "a plate of spaghetti", "no")[1][-1]


@pytest.mark.parametrize("variant", ["empathy", "facing", "vocabulary-extension", "alignment"])
def test_a_strategy_leaves_the_rest_of_a_dialogue_as_it_is(variant: str) -> None:
    turns = ["100 g of rice", "two apples", "no", "goodbye"]
    control = [line.replace("apple 360", "apples 360") for line in talk("control", *turns)[1]]
    assert [line.replace("apple 360", "apples 360") for line in talk(variant, *turns)[1]] == control


def test_the_table_is_plausible_and_every_food_is_known_by_all_its_names() -> None:
    assert len(read_foods()) >= 45
    for food in read_foods():
        assert 0 <= food.carbs <= 100
        assert 0 < food.portion <= 500
        for lexicon in (ENGLISH, ITALIAN):
            for name in food.names[lexicon.language]:
                assert lexicon.food(name) == food
                assert items(lexicon, f"100 g {name}") == [(food.key, 100.0)]


def test_both_languages_have_the_same_sentences_with_the_same_gaps() -> None:
    english, italian = read_manner("en").says, read_manner("it").says
    assert english.keys() == italian.keys()
    for sentence, forms in english.items():
        gaps = [set(re.findall(r"{(\w+)}", form)) for form in (*forms, *italian[sentence])]
        assert len(gaps) == 4 and all(one == gaps[0] for one in gaps), sentence


@pytest.mark.parametrize(
    ("said", "eaten"),
    [
        (["80 g of pasta", "not pasta, rice"], [("rice", 80)]),
        (["80 g of pasta", "80 g of rice instead of the pasta"], [("rice", 80)]),
        (["two apples and a beer", "remove the beer"], [("apple", 360)]),
        (["two apples", "actually it was 100 g"], [("apple", 100)]),
        (["pasta", "no, rice", "80 g"], [("rice", 80)]),
        (["pasta", "I don't know"], [("pasta", 200)]),
        (["pasta", "no"], []),
        (["pasta and two apples", "never mind"], [("apple", 360)]),
        (["two apples", "a beer", "go back"], [("apple", 360)]),
        (["two apples", "start over"], []),
        (["two apples", "how many carbs in rice?"], [("apple", 360)]),
        (["two apples", "what's the weather like?", "my cat is ill"], [("apple", 360)]),
    ],
)
def test_what_counts_is_what_was_eaten_in_the_end(said: list[str], eaten: list[tuple[str, int]]) -> None:
    session, _ = talk("control", *said)
    assert [(one.food.key, one.grams) for one in session.eaten] == eaten


@pytest.mark.parametrize(
    ("said", "language", "eaten"),
    [
        (["a cheese sandwich and a coke", "150 g is wrong, it was a small one, 100"], "en", {150: 100}),
        (["un piatto di pasta, due fette di pane", "due fette sono 100 grammi? saranno 50"], "it", {100: 50}),
    ],
)
def test_an_amount_behind_one_that_was_told_is_of_that_food(
    said: list[str], language: str, eaten: dict[int, int]
) -> None:
    before, _ = talk("control", said[0], language=language)
    after, _ = talk("control", *said, language=language)
    assert [one.grams for one in after.meal] == [
        eaten.get(int(one.grams or 0), one.grams) for one in before.meal
    ]
    assert [one.grams for one in after.meal] != [one.grams for one in before.meal]


def test_single_pieces_and_drops_are_small_and_a_number_asked_about_is_none() -> None:
    session, said = talk("control", "five or six cherries, and a coffee with a drop of milk")
    assert session.meal[0].grams == 48
    assert session.meal[2].grams is not None
    assert session.meal[2].grams <= 30
    assert "no milk" not in said[-1]
    again, _ = talk("control", "toast with 10 g of jam", "and the total now? you said 16, or was it 60?")
    assert [one.grams for one in again.meal if one.written == "jam"] == [10]


def test_questions_about_foods_are_answered_and_the_question_that_waits_comes_back() -> None:
    _, said = talk("control", "pasta", "how many carbs are in rice?", "help", "how many carbs in zorbl?")
    assert "28 g of carbohydrates in 100 g" in said[2]
    assert all(line.endswith("How much pasta? A portion is 200 g.") for line in said[1:])
    assert "I don't know zorbl" in said[4]


def test_that_is_all_brings_the_total_and_goodbye_ends() -> None:
    bot = CarbsBot()
    session = bot.session("c", "it")
    bot.greet(session)
    replies = [bot.reply(session, [(one, None)]) for one in ("80 g di pane", "è tutto", "grazie", "ciao")]
    assert "39 g di carboidrati" in replies[1].text and not replies[1].end
    assert [one.end for one in replies] == [False, False, False, True]


@given(
    st.lists(st.text(max_size=40) | st.sampled_from(["rice", "no", "1", "80 g", "yes", "seitan", "9" * 400]))
)
def test_the_total_is_never_negative_and_never_lost(texts: list[str]) -> None:
    session, said = talk("all", *texts)
    assert session.total >= 0
    assert all(line.strip() for line in said)


def test_who_ends_or_asks_for_the_total_loses_nothing_that_was_eaten() -> None:
    session, (*_, ended) = talk("control", "fish and chips and salad", "total")
    assert {one.food.key for one in session.eaten} >= {"fish"}
    assert "portion" in ended and "Your meal" in ended


@pytest.mark.parametrize(
    ("said", "language", "eaten"),
    [
        ("ten grapes", "en", [("grapes", 50.0)]),
        ("My sister had cake and I had an apple.", "en", [("apple", 180.0)]),
        ("lei ha preso gli gnocchi e io una mela", "it", [("apple", 180.0)]),
        ("a pear. Or was it an apple? A pear.", "en", [("pear", 180.0)]),
        ("two slices of toast, was it two?", "en", [("toast", 70.0)]),
    ],
)
def test_only_what_the_caller_ate_is_counted(
    said: str, language: str, eaten: list[tuple[str, float]]
) -> None:
    session, _ = talk("control", said, language=language)
    assert [(one.food.key, one.grams) for one in session.eaten] == eaten


@pytest.mark.parametrize(
    ("said", "language", "eaten"),
    [
        (
            ["two slices of toast and butter", "70 grams? says who? it was two thin slices"],
            "en",
            [("toast", 52.5), ("butter", 10.0)],
        ),
        (
            ["80 g of toast and butter", "I said the toast was wrong, not the butter. toast is 50 g"],
            "en",
            [("toast", 50.0), ("butter", 10.0)],
        ),
        (["a can of coke", "no wait, it was the diet one"], "en", [("diet_drink", 330.0)]),
        (
            ["100 g di salame e una mela", "cento grammi di salame?? no due fettine"],
            "it",
            [("sausage", 30.0), ("apple", 180.0)],
        ),
        (["lei ha preso un gelato e me ne ha dato metà"], "it", [("ice_cream", 50.0)]),
        (
            ["she made a lasagne, so I had two slices of that, couldn't say no could I?"],
            "en",
            [("lasagne", 500.0)],
        ),
        (["un'arancia e mezza"], "it", [("orange", 225.0)]),
    ],
)
def test_an_amount_is_put_right_where_it_was_doubted(
    said: list[str], language: str, eaten: list[tuple[str, float]]
) -> None:
    session, _ = talk("control", *said, language=language)
    assert [(one.food and one.food.key, one.grams) for one in session.eaten] == eaten


def test_whether_it_does_harm_is_no_question_of_the_total() -> None:
    _, said = talk("control", "due fette di torta", "ma secondo te fa male?", language="it")
    assert "medico" in said[-1] and "Il tuo pasto" not in said[-1]
