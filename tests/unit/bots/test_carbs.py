"""The counter of carbohydrates: foods, quantities, unknown names, strategies of Guerini et al. 2018."""

import pytest

from vivavoce_bots.engine.file_bot import FileBot, Session


def talk(variant: str, *texts: str, language: str = "en") -> tuple[Session, list[str]]:
    bot = FileBot("carbs", variant)
    session = bot.session("c", language)
    return session, [bot.greet(session).text, *(bot.reply(session, [(text, None)]).text for text in texts)]


def meal(session: Session) -> list[tuple[str, float | None]]:
    return [(item.value, item.quantity) for item in session.state.frame["food"]]


@pytest.mark.parametrize(
    ("language", "text", "items"),
    [
        (
            "en",
            "I had two slices of bread, 80 g of pasta and an apple",
            {"bread": 100, "pasta": 80, "apple": 180},
        ),
        (
            "it",
            "un piatto di spaghetti, 1,5 etti di pollo e due mele",
            {"pasta": 200, "chicken": 150, "apple": 360},
        ),
        ("en", "rice", {"rice": None}),
        ("it", "mezza pizza e un bicchiere di latte", {"pizza": 150, "milk": 200}),
    ],
)
def test_foods_and_quantities_are_understood(
    language: str, text: str, items: dict[str, float | None]
) -> None:
    assert meal(talk("control", text, language=language)[0]) == list(items.items())


def test_the_total_is_the_sum_of_grams_times_content() -> None:
    _, replies = talk("control", "100 g of rice and 200 g of pasta", "no")
    assert "90 g of carbohydrates" in replies[-1]


def test_a_missing_quantity_is_asked_for_and_a_portion_is_proposed() -> None:
    _, replies = talk("control", "risotto", "yes", "no")
    assert "A portion is 250 g" in replies[1] and "50 g of carbohydrates" in replies[3]


def test_an_unknown_name_is_likened_to_known_ones_by_name_or_number() -> None:
    session, replies = talk("control", "150 g of pizzeria stuff", "1")
    assert "1 pizza" in replies[1] and meal(session) == [("pizza", 150)]


def test_a_name_that_is_like_nothing_is_left_out() -> None:
    session, replies = talk("control", "100 g of qqqqq wwwww", "80 g of rice")
    assert "qqqqq wwwww, so I leave it out" in replies[1] and meal(session) == [("rice", 80)]


def test_a_name_is_learnt_where_the_vocabulary_can_be_extended() -> None:
    texts = ("100 g of borscht", "vegetable soup", "no, 200 g of borscht", "no")
    _, replies = talk("vocabulary-extension", *texts)
    assert "remember borscht" in replies[2]
    assert "borscht 200 g. That's 16 g of carbohydrates" in replies[4]


def test_each_strategy_changes_what_it_is_named_after() -> None:
    assert "sorry to hear" in talk("empathy", "I am tired")[1][1]
    assert "sorry to hear" not in talk("control", "I am tired")[1][1]
    assert talk("formality")[1][0].startswith("Good day")
    assert "weather: I only count carbohydrates" in talk("facing", "what is the weather like?")[1][1]
    assert "didn't understand" in talk("control", "what is the weather like?")[1][1]
    assert "spaghetti 200 g" in talk("alignment", "a plate of spaghetti", "no")[1][-1]
    assert "pasta 200 g" in talk("control", "a plate of spaghetti", "no")[1][-1]
    everything = talk("all", "I am tired, I had a plate of spaghetti", language="it")[1]
    assert everything[0].startswith("Buongiorno")


def test_a_feeling_is_answered_before_the_facts() -> None:
    """Table 1 of the paper."""
    texts = ("I ate spaghetti", "unfortunately I messed up, it was a generous helping")
    assert talk("empathy", *texts)[1][2].startswith("Don't worry about it")
    assert talk("control", *texts)[1][2].startswith("Got it: pasta 200 g")


@pytest.mark.parametrize("variant", ["empathy", "facing", "vocabulary-extension", "alignment"])
def test_a_strategy_leaves_the_rest_of_a_dialogue_as_it_is(variant: str) -> None:
    texts = ("100 g of rice", "two slices of bread", "no", "goodbye")
    assert talk(variant, *texts)[1] == talk("control", *texts)[1]


@pytest.mark.parametrize(
    ("texts", "items"),
    [
        (["80 g of pasta", "not pasta, rice"], [("rice", 80)]),
        (["80 g of pasta", "rice instead of the pasta"], [("rice", 80)]),
        (["two apples and a beer", "remove the beer"], [("apple", 360)]),
        (["two apples", "actually it was 100 g"], [("apple", 100)]),
        (["pasta", "no, rice", "80 g"], [("rice", 80)]),
        (["pasta", "I don't know"], [("pasta", 200)]),
        (["two apples", "how many carbs in rice?"], [("apple", 360)]),
        (["two apples", "what's the weather like?"], [("apple", 360)]),
        (["a kiwi and a melon", "two kiwis"], [("fruit", 150), ("fruit", 300)]),
        (["two apples", "no", "no, three apples"], [("apple", 540)]),
    ],
)
def test_the_meal_is_what_was_eaten_in_the_end(texts: list[str], items: list[tuple[str, float]]) -> None:
    assert meal(talk("control", *texts)[0]) == items


def test_questions_about_foods_are_answered_and_the_open_question_comes_back() -> None:
    replies = talk(
        "control", "pasta", "how many carbs are in rice?", "how big is a portion of bread?", "help"
    )[1]
    assert "28 g of carbohydrates" in replies[2] and "A portion of bread is 50 g" in replies[3]
    assert all("How much pasta? A portion is 200 g." in reply for reply in replies[1:])


def test_who_leaves_before_the_end_hears_the_total_with_usual_portions() -> None:
    replies = talk("control", "80 g di pane e pasta", "arrivederci", language="it")[1]
    assert "101 g di carboidrati" in replies[-1] and replies[-1].endswith("Ciao!")
