"""The restaurant bot from inside: belief, manners, domains, and what it makes of wishes."""

import asyncio
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.acts import DONTCARE, Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.engine.belief import Belief
from vivavoce_bots.engine.commands import Command, Meaning
from vivavoce_bots.engine.file_bot import probabilities
from vivavoce_bots.engine.manners import MANNERS, Exploring, Heard, Learnt
from vivavoce_bots.engine.search_bot import TOWN, SearchBot
from vivavoce_bots.learning import Learner
from vivavoce_bots.memory import Memory

SIZES = {"area": 5}


class Always:
    """One manner wherever it is possible."""

    def __init__(self, manner: str) -> None:
        self.manner = manner

    def choose(self, situation: str, manners: tuple[str, ...]) -> str:
        return self.manner if self.manner in manners else manners[0]


@cache
def bot(manner: str = "plain") -> SearchBot:
    return SearchBot("restaurant", "nbest", chooser=Always(manner))


def talk(*texts: str, language: str = "en", manner: str = "plain") -> list[Reply]:
    session = bot(manner).session("c", language)
    return [bot(manner).reply(session, [(text, None)]) for text in texts]


def understood(text: str, language: str = "en") -> set[str]:
    acts = talk(text, language=language)[0].understood[0].acts
    return {f"{act.act}({act.slot or ''}{act.op or ''}{act.value or ''})" for act in acts}


def told(reply: Reply) -> dict[str | None, str | None]:
    return {act.slot: act.value for act in reply.acts if act.act == "inform"}


def offered(reply: Reply) -> str | None:
    return next((act.value for act in reply.acts if act.act == "offer"), None)


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("en", "what is the price range", {"request(pricerange)"}),
        ("en", "what is the price", {"request(price)"}),
        ("en", "in the cheap price range", {"inform(pricerange=cheap)"}),
        ("en", "the north area", {"inform(area=north)"}),
        ("en", "anything else", {"reqalts()"}),
        ("en", "any area", {f"inform(area={DONTCARE})"}),
        ("en", "I don't care about the price range", {f"inform(pricerange={DONTCARE})"}),
        ("en", "not in the east", {"inform(area!=east)"}),
        ("it", "non nella zona nord", {"inform(area!=north)"}),
        ("it", "UN CAFFE NELLA ZONA NORD", {"inform(type=coffeeshop)", "inform(area=north)"}),
    ],
)
def test_wishes_questions_and_indifference_are_told_apart(language: str, text: str, meant: set[str]) -> None:
    assert understood(text, language) == meant


def inform(value: str, score: float) -> Meaning:
    return Meaning((Command("inform", "area", value),), score)


def test_what_is_heard_twice_in_second_place_wins() -> None:
    belief = Belief()
    belief.update([inform("east", 0.5), inform("west", 0.4)], SIZES)
    belief.update([inform("north", 0.5), inform("west", 0.4)], SIZES)
    assert belief.best("area")[0] == "west"


def test_a_denied_value_stays_out_until_it_is_stated() -> None:
    belief = Belief()
    belief.update([inform("east", 0.9)], SIZES)
    belief.update([Meaning((Command("deny", "area", "east"),), 1.0)], SIZES)
    assert belief.best("area")[1] < 0.1 and belief.refuted("area") == {"east"}
    belief.update([inform("east", 0.9)], SIZES)
    assert not belief.refuted("area")


def test_a_doubtful_value_is_confirmed_and_yes_settles_it() -> None:
    speaker = bot()
    session = speaker.session("c")
    doubtful = speaker.reply(session, [("a pub", 0.7), ("the north", 0.25), ("uh", 0.05)])
    assert [(act.act, act.slot) for act in doubtful.acts] == [("confirm", "area")]
    assert "pub" in speaker.reply(session, [("yes", 0.9)]).text


@given(st.lists(st.tuples(st.text(max_size=20), st.none() | st.floats()), min_size=1, max_size=8))
def test_scores_of_any_kind_become_probabilities(texts: list[tuple[str, float | None]]) -> None:
    scores = [score for _, score in probabilities(texts)]
    assert all(0 <= score <= 1 for score in scores)
    assert sum(scores) <= 1 + 1e-9


def test_the_published_dialogue_an_expensive_then_a_cheap_chinese_restaurant(tmp_path: Path) -> None:
    """Jurčíček et al. 2011, Table 1: no expensive Chinese restaurant, a cheap one, the address, goodbye."""
    rows = TOWN.read_text("utf-8").splitlines()
    rows = [row for row in rows if "food: chinese" not in row or "expensive" not in row]
    (tmp_path / "town.yaml").write_text("\n".join(rows), encoding="utf-8")
    speaker = SearchBot("restaurant", "nbest", domain=tmp_path / "town.yaml")
    session = speaker.session("c")

    def say(text: str) -> Reply:
        return speaker.reply(session, [(text, None)])

    nothing = say("Hi, I'm looking for an expensive Chinese restaurant.")
    assert {act[:3] for act in nothing.acts if act.act != "select"} == {
        ("canthelp", "food", "chinese"),
        ("canthelp", "pricerange", "expensive"),
        ("canthelp", "type", "restaurant"),
    }
    offer = say("I want something cheap then.")
    venue = speaker.engine("en").bot.table[offered(offer)]
    assert (venue["food"], venue["pricerange"]) == ("chinese", "cheap")
    assert "Chinese food" in offer.text and "cheap" in offer.text
    assert venue["address"] in say("Ok, give me the address.").text
    assert say("Thank you. Goodbye.").end


