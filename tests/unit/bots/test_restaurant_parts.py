"""The restaurant bot from inside: understanding, belief, memory."""

from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.acts import DONTCARE, Act, Meaning, Reply
from vivavoce_bots.dialogue.belief import Belief
from vivavoce_bots.dialogue.domain import read_domain
from vivavoce_bots.dialogue.evidence import normalised
from vivavoce_bots.dialogue.generation import Generation
from vivavoce_bots.dialogue.understanding import Understanding
from vivavoce_bots.memory import Memory
from vivavoce_bots.restaurant.bot import RestaurantBot

DOMAIN = read_domain()
ENGLISH, ITALIAN = Understanding(DOMAIN, "en"), Understanding(DOMAIN, "it")
BOTS = {variant: RestaurantBot(DOMAIN, variant) for variant in RestaurantBot.variants}


def informed(text: str, understanding: Understanding = ENGLISH, asked: str | None = None) -> dict[str, str]:
    acts = understanding.acts(text, asked)
    return {f"{act.slot}{act.op}": act.value or "" for act in acts if act.act == "inform"}


def requested(text: str, understanding: Understanding = ENGLISH) -> list[str | None]:
    return [act.slot for act in understanding.acts(text) if act.act == "request"]


def test_the_longest_phrase_wins() -> None:
    assert requested("what is the price range") == ["pricerange"]
    assert requested("what is the price") == ["price"]
    assert [act.act for act in ENGLISH.acts("anything else")] == ["reqalts"]


def test_the_name_of_a_slot_beside_its_value_is_no_question() -> None:
    assert informed("in the cheap price range") == {"pricerange=": "cheap"}
    assert requested("in the cheap price range") == []
    assert requested("the north area") == []


def test_indifference_is_about_the_slot_beside_it_or_the_one_asked_for() -> None:
    assert informed("any area is fine") == {"area=": DONTCARE}
    assert informed("I don't care about the price range", asked="area") == {"pricerange=": DONTCARE}
    assert informed("it doesn't matter", asked="food") == {"food=": DONTCARE}
    assert informed("it doesn't matter") == {}
    assert informed("non importa", ITALIAN, "food") == {"food=": DONTCARE}


def test_a_negation_reaches_over_small_words_only() -> None:
    assert informed("not in the east") == {"area!=": "east"}
    assert informed("not that I want the east") == {"area=": "east"}
    assert informed("non nella zona nord", ITALIAN) == {"area!=": "north"}


def test_accents_and_case_do_not_matter() -> None:
    assert informed("UN CAFFE NELLA ZONA NORD", ITALIAN) == {"type=": "coffeeshop", "area=": "north"}


def inform(value: str, score: float) -> Meaning:
    return Meaning((Act("inform", "area", value, "="),), score)


def test_what_is_heard_twice_in_second_place_wins() -> None:
    belief = Belief()
    belief.update([inform("east", 0.5), inform("west", 0.4)], None)
    belief.update([inform("north", 0.5), inform("west", 0.4)], None)
    assert belief.best("area")[0] == "west"


def test_yes_and_no_count_for_what_was_to_be_confirmed() -> None:
    belief = Belief()
    belief.update([inform("east", 0.3)], None)
    belief.update([Meaning((Act("affirm"),), 0.9)], ("area", "east"))
    assert belief.best("area")[1] > 0.9
    belief.update([Meaning((Act("negate"),), 1.0)], ("area", "east"))
    assert belief.accepted() == {}


@given(st.lists(st.tuples(st.text(max_size=20), st.none() | st.floats()), min_size=1, max_size=8))
def test_scores_of_any_kind_become_probabilities(texts: list[tuple[str, float | None]]) -> None:
    scores = [hypothesis.score for hypothesis in normalised(texts)]
    assert all(0 <= score <= 1 for score in scores)
    assert sum(scores) <= 1 + 1e-9


@given(
    st.sampled_from(sorted(BOTS)),
    st.sampled_from(["en", "it", "xx"]),
    st.lists(
        st.text(max_size=60)
        | st.sampled_from(["yes", "no", "any", "pub", "another one", "not east", "repeat"])
    ),
)
def test_any_input_gets_an_answer_in_words(variant: str, language: str, said: list[str]) -> None:
    session = BOTS[variant].session("c", language)
    for text in said:
        reply = BOTS[variant].reply(session, [(text, None)])
        assert reply.text.strip()
        assert "{" not in reply.text
        assert reply.acts


def test_memory_forgets_the_oldest_and_the_unused() -> None:
    now = [0.0]
    memory: Memory[int] = Memory(keep_s=10, most=2, clock=lambda: now[0])
    memory.get("a", lambda: 1).answers["t"] = Reply("", (), (), False)
    now[0] = 6
    memory.get("b", lambda: 2)
    assert "t" in memory.get("a", lambda: 0).answers
    memory.get("c", lambda: 3)
    assert memory.get("b", lambda: 20).state == 20
    now[0] = 30
    assert memory.get("a", lambda: 10).state == 10
    assert len(memory) == 1


def test_the_greeting_names_what_the_domain_holds(tmp_path: Path) -> None:
    """Another domain, another greeting: nothing of restaurants is left."""
    (tmp_path / "books.yaml").write_text(
        "types:\n"
        "  book: {en: {text: book, plural: books}, it: {text: libro, plural: libri}}\n"
        "  map: {en: {text: map, plural: maps}, it: {text: mappa, plural: mappe}}\n"
        "slots: {subject: {constraint: true, values: {sea: {en: {text: sea}}}}}\n"
        "venues: [{name: Tides, type: book, slots: {subject: sea}}]\n",
        encoding="utf-8",
    )
    books = read_domain(tmp_path / "books.yaml")
    for language, kinds in (("en", "books and maps"), ("it", "libri e mappe")):
        said = {Generation(books, language).say([Act("hello")], None, Random(seed)) for seed in range(20)}
        assert any(kinds in text for text in said)
        assert not [text for text in said if "rist" in text or "restaur" in text]
    said = {Generation(DOMAIN, "en").say([Act("hello")], None, Random(seed)) for seed in range(20)}
    assert "Hello! I can find restaurants, pubs and coffee shops. What are you looking for?" in said