def test_no_other_place_then_a_proposal_that_is_accepted() -> None:
    replies = talk("a cheap pub in the north", "another one", "yes")
    assert offered(replies[0]) == "Ferryman"
    assert "no other pub" in replies[1].text and "select" in {act.act for act in replies[1].acts}
    assert offered(replies[2]) not in (None, "Ferryman")


def test_proposals_that_are_all_declined_end_in_a_new_start_and_not_in_silence() -> None:
    replies = talk("an expensive Indian restaurant in the north", *["no"] * 8)
    assert "start again" in " ".join(reply.text for reply in replies)


def test_a_question_that_comes_too_early_is_answered_with_the_offer() -> None:
    reply = talk("the phone number of a cheap Indian restaurant in the east")[0]
    assert offered(reply) == "Juniper Table" and "01555 792 961" in reply.text


def test_italian_is_understood_and_spoken() -> None:
    replies = talk("un pub economico a nord", "qual è l'indirizzo?", "no, caro", language="it")
    assert replies[0].text == "Ferryman è un pub in zona nord di prezzo economico."
    assert "91 Bridge Street" in replies[1].text
    assert offered(replies[2]) == "Crooked Oar"


def test_another_domain_is_spoken_of_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "books.yaml").write_text(
        "types:\n"
        "  book: {en: {text: book, plural: books}, it: {text: libro, plural: libri}}\n"
        "  map: {en: {text: map, plural: maps}, it: {text: mappa, plural: mappe}}\n"
        "slots: {subject: {constraint: true, values: {sea: {en: {text: sea}}}}}\n"
        "venues: [{name: Tides, type: book, slots: {subject: sea}}]\n",
        encoding="utf-8",
    )
    for name in ("restaurant", "boris"):
        books = BOTS[name].make(BOTS[name].variants[0], 1, tmp_path / "books.yaml")
        for language, kinds in (("en", "books and maps"), ("it", "libri e mappe")):
            session = books.session("c", language)
            greeting = books.greet(session).text
            assert kinds in greeting and "rist" not in greeting and "restaur" not in greeting
            assert offered(books.reply(session, [("sea", None)])) == "Tides"


def test_an_offer_can_be_brief_plain_or_rich_and_a_question_can_echo() -> None:
    wish = "a cheap Indian restaurant in the east"
    assert set(told(talk(wish, manner="brief")[0])) == {"type"}
    assert set(told(talk(wish)[0])) == {"type", "food", "pricerange", "area"}
    rich = told(talk(wish, manner="rich")[0])
    assert (rich["phone"], rich["address"]) == ("01555 792 961", "31 Abbey Walk")
    echo = talk("a pub", manner="echo")[0]
    assert told(echo) == {"type": "pub"}
    assert echo.text.startswith("Very well: a pub.") and echo.text.endswith("?")


def test_learning_prefers_what_paid_and_the_shipped_policy_names_known_manners_only() -> None:
    exploring = Exploring(1, exploration=0.0)
    for manner, reward in (("plain", 1.0), ("brief", 5.0), ("rich", 2.0)):
        exploring.learn([("offer fair sure", manner)], reward)
    assert exploring.choose("offer fair sure", MANNERS["offer"]) == "brief"
    shipped = Learnt.shipped().values
    assert len(shipped) >= 15
    for situation, values in shipped.items():
        kind, grade, sure = situation.split()
        assert set(values) <= set(MANNERS[kind])
        assert grade in ("clear", "fair", "poor") and sure in ("sure", "unsure")


def test_how_well_a_user_is_heard_is_a_mean_over_the_turns() -> None:
    heard = Heard()
    assert heard.grade() == "clear"
    for score in (0.9, 0.1, 0.1):
        heard.add(score)
    assert heard.grade() == "fair"


def test_a_learner_credits_the_choices_of_the_dialogue_that_is_over() -> None:
    learner = Learner(seed=2)
    session = {"conversation": "c", "language": "en", "heard": []}
    asyncio.run(learner.answer("", session))
    asyncio.run(learner.answer("a pub in the north", session))
    learner.learn("c", 7.0)
    learner.learn("never held", -100.0)
    values = [entry["value"] for known in learner.learnt().values() for entry in known.values()]
    assert values == [7.0]


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
